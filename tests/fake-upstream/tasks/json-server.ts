/** A small server of JSON for upstreams of tasks: a function answers each request, and all of them are kept. */
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface SeenRequest {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
  fields: Record<string, unknown>;
}

/** What is answered: JSON unless it is text or bytes. */
export interface GivenAnswer {
  status?: number;
  body: unknown;
  headers?: Record<string, string>;
}

export interface JsonServer {
  url: string;
  requests: SeenRequest[];
  close(): Promise<void>;
}

const parsed = (text: string): Record<string, unknown> => {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
};

async function seenOf(request: IncomingMessage): Promise<SeenRequest> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = Buffer.concat(parts).toString("utf8");
  return {
    method: request.method ?? "",
    path: request.url ?? "",
    headers: request.headers,
    body,
    fields: parsed(body),
  };
}

function write(response: ServerResponse, { status = 200, body, headers = {} }: GivenAnswer): void {
  const isPlain = typeof body === "string" || Buffer.isBuffer(body);
  response.writeHead(status, { "content-type": isPlain ? "text/plain" : "application/json", ...headers });
  response.end(isPlain ? body : JSON.stringify(body));
}

/** `answer` gives nothing for a request that is never answered. */
export async function startJsonServer(
  answer: (request: SeenRequest) => GivenAnswer | undefined | Promise<GivenAnswer | undefined>,
): Promise<JsonServer> {
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const seen = await seenOf(request);
      requests.push(seen);
      const given = await answer(seen);
      if (given !== undefined) write(response, given);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
