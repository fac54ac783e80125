/** Suffixes of model names that stand for settings, and parameters that a model refuses: each vendor's request, in each format. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { DEFAULT_RATIOS } from "../../contract/src/pricing/pricing.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import type { Plan } from "../fake-upstream/plan.ts";
import { type TestRelay, newChannel, newWorld, startTestRelay, withOptions } from "../support/relay/harness.ts";

const OPENAI = 1;
const AZURE = 3;
const CLAUDE = 14;
const OPENROUTER = 20;
const GEMINI = 24;
const MOONSHOT = 25;
const AWS = 33;
const DEEPSEEK = 43;
const XAI = 48;
const AWS_KEY = "AKIDEXAMPLE|wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY|eu-west-1";

let upstream: FakeUpstream;
let relay: TestRelay;

beforeAll(async () => {
  upstream = await startFakeUpstream({
    plan: ({ path, json }) => ANSWERS.find(([fits]) => fits(path, json ?? {}))?.[1] ?? {},
  });
  relay = await startTestRelay({ world: newWorld() });
});
beforeEach(() => {
  upstream.reset();
  withOptions(relay.world, { "gemini.thinking_adapter_enabled": true, "claude.thinking_adapter_enabled": true });
});
afterAll(async () => {
  await relay.close();
  await upstream.close();
});

const USER = [{ role: "user", content: "hi" }];
const CLIENTS = {
  chat: (model: string, more: object) => ["/v1/chat/completions", { model, messages: USER, ...more }],
  responses: (model: string, more: object) => ["/v1/responses", { model, input: "hi", ...more }],
  messages: (model: string, more: object) => ["/v1/messages", { model, max_tokens: 5000, messages: USER, ...more }],
  gemini: (model: string, more: object) => [
    `/v1beta/models/${model}:generateContent`,
    { contents: [{ role: "user", parts: [{ text: "hi" }] }], ...more },
  ],
} satisfies Record<string, (model: string, more: object) => (string | object)[]>;
const message = { role: "assistant", content: [{ type: "text", text: "hello" }] };
const usage = { input_tokens: 3, output_tokens: 1 };
const CLAUDE_ANSWER = { id: "msg_1", type: "message", ...message, model: "claude", stop_reason: "end_turn", usage };
const said = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  content: [{ type: "output_text", text: "hello", annotations: [] }],
};
const RESPONSE = { id: "resp_1", object: "response", status: "completed", output: [said], usage };

/** What the fake upstream has no model of: Bedrock's addresses, and Responses of other vendors' models that reason. */
const ANSWERS: readonly (readonly [fits: (path: string, json: object) => boolean, plan: Plan])[] = [
  [(path) => path.includes("/invoke"), { rawBody: JSON.stringify(CLAUDE_ANSWER) }],
  [
    (path, json) => path.endsWith("/responses") && /grok|\//.test(String("model" in json ? json.model : "")),
    { rawBody: JSON.stringify(RESPONSE) },
  ],
];
type Client = keyof typeof CLIENTS;

/** One call of a channel of this type: the path and the fields that the vendor got. */
async function sent(client: Client, type: number, model: string, more: object = {}) {
  const key = type === AWS ? { key: AWS_KEY } : {};
  relay.world.channels = [newChannel({ type, baseUrl: upstream.url, models: new Set([model]), ...key })];
  relay.world.prices.set(model, { kind: "per_token", ratio: "1", ...DEFAULT_RATIOS });
  const [path, body] = CLIENTS[client](model, more) as [string, object];
  const answer = await relay.post(path, body);
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, text]);
  const seen = upstream.requests.at(-1);
  return { path: seen?.path ?? "", json: seen?.json ?? {} };
}

type Row = readonly [client: Client, type: number, model: string, fields: Readonly<Record<string, unknown>>];

const ADAPTIVE = { type: "adaptive" };
const SUMMARIZED = { type: "adaptive", display: "summarized" };

const NAMES: readonly Row[] = [
  // OpenAI's, which Azure has too
  ["chat", OPENAI, "o3-mini-high", { model: "o3-mini", reasoning_effort: "high" }],
  ["chat", OPENAI, "gpt-5-high", { model: "gpt-5", reasoning_effort: "high" }],
  ["chat", OPENAI, "gpt-5.1-none", { model: "gpt-5.1", reasoning_effort: "none" }],
  ["responses", OPENAI, "gpt-5.2-xhigh", { model: "gpt-5.2", reasoning: { effort: "xhigh" } }],
  ["messages", OPENAI, "o4-mini-low", { model: "o4-mini", reasoning_effort: "low" }],
  ["chat", AZURE, "gpt-5-mini-low", { model: "gpt-5-mini", reasoning_effort: "low" }],
  ["chat", OPENAI, "gpt-5.1-codex-max", { model: "gpt-5.1-codex-max", reasoning_effort: undefined }],
  // Claude's
  [
    "messages",
    CLAUDE,
    "claude-opus-4-6-high",
    { model: "claude-opus-4-6", output_config: { effort: "high" }, thinking: ADAPTIVE },
  ],
  [
    "messages",
    CLAUDE,
    "claude-opus-4-6-max",
    { model: "claude-opus-4-6", output_config: { effort: "max" }, thinking: ADAPTIVE },
  ],
  [
    "messages",
    CLAUDE,
    "claude-opus-4-7-xhigh",
    { model: "claude-opus-4-7", output_config: { effort: "xhigh" }, thinking: SUMMARIZED },
  ],
  [
    "messages",
    CLAUDE,
    "claude-opus-4-5-low",
    { model: "claude-opus-4-5", output_config: { effort: "low" }, thinking: undefined },
  ],
  [
    "chat",
    CLAUDE,
    "claude-opus-4-6-low",
    { model: "claude-opus-4-6", output_config: { effort: "low" }, thinking: ADAPTIVE },
  ],
  [
    "gemini",
    CLAUDE,
    "claude-sonnet-4-6-medium",
    { model: "claude-sonnet-4-6", output_config: { effort: "medium" }, thinking: ADAPTIVE },
  ],
  [
    "messages",
    CLAUDE,
    "claude-sonnet-4-5-thinking",
    { model: "claude-sonnet-4-5", thinking: { type: "enabled", budget_tokens: 4000 } },
  ],
  [
    "messages",
    CLAUDE,
    "claude-sonnet-4-20250514-high",
    { model: "claude-sonnet-4-20250514-high", thinking: undefined },
  ],
  ["messages", AWS, "claude-opus-4-6-high", { output_config: { effort: "high" }, thinking: ADAPTIVE }],
  // xAI's
  ["chat", XAI, "grok-3-mini-high", { model: "grok-3-mini", reasoning_effort: "high" }],
  ["messages", XAI, "grok-3-mini-medium", { model: "grok-3-mini", reasoning_effort: "high" }],
  ["chat", XAI, "grok-4.7-xhigh", { model: "grok-4.7", reasoning_effort: "xhigh" }],
  ["responses", XAI, "grok-4.5-low", { model: "grok-4.5", reasoning: { effort: "low" } }],
  ["responses", XAI, "grok-4-search", { model: "grok-4", tools: [{ type: "web_search" }] }],
  ["chat", XAI, "grok-4-search", { model: "grok-4", tools: [{ type: "web_search" }] }],
  // OpenRouter's, whose other makers have names of their own that end so
  [
    "chat",
    OPENROUTER,
    "anthropic/claude-sonnet-4.5-thinking",
    { model: "anthropic/claude-sonnet-4.5", reasoning: { enabled: true } },
  ],
  [
    "chat",
    OPENROUTER,
    "anthropic/claude-opus-4.6-max",
    { model: "anthropic/claude-opus-4.6", reasoning: { effort: "max" } },
  ],
  ["chat", OPENROUTER, "openai/gpt-5-high", { model: "openai/gpt-5", reasoning: { effort: "high" } }],
  ["responses", OPENROUTER, "openai/gpt-5-low", { model: "openai/gpt-5", reasoning: { effort: "low" } }],
  [
    "messages",
    OPENROUTER,
    "anthropic/claude-sonnet-4.5-thinking",
    { model: "anthropic/claude-sonnet-4.5", thinking: { type: "enabled", budget_tokens: 4000 } },
  ],
  ["messages", OPENROUTER, "openai/gpt-5-high", { model: "openai/gpt-5", output_config: { effort: "high" } }],
  ["chat", OPENROUTER, "moonshotai/kimi-k2-thinking", { model: "moonshotai/kimi-k2-thinking", reasoning: undefined }],
  ["chat", OPENROUTER, "openai/o3-mini-high", { model: "openai/o3-mini-high", reasoning: undefined }],
  // DeepSeek's and Moonshot's
  ["chat", DEEPSEEK, "deepseek-v4-pro-max", { model: "deepseek-v4-pro", reasoning_effort: "max" }],
  [
    "chat",
    DEEPSEEK,
    "deepseek-v4-pro-none",
    { model: "deepseek-v4-pro", thinking: { type: "disabled" }, reasoning_effort: undefined },
  ],
  ["messages", DEEPSEEK, "deepseek-v4-pro-none", { model: "deepseek-v4-pro", thinking: { type: "disabled" } }],
  ["messages", DEEPSEEK, "deepseek-v4-flash-high", { model: "deepseek-v4-flash", output_config: { effort: "high" } }],
  ["chat", MOONSHOT, "kimi-k3-max", { model: "kimi-k3", reasoning_effort: "max" }],
];

test.each(NAMES)("a client of %s asks type %i for %s", async (client, type, model, fields) => {
  const { json } = await sent(client, type, model);
  for (const [name, value] of Object.entries(fields)) expect([name, json[name]]).toEqual([name, value]);
});

test.each([
  ["gemini", "gemini-3-pro-preview-high", { thinkingLevel: "HIGH", includeThoughts: true }],
  ["chat", "gemini-3-pro-preview-low", { thinkingLevel: "LOW", includeThoughts: true }],
  ["messages", "gemini-3-flash-preview-minimal", { thinkingLevel: "MINIMAL" }],
  ["gemini", "gemini-2.5-flash-thinking-128", { thinkingBudget: 128, includeThoughts: true }],
  ["gemini", "gemini-2.5-flash-nothinking", { thinkingBudget: 0 }],
] as const)(
  "Gemini is asked by a client of %s for %s in the path without its suffix",
  async (client, model, config) => {
    const { path, json } = await sent(client, GEMINI, model);
    expect(path).toMatch(/models\/gemini-(?:3-pro-preview|3-flash-preview|2\.5-flash):generateContent/);
    expect(json["generationConfig"]).toMatchObject({ thinkingConfig: config });
  },
);

test("with the adapter off the names of Gemini and of Claude's thinking are any names, and efforts are still Claude's", async () => {
  withOptions(relay.world, { "gemini.thinking_adapter_enabled": false, "claude.thinking_adapter_enabled": false });
  expect((await sent("gemini", GEMINI, "gemini-3-pro-preview-high")).path).toContain("gemini-3-pro-preview-high");
  expect((await sent("messages", CLAUDE, "claude-sonnet-4-5-thinking")).json["model"]).toBe(
    "claude-sonnet-4-5-thinking",
  );
  expect((await sent("messages", CLAUDE, "claude-opus-4-6-high")).json["model"]).toBe("claude-opus-4-6");
});

test("what a client sets itself stays, and a forced call is not thought about before", async () => {
  expect((await sent("chat", OPENAI, "gpt-5-high", { reasoning_effort: "low" })).json["reasoning_effort"]).toBe("low");
  const own = { output_config: { effort: "low" }, thinking: { type: "disabled" } };
  expect((await sent("messages", CLAUDE, "claude-opus-4-6-high", own)).json).toMatchObject(own);
  const tool = { name: "f", input_schema: { type: "object" } };
  const forced = await sent("messages", CLAUDE, "claude-opus-4-6-high", {
    tools: [tool],
    tool_choice: { type: "any" },
  });
  expect(forced.json).not.toHaveProperty("thinking");
  const reasoning = { effort: "minimal" };
  expect((await sent("chat", OPENROUTER, "openai/gpt-5-high", { reasoning })).json["reasoning"]).toEqual(reasoning);
});

test("a name with a suffix has a price of its own, and the receipt has the effort that it stood for", async () => {
  await sent("messages", CLAUDE, "claude-opus-4-6-high", { temperature: 0.5 });
  const row = relay.billing.rows.at(-1);
  expect(row?.modelName).toBe("claude-opus-4-6-high");
  expect(JSON.parse(row?.other ?? "{}")).toMatchObject({ reasoning_effort: "high" });
  // Thinking goes with no sampling but the default.
  expect(upstream.requests.at(-1)?.json).not.toHaveProperty("temperature");
});

test("a search that a name stands for is held for like one that the request offers", async () => {
  const held = async (model: string, more: object): Promise<number> => {
    const before = relay.billing.holds.size;
    const most: number[] = [];
    upstream.plan(() => {
      most.push(relay.billing.held);
      return { rawBody: JSON.stringify(RESPONSE) };
    });
    await sent("responses", XAI, model, more);
    expect(relay.billing.holds.size).toBe(before);
    return most[0] ?? 0;
  };
  const offered = await held("grok-4", { tools: [{ type: "web_search" }] });
  expect(await held("grok-4-search", {})).toBeGreaterThanOrEqual(offered - 100);
  expect(await held("grok-4", {})).toBeLessThan(offered - 100);
});

const SAMPLING = { temperature: 0.7, top_p: 0.9 };

test.each([
  ["chat", OPENAI, "gpt-5", []],
  ["chat", OPENAI, "gpt-5-mini", []],
  ["chat", OPENAI, "o3", []],
  ["chat", AZURE, "gpt-5", []],
  ["responses", OPENAI, "gpt-5", []],
  ["messages", OPENAI, "gpt-5", []],
  // developers.openai.com/api/docs/guides/latest-model: taken while the effort is none, which is the default of gpt-5.1
  ["chat", OPENAI, "gpt-5.1", ["temperature", "top_p"]],
  ["chat", OPENAI, "gpt-5.1-high", []],
  ["chat", OPENAI, "gpt-5-chat-latest", ["temperature", "top_p"]],
  ["chat", OPENAI, "gpt-4o", ["temperature", "top_p"]],
  ["chat", OPENAI, "qwen3-8b", ["temperature", "top_p"]],
  ["chat", MOONSHOT, "kimi-k3", []],
] as const)("of a client of %s, type %i and %s the sampling %j arrives", async (client, type, model, kept) => {
  const { json } = await sent(client, type, model, SAMPLING);
  expect(Object.keys(SAMPLING).filter((name) => name in json)).toEqual(kept);
});

test("a sampling parameter at its default stays where the model takes that, so that the body is forwarded as it is", async () => {
  const { json } = await sent("chat", OPENAI, "gpt-5", { temperature: 1, top_p: 1 });
  expect(json).toMatchObject({ temperature: 1, top_p: 1 });
});

test.each([
  ["messages", "qwen3-8b", { thinking: { type: "enabled", budget_tokens: 1024 } }, "low"],
  ["responses", "qwen3-8b", { reasoning: { effort: "minimal" } }, "low"],
  ["messages", "gpt-5", { thinking: { type: "enabled", budget_tokens: 1024 } }, "minimal"],
] as const)("a client of %s asks an OpenAI channel for %s with %o: effort %s", async (client, model, more, effort) => {
  // Its Responses are not served, as with most servers of this kind.
  if (client === "responses") upstream.next({ status: 404, error: { message: "Not Found" } });
  const { json } = await sent(client, OPENAI, model, more);
  expect(json["reasoning_effort"]).toBe(effort);
});
