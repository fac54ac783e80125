/** Wenxin's answers, buffered and streamed -> neutral ones (cloud.baidu.com/doc/WENXINWORKSHOP/s/clntwmv7t). */
import { writtenArguments } from "../../dialects/neutral/waiting-calls.ts";
import { isObject, ownOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import { missingCallId } from "../../dialects/openai-chat/answer.ts";
import type {
  FinishReason,
  JsonObject,
  NeutralAnswer,
  NeutralEvent,
  ToolCallPart,
} from "../../dialects/neutral/neutral.ts";
import type { StreamDecoder } from "../../dialects/stream/stream.ts";

const REASONS: Readonly<Record<string, FinishReason>> = {
  normal: "stop",
  stop: "stop_sequence",
  length: "length",
  content_filter: "content_filter",
  function_call: "tool_calls",
};

/** The vendor gives its call no id. */
function callOf(answer: JsonObject): ToolCallPart | undefined {
  const call = answer["function_call"];
  if (!isObject(call)) return undefined;
  const id = missingCallId(textOf(answer["id"]), 0, 0);
  return { kind: "tool_call", id, name: textOf(call["name"]), arguments: writtenArguments(textOf(call["arguments"])) };
}

/** Why it ended; answers that were cut, and those the vendor put in place of unsafe ones, say so in fields of their own too. */
function finishOf(answer: JsonObject, hasCall: boolean): FinishReason {
  if (hasCall) return "tool_calls";
  if (answer["need_clear_history"] === true) return "content_filter";
  return ownOf(REASONS, textOf(answer["finish_reason"])) ?? (answer["is_truncated"] === true ? "length" : "stop");
}

const usageOf = ({ usage }: JsonObject): JsonObject | undefined => (isObject(usage) ? usage : undefined);

/** Undefined where the body is no answer. */
export function decodeAnswer(fields: JsonObject): NeutralAnswer | undefined {
  const { result } = fields;
  const call = callOf(fields);
  if (typeof result !== "string" && call === undefined) return undefined;
  const text = textOf(result);
  const parts = [...(text === "" ? [] : [{ kind: "text", text } as const]), ...(call === undefined ? [] : [call])];
  const finish = finishOf(fields, call !== undefined);
  return { id: textOf(fields["id"]), choices: [{ parts, finish }], rawUsage: usageOf(fields) };
}

class WenxinDecoder implements StreamDecoder {
  #isStarted = false;
  #hasCall = false;

  push(_event: string, data: string): readonly NeutralEvent[] {
    if (data === "") return [];
    const piece = parseObject(data);
    if (piece === undefined) return [{ kind: "error", text: data }];
    const events: NeutralEvent[] = this.#isStarted ? [] : [{ kind: "start", id: textOf(piece["id"]) }];
    this.#isStarted = true;
    const text = textOf(piece["result"]);
    if (text !== "") events.push({ kind: "text", choice: 0, text });
    this.#readCall(piece, events);
    if (piece["is_end"] !== true) return events;
    events.push({ kind: "finish", choice: 0, reason: finishOf(piece, this.#hasCall) });
    const usage = usageOf(piece);
    if (usage !== undefined) events.push({ kind: "usage", raw: usage });
    return [...events, { kind: "end" }];
  }

  #readCall(piece: JsonObject, events: NeutralEvent[]): void {
    const call = callOf(piece);
    if (call === undefined || this.#hasCall) return;
    this.#hasCall = true;
    const { id, name, arguments: text } = call;
    events.push({ kind: "tool_call", choice: 0, index: 0, id, name });
    events.push({ kind: "tool_arguments", choice: 0, index: 0, text });
  }
}

export const createDecoder = (): StreamDecoder => new WenxinDecoder();
