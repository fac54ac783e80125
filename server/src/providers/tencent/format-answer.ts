/** Hunyuan's answers -> neutral ones, buffered and streamed (cloud.tencent.com/document/product/1729/105701). */
import { isObject, listOf, objectOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import { writtenArguments } from "../../dialects/neutral/waiting-calls.ts";
import type {
  JsonObject,
  NeutralAnswer,
  NeutralChoice,
  NeutralEvent,
  NeutralPart,
} from "../../dialects/neutral/neutral.ts";
import { finishReason } from "../../dialects/openai-chat/finish.ts";
import { UNSIGNED } from "../../dialects/openai-chat/signature.ts";
import type { StreamDecoder } from "../../dialects/stream/stream.ts";

/** Its counts in the fields of chat completions; undefined if there are none. */
function usageOf(usage: unknown): JsonObject | undefined {
  if (!isObject(usage)) return undefined;
  const { PromptTokens, CompletionTokens, TotalTokens } = usage;
  return { prompt_tokens: PromptTokens, completion_tokens: CompletionTokens, total_tokens: TotalTokens };
}

/** The id, name and arguments of an entry of ToolCalls; in a stream what each piece has of them. */
function callOf(entry: unknown): { id: string; name: string; text: string } {
  const called = objectOf(objectOf(entry)["Function"]);
  return { id: textOf(objectOf(entry)["Id"]), name: textOf(called["Name"]), text: textOf(called["Arguments"]) };
}

function choiceOf(choice: unknown): NeutralChoice {
  const message = objectOf(objectOf(choice)["Message"]);
  const thought = textOf(message["ReasoningContent"]);
  const text = textOf(message["Content"]);
  const calls = listOf(message["ToolCalls"]).map(callOf);
  const parts: NeutralPart[] = [
    ...(thought === "" ? [] : [{ kind: "reasoning", text: thought, signature: UNSIGNED } as const]),
    ...(text === "" ? [] : [{ kind: "text", text } as const]),
    ...calls.map(
      ({ id, name, text: json }) => ({ kind: "tool_call", id, name, arguments: writtenArguments(json) }) as const,
    ),
  ];
  return { parts, finish: finishReason(textOf(objectOf(choice)["FinishReason"]), calls.length > 0, false) };
}

/** Undefined where the body is no answer. */
export function decodeAnswer(fields: JsonObject): NeutralAnswer | undefined {
  const response = objectOf(fields["Response"]);
  const choices = listOf(response["Choices"]).filter((choice) => isObject(objectOf(choice)["Message"]));
  if (choices.length === 0) return undefined;
  return { id: textOf(response["Id"]), choices: choices.map(choiceOf), rawUsage: usageOf(response["Usage"]) };
}

// Hunyuan's streams -> neutral events: each event an answer's piece without the envelope, the last one with a reason to end.

class HunyuanDecoder implements StreamDecoder {
  /** Ids of the calls so far: pieces of one call have the same. */
  readonly #calls: string[] = [];
  #isStarted = false;
  #isThinking = false;

  push(_event: string, data: string): readonly NeutralEvent[] {
    if (data === "") return [];
    if (data.startsWith("[DONE]")) return [{ kind: "end" }];
    const chunk = parseObject(data);
    if (chunk === undefined) return [{ kind: "error", text: data }];
    const events: NeutralEvent[] = [];
    if (!this.#isStarted) events.push({ kind: "start", id: textOf(chunk["Id"]) });
    this.#isStarted = true;
    this.#readChoice(objectOf(listOf(chunk["Choices"])[0]), chunk["Usage"], events);
    return events;
  }

  #readChoice(choice: JsonObject, usage: unknown, events: NeutralEvent[]): void {
    const delta = objectOf(choice["Delta"]);
    const thought = textOf(delta["ReasoningContent"]);
    if (thought !== "") {
      this.#isThinking = true;
      events.push({ kind: "reasoning", choice: 0, text: thought });
    }
    const text = textOf(delta["Content"]);
    const calls = listOf(delta["ToolCalls"]);
    const reason = textOf(choice["FinishReason"]);
    if (text !== "" || calls.length > 0 || reason !== "") this.#endThinking(events);
    if (text !== "") events.push({ kind: "text", choice: 0, text });
    for (const call of calls) this.#readCall(call, events);
    if (reason === "") return;
    events.push({ kind: "finish", choice: 0, reason: finishReason(reason, this.#calls.length > 0, false) });
    if (isObject(usage)) events.push({ kind: "usage", raw: usageOf(usage) });
    events.push({ kind: "end" });
  }

  #endThinking(events: NeutralEvent[]): void {
    if (this.#isThinking) events.push({ kind: "signature", choice: 0, signature: UNSIGNED });
    this.#isThinking = false;
  }

  #readCall(entry: unknown, events: NeutralEvent[]): void {
    const { id, name, text } = callOf(entry);
    const known = id === "" ? this.#calls.length - 1 : this.#calls.indexOf(id);
    const index = known < 0 ? this.#calls.push(id) - 1 : known;
    if (known < 0) events.push({ kind: "tool_call", choice: 0, index, id, name });
    if (text !== "") events.push({ kind: "tool_arguments", choice: 0, index, text });
  }
}

export const createDecoder = (): StreamDecoder => new HunyuanDecoder();
