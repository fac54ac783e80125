/** Neutral requests encoded as chat requests, and each decoded again to the same. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type JsonObject, type NeutralRequest, TranslationFault } from "../neutral/neutral.ts";
import { encodeRequest } from "./request-encode.ts";
import { decodeRequest } from "./request-decode.ts";

const CALL = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };

function encoded(request: NeutralRequest): { fields: JsonObject; warnings: string[] } {
  const warnings: string[] = [];
  const fields = encodeRequest(request, (field) => void warnings.push(field));
  return { fields: JSON.parse(JSON.stringify(fields)) as JsonObject, warnings };
}

const empty: NeutralRequest = { model: "m", isStream: false, system: [], messages: [], tools: [], unknownFields: [] };

test("results come right behind their calls; their pictures follow with the user", () => {
  const picture = { kind: "base64", mimeType: "image/png", data: "AAAA" } as const;
  const { fields, warnings } = encoded({
    ...empty,
    messages: [
      {
        role: "assistant",
        parts: [
          { kind: "image", source: picture },
          { kind: "tool_call", id: "x".repeat(50), name: "f", arguments: "{}" },
        ],
      },
      {
        role: "user",
        parts: [
          { kind: "tool_result", id: "x".repeat(50), parts: [{ kind: "image", source: picture }], isError: true },
          { kind: "text", text: "well?" },
        ],
      },
    ],
  });
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
  expect(fields["messages"]).toEqual([
    { role: "assistant", content: null, tool_calls: [{ ...CALL, id: "call_long_0" }] },
    { role: "tool", tool_call_id: "call_long_0", content: "The result is attached to the next message." },
    { role: "user", content: [image, image, { type: "text", text: "well?" }] },
  ]);
  expect(warnings).toEqual(["messages"]);
});

test("thinking goes back to the vendors of this format and to no other", () => {
  const own = { dialect: "openai-chat", value: "s" } as const;
  const foreign = { dialect: "anthropic-messages", value: "t" } as const;
  const messages = [
    {
      role: "assistant",
      parts: [
        { kind: "reasoning", text: "a", signature: own },
        { kind: "reasoning", text: "b", signature: foreign },
        { kind: "text", text: "x" },
      ],
    },
  ] as const;
  expect(encoded({ ...empty, model: "deepseek-chat", messages }).fields["messages"]).toEqual([
    {
      role: "assistant",
      content: "x",
      reasoning_content: "a",
      reasoning_details: [{ type: "reasoning.text", text: "a", signature: "s", index: 0 }],
    },
  ]);
  const unsigned = [
    {
      role: "assistant",
      parts: [{ kind: "reasoning", text: "a", signature: { dialect: "openai-chat", value: "unsigned" } }],
    },
  ] as const;
  expect(encoded({ ...empty, messages: unsigned }).fields["messages"]).toEqual([
    { role: "assistant", content: "", reasoning_content: "a" },
  ]);
  expect(encoded({ ...empty, model: "gpt-4o", messages }).fields["messages"]).toEqual([
    { role: "assistant", content: "x" },
  ]);
});

test("budgets become efforts, and models that do not reason are not asked to", () => {
  const effort = (model: string, reasoning: NeutralRequest["reasoning"]) =>
    encoded({ ...empty, model, ...(reasoning === undefined ? {} : { reasoning }) });
  expect(effort("gpt-5", { budgetTokens: 0 }).fields["reasoning_effort"]).toBe("minimal");
  expect(effort("gpt-5.1", { budgetTokens: 0 }).fields["reasoning_effort"]).toBe("none");
  expect(effort("gpt-5", { budgetTokens: 4000 }).fields["reasoning_effort"]).toBe("low");
  expect(effort("gpt-5", { budgetTokens: 32_000 }).fields["reasoning_effort"]).toBe("high");
  expect(effort("gpt-5", { effort: "minimal", budgetTokens: 9000 }).fields["reasoning_effort"]).toBe("minimal");
  expect(effort("gpt-4o", { effort: "high" })).toMatchObject({ warnings: ["reasoning"] });
  expect(effort("gpt-4o", { effort: "high" }).fields["reasoning_effort"]).toBeUndefined();
});

test("what chat completions lack is a warning or a fault", () => {
  const warned = encoded({ ...empty, topK: 3, metadata: { a: "b" }, serviceTier: "batch" });
  expect(warned.warnings).toEqual(["top_k", "metadata", "service_tier"]);
  expect(Object.keys(warned.fields)).toEqual(["model", "messages"]);
  expect(encoded({ ...empty, serviceTier: "standard_only" }).fields["service_tier"]).toBe("default");
  const withPart = (part: object) => () => encoded({ ...empty, messages: [{ role: "user", parts: [part] }] } as never);
  expect(withPart({ kind: "file", source: { kind: "url", url: "https://a.b/c.pdf" } })).toThrow(TranslationFault);
  expect(withPart({ kind: "audio", source: { kind: "base64", mimeType: "audio/flac", data: "" } })).toThrow(
    TranslationFault,
  );
  expect(() => encoded({ ...empty, tools: [{ kind: "web_search", allowedDomains: ["a.b"] }] })).toThrow(
    TranslationFault,
  );
  const text = { kind: "file", source: { kind: "base64", mimeType: "text/plain", data: "aGk=" } } as const;
  expect(encoded({ ...empty, messages: [{ role: "user", parts: [text] }] }).fields["messages"]).toEqual([
    { role: "user", content: [{ type: "text", text: "hi" }] },
  ]);
});

test("a search is asked of models that have one, and left out beside tools where they have none", () => {
  const search = { kind: "web_search" as const };
  const own = { kind: "function" as const, name: "f", parameters: { type: "object" } };
  const asked = (model: string, tools: NeutralRequest["tools"], more: Partial<NeutralRequest> = {}) =>
    encoded({ ...empty, model, tools, ...more });
  expect(asked("gpt-5-search-api", [search, own])).toMatchObject({ fields: { web_search_options: {} }, warnings: [] });
  // Nothing is known of the server: it may pass over the field.
  expect(asked("some-model", [search])).toMatchObject({ fields: { web_search_options: {} }, warnings: ["tools"] });
  const of = (webSearch: NeutralRequest["webSearch"]) => () => asked("some-model", [search], { webSearch });
  expect(of("options")()).toMatchObject({ fields: { web_search_options: {} }, warnings: [] });
  expect(of("enable_search")().fields).toMatchObject({ enable_search: true });
  expect(of("enable_search")().fields).not.toHaveProperty("web_search_options");
  expect(of("none")).toThrow(TranslationFault);
  for (const model of ["gpt-4o", "some-model"]) {
    const { fields, warnings } = asked(model, [search, own], { toolChoice: { kind: "auto" } });
    expect([fields["web_search_options"], warnings]).toEqual([undefined, ["tools"]]);
  }
  expect(() => asked("gpt-4o", [search])).toThrow(TranslationFault);
  expect(() => asked("o3", [search, own], { toolChoice: { kind: "required" } })).toThrow(TranslationFault);
});

test("DeepSeek's thinking is switched off if the thinking before a call is lost", () => {
  const call = { kind: "tool_call" as const, id: "c1", name: "f", arguments: "{}" };
  const thought = { kind: "reasoning" as const, text: "I look." };
  const result = { role: "user" as const, parts: [{ kind: "tool_result" as const, id: "c1", parts: [] }] };
  const asked = (model: string, parts: NeutralRequest["messages"][number]["parts"]) =>
    encoded({ ...empty, model, messages: [{ role: "assistant", parts }, result] });
  expect(asked("deepseek-v4-pro", [call])).toMatchObject({
    fields: { thinking: { type: "disabled" } },
    warnings: ["reasoning"],
  });
  expect(asked("deepseek-v4-pro", [thought, call]).fields).not.toHaveProperty("thinking");
  expect(asked("some-model", [call]).fields).not.toHaveProperty("thinking");
});

test("a user id is sent if the vendor accepts its length", () => {
  expect(encoded({ ...empty, user: "u".repeat(64) }).fields["user"]).toHaveLength(64);
  const { fields, warnings } = encoded({ ...empty, user: "u".repeat(65) });
  expect([fields["user"], warnings]).toEqual([undefined, ["user"]]);
});

const words = fc
  .string({ minLength: 1, maxLength: 12, unit: "grapheme" })
  .filter((text) => !text.includes("![image]("));
const name = fc.stringMatching(/^[a-z][a-z_]{0,8}$/);
const base64 = fc.uint8Array({ minLength: 1, maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString("base64"));
const textPart = fc.record({ kind: fc.constant("text" as const), text: words });
const imagePart = fc.record(
  {
    kind: fc.constant("image" as const),
    source: fc.oneof(
      fc.webUrl().map((url) => ({ kind: "url" as const, url })),
      base64.map((data) => ({ kind: "base64" as const, mimeType: "image/png", data })),
    ),
    detail: fc.constantFrom("low", "high", "auto"),
  },
  { requiredKeys: ["kind", "source"] },
);
const audioPart = base64.map((data) => ({
  kind: "audio" as const,
  source: { kind: "base64" as const, mimeType: "audio/wav", data },
}));
const filePart = fc.record({ name, data: base64 }).map(({ name: file, data }) => ({
  kind: "file" as const,
  source: { kind: "base64" as const, mimeType: "application/pdf", data },
  name: file,
}));
const userMessage = fc.array(fc.oneof(textPart, imagePart, audioPart, filePart), { minLength: 1, maxLength: 3 });
const signature = words.map((value) => ({ dialect: "openai-chat" as const, value: `s${value}` }));
const thought = fc.record({ kind: fc.constant("reasoning" as const), text: words, signature });

/** A turn of the assistant with its calls, and the user's answer to them. */
const turn = fc
  .record({
    thoughts: fc.array(thought, { maxLength: 2 }),
    said: fc.array(textPart, { minLength: 1, maxLength: 1 }),
    calls: fc.array(name, { maxLength: 3 }),
    signature: fc.option(signature, { nil: undefined }),
    user: userMessage,
    result: words,
  })
  .map(({ thoughts, said, calls, signature: own, user, result }) => {
    const called = calls.map((each, index) => ({
      kind: "tool_call" as const,
      id: `call_${index}`,
      name: each,
      arguments: `{"a":${index}}`,
      ...(own === undefined ? {} : { signature: own }),
    }));
    const results = called.map(({ id, name: tool }) => ({
      kind: "tool_result" as const,
      id,
      name: tool,
      parts: [{ kind: "text" as const, text: result }],
    }));
    return [
      { role: "assistant" as const, parts: [...thoughts, ...said, ...called] },
      { role: "user" as const, parts: [...results, ...user] },
    ];
  });

const tool = fc.record(
  {
    kind: fc.constant("function" as const),
    name,
    description: words,
    parameters: fc.constant({ type: "object", properties: { a: { type: "number" } } }),
    isStrict: fc.boolean(),
  },
  { requiredKeys: ["kind", "name", "parameters"] },
);

const request: fc.Arbitrary<NeutralRequest> = fc
  .record(
    {
      model: fc.constant("some-model"),
      isStream: fc.boolean(),
      system: fc.array(textPart, { maxLength: 2 }),
      first: userMessage,
      turns: fc.array(turn, { maxLength: 3 }),
      tools: fc.array(tool, { minLength: 1, maxLength: 3 }),
      toolChoice: fc.constantFrom({ kind: "auto" as const }, { kind: "required" as const }, { kind: "none" as const }),
      hasParallelToolCalls: fc.boolean(),
      maxTokens: fc.integer({ min: 1, max: 9999 }),
      temperature: fc.constantFrom(0, 0.5, 2),
      topP: fc.constantFrom(0.1, 1),
      presencePenalty: fc.constantFrom(-1, 1),
      frequencyPenalty: fc.constantFrom(-1, 1),
      seed: fc.integer(),
      stop: fc.array(words, { minLength: 1, maxLength: 4 }),
      choices: fc.integer({ min: 1, max: 4 }),
      hasLogprobs: fc.boolean(),
      topLogprobs: fc.integer({ min: 0, max: 20 }),
      logitBias: fc.constant({ "50256": -100 }),
      responseFormat: fc.constantFrom(
        { kind: "json" as const },
        { kind: "json_schema" as const, name: "n", schema: { type: "object" }, isStrict: true, description: "d" },
      ),
      reasoning: fc.constantFrom({ effort: "low" as const }, { effort: "max" as const }),
      user: words,
      serviceTier: fc.constantFrom("auto", "flex"),
      verbosity: fc.constantFrom("low", "high"),
    },
    { requiredKeys: ["model", "isStream", "system", "first", "turns", "tools"] },
  )
  .map(({ first, turns, ...rest }) => ({
    ...rest,
    messages: [{ role: "user" as const, parts: first }, ...turns.flat()],
    unknownFields: [],
  })) as fc.Arbitrary<NeutralRequest>;

test("what chat completions can say comes back as it was", () => {
  fc.assert(
    fc.property(request, (neutral) => {
      const { fields, warnings } = encoded(neutral);
      expect(warnings).toEqual([]);
      expect(decodeRequest(fields, { model: "", isStream: false })).toEqual(neutral);
    }),
  );
});
