/** The options of Claude's and Gemini's families and the suffixes of model names, from the client's request to the upstream's. */
import { afterEach, describe, expect, test } from "vitest";
import type { OptionValues } from "../../contract/src/options/options.ts";
import { DEFAULT_RATIOS } from "../../contract/src/pricing/pricing.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import type { SnapshotChannel } from "../../server/src/snapshot/snapshot.ts";
import { type TestRelay, newChannel, newWorld, startTestRelay, withOptions } from "../support/relay/harness.ts";

const OPENAI = 1;
const CLAUDE = 14;
const GEMINI = 24;

let upstream: FakeUpstream;
let relay: TestRelay;

async function open(options: Partial<OptionValues>, model: string, changes: Partial<SnapshotChannel>): Promise<void> {
  upstream = await startFakeUpstream();
  const world = newWorld({ channels: [newChannel({ baseUrl: upstream.url, models: new Set([model]), ...changes })] });
  world.prices.set(model, { kind: "per_token", ratio: "1", ...DEFAULT_RATIOS });
  withOptions(world, options);
  relay = await startTestRelay({ world });
}

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const USER = [{ role: "user", content: "hi" }];
const CONTENTS = [{ role: "user", parts: [{ text: "hi" }] }];

/** Clients of every format, with the path they call. */
const CLIENTS = {
  chat: (model: string, more = {}) => ["/v1/chat/completions", { model, messages: USER, ...more }],
  responses: (model: string, more = {}) => ["/v1/responses", { model, input: "hi", ...more }],
  messages: (model: string, more = {}) => ["/v1/messages", { model, max_tokens: 5000, messages: USER, ...more }],
  gemini: (model: string, more = {}) => [`/v1beta/models/${model}:generateContent`, { contents: CONTENTS, ...more }],
} satisfies Record<string, (model: string, more?: object) => [string, object] | (string | object)[]>;

/** Sends one call and gives what the vendor saw of it. */
async function seenFor(client: keyof typeof CLIENTS, model: string, more = {}, headers = {}) {
  const [path, body] = CLIENTS[client](model, more) as [string, object];
  const answer = await relay.post(path, body, headers);
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  const seen = upstream.requests.at(-1);
  return { path: seen?.path, headers: seen?.headers ?? {}, json: seen?.json ?? {} };
}

const receipt = (): Record<string, unknown> =>
  JSON.parse(relay.billing.rows.at(-1)?.other ?? "{}") as Record<string, unknown>;

describe("claude.default_max_tokens", () => {
  const bounds = { default: 4000, "claude-sonnet-4-5": 6000, mine: 7000 };

  test.each([
    ["claude-haiku-4-5", {}, 4000],
    ["claude-sonnet-4-5", {}, 6000],
    ["mine", { modelMapping: { mine: "claude-sonnet-4-5" } }, 7000],
    ["other", { modelMapping: { other: "claude-sonnet-4-5" } }, 6000],
  ])("bounds a call of %s without a bound of its own", async (model, changes, expected) => {
    await open({ "claude.default_max_tokens": bounds }, model, { type: CLAUDE, ...changes });
    expect((await seenFor("chat", model)).json["max_tokens"]).toBe(expected);
    expect((await seenFor("responses", model)).json["max_tokens"]).toBe(expected);
    expect((await seenFor("gemini", model)).json["max_tokens"]).toBe(expected);
    expect((await seenFor("chat", model, { max_tokens: 12 })).json["max_tokens"]).toBe(12);
  });

  test("is 8192 from the start, and for who took it out", async () => {
    await open({}, "claude-haiku-4-5", { type: CLAUDE });
    expect((await seenFor("chat", "claude-haiku-4-5")).json["max_tokens"]).toBe(8192);
    withOptions(relay.world, { "claude.default_max_tokens": {} });
    expect((await seenFor("chat", "claude-haiku-4-5")).json["max_tokens"]).toBe(8192);
  });
});

describe("claude.thinking_adapter", () => {
  const model = "claude-sonnet-4-5-thinking";
  const share = { "claude.thinking_adapter_budget_tokens_percentage": "0.5" };

  test.each(["chat", "messages"] as const)("gives a share of the bound to clients of %s", async (client) => {
    await open(share, model, { type: CLAUDE });
    const { json } = await seenFor(client, model, { max_tokens: 5000, temperature: 0.3 });
    expect(json).toMatchObject({
      model: "claude-sonnet-4-5",
      max_tokens: 5000,
      thinking: { type: "enabled", budget_tokens: 2500 },
    });
    expect(json).not.toHaveProperty("temperature");
  });

  test("raises small bounds, and takes the operator's where there is none", async () => {
    await open({ "claude.default_max_tokens": { default: 10_000 } }, model, { type: CLAUDE });
    expect((await seenFor("messages", model, { max_tokens: 20 })).json).toMatchObject({
      max_tokens: 1280,
      thinking: { budget_tokens: 1024 },
    });
    expect((await seenFor("chat", model, { max_tokens: 20 })).json["max_tokens"]).toBe(1280);
    expect((await seenFor("chat", model)).json).toMatchObject({
      max_tokens: 10_000,
      thinking: { budget_tokens: 8000 },
    });
  });

  test("does not change a client's own thinking, nor a turn whose thinking was not sent back", async () => {
    await open({}, model, { type: CLAUDE });
    const own = await seenFor("messages", model, { thinking: { type: "enabled", budget_tokens: 1111 } });
    expect(own.json["thinking"]).toEqual({ type: "enabled", budget_tokens: 1111 });
    const call = { id: "call_1", type: "function", function: { name: "look", arguments: "{}" } };
    const messages = [
      ...USER,
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "seen" },
    ];
    const tools = [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }];
    expect((await seenFor("chat", model, { messages, tools })).json).not.toHaveProperty("thinking");
  });

  test("off, the name is any name", async () => {
    await open({ "claude.thinking_adapter_enabled": false }, model, { type: CLAUDE });
    const { json } = await seenFor("messages", model);
    expect(json["model"]).toBe(model);
    expect(json).not.toHaveProperty("thinking");
  });

  test("is counted without the suffix", async () => {
    await open({}, model, { type: CLAUDE });
    await (await relay.post("/v1/messages/count_tokens", { model, messages: USER })).text();
    expect(upstream.requests[0]?.json).toEqual({ model: "claude-sonnet-4-5", messages: USER });
  });
});

test("claude.model_headers_settings replaces headers for the model the client named, at once when it changes", async () => {
  const model = "mine";
  await open({ "claude.model_headers_settings": { mine: { "anthropic-beta": ["context-1m-2025-08-07"] } } }, model, {
    type: CLAUDE,
    modelMapping: { mine: "claude-sonnet-4-5" },
  });
  const own = { "anthropic-beta": "client-beta" };
  expect((await seenFor("messages", model, {}, own)).headers["anthropic-beta"]).toBe("context-1m-2025-08-07");
  expect((await seenFor("chat", model)).headers["anthropic-beta"]).toBe("context-1m-2025-08-07");
  withOptions(relay.world, { "claude.model_headers_settings": {} });
  expect((await seenFor("messages", model, {}, own)).headers["anthropic-beta"]).toBe("client-beta");
});

describe("gemini", () => {
  test("safety_settings stand in translated requests, thresholds by category over the default", async () => {
    await open(
      { "gemini.safety_settings": { default: "BLOCK_NONE", HARM_CATEGORY_HARASSMENT: "BLOCK_ONLY_HIGH" } },
      "gemini-2.5-flash",
      { type: GEMINI },
    );
    const settings = (await seenFor("chat", "gemini-2.5-flash")).json["safetySettings"];
    expect(settings).toContainEqual({ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_ONLY_HIGH" });
    expect(settings).toContainEqual({ category: "HARM_CATEGORY_HATE_SPEECH", threshold: "BLOCK_NONE" });
    expect((await seenFor("gemini", "gemini-2.5-flash")).json).not.toHaveProperty("safetySettings");
  });

  test("version_settings name the version by model", async () => {
    await open({ "gemini.version_settings": { default: "v1alpha", "gemini-2.5-pro": "v1" } }, "gemini-2.5-pro", {
      type: GEMINI,
      models: new Set(["gemini-2.5-pro", "gpt-4o"]),
    });
    expect((await seenFor("chat", "gemini-2.5-pro")).path).toBe("/v1/models/gemini-2.5-pro:generateContent");
    expect((await seenFor("chat", "gpt-4o")).path).toBe("/v1alpha/models/gpt-4o:generateContent");
    expect((await seenFor("gemini", "gpt-4o")).path).toBe("/v1beta/models/gpt-4o:generateContent");
  });

  test("supported_imagine_models may answer in pictures, which chat clients get as data", async () => {
    await open({ "gemini.supported_imagine_models": ["painter"] }, "painter", {
      type: GEMINI,
      models: new Set(["painter", "gpt-4o"]),
    });
    const config = (await seenFor("chat", "painter")).json["generationConfig"];
    expect(config).toMatchObject({ responseModalities: ["TEXT", "IMAGE"] });
    expect((await seenFor("chat", "gpt-4o")).json["generationConfig"] ?? {}).not.toHaveProperty("responseModalities");
    const data = "iVBORw0KGgo=";
    const parts = [{ text: "Here:" }, { inlineData: { mimeType: "image/png", data } }];
    upstream.plan({
      rawBody: JSON.stringify({ candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }] }),
    });
    const answer = await relay.post("/v1/chat/completions", { model: "painter", messages: USER });
    expect(await answer.text()).toContain(`](data:image/png;base64,${data})`);
  });

  const adapter = {
    "gemini.thinking_adapter_enabled": true,
    "gemini.thinking_adapter_budget_tokens_percentage": "0.5",
  } as const;

  test.each([
    ["gemini-2.5-flash-thinking", { thinkingBudget: 1000, includeThoughts: true }],
    ["gemini-2.5-flash-thinking-77", { thinkingBudget: 77, includeThoughts: true }],
    ["gemini-2.5-flash-nothinking", { thinkingBudget: 0 }],
  ])("thinking_adapter: %s gets a thinking budget", async (model, thinkingConfig) => {
    await open(adapter, model, { type: GEMINI });
    const asked = { generationConfig: { maxOutputTokens: 2000 } };
    for (const seen of [await seenFor("chat", model, { max_tokens: 2000 }), await seenFor("gemini", model, asked)]) {
      expect(seen.path).toBe("/v1beta/models/gemini-2.5-flash:generateContent");
      expect(seen.json["generationConfig"]).toMatchObject({ maxOutputTokens: 2000, thinkingConfig });
    }
    // Priced under the name the client used.
    expect(relay.billing.settlements.map((each) => each.model)).toEqual([model, model]);
  });

  test("thinking_adapter: off, the name is any name", async () => {
    await open({}, "gemini-2.5-flash-thinking", { type: GEMINI });
    const { path, json } = await seenFor("chat", "gemini-2.5-flash-thinking");
    expect(path).toBe("/v1beta/models/gemini-2.5-flash-thinking:generateContent");
    expect(json["generationConfig"] ?? {}).not.toHaveProperty("thinkingConfig");
  });
});

describe("efforts of reasoning", () => {
  test("a suffix stands for the effort in both formats of OpenAI, and the receipt says which", async () => {
    await open({}, "o3-mini-high", { type: OPENAI });
    const chat = await seenFor("chat", "o3-mini-high", { max_tokens: 50 });
    expect(chat.json).toMatchObject({ model: "o3-mini", reasoning_effort: "high", max_completion_tokens: 50 });
    expect(receipt()["reasoning_effort"]).toBe("high");
    const responses = await seenFor("responses", "o3-mini-high", { reasoning: { summary: "auto" } });
    expect(responses.json).toMatchObject({ model: "o3-mini", reasoning: { summary: "auto", effort: "high" } });
    const messages = await seenFor("messages", "o3-mini-high");
    expect(messages.json).toMatchObject({ model: "o3-mini", reasoning_effort: "high" });
    expect(receipt()["reasoning_effort"]).toBe("high");
  });

  test("the client's own effort stands in the receipt too", async () => {
    await open({}, "o3-mini", { type: OPENAI });
    await seenFor("chat", "o3-mini", { reasoning_effort: "low" });
    expect(receipt()["reasoning_effort"]).toBe("low");
    await seenFor("responses", "o3-mini", { reasoning: { effort: "medium" } });
    expect(receipt()["reasoning_effort"]).toBe("medium");
    await seenFor("chat", "o3-mini");
    expect(receipt()).not.toHaveProperty("reasoning_effort");
  });
});

test("global.pass_through_request_enabled: the client's bytes pass through unchanged, suffix included", async () => {
  await open({ "global.pass_through_request_enabled": true }, "claude-sonnet-4-5-thinking", {
    type: CLAUDE,
    modelMapping: { "claude-sonnet-4-5-thinking": "mapped" },
    paramOverride: { top_k: 3 },
  });
  const { json } = await seenFor("messages", "claude-sonnet-4-5-thinking");
  expect(json).toEqual({ model: "claude-sonnet-4-5-thinking", max_tokens: 5000, messages: USER });
});
