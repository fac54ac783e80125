/** The account pages of vendors over real HTTP, as strict as their documentation: path, method and key, answered by the provider's fixtures. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { providerFixture } from "./fixtures.ts";

/** An answer in the place of the documented one; `never` is one that does not come. */
export type AccountAnswer = { status: number; body: string } | "never";

export interface AccountServer {
  url: string;
  /** Paths with their queries, in the order in which they were asked. */
  asked: string[];
  /** Answers a path so from now on; undefined gives the documented answer back. */
  answer(path: string, answer: AccountAnswer | undefined): void;
  close(): Promise<void>;
}

export const ACCOUNT_KEY = "sk-account-0123456789-abcdef";

/** What is in a fixture of a provider. */
export const fixtureOf = (slug: string, name: string): string => providerFixture(slug, name);

/** Documented answers by path; what a query has to be, and in which header the key stands alone, where the vendor wants that. */
const PAGES: Readonly<Record<string, { slug: string; fixture: string; query?: RegExp; keyHeader?: string }>> = {
  "/v1/dashboard/billing/subscription": { slug: "openai", fixture: "subscription.json" },
  "/v1/dashboard/billing/usage": {
    slug: "openai",
    fixture: "usage.json",
    query: /^\?start_date=\d{4}-\d\d-\d\d&end_date=\d{4}-\d\d-\d\d$/,
  },
  "/v1/credits": { slug: "openrouter", fixture: "credits.json" },
  "/v1/key": { slug: "openrouter", fixture: "key.json" },
  "/v1/users/me/balance": { slug: "moonshot", fixture: "balance.json" },
  "/v1/user/info": { slug: "siliconflow", fixture: "balance.json" },
  "/user/balance": { slug: "deepseek", fixture: "balance.json" },
  "/api/report/getUserOverview": { slug: "aiproxy-library", fixture: "balance.json", keyHeader: "api-key" },
};

function documented({ method, headers }: IncomingMessage, { pathname, search }: URL): Exclude<AccountAnswer, "never"> {
  const page = PAGES[pathname];
  if (page === undefined) return { status: 404, body: '{"error":{"message":"no such page"}}' };
  const { keyHeader } = page;
  const isKnown =
    keyHeader === undefined ? headers.authorization === `Bearer ${ACCOUNT_KEY}` : headers[keyHeader] === ACCOUNT_KEY;
  if (!isKnown)
    return { status: 401, body: JSON.stringify({ error: { message: `bad key ${headers.authorization ?? ""}` } }) };
  if (method !== "GET") return { status: 405, body: '{"error":{"message":"only GET"}}' };
  if (!(page.query ?? /^$/).test(search)) return { status: 400, body: '{"error":{"message":"bad query"}}' };
  return { status: 200, body: fixtureOf(page.slug, page.fixture) };
}

/** Starts it on a free port of this machine. */
export async function startAccounts(): Promise<AccountServer> {
  const asked: string[] = [];
  const answers = new Map<string, AccountAnswer>();
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? "/", "http://accounts.invalid");
    asked.push(url.pathname + url.search);
    const answer = answers.get(url.pathname) ?? documented(request, url);
    if (answer === "never") return;
    response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
  };
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer(path, answer) {
      if (answer === undefined) answers.delete(path);
      else answers.set(path, answer);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
