/** Requests of other formats for Anthropic: what each model generation takes, what is dropped and what is refused. */
import { expect, test } from "vitest";
import { refusedParam } from "../../../../tests/support/dialects/refused-param.ts";
import { traitsOf } from "./models.ts";
import { anthropicMessagesDialect as dialect } from "./anthropic-messages.ts";
import type { JsonObject, NeutralMessage, NeutralPart, NeutralRequest } from "../neutral/neutral.ts";

const words = (text: string): NeutralPart => ({ kind: "text", text });
const user = (...parts: NeutralPart[]): NeutralMessage => ({ role: "user", parts });
const assistant = (...parts: NeutralPart[]): NeutralMessage => ({ role: "assistant", parts });
const plain: NeutralRequest = {
  model: "claude-sonnet-4-5",
  isStream: false,
  system: [],
  messages: [user(words("hi"))],
  tools: [],
  unknownFields: [],
};

function encode(change: Partial<NeutralRequest>): { fields: JsonObject; warned: string[] } {
  const warned: string[] = [];
  return { fields: dialect.encodeRequest({ ...plain, ...change }, (field) => void warned.push(field)), warned };
}

const faultOf = (change: Partial<NeutralRequest>): string => refusedParam(() => encode(change));

test("a plain request gets the bound the vendor asks for", () => {
  expect(encode({})).toEqual({
    fields: { model: "claude-sonnet-4-5", max_tokens: 8192, messages: [{ role: "user", content: "hi" }] },
    warned: [],
  });
  expect(encode({ maxTokens: 5, isStream: true }).fields).toMatchObject({ max_tokens: 5, stream: true });
});

test("alternating roles, results directly after their calls, nothing empty", () => {
  const call = (id: string): NeutralPart => ({ kind: "tool_call", id, name: "f", arguments: "{}" });
  const result = (id: string): NeutralPart => ({ kind: "tool_result", id, parts: [{ kind: "text", text: id }] });
  const { fields, warned } = encode({
    messages: [
      assistant(words("Hello")),
      user(words(" ")),
      user(words("a")),
      user(words("b")),
      assistant(words("")),
      assistant(call("x.1"), call("x:2")),
      user(words("c"), result("x.1")),
      user(result("x:2")),
      { role: "system", parts: [words("Be kind.")] },
      assistant(words("so ")),
    ],
  });
  expect(warned).toEqual(["messages"]);
  expect(fields["system"]).toBe("Be kind.");
  expect(fields["messages"]).toEqual([
    { role: "user", content: "..." },
    { role: "assistant", content: "Hello" },
    {
      role: "user",
      content: [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "tool_use", id: "x_1", name: "f", input: {} },
        { type: "tool_use", id: "x_2", name: "f", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "x_1", content: "x.1" },
        { type: "tool_result", tool_use_id: "x_2", content: "x:2" },
        { type: "text", text: "c" },
      ],
    },
    { role: "assistant", content: "so" },
  ]);
  expect(encode({ messages: [] }).fields["messages"]).toEqual([{ role: "user", content: "..." }]);
});

test("only the vendor's own thinking goes back, and arguments that are no object stay readable", () => {
  const own = { dialect: "anthropic-messages" as const, value: "EqQB" };
  const { fields, warned } = encode({
    messages: [
      user(words("q")),
      assistant(
        { kind: "reasoning", text: "mine", signature: own },
        { kind: "reasoning", text: "", signature: own, isRedacted: true },
        { kind: "reasoning", text: "theirs", signature: { dialect: "gemini", value: "c2ln" } },
        { kind: "reasoning", text: "nobody's" },
        { kind: "tool_call", id: "1", name: "f", arguments: "[oops" },
        { kind: "tool_call", id: "2", name: "f", arguments: "", signature: { dialect: "gemini", value: "c2ln" } },
      ),
    ],
  });
  expect(warned).toEqual(["reasoning", "reasoning", "arguments"]);
  expect((fields["messages"] as JsonObject[])[1]?.["content"]).toEqual([
    { type: "thinking", thinking: "mine", signature: "EqQB" },
    { type: "redacted_thinking", data: "EqQB" },
    { type: "tool_use", id: "1", name: "f", input: { arguments: "[oops" } },
    { type: "tool_use", id: "2", name: "f", input: {} },
  ]);
});

test("files by their type; text files as text", () => {
  const source = (mimeType: string) => ({ kind: "base64" as const, mimeType, data: "R3JlZW4u" });
  const { fields } = encode({
    messages: [user({ kind: "file", source: source("text/plain; charset=utf-8"), name: "a.txt" })],
  });
  expect(fields["messages"]).toEqual([
    {
      role: "user",
      content: [
        { type: "document", source: { type: "text", media_type: "text/plain", data: "Green." }, title: "a.txt" },
      ],
    },
  ]);
  expect(faultOf({ messages: [user({ kind: "file", source: source("application/zip") })] })).toBe("messages");
  expect(faultOf({ messages: [user({ kind: "image", source: source("image/bmp") })] })).toBe("messages");
  expect(faultOf({ messages: [user({ kind: "audio", source: source("audio/wav") })] })).toBe("messages");
});

test("what would change the answer is refused, what would not is a warning", () => {
  expect(faultOf({ choices: 2 })).toBe("n");
  expect(faultOf({ hasLogprobs: true })).toBe("logprobs");
  const schema = { kind: "json_schema" as const, name: "a", schema: { type: "object" } };
  expect(faultOf({ model: "claude-3-haiku-20240307", responseFormat: schema })).toBe("response_format");
  const { fields, warned } = encode({
    choices: 1,
    presencePenalty: 0,
    frequencyPenalty: 0.5,
    seed: 7,
    verbosity: "low",
    serviceTier: "flex",
    stop: ["\n", "END"],
  });
  expect(warned.toSorted()).toEqual(["frequency_penalty", "seed", "service_tier", "stop", "verbosity"]);
  expect(fields).toMatchObject({ stop_sequences: ["END"] });
});

test("structured answers: schemas are closed, and JSON of any shape is asked for in the prompt", () => {
  const schema = {
    type: "object",
    properties: { a: { type: "object", properties: {} }, b: { enum: [{ type: "object" }] } },
  };
  const { fields, warned } = encode({ responseFormat: { kind: "json_schema", name: "x", schema } });
  expect(fields["output_config"]).toEqual({
    format: {
      type: "json_schema",
      schema: {
        type: "object",
        properties: {
          a: { type: "object", properties: {}, additionalProperties: false },
          b: { enum: [{ type: "object" }] },
        },
        additionalProperties: false,
      },
    },
  });
  expect(warned).toEqual(["response_format"]);
  const loose = encode({ system: [{ kind: "text", text: "Hi." }], responseFormat: { kind: "json" } });
  expect(loose.fields["system"]).toMatchObject([
    { text: "Hi." },
    { text: expect.stringContaining("JSON object") as unknown },
  ]);
});

test("sampling goes as far as the model takes it", () => {
  const all = { temperature: 1.5, topP: 0.5, topK: 3 };
  expect(encode({ model: "claude-3-haiku-20240307", ...all }).fields).toMatchObject({
    temperature: 1,
    top_p: 0.5,
    top_k: 3,
  });
  const one = encode({ ...all, temperature: 0.2 });
  expect(one.fields).toMatchObject({ temperature: 0.2, top_k: 3 });
  expect([one.fields["top_p"], one.warned]).toEqual([undefined, ["top_p"]]);
  const none = encode({ model: "claude-opus-5-5", ...all, topP: 1 });
  expect(Object.keys(none.fields)).toEqual(["model", "max_tokens", "messages"]);
  expect(none.warned).toEqual(["temperature", "top_k"]);
});

test.each<readonly [model: string, change: Partial<NeutralRequest>, expected: JsonObject]>([
  ["claude-3-haiku-20240307", { reasoning: { effort: "high" } }, { max_tokens: 8192 }],
  [
    "claude-sonnet-4-5",
    { reasoning: { effort: "high" } },
    { max_tokens: 24_576, thinking: { type: "enabled", budget_tokens: 16_384 } },
  ],
  [
    "claude-sonnet-4-5",
    { reasoning: { effort: "high" }, maxTokens: 4000 },
    { max_tokens: 4000, thinking: { type: "enabled", budget_tokens: 3200 } },
  ],
  ["claude-sonnet-4-5", { reasoning: { effort: "low" }, maxTokens: 500 }, { max_tokens: 500 }],
  ["claude-sonnet-4-5", { reasoning: { effort: "none" } }, { max_tokens: 8192 }],
  [
    "claude-opus-4-5",
    { reasoning: { effort: "xhigh" }, maxTokens: 30_000 },
    { max_tokens: 30_000, thinking: { type: "enabled", budget_tokens: 20_000 }, output_config: { effort: "high" } },
  ],
  [
    "claude-opus-4-6",
    { reasoning: { effort: "minimal", isShown: true } },
    { max_tokens: 8192, thinking: { type: "adaptive" }, output_config: { effort: "low" } },
  ],
  [
    "claude-opus-4-6",
    { reasoning: { budgetTokens: 2000 }, maxTokens: 4000 },
    { max_tokens: 4000, thinking: { type: "enabled", budget_tokens: 2000 } },
  ],
  [
    "claude-opus-5-5",
    { reasoning: { budgetTokens: 9000, isShown: true } },
    { max_tokens: 8192, thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "high" } },
  ],
  ["claude-opus-5-5", { reasoning: { budgetTokens: 0 } }, { max_tokens: 8192, thinking: { type: "disabled" } }],
  ["claude-fable-5-1", { reasoning: { effort: "none" } }, { max_tokens: 8192, output_config: { effort: "low" } }],
])("thinking in the fields of %s: %j", (model, change, expected) => {
  const { messages: _messages, model: _model, ...rest } = encode({ model, ...change }).fields;
  expect(rest).toEqual(expected);
});

test("thinking is disabled for a forced call, and for a turn whose thinking is lost", () => {
  const tools = [{ kind: "function" as const, name: "f", parameters: {} }];
  const forced = encode({ tools, toolChoice: { kind: "required" }, reasoning: { effort: "low" } });
  expect(forced.fields).toMatchObject({ tool_choice: { type: "any" }, tools: [{ input_schema: { type: "object" } }] });
  expect([forced.fields["thinking"], forced.warned]).toEqual([undefined, ["reasoning"]]);
  const messages = [
    user(words("q")),
    assistant({ kind: "tool_call", id: "1", name: "f", arguments: "{}" }),
    user({ kind: "tool_result", id: "1", parts: [] }),
  ];
  const lost = encode({ tools, messages, reasoning: { budgetTokens: 2000 } });
  expect([lost.fields["thinking"], lost.warned]).toEqual([undefined, ["reasoning"]]);
  const adaptive = encode({ model: "claude-opus-5-5", tools, messages, reasoning: { effort: "low" } });
  expect(adaptive.fields["thinking"]).toEqual({ type: "adaptive" });
});

test("tools: the vendor's own search, strictness, one call at a time", () => {
  const { fields, warned } = encode({
    model: "claude-3-7-sonnet-20250219",
    tools: [
      {
        kind: "function",
        name: "f",
        description: "d",
        parameters: { type: "object" },
        isStrict: true,
        cache: { ttlSeconds: 3600 },
      },
      { kind: "web_search", maxUses: 2, contextSize: "low", location: { city: "Bern" } },
    ],
    hasParallelToolCalls: false,
  });
  expect(fields).toMatchObject({
    tools: [
      {
        name: "f",
        description: "d",
        input_schema: { type: "object" },
        cache_control: { type: "ephemeral", ttl: "1h" },
      },
      {
        type: "web_search_20250305",
        name: "web_search",
        max_uses: 2,
        user_location: { type: "approximate", city: "Bern" },
      },
    ],
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
  });
  expect(warned).toEqual(["tools[].strict", "search_context_size"].toSorted().reverse());
});

test("a generation is read wherever a name has it", () => {
  const generations: readonly (readonly [string, boolean, boolean])[] = [
    ["claude-3-7-sonnet-20250219", false, true],
    ["anthropic.claude-3-haiku-20240307-v1:0", false, true],
    ["claude-opus-4-20250514", false, true],
    ["claude-opus-4.6", true, true],
    ["claude-opus-4-7", true, false],
    ["claude-mythos-preview", true, false],
    ["glm-4.6", false, true],
  ];
  for (const [model, isAdaptive, hasBudget] of generations)
    expect([model, traitsOf(model)]).toMatchObject([
      model,
      { hasAdaptiveThinking: isAdaptive, hasThinkingBudget: hasBudget },
    ]);
});
