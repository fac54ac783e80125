/** Neutral parts -> content blocks of an Anthropic request; a part without an equivalent block is a fault. */
import { cacheControl } from "./fields.ts";
import { parseExactObject } from "../json/exact.ts";
import type {
  FilePart,
  ImagePart,
  JsonObject,
  MediaSource,
  NeutralPart,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  Warn,
} from "../neutral/neutral.ts";
import { TranslationFault } from "../neutral/neutral.ts";

const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

/** The vendor refuses empty and blank blocks. */
const isBlank = (text: string): boolean => text.trim() === "";

const textBlock = ({ text, cache }: TextPart): JsonObject[] =>
  isBlank(text) ? [] : [{ type: "text", text, ...cacheControl(cache) }];

const sourceOf = (source: MediaSource): JsonObject =>
  source.kind === "url"
    ? { type: "url", url: source.url }
    : { type: "base64", media_type: source.mimeType, data: source.data };

function imageBlock({ source, detail, cache }: ImagePart, warn: Warn): JsonObject {
  if (source.kind === "base64" && !IMAGE_TYPES.has(source.mimeType))
    throw new TranslationFault("messages", `images of type ${source.mimeType} are not supported by this model`);
  if (detail !== undefined && detail !== "auto") warn("detail", "this model has no choice of detail for images");
  return { type: "image", source: sourceOf(source), ...cacheControl(cache) };
}

/** PDFs by their bytes or address, text files as text. */
function fileBlock({ source, name, cache }: FilePart): JsonObject {
  const mimeType = source.mimeType?.split(";")[0]?.trim() ?? "application/pdf";
  const rest = { ...(name === undefined ? {} : { title: name }), ...cacheControl(cache) };
  if (source.kind === "base64" && mimeType.startsWith("text/")) {
    const data = Buffer.from(source.data, "base64").toString("utf8");
    return { type: "document", source: { type: "text", media_type: "text/plain", data }, ...rest };
  }
  if (mimeType !== "application/pdf")
    throw new TranslationFault("messages", `files of type ${mimeType} are not supported by this model`);
  return { type: "document", source: sourceOf(source), ...rest };
}

/** The vendor takes letters, digits, `_` and `-`; the id of a call and that of its result change alike. */
const toolId = (id: string): string => id.replace(/[^A-Za-z0-9_-]/g, "_");

/** Arguments that are no object are wrapped in one, under a telling name. */
function inputOf({ arguments: text, name }: ToolCallPart, warn: Warn): JsonObject {
  const input = parseExactObject(text);
  if (input !== undefined) return input;
  if (isBlank(text)) return {};
  warn("arguments", `the arguments of a call of ${name} are no JSON object and go on as text`);
  return { arguments: text };
}

const callBlock = (part: ToolCallPart, warn: Warn): JsonObject => ({
  type: "tool_use",
  id: toolId(part.id),
  name: part.name,
  input: inputOf(part, warn),
  ...cacheControl(part.cache),
});

/** Only this vendor's own proofs are taken, and thinking without proof is refused. */
function thinkingBlock({ text, signature, isRedacted }: ReasoningPart, warn: Warn): JsonObject[] {
  if (signature?.dialect !== "anthropic-messages") {
    warn("reasoning", "thinking of another model is left out of the conversation");
    return [];
  }
  if (isRedacted === true) return [{ type: "redacted_thinking", data: signature.value }];
  return [{ type: "thinking", thinking: text, signature: signature.value }];
}

function givenBlock(part: TextPart | ImagePart | FilePart, warn: Warn): JsonObject[] {
  if (part.kind === "text") return textBlock(part);
  return [part.kind === "image" ? imageBlock(part, warn) : fileBlock(part)];
}

/** One text stands as a plain string, as most clients write it. */
function resultContent(parts: ToolResultPart["parts"], warn: Warn): JsonObject {
  const [first] = parts;
  if (parts.length === 1 && first?.kind === "text" && first.cache === undefined)
    return isBlank(first.text) ? {} : { content: first.text };
  const content = parts.flatMap((part) => givenBlock(part, warn));
  return content.length === 0 ? {} : { content };
}

const resultBlock = (part: ToolResultPart, warn: Warn): JsonObject => ({
  type: "tool_result",
  tool_use_id: toolId(part.id),
  ...resultContent(part.parts, warn),
  ...(part.isError === undefined ? {} : { is_error: part.isError }),
  ...cacheControl(part.cache),
});

/** Blocks of a user's message; the results of calls stand first. */
export function userBlocks(parts: readonly NeutralPart[], warn: Warn): JsonObject[] {
  return parts.flatMap((part) => {
    switch (part.kind) {
      case "tool_result":
        return [resultBlock(part, warn)];
      case "text":
      case "image":
      case "file":
        return givenBlock(part, warn);
      case "audio":
        throw new TranslationFault("messages", "audio is not supported by this model");
      default:
        throw new TranslationFault("messages", `a user's message cannot hold a part of kind ${part.kind}`);
    }
  });
}

/** Blocks of an assistant turn. */
export function turnBlocks(parts: readonly NeutralPart[], warn: Warn): JsonObject[] {
  return parts.flatMap((part) => {
    switch (part.kind) {
      case "text":
        return textBlock(part);
      case "refusal":
        return textBlock({ kind: "text", text: part.text });
      case "reasoning":
        return thinkingBlock(part, warn);
      case "tool_call":
        return [callBlock(part, warn)];
      default:
        throw new TranslationFault("messages", `this model cannot be told of a part of kind ${part.kind} in an answer`);
    }
  });
}

export const systemBlocks = (parts: readonly TextPart[]): JsonObject[] => parts.flatMap(textBlock);
