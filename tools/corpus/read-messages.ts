/** Reads answers of the Messages API, whole and streamed; independent of the relay's own readers. */
import { type Fields, fieldsOf, listOf } from "../../tests/support/clients/client-formats.ts";
import { type Finish, Gathered, type Heard, type HeardUsage, countIn, fieldsIn, stringOf } from "./heard.ts";

const FINISHES: Readonly<Record<string, Finish>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  compaction: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tools",
  refusal: "filter",
};

const ADDED_ITERATIONS: ReadonlySet<unknown> = new Set(["compaction", "advisor_message"]);

function countsOf(usage: Fields): HeardUsage {
  const cached = countIn(usage, "cache_read_input_tokens");
  const writes = fieldsIn(usage, "cache_creation");
  const allWritten = countIn(usage, "cache_creation_input_tokens");
  const writtenLong = Math.min(countIn(writes, "ephemeral_1h_input_tokens"), allWritten || Infinity);
  const written = Math.max(0, allWritten - writtenLong);
  const input = countIn(usage, "input_tokens") + cached + written + writtenLong;
  return { input, output: countIn(usage, "output_tokens"), cached, written, writtenLong };
}

/** Iterations that the totals leave out are added: compactions, and answers of an adviser. */
function usageOf(usage: Fields): HeardUsage | undefined {
  const sum = countsOf(usage);
  for (const each of listOf(usage["iterations"]).map(fieldsOf)) {
    if (!ADDED_ITERATIONS.has(each["type"])) continue;
    const more = countsOf(each);
    for (const name of Object.keys(sum) as (keyof HeardUsage)[]) sum[name] += more[name];
  }
  return sum.input === 0 && sum.output === 0 ? undefined : sum;
}

/** Blocks of what the vendor works off itself; the answer is whole without them. */
const OWN_WORK = /^(?:server_tool_use|mcp_tool_use|.*_tool_result|container_upload|compaction|fallback)$/;

function readBlock(into: Gathered, block: Fields, key: string): void {
  const type = stringOf(block["type"]);
  into.text += type === "text" ? stringOf(block["text"]) : "";
  into.thinking += type === "thinking" ? stringOf(block["thinking"]) : "";
  if (type === "tool_use") {
    const found = into.call(key);
    found.name = stringOf(block["name"]);
    if (Object.keys(fieldsIn(block, "input")).length > 0) found.whole = block["input"];
  }
  if (OWN_WORK.test(type)) into.special.push(`own ${type}`);
}

function readDelta(into: Gathered, delta: Fields, key: string): void {
  if (delta["type"] === "text_delta") into.text += stringOf(delta["text"]);
  if (delta["type"] === "thinking_delta") into.thinking += stringOf(delta["thinking"]);
  if (delta["type"] === "input_json_delta") into.call(key).arguments += stringOf(delta["partial_json"]);
}

/** Words that explain a refusal stand beside the answer here; other formats have them as a refusal. */
function noteRefusal(into: Gathered, end: Fields): void {
  const explanation = stringOf(fieldsIn(end, "stop_details")["explanation"]);
  if (explanation !== "") into.special.push(`refusal: ${explanation}`);
}

function readStream(events: readonly Fields[]): Heard {
  const into = new Gathered();
  const kinds = new Map<string, string>();
  let usage: Fields = {};
  for (const event of events) {
    const key = String(event["index"]);
    const type = event["type"];
    if (type === "message_start") usage = fieldsIn(fieldsIn(event, "message"), "usage");
    if (type === "content_block_start") {
      kinds.set(key, stringOf(fieldsIn(event, "content_block")["type"]));
      readBlock(into, fieldsIn(event, "content_block"), key);
    }
    const isOwn = /^(?:server|mcp)_tool_use$/.test(kinds.get(key) ?? "");
    if (type === "content_block_delta" && !isOwn) readDelta(into, fieldsIn(event, "delta"), key);
    if (type === "message_delta") {
      // Counts of the end are those of the whole answer; the start has what the end does not say.
      usage = {
        ...usage,
        ...Object.fromEntries(Object.entries(fieldsIn(event, "usage")).filter(([, v]) => v !== null)),
      };
      into.finish = FINISHES[stringOf(fieldsIn(event, "delta")["stop_reason"])] ?? into.finish;
      noteRefusal(into, fieldsIn(event, "delta"));
    }
  }
  into.usage = usageOf(usage);
  return into.heard();
}

/** A stream's events, or a whole answer as the only one. */
export function readMessages(answers: readonly Fields[], isStream: boolean): Heard {
  if (isStream) return readStream(answers);
  const into = new Gathered();
  const [message = {}] = answers;
  for (const [index, block] of listOf(message["content"]).map(fieldsOf).entries())
    readBlock(into, block, String(index));
  into.finish = FINISHES[stringOf(message["stop_reason"])] ?? "";
  noteRefusal(into, message);
  into.usage = usageOf(fieldsIn(message, "usage"));
  return into.heard();
}
