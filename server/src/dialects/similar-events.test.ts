/** Holds that reading events by what is known of others gives exactly what parsing them gives, for any text, cut anywhere. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { SseSplitter } from "../upstream/sse.ts";
import type { AnswerFacts } from "./dialect.ts";
import { parseObject } from "./json-fields.ts";
import type { DialectName } from "./neutral.ts";
import { TranslatePipe } from "./pipe.ts";
import { DIALECTS } from "./registry.ts";
import { SimilarEvents } from "./similar-events.ts";
import { readEvent } from "./sse-event.ts";

/** UTF-8 bytes as Latin-1, for texts that are put together of bytes. */
const utf8 = (text: string): string => Buffer.from(text).toString("latin1");

/** What may stand between the quotes of a string: words, escapes, and what JSON or UTF-8 forbids. */
const pieces = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => utf8(JSON.stringify(text).slice(1, -1))),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom('\\"', "\\\\", "\\n", "\\u00e9", "\\ud83d", "a sentence of some length", "料金所".normalize())
      .map(utf8),
  },
  { weight: 1, arbitrary: fc.constantFrom("\\x", "\\u12", "\t", "\n", '"', "\\", "\xe6\x96", "\xff", "\u0000") },
);
const strings = fc.array(pieces, { maxLength: 3 }).map((list) => `"${list.join("")}"`);
const digits = fc.oneof(
  { weight: 4, arbitrary: fc.nat().map(String) },
  { weight: 2, arbitrary: fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String) },
  { weight: 1, arbitrary: fc.constantFrom("0", "01", "00", "") },
);
/** Numbers that are spelled alike. */
const numbers = fc
  .tuple(fc.constantFrom("", "-"), fc.constantFrom("", ".0", ".5", "e2", " "), fc.array(digits, { minLength: 12 }))
  .map(([before, behind, list]) => list.map((number) => before + number + behind));
const others = fc.constantFrom("null", "true", "{}", "[]", '{"b":1}', "");
/** What stands at one place of twelve events that follow one another. */
const columns = fc.oneof(
  { weight: 4, arbitrary: fc.array(strings, { minLength: 12 }) },
  { weight: 2, arbitrary: numbers },
  { weight: 1, arbitrary: fc.array(fc.oneof(strings, digits, others), { minLength: 12 }) },
);

const SKELETONS = [
  ["data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":", "},\"x\":", "}]}\n\n"],
  ["event: content_block_delta\ndata: {\"type\":\"t\",\"index\":", ",\"delta\":{\"text\":", "}}\n\n"],
  ["data:{ \"a\" : [ ", " , ", " ] , \"b\" : { } }\r\nevent: late\r\n\r\n"],
  ["data: {\"a\":", ",\"a\":", "}\n\n"],
  ["data: {\"\\u0061\":", ",\"a\":", "}\n\n"],
  [`data: {"${utf8("é")}":`, `,"${utf8("Ã©")}":`, "}\n\n"],
  ["data: {\"__proto__\":", ",\"b\":{\"__proto__\":{\"c\":", "}}}\n\n"],
  ["data: {\"a\":{\"x\":", "},\"a\":{\"x\":1,\"y\":", "}}\n\n"],
  ["data: [", ",", "]\n\n"],
  ["data: {\"a\":\ndata: ", ",\"b\":", "}\n\n"],
  [": {\"a\":", "}\ndata: {\"a\":", "}\n\n"],
  ["data: {\"a\":[[[[[[[[[", "]]]]]]]]],\"b\":", "}\n\n"],
] as const; // prettier-ignore

const streams = fc
  .tuple(fc.constantFrom(...SKELETONS), columns, columns)
  .map(([[head, middle, tail], first, second]) =>
    first.slice(0, 12).map((value, index) => head + value + middle + second[index] + tail),
  );

test("an object is known only as it is", () => {
  fc.assert(
    fc.property(streams, (events) => {
      const similar = new SimilarEvents();
      const given: (readonly [value: unknown, asJson: string])[] = [];
      for (const text of events) {
        const bytes = Buffer.from(text, "latin1");
        const value = similar.read(bytes, text);
        if (value === undefined) continue;
        const { event, data } = readEvent(bytes, text);
        expect(similar.event).toBe(event);
        expect(value).toStrictEqual(parseObject(data));
        given.push([value, JSON.stringify(parseObject(data))]);
      }
      // Nothing that was handed out has changed since, key order included.
      for (const [value, json] of given) expect(JSON.stringify(value)).toBe(json);
    }),
    { numRuns: 1000 },
  );
});

function known(events: readonly string[]): number[] {
  const similar = new SimilarEvents();
  const found = events.map((text) => similar.read(Buffer.from(text), Buffer.from(text).toString("latin1")));
  return found.flatMap((value, index) => (value === undefined ? [] : [index]));
}

test("from the third of its kind on an event is known, with what changes beside the words", () => {
  const chunk = (content: string, obfuscation: string): string =>
    `data: {"id":"c1","choices":[{"index":0,"delta":{"content":${JSON.stringify(content)}}}],"obfuscation":"${obfuscation}"}\n\n`;
  const words = ["A", " turn", "pike\n", ' "ist"', " für 料金所", " whoever pays"];
  expect(known(words.map((word, index) => chunk(word, "x".repeat(index))))).toEqual([2, 3, 4, 5]);
  const delta = (index: number): string =>
    `event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":${index},"delta":"w${index}"}\n\n`;
  expect(known([98, 99, 100, 101].map(delta))).toEqual([2, 3]);
});

test("several kinds are known at a time; what differs in more is none of them, nor is what has numbers that a double rounds", () => {
  const say = (word: string): string => `data: {"say":"${word}"}\n\n`;
  const think = (word: string): string => `data: {"think":{"words":"${word}"}}\n\n`;
  expect(known([say("a"), say("b"), think("a"), think("b"), say("c"), think("c"), say("d")])).toEqual([4, 5, 6]);
  const long = (word: string): string => `data: {"say":"${word}","id":12345678901234567890}\n\n`;
  expect(known([long("a"), long("b"), long("c"), long("d")])).toEqual([]);
  expect(known([say("a"), say("b"), 'data: {"say":null}\n\n', 'data: {"say":"c","more":1}\n\n'])).toEqual([]);
});

test("events that are never alike are not compared for ever", () => {
  const other = (index: number): string => `data: {"key${index}":"${index}"}\n\n`;
  const say = (index: number): string => `data: {"say":"${index}"}\n\n`;
  const indexes = Array.from({ length: 40 }, (_, index) => index);
  expect(known([...indexes.map(other), ...indexes.map(say)])).toEqual([]);
});

const facts: AnswerFacts = { model: "asked-for", requestId: "req-1", createdAt: 0, asksUsage: true, isArray: false };
const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (type: string, fields: object): string => `event: ${type}\n${data({ type, ...fields })}`;
const chat = (delta: object, finish: string | null = null, rest: object = {}): string =>
  data({ id: "chatcmpl-1", choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], ...rest });

/** A stream of words in each upstream's format. */
const STREAMS: Readonly<Record<DialectName, (words: readonly string[]) => string[]>> = {
  "openai-chat": (words) => [
    chat({ role: "assistant", content: "" }),
    ...words.map((word) => chat({ reasoning_content: word })),
    ...words.map((word, index) => chat({ content: word }, null, { obfuscation: "x".repeat(index % 3) })),
    chat({ tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "f", arguments: "" } }] }),
    ...words.map((word) => chat({ tool_calls: [{ index: 0, function: { arguments: word } }] })),
    chat({}, "tool_calls"),
  ],
  "anthropic-messages": (words) => [
    named("message_start", { message: { id: "msg_1", usage: { input_tokens: 1 } } }),
    named("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    ...words.map((text) => named("content_block_delta", { index: 0, delta: { type: "text_delta", text } })),
    named("content_block_stop", { index: 0 }),
    named("content_block_start", {
      index: 1,
      content_block: { type: "tool_use", id: "toolu_1", name: "f", input: {} },
    }),
    ...words.map((word) =>
      named("content_block_delta", { index: 1, delta: { type: "input_json_delta", partial_json: word } }),
    ),
    named("content_block_stop", { index: 1 }),
    named("message_delta", { delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } }),
  ],
  "openai-responses": (words) => [
    named("response.created", { response: { id: "resp_1" } }),
    named("response.output_item.added", { output_index: 0, item: { type: "message", content: [] } }),
    ...words.map((delta, index) =>
      named("response.output_text.delta", { sequence_number: index, output_index: 0, delta, logprobs: [] }),
    ),
    named("response.output_item.done", { output_index: 0, item: { type: "message", content: [] } }),
  ],
  gemini: (words) =>
    words.map((text, index) =>
      data({
        candidates: [{ content: { parts: [{ text }], role: "model" }, index: 0 }],
        usageMetadata: { promptTokenCount: 4, candidatesTokenCount: index },
        responseId: "r1",
      }),
    ),
};

/** What the client gets where every event is parsed. */
function parsed(from: DialectName, to: DialectName, events: readonly string[]): string {
  const decoder = DIALECTS[from].createDecoder();
  const encoder = DIALECTS[to].createEncoder(facts);
  const neutral = events.flatMap((text) => {
    const bytes = Buffer.from(text);
    const { event, data: json } = readEvent(bytes, bytes.toString("latin1"));
    return decoder.push(event, json);
  });
  return neutral.map((event) => encoder.push(event)).join("");
}

function piped(from: DialectName, to: DialectName, events: readonly string[], cut: number): string {
  const pipe = new TranslatePipe(DIALECTS[from].createDecoder(), DIALECTS[to].createEncoder(facts), 1);
  const splitter = new SseSplitter(1_000_000);
  const bytes = Buffer.from(events.join(""));
  let out = "";
  const take = (one: Buffer, text: string): void => {
    pipe.push(one, text);
    out += Buffer.from(pipe.out, "latin1").toString();
  };
  for (let start = 0; start < bytes.length; start += cut) splitter.push(bytes.subarray(start, start + cut), take);
  return out;
}

test("a client gets the same as if every event were parsed, from every format to every format", () => {
  const names = Object.keys(STREAMS) as DialectName[];
  const words = fc.array(fc.string({ unit: "grapheme", maxLength: 20 }), { minLength: 3, maxLength: 8 });
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.constantFrom(...names),
      words,
      fc.integer({ min: 1, max: 900 }),
      (from, to, list, cut) => {
        const events = STREAMS[from](list);
        expect(piped(from, to, events, cut)).toBe(parsed(from, to, events));
      },
    ),
    { numRuns: 300 },
  );
});
