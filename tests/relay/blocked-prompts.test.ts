/** Prompts that Google refuses before a model sees them: charged by the vendor's count, and nothing if it counts nothing. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { DEFAULT_RATIOS, type ModelPrice } from "../../contract/src/pricing/pricing.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { type TestRelay, newChannel, newWorld, startTestRelay } from "../support/relay/harness.ts";

const PRICE: ModelPrice = { kind: "per_token", ...DEFAULT_RATIOS, ratio: "1", completionRatio: "4" };
const GEMINI = 24;

let upstream: FakeUpstream;
let relay: TestRelay;

beforeAll(async () => {
  upstream = await startFakeUpstream();
  relay = await startTestRelay({ world: newWorld({ prices: new Map([["gemini-3-flash", PRICE]]) }) });
  relay.world.channels = [newChannel({ type: GEMINI, baseUrl: upstream.url, models: new Set(["gemini-3-flash"]) })];
});
afterAll(async () => {
  await relay.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.reset();
  relay.billing.settlements = [];
});

const blocked = (usageMetadata: object | undefined, blockReason: string): string =>
  JSON.stringify({
    promptFeedback: { blockReason, blockReasonMessage: "The prompt violated the floor settings." },
    ...(usageMetadata === undefined ? {} : { usageMetadata }),
    modelVersion: "gemini-3-flash",
    responseId: "blocked-1",
  });

const text = "Tell me how, with all the steps and nothing left out.";
const native = { contents: [{ role: "user", parts: [{ text }] }] };
const chat = { model: "gemini-3-flash", messages: [{ role: "user", content: text }] };
const CLIENTS = [
  ["Gemini", "/v1beta/models/gemini-3-flash:generateContent", native, false],
  ["Gemini", "/v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse", native, true],
  ["chat completions", "/v1/chat/completions", chat, false],
  ["chat completions", "/v1/chat/completions", { ...chat, stream: true }, true],
] as const;
/** Model Armor's count is the first, recorded at Vertex AI. */
const COUNTS = [
  ["no token", { trafficType: "ON_DEMAND" }, "MODEL_ARMOR", 0],
  ["nothing at all", undefined, "PROHIBITED_CONTENT", 0],
  ["the prompt", { promptTokenCount: 11, totalTokenCount: 11 }, "SAFETY", 11],
] as const;

test.each(
  CLIENTS.flatMap(([client, path, body, streams]) =>
    COUNTS.map(([what, usage, reason, charge]) => ({ client, path, body, streams, what, usage, reason, charge })),
  ),
)(
  "a prompt that was blocked ($reason) and counted as $what costs a client of $client $charge, stream: $streams",
  async ({ path, body, streams, usage, reason, charge }) => {
    const answer = blocked(usage, reason);
    upstream.plan(
      streams ? { rawBody: `data: ${answer}\r\n\r\n`, contentType: "text/event-stream" } : { rawBody: answer },
    );
    const response = await relay.post(path, body);
    expect([response.status, await response.text()]).toEqual([
      200,
      expect.stringMatching(/blockReason|content_filter/),
    ]);
    expect([relay.billing.settlements[0]?.charge, relay.billing.held]).toEqual([charge, 0]);
  },
);

test("an answer that the filter took away was written by the model: if it was not counted, it is estimated", async () => {
  const candidate = { content: { parts: [{ text: "Step one" }] }, finishReason: "MODEL_ARMOR", index: 0 };
  upstream.plan({ rawBody: JSON.stringify({ candidates: [candidate], usageMetadata: { trafficType: "ON_DEMAND" } }) });
  await (await relay.post("/v1/chat/completions", chat)).text();
  expect(relay.billing.settlements[0]?.charge).toBeGreaterThan(11);
});
