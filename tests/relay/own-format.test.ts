/** The provider interface: a provider with a format, tokens, calls and transports of its own in one definition. */
import { createHmac } from "node:crypto";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { DEFAULT_RATIOS, type ModelPrice } from "../../contract/src/pricing/pricing.ts";
import { BUILT_IN_PROVIDERS, providerRegistry } from "../../server/src/providers/registry.ts";
import { CLIENT_FORMATS, eventsIn, fieldsOf, wordsIn } from "../support/clients/client-formats.ts";
import { endOf } from "../support/clients/stream-grammar.ts";
import { silence } from "../../server/src/relay/probe-questions.ts";
import { TEST_KEY, type TestRelay, newChannel, newWorld, startTestRelay } from "../support/relay/harness.ts";
import { zenith } from "../support/more-providers/zenith.ts";

const ZENITH = 4713;
const PRICE: ModelPrice = { kind: "per_token", ...DEFAULT_RATIOS, ratio: "1", completionRatio: "1" };

interface Seen {
  path: string;
  token: string;
  signature: string;
  body: Buffer;
  type: string;
}

let relay: TestRelay;
let server: ReturnType<typeof createServer>;
let seen: Seen[] = [];
let exchanges = 0;
let goodToken = "";
/** What the next chat is answered instead. */
let fault = "";
/** Added to the Date header, in milliseconds. */
let clockMs = 0;
let asked = 0;

const LINES = [{ text: "hel" }, { text: "lo" }, { text: "", tokens: 7, last: true }];

function answer(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
  const path = request.url ?? "";
  const send = (value: object, status = 200) => {
    response.setHeader("date", new Date(Date.now() + clockMs).toUTCString());
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  };
  if (path.startsWith("/token")) {
    exchanges += 1;
    goodToken = `token-${exchanges}`;
    return send({ token: goodToken });
  }
  const header = (name: string) => String(request.headers[name] ?? "");
  seen.push({
    path,
    body,
    token: header("authorization"),
    signature: header("x-signature"),
    type: header("content-type"),
  });
  if (header("authorization") !== goodToken) return send({ fault: "token_expired" });
  if (clockMs !== 0) return send({ message: "the signature is too old" }, 403);
  if (fault !== "") return send({ fault });
  if (path.startsWith("/vectors")) return send({ vectors: [[1, 2]], counted: 3 });
  if (path === "/draw") return send({ task: "t1" });
  if (path === "/task/t1") return send((asked += 1) < 3 ? { task: "t1" } : { url: "https://a.example/cat.png" });
  if (path === "/speak") return send({ audio: Buffer.from("sound").toString("hex") });
  if (path.startsWith("/listen")) return send({ result: { text: `${body.length} bytes` } });
  if (JSON.parse(body.toString()).streamed !== true) return send({ text: "hello", tokens: 7 });
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  for (const line of LINES) response.write(`${JSON.stringify(line)}\n`);
  response.end();
}

beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => answer(request, Buffer.concat(parts), response));
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket, head) => {
    if (request.headers["authorization"] !== goodToken) {
      socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 25\r\n\r\n{"fault":"token_expired"}');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on("message", (data: Buffer) => {
        seen.push({ path: "socket", token: "", signature: "", body: data, type: "" });
        for (const line of LINES) opened.send(JSON.stringify(line));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const providers = providerRegistry([...BUILT_IN_PROVIDERS, zenith]);
  relay = await startTestRelay({ world: newWorld({ prices: new Map() }), providers });
  const models = ["zenith-1", "socket", "dall-e-3", "tts-1", "whisper-1"];
  for (const model of models) relay.world.prices.set(model, PRICE);
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  relay.world.channels = [newChannel({ type: ZENITH, baseUrl, key: "id-1|secret-of-zenith", models: new Set(models) })];
});
afterAll(async () => {
  await relay.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  [seen, fault, clockMs, asked] = [[], "", 0, 0];
  relay.billing.settlements = [];
  relay.disabled.length = 0;
  relay.health.succeeded(1, performance.now());
});

const usages = () =>
  relay.billing.settlements.map(({ log }) => fieldsOf(fieldsOf(JSON.parse(log?.other ?? "{}"))["usage"]));

describe("chat in a vendor's own format", () => {
  test.each(CLIENT_FORMATS.map((format) => [format.name, format] as const))(
    "answers a client of %s, whole and as a stream of lines",
    async (_, format) => {
      const whole = await relay.post(format.path("zenith-1", false), format.body("zenith-1", false, "hi"));
      expect(format.wholeWords(fieldsOf(await whole.json()))).toBe("hello");
      const streamed = await relay.post(format.path("zenith-1", true), format.body("zenith-1", true, "hi"));
      const events = eventsIn(await streamed.text());
      expect([endOf(format, events), wordsIn(format, events)]).toEqual(["whole", "hello"]);
      expect(usages()).toMatchObject([
        { inputTokens: 7, outputTokens: 2 },
        { inputTokens: 7, outputTokens: 2 },
      ]);
      expect(seen.map(({ path, body }) => [path, JSON.parse(body.toString())])).toEqual([
        ["/chat", { say: ["hi"], streamed: false }],
        ["/chat", { say: ["hi"], streamed: true }],
      ]);
    },
  );

  test("is signed over the bytes that are sent", async () => {
    await relay.post("/v1/chat/completions", { model: "zenith-1", messages: [{ role: "user", content: "hi" }] });
    const expected = createHmac("sha256", "secret-of-zenith")
      .update(seen[0]?.body ?? "")
      .digest("hex");
    expect(seen[0]?.signature).toBe(expected);
  });

  test("travels as the message of a WebSocket, whole and as a stream", async () => {
    for (const stream of [false, true]) {
      const body = { model: "socket", stream, messages: [{ role: "user", content: "hi" }] };
      const text = await (await relay.post("/v1/chat/completions", body)).text();
      if (stream) expect(text).toContain("data: [DONE]");
      else expect(fieldsOf(JSON.parse(text))).toMatchObject({ choices: [{ message: { content: "hello" } }] });
    }
    expect(seen.map(({ path }) => path)).toEqual(["socket", "socket"]);
    expect(usages()).toMatchObject([{ inputTokens: 7 }, { inputTokens: 7 }]);
  });

  test("that fails with a status of success is a failure with its own status", async () => {
    fault = "busy";
    for (const stream of [false, true]) {
      const body = { model: "zenith-1", stream, messages: [{ role: "user", content: "hi" }] };
      expect((await relay.post("/v1/chat/completions", body)).status).toBe(503);
    }
    expect(relay.billing.settlements).toEqual([]);
  });
});

const chat = () =>
  relay.post("/v1/chat/completions", { model: "zenith-1", messages: [{ role: "user", content: "hi" }] });

describe("a token in exchange for the key", () => {
  test("that has ended is renewed, and the call repeated once", async () => {
    await chat();
    const before = exchanges;
    goodToken = "another";
    expect((await chat()).status).toBe(200);
    expect([exchanges - before, seen.at(-1)?.token]).toEqual([1, goodToken]);
  });

  test("that is refused anew is not asked for a third time", async () => {
    fault = "token_expired";
    expect((await chat()).status).toBe(502);
    expect(seen.length).toBe(2);
  });

  test("also over a WebSocket", async () => {
    await chat();
    goodToken = "another";
    const body = { model: "socket", messages: [{ role: "user", content: "hi" }] };
    expect((await relay.post("/v1/chat/completions", body)).status).toBe(200);
  });

  test("is exchanged once for 50 calls at once", async () => {
    goodToken = "another";
    await chat();
    const before = exchanges;
    await Promise.all(Array.from({ length: 50 }, () => chat()));
    expect(exchanges).toBe(before);
  });
});

test("clock skew is reported with its size, and disables no channel", async () => {
  await chat();
  clockMs = 5 * 60_000;
  const answered = await chat();
  expect(answered.status).toBe(502);
  const reason = relay.billing.rows.at(-1)?.other ?? "";
  expect(reason).toMatch(/the clock of this server is (?:299|300|301) s behind the upstream's/);
  expect(relay.disabled).toEqual([]);
});

test("a key without its parts is refused before anything is sent", async () => {
  const [channel] = relay.world.channels;
  relay.world.channels = [newChannel({ ...channel, key: "only-one-part" })];
  expect((await chat()).status).toBe(502);
  expect(seen).toEqual([]);
  relay.world.channels = channel === undefined ? [] : [channel];
});

describe("calls beside chat in a vendor's own format", () => {
  test("vectors, also for a client of Gemini", async () => {
    const body = { model: "zenith-1", input: ["a"], user: "u" };
    const answered = await relay.post("/v1/embeddings", body);
    expect(await answered.json()).toMatchObject({ data: [{ embedding: [1, 2] }], usage: { prompt_tokens: 3 } });
    expect(answered.headers.get("turnpike-warnings")).toContain("user");
    const gemini = await relay.post("/v1beta/models/zenith-1:embedContent", { content: { parts: [{ text: "a" }] } });
    expect(await gemini.json()).toMatchObject({ embedding: { values: [1, 2] } });
    expect(usages()).toMatchObject([{ inputTokens: 3 }, { inputTokens: 3 }]);
  });

  test("pictures that are asked for until they are there", async () => {
    const answered = await relay.post("/v1/images/generations", { model: "dall-e-3", prompt: "a cat" });
    expect(await answered.json()).toMatchObject({ data: [{ url: "https://a.example/cat.png" }] });
    expect(seen.map(({ path }) => path)).toEqual(["/draw", "/task/t1", "/task/t1", "/task/t1"]);
    expect(relay.billing.settlements.length).toBe(1);
  });

  test("speech that comes inside JSON", async () => {
    const answered = await relay.post("/v1/audio/speech", { model: "tts-1", input: "hi", voice: "alloy" });
    expect([answered.headers.get("content-type"), await answered.text()]).toEqual(["audio/mpeg", "sound"]);
  });

  test("recordings that go as bytes", async () => {
    const form = new FormData();
    form.set("model", "whisper-1");
    form.set("file", new File([new Uint8Array(silence(1))], "a.wav", { type: "audio/wav" }));
    const headers = { authorization: `Bearer sk-${TEST_KEY}` };
    const answered = await fetch(`${relay.url}/v1/audio/transcriptions`, { method: "POST", headers, body: form });
    expect(await answered.json()).toEqual({ text: `${silence(1).length} bytes` });
    expect(seen[0]).toMatchObject({ path: "/listen?model=whisper-1", type: "audio/wav" });
  });
});
