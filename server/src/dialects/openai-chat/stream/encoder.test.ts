/** Chat streams encoded: OpenAI's order of chunks, the text of the whole answer, and decoded again to the same events. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { NO_USAGE } from "../../../../../contract/src/pricing/usage.ts";
import { SseSplitter } from "../../../upstream/sse.ts";
import type { AnswerInfo } from "../../neutral/info.ts";
import {
  type JsonObject,
  type NeutralChoice,
  type NeutralEvent,
  type NeutralPart,
  eventsOf,
} from "../../neutral/neutral.ts";
import { decodeAnswer, encodeAnswer } from "../answer.ts";
import { createDecoder } from "./decoder.ts";
import { createEncoder } from "./encoder.ts";
import { encodeUsage } from "../usage.ts";
import { readEvent } from "../../stream/sse-event.ts";

const INFO: AnswerInfo = { model: "asked", requestId: "req1", createdAt: 7, asksUsage: true, isArray: false };
const USAGE = { ...NO_USAGE, inputTokens: 3, outputTokens: 2 };
/** The neutral events of a stream. */
function decoded(bytes: Buffer): NeutralEvent[] {
  const decoder = createDecoder();
  const splitter = new SseSplitter(1_000_000);
  const events: NeutralEvent[] = [];
  splitter.push(bytes, (each, text) => {
    const { event, data } = readEvent(each, text);
    events.push(...decoder.push(event, data));
  });
  return events;
}

const encoded = (events: Iterable<NeutralEvent>, info = INFO): string => {
  const encoder = createEncoder(info);
  let frames = "";
  for (const event of events) frames += encoder.push(event);
  return frames + encoder.close(USAGE);
};
const chunksOf = (frames: string): JsonObject[] =>
  frames
    .split("\n\n")
    .filter((frame) => frame !== "" && frame !== "data: [DONE]")
    .map((frame) => JSON.parse(frame.slice("data: ".length)) as JsonObject);
test("text goes out as OpenAI's chunks", () => {
  const events: NeutralEvent[] = [
    { kind: "start", id: "up" },
    { kind: "text", choice: 0, text: 'a"\n' },
    { kind: "finish", choice: 0, reason: "stop" },
    { kind: "end" },
  ];
  const head = { id: "chatcmpl-req1", object: "chat.completion.chunk", created: 7, model: "asked" };
  const chunk = (delta: object, reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
    usage: null,
  });
  const frames = encoded(events);
  expect(chunksOf(frames)).toEqual([
    chunk({ role: "assistant", content: "", refusal: null }),
    chunk({ content: 'a"\n' }),
    chunk({}, "stop"),
    { ...head, choices: [], usage: encodeUsage(USAGE) },
  ]);
  expect(frames.endsWith("data: [DONE]\n\n")).toBe(true);
  const quiet = chunksOf(encoded(events, { ...INFO, asksUsage: false }));
  expect(quiet).toHaveLength(3);
  expect(quiet.every((each) => !("usage" in each))).toBe(true);
});

test("the fingerprint of the vendor's system is in every chunk, and in an answer in one piece", () => {
  const decoder = createDecoder();
  const head = { id: "up", system_fingerprint: "fp_ollama" };
  const events = [{ delta: { content: "a" } }, { delta: {}, finish_reason: "stop" }].flatMap((choice) => [
    ...decoder.push("", JSON.stringify({ ...head, choices: [{ index: 0, ...choice }] })),
  ]);
  expect(chunksOf(encoded(events)).map((each) => each["system_fingerprint"])).toEqual(
    Array.from({ length: 4 }, () => "fp_ollama"),
  );
  const message = { role: "assistant", content: "a" };
  const answer = decodeAnswer({ system_fingerprint: "fp_ollama", choices: [{ message, finish_reason: "stop" }] });
  if (answer === undefined) throw new Error("no answer");
  expect(encodeAnswer(answer, USAGE, INFO)).toMatchObject({ system_fingerprint: "fp_ollama" });
  expect(chunksOf(encoded(eventsOf(answer)))[0]).toMatchObject({ system_fingerprint: "fp_ollama" });
});

test("nothing goes out before there is something to say, and an empty answer still has its frames", () => {
  expect(createEncoder(INFO).push({ kind: "start", id: "x" })).toBe("");
  expect(chunksOf(encoded([])).map(({ choices }) => choices)).toMatchObject([
    [{ delta: { role: "assistant" } }],
    [{ finish_reason: "stop" }],
    [],
  ]);
  const error = { status: 502, message: "m", type: "t", code: "c", param: null };
  expect(createEncoder(INFO).fail(error)).toBe(
    'data: {"error":{"message":"m","type":"t","param":null,"code":"c"}}\n\n',
  );
});

test("a signature's entry holds the thinking before it, so that a list of the entries says all", () => {
  const signature = { dialect: "anthropic-messages", value: "s" } as const;
  const events: NeutralEvent[] = [
    { kind: "reasoning", choice: 0, text: "a" },
    { kind: "reasoning", choice: 0, text: "b" },
    { kind: "signature", choice: 0, signature },
    { kind: "signature", choice: 0, signature, isRedacted: true },
    { kind: "finish", choice: 0, reason: "stop" },
  ];
  const details = chunksOf(encoded(events)).flatMap(
    ({ choices }) => (choices as { delta: JsonObject }[])[0]?.delta["reasoning_details"] ?? [],
  );
  const packed = "turnpike:anthropic-messages:s";
  expect(details).toEqual([
    { type: "reasoning.text", text: "ab", signature: packed, index: 0 },
    { type: "reasoning.encrypted", data: packed, index: 1 },
  ]);
});

test("the signature of thinking travels on the first call too", () => {
  const signature = { dialect: "anthropic-messages", value: "s" } as const;
  const events: NeutralEvent[] = [
    { kind: "reasoning", choice: 0, text: "a" },
    { kind: "signature", choice: 0, signature },
    { kind: "tool_call", choice: 0, index: 0, id: "c", name: "f" },
    { kind: "tool_call", choice: 0, index: 1, id: "d", name: "f" },
    { kind: "finish", choice: 0, reason: "tool_calls" },
  ];
  const frames = encoded(events);
  const signed = chunksOf(frames).filter((chunk) => JSON.stringify(chunk).includes("thought_signature"));
  expect(signed).toMatchObject([{ choices: [{ delta: { tool_calls: [{ id: "c" }] } }] }]);
  const again = decoded(Buffer.from(frames)).filter(({ kind }) => kind === "signature" || kind === "tool_call");
  expect(again).toEqual([{ ...events[1], isRedacted: false }, events[2], events[3]]);
});

test("a client of the retired functions is streamed function_call", () => {
  const events: NeutralEvent[] = [
    { kind: "tool_call", choice: 0, index: 0, id: "c", name: "f" },
    { kind: "tool_call", choice: 0, index: 1, id: "d", name: "g" },
    { kind: "finish", choice: 0, reason: "tool_calls" },
  ];
  const chunks = chunksOf(encoded(events, { ...INFO, request: { functions: [{ name: "f" }] } }));
  expect(chunks.slice(1, -1).map(({ choices }) => choices)).toMatchObject([
    [{ delta: { function_call: { name: "f", arguments: "" } } }],
    [{ delta: { function_call: { arguments: "{}" } } }],
    [{ finish_reason: "function_call" }],
  ]);
});

/** What a checker of OpenAI's order of chunks knows of one answer. */
interface Seen {
  calls: number;
  isDone: boolean;
}

/** Throws where the frames break the grammar: role first, calls by index, one finish each, usage after all, then `[DONE]`. */
function expectGrammar(frames: string): void {
  const list = frames.split("\n\n");
  expect(list.pop()).toBe("");
  expect(list.pop()).toBe("data: [DONE]");
  const answers = new Map<number, Seen>();
  const chunks = list.map((frame) => JSON.parse(frame.slice("data: ".length)) as JsonObject);
  expect(chunks.pop()).toMatchObject({ choices: [], usage: { total_tokens: 5 } });
  for (const { choices, ...head } of chunks) {
    expect(head).toEqual({
      id: "chatcmpl-req1",
      object: "chat.completion.chunk",
      created: 7,
      model: "asked",
      usage: null,
    });
    expect(choices).toHaveLength(1);
    expectChoice((choices as [JsonObject])[0], answers);
  }
  for (const { isDone } of answers.values()) expect(isDone).toBe(true);
}

function expectChoice(choice: JsonObject, answers: Map<number, Seen>): void {
  const index = choice["index"] as number;
  const delta = choice["delta"] as JsonObject;
  const seen = answers.get(index);
  if (seen === undefined) {
    expect(delta).toEqual({ role: "assistant", content: expect.toBeOneOf(["", null]), refusal: null });
    answers.set(index, { calls: 0, isDone: false });
    return;
  }
  expect(seen.isDone).toBe(false);
  if (choice["finish_reason"] !== null) {
    expect(delta).toEqual({});
    seen.isDone = true;
    return;
  }
  expect(Object.keys(delta)).toHaveLength(choice["logprobs"] === null ? 1 : 0);
  for (const call of (delta["tool_calls"] ?? []) as JsonObject[]) {
    if ("id" in call)
      expect(call).toMatchObject({ index: (seen.calls += 1) - 1, type: "function", function: { arguments: "" } });
    else expect(call["index"]).toBe(seen.calls - 1);
  }
}

const words = fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" });
const signature = words.map((value) => ({ dialect: "gemini" as const, value }));
const args = fc.dictionary(words, fc.jsonValue(), { maxKeys: 2 }).map((value) => JSON.stringify(value));
const part: fc.Arbitrary<NeutralPart> = fc.oneof(
  fc.record({ kind: fc.constant("text" as const), text: words }),
  fc.record({ kind: fc.constant("refusal" as const), text: words }),
  fc.record({ kind: fc.constant("reasoning" as const), text: words, signature, isRedacted: fc.constant(false) }),
  fc.record({
    kind: fc.constant("reasoning" as const),
    text: fc.constant(""),
    signature,
    isRedacted: fc.constant(true),
  }),
  fc.record({ kind: fc.constant("tool_call" as const), id: words, name: words, arguments: args }),
  fc.record({ kind: fc.constant("tool_call" as const), id: words, name: words, arguments: fc.constant("") }),
  fc.record({
    kind: fc.constant("image" as const),
    source: fc.constant({ kind: "url" as const, url: "https://a.b/c" }),
  }),
  fc.record({
    kind: fc.constant("text" as const),
    text: words,
    citations: fc.constant([{ url: "https://a.b", title: "t", quote: "" }]),
  }),
);
const choices: fc.Arbitrary<NeutralChoice[]> = fc.array(
  fc.record({ parts: fc.array(part, { maxLength: 5 }), finish: fc.constantFrom("stop" as const, "length" as const) }),
  { minLength: 1, maxLength: 3 },
);

/** The events of several answers, interleaved as upstreams do. */
function mixed(list: readonly NeutralChoice[]): NeutralEvent[] {
  const rows = list.map((choice, index) =>
    [...eventsOf({ id: "x", choices: [choice], rawUsage: undefined })].flatMap((event) =>
      "choice" in event ? [{ ...event, choice: index }] : [],
    ),
  );
  const longest = Math.max(...rows.map((row) => row.length));
  return Array.from({ length: longest }).flatMap((_, at) => rows.flatMap((row) => row.slice(at, at + 1)));
}

test("every stream keeps OpenAI's order of chunks", () => {
  fc.assert(fc.property(choices, (list) => expectGrammar(encoded(mixed(list)))));
});

/** Everything a client gathers from a stream: deltas joined as the official SDKs join them. */
function collected(frames: string, index: number): JsonObject {
  const message: Record<string, string> = { content: "", refusal: "", reasoning_content: "" };
  const calls: { name: string; text: string }[] = [];
  for (const { choices: list } of chunksOf(frames)) {
    for (const choice of list as { index: number; delta: JsonObject }[]) {
      if (choice.index !== index) continue;
      for (const name of Object.keys(message)) message[name] += (choice.delta[name] as string | undefined) ?? "";
      for (const call of (choice.delta["tool_calls"] ?? []) as {
        index: number;
        function: { name?: string; arguments: string };
      }[]) {
        const found = (calls[call.index] ??= { name: call.function.name ?? "", text: "" });
        found.text += call.function.arguments;
      }
    }
  }
  return { ...message, calls };
}

test("a stream says what the whole answer says", () => {
  fc.assert(
    fc.property(choices, (list) => {
      const frames = encoded(mixed(list));
      const whole = encodeAnswer({ id: "x", choices: list, rawUsage: undefined }, USAGE, INFO);
      for (const [index, { message }] of (whole["choices"] as { message: JsonObject }[]).entries()) {
        const calls = ((message["tool_calls"] ?? []) as { function: { name: string; arguments: string } }[]).map(
          (call) => ({
            name: call.function.name,
            text: call.function.arguments || "{}",
          }),
        );
        expect(collected(frames, index)).toEqual({
          content: message["content"] ?? "",
          refusal: message["refusal"] ?? "",
          reasoning_content: message["reasoning_content"] ?? "",
          calls,
        });
      }
    }),
  );
});

test("a stream that was written is read as it was meant", () => {
  const plain = part.filter(({ kind }) => kind === "text" || kind === "reasoning" || kind === "tool_call");
  const streams = fc.array(plain, { maxLength: 5 }).map((parts): NeutralChoice => ({ parts, finish: "length" }));
  fc.assert(
    fc.property(streams, (choice) => {
      const events = [...eventsOf({ id: "chatcmpl-req1", choices: [choice], rawUsage: encodeUsage(USAGE) })];
      const meant = events
        .filter((event) => event.kind !== "start" || choice.parts.length > 0)
        .map((event) => (event.kind === "tool_arguments" && event.text === "" ? { ...event, text: "{}" } : event));
      const again = decoded(Buffer.from(encoded(events)));
      expect(again.filter(({ kind }) => kind !== "start" && kind !== "citation")).toEqual(
        meant.filter(({ kind }) => kind !== "start" && kind !== "citation"),
      );
    }),
  );
});
