/** Prices and counts of a vendor's tools by more than the model: the tool's version, memory, sizes, the vendor's own way of counting. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DEFAULT_RATIOS } from "../../contract/src/pricing/pricing.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { type TestRelay, newChannel, newWorld, startTestRelay, withOptions } from "../support/relay/harness.ts";

let upstream: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  upstream = await startFakeUpstream({ validates: false });
  const world = newWorld({ channels: [newChannel({ baseUrl: upstream.url })] });
  relay = await startTestRelay({ world });
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

/** 100 + 10 x 4 tokens at ratio 1.25. */
const TOKEN_QUOTA = 175;
const SAID = { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text: "Done." }] };
const SEARCHED = { type: "web_search_call", id: "w", status: "completed", action: { type: "search", query: "c" } };
const COUNTED = { type: "code_interpreter_call", id: "c", status: "completed", container_id: "cntr_1", code: "1" };

/** A response in which one tool was called. */
const responseOf = (call: object): string =>
  JSON.stringify({
    id: "resp_1",
    object: "response",
    status: "completed",
    error: null,
    output: [call, SAID],
    usage: { input_tokens: 100, output_tokens: 10, total_tokens: 110 },
  });

const chargeOf = (): number | undefined => relay.billing.settlements[0]?.charge;
const receiptOf = (): unknown => JSON.parse(relay.billing.rows[0]?.other ?? "{}");

describe("what a price depends on beside the model", () => {
  test.each([
    ["web_search", 5000],
    ["web_search_2025_08_26", 5000],
    ["web_search_preview", 12_500],
    ["web_search_preview_2025_03_11", 12_500],
  ])("a search with the tool %s", async (type, quota) => {
    upstream.plan({ rawBody: responseOf(SEARCHED) });
    await relay.post("/v1/responses", { model: "gpt-4o", input: "search", tools: [{ type }] });
    expect(chargeOf()).toBe(TOKEN_QUOTA + quota);
  });

  test.each([
    [{ type: "code_interpreter", container: { type: "auto", memory_limit: "4g" } }, 60_000],
    [{ type: "code_interpreter", container: { type: "auto", memory_limit: "1g" } }, 15_000],
    [{ type: "code_interpreter", container: "cntr_1" }, 15_000],
    [{ type: "shell", environment: { type: "container_auto", memory_limit: "64g" } }, 960_000],
  ])("a container of %j", async (tool, quota) => {
    upstream.plan({ rawBody: responseOf(COUNTED) });
    await relay.post("/v1/responses", { model: "gpt-4o", input: "count", tools: [tool] });
    expect(chargeOf()).toBe(TOKEN_QUOTA + quota);
  });
});

describe("Gemini's searches", () => {
  const answer = {
    candidates: [
      {
        content: { role: "model", parts: [{ text: "Found." }] },
        finishReason: "STOP",
        groundingMetadata: { webSearchQueries: ["a", "b", "c"] },
      },
    ],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
  };

  test.each([
    ["gemini-2.5-flash", "gemini-2.5-flash", 1, 35],
    ["gemini-3.8-flash", "gemini-3.8-flash", 3, 14],
    ["gemini-fast", "gemini-2.5-flash", 1, 14],
  ])("%s, which is %s: three of them are %s calls", async (model, own, calls, price) => {
    const modelMapping = { [model]: own };
    relay.world.channels[0] = newChannel({ type: 24, baseUrl: upstream.url, models: new Set([model]), modelMapping });
    relay.world.prices.set(model, { kind: "per_call", price: "0" });
    upstream.plan({ rawBody: JSON.stringify(answer) });
    await relay.post(`/v1beta/models/${model}:generateContent`, {
      contents: [{ role: "user", parts: [{ text: "?" }] }],
    });
    expect(receiptOf()).toMatchObject({ web_search_call_count: calls, web_search_price: price });
    expect(chargeOf()).toBe(calls * price * 500);
  });
});

describe("a container that Claude's code ran in", () => {
  const usage = { input_tokens: 100, output_tokens: 10, server_tool_use: { code_execution_requests: 3 } };
  const answer = {
    id: "m",
    type: "message",
    role: "assistant",
    model: "claude-opus-5",
    content: [{ type: "text", text: "5" }],
    stop_reason: "end_turn",
    usage,
  };
  const asked = { model: "claude-opus-5", max_tokens: 50, messages: [{ role: "user", content: "2+3" }] };
  const run = { type: "code_execution_20260521", name: "code_execution" };

  beforeEach(() => {
    const models = new Set(["claude-opus-5"]);
    relay.world.channels[0] = newChannel({ type: 14, baseUrl: upstream.url, models });
    relay.world.prices.set("claude-opus-5", { kind: "per_call", price: "0" });
    upstream.plan({ rawBody: JSON.stringify(answer) });
  });

  test("is one for an answer, and free unless the operator says otherwise", async () => {
    await relay.post("/v1/messages", { ...asked, tools: [run] });
    expect(receiptOf()).toMatchObject({ code_interpreter_call_count: 1, code_interpreter_price: 0 });
    expect(chargeOf()).toBe(0);
  });

  test.each([
    [[run], 2],
    [[run, { type: "web_search_20250305", name: "web_search" }], 2],
    [[run, { type: "web_search_20260209", name: "web_search" }], 0],
    [[run, { type: "web_fetch_20260318", name: "web_fetch" }], 0],
  ])("at a price of the operator's, with the tools %j", async (tools, quota) => {
    const { ToolPrices } = relay.world.options;
    withOptions(relay.world, { ToolPrices: { ...ToolPrices, code_interpreter: { "*": "30", "claude*": "0.004" } } });
    await relay.post("/v1/messages", { ...asked, tools });
    expect(chargeOf()).toBe(quota);
  });
});

describe("the size of a search's context", () => {
  const decoy = { metadata: { search_context_size: "low" }, user_location: { search_context_size: "low" } };

  test("is read where the request says it, and nowhere else", async () => {
    const { ToolPrices } = relay.world.options;
    withOptions(relay.world, {
      ToolPrices: { ...ToolPrices, web_search: { "*": { low: "20", medium: "40", high: "50" } } },
    });
    upstream.plan({ rawBody: responseOf(SEARCHED) });
    const search = { ...decoy, type: "web_search", search_context_size: "high" };
    await relay.post("/v1/responses", { ...decoy, model: "gpt-4o", input: "search", tools: [search] });
    expect(chargeOf()).toBe(TOKEN_QUOTA + 25_000);
  });

  test.each([
    ["gpt-4o-search-preview", 12_500],
    ["gpt-4o-search-preview-2025-03-11", 12_500],
    ["gpt-5-search-api", 5000],
    ["gpt-4o", 0],
  ])("every call of %s in chat completions is one search", async (model, quota) => {
    relay.world.channels[0] = newChannel({ baseUrl: upstream.url, models: new Set([model]) });
    relay.world.prices.set(model, { kind: "per_token", ratio: "1.25", ...DEFAULT_RATIOS, completionRatio: "4" });
    upstream.plan({ usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } });
    const messages = [{ role: "user", content: "what is new?" }];
    await relay.post("/v1/chat/completions", { model, messages, web_search_options: { search_context_size: "high" } });
    expect(chargeOf()).toBe(TOKEN_QUOTA + quota);
  });
});
