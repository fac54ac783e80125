/** Gemini's streams: documented ones decoded, cut at any byte, passed through in both shapes; encoded ones follow the vendor's grammar. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { GeminiDecoder } from "./stream/decoder.ts";
import { expect, test } from "vitest";
import { NO_USAGE } from "../../../../contract/src/pricing/usage.ts";
import { SseSplitter } from "../../upstream/sse.ts";
import type { AnswerInfo } from "../neutral/info.ts";
import type { StreamPipe } from "../stream/stream.ts";
import { geminiDialect } from "./gemini.ts";
import type { JsonObject, NeutralEvent } from "../neutral/neutral.ts";
import { readEvent } from "../stream/sse-event.ts";

const fixture = (name: string): Buffer => readFileSync(new URL(`./fixtures/${name}`, import.meta.url));
const info: AnswerInfo = { model: "asked-for", requestId: "req-1", createdAt: 0, asksUsage: true, isArray: false };
const options = { hidesUsage: false, isChat: true, choices: 1 };
const usage = { ...NO_USAGE, inputTokens: 3, outputTokens: 2 };
const failure = { status: 503, message: "gone", type: "", code: "", param: null };

/** Events of a stream that comes in pieces of so many bytes. */
function decode(bytes: Buffer, size = bytes.length): NeutralEvent[] {
  const decoder = geminiDialect.createDecoder();
  const splitter = new SseSplitter(1_000_000);
  const events: NeutralEvent[] = [];
  const take = (one: Buffer, text: string): void => {
    const { event, data } = readEvent(one, text);
    events.push(...decoder.push(event, data));
  };
  for (let start = 0; start < bytes.length; start += size) splitter.push(bytes.subarray(start, start + size), take);
  return events;
}

const kinds = (events: readonly NeutralEvent[]): string[] => events.map(({ kind }) => kind);

test("a documented stream of text, cut anywhere", () => {
  const events = decode(fixture("text-stream.txt"));
  expect(events.filter(({ kind }) => kind !== "usage")).toEqual([
    { kind: "start", id: "s1" },
    { kind: "text", choice: 0, text: "AI learns " },
    { kind: "text", choice: 0, text: '"patterns" ü.' },
    { kind: "finish", choice: 0, reason: "stop" },
    { kind: "end" },
  ]);
  for (const size of [1, 2, 3, 7, 64]) expect(decode(fixture("text-stream.txt"), size)).toEqual(events);
});

test("a documented stream of a call, its finish in an empty piece of its own", () => {
  const events = decode(fixture("tool-stream.txt"));
  expect(kinds(events)).toEqual([
    "start",
    "reasoning",
    "usage",
    "tool_call",
    "tool_arguments",
    "usage",
    "finish",
    "usage",
    "end",
  ]);
  expect(events[3]).toEqual({
    kind: "tool_call",
    choice: 0,
    index: 0,
    id: "call_t1_0",
    name: "check_flight",
    signature: { dialect: "gemini", value: "c2lnbmF0dXJlIEE=" },
  });
  expect(events.find(({ kind }) => kind === "finish")).toMatchObject({ reason: "tool_calls" });
});

test("garbage is survived: broken JSON and errors are error events, the rest is nothing", () => {
  const push = (data: string): readonly NeutralEvent[] => geminiDialect.createDecoder().push("", data);
  expect(push("{broken")).toMatchObject([{ kind: "error" }]);
  expect(push('{"error":{"code":503,"message":"busy"}}')).toMatchObject([
    { kind: "error", text: '{"error":{"code":503,"message":"busy"}}' },
  ]);
  expect(push('[{"error":{"code":500}}]')).toMatchObject([{ kind: "error" }]);
  expect(push("[DONE]")).toMatchObject([{ kind: "error" }]);
  expect(push("7")).toEqual([]);
  expect(kinds(push('{"candidates":[null,{"content":{"parts":[null,{"functionCall":{}}]},"index":"x"}]}'))).toEqual([
    "start",
    "tool_call",
    "tool_arguments",
  ]);
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(Array.isArray(push(json))).toBe(true);
    }),
  );
});

const words = fc.string({ maxLength: 10, unit: "grapheme" });
type Step = (choice: number, call: number) => NeutralEvent[];
const signature = { dialect: "anthropic-messages" as const, value: "sig" };
const step: fc.Arbitrary<Step> = fc.oneof(
  words.map((text): Step => (choice) => [{ kind: "text", choice, text }]),
  words.map((text): Step => (choice) => [{ kind: "reasoning", choice, text }]),
  words.map((text): Step => (choice) => [{ kind: "refusal", choice, text }]),
  fc.boolean().map((isRedacted): Step => (choice) => [{ kind: "signature", choice, signature, isRedacted }]),
  fc.constant<Step>((choice) => [
    { kind: "image", choice, source: { kind: "base64", mimeType: "image/png", data: "AAAA" } },
  ]),
  fc.constant<Step>((choice) => [
    { kind: "citation", choice, citation: { url: "https://a.example", title: "a", quote: "", start: 0, end: 1 } },
  ]),
  fc.constant<Step>((choice) => [{ kind: "logprobs", choice, logprobs: { content: [], refusal: null } }]),
  fc.tuple(words, fc.nat({ max: 4 })).map(([key, at]): Step => (choice, index) => {
    const json = JSON.stringify({ [key]: "a\nb" }, null, 1);
    return [
      { kind: "tool_call", choice, index, id: `c${index}`, name: "f" },
      { kind: "tool_arguments", choice, index, text: json.slice(0, at) },
      { kind: "tool_arguments", choice, index, text: json.slice(at) },
    ];
  }),
);

/** A valid stream of so many choices, mixed as a vendor mixes them. */
const streams = fc
  .record({
    choices: fc.integer({ min: 1, max: 3 }),
    steps: fc.array(fc.tuple(fc.nat({ max: 2 }), step), { maxLength: 12 }),
  })
  .map(({ choices, steps }) => {
    const calls = [0, 0, 0];
    const middle = steps.flatMap(([place, make]) => {
      const choice = place % choices;
      const events = make(choice, calls[choice] ?? 0);
      if (events[0]?.kind === "tool_call") calls[choice] = (calls[choice] ?? 0) + 1;
      return events;
    });
    const finishes = Array.from({ length: choices }, (_, choice): NeutralEvent => ({
      kind: "finish",
      choice,
      reason: "stop",
    }));
    const events: NeutralEvent[] = [
      { kind: "start", id: "up-1" },
      ...middle,
      ...finishes,
      { kind: "usage", raw: {} },
      { kind: "end" },
    ];
    return { choices, events };
  });

interface Candidate {
  index: number;
  content: { role: string; parts: JsonObject[] };
  finishReason?: string;
}
type Piece = JsonObject & { candidates: Candidate[] };

const DATA = ["text", "inlineData", "functionCall"];

/** The vendor's grammar: whole parts with one datum each, one finish for each candidate and nothing of it after, usage in the last piece. */
function checkGrammar(pieces: readonly Piece[], choices: number): void {
  const finished = new Set<number>();
  for (const piece of pieces) {
    expect(piece).toMatchObject({ modelVersion: "asked-for", responseId: "up-1" });
    expect(piece.candidates).toHaveLength(1);
    for (const { index, content, finishReason } of piece.candidates) {
      expect(finished.has(index)).toBe(false);
      expect(content.role).toBe("model");
      expect(content.parts.length).toBeGreaterThan(0);
      for (const part of content.parts) expect(DATA.filter((name) => name in part)).toHaveLength(1);
      if (finishReason !== undefined) finished.add(index);
    }
    expect("usageMetadata" in piece).toBe(piece === pieces.at(-1));
  }
  expect([...finished].toSorted()).toEqual(Array.from({ length: choices }, (_, index) => index));
}

const textOf = (pieces: readonly Piece[], index: number): string =>
  pieces
    .flatMap(({ candidates }) => candidates.filter((one) => one.index === index))
    .flatMap(({ content }) => content.parts)
    .map((part) => (part["thought"] === true || typeof part["text"] !== "string" ? "" : part["text"]))
    .join("");

test("what is written keeps to the vendor's grammar, as events and as an array", () => {
  fc.assert(
    fc.property(streams, fc.boolean(), ({ choices, events }, isArray) => {
      const encoder = geminiDialect.createEncoder({ ...info, isArray });
      const frames = events.map((event) => encoder.push(event)).join("") + encoder.close(usage);
      const list = frames
        .split("\r\n\r\n")
        .slice(0, -1)
        .map((frame) => {
          expect(frame).toMatch(/^data: \{[^\r\n]*$/);
          return JSON.parse(frame.slice(6)) as Piece;
        });
      const pieces = isArray ? (JSON.parse(frames) as Piece[]) : list;
      checkGrammar(pieces, choices);
      const said = events
        .map((event) => ((event.kind === "text" || event.kind === "refusal") && event.choice === 0 ? event.text : ""))
        .join("");
      expect(textOf(pieces, 0)).toBe(said);
    }),
    { numRuns: 300 },
  );
});

test("an error ends both shapes as the vendor does", () => {
  const envelope = { error: { code: 503, message: "gone", status: "UNAVAILABLE" } };
  const events = geminiDialect.createEncoder(info);
  expect(events.fail(failure)).toBe(`data: ${JSON.stringify(envelope)}\r\n\r\n`);
  const array = geminiDialect.createEncoder({ ...info, isArray: true });
  const frames = array.push({ kind: "text", choice: 0, text: "hi" }) + array.fail(failure);
  expect((JSON.parse(frames) as unknown[])[1]).toEqual(envelope);
  expect(JSON.parse(geminiDialect.createEncoder({ ...info, isArray: true }).fail(failure))).toEqual([envelope]);
});

interface Passed {
  pipe: StreamPipe;
  kinds: string[];
  out: string;
}

function pass(bytes: Buffer, isArray: boolean, size = bytes.length, choices = 1): Passed {
  const pipe = geminiDialect.createPassthrough({ ...info, isArray }, { ...options, choices });
  const splitter = new SseSplitter(1_000_000);
  const passed: Passed = { pipe, kinds: [], out: "" };
  const take = (one: Buffer, text: string): void => {
    passed.kinds.push(pipe.push(one, text));
    passed.out += Buffer.from(pipe.out, "latin1").toString();
  };
  for (let start = 0; start < bytes.length; start += size) splitter.push(bytes.subarray(start, start + size), take);
  return passed;
}

test("the vendor's own bytes pass through, and delivered text is counted", () => {
  const bytes = fixture("text-stream.txt");
  for (const size of [1, 5, bytes.length]) {
    const { pipe, kinds: found, out } = pass(bytes, false, size);
    expect(out).toBe(bytes.toString("utf8"));
    expect(found).toEqual(["delta", "closing"]);
    expect(pipe).toMatchObject({ hasFinish: true, hasDone: true, deltas: 2, words: { bytes: 10 + 12 + 2 } });
    expect(geminiDialect.normaliseUsage(pipe.rawUsage)?.usage).toMatchObject({ inputTokens: 8, outputTokens: 6 });
    expect(pipe.closing(usage)).toEqual([]);
  }
});

test("a client without alt=sse gets the same pieces in one array", () => {
  const { pipe, out } = pass(fixture("tool-stream.txt"), true, 9);
  const whole = JSON.parse(out + Buffer.concat(pipe.closing(usage)).toString()) as JsonObject[];
  const events = fixture("tool-stream.txt").toString("utf8").split("\r\n\r\n").slice(0, -1);
  expect(whole).toEqual(events.map((event) => JSON.parse(event.slice(6)) as JsonObject));
  expect(JSON.parse(out + pipe.failing(failure).toString())).toHaveLength(4);
  const thought = "**Checking** the flight.".length;
  expect(pipe.words.bytes).toBe(thought + '{"flight": "AA100"}'.length);
});

test("a stream of several answers closes with the last of them", () => {
  const piece = (index: number, finish: boolean): string => {
    const candidate = {
      content: { parts: [{ text: "a" }], role: "model" },
      index,
      ...(finish ? { finishReason: "STOP" } : {}),
    };
    return `data: ${JSON.stringify({ candidates: [candidate] })}\r\n\r\n`;
  };
  const bytes = Buffer.from(piece(0, true) + piece(1, false) + piece(1, true));
  expect(pass(bytes, false, bytes.length, 2).kinds).toEqual(["delta", "delta", "closing"]);
});

test("a refused prompt ends the stream, an error is recognised, a comment is not written into an array", () => {
  const event = (json: string): Buffer => Buffer.from(`data: ${json}\r\n\r\n`);
  expect(pass(event('{"promptFeedback": {"blockReason": "SAFETY"}}'), false).kinds).toEqual(["closing"]);
  const error = pass(event('{"error": {"code": 429, "message": "wäit"}}'), false);
  expect(error.kinds).toEqual(["error"]);
  expect(error.pipe.errorText).toBe('{"error": {"code": 429, "message": "wäit"}}');
  expect(pass(event('[{"error": {"code": 429}}]'), false).kinds).toEqual(["error"]);
  expect(pass(Buffer.from(": ping\n\n"), true)).toMatchObject({ kinds: ["other"], out: "" });
  expect(pass(Buffer.from(": ping\n\n"), false)).toMatchObject({ kinds: ["other"], out: ": ping\n\n" });
});

test("searches in the stream join its usage, and the text of sources is not counted", () => {
  const answer = JSON.parse(fixture("grounded-answer.json").toString()) as JsonObject;
  const { pipe } = pass(Buffer.from(`data: ${JSON.stringify(answer)}\r\n\r\n`), false);
  expect(geminiDialect.normaliseUsage(pipe.rawUsage)?.usage.toolCalls).toEqual([
    { tool: "web_search", calls: 2, usdPerThousand: "" },
  ]);
  expect(pipe.words.bytes).toBe(Buffer.byteLength("Señor won. The final was in Berlin."));
});

// Recorded from Vertex AI with streamFunctionCallArguments, reduced.
test("arguments that come in pieces are one call with whole arguments", () => {
  const piece = (functionCall: object, more: object = {}) => ({
    responseId: "r",
    candidates: [{ index: 0, content: { role: "model", parts: [{ functionCall, ...more }] } }],
  });
  const at = (jsonPath: string, value: object, willContinue = true) => ({
    partialArgs: [{ jsonPath, ...value, willContinue }],
    willContinue: true,
  });
  const decoder = new GeminiDecoder();
  const events = [
    piece({ name: "book", willContinue: true }, { thoughtSignature: "c2ln" }),
    piece(at("$.stops[0].city", { stringValue: "New " })),
    piece(at("$.stops[0].city", { stringValue: "York" }, false)),
    piece(at("$.stops[0].nights", { numberValue: 2 }, false)),
    piece(at("$['is late']", { boolValue: true }, false)),
    piece(at("$.__proto__.x", { nullValue: null }, false)),
    piece({}),
    piece({ name: "other", args: { a: 1 } }),
    { candidates: [{ index: 0, finishReason: "STOP" }] },
  ].flatMap((each) => decoder.push("", JSON.stringify(each)));
  const calls = events.filter(({ kind }) => kind === "tool_call");
  expect(calls).toMatchObject([
    { index: 0, name: "book", signature: { dialect: "gemini" } },
    { index: 1, name: "other" },
  ]);
  const texts = events.flatMap((event) => (event.kind === "tool_arguments" ? [event.text] : []));
  expect(texts).toEqual([
    '{"stops":[{"city":"New York","nights":2}],"is late":true,"__proto__":{"x":null}}',
    '{"a":1}',
  ]);
  expect(events.find(({ kind }) => kind === "finish")).toMatchObject({ reason: "tool_calls" });
});

test("a call whose pieces end with the answer is handed on", () => {
  const parts = [
    { functionCall: { name: "f", partialArgs: [{ jsonPath: "$.a", stringValue: "x" }], willContinue: true } },
  ];
  const [, call, text] = new GeminiDecoder().take({ candidates: [{ content: { parts }, finishReason: "STOP" }] });
  expect([call, text]).toMatchObject([{ name: "f" }, { text: '{"a":"x"}' }]);
});
