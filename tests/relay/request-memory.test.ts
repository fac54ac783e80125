/** Memory for request bodies: callers are authenticated before their body is read, each has a share, and memory is released once it is not needed. */
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import {
  TEST_KEY,
  type TestRelay,
  newChannel,
  newToken,
  newUser,
  startTestRelay,
  until,
  withOptions,
} from "../support/relay/harness.ts";

const MIB = 1_048_576;
const NEIGHBOUR_KEY = "b".repeat(48);

let upstream: FakeUpstream;
let relay: TestRelay;
let open: ClientRequest[] = [];

const start = async (options: Parameters<typeof startTestRelay>[0] = {}): Promise<void> => {
  relay = await startTestRelay({ limits: { bodyBytes: 8 * MIB, sseBudgetBytes: 64 * MIB }, ...options });
  relay.world.channels.push(newChannel({ baseUrl: upstream.url, models: new Set(["gpt-4o", "o3-mini"]) }));
  relay.world.users.push(newUser({ id: 2, username: "neighbour" }));
  relay.world.tokens.set(NEIGHBOUR_KEY, newToken({ id: 2, userId: 2 }));
};

beforeEach(async () => {
  upstream = await startFakeUpstream();
  await start();
});

afterEach(async () => {
  for (const request of open) request.destroy();
  open = [];
  await relay.close();
  await upstream.close();
});

const prompt = (bytes: number, more: object = {}): string =>
  JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "x".repeat(bytes) }], ...more });

interface Answered {
  status: number;
  text: string;
}

/** Sends the head and some of the body, without the rest. */
function unfinished(
  sent: string | Buffer,
  headers: Record<string, string | number>,
  key = TEST_KEY,
): Promise<Answered> {
  return new Promise((resolve) => {
    const request = httpRequest(
      `${relay.url}/v1/chat/completions`,
      {
        method: "POST",
        headers: { authorization: `Bearer sk-${key}`, "content-type": "application/json", ...headers },
      },
      (response: IncomingMessage) => {
        let text = "";
        response.on("data", (part: Buffer) => void (text += part.toString()));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        response.on("error", () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    request.on("error", () => undefined);
    request.write(sent);
    open.push(request);
  });
}

const asNeighbour = (body: string): Promise<Response> =>
  relay.post("/v1/chat/completions", body, { authorization: `Bearer sk-${NEIGHBOUR_KEY}` });

test.each([
  ["a wrong key", { authorization: "Bearer sk-wrong" }, 401],
  ["no key", { authorization: "" }, 401],
])("a stranger with %s is answered before a byte of the body is there", async (_what, headers, status) => {
  const answer = await unfinished("{", { ...headers, "content-length": 8 * MIB });
  expect(answer.status).toBe(status);
  expect(relay.takenBytes()).toBe(0);
});

test("unfinished bodies of one user do not use up the memory of others, whose calls are answered", async () => {
  const beyond: Answered[] = [];
  for (let index = 0; index < 8; index += 1)
    void unfinished("x".repeat(7 * MIB), { "content-length": 8 * MIB }).then((answer) => beyond.push(answer));
  await until(() => beyond.length === 6);
  expect(beyond.map(({ status, text }) => [status, text.includes("request_memory_exceeded")])).toEqual(
    Array.from({ length: 6 }, () => [429, true]),
  );
  await until(() => relay.takenBytes() === 14 * MIB);
  expect((await asNeighbour(prompt(4 * MIB))).status).toBe(200);
});

test("a user without quota has a small share, and the error says so", async () => {
  relay.billing.balance = 0;
  const declared = await unfinished("{", { "content-length": 8 * MIB });
  expect([declared.status, declared.text]).toEqual([403, expect.stringContaining("insufficient_user_quota")]);
  const chunked = await unfinished(prompt(5 * MIB), { "transfer-encoding": "chunked" });
  expect([chunked.status, chunked.text]).toEqual([429, expect.stringContaining("request_memory_exceeded")]);
  const bomb = gzipSync(prompt(7 * MIB));
  const packed = await unfinished(bomb, { "content-encoding": "gzip", "content-length": bomb.length });
  expect(packed.status).toBe(429);
  await until(() => relay.takenBytes() === 0);
});

test("a large body of a user whose calls are used up is refused unread", async () => {
  withOptions(relay.world, {
    ModelRequestRateLimitEnabled: true,
    ModelRequestRateLimitCount: 0,
    ModelRequestRateLimitSuccessCount: 2,
    ModelRequestRateLimitDurationMinutes: 1,
  });
  expect((await relay.post("/v1/chat/completions", prompt(300_000))).status).toBe(200);
  expect((await relay.post("/v1/chat/completions", prompt(300_000))).status).toBe(200);
  const answer = await unfinished("{", { "content-length": 4 * MIB });
  expect([answer.status, answer.text]).toEqual([429, expect.stringContaining("rate_limit_exceeded")]);
});

test("a large body is refused unread while its sender's balance is unknown", async () => {
  relay.billing.available = () => Promise.reject(new Error("the database is away"));
  const answer = await unfinished("{", { "content-length": 4 * MIB });
  expect([answer.status, answer.text]).toEqual([503, expect.stringContaining("books_unavailable")]);
  expect((await relay.post("/v1/chat/completions", prompt(1_000))).status).toBe(200);
});

test("a large body that trickles is given up", async () => {
  await relay.close();
  await start({ bodyPauseMs: 400 });
  const answered = unfinished("x".repeat(300_000), { "content-length": 4 * MIB });
  const [request] = open;
  const trickle = setInterval(() => request?.write("x"), 50);
  try {
    expect((await answered).status).toBe(408);
  } finally {
    clearInterval(trickle);
  }
  await until(() => relay.takenBytes() === 0);
});

test("streams release their requests' memory with the first token, and more of them are admitted", async () => {
  const gate = Promise.withResolvers<void>();
  upstream.plan({
    text: "a b c",
    chunks: 3,
    beforeFrame: (frame) => (frame.includes(" c") ? gate.promise : Promise.resolve()),
  });
  const body = prompt(6 * MIB, { stream: true });
  const streams: Response[] = [];
  for (let index = 0; index < 8; index += 1) {
    const answer = await relay.post("/v1/chat/completions", body);
    expect(answer.status).toBe(200);
    streams.push(answer);
    await until(() => relay.takenBytes() < MIB);
  }
  gate.resolve();
  for (const stream of streams) expect(await stream.text()).toContain("[DONE]");
  expect(relay.billing.settlements).toHaveLength(8);
  expect(relay.takenBytes()).toBe(0);
});

/** Bytes of buffers that something still holds. */
async function heldBytes(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  // Memory outside of the heap is freed in a turn of its own.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  return process.memoryUsage().arrayBuffers;
}

test.each([
  ["that came in many pieces", 6 * MIB],
  ["that came in few", 40_000],
])("nothing holds a request %s once its stream has begun", async (_what, bytes) => {
  const word = 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n';
  let begun = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(word);
      begun += 1;
    });
  }).listen(0, "127.0.0.1");
  try {
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    relay.world.channels[0] = newChannel({ baseUrl: `http://127.0.0.1:${port}`, models: new Set(["gpt-4o"]) });
    const body = prompt(bytes, { stream: true });
    const before = await heldBytes();
    for (let index = 1; index <= 8; index += 1) {
      void unfinished(body, { "content-length": body.length });
      await until(() => begun === index && relay.takenBytes() < 1_000);
    }
    await expect.poll(async () => (await heldBytes()) - before).toBeLessThan(2 * bytes);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("what a receipt and a price name is still read after that", async () => {
  upstream.plan({ text: "a b c", chunks: 3 });
  const settings = { stream: true, reasoning_effort: "high", tools: [{ type: "function", function: { name: "f" } }] };
  const answer = await relay.post("/v1/chat/completions", prompt(100_000, { ...settings, model: "o3-mini" }));
  expect(await answer.text()).toContain("[DONE]");
  expect(JSON.parse(relay.billing.rows.at(-1)?.other ?? "{}")).toMatchObject({ reasoning_effort: "high" });
});

test("the copy for an upstream counts, and only the last of several", async () => {
  const second = await startFakeUpstream();
  try {
    withOptions(relay.world, { RetryTimes: 3 });
    relay.world.channels.push(newChannel({ id: 2, name: "second", baseUrl: second.url, priority: 10 }));
    for (const channel of relay.world.channels) channel.modelMapping = { "gpt-4o": "gpt-4o-mini" };
    second.plan({ status: 500 });
    const gate = Promise.withResolvers<void>();
    upstream.plan({ beforeHead: gate.promise });
    const waiting = relay.post("/v1/chat/completions", prompt(3 * MIB));
    await until(() => upstream.count === 1);
    expect([second.count, Math.round(relay.takenBytes() / MIB)]).toEqual([1, 6]);
    gate.resolve();
    expect((await waiting).status).toBe(200);
  } finally {
    await second.close();
  }
});
