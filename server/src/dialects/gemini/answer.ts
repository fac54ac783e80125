/** Gemini's buffered answers, both ways (ai.google.dev/api/generate-content#generatecontentresponse). */
import type { Usage } from "../../../../contract/src/pricing/usage.ts";
import type { AnswerInfo } from "../neutral/info.ts";
import { mediaPart } from "./messages-encode.ts";
import { GeminiDecoder } from "./stream/decoder.ts";
import { FINISH_WORDS } from "./finish.ts";
import { groundingMetadata, type PlacedCitation } from "./citations.ts";
import { logprobsResult } from "./logprobs.ts";
import { writeSignature } from "./signature.ts";
import { blockReasonOf, normaliseUsage, usageMetadata } from "./usage.ts";
import { parseExactObject } from "../json/exact.ts";
import { listOf } from "../json/fields.ts";
import { AnswerAggregator } from "../stream/aggregate.ts";
import type {
  FinishReason,
  JsonObject,
  NeutralAnswer,
  NeutralChoice,
  NeutralPart,
  ToolCallPart,
} from "../neutral/neutral.ts";

const ANSWER_FIELDS = ["candidates", "promptFeedback", "usageMetadata", "responseId"] as const;

/** Neither candidates nor a reason for having none, and nothing that was written: Google answers so where it failed. */
const isNothing = (fields: JsonObject): boolean =>
  listOf(fields["candidates"]).length === 0 &&
  blockReasonOf(fields) === "" &&
  (normaliseUsage(fields["usageMetadata"])?.usage.outputTokens ?? 0) === 0;

/** Undefined where the body is no answer. A refused prompt is an answer that a filter ended. */
export function decodeAnswer(fields: JsonObject): NeutralAnswer | undefined {
  if (ANSWER_FIELDS.every((name) => fields[name] === undefined) || isNothing(fields)) return undefined;
  const aggregator = new AnswerAggregator();
  for (const event of new GeminiDecoder().take(fields)) aggregator.take(event);
  return aggregator.answer;
}

/** A call as a part; undefined where the model wrote arguments that are no JSON object. */
export function callPart(part: Pick<ToolCallPart, "id" | "name" | "arguments" | "signature">): JsonObject | undefined {
  const args = parseExactObject(part.arguments === "" ? "{}" : part.arguments);
  if (args === undefined) return undefined;
  const functionCall = { ...(part.id === "" ? {} : { id: part.id }), name: part.name, args };
  return part.signature === undefined
    ? { functionCall }
    : { functionCall, thoughtSignature: writeSignature(part.signature) };
}

/** What the vendor says of a call it could not read; `finish` is how the answer ended, which a limit of tokens explains. */
export const malformedCall = (call: { name: string; arguments: string }, finish?: FinishReason): JsonObject => ({
  finishReason: finish === "length" ? FINISH_WORDS.length : "MALFORMED_FUNCTION_CALL",
  finishMessage: `Malformed function call: ${call.name}(${call.arguments})`,
});

function encodePart(part: NeutralPart): JsonObject | undefined {
  switch (part.kind) {
    case "text":
    case "refusal":
      return { text: part.text };
    case "reasoning": {
      const signature = part.signature === undefined ? undefined : writeSignature(part.signature, part.isRedacted);
      const thought = part.text === "" && part.isRedacted !== true ? {} : { thought: true };
      return { text: part.text, ...thought, ...(signature === undefined ? {} : { thoughtSignature: signature }) };
    }
    case "tool_call":
      return callPart(part);
    case "image":
    case "audio":
      return mediaPart(part.source, "");
    default:
      return undefined;
  }
}

function encodeChoice(choice: NeutralChoice, index: number): JsonObject {
  const parts: JsonObject[] = [];
  const placed: PlacedCitation[] = [];
  let malformed: JsonObject = {};
  for (const part of choice.parts) {
    const encoded = encodePart(part);
    if (encoded === undefined && part.kind === "tool_call") malformed = malformedCall(part, choice.finish);
    if (encoded === undefined) continue;
    if (part.kind === "text")
      for (const citation of part.citations ?? []) placed.push({ citation, text: part.text, partIndex: parts.length });
    parts.push(encoded);
  }
  const queries = choice.parts.filter((part) => part.kind === "search").map(({ query }) => query);
  const grounding = groundingMetadata(placed, queries);
  return {
    content: { parts: parts.length === 0 ? [{ text: "" }] : parts, role: "model" },
    finishReason: FINISH_WORDS[choice.finish],
    ...malformed,
    index,
    ...(grounding === undefined ? {} : { groundingMetadata: grounding }),
    ...(choice.logprobs === undefined ? {} : { logprobsResult: logprobsResult(choice.logprobs) }),
  };
}

/** Body of an answer for a client. */
export const encodeAnswer = (answer: NeutralAnswer, usage: Usage, info: AnswerInfo): JsonObject => ({
  candidates: answer.choices.map(encodeChoice),
  usageMetadata: usageMetadata(usage),
  modelVersion: info.model,
  responseId: answer.id || info.requestId,
});
