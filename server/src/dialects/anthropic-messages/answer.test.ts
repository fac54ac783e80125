/** Anthropic's buffered answers, usage and errors: documented ones decoded, and encoding into the vendor's format. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { NO_USAGE } from "../../../../contract/src/pricing/usage.ts";
import { anthropicMessagesDialect as dialect } from "./anthropic-messages.ts";
import type { AnswerInfo } from "../neutral/info.ts";
import type { JsonObject, NeutralAnswer, NeutralPart } from "../neutral/neutral.ts";

const textOf = (name: string): string => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), "utf8");
const decode = (name: string): NeutralAnswer | undefined =>
  dialect.decodeAnswer(JSON.parse(textOf(name)) as JsonObject);
const info: AnswerInfo = { model: "asked-for", requestId: "req-1", createdAt: 0, asksUsage: true, isArray: false };
const own = (value: string) => ({ dialect: "anthropic-messages" as const, value });
const encode = (parts: readonly NeutralPart[], finish: NeutralAnswer["choices"][number]["finish"] = "stop") =>
  dialect.encodeAnswer({ id: "chatcmpl-7", choices: [{ parts, finish }], rawUsage: undefined }, NO_USAGE, info);

test("documented answers are read", () => {
  expect(decode("text-answer.json")?.choices).toEqual([
    { parts: [{ kind: "text", text: "Hi! My name is Claude." }], finish: "stop" },
  ]);
  expect(decode("tool-answer.json")?.choices).toEqual([
    {
      finish: "tool_calls",
      parts: [
        { kind: "reasoning", text: "The user wants the weather.", signature: own("EqQBCgIYAhIM1gbcDa9GJwZA2b3h") },
        { kind: "reasoning", text: "", signature: own("EmwKAhgBEgy3va3pzix"), isRedacted: true },
        { kind: "text", text: "I'll check." },
        {
          kind: "tool_call",
          id: "toolu_01A09q90qw90lq917835lq9",
          name: "get_weather",
          arguments: '{"location":"San Francisco, CA","usage":{"input_tokens":7}}',
        },
      ],
    },
  ]);
  expect(decode("search-answer.json")?.choices[0]?.parts).toEqual([
    {
      kind: "text",
      text: "Claude Shannon was born on April 30, 1916.",
      citations: [
        {
          url: "https://encyclopedia.example/shannon",
          title: "Claude Shannon",
          quote: "Claude Elwood Shannon (April 30, 1916)",
        },
      ],
    },
  ]);
  expect(decode("refusal-answer.json")?.choices[0]).toEqual({
    parts: [{ kind: "refusal", text: "The request could enable harm." }],
    finish: "content_filter",
  });
});

test("what is no message is none, and blocks of the wrong type are passed over", () => {
  expect(dialect.decodeAnswer({ type: "error", error: {} })).toBeUndefined();
  expect(dialect.decodeAnswer({ content: [null, 7, { type: "text" }, { type: "hologram" }] })).toMatchObject({
    choices: [{ parts: [{ kind: "text", text: "" }], finish: "stop" }],
  });
  expect(dialect.isErrorBody({ type: "error", error: { message: "no" } })).toBe(true);
  expect(dialect.isErrorBody({ type: "message", content: [] })).toBe(false);
});

test("a documented answer comes back as it was", () => {
  for (const name of ["text-answer.json", "tool-answer.json"]) {
    const answer = decode(name);
    if (answer === undefined) throw new Error("not read");
    const usage = dialect.normaliseUsage(answer.rawUsage)?.usage ?? NO_USAGE;
    const written = dialect.encodeAnswer(answer, usage, info);
    expect(dialect.decodeAnswer(written)?.choices).toEqual(answer.choices);
    expect(dialect.normaliseUsage(written["usage"])?.usage).toEqual(usage);
    expect(written).toMatchObject({ id: answer.id, type: "message", role: "assistant", model: "asked-for" });
  }
});

test("answers of other vendors in this format", () => {
  const signature = { dialect: "openai-responses" as const, value: "rs_1:abc" };
  const written = encode([
    { kind: "reasoning", text: "hm" },
    { kind: "reasoning", text: "sum", signature },
    { kind: "reasoning", text: "", signature, isRedacted: true },
    { kind: "image", source: { kind: "base64", mimeType: "image/png", data: "AAAA" } },
    { kind: "text", text: "see", citations: [{ url: "https://a.example", title: "A", quote: "q" }] },
    { kind: "tool_call", id: "c1", name: "f", arguments: "not json" },
  ]);
  expect(written).toMatchObject({ id: "msg_chatcmpl-7", stop_reason: "tool_use", stop_sequence: null });
  expect(written["content"]).toEqual([
    { type: "thinking", thinking: "hm", signature: "turnpike:unsigned" },
    { type: "thinking", thinking: "sum", signature: "turnpike:openai-responses:rs_1:abc" },
    { type: "redacted_thinking", data: "turnpike:openai-responses:rs_1:abc" },
    { type: "text", text: "![image](data:image/png;base64,AAAA)" },
    {
      type: "text",
      text: "see",
      citations: [
        {
          type: "web_search_result_location",
          url: "https://a.example",
          title: "A",
          cited_text: "q",
          encrypted_index: "",
        },
      ],
    },
    { type: "tool_use", id: "c1", name: "f", input: { arguments: "not json" }, caller: { type: "direct" } },
  ]);
});

test("every finish reason has the vendor's name", () => {
  const reasons = ["stop", "stop_sequence", "length", "tool_calls", "content_filter", "refusal", "pause"] as const;
  expect(reasons.map((reason) => encode([], reason)["stop_reason"])).toEqual([
    "end_turn",
    "stop_sequence",
    "max_tokens",
    "tool_use",
    "refusal",
    "refusal",
    "pause_turn",
  ]);
  const read = (reason: string) => dialect.decodeAnswer({ content: [], stop_reason: reason })?.choices[0]?.finish;
  expect(["model_context_window_exceeded", "pause_turn", "new_reason"].map(read)).toEqual(["length", "pause", "stop"]);
});

test("usage counts what the caches held; nothing an upstream says is believed unchecked", () => {
  expect(dialect.normaliseUsage(dialect.findUsage(textOf("text-answer.json")))).toEqual({
    usage: {
      ...NO_USAGE,
      inputTokens: 2495,
      outputTokens: 503,
      cacheReadTokens: 300,
      cacheWriteTokens: 40,
      cacheWriteLongTokens: 60,
    },
    faults: [],
  });
  expect(
    dialect.normaliseUsage({ input_tokens: 5, cache_creation_input_tokens: 7, output_tokens: 1 })?.usage,
  ).toMatchObject({
    inputTokens: 12,
    cacheWriteTokens: 7,
    cacheWriteLongTokens: 0,
  });
  expect(dialect.normaliseUsage({ input_tokens: -5, cache_read_input_tokens: "12", output_tokens: 1.5 })).toMatchObject(
    {
      usage: { inputTokens: 12, outputTokens: 2 },
      faults: ["cache_read_input_tokens", "input_tokens", "output_tokens"],
    },
  );
  for (const none of [undefined, null, "x", 3, [], {}, { input_tokens: 0, output_tokens: 0 }])
    expect(dialect.normaliseUsage(none)).toBeUndefined();
});

test("a compaction and an adviser are billed beside the answer, and the samplings that make it up are not counted twice", () => {
  // The totals of platform.claude.com/docs/en/build-with-claude/compaction-threshold, with an adviser's besides.
  const iterations = [
    { type: "compaction", input_tokens: 180_000, output_tokens: 3500 },
    { type: "message", input_tokens: 23_000, output_tokens: 1000 },
    {
      type: "advisor_message",
      model: "claude-opus-5",
      input_tokens: 800,
      cache_read_input_tokens: 20,
      output_tokens: 500,
    },
    { type: "fallback_message", input_tokens: 7, output_tokens: 7 },
    "nonsense",
  ];
  const usage = { input_tokens: 23_000, output_tokens: 1000, cache_creation_input_tokens: 5, iterations };
  expect(dialect.normaliseUsage(usage)).toMatchObject({
    usage: { inputTokens: 203_825, outputTokens: 5000, cacheReadTokens: 20, cacheWriteTokens: 5 },
    faults: [],
  });
  const paused = { input_tokens: 0, output_tokens: 0, iterations: iterations.slice(0, 1) };
  expect(dialect.normaliseUsage(paused)?.usage).toMatchObject({ inputTokens: 180_000, outputTokens: 3500 });
});

test("usage is found at the top level, and a tool's input cannot fake it", () => {
  expect(dialect.findUsage(textOf("tool-answer.json"))).toMatchObject({ input_tokens: 400, output_tokens: 90 });
  expect(dialect.findUsage('{"usage":{"input_tokens":3},"content":[{"input":{"usage":{"input_tokens":9}}}]}')).toEqual({
    input_tokens: 3,
  });
  for (const broken of ["", "[]", '{"usage":{', '{"usage":null}', "{}"])
    expect(dialect.findUsage(broken)).toBeUndefined();
});

test("errors have the type of their status and the request's id", () => {
  const typeAt = (status: number): unknown => {
    const body = dialect.errorBody({ status, message: "m", type: "x", code: "y", param: null }, "req-1");
    expect(JSON.parse(body)).toMatchObject({ type: "error", error: { message: "m" }, request_id: "req-1" });
    return (JSON.parse(body) as { error: JsonObject }).error["type"];
  };
  expect([400, 401, 402, 403, 404, 413, 422, 429, 500, 503, 504, 529].map(typeAt)).toEqual([
    "invalid_request_error",
    "authentication_error",
    "billing_error",
    "permission_error",
    "not_found_error",
    "request_too_large",
    "invalid_request_error",
    "rate_limit_error",
    "api_error",
    "overloaded_error",
    "timeout_error",
    "overloaded_error",
  ]);
});

test("a search that the gateway made is two blocks, which stay behind on their way to Anthropic itself", () => {
  const page = { url: "https://a.example/", title: "A" };
  const made = [
    { kind: "search", id: "1_call", query: "rain", pages: [page] },
    { kind: "search", id: "2_call", query: "sun", pages: [], error: "unavailable" },
    { kind: "text", text: "It rained." },
  ] as const;
  const { content } = encode(made);
  expect(content).toMatchObject([
    { type: "server_tool_use", id: "srvtoolu_turnpike_1_call", input: { query: "rain" } },
    { tool_use_id: "srvtoolu_turnpike_1_call", content: [{ ...page, encrypted_content: "turnpike:unsigned" }] },
    { type: "server_tool_use", id: "srvtoolu_turnpike_2_call" },
    { tool_use_id: "srvtoolu_turnpike_2_call", content: { error_code: "unavailable" } },
    { type: "text", text: "It rained." },
  ]);
  expect(dialect.withoutForeignProofs?.({ messages: [{ role: "assistant", content }] })).toEqual({
    messages: [{ role: "assistant", content: [{ type: "text", text: "It rained." }] }],
  });
});
