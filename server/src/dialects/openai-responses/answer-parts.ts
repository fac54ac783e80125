/** Output items of a response as neutral parts, and why the answer ended; shared by whole answers and streams of the Responses dialect. */
import { isObject, listOf, numberOf, objectOf, ownOf, textOf } from "../json-fields.ts";
import type { Citation, FinishReason, JsonObject, MediaSource, NeutralPart } from "../neutral.ts";
import { reasoningText } from "./input.ts";
import { ownSignature } from "./signature.ts";

/** A url_citation; undefined for citations of files stored at the vendor. */
export function citationOf(value: unknown): Citation | undefined {
  if (!isObject(value) || value["type"] !== "url_citation") return undefined;
  const [start, end] = [numberOf(value["start_index"]), numberOf(value["end_index"])];
  return {
    url: textOf(value["url"]),
    title: textOf(value["title"]),
    quote: "",
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
  };
}

/** One content part of a message. */
export interface MessageText {
  kind: "text" | "refusal";
  text: string;
  citations: readonly Citation[];
  logprobs: readonly unknown[];
}

/** Texts and refusals of a message item, in order. */
export function itemText(item: JsonObject): MessageText[] {
  return listOf(item["content"])
    .filter(isObject)
    .map((part) => ({
      kind: part["type"] === "refusal" ? ("refusal" as const) : ("text" as const),
      text: textOf(part["type"] === "refusal" ? part["refusal"] : part["text"]),
      citations: listOf(part["annotations"])
        .map(citationOf)
        .filter((citation) => citation !== undefined),
      logprobs: listOf(part["logprobs"]),
    }));
}

/** The picture of an image_generation_call that is done. */
export function imageSource(item: JsonObject): MediaSource | undefined {
  const data = textOf(item["result"]);
  if (data === "") return undefined;
  return { kind: "base64", mimeType: `image/${textOf(item["output_format"]) || "png"}`, data };
}

function messageParts(item: JsonObject): NeutralPart[] {
  return itemText(item)
    .filter(({ text }) => text !== "")
    .map(({ kind, text, citations }) =>
      kind === "text" && citations.length > 0 ? { kind, text, citations } : { kind, text },
    );
}

function reasoningParts(item: JsonObject): NeutralPart[] {
  const text = reasoningText(item);
  const encrypted = textOf(item["encrypted_content"]);
  if (encrypted === "") return text === "" ? [] : [{ kind: "reasoning", text }];
  const signature = ownSignature(textOf(item["id"]), encrypted);
  return [{ kind: "reasoning", text, signature, ...(text === "" ? { isRedacted: true } : {}) }];
}

const callParts = (item: JsonObject, text: string): NeutralPart[] => [
  { kind: "tool_call", id: textOf(item["call_id"]) || textOf(item["id"]), name: textOf(item["name"]), arguments: text },
];

function imageParts(item: JsonObject): NeutralPart[] {
  const source = imageSource(item);
  return source === undefined ? [] : [{ kind: "image", source }];
}

const PARTS: Readonly<Record<string, (item: JsonObject) => NeutralPart[]>> = {
  message: messageParts,
  reasoning: reasoningParts,
  function_call: (item) => callParts(item, textOf(item["arguments"]) || "{}"),
  custom_tool_call: (item) => callParts(item, JSON.stringify({ input: textOf(item["input"]) })),
  image_generation_call: imageParts,
};

/** Parts of one output item; none for types that only the vendor's own tools have. */
export function itemParts(item: unknown): NeutralPart[] {
  const type = textOf(objectOf(item)["type"]);
  const read = ownOf(PARTS, type);
  return isObject(item) && read !== undefined ? read(item) : [];
}

/** Why a response ended, by its status and by what is in it. */
export function answerFinish(
  response: JsonObject,
  seen: { hasCall: boolean; hasText: boolean; hasRefusal: boolean },
): FinishReason {
  const reason = objectOf(response["incomplete_details"])["reason"];
  if (response["status"] === "incomplete" || reason !== undefined)
    return reason === "content_filter" ? "content_filter" : "length";
  if (seen.hasCall) return "tool_calls";
  return seen.hasRefusal && !seen.hasText ? "refusal" : "stop";
}
