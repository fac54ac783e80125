/** Buffered answers of the Responses API, both ways (platform.openai.com/docs/api-reference/responses/object). */
import type { Usage } from "../../../../contract/src/pricing/usage.ts";
import type { AnswerInfo } from "../neutral/info.ts";
import { isObject, listOf, textOf } from "../json/fields.ts";
import { type JsonObject, type NeutralAnswer, eventsOf } from "../neutral/neutral.ts";
import { ResponsesEncoder } from "./stream/encoder.ts";
import { itemParts, itemText, offeredNames } from "./answer-parts.ts";
import { answerFinish } from "./finish.ts";
import { rawUsageOf } from "./usage.ts";

/** Log probabilities of all texts in one list. */
function logprobsOf(output: readonly unknown[]): JsonObject | undefined {
  const messages = output.filter(isObject).filter((item) => item["type"] === "message");
  const content = messages.flatMap(itemText).flatMap(({ logprobs }) => logprobs);
  return content.length === 0 ? undefined : { content };
}

/** Undefined where the body is no response object. */
export function decodeAnswer(fields: JsonObject): NeutralAnswer | undefined {
  if (!Array.isArray(fields["output"])) return undefined;
  const output = listOf(fields["output"]);
  const offered = offeredNames(fields);
  const parts = output.flatMap((item) => itemParts(item, offered));
  const has = (kind: string): boolean => parts.some((part) => part.kind === kind);
  const finish = answerFinish(fields, {
    hasCall: has("tool_call"),
    hasText: has("text"),
    hasRefusal: has("refusal"),
  });
  const logprobs = logprobsOf(output);
  const choice = { parts, finish, ...(logprobs === undefined ? {} : { logprobs }) };
  return { id: textOf(fields["id"]), choices: [choice], rawUsage: rawUsageOf(fields) };
}

/** The response object; made of the same items as a stream, so both say the same. */
export function encodeAnswer(answer: NeutralAnswer, usage: Usage, info: AnswerInfo): JsonObject {
  const encoder = new ResponsesEncoder(info);
  for (const event of eventsOf(answer)) encoder.push(event);
  return encoder.finish(usage).response;
}
