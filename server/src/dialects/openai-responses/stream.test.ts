/** Streams of the Responses dialect: golden files, the vendor's grammar, there and back, cut at any byte, and garbage. */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type FinishReason,
  type JsonObject,
  type NeutralAnswer,
  type NeutralEvent,
  type NeutralPart,
  eventsOf,
} from "../neutral/neutral.ts";
import {
  INFO,
  REQUEST,
  USAGE,
  WIRE_USAGE,
  answerOf,
  checkGrammar,
  decodeStream,
  encodeStream,
  jsonOf,
  partsOf,
  read,
} from "../../../../tests/support/dialects/openai-responses.ts";
import { openAiResponsesDialect as dialect } from "./openai-responses.ts";

const word = fc.string({ minLength: 1, maxLength: 10, unit: "grapheme" });
const signature = fc.record({
  dialect: fc.constantFrom("anthropic-messages" as const, "gemini" as const, "openai-chat" as const),
  value: fc.stringMatching(/^[A-Za-z0-9+/=]{4,12}$/),
});
const part: fc.Arbitrary<NeutralPart> = fc.oneof(
  fc.record({ kind: fc.constant("text" as const), text: word }),
  fc.record({ kind: fc.constant("refusal" as const), text: word }),
  fc.record({ kind: fc.constant("reasoning" as const), text: word, signature }),
  fc.record({ kind: fc.constant("reasoning" as const), text: fc.constant(""), signature }),
  fc.record({
    kind: fc.constant("reasoning" as const),
    text: fc.constant(""),
    signature,
    isRedacted: fc.constant(true as const),
  }),
  fc
    .record({ name: fc.constantFrom("f", "apply_patch", "mcp__a__b"), input: word, signature: fc.option(signature) })
    .map(({ name, input, signature: proof }) => ({
      kind: "tool_call" as const,
      id: "",
      name,
      arguments: JSON.stringify({ input }),
      ...(proof === null ? {} : { signature: proof }),
    })),
);

/** Parts of a turn: calls have ids of their own, and texts of one kind are never adjacent. */
const turn = fc
  .array(part, { minLength: 1, maxLength: 6 })
  .map((parts) =>
    parts
      .filter(
        (one, index) => one.kind !== parts[index - 1]?.kind || one.kind === "tool_call" || one.kind === "reasoning",
      )
      .map((one, index) => (one.kind === "tool_call" ? { ...one, id: `call_${index}` } : one)),
  );
const FINISHES: readonly FinishReason[] = [
  "stop",
  "stop_sequence",
  "length",
  "tool_calls",
  "content_filter",
  "refusal",
  "pause",
];

/** The answer's events with its text cut into pieces. */
function* pieces(answer: NeutralAnswer, size: number): Generator<NeutralEvent> {
  for (const event of eventsOf(answer)) {
    if (!("text" in event) || event.kind === "error") yield event;
    else {
      const units = [...event.text];
      for (let start = 0; start < units.length; start += size)
        yield { ...event, text: units.slice(start, start + size).join("") };
    }
  }
}

test("golden: a text stream", () => {
  const stream = read("stream-text.txt");
  expect(decodeStream(stream)).toEqual([
    { kind: "start", id: "resp_0066ff" },
    { kind: "text", choice: 0, text: "Grüß" },
    { kind: "text", choice: 0, text: ' "dich"' },
    { kind: "finish", choice: 0, reason: "stop" },
    { kind: "usage", raw: expect.objectContaining({ input_tokens: 37, output_tokens: 11 }) },
    { kind: "end" },
  ]);
});

test("golden: reasoning, a search and a call", () => {
  const events = decodeStream(read("stream-tools.txt"));
  expect(events.slice(1)).toEqual([
    { kind: "reasoning", choice: 0, text: "First." },
    { kind: "reasoning", choice: 0, text: "\n\nSecond." },
    { kind: "signature", choice: 0, signature: { dialect: "openai-responses", value: "rs_0077aa:gAAAAABproof" } },
    { kind: "priced_call", tool: "web_search" },
    { kind: "tool_call", choice: 0, index: 0, id: "call_0077aa", name: "get_weather" },
    { kind: "tool_arguments", choice: 0, index: 0, text: '{"city":' },
    { kind: "tool_arguments", choice: 0, index: 0, text: '"Riga"}' },
    { kind: "finish", choice: 0, reason: "tool_calls" },
    { kind: "usage", raw: expect.objectContaining({ tool_usage: { web_search: { num_requests: 1 } } }) },
    { kind: "end" },
  ]);
  const last = events.find((event) => event.kind === "usage");
  expect(dialect.normaliseUsage(last?.raw)?.usage).toMatchObject({
    inputTokens: 40,
    outputTokens: 20,
    reasoningTokens: 8,
    toolCalls: [{ tool: "web_search", calls: 1, usdPerThousand: "" }],
  });
});

test("calls of the file search are counted beside those of the web search", () => {
  const item = (type: string): string => `event: response.output_item.done
data: ${JSON.stringify({ type: "response.output_item.done", output_index: 0, item: { type, id: "x", status: "completed" } })}

`;
  const end = { type: "response.completed", response: { status: "completed", output: [], usage: { input_tokens: 3 } } };
  const events = decodeStream(
    `${item("file_search_call")}${item("web_search_call")}${item("file_search_call")}data: ${JSON.stringify(end)}\n\n`,
  );
  const last = events.find((event) => event.kind === "usage");
  expect(dialect.normaliseUsage(last?.raw)?.usage.toolCalls).toEqual([
    { tool: "web_search", calls: 1, usdPerThousand: "" },
    { tool: "file_search", calls: 2, usdPerThousand: "" },
  ]);
});

test("every stream keeps the grammar and says what the whole answer says", () => {
  fc.assert(
    fc.property(turn, fc.constantFrom(...FINISHES), fc.integer({ min: 1, max: 5 }), (parts, finish, size) => {
      const info = { ...INFO, request: REQUEST };
      const response = checkGrammar(encodeStream(pieces(answerOf(parts, finish), size), info));
      expect(response).toEqual(dialect.encodeAnswer(answerOf(parts, finish), USAGE, info));
      expect(response["usage"]).toEqual(WIRE_USAGE);
    }),
    { numRuns: 300 },
  );
});

test("the next turn brings back unchanged what the last one gave: text, calls, signatures of every vendor", () => {
  fc.assert(
    fc.property(turn, fc.boolean(), (parts, dropsIds) => {
      const response = dialect.encodeAnswer(answerOf(parts, "stop"), USAGE, { ...INFO, request: REQUEST });
      const items = (response["output"] as JsonObject[]).map(({ id, ...item }) => (dropsIds ? item : { id, ...item }));
      const next = { ...REQUEST, model: "m", input: [{ role: "user", content: "x" }, ...items] };
      const { messages } = dialect.decodeRequest(JSON.parse(JSON.stringify(next)) as JsonObject, {
        model: "",
        isStream: false,
      });
      expect(messages.slice(1)).toEqual([{ role: "assistant", parts }]);
    }),
    { numRuns: 300 },
  );
});

test("a decoded stream, however it is cut, has the content of its last event", () => {
  fc.assert(
    fc.property(
      turn,
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 30 }),
      (parts, size, sizes) => {
        const stream = encodeStream(pieces(answerOf(parts, "stop"), size), { ...INFO, request: REQUEST });
        const events = decodeStream(stream, sizes);
        expect(events).toEqual(decodeStream(stream));
        const whole = dialect.decodeAnswer(
          dialect.encodeAnswer(answerOf(parts, "stop"), USAGE, { ...INFO, request: REQUEST }),
        );
        expect(partsOf(events)).toEqual(whole?.choices[0]?.parts);
        expect(events.find((event) => event.kind === "finish")).toEqual({
          kind: "finish",
          choice: 0,
          reason: whole?.choices[0]?.finish,
        });
        expect(dialect.normaliseUsage(events.find((event) => event.kind === "usage")?.raw)?.usage).toEqual(USAGE);
      },
    ),
    { numRuns: 200 },
  );
});

test("a stream that fails ends with the error and the failed response", () => {
  const encoder = dialect.createEncoder(INFO);
  const error = { status: 429, message: "slow down", type: "rate_limit_error", code: "too_many", param: null };
  const stream = encoder.push({ kind: "text", choice: 0, text: "a" }) + encoder.fail(error);
  const events = jsonOf(stream);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  expect(events.at(-2)).toMatchObject({ type: "error", message: "slow down", code: "too_many", param: null });
  expect(events.at(-1)).toMatchObject({
    type: "response.failed",
    response: { status: "failed", error: { code: "rate_limit_exceeded", message: "slow down" } },
  });
  expect(jsonOf(dialect.createEncoder(INFO).fail(error)).map(({ type }) => type)).toEqual([
    "response.created",
    "response.in_progress",
    "error",
    "response.failed",
  ]);
});

test("events have what OpenAI's OpenAPI asks of them: the name of a finished call, no usage before the end, no user that was not named, and its own codes of failures", () => {
  const encoder = dialect.createEncoder(INFO);
  const fault = { status: 502, message: "gone", type: "server_error", code: "upstream_broken", param: null };
  const events = jsonOf(
    encoder.push({ kind: "tool_call", choice: 0, index: 0, id: "call_1", name: "f" }) +
      encoder.push({ kind: "tool_arguments", choice: 0, index: 0, text: "{}" }) +
      encoder.push({ kind: "text", choice: 0, text: "a" }) +
      encoder.fail(fault),
  );
  expect(events.find(({ type }) => type === "response.function_call_arguments.done")).toMatchObject({ name: "f" });
  for (const { response } of events.filter((event) => event["response"] !== undefined)) {
    expect(response).not.toHaveProperty("usage");
    expect(response).not.toHaveProperty("user");
  }
  expect(events.at(-1)?.["response"]).toMatchObject({ error: { code: "server_error", message: "gone" } });
  expect(events.at(-2)).toMatchObject({ type: "error", code: "upstream_broken" });
});

test("a decoder survives anything", () => {
  const types = fc.constantFrom(
    ...jsonOf(read("stream-tools.txt")).map(({ type }) => String(type)),
    "response.output_text.delta",
    "response.output_text.annotation.added",
    "toString",
    "error",
  );
  const value = fc.oneof(
    fc.anything({ maxDepth: 2 }),
    fc.constant({ type: "function_call", name: "f" }),
    fc.constant({ type: "message", content: [null, 5] }),
  );
  const event = fc.record(
    { type: types, item: value, response: value, delta: value, output_index: value, part: value, annotation: value },
    { requiredKeys: ["type"] },
  );
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          event.map((made) => JSON.stringify(made)),
          fc.string(),
          fc.json(),
        ),
        { maxLength: 12 },
      ),
      (datas) => {
        const decoder = dialect.createDecoder();
        for (const data of datas) for (const { kind } of decoder.push("", data)) expect(kind).toBeTypeOf("string");
      },
    ),
    { numRuns: 500 },
  );
  expect(dialect.createDecoder().push("response.created", "{cut")).toEqual([
    { kind: "error", text: expect.stringContaining("no JSON object (4 bytes)") },
  ]);
});

test("interleaved items are emitted one after another; those of servers without deltas in one piece", () => {
  const item = (index: number, type: string, more: JsonObject): JsonObject => ({
    output_index: index,
    item: { id: `i${index}`, type, ...more },
  });
  const call = { call_id: "c", name: "f", arguments: '{"a":1}' };
  const said = { content: [{ type: "output_text", text: "whole", annotations: [] }] };
  const events: JsonObject[] = [
    { type: "response.output_item.added", ...item(0, "message", { content: [] }) },
    { type: "response.output_item.added", ...item(1, "function_call", { ...call, arguments: "" }) },
    { type: "response.output_text.delta", output_index: 0, delta: "a" },
    { type: "response.function_call_arguments.delta", output_index: 1, delta: '{"a":1}' },
    { type: "response.output_item.done", ...item(1, "function_call", call) },
    { type: "response.output_text.delta", output_index: 0, delta: "b" },
    { type: "response.output_item.done", ...item(0, "message", said) },
    { type: "response.output_item.done", ...item(2, "message", said) },
    { type: "response.completed", response: { status: "completed" } },
  ];
  const decoder = dialect.createDecoder();
  const neutral = events.flatMap((event) => [...decoder.push("", JSON.stringify(event))]);
  expect(partsOf(neutral)).toEqual([
    { kind: "text", text: "ab" },
    { kind: "tool_call", id: "c", name: "f", arguments: '{"a":1}' },
    { kind: "text", text: "whole" },
  ]);
  const bare = dialect.createDecoder();
  const only = bare.push(
    "",
    JSON.stringify({ type: "response.completed", response: { output: [{ type: "message", ...said }] } }),
  );
  expect(only.map(({ kind }) => kind)).toEqual(["start", "text", "finish", "end"]);
});

test.each([false, true])(
  "a custom tool of the client's keeps its calls, whatever its name (declared: %s)",
  (isDeclared) => {
    const call = { type: "custom_tool_call", id: "ct_1", call_id: "c", name: "view_image", input: "p" };
    const tools = isDeclared ? [{ type: "custom", name: "view_image" }] : [{ type: "x_search" }];
    const response = { id: "r", status: "completed", tools, output: [call] };
    const kinds = dialect.decodeAnswer(response)?.choices[0]?.parts.map(({ kind }) => kind);
    expect(kinds).toEqual(isDeclared ? ["tool_call"] : []);
    const decoder = dialect.createDecoder();
    const events = [
      { type: "response.created", response: { id: "r", tools } },
      { type: "response.output_item.added", output_index: 0, item: call },
      { type: "response.output_item.done", output_index: 0, item: call },
      { type: "response.completed", response },
    ].flatMap((event) => decoder.push(event.type, JSON.stringify(event)));
    expect(events.some(({ kind }) => kind === "tool_call")).toBe(isDeclared);
  },
);

// `null` recorded from Cohere, in the form of Responses.
test("arguments of null are none, streamed or whole", () => {
  const call = { type: "function_call", id: "fc_1", call_id: "c", name: "f", arguments: "null" };
  const response = { id: "r", status: "completed", output: [call] };
  expect(dialect.decodeAnswer(response)?.choices[0]?.parts).toMatchObject([{ kind: "tool_call", arguments: "{}" }]);
  const decoder = dialect.createDecoder();
  const events = [
    { type: "response.output_item.added", output_index: 0, item: { ...call, arguments: "" } },
    { type: "response.function_call_arguments.delta", output_index: 0, delta: "null" },
    { type: "response.output_item.done", output_index: 0, item: call },
    { type: "response.completed", response },
  ].flatMap((event) => decoder.push(event.type, JSON.stringify(event)));
  const texts = events.flatMap((event) => (event.kind === "tool_arguments" ? [event.text] : []));
  expect(texts).toEqual(["{}"]);
});

// Recorded from xAI (vercel/ai, xai-x-search-tool), reduced.
test("searches that xAI's own tools made are no calls of the client's, streamed or whole", () => {
  const search = {
    type: "custom_tool_call",
    id: "ct_1",
    call_id: "xs_1",
    name: "x_keyword_search",
    input: '{"query":"x"}',
  };
  const words = {
    type: "message",
    id: "m",
    role: "assistant",
    content: [{ type: "output_text", text: "found", annotations: [] }],
  };
  const response = {
    id: "r",
    status: "completed",
    output: [search, words],
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  const answer = dialect.decodeAnswer(response);
  expect(answer?.choices[0]).toMatchObject({ parts: [{ kind: "text", text: "found" }], finish: "stop" });
  const decoder = dialect.createDecoder();
  const events = [
    { type: "response.created", response: { id: "r" } },
    { type: "response.output_item.added", output_index: 0, item: search },
    { type: "response.output_item.done", output_index: 0, item: search },
    { type: "response.output_item.done", output_index: 1, item: words },
    { type: "response.completed", response },
  ].flatMap((event) => decoder.push(event.type, JSON.stringify(event)));
  expect(events.filter(({ kind }) => kind === "tool_call" || kind === "tool_arguments")).toEqual([]);
  expect(events).toContainEqual({ kind: "finish", choice: 0, reason: "stop" });
});
