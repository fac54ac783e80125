/** Buffered chat answers: documented ones decoded, neutral ones encoded and decoded again, usage in the format's fields. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { NO_USAGE, type Usage } from "../../../../contract/src/pricing/usage.ts";
import type { AnswerInfo } from "../neutral/info.ts";
import type { JsonObject, NeutralAnswer, NeutralChoice } from "../neutral/neutral.ts";
import { decodeAnswer, encodeAnswer } from "./answer.ts";
import { decodeRequest } from "./request-decode.ts";
import { encodeUsage, normaliseUsage } from "./usage.ts";

const INFO: AnswerInfo = { model: "asked", requestId: "req1", createdAt: 7, asksUsage: true, isArray: false };
const fixture = (name: string): JsonObject =>
  JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), "utf8")) as JsonObject;
const only = (name: string): NeutralChoice | undefined => decodeAnswer(fixture(name))?.choices[0];
const written = (...choices: NeutralChoice[]): JsonObject =>
  JSON.parse(JSON.stringify(encodeAnswer({ id: "x", choices, rawUsage: undefined }, NO_USAGE, INFO))) as JsonObject;
const message = (choice: NeutralChoice, info = INFO): unknown =>
  encodeAnswer({ id: "x", choices: [choice], rawUsage: undefined }, NO_USAGE, info)["choices"];

test("documented answers decode", () => {
  expect(decodeAnswer(fixture("answer-default"))).toEqual({
    id: "chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG",
    fingerprint: "fp_fc9f1d7035",
    choices: [{ parts: [{ kind: "text", text: "Hello! How can I assist you today?" }], finish: "stop" }],
    rawUsage: expect.objectContaining({ prompt_tokens: 1117 }),
  });
  const args = '{\n"location": "Boston, MA"\n}';
  expect(only("answer-tools")).toEqual({
    parts: [{ kind: "tool_call", id: "call_abc123", name: "get_current_weather", arguments: args }],
    finish: "tool_calls",
  });
  expect(only("answer-refusal")).toEqual({
    parts: [{ kind: "refusal", text: "I'm sorry, I cannot assist with that request." }],
    finish: "refusal",
  });
  expect(only("answer-search")?.parts).toMatchObject([
    { citations: [{ url: "https://example.com/story", title: "A story", quote: "", start: 19, end: 55 }] },
  ]);
  // All of an entry that says whose it is, for its vendor wants it back unaltered.
  const whole = (entry: object) => `detail:${Buffer.from(JSON.stringify(entry)).toString("base64url")}`;
  const own = (entry: object) => ({ dialect: "openai-chat", value: whole(entry) });
  const format = "anthropic-claude-v1";
  expect(only("answer-reasoning")?.parts).toEqual([
    {
      kind: "reasoning",
      text: "Six times seven.",
      signature: own({ type: "reasoning.text", text: "", signature: "sig-1", id: "r1", format, index: 0 }),
    },
    {
      kind: "reasoning",
      text: "",
      signature: own({ type: "reasoning.encrypted", data: "c2VjcmV0", format, index: 1 }),
      isRedacted: true,
    },
    { kind: "text", text: "It is 42." },
  ]);
});

test("an answer of this format comes out as it went in", () => {
  for (const name of ["answer-default", "answer-logprobs", "answer-refusal", "answer-search"]) {
    const source = fixture(name);
    const answer = decodeAnswer(source);
    expect(answer).toBeDefined();
    const usage = normaliseUsage(source["usage"])?.usage ?? NO_USAGE;
    const again = encodeAnswer(answer as NeutralAnswer, usage, INFO);
    const [choice] = source["choices"] as [JsonObject];
    const { role, content, refusal, ...more } = choice["message"] as JsonObject;
    expect(again["choices"]).toEqual([
      { logprobs: null, ...choice, message: { role, content, refusal: refusal ?? null, annotations: [], ...more } },
    ]);
  }
});

test("what is no answer is not taken for one", () => {
  for (const fields of [{}, { choices: [] }, { choices: "x" }, { choices: [null, 5] }, { choices: [{ text: "x" }] }])
    expect(decodeAnswer(fields)).toBeUndefined();
});

test("other vendors' spellings are read", () => {
  const read = (choice: JsonObject) => decodeAnswer({ id: "chat-1", choices: [choice] })?.choices[0];
  const call = { function: { name: "f", arguments: { a: 1 } } };
  expect(read({ message: { tool_calls: [call, call] }, finish_reason: "stop" })).toEqual({
    parts: [
      { kind: "tool_call", id: "call_chat1_0_0", name: "f", arguments: '{"a":1}' },
      { kind: "tool_call", id: "call_chat1_0_1", name: "f", arguments: '{"a":1}' },
    ],
    finish: "tool_calls",
  });
  const mistral = [
    { type: "thinking", thinking: [] },
    { type: "text", text: "a" },
    { type: "text", text: "b" },
  ];
  expect(read({ message: { content: mistral }, finish_reason: "max_tokens" })).toEqual({
    parts: [{ kind: "text", text: "ab" }],
    finish: "length",
  });
  const images = [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }, { image_url: 5 }];
  expect(read({ message: { content: null, images } })?.parts).toEqual([
    { kind: "image", source: { kind: "base64", mimeType: "image/png", data: "AAAA" } },
  ]);
});

test("another vendor's answer becomes one of this format", () => {
  const signature = { dialect: "anthropic-messages", value: "s" } as const;
  const choice: NeutralChoice = {
    parts: [
      { kind: "reasoning", text: "think", signature },
      { kind: "reasoning", text: "", signature, isRedacted: true },
      { kind: "text", text: "12345", citations: [{ url: "https://a.b", title: "t", quote: "" }] },
      { kind: "text", text: "678", citations: [{ url: "https://a.c", title: "u", quote: "q", start: 1, end: 2 }] },
      { kind: "image", source: { kind: "base64", mimeType: "image/png", data: "AAAA" } },
      { kind: "tool_call", id: "c", name: "f", arguments: "{}", signature: { dialect: "gemini", value: "g" } },
    ],
    finish: "tool_calls",
  };
  const packed = "turnpike:anthropic-messages:s";
  expect(written(choice)).toEqual({
    id: "chatcmpl-req1",
    object: "chat.completion",
    created: 7,
    model: "asked",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: "12345678![image](data:image/png;base64,AAAA)",
          refusal: null,
          reasoning_content: "think",
          reasoning_details: [
            { type: "reasoning.text", text: "think", signature: packed, index: 0 },
            { type: "reasoning.encrypted", data: packed, index: 1 },
          ],
          annotations: [
            { type: "url_citation", url_citation: { start_index: 0, end_index: 5, title: "t", url: "https://a.b" } },
            {
              type: "url_citation",
              url_citation: { start_index: 6, end_index: 7, title: "u", url: "https://a.c", content: "q" },
            },
          ],
          tool_calls: [
            {
              id: "c",
              type: "function",
              function: { name: "f", arguments: "{}" },
              extra_content: { google: { thought_signature: "turnpike:gemini:g" } },
            },
          ],
        },
        logprobs: null,
        finish_reason: "tool_calls",
      },
    ],
    usage: encodeUsage(NO_USAGE),
  });
});

test("the signature of thinking travels on the call too, for clients that keep only that", () => {
  const signature = { dialect: "anthropic-messages", value: "s" } as const;
  const calls = ["a", "b"].map((id) => ({ kind: "tool_call", id, name: "f", arguments: "{}" }) as const);
  const parts = [{ kind: "reasoning", text: "think", signature }, ...calls] as const;
  const [{ message: whole }] = message({ parts, finish: "tool_calls" }) as [{ message: JsonObject }];
  const { reasoning_details: _details, ...kept } = whole;
  expect(kept["tool_calls"]).toMatchObject([
    { extra_content: { google: { thought_signature: "turnpike:anthropic-messages:s" } } },
    { id: "b" },
  ]);
  for (const each of [whole, kept]) {
    const results = ["a", "b"].map((id) => ({ role: "tool", tool_call_id: id, content: "x" }));
    const request = decodeRequest({ model: "m", messages: [each, ...results] }, { model: "", isStream: false });
    expect(request.messages[0]?.parts).toEqual(parts);
  }
});

test("finish reasons have this format's names", () => {
  const words = (["stop", "stop_sequence", "length", "content_filter", "refusal", "pause"] as const).map(
    (finish) => (message({ parts: [{ kind: "text", text: "x" }], finish }) as [JsonObject])[0]["finish_reason"],
  );
  expect(words).toEqual(["stop", "stop", "length", "content_filter", "content_filter", "stop"]);
  expect(message({ parts: [{ kind: "refusal", text: "no" }], finish: "refusal" })).toMatchObject([
    { message: { content: null, refusal: "no" }, finish_reason: "stop" },
  ]);
});

test("a client of the retired functions reads function_call", () => {
  const parts = [{ kind: "tool_call", id: "c", name: "f", arguments: "{}" }] as const;
  const legacy = { ...INFO, request: { functions: [{ name: "f" }] } };
  const [choice] = message({ parts, finish: "tool_calls" }, legacy) as [{ message: JsonObject }];
  expect(choice).toMatchObject({
    finish_reason: "function_call",
    message: { content: null, function_call: { name: "f", arguments: "{}" } },
  });
  expect(choice.message).not.toHaveProperty("tool_calls");
});

test("usage counts caches and reasoning inside their wholes", () => {
  const usage: Usage = {
    ...NO_USAGE,
    inputTokens: 100,
    outputTokens: 50,
    cacheReadTokens: 20,
    cacheWriteTokens: 5,
    cacheWriteLongTokens: 6,
    reasoningTokens: 30,
    audioInputTokens: 1,
    audioOutputTokens: 2,
    imageInputTokens: 3,
  };
  expect(encodeUsage(usage)).toEqual({
    prompt_tokens: 100,
    completion_tokens: 50,
    total_tokens: 150,
    prompt_tokens_details: { cached_tokens: 20, audio_tokens: 1, image_tokens: 3, cache_write_tokens: 11 },
    completion_tokens_details: { reasoning_tokens: 30, audio_tokens: 2 },
  });
  expect(normaliseUsage(encodeUsage({ ...usage, cacheWriteLongTokens: 0 }))?.usage).toEqual({
    ...usage,
    cacheWriteLongTokens: 0,
  });
});

const words = fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" });
const signature = words.map((value) => ({ dialect: "anthropic-messages" as const, value }));
const citation = fc.record({ url: fc.webUrl(), title: words, quote: words, start: fc.nat(5), end: fc.nat(5) });
const text = fc.record(
  { kind: fc.constant("text" as const), text: words, citations: fc.array(citation, { minLength: 1, maxLength: 2 }) },
  { requiredKeys: ["kind", "text"] },
);
const proof = words.map((value) => ({ dialect: "gemini" as const, value }));
const call = fc.record(
  {
    kind: fc.constant("tool_call" as const),
    id: words,
    name: words,
    arguments: fc.constant('{"a":1}'),
    signature: proof,
  },
  { requiredKeys: ["kind", "id", "name", "arguments"] },
);
const choice: fc.Arbitrary<NeutralChoice> = fc
  .record({
    thoughts: fc.array(fc.record({ kind: fc.constant("reasoning" as const), text: words, signature }), {
      maxLength: 2,
    }),
    said: fc.array(text, { maxLength: 1 }),
    calls: fc.array(call, { maxLength: 3 }),
    finish: fc.constantFrom("stop" as const, "length" as const, "content_filter" as const),
  })
  .map(({ thoughts, said, calls, finish }) => ({
    parts: [...thoughts, ...said, ...calls],
    finish: finish === "stop" && calls.length > 0 ? ("tool_calls" as const) : finish,
  }));

test("answers come back as they were", () => {
  fc.assert(
    fc.property(fc.array(choice, { minLength: 1, maxLength: 3 }), (choices) => {
      expect(decodeAnswer(written(...choices))?.choices).toEqual(choices);
    }),
  );
});

test("no upstream's body can break the reading", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (content, calls) => {
      const fields = {
        id: 5,
        choices: [{ message: { content, tool_calls: calls, annotations: calls, images: content } }],
      };
      expect(decodeAnswer(fields as never)?.choices).toHaveLength(1);
    }),
  );
});

// Recorded from Snowflake's Cortex, reduced.
test("a server that writes every field makes no call of an empty one", () => {
  const empty = { function_call: { name: "", arguments: "" }, tool_calls: null, content: "hi" };
  const answer = decodeAnswer({ choices: [{ index: 0, message: empty, finish_reason: "stop" }] });
  const none = [{ parts: [{ kind: "text", text: "hi" }], finish: "stop" }];
  expect(answer?.choices).toEqual(none);
  const calls = [{ id: "", type: "", function: { name: "", arguments: "" } }];
  const listed = { content: "hi", tool_calls: calls, function_call: null };
  expect(decodeAnswer({ choices: [{ index: 0, message: listed, finish_reason: "stop" }] })?.choices).toEqual(none);
});

// Recorded from Azure (openllmetry, test_azure/test_chat_content_filtering), reduced.
test("a choice that a filter took away is an empty answer with that reason", () => {
  const filtered = { finish_reason: "content_filter", index: 0, content_filter_results: { hate: { filtered: true } } };
  const answer = decodeAnswer({ choices: [filtered], usage: { prompt_tokens: 15, completion_tokens: 19 } });
  expect(answer?.choices).toEqual([{ parts: [], finish: "content_filter" }]);
  expect(answer?.rawUsage).toMatchObject({ prompt_tokens: 15 });
  expect(decodeAnswer({ choices: [{ index: 0, finish_reason: "stop" }] })).toBeUndefined();
});

// `null` recorded from Cohere, reduced.
test.each(["null", "", " null "])("arguments %j are none", (text) => {
  const message = { tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: text } }] };
  const answer = decodeAnswer({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
  expect(answer?.choices[0]?.parts).toMatchObject([{ kind: "tool_call", name: "f", arguments: "{}" }]);
});

// Recorded from Mistral between 2026-01-29 and 2026-02-10, reduced.
test("cached tokens are read under Mistral's earlier name", () => {
  const usage = { prompt_tokens: 100, completion_tokens: 5, num_cached_tokens: 64 };
  expect(normaliseUsage(usage)?.usage).toMatchObject({ inputTokens: 100, cacheReadTokens: 64 });
});

test("searches that OpenRouter counts are calls of its tool", () => {
  const usage = { prompt_tokens: 100, completion_tokens: 5, server_tool_use: { web_search_requests: 2 } };
  const search = { tool: "web_search", calls: 2, usdPerThousand: "" };
  expect(normaliseUsage(usage)?.usage.toolCalls).toEqual([search]);
  expect(normaliseUsage({ ...usage, server_tool_use: null })?.usage.toolCalls).toEqual([]);
});
