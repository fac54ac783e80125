/** Buffered answers of chat completions, both ways (platform.openai.com/docs/api-reference/chat/object). */
import type { Usage } from "../../../../contract/src/pricing/usage.ts";
import { writtenArguments } from "../neutral/waiting-calls.ts";
import type { AnswerInfo } from "../neutral/info.ts";
import { isObject, listOf, numberOf, objectOf, textOf } from "../json/fields.ts";
import {
  type Citation,
  type ImagePart,
  type JsonObject,
  type MediaSource,
  type NeutralAnswer,
  type NeutralChoice,
  type NeutralPart,
  pictureText,
  type TextPart,
  type ToolCallPart,
} from "../neutral/neutral.ts";
import { packSignature } from "../neutral/signature.ts";
import { annotationOf, citationsOf, listedSources } from "./citations.ts";
import { finishReason, finishWord } from "./finish.ts";
import { dataUriSource } from "./parts-decode.ts";
import {
  callExtra,
  callSignature,
  carriedSignature,
  proven,
  reasoningFields,
  reasoningParts,
  withCarried,
} from "./signature.ts";
import { encodeUsage } from "./usage.ts";

/** The text of `content`: a string, or the list of parts that Mistral's reasoning models answer with. */
function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .map((part) => (isObject(part) ? textOf(part["text"]) : ""))
    .join("");
}

/** Pictures of image models behind this format (openrouter.ai/docs/guides/overview/multimodal/image-generation). */
export function imagesOf(images: unknown): ImagePart[] {
  return listOf(images).flatMap((each) => {
    const url = textOf(objectOf(objectOf(each)["image_url"])["url"]);
    const source: MediaSource | undefined = url.startsWith("http") ? { kind: "url", url } : dataUriSource(url);
    return source === undefined ? [] : [{ kind: "image", source }];
  });
}

/** An id for a call without one: unique across answers, since clients send it back in later turns. */
export const missingCallId = (answerId: string, choice: number, index: number): string =>
  `call_${answerId.replace(/[^A-Za-z0-9]/g, "").slice(-24)}_${choice}_${index}`;

/** Servers that write every field have an empty one where there is no call (Snowflake's Cortex). */
const isNamed = (call: JsonObject): boolean => textOf(objectOf(call["function"])["name"]) !== "";

function callParts(message: JsonObject, answerId: string, choice: number): ToolCallPart[] {
  const calls = listOf(message["tool_calls"]).filter(isObject).filter(isNamed);
  const legacy: JsonObject = { function: message["function_call"] };
  const all = calls.length === 0 && isNamed(legacy) ? [legacy] : calls;
  return all.map((call, index) => {
    const called = objectOf(call["function"]);
    const args = called["arguments"];
    return {
      kind: "tool_call",
      id: textOf(call["id"]) || missingCallId(answerId, choice, index),
      name: textOf(called["name"]),
      // Some vendors of this format send the arguments as an object.
      arguments: isObject(args) ? JSON.stringify(args) : writtenArguments(textOf(args)),
      ...callSignature(call),
    };
  });
}

/** `sources` are those of an answer whose text cites none itself. */
function textParts(message: JsonObject, sources: readonly Citation[]): TextPart[] {
  const audio = objectOf(message["audio"]);
  const text = contentText(message["content"]) || textOf(audio["transcript"]);
  const annotated = citationsOf(message["annotations"]);
  const citations = annotated.length > 0 ? annotated : sources;
  return text === "" ? [] : [{ kind: "text", text, ...(citations.length === 0 ? {} : { citations }) }];
}

const hasLogprobs = (logprobs: unknown): logprobs is JsonObject =>
  isObject(logprobs) && (Array.isArray(logprobs["content"]) || Array.isArray(logprobs["refusal"]));

function decodeChoice(value: unknown, answerId: string, position: number, sources: readonly Citation[]): NeutralChoice {
  const choice = objectOf(value);
  const message = objectOf(choice["message"]);
  const calls = callParts(message, answerId, position);
  const refusal = textOf(message["refusal"]);
  const settled = withCarried(reasoningParts(message), calls).map(proven);
  const parts: NeutralPart[] = [
    ...settled.filter(({ kind }) => kind === "reasoning"),
    ...textParts(message, sources),
    ...imagesOf(message["images"]),
    ...(refusal === "" ? [] : [{ kind: "refusal", text: refusal } as const]),
    ...settled.filter(({ kind }) => kind === "tool_call"),
  ];
  const logprobs = choice["logprobs"];
  return {
    parts,
    finish: finishReason(textOf(choice["finish_reason"]), calls.length > 0, refusal !== ""),
    ...(hasLogprobs(logprobs) ? { logprobs } : {}),
  };
}

const indexOf = (choice: unknown): number => numberOf(objectOf(choice)["index"]) ?? 0;

/** The vendor's `system_fingerprint`, where it has one. */
export function fingerprintOf(fields: JsonObject): { fingerprint?: string } {
  const fingerprint = textOf(fields["system_fingerprint"]);
  return fingerprint === "" ? {} : { fingerprint };
}

/** Reads a buffered answer; undefined where the body is none. */
export function decodeAnswer(fields: JsonObject): NeutralAnswer | undefined {
  // A choice that Azure's filter took away has its reason and no message (learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter).
  const choices = listOf(fields["choices"]).filter(
    (choice) => isObject(choice) && (isObject(choice["message"]) || choice["finish_reason"] === "content_filter"),
  );
  if (choices.length === 0) return undefined;
  const id = textOf(fields["id"]);
  const sorted = choices.toSorted((a, b) => indexOf(a) - indexOf(b));
  const sources = listedSources(fields);
  return {
    id,
    ...fingerprintOf(fields),
    choices: sorted.map((choice, position) => decodeChoice(choice, id, position, sources)),
    rawUsage: isObject(fields["usage"]) ? fields["usage"] : undefined,
  };
}

/** Text of the parts in their order, pictures among it (the next turn reads them back: messages-decode.ts), and what they cite, counted in that text. */
function writtenText(parts: readonly NeutralPart[]): { text: string; annotations: JsonObject[] } {
  let text = "";
  const annotations: JsonObject[] = [];
  for (const part of parts) {
    if (part.kind === "image") text += pictureText(part.source);
    if (part.kind !== "text") continue;
    const start = text.length;
    text += part.text;
    for (const citation of part.citations ?? []) annotations.push(annotationOf(citation, start, text.length));
  }
  return { text, annotations };
}

function callField({ id, name, arguments: text, signature }: ToolCallPart): JsonObject {
  const packed = signature === undefined ? undefined : packSignature(signature, "openai-chat");
  return { id, type: "function", function: { name, arguments: text }, ...callExtra(packed) };
}

function audioField(parts: readonly NeutralPart[], info: AnswerInfo): JsonObject {
  const audio = parts.find((part) => part.kind === "audio");
  if (audio?.source.kind !== "base64") return {};
  const id = `audio_${info.requestId}`;
  return { audio: { id, data: audio.source.data, expires_at: info.createdAt, transcript: "" } };
}

/** The client offered the retired `functions` and no tools, so it reads `function_call`, of which an answer has one. */
export const wantsFunctionCall = ({ request }: AnswerInfo): boolean =>
  Array.isArray(request?.["functions"]) && !Array.isArray(request["tools"]);

function callFields(parts: readonly NeutralPart[], info: AnswerInfo): JsonObject {
  const [first, ...more] = parts.filter((part) => part.kind === "tool_call");
  if (first === undefined) return {};
  if (!wantsFunctionCall(info)) {
    const carried = first.signature ?? carriedSignature(parts);
    const signed = carried === undefined ? first : { ...first, signature: carried };
    return { tool_calls: [signed, ...more].map(callField) };
  }
  return { function_call: { name: first.name, arguments: first.arguments } };
}

function messageOf(parts: readonly NeutralPart[], info: AnswerInfo): JsonObject {
  const { text, annotations } = writtenText(parts);
  const calls = parts.filter((part) => part.kind === "tool_call");
  const refusal = parts
    .filter((part) => part.kind === "refusal")
    .map((part) => part.text)
    .join("");
  const isWordless = text === "" && (calls.length > 0 || refusal !== "");
  return {
    role: "assistant",
    content: isWordless ? null : text,
    refusal: refusal === "" ? null : refusal,
    ...reasoningFields(parts),
    annotations,
    ...audioField(parts, info),
    ...callFields(parts, info),
  };
}

function encodeChoice({ parts, finish, logprobs }: NeutralChoice, index: number, info: AnswerInfo): JsonObject {
  const has = (kind: NeutralPart["kind"]): boolean => parts.some((part) => part.kind === kind);
  return {
    index,
    message: messageOf(parts, info),
    logprobs: logprobs ?? null,
    finish_reason: finishWord(finish, has("tool_call"), has("refusal"), wantsFunctionCall(info)),
  };
}

/** Id of an answer of this format for a client. */
export const answerId = ({ requestId }: AnswerInfo): string => `chatcmpl-${requestId}`;

/** Writes a buffered answer for a client of this format. */
export function encodeAnswer(answer: NeutralAnswer, usage: Usage, info: AnswerInfo): JsonObject {
  return {
    id: answerId(info),
    object: "chat.completion",
    created: info.createdAt,
    model: info.model,
    ...(answer.fingerprint === undefined ? {} : { system_fingerprint: answer.fingerprint }),
    choices: answer.choices.map((choice, index) => encodeChoice(choice, index, info)),
    usage: encodeUsage(usage),
  };
}
