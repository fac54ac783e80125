/** Reads answers of Responses, whole and streamed; independent of the relay's own readers. */
import { type Fields, fieldsOf, listOf } from "../../tests/support/clients/client-formats.ts";
import { type Finish, Gathered, type Heard, type HeardUsage, SHORTENED, countIn, fieldsIn, stringOf } from "./heard.ts";

function usageOf(usage: Fields): HeardUsage | undefined {
  const input = countIn(usage, "input_tokens");
  const output = countIn(usage, "output_tokens");
  if (input === 0 && output === 0) return undefined;
  const details = fieldsIn(usage, "input_tokens_details");
  const written = countIn(details, "cache_write_tokens", "cache_creation_tokens");
  return { input, output, cached: countIn(details, "cached_tokens"), written, writtenLong: 0 };
}

const textsIn = (parts: unknown): string =>
  listOf(parts)
    .map(fieldsOf)
    .map((part) => stringOf(part["text"] ?? part["refusal"]))
    .join("");

/** Items that an upstream works off itself: other formats have no place for them, and an answer is whole without. */
const OWN_WORK = /^(?:web_search|file_search|code_interpreter|mcp|image_generation|tool_search|program|compaction)/;

/** A refusal is a part of its own here. */
function noteRefusal(into: Gathered, item: Fields): void {
  if (listOf(item["content"]).some((part) => stringOf(fieldsOf(part)["refusal"]) !== ""))
    into.special.push("own refusal");
}

/** Searches that xAI runs itself and reports as calls of custom tools (docs.x.ai/developers/tools/x-search). */
const XAI_SEARCHES = /^(?:x_(?:keyword|semantic|user)_search|x_thread_fetch|view_x_video|view_image)$/;

function readItem(into: Gathered, item: Fields, key: string): void {
  const type = stringOf(item["type"]);
  if (type === "message") into.text += textsIn(item["content"]);
  else if (XAI_SEARCHES.test(stringOf(item["name"]))) into.special.push(`own ${type}`);
  else if (type === "reasoning") into.thinking += textsIn(item["summary"]) || textsIn(item["content"]);
  else if (type === "function_call" || type === "custom_tool_call") {
    const found = into.call(key);
    found.name = stringOf(item["name"]);
    found.arguments = stringOf(item["arguments"] ?? item["input"]);
    if (type === "custom_tool_call") into.special.push(type);
  } else into.special.push(OWN_WORK.test(type) ? `own ${type}` : type);
}

function finishOf(response: Fields, hasCalls: boolean): Finish {
  const status = stringOf(response["status"]);
  if (status === "incomplete") {
    const reason = stringOf(fieldsIn(response, "incomplete_details")["reason"]);
    return reason === "content_filter" ? "filter" : "length";
  }
  if (status !== "completed") return "";
  return hasCalls ? "tools" : "stop";
}

function readResponse(response: Fields): Heard {
  const into = new Gathered();
  const items = listOf(response["output"]).map(fieldsOf);
  for (const item of items) noteRefusal(into, item);
  for (const [index, item] of items.entries()) readItem(into, item, String(index));
  into.usage = usageOf(fieldsIn(response, "usage"));
  const heard = into.heard();
  return { ...heard, finish: finishOf(response, heard.calls.length > 0) };
}

/** By type: what a delta adds to. */
const DELTAS: Readonly<Record<string, "text" | "thinking">> = {
  "response.output_text.delta": "text",
  "response.refusal.delta": "text",
  "response.reasoning_summary_text.delta": "thinking",
  "response.reasoning_text.delta": "thinking",
};

function readStream(events: readonly Fields[]): Heard {
  const into = new Gathered();
  let end: Fields = {};
  for (const event of events) {
    const type = stringOf(event["type"]);
    const field = DELTAS[type];
    if (field !== undefined) into[field] += stringOf(event["delta"]);
    if (type === "response.output_item.done") {
      const item = fieldsIn(event, "item");
      noteRefusal(into, item);
      if (item["type"] !== "message" && item["type"] !== "reasoning")
        readItem(into, item, String(event["output_index"]));
    }
    if (/^response\.(?:completed|incomplete|failed)$/.test(type)) end = fieldsIn(event, "response");
  }
  into.usage = usageOf(fieldsIn(end, "usage"));
  const heard = into.heard();
  const summary = listOf(end["output"]).length > 0 ? readResponse(end).text : heard.text;
  if (summary !== heard.text) into.special.push(SHORTENED);
  return { ...heard, finish: finishOf(end, heard.calls.length > 0) };
}

/** A stream's events, or a whole answer as the only one. */
export const readResponses = (answers: readonly Fields[], isStream: boolean): Heard =>
  isStream ? readStream(answers) : readResponse(answers[0] ?? {});
