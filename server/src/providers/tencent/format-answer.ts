/** Hunyuan's answers in one piece -> neutral ones (cloud.tencent.com/document/product/1729/105701). */
import { isObject, listOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import { finishReason } from "../../dialects/openai-chat/finish.ts";
import { UNSIGNED } from "../../dialects/openai-chat/signature.ts";
import type { JsonObject, NeutralAnswer, NeutralChoice, NeutralPart } from "../../dialects/neutral/neutral.ts";

/** Its counts in the words of chat completions; undefined where there are none. */
export function usageOf(usage: unknown): JsonObject | undefined {
  if (!isObject(usage)) return undefined;
  const { PromptTokens, CompletionTokens, TotalTokens } = usage;
  return { prompt_tokens: PromptTokens, completion_tokens: CompletionTokens, total_tokens: TotalTokens };
}

/** The id, name and arguments of an entry of ToolCalls; in a stream what each piece has of them. */
export function callOf(entry: unknown): { id: string; name: string; text: string } {
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
    ...calls.map(({ id, name, text: json }) => ({ kind: "tool_call", id, name, arguments: json || "{}" }) as const),
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
