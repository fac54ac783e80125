/** Memory that one upstream or one client can occupy is bounded, and is released however the call ends. */
import { gzipSync } from "node:zlib";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import type { Plan } from "../fake-upstream/plan.ts";
import { type ClientFormat, CLIENT_FORMATS, fieldsOf } from "../support/clients/client-formats.ts";
import { endOf, grammarFaults } from "../support/clients/stream-grammar.ts";
import { callStream, type StreamOutcome } from "../support/clients/streaming-client.ts";
import { UPSTREAM_FORMATS } from "../support/clients/upstream-formats.ts";
import { TEST_KEY, type TestRelay, type TestRelayOptions, until } from "../support/relay/harness.ts";
import { startRelayOfAllFormats } from "../support/relay/formats.ts";
import { IS_LONG } from "../support/soak/short-or-long.ts";

const MIB = 2 ** 20;
/** Of one line; the long form has the longest that an answer with pictures is known to have. */
const LINE_MIB = IS_LONG ? 20 : 5;

let upstream: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  upstream = await startFakeUpstream();
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const start = async (options: Pick<TestRelayOptions, "limits" | "timeouts"> = {}): Promise<void> =>
  void (relay = await startRelayOfAllFormats(upstream.url, options));

const modelOf = (place: number): string => UPSTREAM_FORMATS[place % UPSTREAM_FORMATS.length]?.model ?? "";

const call = (format: ClientFormat, model: string, isStream: boolean): Promise<StreamOutcome> =>
  callStream({ url: relay.url, key: TEST_KEY, format, model, isStream, text: "Go on." });

describe.each(CLIENT_FORMATS.map((format, place) => [format.name, format, place] as const))(
  "%s",
  (_name, format, place) => {
    // Translated ones are twice as much work, so two formats stand for four.
    const upstreams = place % 2 === 0 ? ["its own format", "another"] : ["its own format"];
    test.each(upstreams)(`a line of ${LINE_MIB} MB of %s goes through, streamed and whole`, async (which) => {
      await start();
      const text = "word ".repeat((LINE_MIB * MIB) / 5);
      const usage = { input_tokens: 3, output_tokens: 5, prompt_tokens: 3, completion_tokens: 5 };
      upstream.plan({ text, chunks: 1, usage: { ...usage, promptTokenCount: 3, candidatesTokenCount: 5 } });
      const model = modelOf(which === "another" ? place + 1 : place);
      const streamed = await call(format, model, true);
      expect([streamed.words === text, endOf(format, streamed.events)]).toEqual([true, "whole"]);
      const whole = await call(format, model, false);
      expect(format.wholeWords(fieldsOf(JSON.parse(whole.body))) === text).toBe(true);
      expect(relay.billing.settlements).toMatchObject([{ completionTokens: 5 }, { completionTokens: 5 }]);
    });

    test.each([true, false])(
      "a longer event than is allowed, before words %s, is a 502 where nothing was sent, and else an error event",
      async (isFirst) => {
        await start({ limits: { sseLineBytes: 6_000 } });
        const beforeFrame = async (frame: string): Promise<void> => {
          if (frame.includes("xxxx")) await new Promise((resolve) => setTimeout(resolve, 400));
        };
        const thinking = isFirst ? {} : { reasoning: "A thought that comes before." };
        upstream.plan({ text: "x".repeat(8_000), chunks: 1, beforeFrame, ...thinking });
        const { status, events } = await call(format, modelOf(place), true);
        // What opens a stream waits for its first token.
        expect(status).toBe(isFirst ? 502 : 200);
        if (!isFirst) expect([endOf(format, events), grammarFaults(format, events)]).toEqual(["error", []]);
        expect([relay.billing.held, relay.billing.settlements.length]).toEqual([0, isFirst ? 0 : 1]);
      },
    );
  },
);

test("bytes of unfinished events are released when clients disconnect, when events are too long and when streams break", async () => {
  await start({ limits: { sseLineBytes: 20_000, sseBudgetBytes: 60_000 } });
  const [format] = CLIENT_FORMATS;
  if (format === undefined) throw new Error("there is no client format");
  const word = 'data: {"choices":[{"index":0,"delta":{"content":"word "}}]}\n\n';
  const unfinished = `data: {"choices":[{"index":0,"delta":{"content":"${"x".repeat(9_000)}`;
  const ways: Plan[] = [
    { rawBody: [word, unfinished], endDelayMs: 1 },
    { rawBody: [word, unfinished, unfinished, unfinished] },
    { rawBody: [word, `data: {"error":{"message":"boom"}}\n\n${unfinished}`] },
  ];
  for (let round = 0; round < 30; round += 1) {
    upstream.plan(ways[round % ways.length] ?? {});
    const leaving = { leaves: (words: string) => round % 2 === 0 && words !== "" };
    await callStream({
      url: relay.url,
      key: TEST_KEY,
      format,
      model: modelOf(0),
      isStream: true,
      text: "Go on.",
      leaving,
    });
  }
  await until(() => relay.metrics.openCalls === 0);
  upstream.plan({ text: "z".repeat(15_000), chunks: 1 });
  expect(endOf(format, (await call(format, modelOf(0), true)).events)).toBe("whole");
});

test.each(UPSTREAM_FORMATS.slice(1).map(({ name, model }) => [name, model] as const))(
  "a log row has a bounded part of what its client and its upstream (%s) make as long as they like",
  async (_name, model) => {
    await start();
    const long = "n".repeat(MIB);
    const counts = { input_tokens: 3, output_tokens: 5, prompt_tokens: 3, completion_tokens: 5, promptTokenCount: 3 };
    upstream.plan({ usage: { ...counts, candidatesTokenCount: 5, junk: long } });
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`odd_${index}`, 1]));
    const messages = [{ role: "user", content: "hello" }];
    for (const odd of [{}, { [long]: 1 }, many, { service_tier: long, user: long }]) {
      const answer = await relay.post("/v1/chat/completions", { model, messages, ...odd });
      expect([answer.status, (await answer.text()).length > 0]).toEqual([200, true]);
    }
    for (const { other } of relay.billing.rows) expect(other.length).toBeLessThan(20_000);
    expect(relay.billing.settlements).toMatchObject(Array.from({ length: 4 }, () => ({ completionTokens: 5 })));
  },
);

test("an error whose body never ends is read by its status, at once or after a while", async () => {
  await start({ timeouts: { idleMs: 400 } });
  const [format] = CLIENT_FORMATS;
  if (format === undefined) throw new Error("there is no client format");
  for (const plan of [
    { status: 503, rawBody: "x".repeat(10 * MIB), pieceBytes: 50_000 },
    { status: 503, rawBody: "x".repeat(4_000), pieceBytes: 1, contentType: "text/plain" },
    { status: 503, rawBody: Array.from({ length: 1_000 }, () => "drip"), chunkDelayMs: 50 },
  ]) {
    upstream.plan(plan);
    const { status, tookMs } = await call(format, modelOf(0), false);
    expect([status, tookMs < 3_000]).toEqual([503, true]);
  }
  await until(() => upstream.openCount === 0);
});

/** A client that asks and then reads nothing. */
function deafClient(text: string): Promise<Socket> {
  const body = JSON.stringify({ model: "gpt-4o", ...JSON.parse(text), messages: [{ role: "user", content: "hi" }] });
  const { hostname, port } = new URL(relay.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.pause();
      const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TEST_KEY}\r\n`;
      socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      resolve(socket);
    });
    socket.on("error", () => undefined); // let go of by the relay
  });
}

test("a client that reads nothing stops its upstream, loses its connection after the idle time, and pays for what it was sent", async () => {
  await start({ timeouts: { idleMs: 700 } });
  const piece = `data: {"choices":[{"index":0,"delta":{"content":"${"x".repeat(100_000)}"}}]}\n\n`;
  upstream.plan({ rawBody: Array.from({ length: 600 }, () => piece), chunkDelayMs: 0 });
  const deaf = await Promise.all([1, 2, 3].map(() => deafClient('{"stream":true}')));
  await until(() => relay.billing.settlements.length === 3, 15_000);
  const tokens = relay.billing.settlements.map(({ completionTokens }) => completionTokens);
  // What fits into the buffers of three sockets, and far from the 15 million of the whole answer.
  for (const each of tokens) expect([each > 0, each < 5_000_000]).toEqual([true, true]);
  await until(() => upstream.openCount === 0 && relay.metrics.openCalls === 0);
  expect(relay.billing.held).toBe(0);
  for (const socket of deaf) socket.destroy();
});

test.each([
  ["in one piece", { model: "gpt-4o", messages: [{ role: "user", content: "x" }] }, "application/json"],
  [
    "of events for a client that asked for none",
    { model: "gpt-4o", messages: [{ role: "user", content: "x" }] },
    "text/event-stream",
  ],
])(
  "an answer %s that unpacks to more than one may have is 502, and the memory for all is there again",
  async (_what, body, contentType) => {
    await start({ limits: { sseLineBytes: 200 * MIB } });
    upstream.plan({
      rawBody: gzipSync(Buffer.alloc(70 * MIB, " ")),
      contentType,
      headers: { "content-encoding": "gzip" },
    });
    const answer = await relay.post("/v1/chat/completions", body);
    expect(answer.status).toBe(502);
    expect(relay.takenBytes()).toBe(0);
  },
);

test("a buffered answer that is not read counts as memory until its client is disconnected", async () => {
  await start({ timeouts: { idleMs: 3_000 }, limits: { sseBudgetBytes: 50 * MIB } });
  upstream.plan({ text: "x".repeat(20 * MIB), chunks: 1 });
  const deaf = await Promise.all([1, 2].map(() => deafClient('{"stream":false}')));
  await until(() => relay.billing.settlements.length === 2, 10_000);
  const [format] = CLIENT_FORMATS;
  if (format === undefined) throw new Error("there is no client format");
  const ask = async (): Promise<number> => (await call(format, modelOf(0), false)).status;
  expect(await ask()).toBe(503);
  await expect.poll(ask, { timeout: 10_000, interval: 200 }).toBe(200);
  for (const socket of deaf) socket.destroy();
});
