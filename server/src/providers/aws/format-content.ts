/** Neutral parts -> the blocks of Converse's turns (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html and its members). */
import { createHash } from "node:crypto";
import { ownOf } from "../../dialects/json/fields.ts";
import { parseExactObject } from "../../dialects/json/exact.ts";
import {
  type AudioPart,
  type CacheMark,
  type FilePart,
  type ImagePart,
  type JsonObject,
  type NeutralPart,
  type ToolCallPart,
  type ToolResultPart,
  TranslationFault,
  type Warn,
} from "../../dialects/neutral/neutral.ts";
import type { ConverseTraits } from "./models.ts";

/** Placeholder text that the vendor requires and the client did not give. */
export const PLACEHOLDER: JsonObject = { text: "..." };

const IMAGES: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/gif": "gif",
  "image/webp": "webp",
};
const DOCUMENTS: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "text/plain": "txt",
  "text/csv": "csv",
  "text/html": "html",
  "text/markdown": "md",
  "application/msword": "doc",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
};
const RECORDINGS: Readonly<Record<string, string>> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
  "audio/mp4": "mp4",
  "audio/m4a": "m4a",
  "audio/flac": "flac",
  "audio/ogg": "ogg",
  "audio/opus": "opus",
  "audio/aac": "aac",
  "audio/webm": "webm",
};

/** `format` and `source` of a medium. Throws TranslationFault for a kind that is not in the table, and for one that stands elsewhere. */
function mediumOf({ kind, source }: ImagePart | FilePart | AudioPart, formats: Readonly<Record<string, string>>) {
  const mimeType = source.mimeType?.split(";")[0]?.trim().toLowerCase() ?? "application/pdf";
  if (source.kind === "url")
    throw new TranslationFault("messages", `this model takes no ${kind} parts by their address`);
  const format = ownOf(formats, mimeType);
  if (format === undefined)
    throw new TranslationFault("messages", `${kind} parts of type ${mimeType} are not supported by this model`);
  return { format, source: { bytes: source.data } };
}

const MOST_OF_AN_ID = 64;

/** Ids as the vendor takes them; that of a call and that of its result change alike. */
function toolId(id: string): string {
  const plain = id.replace(/[^\w-]/g, "_");
  return plain.length <= MOST_OF_AN_ID ? plain : createHash("sha256").update(id).digest("hex");
}

const isBlank = (text: string): boolean => text.trim() === "";

const textBlock = (text: string): JsonObject[] => (isBlank(text) ? [] : [{ text }]);

/** Arguments that are no object are wrapped in one, under a telling name. */
function callBlock({ id, name, arguments: text }: ToolCallPart, warn: Warn): JsonObject {
  const input = parseExactObject(text);
  if (input === undefined && !isBlank(text))
    warn("arguments", `the arguments of a call of ${name} are no JSON object and go on as text`);
  return { toolUse: { toolUseId: toolId(id), name, input: input ?? (isBlank(text) ? {} : { arguments: text }) } };
}

/** Writes the blocks of one request's turns. */
export class ContentWriter {
  readonly #traits: ConverseTraits;
  readonly #warn: Warn;
  readonly #names = new Set<string>();

  constructor(traits: ConverseTraits, warn: Warn) {
    this.#traits = traits;
    this.#warn = warn;
  }

  /** A cache point, if the model has a cache that a request can set. */
  cachePoint(cache: CacheMark | undefined): JsonObject[] {
    return cache !== undefined && this.#traits.hasCache ? [{ cachePoint: { type: "default" } }] : [];
  }

  /** Blocks of a user's turn, tool results first. */
  user(parts: readonly NeutralPart[]): JsonObject[] {
    const results = parts.filter((part) => part.kind === "tool_result");
    const attached = this.#traits.hasRichResults
      ? []
      : results.flatMap((result) => result.parts.filter(({ kind }) => kind !== "text"));
    const said = [...attached, ...parts.filter(({ kind }) => kind !== "tool_result")];
    const blocks = [...results, ...said].flatMap((part) => this.#block(part));
    // A document requires a text beside it.
    const asks = blocks.some((block) => "document" in block) && !blocks.some((block) => "text" in block);
    return asks ? [...blocks, PLACEHOLDER] : blocks;
  }

  /** Blocks of an assistant turn. */
  assistant(parts: readonly NeutralPart[]): JsonObject[] {
    // Few take back thinking, and some refuse the whole call over it (github.com/langchain-ai/langchain-aws/issues/401).
    if (parts.some(({ kind }) => kind === "reasoning"))
      this.#warn("reasoning", "this model takes no thinking of earlier turns");
    const blocks = parts.filter(({ kind }) => kind !== "reasoning").flatMap((part) => this.#block(part));
    const calls = blocks.filter((block) => "toolUse" in block);
    if (!this.#traits.keepsApart || calls.length === 0 || calls.length === blocks.length) return blocks;
    this.#warn("messages", "this model takes no words beside a call of a tool");
    return calls;
  }

  #block(part: NeutralPart): JsonObject[] {
    const cache = "cache" in part ? this.cachePoint(part.cache) : [];
    const blocks = this.#plain(part);
    return blocks.length === 0 ? [] : [...blocks, ...cache];
  }

  #plain(part: NeutralPart): JsonObject[] {
    switch (part.kind) {
      case "text":
      case "refusal":
        return textBlock(part.text);
      case "image":
        return [{ image: mediumOf(part, IMAGES) }];
      case "audio":
        return [{ audio: mediumOf(part, RECORDINGS) }];
      case "file":
        return [{ document: { name: this.#documentName(part.name), ...mediumOf(part, DOCUMENTS) } }];
      case "tool_call":
        return [callBlock(part, this.#warn)];
      case "tool_result":
        return [this.#result(part)];
      default:
        return [];
    }
  }

  #result({ id, parts, isError }: ToolResultPart): JsonObject {
    const { hasRichResults } = this.#traits;
    if (isError === true && !hasRichResults)
      this.#warn("messages", "this model's tools cannot mark a result as an error");
    const held = hasRichResults ? parts : parts.filter(({ kind }) => kind === "text");
    const content = held.flatMap((part) => this.#plain(part));
    const status = isError === true && hasRichResults ? { status: "error" } : {};
    return {
      toolResult: { toolUseId: toolId(id), content: content.length === 0 ? [PLACEHOLDER] : content, ...status },
    };
  }

  /** Of the characters that names of documents may have, and no two alike. */
  #documentName(given = ""): string {
    const plain = given
      .replace(/[^A-Za-z0-9\s()[\]-]/g, "-")
      .replace(/\s+/g, " ")
      .trim();
    const name = plain === "" ? "document" : plain;
    let free = name;
    for (let count = 2; this.#names.has(free); count += 1) free = `${name} (${count})`;
    this.#names.add(free);
    return free;
  }
}
