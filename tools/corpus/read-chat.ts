/** Reads answers of chat completions, whole and streamed, with the additions of its vendors; independent of the relay's own readers. */
import { type Fields, fieldsOf, listOf } from "../../tests/support/clients/client-formats.ts";
import { type Finish, Gathered, type Heard, type HeardUsage, countIn, fieldsIn, stringOf } from "./heard.ts";

const FINISHES: Readonly<Record<string, Finish>> = {
  stop: "stop",
  eos: "stop",
  length: "length",
  model_length: "length",
  tool_calls: "tools",
  function_call: "tools",
  content_filter: "filter",
};

function usageOf(usage: Fields): HeardUsage | undefined {
  const input = countIn(usage, "prompt_tokens");
  const completion = countIn(usage, "completion_tokens");
  const total = countIn(usage, "total_tokens");
  if (input === 0 && completion === 0) return undefined;
  const details = fieldsIn(usage, "prompt_tokens_details");
  const cached =
    countIn(details, "cached_tokens") ||
    countIn(usage, "prompt_cache_hit_tokens", "num_cached_tokens", "cached_tokens");
  const written = countIn(details, "cache_write_tokens", "cache_creation_tokens");
  // xAI and Google count thoughts beside the completion: the total has them.
  const reasoning = countIn(fieldsIn(usage, "completion_tokens_details"), "reasoning_tokens");
  const isBeside = reasoning > 0 && total === input + completion + reasoning;
  return { input, output: isBeside ? completion + reasoning : completion, cached, written, writtenLong: 0 };
}

/** Text and thinking of a content, which Mistral sends as a list of parts. */
function readContent(into: Gathered, content: unknown): void {
  if (typeof content === "string") into.text += content;
  for (const part of listOf(content).map(fieldsOf)) {
    if (part["type"] === "thinking")
      into.thinking += listOf(part["thinking"])
        .map((each) => stringOf(fieldsOf(each)["text"]))
        .join("");
    else into.text += stringOf(part["text"]);
  }
}

/** A whole message or the delta of one. */
function readMessage(into: Gathered, message: Fields): void {
  readContent(into, message["content"]);
  into.text += stringOf(message["refusal"]);
  into.thinking += stringOf(message["reasoning_content"] ?? message["reasoning"]);
  for (const each of listOf(message["reasoning_details"]).map(fieldsOf))
    into.detailed += stringOf(each["text"] ?? each["summary"]);
  for (const [index, call] of listOf(message["tool_calls"]).map(fieldsOf).entries()) {
    const asked = fieldsIn(call, call["type"] === "custom" ? "custom" : "function");
    const found = into.call(String(call["index"] ?? index));
    found.name ||= stringOf(asked["name"]);
    if (typeof asked["arguments"] === "object" && asked["arguments"] !== null) found.whole = asked["arguments"];
    else found.arguments += stringOf(asked["arguments"] ?? asked["input"]);
  }
  const older = fieldsIn(message, "function_call");
  if (stringOf(older["name"]) === "" && stringOf(older["arguments"]) === "") return;
  const found = into.call("function_call");
  found.name ||= stringOf(older["name"]);
  found.arguments += stringOf(older["arguments"]);
}

function readChunk(into: Gathered, chunk: Fields, field: "message" | "delta"): void {
  const choice = listOf(chunk["choices"])
    .map(fieldsOf)
    .find((each) => (each["index"] ?? 0) === 0);
  if (choice !== undefined) {
    readMessage(into, fieldsIn(choice, field));
    into.finish = FINISHES[stringOf(choice["finish_reason"])] ?? into.finish;
  }
  into.usage = usageOf(fieldsOf(chunk["usage"] ?? fieldsIn(chunk, "x_groq")["usage"])) ?? into.usage;
}

/** A stream's events, or a whole answer as the only one. */
export function readChat(answers: readonly Fields[], isStream: boolean): Heard {
  const into = new Gathered();
  for (const answer of answers) readChunk(into, answer, isStream ? "delta" : "message");
  const heard = into.heard();
  // Vendors say `stop` of answers that call.
  return { ...heard, finish: heard.finish === "stop" && heard.calls.length > 0 ? "tools" : heard.finish };
}
