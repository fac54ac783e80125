/** Requests for a Responses upstream: what each model takes, what is dropped or refused, and that nothing is lost there and back. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type JsonObject, type NeutralPart, type NeutralRequest, TranslationFault } from "../neutral/neutral.ts";
import { openAiResponsesDialect as dialect } from "./openai-responses.ts";

const PATH = { model: "", isStream: false };
const SILENT = (): void => undefined;

const plain = (fields: Partial<NeutralRequest>): NeutralRequest => ({
  model: "gpt-5.4",
  isStream: false,
  system: [],
  messages: [{ role: "user", parts: [{ kind: "text", text: "hi" }] }],
  tools: [],
  unknownFields: [],
  ...fields,
});

/** The body and the fields that were warned of. */
function encode(fields: Partial<NeutralRequest>): { body: JsonObject; warned: string[] } {
  const warned: string[] = [];
  return { body: dialect.encodeRequest(plain(fields), (field) => warned.push(field)), warned };
}

test("nothing is stored at the vendor, and its reasoning comes back with its signature", () => {
  expect(encode({}).body).toEqual({
    model: "gpt-5.4",
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] }],
    include: ["reasoning.encrypted_content"],
    store: false,
  });
  expect(encode({ model: "gpt-4o" }).body).not.toHaveProperty("include");
});

test("reasoning models get an effort they know and no sampling", () => {
  const given = { temperature: 0.5, topP: 1, reasoning: { budgetTokens: 5000, isShown: true } };
  expect(encode(given)).toMatchObject({
    body: { reasoning: { effort: "medium", summary: "auto" } },
    warned: ["temperature"],
  });
  expect(encode(given).body).not.toHaveProperty("top_p");
  expect(encode({ reasoning: { budgetTokens: 0 } }).body).toMatchObject({ reasoning: { effort: "none" } });
  expect(encode({ model: "gpt-5-mini", reasoning: { budgetTokens: 0 } }).body).toMatchObject({
    reasoning: { effort: "minimal" },
  });
  expect(encode({ model: "o3", reasoning: { effort: "none" } }).body).toMatchObject({ reasoning: { effort: "low" } });
  const old = encode({ ...given, model: "gpt-4o" });
  expect(old).toMatchObject({ body: { temperature: 0.5, top_p: 1 }, warned: ["reasoning"] });
  expect(encode({ model: "gpt-5.4", temperature: 0.2, reasoning: { effort: "none" } }).body).toMatchObject({
    temperature: 0.2,
  });
});

test("what the vendor has no place for is a warning or a fault", () => {
  const { warned } = encode({
    topK: 4,
    seed: 1,
    presencePenalty: 1,
    frequencyPenalty: 1,
    logitBias: {},
    maxTokens: 5,
    serviceTier: "standard_only",
  });
  expect(warned.toSorted()).toEqual([
    "frequency_penalty",
    "logit_bias",
    "max_tokens",
    "presence_penalty",
    "seed",
    "service_tier",
    "top_k",
  ]);
  const audio: NeutralPart = { kind: "audio", source: { kind: "base64", mimeType: "audio/wav", data: "QQ==" } };
  const image: NeutralPart = { kind: "image", source: { kind: "url", url: "https://a" } };
  for (const fields of [
    { choices: 2 },
    { stop: ["x"] },
    { messages: [{ role: "user", parts: [audio] }] },
    { tools: [{ kind: "web_search", blockedDomains: ["a.com"] }] },
  ] satisfies Partial<NeutralRequest>[])
    expect(() => encode(fields)).toThrow(TranslationFault);
  const drawn: NeutralRequest["messages"] = [
    { role: "assistant", parts: [image] },
    { role: "user", parts: [{ kind: "text", text: "again" }] },
  ];
  expect(encode({ messages: drawn }).body["input"]).toEqual([
    {
      type: "message",
      role: "user",
      content: [
        { type: "input_image", image_url: "https://a", detail: "auto" },
        { type: "input_text", text: "again" },
      ],
    },
  ]);
});

test("another vendor's reasoning is left out, our own goes back as it came", () => {
  const own = { dialect: "openai-responses", value: "rs_1:gAAA" } as const;
  const { body, warned } = encode({
    messages: [
      {
        role: "assistant",
        parts: [
          { kind: "reasoning", text: "a", signature: own },
          { kind: "reasoning", text: "b", signature: { dialect: "gemini", value: "x" } },
          { kind: "text", text: "c" },
          { kind: "text", text: "d" },
          { kind: "tool_call", id: "t", name: "f", arguments: "{}", signature: { dialect: "gemini", value: "y" } },
        ],
      },
    ],
  });
  expect(body["input"]).toEqual([
    { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "a" }], encrypted_content: "gAAA" },
    {
      type: "message",
      role: "assistant",
      content: [
        { type: "output_text", text: "c", annotations: [] },
        { type: "output_text", text: "d", annotations: [] },
      ],
    },
    { type: "function_call", call_id: "t", name: "f", arguments: "{}" },
  ]);
  expect(warned).toEqual(["reasoning"]);
});

const word = fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" });
const name = fc.stringMatching(/^[a-z_]{1,8}$/);
const base64 = fc.stringMatching(/^[A-Za-z0-9+/]{4,8}$/);
const imageSource = fc.oneof(
  fc.record({ kind: fc.constant("url" as const), url: fc.webUrl() }),
  fc.record({ kind: fc.constant("base64" as const), mimeType: fc.constant("image/png"), data: base64 }),
);
const text = fc.record({ kind: fc.constant("text" as const), text: word });
const image = fc.record({
  kind: fc.constant("image" as const),
  source: imageSource,
  detail: fc.constantFrom("low", "auto"),
});
const file = fc.oneof(
  fc.record({
    kind: fc.constant("file" as const),
    source: fc.record({ kind: fc.constant("url" as const), url: fc.webUrl() }),
  }),
  fc.record({
    kind: fc.constant("file" as const),
    source: fc.record({ kind: fc.constant("base64" as const), mimeType: fc.constant("text/plain"), data: base64 }),
    name: word,
  }),
);
const media = fc.array(fc.oneof(text, image, file), { minLength: 1, maxLength: 3 });
const signature = fc.record({
  dialect: fc.constant("openai-responses" as const),
  value: fc.stringMatching(/^rs_[a-z0-9]{3}:[A-Za-z0-9_-]{4,9}$/),
});
const reasoning = fc.oneof(
  fc.record({ kind: fc.constant("reasoning" as const), text: word, signature }),
  fc.record({
    kind: fc.constant("reasoning" as const),
    text: fc.constant(""),
    signature,
    isRedacted: fc.constant(true as const),
  }),
);
const refusal = fc.record({ kind: fc.constant("refusal" as const), text: word });

const written = fc.dictionary(name, fc.jsonValue({ maxDepth: 1 })).map((value) => JSON.stringify(value));

/** An exchange: the user's text, the model's turn, and the results of its calls with the user's next text. */
const exchange = fc
  .record({
    asked: media,
    said: fc.array(fc.oneof(text, refusal, reasoning), { minLength: 1, maxLength: 4 }),
    calls: fc.array(fc.record({ name, arguments: written, output: fc.option(media) }), { maxLength: 2 }),
  })
  .map(({ asked, said, calls }) => ({ asked, said, calls }));

const conversation = fc.array(exchange, { minLength: 1, maxLength: 3 }).map((exchanges) => {
  const messages: NeutralRequest["messages"][number][] = [];
  for (const [turn, { asked, said, calls }] of exchanges.entries()) {
    const ids = calls.map((_, index) => `call_${turn}_${index}`);
    const last = messages.at(-1);
    // Results and the user's next text are one turn.
    if (last?.role === "user") messages[messages.length - 1] = { role: "user", parts: [...last.parts, ...asked] };
    else messages.push({ role: "user", parts: asked });
    const made = calls.map((call, index) => ({
      kind: "tool_call" as const,
      id: ids[index] ?? "",
      name: call.name,
      arguments: call.arguments,
    }));
    messages.push({ role: "assistant", parts: [...said, ...made] });
    const results = calls.map(({ output }, index) => ({
      kind: "tool_result" as const,
      id: ids[index] ?? "",
      parts: output ?? [],
    }));
    if (results.length > 0) messages.push({ role: "user", parts: results });
  }
  return messages;
});

const optional = <Value>(key: string, value: fc.Arbitrary<Value>): fc.Arbitrary<object> =>
  fc.option(value).map((made) => (made === null ? {} : { [key]: made }));

const settings = fc
  .tuple(
    optional(
      "toolChoice",
      fc.constantFrom({ kind: "auto" }, { kind: "none" }, { kind: "required" }, { kind: "tool", name: "f" }),
    ),
    optional("hasParallelToolCalls", fc.boolean()),
    optional("maxTokens", fc.integer({ min: 16, max: 9999 })),
    optional("temperature", fc.constantFrom(0, 0.5, 2)),
    optional("topP", fc.constantFrom(0.1, 1)),
    optional("user", word),
    optional("metadata", fc.dictionary(name, word, { noNullPrototype: true })),
    optional("serviceTier", fc.constantFrom("auto", "flex")),
    optional("verbosity", fc.constantFrom("low", "high")),
    optional(
      "responseFormat",
      fc.oneof(
        fc.constant({ kind: "json" }),
        fc.record({
          kind: fc.constant("json_schema"),
          name,
          schema: fc.constant({ type: "object" }),
          description: word,
          isStrict: fc.boolean(),
        }),
      ),
    ),
    fc.constantFrom({}, { hasLogprobs: true }, { hasLogprobs: true, topLogprobs: 3 }),
  )
  .map((made) => Object.assign({}, ...(made as object[])) as Partial<NeutralRequest>);

const tools = fc.constant([
  {
    kind: "function" as const,
    name: "f",
    description: "d",
    parameters: { type: "object", properties: {} },
    isStrict: false,
  },
  {
    kind: "web_search" as const,
    contextSize: "low" as const,
    maxUses: 2,
    allowedDomains: ["a.com"],
    location: { city: "Riga" },
  },
]);

test("what the dialect can express survives encoding and decoding", () => {
  const request = fc
    .record({
      isStream: fc.boolean(),
      system: fc.array(text, { maxLength: 1 }),
      messages: conversation,
      tools,
      settings,
    })
    // It always sends `store: false`.
    .map(({ settings: made, ...rest }): NeutralRequest => ({
      model: "gpt-4.1",
      unknownFields: [],
      isKept: false,
      ...rest,
      ...made,
    }));
  fc.assert(
    fc.property(request, (given) => {
      const body = JSON.parse(JSON.stringify(dialect.encodeRequest(given, SILENT))) as JsonObject;
      expect(dialect.decodeRequest(body, PATH)).toEqual(given);
    }),
    { numRuns: 300 },
  );
});
