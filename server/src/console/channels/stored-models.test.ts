/** Models on the disk of an Ollama server, pulled and deleted through the console of a whole server; the upstream is a real HTTP server. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { PullLine } from "../../../../contract/src/channels/stored-models.ts";
import { setUp, startTestServer, type TestClient, type TestServer } from "../../../../tests/support/systems/server.ts";

const OLLAMA = 4;
const KEY = "ollama-key-0123456789";

interface Seen {
  request: string;
  authorization: string | undefined;
  body: unknown;
}

let ollama: Server;
let server: TestServer;
let root: TestClient;
let channelId: number;
let otherId: number;
let seen: Seen[];
let answer: (request: IncomingMessage, response: ServerResponse) => void;

async function make(type: number, base_url: string): Promise<number> {
  const channel = { type, name: `of ${type}`, key: KEY, base_url, models: "qwen3:8b", group: "default" };
  const { data } = (await root.post("/api/channel/", { mode: "single", channel })).body;
  return (data as number[])[0] ?? expect.fail("no channel was made");
}

beforeAll(async () => {
  ollama = createServer((request, response) => {
    let text = "";
    request.on("data", (part: Buffer) => (text += part.toString()));
    request.on("end", () => {
      const { method, url, headers } = request;
      seen.push({ request: `${method} ${url}`, authorization: headers.authorization, body: JSON.parse(text) });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => ollama.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(ollama.address() as AddressInfo).port}`;
  server = await startTestServer({ ALLOW_PRIVATE_UPSTREAMS: "1" });
  root = await setUp(server);
  channelId = await make(OLLAMA, `${base}/v1`);
  otherId = await make(1, base);
});
beforeEach(() => {
  seen = [];
});
afterAll(async () => {
  await server?.stop();
  ollama.closeAllConnections();
  await new Promise((resolve) => ollama.close(resolve));
});

const pull = (model: string, signal?: AbortSignal) =>
  fetch(`${server.app.url}/api/channel/${channelId}/stored_models/pull`, {
    method: "POST",
    headers: { cookie: root.cookie, "new-api-user": String(root.userId), "content-type": "application/json" },
    body: JSON.stringify({ model }),
    signal: signal ?? null,
  });
const linesOf = async (response: Response): Promise<PullLine[]> =>
  (await response.text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as PullLine);
const remove = (id: number, model: string) =>
  root.post(`/api/channel/${id}/stored_models/delete`, { model }).then(({ body }) => body);
const says = (...lines: (object | string)[]) => {
  answer = (_request, response) =>
    response.end(lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
};

async function isLogged(text: string): Promise<boolean> {
  const { data } = (await root.get("/api/log/?type=3&p=1&page_size=20")).body;
  return (data as { items: { content: string }[] }).items.some(({ content }) => content.includes(text));
}

describe("a pull", () => {
  test("says how far it is and at last that the model is there, and is in the log", async () => {
    answer = (_request, response) => {
      response.write('{"status":"pulling manifest"}\n{"status":"pulling abc","total":400,');
      setTimeout(() => response.write('"completed":100}\n'), 300);
      setTimeout(() => response.end('{"status":"verifying sha256 digest"}\n{"status":"success"}\n'), 900);
    };
    const lines = await linesOf(await pull(" qwen3:8b "));
    expect(lines).toContainEqual({
      kind: "progress",
      status: "pulling abc",
      completed_bytes: 100,
      total_bytes: 400,
    });
    expect(lines.at(-1)).toEqual({ kind: "done" });
    expect(seen).toEqual([
      { request: "POST /api/pull", authorization: `Bearer ${KEY}`, body: { model: "qwen3:8b", stream: true } },
    ]);
    await expect.poll(() => isLogged("pull qwen3:8b")).toBe(true);
  });

  test.each<[string, (object | string)[], RegExp]>([
    [
      "says itself that it failed",
      [{ status: "pulling manifest" }, { error: `no ${KEY} here` }],
      /^no (?!.*ollama-key)/,
    ],
    ["says nothing at its end", [{ status: "pulling manifest" }], /upstream/i],
    ["says what is no line of JSON", ["<html>"], /not what its format has/],
    ["says a line without an end", ["x".repeat(100_000)], /./],
  ])("of a server that %s ends with a failure", async (_what, lines, message) => {
    says(...lines);
    const received = await linesOf(await pull("qwen3:8b"));
    expect(received.at(-1)).toEqual({ kind: "failure", message: expect.stringMatching(message) as string });
    expect(JSON.stringify(received)).not.toContain(KEY);
  });

  test("that is refused has the server's words", async () => {
    answer = (_request, response) =>
      response.writeHead(500).end('{"error":"pull model manifest: file does not exist"}');
    expect((await linesOf(await pull("no-such-model"))).at(-1)).toEqual({
      kind: "failure",
      message: expect.stringContaining("file does not exist") as string,
    });
  });

  test("is one at a time of a channel, and ends at the server when its reader leaves", async () => {
    let closed: Promise<unknown> | undefined;
    answer = (_request, response) => {
      closed = once(response, "close");
      response.write('{"status":"pulling manifest"}\n');
    };
    const leaving = new AbortController();
    const first = await pull("qwen3:8b", leaving.signal);
    const reader = first.body?.getReader();
    await reader?.read();
    const second = await pull("qwen3:8b");
    expect([second.status, second.headers.get("retry-after")]).toEqual([429, "30"]);
    expect(seen).toHaveLength(1);
    leaving.abort();
    await closed;
    says({ status: "success" });
    await expect.poll(async () => (await (await pull("qwen3:8b")).text()).includes('"done"')).toBe(true);
  });
});

describe("a deletion", () => {
  test("is asked of the server, is in the log, and leaves the channel's models alone", async () => {
    answer = (_request, response) => response.end();
    expect(await remove(channelId, "qwen3:8b")).toMatchObject({ success: true });
    expect(seen).toEqual([
      { request: "DELETE /api/delete", authorization: `Bearer ${KEY}`, body: { model: "qwen3:8b" } },
    ]);
    await expect.poll(() => isLogged("Deleted qwen3:8b")).toBe(true);
    expect((await root.get(`/api/channel/${channelId}`)).body.data).toMatchObject({ models: "qwen3:8b" });
  });

  test("that the server refuses says so", async () => {
    answer = (_request, response) => response.writeHead(404).end('{"error":"model not found"}');
    expect(await remove(channelId, "no-such-model")).toMatchObject({ success: false, code: "upstream_failed" });
  });
});

test("other types, channels that are not there and models without a name are refused, and no server is asked", async () => {
  expect(await remove(otherId, "qwen3:8b")).toMatchObject({ code: "channel_stores_nothing" });
  expect(await remove(4711, "qwen3:8b")).toMatchObject({ code: "not_found" });
  expect(await remove(channelId, " ")).toMatchObject({ success: false, field: "model" });
  expect(seen).toEqual([]);
});
