/** A search server for tests that answers as each provider of searches does on its public pages, and keeps what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface SearchedPage {
  url: string;
  title: string;
  text: string;
}

export interface AskedSearch {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown> | undefined;
}

export interface SearchServer {
  url: string;
  asked: AskedSearch[];
  pages: SearchedPage[];
  /** Another status than 200 is an answer without pages. */
  status: number;
  /** Sent in place of an answer. */
  rawBody: string | undefined;
  /** Waited for before each answer. */
  before: ((asked: AskedSearch) => Promise<void>) | undefined;
  close(): Promise<void>;
}

/** Forms of answers: docs.searxng.org/dev/search_api, api-dashboard.search.brave.com/app/documentation/web-search/responses, docs.tavily.com/documentation/api-reference/endpoint/search, docs.exa.ai/reference/search. */
function answerOf({ path, headers }: AskedSearch, pages: readonly SearchedPage[]): object {
  if (path.endsWith("/web/search"))
    return {
      type: "search",
      query: { original: "q" },
      web: { type: "search", results: pages.map(({ text, ...page }) => ({ ...page, description: text })) },
    };
  if (headers["x-api-key"] !== undefined)
    return { requestId: "r", results: pages.map((page) => ({ id: page.url, ...page })) };
  return { query: "q", results: pages.map(({ text, ...page }) => ({ ...page, content: text, score: 0.5 })) };
}

async function bodyOf(request: IncomingMessage): Promise<AskedSearch["body"]> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString();
  return text === "" ? undefined : (JSON.parse(text) as Record<string, unknown>);
}

export async function startSearchServer(): Promise<SearchServer> {
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname: path, searchParams: query } = new URL(request.url ?? "/", "http://search.test");
    const asked = { method: request.method ?? "", path, query, headers: request.headers, body: await bodyOf(request) };
    state.asked.push(asked);
    await state.before?.(asked);
    response.writeHead(state.status, { "content-type": "application/json" });
    response.end(
      state.rawBody ?? JSON.stringify(state.status === 200 ? answerOf(asked, state.pages) : { error: "no" }),
    );
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const state: SearchServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    pages: [],
    status: 200,
    rawBody: undefined,
    before: undefined,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return state;
}
