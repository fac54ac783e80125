/** Content blocks of an Anthropic request -> neutral parts (platform.claude.com/docs/en/build-with-claude/working-with-messages). */
import { readSignedId } from "./signature.ts";
import { citationsOf } from "./citations.ts";
import { NO_PICTURE, isPicture } from "../neutral/pictures.ts";
import {
  cacheOf,
  isAbsent,
  needList,
  needName,
  needObject,
  needText,
  optionalBoolean,
  optionalObject,
  optionalText,
} from "./fields.ts";
import type { FilePart, ImagePart, JsonObject, MediaSource, TextPart, ToolResultPart } from "../neutral/neutral.ts";
import { TranslationFault } from "../neutral/neutral.ts";

type GivenPart = TextPart | ImagePart | FilePart;

/** Collects names of fields that other vendors have no equivalent for. */
export type Drop = (field: string) => void;

export const textPart = (text: string): TextPart => ({ kind: "text", text });

function readText(block: JsonObject, param: string): TextPart {
  const text = needText(block["text"], `${param}.text`);
  return { kind: "text", text, ...citationsOf(block["citations"]), ...cacheOf(block, param) };
}

function mediaSource(source: JsonObject, param: string): MediaSource {
  const type = source["type"];
  if (type === "url") return { kind: "url", url: needName(source["url"], `${param}.url`) };
  if (type === "base64") {
    const mimeType = needName(source["media_type"], `${param}.media_type`);
    return { kind: "base64", mimeType, data: needName(source["data"], `${param}.data`) };
  }
  const isFile = type === "file";
  const reason = isFile ? "names a file in Anthropic's own store, which this model cannot read" : "is unknown";
  throw new TranslationFault(`${param}.type`, `${param}.type ${reason}`);
}

function readImage(block: JsonObject, param: string): ImagePart {
  const source = mediaSource(needObject(block["source"], `${param}.source`), `${param}.source`);
  if (!isPicture(source))
    throw new TranslationFault(`${param}.source.media_type`, `${param}.source.media_type ${NO_PICTURE}`);
  return { kind: "image", source, ...cacheOf(block, param) };
}

/** Title and context of a document, as the lines before its text. */
const headed = (title: string | undefined, context: string | undefined, text: string): string =>
  [title, context, text].filter((line) => line !== undefined && line !== "").join("\n");

/** A text document becomes text; a PDF a file. */
function readDocument(block: JsonObject, param: string, drop: Drop): GivenPart[] {
  const source = needObject(block["source"], `${param}.source`);
  const title = optionalText(block["title"], `${param}.title`);
  const context = optionalText(block["context"], `${param}.context`);
  if (optionalObject(block["citations"], `${param}.citations`)?.["enabled"] === true) drop(`${param}.citations`);
  const cache = cacheOf(block, param);
  if (source["type"] === "text") {
    const text = headed(title, context, needText(source["data"], `${param}.source.data`));
    return [{ ...textPart(text), ...cache }];
  }
  const head = headed(undefined, context, "");
  const opening = head === "" ? [] : [textPart(head)];
  if (source["type"] === "content")
    return [...opening, ...givenParts(source["content"], `${param}.source.content`, drop)];
  const media = mediaSource(source, `${param}.source`);
  const given: MediaSource = media.kind === "url" ? { ...media, mimeType: "application/pdf" } : media;
  return [...opening, { kind: "file", source: given, ...(title === undefined ? {} : { name: title }), ...cache }];
}

/** A search result the client found itself: text with its source. */
function readSearchResult(block: JsonObject, param: string): TextPart {
  const title = needText(block["title"], `${param}.title`);
  const source = needText(block["source"], `${param}.source`);
  const texts = needList(block["content"], `${param}.content`).map((entry, index) =>
    needText(needObject(entry, `${param}.content[${index}]`)["text"], `${param}.content[${index}].text`),
  );
  return { ...textPart(headed(title, source, texts.join("\n"))), ...cacheOf(block, param) };
}

/** The parts of a block that a user, a tool or a document may hold; undefined for other types. */
export function givenBlock(block: JsonObject, param: string, drop: Drop): GivenPart[] | undefined {
  switch (block["type"]) {
    case "text":
      return [readText(block, param)];
    case "image":
      return [readImage(block, param)];
    case "document":
      return readDocument(block, param, drop);
    case "search_result":
      return [readSearchResult(block, param)];
    // What a search among tools has found is in the list of tools.
    case "tool_reference":
      return [textPart(`Loaded tool: ${needName(block["tool_name"], `${param}.tool_name`)}`)];
    default:
      return undefined;
  }
}

export const unknownBlock = (block: JsonObject, param: string): TranslationFault => {
  const type = typeof block["type"] === "string" ? `"${block["type"].slice(0, 64)}"` : "missing";
  return new TranslationFault(`${param}.type`, `${param}.type ${type} is not supported by this model`);
};

/** A string, or a list of blocks. */
function givenParts(content: unknown, param: string, drop: Drop): GivenPart[] {
  if (typeof content === "string") return [textPart(content)];
  return needList(content, param).flatMap((entry, index) => {
    const place = `${param}[${index}]`;
    const block = needObject(entry, place);
    const parts = givenBlock(block, place, drop);
    if (parts === undefined) throw unknownBlock(block, place);
    return parts;
  });
}

/** Text only: the system prompt and instructions inside a conversation. */
export function textPartsOf(content: unknown, param: string): TextPart[] {
  if (typeof content === "string") return [textPart(content)];
  return needList(content, param).map((entry, index) => {
    const place = `${param}[${index}]`;
    const block = needObject(entry, place);
    if (block["type"] !== "text") throw unknownBlock(block, place);
    return readText(block, place);
  });
}

export function readToolResult(block: JsonObject, param: string, drop: Drop): ToolResultPart {
  const isError = optionalBoolean(block["is_error"], `${param}.is_error`);
  return {
    kind: "tool_result",
    id: readSignedId(needName(block["tool_use_id"], `${param}.tool_use_id`)).id,
    parts: isAbsent(block["content"]) ? [] : givenParts(block["content"], `${param}.content`, drop),
    ...(isError === undefined ? {} : { isError }),
    ...cacheOf(block, param),
  };
}
