/**
 * Vendor-specific fields of chat completions, requested in another format: web searches, else refused by name before sending, and thinking budgets.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { type TestRelay, newChannel, newWorld, startTestRelay } from "../support/relay/harness.ts";

const AWS_KEY = "AKIDEXAMPLE|wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY|eu-west-1";
const CHANNELS = [
  { type: 17, model: "qwen3-max" },
  { type: 20, model: "openai/gpt-5" },
  { type: 25, model: "kimi-k3" },
  { type: 26, model: "glm-5.3" },
  { type: 33, model: "claude-sonnet-4-5-20250929", key: AWS_KEY },
  { type: 4, model: "qwen3:8b" },
  { type: 42, model: "mistral-medium-latest" },
  { type: 43, model: "deepseek-v4-pro" },
  { type: 45, model: "doubao-seed-2-1-pro" },
  { type: 48, model: "grok-4.7" },
] as const;

let upstream: FakeUpstream;
let relay: TestRelay;

beforeAll(async () => {
  upstream = await startFakeUpstream();
  const world = newWorld();
  for (const { type, model, ...rest } of CHANNELS) {
    world.channels.push(newChannel({ id: type, type, baseUrl: upstream.url, models: new Set([model]), ...rest }));
    world.prices.set(model, { kind: "per_call", price: "0.001" });
  }
  relay = await startTestRelay({ world });
});
beforeEach(() => upstream.reset());
afterAll(async () => {
  await relay.close();
  await upstream.close();
});

const SEARCH = { type: "web_search_20250305", name: "web_search" };
const FUNCTION = { name: "f", input_schema: { type: "object" } };
const messages = [{ role: "user", content: "hi" }];
const ask = (model: string, more: object) => relay.post("/v1/messages", { model, max_tokens: 10, messages, ...more });
const gemini = (model: string, more: object = { tools: [{ googleSearch: {} }] }) =>
  relay.post(`/v1beta/models/${model}:generateContent`, {
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
    ...more,
  });
const paths = () => upstream.requests.map(({ path }) => path);
const sent = () => JSON.parse(upstream.requests.at(-1)?.body.toString() ?? "{}") as Record<string, unknown>;

test("Alibaba is asked by its own switch, OpenRouter by OpenAI's field", async () => {
  await ask("qwen3-max", { tools: [SEARCH] });
  expect(sent()).toMatchObject({ enable_search: true });
  expect(sent()).not.toHaveProperty("web_search_options");
  await gemini("openai/gpt-5");
  expect(sent()).toMatchObject({ web_search_options: {} });
  await ask("openai/gpt-5", { tools: [SEARCH] });
  expect(sent()["tools"]).toEqual([SEARCH]);
});

test("xAI's search is of its Responses", async () => {
  await ask("grok-4.7", { tools: [SEARCH] });
  expect(upstream.requests.at(-1)?.path).toBe("/v1/responses");
  expect(sent()).toMatchObject({ tools: [{ type: "web_search" }] });
});

test("DeepSeek's search is of its Messages, and of its Responses", async () => {
  for (const answer of [await ask("deepseek-v4-pro", { tools: [SEARCH] }), await gemini("deepseek-v4-pro")])
    expect([answer.status, sent()["tools"]]).toEqual([200, [expect.objectContaining(SEARCH)]]);
  await relay.post("/v1/responses", { model: "deepseek-v4-pro", input: "hi", tools: [{ type: "web_search" }] });
  expect(paths()).toEqual(["/anthropic/v1/messages", "/anthropic/v1/messages", "/responses"]);
});

// docs.volcengine.com/docs/ark/create-model-responses-api
test("Ark's search is of its Responses", async () => {
  for (const asked of [() => ask("doubao-seed-2-1-pro", { tools: [SEARCH] }), () => gemini("doubao-seed-2-1-pro")]) {
    await asked();
    expect(sent()).toMatchObject({ tools: [{ type: "web_search" }] });
  }
  expect(paths()).toEqual(["/api/v3/responses", "/api/v3/responses"]);
});

test.each(["kimi-k3", "mistral-medium-latest", "qwen3:8b"])("%s is not asked for what it cannot do", async (model) => {
  for (const answer of [await ask(model, { tools: [SEARCH] }), await gemini(model)]) {
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("tools")]);
  }
  expect(upstream.count).toBe(0);
  const beside = await ask(model, { tools: [SEARCH, FUNCTION] });
  expect([beside.status, beside.headers.get("turnpike-warnings")]).toEqual([200, expect.stringContaining("tools")]);
});

const searching = (model: string, more: object = {}) =>
  relay.post("/v1/chat/completions", { model, messages, web_search_options: {}, ...more });

test.each(["kimi-k3", "mistral-medium-latest", "qwen3:8b", "claude-sonnet-4-5-20250929"])(
  "a search that a client of chat completions asks of %s is refused by its name, in each of the four formats",
  async (model) => {
    const asked = [
      await searching(model),
      await relay.post("/v1/responses", { model, input: "hi", tools: [{ type: "web_search" }] }),
      await ask(model, { tools: [SEARCH] }),
      await gemini(model),
    ];
    for (const answer of asked)
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringMatching(/web[_ ]search/)]);
    expect(upstream.count).toBe(0);
  },
);

test("null asks for no search, and functions beside one do not make an answer without it right", async () => {
  const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
  expect([(await searching("kimi-k3", { tools })).status, upstream.count]).toEqual([400, 0]);
  expect((await searching("kimi-k3", { web_search_options: null })).status).toBe(200);
});

test("a client of chat completions gets the search that its vendor has in another format, or by a switch", async () => {
  for (const model of ["deepseek-v4-pro", "grok-4.7", "doubao-seed-2-1-pro", "qwen3-max"]) await searching(model);
  expect(paths()).toEqual([
    "/anthropic/v1/messages",
    "/v1/responses",
    "/api/v3/responses",
    "/compatible-mode/v1/chat/completions",
  ]);
  expect(sent()).toMatchObject({ enable_search: true });
  expect(sent()).not.toHaveProperty("web_search_options");
  const [messagesBody, responsesBody] = upstream.requests.map(({ json }) => json?.["tools"]);
  expect(messagesBody).toEqual([expect.objectContaining(SEARCH)]);
  expect(responsesBody).toEqual([expect.objectContaining({ type: "web_search" })]);
});

const file = { type: "document", source: { type: "file", file_id: "file_1" } };
test.each([
  ["a search", { tools: [SEARCH] }, "tools"],
  [
    "a search that has to be made",
    { tools: [SEARCH, FUNCTION], tool_choice: { type: "tool", name: "web_search" } },
    "tools",
  ],
  ["servers of tools", { mcp_servers: [{ type: "url", url: "https://m.example", name: "m" }] }, "mcp_servers"],
  ["a file", { messages: [{ role: "user", content: [file] }] }, "messages"],
  [
    "a file in a result",
    { messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: [file] }] }] },
    "messages",
  ],
])("Claude on Bedrock does not get %s", async (_what, more, field) => {
  const answer = await ask("claude-sonnet-4-5-20250929", more);
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(field)]);
  expect(upstream.count).toBe(0);
});

test("a search beside functions is dropped for Bedrock, with a warning", async () => {
  const answer = await ask("claude-sonnet-4-5-20250929", { tools: [SEARCH, FUNCTION] });
  await answer.text();
  expect(sent()["tools"]).toEqual([FUNCTION]);
});

test("a budget of thinking stays one where the vendor takes it, and is an effort elsewhere", async () => {
  const thinking = { type: "enabled", budget_tokens: 3000 };
  const asked = { generationConfig: { maxOutputTokens: 8000, thinkingConfig: { thinkingBudget: 3000 } } };
  await gemini("openai/gpt-5", asked);
  expect(sent()).toMatchObject({ reasoning: { max_tokens: 3000 } });
  expect(sent()).not.toHaveProperty("reasoning_effort");
  await gemini("qwen3-max", asked);
  expect(sent()).toMatchObject({ enable_thinking: true, thinking_budget: 3000 });
  await gemini("deepseek-v4-pro", asked);
  expect(sent()).toMatchObject({ reasoning_effort: "low" });
  for (const model of ["openai/gpt-5", "qwen3-max", "deepseek-v4-pro"]) {
    await ask(model, { max_tokens: 8000, thinking });
    expect(sent()).toMatchObject({ thinking });
  }
});

test("a Gemini client may name a model with its vendor without models/ before it", async () => {
  const contents = [{ role: "user", parts: [{ text: "hi" }] }];
  const answer = await relay.post("/v1beta/openai/gpt-5:generateContent", { contents });
  expect([answer.status, sent()["model"]]).toEqual([200, "openai/gpt-5"]);
  const channel = newChannel({ id: 24, type: 24, baseUrl: upstream.url, models: new Set(["google/gemini"]) });
  relay.world.channels.push({ ...channel, modelMapping: { "google/gemini": "gemini-2.5-flash" } });
  relay.world.prices.set("google/gemini", { kind: "per_call", price: "0.001" });
  await relay.post("/v1beta/google/gemini:streamGenerateContent?alt=sse", { contents });
  expect(upstream.requests.at(-1)?.path).toBe("/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
  expect((await relay.post("/v1beta/openai/gpt-5:nothing", {})).status).toBe(404);
});

/** A channel, a model there, and what is sent of the three settings that Codex and OpenAI's library send. */
const SETTINGS = { prompt_cache_key: "k", prompt_cache_retention: "24h", safety_identifier: "s" };
const SETTINGS_AT: readonly (readonly [type: number, model: string, sent: readonly string[]])[] = [
  [1, "gpt-5", Object.keys(SETTINGS)],
  [1, "gpt-oss-120b", []],
  [1, "llama-3.3-70b-versatile", []],
  [3, "gpt-5", Object.keys(SETTINGS)],
  [3, "Kimi-K2.5", []],
  [8, "gpt-5", []],
  [20, "anthropic/claude-sonnet-4.5", ["prompt_cache_key"]],
  [25, "kimi-k3", ["prompt_cache_key"]],
  [42, "mistral-medium-latest", ["prompt_cache_key"]],
  [43, "deepseek-v4-pro", []],
  [48, "grok-4.7", ["prompt_cache_key"]],
];

// Cerebras answers 422 and Groq 400 to a field that they do not know (github.com/zed-industries/zed/issues/36215), Azure for other vendors' models (issues/52000).
test.each(SETTINGS_AT)(
  "channel type %i with %s takes the settings %j of a Responses client",
  async (type, model, names) => {
    const baseUrl = type === 8 ? `${upstream.url}/v1/chat/completions` : upstream.url;
    const channel = newChannel({ id: 900, type, baseUrl, models: new Set([model]) });
    relay.world.channels.push({ ...channel, priority: 1000 });
    relay.world.prices.set(model, { kind: "per_call", price: "0.001" });
    upstream.plan(({ path }) => (path.includes("responses") ? { status: 404, rawBody: "404 page not found" } : {}));
    const answer = await relay.post("/v1/responses", { model, input: "hi", ...SETTINGS });
    relay.world.channels.pop();
    const warnings = answer.headers.get("turnpike-warnings") ?? "";
    expect([answer.status, paths().at(-1)]).toEqual([200, expect.stringContaining("chat/completions")]);
    expect(Object.keys(SETTINGS).filter((name) => name in sent())).toEqual(names);
    for (const name of ["prompt_cache_key", "prompt_cache_retention"])
      expect([name, warnings.includes(name)]).toEqual([name, !names.includes(name)]);
  },
);
