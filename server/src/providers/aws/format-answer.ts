/** Converse's answers -> neutral ones, buffered and streamed (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html). */
import { isObject, listOf, numberOf, objectOf, ownOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import type {
  FinishReason,
  JsonObject,
  NeutralAnswer,
  NeutralEvent,
  NeutralPart,
} from "../../dialects/neutral/neutral.ts";
import { UNSIGNED } from "../../dialects/openai-chat/signature.ts";
import type { StreamDecoder } from "../../dialects/stream/stream.ts";

const ENDS: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  stop_sequence: "stop_sequence",
  guardrail_intervened: "content_filter",
  content_filtered: "content_filter",
};

const finishOf = (word: string): FinishReason => ownOf(ENDS, word) ?? "stop";

/**
 * Counts in the fields of chat completions. Its input excludes cached tokens
 * (docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html), except where `isWhole` says so and the counts allow it.
 */
function usageOf(usage: unknown, isWhole = false): JsonObject | undefined {
  if (!isObject(usage)) return undefined;
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheWriteInputTokens } = usage;
  const [fresh, read = 0, written = 0] = [inputTokens, cacheReadInputTokens, cacheWriteInputTokens].map(numberOf);
  const kept = isWhole && fresh !== undefined && fresh >= read + written ? 0 : read + written;
  return {
    prompt_tokens: fresh === undefined ? inputTokens : fresh + kept,
    completion_tokens: outputTokens,
    prompt_tokens_details: { cached_tokens: cacheReadInputTokens, cache_write_tokens: cacheWriteInputTokens },
  };
}

/**
 * Calls of tools that Bedrock itself has run, such as Nova's code interpreter: no client can run them
 * (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html, type).
 */
const isOwnWork = ({ type }: JsonObject): boolean => type === "server_tool_use";

function partsOf(block: JsonObject): NeutralPart[] {
  const { text, toolUse, reasoningContent } = block;
  if (typeof text === "string") return text === "" ? [] : [{ kind: "text", text }];
  if (isObject(toolUse)) {
    if (isOwnWork(toolUse)) return [];
    const { toolUseId, name, input } = toolUse;
    return [
      { kind: "tool_call", id: textOf(toolUseId), name: textOf(name), arguments: JSON.stringify(objectOf(input)) },
    ];
  }
  const thought = textOf(objectOf(objectOf(reasoningContent)["reasoningText"])["text"]);
  return thought === "" ? [] : [{ kind: "reasoning", text: thought, signature: UNSIGNED }];
}

/** Reads an answer in one piece, which has no id; undefined where the body is none. */
export function decodeAnswer({ output, stopReason, usage }: JsonObject): NeutralAnswer | undefined {
  const { message } = objectOf(output);
  if (!isObject(message)) return undefined;
  const parts = listOf(message["content"]).flatMap((block) => partsOf(objectOf(block)));
  return { id: "", choices: [{ parts, finish: finishOf(textOf(stopReason)) }], rawUsage: usageOf(usage) };
}

// Events of Converse's streams -> neutral ones (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html).

/** A call of a tool whose block is open. */
interface OpenCall {
  index: number;
  hasArguments: boolean;
}

class ConverseDecoder implements StreamDecoder {
  /** By the number of their block. */
  readonly #calls = new Map<number, OpenCall>();
  readonly #countsWhole: boolean;
  #isThinking = false;

  constructor(countsWhole: boolean) {
    this.#countsWhole = countsWhole;
  }

  push(event: string, data: string): readonly NeutralEvent[] {
    if (data === "") return [];
    const fields = parseObject(data);
    // Exceptions have their name in the data too (upstream/framing.ts).
    if (fields === undefined || fields["__type"] !== undefined) return [{ kind: "error", text: data }];
    const events: NeutralEvent[] = [];
    this.#read(event, fields, events);
    return events;
  }

  #read(event: string, fields: JsonObject, events: NeutralEvent[]): void {
    const block = numberOf(fields["contentBlockIndex"]) ?? 0;
    switch (event) {
      case "messageStart":
        return void events.push({ kind: "start", id: "" });
      case "contentBlockStart":
        return this.#start(block, objectOf(fields["start"]), events);
      case "contentBlockDelta":
        return this.#delta(block, objectOf(fields["delta"]), events);
      case "contentBlockStop":
        return this.#stop(block, events);
      case "messageStop":
        return void events.push({ kind: "finish", choice: 0, reason: finishOf(textOf(fields["stopReason"])) });
      case "metadata":
        return this.#end(fields, events);
      default:
    }
  }

  #start(block: number, { toolUse }: JsonObject, events: NeutralEvent[]): void {
    if (!isObject(toolUse) || isOwnWork(toolUse)) return;
    const index = this.#calls.size;
    this.#calls.set(block, { index, hasArguments: false });
    const { toolUseId, name } = toolUse;
    events.push({ kind: "tool_call", choice: 0, index, id: textOf(toolUseId), name: textOf(name) });
  }

  #delta(block: number, { text, toolUse, reasoningContent }: JsonObject, events: NeutralEvent[]): void {
    const thought = textOf(objectOf(reasoningContent)["text"]);
    if (thought !== "") {
      this.#isThinking = true;
      events.push({ kind: "reasoning", choice: 0, text: thought });
    }
    if (typeof text === "string" && text !== "") events.push({ kind: "text", choice: 0, text });
    const call = this.#calls.get(block);
    const piece = textOf(objectOf(toolUse)["input"]);
    if (call === undefined || piece === "") return;
    call.hasArguments = true;
    events.push({ kind: "tool_arguments", choice: 0, index: call.index, text: piece });
  }

  #stop(block: number, events: NeutralEvent[]): void {
    if (this.#isThinking) events.push({ kind: "signature", choice: 0, signature: UNSIGNED });
    this.#isThinking = false;
    const call = this.#calls.get(block);
    if (call?.hasArguments === false) events.push({ kind: "tool_arguments", choice: 0, index: call.index, text: "{}" });
  }

  #end({ usage }: JsonObject, events: NeutralEvent[]): void {
    const counted = usageOf(usage, this.#countsWhole);
    if (counted !== undefined) events.push({ kind: "usage", raw: counted });
    events.push({ kind: "end" });
  }
}

/** A decoder for one stream; `countsWhole` where its input has what the cache held too. */
export const createDecoder = (countsWhole = false): StreamDecoder => new ConverseDecoder(countsWhole);
