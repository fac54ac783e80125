/** Reads answers of vendors with a format of their own: Bedrock's Converse and Cohere's chat. */
import { type Fields, fieldsOf, listOf } from "../../tests/support/clients/client-formats.ts";
import { type Finish, Gathered, type Heard, type HeardUsage, countIn, fieldsIn, stringOf } from "./heard.ts";
import type { RecordedEvent } from "./frames.ts";

const CONVERSE_FINISHES: Readonly<Record<string, Finish>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tools",
  guardrail_intervened: "filter",
  content_filtered: "filter",
};

function converseUsage(usage: Fields): HeardUsage | undefined {
  const cached = countIn(usage, "cacheReadInputTokens");
  const all = countIn(usage, "cacheWriteInputTokens");
  const long = listOf(usage["cacheDetails"])
    .map(fieldsOf)
    .filter(({ ttl }) => ttl === "1h")
    .reduce((sum, each) => sum + countIn(each, "inputTokens"), 0);
  const input = countIn(usage, "inputTokens") + cached + all;
  const output = countIn(usage, "outputTokens");
  return input + output === 0 ? undefined : { input, output, cached, written: all - long, writtenLong: long };
}

function converseBlock(into: Gathered, block: Fields, key: string): void {
  into.text += stringOf(block["text"]);
  const reasoning = fieldsIn(block, "reasoningContent");
  into.thinking += stringOf(reasoning["text"] ?? fieldsIn(reasoning, "reasoningText")["text"]);
  const use = fieldsIn(block, "toolUse");
  if (block["toolUse"] === undefined || into.special.includes(`own block ${key}`)) return;
  if (use["type"] === "server_tool_use") return void into.special.push(`own block ${key}`);
  const found = into.call(key);
  found.name ||= stringOf(use["name"]);
  if (typeof use["input"] === "string") found.arguments += use["input"];
  else if (use["input"] !== undefined) found.whole = use["input"];
}

/** Whole, or the events of a stream by their names. */
export function readConverse(events: readonly RecordedEvent[], isStream: boolean): Heard {
  const into = new Gathered();
  for (const { name, data } of events) {
    const message = fieldsIn(fieldsIn(data, "output"), "message");
    for (const [index, block] of listOf(message["content"]).map(fieldsOf).entries())
      converseBlock(into, block, String(index));
    const key = String(data["contentBlockIndex"]);
    if (isStream && name === "contentBlockStart") converseBlock(into, fieldsIn(data, "start"), key);
    if (isStream && name === "contentBlockDelta") converseBlock(into, fieldsIn(data, "delta"), key);
    into.finish = CONVERSE_FINISHES[stringOf(data["stopReason"])] ?? into.finish;
    into.usage = converseUsage(fieldsIn(data, "usage")) ?? into.usage;
  }
  return into.heard();
}

const COHERE_FINISHES: Readonly<Record<string, Finish>> = {
  COMPLETE: "stop",
  STOP_SEQUENCE: "stop",
  MAX_TOKENS: "length",
  TOOL_CALL: "tools",
};

/** Billed units are what is paid for; tokens, and what of them a cache held, count the vendor's own instructions too. */
function cohereUsage(usage: Fields): HeardUsage | undefined {
  const isBilled = usage["billed_units"] !== undefined;
  const units = fieldsIn(usage, isBilled ? "billed_units" : "tokens");
  const input = countIn(units, "input_tokens");
  const output = countIn(units, "output_tokens");
  const cached = isBilled ? 0 : countIn(usage, "cached_tokens");
  return input + output === 0 ? undefined : { input, output, cached, written: 0, writtenLong: 0 };
}

function cohereMessage(into: Gathered, message: Fields, key: string): void {
  into.thinking += stringOf(message["tool_plan"]);
  const { content } = message;
  for (const part of (Array.isArray(content) ? listOf(content) : [content]).map(fieldsOf)) {
    into.text += stringOf(part["text"]);
    into.thinking += stringOf(part["thinking"]);
  }
  const { tool_calls: calls } = message;
  for (const [index, call] of (Array.isArray(calls) ? listOf(calls) : [calls]).map(fieldsOf).entries()) {
    const asked = fieldsIn(call, "function");
    if (Object.keys(asked).length === 0) continue;
    const found = into.call(Array.isArray(calls) ? `whole ${index}` : key);
    found.name ||= stringOf(asked["name"]);
    found.arguments += stringOf(asked["arguments"]);
  }
}

/** Whole, or the events of a stream. */
export function readCohere(answers: readonly Fields[]): Heard {
  const into = new Gathered();
  for (const answer of answers) {
    const delta = fieldsIn(answer, "delta");
    cohereMessage(into, fieldsOf(answer["message"] ?? delta["message"]), String(answer["index"]));
    into.finish = COHERE_FINISHES[stringOf(answer["finish_reason"] ?? delta["finish_reason"])] ?? into.finish;
    into.usage = cohereUsage(fieldsOf(answer["usage"] ?? delta["usage"])) ?? into.usage;
  }
  return into.heard();
}
