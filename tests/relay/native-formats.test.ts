/**
 * Vendors that serve Messages or Responses themselves: clients of those pass through, with usage counted as before, and are translated if the
 * vendor or its model lacks the format.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DEFAULT_RATIOS, type ModelPrice } from "../../contract/src/pricing/pricing.ts";
import { PROVIDER_FIXTURES } from "../support/providers/fixtures.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import type { Plan } from "../fake-upstream/plan.ts";
import { eventsIn, fieldsOf, listOf } from "../support/clients/client-formats.ts";
import { type TestRelay, newChannel, newWorld, startTestRelay } from "../support/relay/harness.ts";

const PRICE: ModelPrice = {
  kind: "per_token",
  ...DEFAULT_RATIOS,
  ratio: "1",
  completionRatio: "4",
  cacheRatio: "0.1",
  cacheCreationRatio: "1.25",
};
const MODELS = [
  "deepseek-flash",
  "qwen3.8-max",
  "kimi-k3",
  "gpt-oss:20b",
  "glm-5.3",
  "doubao-seed-2-1-pro",
  "openai/gpt-5",
];
const [OLLAMA, ALIBABA, OPENROUTER, MOONSHOT, ZHIPU, DEEPSEEK, ARK] = [4, 17, 20, 25, 26, 43, 45];

let upstream: FakeUpstream;
let relay: TestRelay;

beforeAll(async () => {
  upstream = await startFakeUpstream({ validates: false });
  relay = await startTestRelay({ world: newWorld({ prices: new Map(MODELS.map((model) => [model, PRICE])) }) });
});
afterAll(async () => {
  await relay.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.reset();
  relay.billing.settlements = [];
  relay.health.succeeded(1, performance.now());
});

function serve(type: number, basePath = ""): void {
  relay.world.channels = [
    newChannel({ type, baseUrl: upstream.url + basePath, key: "key-of-vendor", models: new Set(MODELS) }),
  ];
}

const messages = [{ role: "user", content: "hi" }];
const say = (model: string, more: object = {}) =>
  relay.post("/v1/messages", { model, max_tokens: 100, messages, ...more });
const respond = (model: string, more: object = {}) => relay.post("/v1/responses", { model, input: "hi", ...more });
const paths = (): string[] => upstream.requests.map(({ path }) => path);
const sent = () => fieldsOf(JSON.parse(upstream.requests.at(-1)?.body.toString() ?? "{}"));
const usageOf = (index = 0): unknown =>
  fieldsOf(JSON.parse(relay.billing.settlements[index]?.log?.other ?? "{}"))["usage"];
const fixture = (name: string): string => readFileSync(`${PROVIDER_FIXTURES}${name}`, "utf8");

describe("behind the base URL that an operator gave", () => {
  test.each([
    [DEEPSEEK, "deepseek-flash", "", "/anthropic/v1/messages", "/responses"],
    [DEEPSEEK, "deepseek-flash", "/v1/", "/anthropic/v1/messages", "/responses"],
    [DEEPSEEK, "deepseek-flash", "/anthropic", "/anthropic/v1/messages", "/responses"],
    [DEEPSEEK, "deepseek-flash", "/deepseek/beta", "/deepseek/anthropic/v1/messages", "/deepseek/responses"],
    [ALIBABA, "qwen3.8-max", "/compatible-mode/v1", "/apps/anthropic/v1/messages", "/compatible-mode/v1/responses"],
    [ALIBABA, "qwen3.8-max", "/apps/anthropic", "/apps/anthropic/v1/messages", "/compatible-mode/v1/responses"],
    [OPENROUTER, "openai/gpt-5", "/api/v1", "/api/v1/messages", "/api/v1/responses"],
    [OLLAMA, "gpt-oss:20b", "/api", "/v1/messages", "/v1/responses"],
    [ZHIPU, "glm-5.3", "", "/api/anthropic/v1/messages", "/api/v1/responses"],
    [ZHIPU, "glm-5.3", "/api/coding/paas/v4", "/api/anthropic/v1/messages", "/api/v1/responses"],
    [ARK, "doubao-seed-2-1-pro", "/api/v3", "/api/compatible/v1/messages", "/api/v3/responses"],
    [ARK, "doubao-seed-2-1-pro", "/api/coding/v3", "/api/coding/v1/messages", "/api/coding/v3/responses"],
  ])(
    "type %i serves %s behind %j at the vendor's own addresses",
    async (type, model, base, forMessages, forResponses) => {
      serve(type, base);
      for (const answer of [await say(model), await respond(model)]) expect(answer.status).toBe(200);
      expect(paths()).toEqual([forMessages, forResponses]);
    },
  );

  test("a path of another version is the operator's own: its clients are translated", async () => {
    serve(ZHIPU, "/gateway/v4");
    await (await say("glm-5.3")).text();
    await (await respond("glm-5.3")).text();
    expect(paths()).toEqual(["/gateway/v4/chat/completions", "/gateway/v4/chat/completions"]);
  });

  test("chat completions stay where they were, whichever root was copied", async () => {
    for (const [type, base] of [
      [DEEPSEEK, "/anthropic"],
      [ALIBABA, "/apps/anthropic/v1"],
      [ZHIPU, "/api/anthropic"],
      [ARK, "/api/coding"],
    ] as const) {
      serve(type, base);
      await (await relay.post("/v1/chat/completions", { model: "deepseek-flash", messages })).text();
    }
    expect(paths()).toEqual([
      "/v1/chat/completions",
      "/compatible-mode/v1/chat/completions",
      "/api/paas/v4/chat/completions",
      "/api/coding/v3/chat/completions",
    ]);
  });
});

describe("what a client of the format says", () => {
  test("passes through unchanged, with the key in the vendor's header", async () => {
    serve(DEEPSEEK);
    const system = [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }];
    const more = { system, temperature: 0.3, top_k: 4, thinking: { type: "enabled", budget_tokens: 2000 } };
    const answer = await say("deepseek-flash", more);
    expect([answer.status, answer.headers.get("turnpike-warnings")]).toEqual([200, null]);
    expect(sent()).toEqual({ model: "deepseek-flash", max_tokens: 100, messages, ...more });
    const headers = upstream.requests[0]?.headers;
    expect([headers?.["x-api-key"], headers?.["authorization"], headers?.["anthropic-version"]]).toEqual([
      "key-of-vendor",
      undefined,
      "2023-06-01",
    ]);
    await (await respond("deepseek-flash", { instructions: "Be brief." })).text();
    expect(upstream.requests[1]?.headers["authorization"]).toBe("Bearer key-of-vendor");
  });

  test("reaches Kimi with its cache breakpoint at the top, its own efforts, and no sampling", async () => {
    serve(MOONSHOT);
    const marked = [
      { role: "user", content: [{ type: "text", text: "hi", cache_control: { type: "ephemeral", ttl: "1h" } }] },
    ];
    const asked = { messages: marked, temperature: 0.2, top_k: 3, output_config: { effort: "xhigh" } };
    expect((await say("kimi-k3", asked)).status).toBe(200);
    expect(paths()).toEqual(["/anthropic/v1/messages"]);
    expect(sent()).toEqual({
      model: "kimi-k3",
      max_tokens: 100,
      messages: marked,
      output_config: { effort: "max" },
      cache_control: { type: "ephemeral", ttl: "1h" },
    });
    await (await say("kimi-k3")).text();
    expect(sent()).not.toHaveProperty("cache_control");
  });

  test("reaches OpenRouter's Responses with its own efforts", async () => {
    serve(OPENROUTER);
    await (await respond("openai/gpt-5", { reasoning: { effort: "max", summary: "auto" } })).text();
    expect(sent()["reasoning"]).toEqual({ effort: "xhigh", summary: "auto" });
  });

  test("adaptive thinking is enabled at Model Studio, which knows no other", async () => {
    serve(ALIBABA);
    await (await say("qwen3.8-max", { thinking: { type: "adaptive" } })).text();
    expect(sent()["thinking"]).toEqual({ type: "enabled" });
  });
});

describe("what the vendor does not take in the format", () => {
  const url = { type: "image", source: { type: "url", url: "https://a.example/cat.png" } };
  const call = { type: "tool_use", id: "toolu_01AbCdEfGh", name: "f", input: {} };
  const result = { type: "tool_result", tool_use_id: call.id, content: "42" };
  const tools = [{ name: "f", input_schema: { type: "object" } }];
  const lost = [...messages, { role: "assistant", content: [call] }, { role: "user", content: [result] }];
  const SCHEMA = { format: { type: "json_schema", schema: { type: "object" } } };

  test.each([
    ["an address of a picture", MOONSHOT, "kimi-k3", { messages: [{ role: "user", content: [url] }] }],
    ["a call without its thinking", MOONSHOT, "kimi-k3", { messages: lost, tools }],
    ["another vendor's call without its thinking", DEEPSEEK, "deepseek-flash", { messages: lost, tools }],
    ["a schema", DEEPSEEK, "deepseek-flash", { output_config: SCHEMA }],
    ["a choice of tools", OLLAMA, "gpt-oss:20b", { tools, tool_choice: { type: "any" } }],
  ])("%s is translated", async (_what, type, model, more) => {
    serve(type);
    expect((await say(model, more)).status).toBe(200);
    expect(paths()).toEqual(["/v1/chat/completions"]);
  });

  test("a call of the vendor's own keeps its place: it finds the thinking again", async () => {
    serve(DEEPSEEK);
    const own = [...messages, { role: "assistant", content: [{ ...call, id: "call_00_AbCd" }] }, ...messages];
    await (await say("deepseek-flash", { messages: own, tools })).text();
    expect(paths()).toEqual(["/anthropic/v1/messages"]);
  });

  test.each([
    ["servers of tools", { mcp_servers: [{ type: "url", url: "https://m.example", name: "m" }] }, "mcp_servers"],
    [
      "a file of the operator's account",
      { messages: [{ role: "user", content: [{ type: "image", source: { type: "file", file_id: "file-api-1" } }] }] },
      "files by their ids",
    ],
  ])("%s are refused by name", async (_what, more, words) => {
    serve(DEEPSEEK);
    const answer = await say("deepseek-flash", more);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(words)]);
    expect(upstream.count).toBe(0);
  });

  test.each([
    ["previous_response_id", { previous_response_id: "resp_1" }],
    ["conversation", { conversation: "conv_1" }],
  ])("%s of a vendor that keeps nothing is refused by name", async (field, more) => {
    for (const [type, model] of [
      [DEEPSEEK, "deepseek-flash"],
      [OPENROUTER, "openai/gpt-5"],
      [OLLAMA, "gpt-oss:20b"],
    ] as const) {
      serve(type);
      const answer = await respond(model, more);
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(field)]);
    }
    expect(upstream.count).toBe(0);
  });

  test("answers that the vendor keeps are gone on from", async () => {
    serve(ALIBABA);
    await (await respond("qwen3.8-max", { previous_response_id: "resp_1" })).text();
    expect([paths(), sent()["previous_response_id"]]).toEqual([["/compatible-mode/v1/responses"], "resp_1"]);
  });

  test("a search goes to the format that the vendor has it in", async () => {
    serve(ZHIPU);
    const search = { type: "web_search_20250305", name: "web_search" };
    const contents = [{ role: "user", parts: [{ text: "hi" }] }];
    const asked = { contents, tools: [{ googleSearch: {} }] };
    const answers = [await say("glm-5.3", { tools: [search] })];
    answers.push(await relay.post("/v1beta/models/glm-5.3:generateContent", asked));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect([paths(), sent()["tools"]]).toEqual([["/api/v1/responses", "/api/v1/responses"], [{ type: "web_search" }]]);
  });

  test("tools of Responses that the vendor lacks become functions of chat completions", async () => {
    serve(ALIBABA);
    const custom = { type: "custom", name: "apply_patch", description: "Applies a patch." };
    await (await respond("qwen3.8-max", { tools: [custom] })).text();
    expect([paths(), listOf(sent()["tools"]).length]).toEqual([["/compatible-mode/v1/chat/completions"], 1]);
  });
});

describe("a server or a model without the format", () => {
  const only = (path: RegExp, refusal: Plan): void =>
    upstream.plan(({ path: asked }) => (path.test(asked) ? refusal : {}));

  test.each<[string, Plan]>([
    ["404", { status: 404, rawBody: "404 page not found" }],
    ["405", { status: 405, rawBody: '{"detail":"Method Not Allowed"}' }],
    ["the page of a console", { headers: { "content-type": "text/html" }, rawBody: "<!doctype html><html></html>" }],
  ])("that says so with %s is asked for chat completions, and later calls at once", async (_name, refusal) => {
    serve(DEEPSEEK);
    only(/messages|responses/, refusal);
    for (const ask of [say, respond])
      for (let call = 0; call < 2; call += 1) expect((await ask("deepseek-flash")).status).toBe(200);
    const chat = "/v1/chat/completions";
    expect(paths()).toEqual(["/anthropic/v1/messages", chat, chat, "/responses", chat, chat]);
    expect(relay.billing.settlements).toHaveLength(4);
  });

  test.each([
    [404, { message: "Not found the model kimi-k3 or Permission denied", type: "resource_not_found_error" }],
    [404, { message: "Unsupported model `kimi-k3` for OpenAI compatibility mode.", code: "model_not_supported" }],
    [400, { message: "The model kimi-k3 does not support this api.", code: "InvalidParameter" }],
  ])("%i %j: the model is asked in chat completions, and others of the channel as before", async (status, error) => {
    serve(MOONSHOT);
    upstream.plan(({ path, json }) =>
      path.includes("messages") && json?.["model"] === "kimi-k3" ? { status, rawBody: JSON.stringify({ error }) } : {},
    );
    expect((await say("kimi-k3")).status).toBe(200);
    expect((await say("kimi-k3")).status).toBe(200);
    expect(paths()).toEqual(["/anthropic/v1/messages", "/v1/chat/completions", "/v1/chat/completions"]);
  });

  test("a setting that the model does not take is the client's answer", async () => {
    serve(MOONSHOT);
    const error = { message: "Unsupported parameter: 'stop_sequences' is not supported with this model." };
    upstream.plan({ status: 400, rawBody: JSON.stringify({ error }) });
    expect((await say("kimi-k3")).status).toBe(400);
    expect(paths()).toEqual(["/anthropic/v1/messages"]);
  });

  test("an unknown model is refused once, with the vendor's message", async () => {
    serve(MOONSHOT);
    const error = { message: "Not found the model kimi-k3 or Permission denied", type: "resource_not_found_error" };
    upstream.plan({ status: 404, rawBody: JSON.stringify({ error }) });
    const answer = await say("kimi-k3");
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining("Not found the model")]);
    expect(paths()).toEqual(["/anthropic/v1/messages", "/v1/chat/completions"]);
    expect(relay.billing.settlements).toEqual([]);
  });

  test("an older Ollama server answers in its own format", async () => {
    serve(OLLAMA);
    only(/messages|responses/, { status: 404, rawBody: "404 page not found" });
    const text = await (await say("gpt-oss:20b", { stream: true })).text();
    expect(text).toContain("event: message_stop");
    expect(paths()).toEqual(["/v1/messages", "/v1/chat/completions"]);
  });
});

describe("native answers are charged by what they count", () => {
  const plan = (fixtures: string): void =>
    upstream.plan(({ json }) =>
      json?.["stream"] === true
        ? { rawBody: [fixture(`${fixtures}-stream.txt`)], chunkDelayMs: 0 }
        : { rawBody: fixture(`${fixtures}-answer.json`) },
    );

  test("Messages with reads and writes of the cache, whole and as a stream", async () => {
    serve(ALIBABA);
    plan("alibaba/messages");
    const whole = await say("qwen3.8-max");
    expect(await whole.text()).toBe(fixture("alibaba/messages-answer.json"));
    const stream = await (await say("qwen3.8-max", { stream: true })).text();
    expect(eventsIn(stream)).toEqual(eventsIn(fixture("alibaba/messages-stream.txt")));
    // 24 beside the cache, 1,536 written to it and 2,048 read from it.
    const counted = { inputTokens: 3608, outputTokens: 17, cacheReadTokens: 2048, cacheWriteTokens: 1536 };
    expect([usageOf(0), usageOf(1)]).toEqual([counted, counted]);
    const [first, second] = relay.billing.settlements;
    // 24 + 1,536 x 1.25 + 2,048 x 0.1 + 17 x 4
    expect([first?.charge, second?.charge]).toEqual([2217, 2217]);
  });

  test("Responses with thoughts, whole and as a stream", async () => {
    serve(DEEPSEEK);
    plan("deepseek/responses");
    await (await respond("deepseek-flash")).text();
    await (await respond("deepseek-flash", { stream: true })).text();
    expect([usageOf(0), usageOf(1)]).toEqual([
      { inputTokens: 18, outputTokens: 206, reasoningTokens: 188 },
      { inputTokens: 90, outputTokens: 15, reasoningTokens: 7 },
    ]);
  });

  test("the same text costs the same, translated or not", async () => {
    const usage = { input_tokens: 36, output_tokens: 20, cache_read_input_tokens: 64, cache_creation_input_tokens: 0 };
    serve(DEEPSEEK);
    upstream.plan(({ path }) =>
      path.includes("messages")
        ? { text: "Hello.", usage }
        : { text: "Hello.", usage: { prompt_tokens: 100, completion_tokens: 20, prompt_cache_hit_tokens: 64 } },
    );
    await (await say("deepseek-flash")).text();
    await (await relay.post("/v1/chat/completions", { model: "deepseek-flash", messages })).text();
    expect(usageOf(0)).toEqual(usageOf(1));
    expect(relay.billing.settlements[0]?.charge).toBe(relay.billing.settlements[1]?.charge);
  });
});
