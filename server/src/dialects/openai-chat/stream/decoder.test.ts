/** Chat streams decoded: documented ones cut at any byte, interleaved calls, and garbage. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SseSplitter } from "../../../upstream/sse.ts";
import type { NeutralEvent } from "../../neutral/neutral.ts";
import { createDecoder } from "./decoder.ts";
import { readEvent } from "../../stream/sse-event.ts";

const fixture = (name: string): Buffer => readFileSync(new URL(`../fixtures/${name}.txt`, import.meta.url));

/** The neutral events of a stream that arrives in pieces of these sizes, repeated as often as needed. */
function decoded(bytes: Buffer, sizes: readonly number[] = [bytes.length]): NeutralEvent[] {
  const decoder = createDecoder();
  const splitter = new SseSplitter(1_000_000);
  const events: NeutralEvent[] = [];
  for (let from = 0, turn = 0; from < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    splitter.push(Buffer.from(bytes.subarray(from, from + size)), (each, text) => {
      const { event, data } = readEvent(each, text);
      events.push(...decoder.push(event, data));
    });
    from += size;
  }
  return events;
}

const push = (...chunks: readonly object[]): NeutralEvent[] => {
  const decoder = createDecoder();
  return chunks.flatMap((chunk) => decoder.push("", JSON.stringify({ id: "i", choices: [{ index: 0, ...chunk }] })));
};
const kinds = (events: readonly NeutralEvent[]): string[] => events.map(({ kind }) => kind);

test("documented streams decode", () => {
  expect(decoded(fixture("stream-default"))).toEqual([
    { kind: "start", id: "chatcmpl-123", fingerprint: "fp_44709d6fcb" },
    { kind: "text", choice: 0, text: "Hello" },
    { kind: "text", choice: 0, text: " wörld" },
    { kind: "finish", choice: 0, reason: "stop" },
    { kind: "usage", raw: { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29 } },
    { kind: "end" },
  ]);
  expect(decoded(fixture("stream-tools"))).toEqual([
    { kind: "start", id: "chatcmpl-t" },
    { kind: "tool_call", choice: 0, index: 0, id: "call_a", name: "get_weather" },
    { kind: "tool_arguments", choice: 0, index: 0, text: '{"city":' },
    { kind: "tool_arguments", choice: 0, index: 0, text: '"Paris"}' },
    { kind: "tool_call", choice: 0, index: 1, id: "call_b", name: "get_time" },
    { kind: "tool_arguments", choice: 0, index: 1, text: "{}" },
    { kind: "finish", choice: 0, reason: "tool_calls" },
    { kind: "end" },
  ]);
  expect(decoded(fixture("stream-deepseek")).slice(1, 5)).toEqual([
    { kind: "reasoning", choice: 0, text: "9.11 is smaller." },
    { kind: "signature", choice: 0, signature: { dialect: "openai-chat", value: "unsigned" }, isRedacted: false },
    { kind: "text", choice: 0, text: "9.8" },
    { kind: "finish", choice: 0, reason: "stop" },
  ]);
  const detail = { type: "reasoning.text", text: "", format: "anthropic-claude-v1", index: 0, signature: "sig-1" };
  const value = `detail:${Buffer.from(JSON.stringify(detail)).toString("base64url")}`;
  expect(decoded(fixture("stream-openrouter")).slice(1, 5)).toEqual([
    { kind: "reasoning", choice: 0, text: "Six times " },
    { kind: "reasoning", choice: 0, text: "seven." },
    { kind: "signature", choice: 0, signature: { dialect: "openai-chat", value }, isRedacted: false },
    { kind: "text", choice: 0, text: "42" },
  ]);
  expect(decoded(fixture("stream-azure"))).toEqual([
    { kind: "start", id: "chatcmpl-z" },
    { kind: "text", choice: 0, text: "Hi" },
    { kind: "finish", choice: 0, reason: "content_filter" },
    { kind: "end" },
  ]);
});

test("a stream says the same however its bytes are cut", () => {
  const names = ["stream-default", "stream-tools", "stream-deepseek", "stream-openrouter", "stream-azure"];
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      (name, sizes) => {
        expect(decoded(fixture(name), sizes)).toEqual(decoded(fixture(name)));
      },
    ),
  );
});

const piece = (index: number | undefined, id: string | undefined, name: string | undefined, text?: string) => ({
  delta: { tool_calls: [{ index, id, function: { name, arguments: text } }] },
});

test("calls come one after the other, however the upstream mixes or numbers them", () => {
  const mixed = push(
    piece(0, "a", "f", "{"),
    piece(1, "b", "g", '{"x":'),
    piece(0, undefined, undefined, "}"),
    piece(1, undefined, undefined, "1}"),
    { delta: {}, finish_reason: "stop" },
  );
  expect(mixed.slice(1)).toEqual([
    { kind: "tool_call", choice: 0, index: 0, id: "a", name: "f" },
    { kind: "tool_arguments", choice: 0, index: 0, text: "{" },
    { kind: "tool_arguments", choice: 0, index: 0, text: "}" },
    { kind: "tool_call", choice: 0, index: 1, id: "b", name: "g" },
    { kind: "tool_arguments", choice: 0, index: 1, text: '{"x":' },
    { kind: "tool_arguments", choice: 0, index: 1, text: "1}" },
    { kind: "finish", choice: 0, reason: "tool_calls" },
  ]);
  const counted = (...pieces: object[]) =>
    push(...pieces, { delta: {}, finish_reason: "tool_calls" }).filter(({ kind }) => kind === "tool_call");
  const two = [{ id: "a" }, { id: "b" }];
  expect(counted(piece(0, "a", "f", "{}"), piece(0, "b", "f", "{}"))).toMatchObject(two);
  expect(counted(piece(undefined, "a", "f", "{}"), piece(undefined, "b", "f", "{}"))).toMatchObject(two);
  expect(counted(piece(0, "a", "f"), piece(1, "b", "f"))).toMatchObject(two);
  expect(counted(piece(0, "a", "f", "{"), piece(0, "a", "f", "}"))).toHaveLength(1);
  expect(counted(piece(0, undefined, "f", "{}"))).toMatchObject([{ id: "call_i_0_0" }]);
  expect(counted(piece(0, "a", undefined, "{}"))).toEqual([]);
});

test("empty fields beside the thinking do not end it", () => {
  const rest = { content: null, refusal: null, tool_calls: [], function_call: null, annotations: [], images: null };
  const thinking = ["a", "b"].map((text) => ({ delta: { ...rest, reasoning_content: text } }));
  expect(kinds(push(...thinking, { delta: { content: "x" }, finish_reason: "stop" }))).toEqual([
    "start",
    "reasoning",
    "reasoning",
    "signature",
    "text",
    "finish",
  ]);
  const mistral = [
    { type: "thinking", thinking: [{ type: "text", text: "a" }] },
    { type: "text", text: "b" },
  ];
  expect(kinds(push({ delta: { content: mistral } }))).toEqual(["start", "reasoning", "signature", "text"]);
});

test("errors and garbage are distinguished", () => {
  const error = '{"error":{"message":"overloaded"}}';
  expect(createDecoder().push("", error)).toEqual([{ kind: "error", text: error }]);
  expect(createDecoder().push("error", '{"message":"x"}')).toEqual([{ kind: "error", text: '{"message":"x"}' }]);
  expect(kinds([...createDecoder().push("", "{broken")])).toEqual(["error"]);
  expect(createDecoder().push("", "")).toEqual([]);
  expect(createDecoder().push("", "{}")).toEqual([]);
  expect(kinds(push({ index: 1e9, delta: { content: "x" } }))).toEqual(["start"]);
  expect(kinds([...createDecoder().push("", '{"usage":{"prompt_tokens":1}}')])).toEqual(["usage"]);
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (values) => {
      const decoder = createDecoder();
      for (const delta of values)
        expect(decoder.push("", JSON.stringify({ choices: [{ delta }, delta] }))).toBeDefined();
    }),
  );
});

// Recorded from Groq, reduced: who did not ask for usage finds it there alone (console.groq.com/docs/api-reference).
test("usage inside x_groq is read, and the usual one before it", () => {
  const counts = { prompt_tokens: 21, completion_tokens: 988, total_tokens: 1009 };
  const usageOf = (chunk: object): unknown =>
    createDecoder()
      .push("", JSON.stringify({ id: "i", choices: [], ...chunk }))
      .find(({ kind }) => kind === "usage");
  expect(usageOf({ x_groq: { id: "req_1", usage: counts } })).toEqual({ kind: "usage", raw: counts });
  expect(usageOf({ x_groq: { usage: counts }, usage: { prompt_tokens: 1 } })).toMatchObject({
    raw: { prompt_tokens: 1 },
  });
  expect(usageOf({ x_groq: { id: "req_1" } })).toBeUndefined();
});

test("an error without words beside the choices is a server that writes every field", () => {
  const chunk = { id: "i", choices: [{ index: 0, delta: { content: "hi" } }], error: { message: "", code: "" } };
  expect(kinds([...createDecoder().push("", JSON.stringify(chunk))])).toEqual(["start", "text"]);
});
