/** Failures of streams: clients that disconnect, upstreams that die, frames cut anywhere, exhausted balances; what was delivered is charged. */
import { request as httpRequest } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { streamFrames } from "../fake-upstream/openai/answers.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { awakeMs } from "../support/clients/awake-clock.ts";
import { TEST_KEY, type TestRelay, newChannel, startTestRelay, until, withOptions } from "../support/relay/harness.ts";
import { MemoryBilling } from "../support/relay/memory-billing.ts";

let upstream: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  upstream = await startFakeUpstream();
  relay = await startTestRelay();
  relay.world.channels.push(newChannel({ baseUrl: upstream.url }));
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const chat = { model: "gpt-4o", messages: [{ role: "user", content: "hello" }] };
const streamed = { ...chat, stream: true };
const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 };
const receipt = () => JSON.parse(relay.billing.rows.at(-1)?.other ?? "{}") as Record<string, unknown>;

/** A call that can be left at any moment. */
function open(body: unknown): Promise<{ request: ClientRequest; response: IncomingMessage; text(): string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      `${relay.url}/v1/chat/completions`,
      { method: "POST", headers: { authorization: `Bearer ${TEST_KEY}` } },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => void (text += part));
        response.on("error", () => undefined);
        resolve({ request, response, text: () => text });
      },
    );
    request.on("error", reject);
    request.end(JSON.stringify(body));
  });
}

const contentOf = (text: string): string =>
  text
    .split("\n\n")
    .filter((event) => event.startsWith("data: {"))
    .map(
      (event) =>
        (JSON.parse(event.slice(6)) as { choices?: { delta: { content?: string } }[] }).choices?.[0]?.delta.content ??
        "",
    )
    .join("");

test("a client that disconnects aborts the upstream at once and pays for what was delivered", async () => {
  upstream.plan({ text: "word ".repeat(200), chunks: 200, chunkDelayMs: 10, usage });
  const { request, text } = await open(streamed);
  await until(() => contentOf(text()).length > 20);
  const leftAtMs = awakeMs();
  request.destroy();
  await until(() => upstream.requests[0]?.wasAborted === true);
  expect(awakeMs() - leftAtMs).toBeLessThan(250);
  await until(() => relay.billing.settlements.length === 1);
  expect(relay.billing.settlements[0]?.completionTokens).toBeGreaterThanOrEqual(5);
  expect(relay.billing.settlements[0]?.completionTokens).toBeLessThan(100);
  expect(receipt()).toMatchObject({ estimated: true, rule: "client_left" });
  expect(relay.billing.held).toBe(0);
});

test("a client that disconnects before the first token pays nothing", async () => {
  upstream.plan({ neverAnswers: true });
  const waiting = open(streamed).catch(() => undefined);
  await until(() => upstream.count === 1);
  const request = httpRequest(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${TEST_KEY}` },
  });
  request.on("error", () => undefined);
  request.end(JSON.stringify(chat));
  await until(() => upstream.count === 2);
  request.destroy();
  await until(() => upstream.requests[1]?.wasAborted === true);
  await until(() => relay.billing.voids === 1);
  expect(relay.billing.settlements).toHaveLength(0);
  void waiting;
});

test("after a client disconnects behind the finish, the usage is awaited for up to half a second", async () => {
  const hasLeft = Promise.withResolvers<void>();
  const isUsage = (frame: string): boolean => frame.includes('"total_tokens"');
  let isFinished = false;
  const beforeFrame = async (frame: string): Promise<void> => {
    if (!isUsage(frame)) return;
    isFinished = true;
    await hasLeft.promise;
  };
  upstream.plan({ text: "a b c", chunks: 3, usage, beforeFrame });
  const { request } = await open(streamed);
  await until(() => isFinished);
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 150));
  // The finish is on its way to the relay, which keeps it back; then the leaving is.
  await pause();
  request.destroy();
  await pause();
  expect(relay.billing.settlements).toHaveLength(0);
  hasLeft.resolve();
  await until(() => relay.billing.settlements.length === 1);
  expect(relay.billing.settlements[0]).toMatchObject({ promptTokens: 10, completionTokens: 20 });
});

test("an upstream that dies mid-stream gives an error event, no [DONE], and a partial charge", async () => {
  upstream.plan({ text: "some words that were delivered", chunks: 5, cutAtByte: 900 });
  const text = await (await relay.post("/v1/chat/completions", streamed)).text();
  const delivered = contentOf(text);
  expect(delivered.length).toBeGreaterThan(0);
  expect("some words that were delivered".startsWith(delivered)).toBe(true);
  expect(text).not.toContain("[DONE]");
  expect(text).toMatch(
    /data: \{"error":\{"message":".*\(request id: req-test-1\)","type":"server_error","param":null,"code":"upstream_broken"\}\}\n\n$/,
  );
  expect(relay.billing.settlements).toHaveLength(1);
  expect(relay.billing.settlements[0]?.charge).toBeGreaterThan(0);
  expect(receipt()).toMatchObject({ estimated: true, rule: "upstream_broke_delivered" });
});

test("an upstream that ends cleanly without finishing is not passed off as whole", async () => {
  upstream.plan({
    text: "half an answ",
    chunks: 3,
    chunkDelayMs: 10,
    finishReason: null,
    sendsDone: false,
    usage: null,
  });
  const text = await (await relay.post("/v1/chat/completions", streamed)).text();
  expect(text).not.toContain("[DONE]");
  expect(text).toContain("upstream_broken");
  expect(relay.billing.settlements).toHaveLength(1);
});

test("silence inside a stream ends it by the idle timer", async () => {
  const { world } = relay;
  await relay.close();
  relay = await startTestRelay({ world, timeouts: { idleMs: 400 } });
  upstream.plan({ text: "a b c d", chunks: 4, cutAtByte: 700, cutBy: "halt" });
  const text = await (await relay.post("/v1/chat/completions", streamed)).text();
  expect(text).toContain('"code":"upstream_broken"');
  expect(text).toContain("fell silent");
});

test("an error frame inside a stream reaches the client as an error, redacted", async () => {
  const frames = streamFrames(
    { model: "m", pieces: ["a", "b"], reasoning: [], finishReason: null, usage: null },
    true,
    false,
  );
  const error = { message: "boom at https://internal.example/x", type: "server_error", code: "boom" };
  upstream.plan({ rawBody: [...frames, `data: ${JSON.stringify({ error })}\n\n`] });
  const text = await (await relay.post("/v1/chat/completions", streamed)).text();
  expect(contentOf(text)).toBe("ab");
  expect(text).toContain('"code":"boom"');
  expect(text).not.toContain("internal.example");
  expect(text).not.toContain("[DONE]");
});

const EVENTS = streamFrames(
  {
    model: "gpt-4o",
    pieces: ["Grüße ", "你好 ", "🙂", ' "quoted" \\ and\n'],
    reasoning: ["hm"],
    finishReason: "stop",
    usage,
  },
  true,
  true,
).join("");
const WHOLE = `${EVENTS}data: [DONE]\n\n`;

test("frames cut at every byte offset give byte-identical text", async () => {
  const bytes = Buffer.from(WHOLE);
  const body = { ...streamed, stream_options: { include_usage: true } };
  for (const size of [1, 2, 3, 7, 64, 1000]) {
    upstream.plan({ rawBody: bytes, contentType: "text/event-stream", pieceBytes: size });
    expect(await (await relay.post("/v1/chat/completions", body)).text()).toBe(WHOLE);
  }
  expect(relay.billing.settlements.every(({ charge }) => charge === 113)).toBe(true);
});

test("a stream cut off at any byte after its first token is charged, and never looks complete", async () => {
  const bytes = Buffer.from(WHOLE);
  const firstWord = bytes.indexOf("\n\n", bytes.indexOf("hm")) + 2;
  const finish = bytes.indexOf('"finish_reason":"stop"');
  for (let cut = 3; cut < bytes.length; cut += 41) {
    upstream.plan({ rawBody: bytes, contentType: "text/event-stream", cutAtByte: cut });
    const before = relay.billing.settlements.length;
    const text = await (await relay.post("/v1/chat/completions", streamed)).text();
    if (cut < finish) expect(text).not.toContain("[DONE]");
    // If the cut came in the same tick as the text, none of it was sent: then it is an error and free.
    if (contentOf(text) !== "" || text.includes('"hm"')) expect(relay.billing.settlements.length).toBe(before + 1);
    else expect(relay.billing.settlements.length === before || cut >= firstWord).toBe(true);
  }
  expect(relay.billing.settlements.every(({ charge }) => charge > 0)).toBe(true);
  expect(relay.billing.held).toBe(0);
});

test("a fuzzed stream never crashes it, and every hold ends", async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...EVENTS.split(/(?<=\n)/),
      "data: [DONE]\n\n",
      "data:",
      "\n",
      "\r\n",
      '{"usage":{',
      '"finish_reason":"',
      "\u0000",
    ),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 1, max: 60 }), async (pieces, size) => {
      upstream.plan({ rawBody: pieces.join(""), contentType: "text/event-stream", pieceBytes: size });
      const answer = await relay.post("/v1/chat/completions", streamed);
      await answer.text();
      expect([200, 502]).toContain(answer.status === 200 ? 200 : 502);
      expect(relay.billing.held).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test("usage that never came is estimated, flagged, and given to a client that asked", async () => {
  upstream.plan({ text: "on ".repeat(100).trimEnd(), chunks: 4, usage: null });
  const text = await (
    await relay.post("/v1/chat/completions", { ...streamed, stream_options: { include_usage: true } })
  ).text();
  expect(text).toMatch(
    /"choices":\[\],"usage":\{"prompt_tokens":\d+,"completion_tokens":100,"total_tokens":\d+\}\}\n\ndata: \[DONE\]\n\n$/,
  );
  expect(receipt()).toMatchObject({ estimated: true });
  expect(relay.billing.settlements[0]?.completionTokens).toBe(100);
});

test("text that an upstream counted as none is charged all the same", async () => {
  upstream.plan({
    text: "on ".repeat(100).trimEnd(),
    usage: { prompt_tokens: 5, completion_tokens: 0, total_tokens: 5 },
  });
  await (await relay.post("/v1/chat/completions", streamed)).text();
  upstream.plan({ text: "on ".repeat(100).trimEnd(), usage: null });
  await (await relay.post("/v1/chat/completions", chat)).text();
  upstream.plan({
    text: "on ".repeat(100).trimEnd(),
    usage: { prompt_tokens: -3, completion_tokens: -7, total_tokens: 0 },
  });
  await (await relay.post("/v1/chat/completions", chat)).text();
  expect(relay.billing.settlements.map(({ completionTokens }) => completionTokens)).toEqual([100, 100, 100]);
});

test("a stream that outgrows its hold extends it, and ends with an error where the balance does", async () => {
  withOptions(relay.world, { PreConsumedQuota: 20 });
  upstream.plan({ text: "word ".repeat(100), chunks: 100, usage });
  await (await relay.post("/v1/chat/completions", streamed)).text();
  expect(relay.billing.settlements[0]).toMatchObject({ charge: 113 });
  await relay.close();
  relay = await startTestRelay({ world: relay.world, billing: new MemoryBilling(350) });
  upstream.plan({ text: "word ".repeat(400), chunks: 400, chunkDelayMs: 1, usage });
  const text = await (await relay.post("/v1/chat/completions", streamed)).text();
  expect(text).toContain('"code":"quota_reached"');
  expect(text).not.toContain("[DONE]");
  expect(receipt()).toMatchObject({ rule: "quota_reached" });
  expect(relay.billing.balance).toBeGreaterThanOrEqual(-50);
  await until(() => upstream.requests.at(-1)?.wasAborted === true);
});

test.each([
  ["in memory know at once", { extend: (): boolean => false, isHealthy: false }],
  [
    "in a database do not answer",
    { extend: () => Promise.resolve(false), available: () => Promise.reject(new Error("the database is away")) },
  ],
] as const)(
  "a stream that ends because the books are away says so, and not that the balance ended: books that %s",
  async (_name, books) => {
    withOptions(relay.world, { PreConsumedQuota: 20 });
    upstream.plan({ text: "word ".repeat(400), chunks: 400, chunkDelayMs: 1, usage });
    const asked = relay.post("/v1/chat/completions", streamed);
    await until(() => relay.billing.holds.size === 1);
    Object.assign(relay.billing, books);
    const text = await (await asked).text();
    expect(text).toContain('"code":"books_unavailable"');
    expect(text).not.toContain("quota");
    expect(receipt()).toMatchObject({ rule: "gateway_broke_delivered" });
    expect(relay.health.hasRecords).toBe(false);
  },
);

test("pings keep a waiting client's stream open, before the head and between frames", async () => {
  withOptions(relay.world, {
    "general_setting.ping_interval_enabled": true,
    "general_setting.ping_interval_seconds": 0.05,
  });
  upstream.plan({ text: "a b", chunks: 2, headerDelayMs: 180, chunkDelayMs: 120, usage });
  const text = await (await relay.post("/v1/chat/completions", streamed)).text();
  expect(text.startsWith(": PING\n\n")).toBe(true);
  expect(text.indexOf(": PING", text.indexOf('"content":"a'))).toBeGreaterThan(0);
  expect(contentOf(text)).toBe("a b");
  upstream.plan({ status: 500, error: { message: "late" }, headerDelayMs: 180 });
  const failed = await (await relay.post("/v1/chat/completions", streamed)).text();
  expect(failed).toMatch(/^(?:: PING\n\n)+data: \{"error":/);
});

test("a slow reader stops the upstream instead of filling memory", async () => {
  upstream.plan({ text: "x".repeat(30_000_000), chunks: 600, usage });
  const { response, request } = await open(streamed);
  response.pause();
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(upstream.openCount).toBe(1);
  response.resume();
  await new Promise((resolve) => response.on("end", resolve));
  request.destroy();
  expect(relay.billing.settlements).toHaveLength(1);
});

test("compressed answers are read, whole and streamed", async () => {
  upstream.plan({ isGzipped: true, usage, text: "squeezed" });
  const answer = await relay.post("/v1/chat/completions", chat);
  expect(await answer.text()).toContain("squeezed");
  expect(answer.headers.get("content-encoding")).toBeNull();
  expect(relay.billing.settlements[0]).toMatchObject({ charge: 113 });
});

test("two hundred streams at once all end, each charged once, with nothing retained", async () => {
  upstream.plan({ text: "one two three", chunks: 6, chunkDelayMs: 5, usage });
  const texts = await Promise.all(
    Array.from({ length: 200 }, () => relay.post("/v1/chat/completions", streamed).then((answer) => answer.text())),
  );
  expect(texts.every((text) => text.endsWith("data: [DONE]\n\n"))).toBe(true);
  expect(new Set(relay.billing.settlements.map(({ requestId }) => requestId)).size).toBe(200);
  expect([relay.billing.held, relay.metrics.openCalls]).toEqual([0, 0]);
});

test("the empty usage that forcing it brings is hidden from a client that did not ask, and from no other byte by byte", async () => {
  const parts = { model: "m", pieces: ["a", "b"], reasoning: [], finishReason: "stop", usage: { prompt_tokens: 1 } };
  const done = "data: [DONE]\n\n";
  const withUsage = streamFrames(parts, true, true);
  const plain = streamFrames(parts, true, false);
  expect(withUsage[0]).toContain('"usage":null');
  upstream.plan({ rawBody: [...withUsage, done] });
  expect(await (await relay.post("/v1/chat/completions", streamed)).text()).toBe(plain.join("") + done);
  const asking = { ...streamed, stream_options: { include_usage: true } };
  expect(await (await relay.post("/v1/chat/completions", asking)).text()).toBe(withUsage.join("") + done);
});
