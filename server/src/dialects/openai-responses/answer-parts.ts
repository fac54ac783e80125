/** Output items of a response as neutral parts; buffered answers and streams of the Responses dialect share them. */
import { isObject, listOf, objectOf, ownOf, textOf } from "../json/fields.ts";
import { writtenArguments } from "../neutral/waiting-calls.ts";
import type { Citation, JsonObject, MediaSource, NeutralPart } from "../neutral/neutral.ts";
import { citationOf } from "./citations.ts";
import { reasoningText } from "./messages-decode.ts";
import { ownSignature } from "./signature.ts";

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

/** Searches that xAI's own tools made, which it lists like calls of the client's (docs.x.ai/docs/guides/tools/search-tools). */
const VENDOR_CALL = /^(?:x_(?:keyword|semantic|user|thread)_\w+|view_x_video|view_image|web_search_with_snippets)$/;

/** Names of the tools that the client offered: a response repeats them. */
export const offeredNames = (response: unknown): ReadonlySet<string> =>
  new Set(listOf(objectOf(response)["tools"]).map((tool) => textOf(objectOf(tool)["name"])));

/** True for a call that the upstream has already run: the client has no such tool. */
export const isVendorCall = (item: JsonObject, offered: ReadonlySet<string>): boolean =>
  item["type"] === "custom_tool_call" && VENDOR_CALL.test(textOf(item["name"])) && !offered.has(textOf(item["name"]));

const PARTS: Readonly<Record<string, (item: JsonObject, offered: ReadonlySet<string>) => NeutralPart[]>> = {
  message: messageParts,
  reasoning: reasoningParts,
  function_call: (item) => callParts(item, writtenArguments(textOf(item["arguments"]))),
  custom_tool_call: (item, offered) =>
    isVendorCall(item, offered) ? [] : callParts(item, JSON.stringify({ input: textOf(item["input"]) })),
  image_generation_call: imageParts,
};

/** Parts of one output item; none for types that only the vendor's own tools have. */
export function itemParts(item: unknown, offered: ReadonlySet<string>): NeutralPart[] {
  const type = textOf(objectOf(item)["type"]);
  const read = ownOf(PARTS, type);
  return isObject(item) && read !== undefined ? read(item, offered) : [];
}
