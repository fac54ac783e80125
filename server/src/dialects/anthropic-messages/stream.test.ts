/** Anthropic's streams: documented ones decoded, cut at any byte and passed through; encoded ones follow the vendor's grammar. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { mergeUsage, normaliseUsage } from "./usage.ts";
import { NO_USAGE } from "../../../../contract/src/pricing/usage.ts";
import { SseSplitter } from "../../upstream/sse.ts";
import { anthropicMessagesDialect as dialect } from "./anthropic-messages.ts";
import type { AnswerInfo } from "../neutral/info.ts";
import {
  type JsonObject,
  type NeutralAnswer,
  type NeutralEvent,
  type NeutralPart,
  eventsOf,
} from "../neutral/neutral.ts";
import { readEvent } from "../stream/sse-event.ts";

const fixture = (name: string): Buffer => readFileSync(new URL(`./fixtures/${name}`, import.meta.url));
const info: AnswerInfo = { model: "asked-for", requestId: "req-1", createdAt: 0, asksUsage: true, isArray: false };
const usage = { ...NO_USAGE, inputTokens: 30, cacheReadTokens: 10, cacheWriteTokens: 5, outputTokens: 9 };
const failure = { status: 503, message: "gone", type: "", code: "", param: null };

/** Hands over each event of a stream that comes in pieces of so many bytes. */
function each(bytes: Buffer, size: number, take: (bytes: Buffer, text: string) => void): void {
  const splitter = new SseSplitter(1_000_000);
  for (let start = 0; start < bytes.length; start += size) splitter.push(bytes.subarray(start, start + size), take);
}

function decode(bytes: Buffer, size = bytes.length): NeutralEvent[] {
  const decoder = dialect.createDecoder();
  const events: NeutralEvent[] = [];
  each(bytes, size, (one, text) => {
    const { event, data } = readEvent(one, text);
    events.push(...decoder.push(event, data));
  });
  return events;
}

const own = (value: string) => ({ dialect: "anthropic-messages" as const, value });
const withoutUsage = (events: readonly NeutralEvent[]) => events.filter(({ kind }) => kind !== "usage");

test("a documented stream of text, cut anywhere", () => {
  const events = decode(fixture("text-stream.txt"));
  expect(withoutUsage(events)).toEqual([
    { kind: "start", id: "msg_01TextStream" },
    { kind: "text", choice: 0, text: "Grüß" },
    { kind: "text", choice: 0, text: ' "dich" 👋!' },
    { kind: "finish", choice: 0, reason: "stop" },
    { kind: "end" },
  ]);
  for (const name of ["text", "tool", "thinking", "search"])
    for (const size of [1, 2, 3, 7, 64])
      expect(decode(fixture(`${name}-stream.txt`), size)).toEqual(decode(fixture(`${name}-stream.txt`)));
});

test("a documented stream of calls; one without input has empty arguments", () => {
  expect(withoutUsage(decode(fixture("tool-stream.txt"))).slice(3)).toEqual([
    { kind: "tool_call", choice: 0, index: 0, id: "toolu_01Weather", name: "get_weather" },
    { kind: "tool_arguments", choice: 0, index: 0, text: '{"location":' },
    { kind: "tool_arguments", choice: 0, index: 0, text: ' "San' },
    { kind: "tool_arguments", choice: 0, index: 0, text: ' Francisco, CA"}' },
    { kind: "tool_call", choice: 0, index: 1, id: "toolu_02Clock", name: "get_time" },
    { kind: "tool_arguments", choice: 0, index: 1, text: "{}" },
    { kind: "finish", choice: 0, reason: "tool_calls" },
    { kind: "end" },
  ]);
});

test("thinking with its proofs, and usage put together from both ends of the stream", () => {
  const events = decode(fixture("thinking-stream.txt"));
  expect(withoutUsage(events).slice(1, 5)).toEqual([
    { kind: "reasoning", choice: 0, text: "27 * 453:\n" },
    { kind: "reasoning", choice: 0, text: "27 * 400 = 10,800" },
    { kind: "signature", choice: 0, signature: own("EqQBCgIYAhIM1gbcDa9GJwZA2b3h"), isRedacted: false },
    { kind: "signature", choice: 0, signature: own("EmwKAhgBEgy3va3pzix"), isRedacted: true },
  ]);
  const last = events.findLast(({ kind }) => kind === "usage");
  expect(dialect.normaliseUsage(last?.kind === "usage" ? last.raw : undefined)).toEqual({
    usage: {
      ...NO_USAGE,
      inputTokens: 3060,
      outputTokens: 120,
      cacheReadTokens: 1000,
      cacheWriteTokens: 500,
      cacheWriteLongTokens: 1500,
      reasoningTokens: 80,
    },
    faults: [],
  });
});

test("the vendor's own search becomes citations and a count of calls", () => {
  const events = decode(fixture("search-stream.txt"));
  expect(withoutUsage(events).slice(1, 5)).toEqual([
    { kind: "text", choice: 0, text: "I'll check." },
    { kind: "priced_call", tool: "web_search" },
    {
      kind: "citation",
      choice: 0,
      citation: { url: "https://weather.example/nyc", title: "Weather in New York", quote: "Sunny, 20 degrees" },
    },
    { kind: "text", choice: 0, text: "It is sunny." },
  ]);
  const last = events.findLast(({ kind }) => kind === "usage");
  expect(dialect.normaliseUsage(last?.kind === "usage" ? last.raw : undefined)?.usage).toMatchObject({
    inputTokens: 10_682,
    toolCalls: [{ tool: "web_search", calls: 1, usdPerThousand: "" }],
  });
});

test("garbage is survived: broken JSON and errors are error events, the rest is nothing", () => {
  const push = (event: string, data: string) => dialect.createDecoder().push(event, data);
  const overloaded = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';
  expect(push("error", overloaded)).toEqual([{ kind: "error", text: overloaded }]);
  expect(push("", overloaded)).toEqual([{ kind: "error", text: overloaded }]);
  expect(push("content_block_delta", "{broken")).toMatchObject([{ kind: "error" }]);
  expect(push("vendor_news", '{"type":"vendor_news"}')).toEqual([]);
  expect(push("", '{"type":"content_block_delta","delta":{"type":"text_delta","text":7}}')).toMatchObject([
    { text: "" },
  ]);
  const types = fc.constantFrom("message_start", "content_block_start", "content_block_delta", "message_delta");
  fc.assert(
    fc.property(fc.array(fc.tuple(types, fc.jsonValue())), (list) => {
      const decoder = dialect.createDecoder();
      for (const [type, value] of list)
        for (const data of [
          JSON.stringify(value),
          JSON.stringify({ type, delta: value, content_block: value, message: value }),
        ])
          expect(Array.isArray(decoder.push(type, data))).toBe(true);
    }),
  );
});

const word = fc.string({ minLength: 1, maxLength: 10, unit: "grapheme" });
const proof = fc.record({
  dialect: fc.constantFrom("anthropic-messages" as const, "gemini" as const, "openai-responses" as const),
  value: fc.stringMatching(/^[A-Za-z0-9+/=]{4,12}$/),
});
const part: fc.Arbitrary<NeutralPart> = fc.oneof(
  word.map((text) => ({ kind: "text" as const, text })),
  word.map((text) => ({ kind: "refusal" as const, text })),
  word.map((text) => ({ kind: "reasoning" as const, text })),
  fc.record({ kind: fc.constant("reasoning" as const), text: word, signature: proof }),
  proof.map((signature) => ({ kind: "reasoning" as const, text: "", signature, isRedacted: true })),
  fc.record({ input: word, signature: fc.option(proof) }).map(({ input, signature }) => ({
    kind: "tool_call" as const,
    id: `toolu_${input.length}`,
    name: "f",
    arguments: JSON.stringify({ input }),
    ...(signature === null ? {} : { signature }),
  })),
  fc.constant({ kind: "image" as const, source: { kind: "url" as const, url: "https://a.example/b.png" } }),
);
const answers = fc
  .record({
    parts: fc.array(part, { maxLength: 8 }),
    finish: fc.constantFrom("stop" as const, "length" as const, "content_filter" as const, "pause" as const),
  })
  .map((choice): NeutralAnswer => ({ id: "chatcmpl-1", choices: [choice], rawUsage: {} }));

function encode(answer: NeutralAnswer): string {
  const encoder = dialect.createEncoder(info);
  return [...eventsOf(answer)].map((event) => encoder.push(event)).join("") + encoder.close(usage);
}

interface Wire extends JsonObject {
  type: string;
  index?: number;
  content_block?: JsonObject;
  delta?: JsonObject;
  message?: JsonObject;
  usage?: JsonObject;
}

function framesOf(text: string): Wire[] {
  return text
    .split("\n\n")
    .slice(0, -1)
    .map((frame) => {
      const [name, data] = frame.split("\n");
      const value = JSON.parse((data ?? "").replace(/^data: /, "")) as Wire;
      expect(name).toBe(`event: ${value.type}`);
      return value;
    });
}

const DELTA_OF: Readonly<Record<string, readonly string[]>> = {
  text: ["text_delta", "citations_delta"],
  thinking: ["thinking_delta", "signature_delta"],
  tool_use: ["input_json_delta"],
  redacted_thinking: [],
};

/** The vendor's grammar: one start, blocks one after another with rising indices and deltas of their kind, one message_delta, one stop. */
function checkGrammar(frames: readonly Wire[]): void {
  let [state, next, open] = ["new", 0, ""];
  for (const { type, index, content_block: block, delta, message, usage: counts } of frames) {
    if (type === "message_start") {
      expect(state).toBe("new");
      expect(message).toMatchObject({
        type: "message",
        role: "assistant",
        content: [],
        stop_reason: null,
        model: "asked-for",
      });
      state = "between";
    } else if (type === "content_block_start") {
      expect([state, index]).toEqual(["between", next]);
      open = String(block?.["type"]);
      expect(Object.keys(DELTA_OF)).toContain(open);
      state = "inside";
    } else if (type === "content_block_delta") {
      expect([state, index]).toEqual(["inside", next]);
      expect(DELTA_OF[open]).toContain(delta?.["type"]);
    } else if (type === "content_block_stop") {
      expect([state, index]).toEqual(["inside", next]);
      next += 1;
      state = "between";
    } else if (type === "message_delta") {
      expect(state).toBe("between");
      expect(typeof delta?.["stop_reason"]).toBe("string");
      expect(counts).toMatchObject({ input_tokens: 15, cache_read_input_tokens: 10, output_tokens: 9 });
      state = "finished";
    } else {
      expect([type, state]).toEqual(["message_stop", "finished"]);
      state = "stopped";
    }
  }
  expect(state).toBe("stopped");
}

const saidIn = (events: readonly NeutralEvent[], ...wanted: readonly NeutralEvent["kind"][]): string =>
  events.map((event) => (wanted.includes(event.kind) && "text" in event ? event.text : "")).join("");

test("what is written keeps to the vendor's grammar and comes back as it was", () => {
  fc.assert(
    fc.property(answers, (answer) => {
      const text = encode(answer);
      checkGrammar(framesOf(text));
      const given = [...eventsOf(answer)];
      const back = decode(Buffer.from(text));
      const pictures = given.some(({ kind }) => kind === "image");
      if (!pictures) expect(saidIn(back, "text")).toBe(saidIn(given, "text", "refusal"));
      expect(saidIn(back, "reasoning")).toBe(saidIn(given, "reasoning"));
      expect(saidIn(back, "tool_arguments")).toBe(saidIn(given, "tool_arguments"));
      expect(back.at(-1)).toEqual({ kind: "end" });
    }),
    { numRuns: 300 },
  );
});

test("a stream says what the whole answer says", () => {
  fc.assert(
    fc.property(answers, (answer) => {
      const whole = dialect.decodeAnswer(dialect.encodeAnswer(answer, usage, info));
      const fromWhole = whole === undefined ? [] : [...eventsOf(whole)];
      const fromStream = decode(Buffer.from(encode(answer)));
      for (const kind of ["text", "reasoning", "tool_arguments"] as const)
        expect(saidIn(fromStream, kind)).toBe(saidIn(fromWhole, kind));
      const rest = (events: readonly NeutralEvent[]) =>
        events.filter(({ kind }) => ["signature", "tool_call", "finish"].includes(kind));
      expect(rest(fromStream)).toEqual(rest(fromWhole));
    }),
  );
});

test("the signature of a call travels in its id, in the letters that an id may have", () => {
  const encoder = dialect.createEncoder(info);
  const signature = { dialect: "gemini" as const, value: "c2ln" };
  const frames = framesOf(encoder.push({ kind: "tool_call", choice: 0, index: 0, id: "c1", name: "f", signature }));
  expect(frames.map(({ type, content_block: block }) => block?.["id"] ?? type)).toEqual([
    "message_start",
    `c1-turnpike-${Buffer.from("turnpike:gemini:c2ln").toString("base64url")}`,
  ]);
});

test("an error ends a stream as the vendor does, also before anything was said", () => {
  const frame = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"gone"}}\n\n';
  expect(dialect.createEncoder(info).fail(failure)).toBe(frame);
  expect(
    dialect.createPassthrough(info, { hidesUsage: false, isChat: true, choices: 1 }).failing(failure).toString(),
  ).toBe(frame);
});

function pass(bytes: Buffer, size = bytes.length) {
  const pipe = dialect.createPassthrough(info, { hidesUsage: false, isChat: true, choices: 1 });
  const kinds: string[] = [];
  const out: Buffer[] = [];
  each(bytes, size, (one, text) => {
    kinds.push(pipe.push(one, text));
    out.push(Buffer.from(pipe.out, "latin1"));
  });
  return { pipe, kinds, out: Buffer.concat([...out, ...pipe.closing(usage)]).toString("utf8") };
}

test("a stream passes through unchanged; its text and its usage are counted", () => {
  for (const name of ["text", "tool", "thinking", "search"]) {
    const bytes = fixture(`${name}-stream.txt`);
    const events = decode(bytes);
    const usages = events.filter(({ kind }) => kind === "usage");
    const { pipe, kinds, out } = pass(bytes, 5);
    expect(out).toBe(bytes.toString("utf8"));
    expect(kinds.slice(-2)).toEqual(["closing", "closing"]);
    expect(kinds.slice(0, -2)).not.toContain("closing");
    expect([pipe.hasFinish, pipe.hasDone, pipe.errorText]).toEqual([true, true, ""]);
    expect(usages.at(-1)).toEqual({ kind: "usage", raw: pipe.rawUsage });
  }
  const { pipe, kinds } = pass(fixture("text-stream.txt"));
  expect(kinds).toEqual(["delta", "delta", "other", "delta", "delta", "delta", "closing", "closing"]);
  // JSON's escapes count as the one character they stand for.
  expect([pipe.words.bytes, pipe.deltas]).toEqual([19, 2]);
});

test("gateways' spellings are recognised too: no event names, keys in another order, a bare error", () => {
  const pipe = dialect.createPassthrough(info, { hidesUsage: false, isChat: true, choices: 1 });
  const push = (text: string) => pipe.push(Buffer.from(text), text);
  expect(
    push('data: {"type": "message_start", "message": {"usage": {"input_tokens": 7, "output_tokens": 1}}}\n\n'),
  ).toBe("delta");
  expect(push('data: {"delta":{"type":"text_delta","text":"hi"},"index":0,"type":"content_block_delta"}\n\n')).toBe(
    "delta",
  );
  expect([pipe.words.bytes, pipe.deltas]).toEqual([2, 1]);
  expect(push(": PING\n\n")).toBe("other");
  expect(
    push(
      'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":0,"output_tokens":4}}\n\n',
    ),
  ).toBe("closing");
  expect(pipe.rawUsage).toEqual({ input_tokens: 7, output_tokens: 4 });
  expect(pipe.closing(usage).join("")).toBe('event: message_stop\ndata: {"type":"message_stop"}\n\n');
  expect(push('data: {"error":{"message":"no"}}\n\n')).toBe("error");
  expect(pipe.errorText).toBe('{"error":{"message":"no"}}');
});

// Recorded from Anthropic (pydantic-ai, test_anthropic_compaction_usage_with_cache_streaming), reduced.
test("what a compaction read from the cache is counted once: the last usage of its vendor says zeros that count", () => {
  const first = {
    input_tokens: 100,
    cache_read_input_tokens: 55_096,
    cache_creation_input_tokens: 0,
    output_tokens: 1,
  };
  const iterations = [
    { type: "compaction", input_tokens: 100, cache_read_input_tokens: 55_096, output_tokens: 83 },
    { type: "message", input_tokens: 181, output_tokens: 20 },
  ];
  const last = { input_tokens: 181, cache_read_input_tokens: 0, output_tokens: 20, iterations };
  expect(normaliseUsage(mergeUsage(first, last))?.usage).toMatchObject({
    inputTokens: 55_377,
    cacheReadTokens: 55_096,
    outputTokens: 103,
  });
  // Without iterations a zero over something is a gateway that does not know.
  expect(mergeUsage(first, { ...last, iterations: undefined })).toMatchObject({ cache_read_input_tokens: 55_096 });
});

test("what a compaction wrote to the cache is counted once, although the start alone says how long it lives", () => {
  const counted = { inputTokens: 55_377, cacheReadTokens: 0, cacheWriteTokens: 55_096, outputTokens: 91 };
  const pipe = dialect.createPassthrough(info, { hidesUsage: false, isChat: true, choices: 1 });
  each(fixture("compaction-stream.txt"), 1000, (bytes, text) => void pipe.push(bytes, text));
  const decoded = decode(fixture("compaction-stream.txt")).findLast(({ kind }) => kind === "usage");
  for (const raw of [pipe.rawUsage, decoded?.kind === "usage" ? decoded.raw : undefined])
    expect(normaliseUsage(raw)?.usage).toMatchObject(counted);
});
