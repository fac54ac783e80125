/** Answers that crash a parser: the call ends, its client gets an error, the hold is released, and the process survives. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { type TestRelay, newChannel, startTestRelay } from "../support/relay/harness.ts";

let upstream: FakeUpstream;
let relay: TestRelay;

const start = async (options: Parameters<typeof startTestRelay>[0] = {}): Promise<void> => {
  relay = await startTestRelay({ isQuiet: true, ...options });
  relay.world.channels.push(newChannel({ baseUrl: upstream.url }));
};

beforeEach(async () => {
  upstream = await startFakeUpstream();
  await start();
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

/** Deeper than a reader that calls itself gets. */
const DEEP = "[".repeat(100_000) + "]".repeat(100_000);
const answer = (content: string, usage = ""): string =>
  `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":${content}},"finish_reason":"stop"}]${usage}}`;
const delta = (text: string): string => `data: {"id":"x","choices":[{"index":0,"delta":${text}}]}\n\n`;
const messages = [{ role: "user", content: "hi" }];
const CHAT = ["/v1/chat/completions", { model: "gpt-4o", messages }] as const;
const CLAUDE = ["/v1/messages", { model: "gpt-4o", messages, max_tokens: 5 }] as const;

describe("an answer that is nested without end", () => {
  test.each([
    ["words, to the client's own format", CHAT, answer(DEEP), false],
    ["words, to another format", CLAUDE, answer(DEEP), false],
    ["words, packed", CLAUDE, answer(DEEP), true],
    ["usage", CLAUDE, answer('"a"', `,"usage":{"prompt_tokens":5,"x":${DEEP}}`), false],
  ] as const)(
    "(%s) is a fault of the upstream, and nothing stays held",
    async (_what, [path, body], rawBody, isGzipped) => {
      upstream.plan({ rawBody, isGzipped });
      const { status } = await relay.post(path, body);
      expect([status, relay.billing.held, relay.billing.holds.size, relay.billing.settlements.length]).toEqual([
        502, 0, 0, 0,
      ]);
      expect((await relay.post(...CHAT)).status).toBe(502);
    },
  );
});

test.each([
  ["is no JSON though it ends like an object", 'data: {"choices":[{"delta":{"content":"x"}}\n\n'],
  ["is two objects", 'data: {"a":1}{"b":2}\n\n'],
  ["is no JSON behind the name of its event", "event: message\ndata: {oops}\n\n"],
])("an event that %s reaches no client: it gets an error that the answer broke off", async (_what, event) => {
  upstream.plan({ rawBody: [delta('{"content":"a"}'), event, "data: [DONE]\n\n"] });
  const text = await (await relay.post(CHAT[0], { ...CHAT[1], stream: true })).text();
  expect(text).toContain('"content":"a"');
  expect(text).toContain("bad_stream_event");
  expect(text).not.toContain(event.trim());
});

test.each([
  ["lines of one object", 'data: {"id":"x","choices":[{"index":0,\ndata: "delta":{"content":"b"}}]}\n\n'],
  ["a field behind the data", 'data: {"id":"x","choices":[{"index":0,"delta":{"content":"b"}}]}\nid: 7\n\n'],
  ["CRLF", 'data: {"id":"x","choices":[{"index":0,"delta":{"content":"b"}}]}\r\n\r\n'],
])("an event with %s is one like any other", async (_what, event) => {
  upstream.plan({ rawBody: [delta('{"content":"a"}'), event, delta('{},"finish_reason":"stop"'), "data: [DONE]\n\n"] });
  const text = await (await relay.post(CHAT[0], { ...CHAT[1], stream: true })).text();
  expect(text).toContain(event.trim());
  expect(text).not.toContain("error");
});

test("what closes an answer counts as memory until the charge is committed", async () => {
  await relay.close();
  await start({ limits: { sseBudgetBytes: 100_000 } });
  const closing = `data: {"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"pad":"${"x".repeat(1_000)}"}\n\n`;
  const stream = { ...CHAT[1], stream: true };
  const finishes = Array.from({ length: 200 }, () => closing);
  upstream.plan({ rawBody: [delta('{"content":"a"}'), finishes.join(""), "data: [DONE]\n\n"] });
  expect(await (await relay.post(CHAT[0], stream)).text()).toContain("over_capacity");
  upstream.plan({ rawBody: [delta('{"content":"a"}'), finishes.slice(0, 20).join(""), "data: [DONE]\n\n"] });
  for (let count = 0; count < 10; count += 1)
    expect(await (await relay.post(CHAT[0], stream)).text()).toContain("[DONE]");
});

test("a fault while a charge is put together gives the hold back", async () => {
  relay.world.options = {
    ...relay.world.options,
    get LogConsumeEnabled(): boolean {
      throw new Error("cannot be read");
    },
  };
  expect((await relay.post(...CHAT)).status).toBe(500);
  expect([relay.billing.holds.size, relay.billing.settlements.length]).toEqual([0, 0]);
});
