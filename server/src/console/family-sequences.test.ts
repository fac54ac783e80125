/**
 * Sequences of requests as programs for this API family send them, each with the public file that sends it and what that
 * program reads of the answer. On a whole server with SQLite and an upstream that is a real HTTP server.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { APP_SEQUENCES } from "../../../tests/support/clients/family-app.ts";
import { PROGRAM_SEQUENCES } from "../../../tests/support/clients/family-programs.ts";
import { anyList, ASKED, type Body, type Sender, type Step } from "../../../tests/support/clients/family-request.ts";
import { setUp, startTestServer, type TestClient, type TestServer } from "../../../tests/support/systems/server.ts";

const COMPLETION = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "gpt-4o",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
};

let server: TestServer;
let root: TestClient;
let upstream: Server;
let folder: string;
/** Values that requests name as `{name}`: what the scene made, and what earlier steps kept. */
let known: Record<string, string>;

beforeAll(async () => {
  upstream = createServer((request, response) => {
    request.resume();
    response.setHeader("content-type", "application/json");
    const isList = request.url?.endsWith("/models") === true;
    response.end(JSON.stringify(isList ? { object: "list", data: [{ id: "gpt-4o" }, { id: "gpt-new" }] } : COMPLETION));
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const { port } = upstream.address() as AddressInfo;
  folder = await mkdtemp(join(tmpdir(), "turnpike-sequences-"));
  await writeFile(join(folder, "index.html"), '<!doctype html><meta name="csp-nonce" content="__CSP_NONCE__" />');
  server = await startTestServer({ ALLOW_PRIVATE_UPSTREAMS: "1" }, { webDirectory: folder });
  root = await setUp(server);
  const access = String((await root.post("/api/user/token")).body.data);
  const base_url = `http://127.0.0.1:${port}`;
  await root.post("/api/channel/", {
    type: 1,
    name: "main",
    key: "sk-abcdefghijklmnop",
    base_url,
    models: "gpt-4o,gpt-image-1",
    group: "default",
  });
  const made = await root.post("/api/token/", { name: "laptop", unlimited_quota: true, expired_time: -1 });
  const { key } = made.body.data as { key: string };
  await server.client().post("/v1/chat/completions", ASKED, { headers: { authorization: `Bearer sk-${key}` } });
  const now = Math.floor(Date.now() / 1000);
  known = { access, key, base_url, root: String(root.userId), start: String(now - 3600), end: String(now + 3600) };
});
afterAll(async () => {
  await server?.stop();
  await new Promise((resolve) => upstream.close(resolve));
  await rm(folder, { recursive: true });
});

const HEADERS: Readonly<Record<Sender, () => Record<string, string>>> = {
  access: () => ({ authorization: `Bearer ${known["access"]}`, "new-api-user": known["root"] ?? "" }),
  key: () => ({ authorization: `Bearer sk-${known["key"]}` }),
  session: () => ({ cookie: root.cookie, "new-api-user": known["root"] ?? "" }),
  anyone: () => ({}),
};

const filled = (text: string): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? expect.fail(`nothing is known as ${name}`));
const filledBody = (body: Body): unknown =>
  JSON.parse(JSON.stringify(body), (_, value: unknown) => {
    if (typeof value !== "string" || !/^\{\w+\}$/.test(value)) return value;
    const text = filled(value);
    return /^\d+$/.test(text) ? Number(text) : text;
  });

/** What a step got, and what it has to have got; keeps what later steps name. */
async function run({ call, by, body, headers = {}, status = 200, reads = {}, keeps }: Step) {
  const [method = "", path = ""] = filled(call).split(" ");
  const { status: got, body: answer } = await server.client().send(method, path, {
    ...(body === undefined ? {} : { body: filledBody(body) }),
    headers: { ...HEADERS[by](), ...headers },
  });
  const read = answer as unknown as Body;
  if (got === status) for (const [name, value] of Object.entries(keeps?.(read) ?? {})) known[name] = String(value);
  return { told: { call, status: got, answer: read }, wanted: { call, status, answer: reads } };
}

describe("requests of programs for this API family", () => {
  test.each([...PROGRAM_SEQUENCES, ...APP_SEQUENCES])("$tool ($source)", async ({ steps }) => {
    for (const step of steps) {
      const { told, wanted } = await run(step);
      expect(told).toMatchObject(wanted);
    }
  });
});

test.each([
  ["/console/log?p=2", "/log?p=2"],
  ["/console/personal", "/personal"],
  ["/console/topup", "/topup"],
  ["/console/token", "/token"],
  ["/console/channel", "/channel"],
])("the address %s of other consoles leads to our page", async (path, ours) => {
  const answer = await fetch(server.app.url + path, { redirect: "manual" });
  expect([answer.status, answer.headers.get("location")]).toEqual([302, ours]);
});

test("an address whose base ends in a slash reaches the model list, not the console", async () => {
  const answer = await fetch(`${server.app.url}//v1/models`, { headers: HEADERS.key() });
  expect(answer.headers.get("content-type")).toContain("application/json");
  expect(await answer.json()).toMatchObject({ data: anyList });
});
