/** Shared by the tests of the Responses dialect: streams decoded, the vendor's grammar as a checker, and random turns of a model. */
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { NO_USAGE } from "../../../contract/src/pricing/usage.ts";
import { SseSplitter } from "../../../server/src/upstream/sse.ts";
import type { AnswerInfo } from "../../../server/src/dialects/neutral/info.ts";
import type {
  FinishReason,
  JsonObject,
  NeutralAnswer,
  NeutralEvent,
  NeutralPart,
} from "../../../server/src/dialects/neutral/neutral.ts";
import { openAiResponsesDialect as dialect } from "../../../server/src/dialects/openai-responses/openai-responses.ts";
import { readEvent } from "../../../server/src/dialects/stream/sse-event.ts";

export const INFO: AnswerInfo = {
  model: "m",
  requestId: "req1",
  createdAt: 1_760_000_000,
  asksUsage: true,
  isArray: false,
};
export const USAGE = {
  ...NO_USAGE,
  inputTokens: 30,
  outputTokens: 20,
  cacheReadTokens: 8,
  cacheWriteTokens: 2,
  reasoningTokens: 5,
};
export const WIRE_USAGE = {
  input_tokens: 30,
  input_tokens_details: { cached_tokens: 8, cache_write_tokens: 2 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 5 },
  total_tokens: 50,
};

export const read = (name: string): string =>
  readFileSync(new URL(`../../../server/src/dialects/openai-responses/fixtures/${name}`, import.meta.url), "utf8");
export const fixture = (name: string): JsonObject => JSON.parse(read(name)) as JsonObject;

/** Whole events of a stream that comes in pieces of these sizes. */
export function split(stream: string, sizes: readonly number[] = []): { bytes: Buffer; text: string }[] {
  const events: { bytes: Buffer; text: string }[] = [];
  const bytes = Buffer.from(stream);
  const splitter = new SseSplitter(1_000_000);
  let start = 0;
  for (const size of [...sizes, bytes.length]) {
    const piece = bytes.subarray(start, start + size);
    if (piece.length > 0)
      splitter.push(Buffer.from(piece), (event, text) => void events.push({ bytes: Buffer.from(event), text }));
    start += piece.length;
  }
  return events;
}

export function decodeStream(stream: string, sizes?: readonly number[]): NeutralEvent[] {
  const decoder = dialect.createDecoder();
  return split(stream, sizes).flatMap(({ bytes, text }) => {
    const { event, data } = readEvent(bytes, text);
    return [...decoder.push(event, data)];
  });
}

export function encodeStream(events: Iterable<NeutralEvent>, facts = INFO): string {
  const encoder = dialect.createEncoder(facts);
  let frames = "";
  for (const event of events) frames += encoder.push(event);
  return frames + encoder.close(USAGE);
}

export const jsonOf = (stream: string): JsonObject[] =>
  split(stream).map(({ bytes, text }) => {
    const { event, data } = readEvent(bytes, text);
    const parsed = JSON.parse(data) as JsonObject;
    expect(parsed["type"]).toBe(event);
    return parsed;
  });

/** Parts of choice 0 as the events have them, adjacent text joined. */
export function partsOf(events: readonly NeutralEvent[]): NeutralPart[] {
  const parts: NeutralPart[] = [];
  for (const event of events) {
    const last = parts.at(-1);
    if (event.kind === "text" || event.kind === "refusal" || event.kind === "reasoning") {
      const isOpen = last?.kind === event.kind && !("signature" in last);
      if (isOpen) parts[parts.length - 1] = { ...last, text: last.text + event.text } as NeutralPart;
      else parts.push({ kind: event.kind, text: event.text });
    } else if (event.kind === "signature") {
      const { signature, isRedacted } = event;
      if (isRedacted === true) parts.push({ kind: "reasoning", text: "", signature, isRedacted });
      else if (last?.kind === "reasoning") parts[parts.length - 1] = { ...last, signature };
    } else if (event.kind === "tool_call") {
      parts.push({ kind: "tool_call", id: event.id, name: event.name, arguments: "" });
    } else if (event.kind === "tool_arguments" && last?.kind === "tool_call") {
      parts[parts.length - 1] = { ...last, arguments: last.arguments + event.text };
    } else if (event.kind === "image") parts.push({ kind: "image", source: event.source });
  }
  return parts;
}

/** Fails where a stream breaks the vendor's grammar: order, places, ids, sums of deltas, and what the whole says. */
export function checkGrammar(stream: string): JsonObject {
  const events = jsonOf(stream);
  expect(events.map((event) => event["sequence_number"])).toEqual(events.map((_, index) => index));
  expect(events.slice(0, 2).map(({ type }) => type)).toEqual(["response.created", "response.in_progress"]);
  const last = events.at(-1) as { type: string; response: JsonObject };
  expect(last.type).toMatch(/^response\.(completed|incomplete)$/);
  expect(last.response["status"]).toBe(last.type.slice("response.".length));
  const items: JsonObject[] = [];
  let open: { item: JsonObject; part: string; text: string } | undefined;
  for (const event of events.slice(2, -1)) {
    const type = String(event["type"]);
    expect(event["output_index"]).toBe(items.length);
    if (type === "response.output_item.added") {
      expect(open).toBeUndefined();
      open = { item: event["item"] as JsonObject, part: "", text: "" };
      continue;
    }
    if (open === undefined) throw new Error(`${type} outside of an item`);
    if (type === "response.output_item.done") {
      const item = event["item"] as JsonObject;
      expect([item["id"], item["type"]]).toEqual([open.item["id"], open.item["type"]]);
      expect(open.part).toBe("");
      items.push(item);
      open = undefined;
      continue;
    }
    expect(event["item_id"]).toBe(open.item["id"]);
    checkInside(type, event, open);
  }
  expect(open).toBeUndefined();
  expect(last.response["output"]).toEqual(items);
  return last.response;
}

/** Which delta may be in which part, and which `done` field sums it up. */
const DELTAS: Readonly<Record<string, readonly [part: string, field: string]>> = {
  "response.output_text": ["output_text", "text"],
  "response.refusal": ["refusal", "refusal"],
  "response.reasoning_summary_text": ["summary_text", "text"],
  "response.function_call_arguments": ["", "arguments"],
  "response.custom_tool_call_input": ["", "input"],
};

function checkInside(type: string, event: JsonObject, open: { item: JsonObject; part: string; text: string }): void {
  const stem = type.slice(0, type.lastIndexOf("."));
  if (type === "response.content_part.added" || type === "response.reasoning_summary_part.added") {
    expect(open.part).toBe("");
    open.part = String((event["part"] as JsonObject)["type"]);
    open.text = "";
  } else if (type === "response.content_part.done" || type === "response.reasoning_summary_part.done") {
    const part = event["part"] as JsonObject;
    expect([part["type"], part["text"] ?? part["refusal"]]).toEqual([open.part, open.text]);
    open.part = "";
  } else if (type === "response.output_text.annotation.added") expect(open.part).toBe("output_text");
  else if (type === "response.image_generation_call.completed") expect(open.item["type"]).toBe("image_generation_call");
  else {
    const [part, field] = DELTAS[stem] ?? [];
    if (field === undefined) throw new Error(`unknown event ${type}`);
    expect(open.part).toBe(part);
    if (type.endsWith(".delta")) open.text += String(event["delta"]);
    else expect(event[field]).toBe(open.text);
  }
}

export const answerOf = (parts: readonly NeutralPart[], finish: FinishReason): NeutralAnswer => ({
  id: "vendor1",
  choices: [{ parts, finish }],
  rawUsage: undefined,
});

/** Tools of a client that are known elsewhere by other names. */
export const REQUEST: JsonObject = {
  tools: [
    { type: "function", name: "f" },
    { type: "custom", name: "apply_patch" },
    { type: "namespace", name: "mcp__a__", tools: [{ type: "function", name: "b" }] },
  ],
};
