/** Neutral messages -> chat messages: tool results directly after their calls, pictures where the format allows them. */
import { warnOfCacheMarks } from "../neutral/dropped-fields.ts";
import {
  type AudioPart,
  type CacheMark,
  type CacheMarks,
  type FilePart,
  type ImagePart,
  type JsonObject,
  type NeutralMessage,
  type NeutralPart,
  type NeutralRequest,
  type NeutralTool,
  type Signature,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  TranslationFault,
  uriOf,
  type Warn,
} from "../neutral/neutral.ts";
import { callExtra, detailsForVendor, isSigned } from "./signature.ts";
import { addAll, ownOf } from "../json/fields.ts";

/** Models whose instructions have the role developer (platform.openai.com/docs/guides/reasoning); the first two never had it. */
const hasDeveloperRole = (model: string): boolean =>
  /^(?:o\d|gpt-5)/.test(model) && !/^o1-(?:mini|preview)/.test(model);

/** OpenAI's own models never show their reasoning here, so none can come back to them. */
const showsNoReasoning = (model: string): boolean => /^(?:gpt-(?!oss)|o\d|chatgpt-)/.test(model);

/** What the writing of one request knows. */
interface Writing {
  out: JsonObject[];
  isPlainModel: boolean;
  systemRole: "system" | "developer";
  /** Ids that are too long for this format, and what stands for them. */
  ids: Map<string, string>;
  /** Pictures an assistant made: only users may show some here, so they go into the next message of theirs. */
  carried: ImagePart[];
  cacheMarks: CacheMarks | undefined;
  warn: Warn;
}

/** platform.openai.com/docs/api-reference/chat/create: ids of tool calls have at most so many characters. */
const MAX_ID_CHARACTERS = 40;

function idOf(id: string, { ids }: Writing): string {
  if (id.length <= MAX_ID_CHARACTERS) return id;
  const short = ids.get(id) ?? `call_long_${ids.size}`;
  ids.set(id, short);
  return short;
}

const imageContent = ({ source, detail }: ImagePart): JsonObject => ({
  type: "image_url",
  image_url: { url: uriOf(source), ...(detail === undefined ? {} : { detail }) },
});

const AUDIO_FORMATS: Readonly<Record<string, string>> = {
  "audio/wav": "wav",
  "audio/wave": "wav",
  "audio/x-wav": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
};

function audioContent({ source }: AudioPart): JsonObject {
  const format = source.kind === "base64" ? ownOf(AUDIO_FORMATS, source.mimeType) : undefined;
  if (source.kind === "url" || format === undefined)
    throw new TranslationFault("messages", "This model takes audio in base64 as audio/wav or audio/mpeg only.");
  return { type: "input_audio", input_audio: { data: source.data, format } };
}

function fileContent({ source, name }: FilePart): JsonObject {
  if (source.kind === "url")
    throw new TranslationFault("messages", "This model takes files in base64 only, not as an address.");
  if (source.mimeType.startsWith("text/"))
    return { type: "text", text: Buffer.from(source.data, "base64").toString("utf8") };
  return { type: "file", file: { filename: name ?? "document.pdf", file_data: uriOf(source) } };
}

const HOUR_SECONDS = 3600;

const hasMarkedText = ({ kind }: NeutralPart | NeutralTool): boolean => kind === "text" || kind === "tool_result";

/** The breakpoint as the vendor supports it; nothing if it does not. */
function markOf(cache: CacheMark | undefined, { cacheMarks, warn }: Writing): JsonObject {
  if (cache === undefined || cacheMarks === undefined) return {};
  const isLong = cache.ttlSeconds >= HOUR_SECONDS;
  if (isLong && cacheMarks === "short") warn("cache_control", "the vendor keeps marked text for five minutes");
  return { cache_control: { type: "ephemeral", ...(isLong && cacheMarks === "any" ? { ttl: "1h" } : {}) } };
}

const textContent = ({ text, cache }: Pick<TextPart, "text" | "cache">, writing: Writing): JsonObject => ({
  type: "text",
  text,
  ...markOf(cache, writing),
});

function contentOf(part: NeutralPart, writing: Writing): JsonObject[] {
  switch (part.kind) {
    case "text":
      return [textContent(part, writing)];
    case "image":
      return [imageContent(part)];
    case "audio":
      return [audioContent(part)];
    case "file":
      return [fileContent(part)];
    default:
      return [];
  }
}

const textsOf = (parts: readonly NeutralPart[]): TextPart[] => parts.filter((part) => part.kind === "text");
const joined = (parts: readonly NeutralPart[]): string =>
  textsOf(parts)
    .map(({ text }) => text)
    .join("");

/** One text as a string, which every vendor takes; everything else, and a text with a breakpoint, as a list of parts. */
function contentField(parts: readonly NeutralPart[], writing: Writing): unknown {
  const [first] = parts;
  if (parts.length === 0) return "";
  const written = parts.flatMap((part) => contentOf(part, writing));
  const isPlain = parts.length === 1 && first?.kind === "text" && written[0]?.["cache_control"] === undefined;
  return isPlain ? first.text : written;
}

/** Texts of a message whose content is one string to most vendors: a list if the last of them has a breakpoint. */
function textField(
  parts: readonly NeutralPart[],
  text: string,
  cache: CacheMark | undefined,
  writing: Writing,
): unknown {
  const last = cache ?? textsOf(parts).findLast((part) => part.cache !== undefined)?.cache;
  const written = textContent({ text, ...(last === undefined ? {} : { cache: last }) }, writing);
  return written["cache_control"] === undefined ? text : [written];
}

const nameField = ({ name }: NeutralMessage): JsonObject => (name === undefined ? {} : { name });

/** The text of a result; its pictures and files follow in a user message, since tool messages hold text only. */
function toolMessage(result: ToolResultPart, writing: Writing): JsonObject {
  const hasMore = result.parts.some(({ kind }) => kind !== "text");
  const text = joined(result.parts) || (hasMore ? "The result is attached to the next message." : "");
  if (result.isError === true) writing.warn("messages", "chat completions cannot mark a tool's result as an error");
  const content = textField(result.parts, text, result.cache, writing);
  return { role: "tool", tool_call_id: idOf(result.id, writing), content };
}

function writeUser(message: NeutralMessage, writing: Writing): void {
  const results = message.parts.filter((part) => part.kind === "tool_result");
  addAll(
    writing.out,
    results.map((result) => toolMessage(result, writing)),
  );
  const attached = results.flatMap(({ parts }) => parts.filter(({ kind }) => kind !== "text"));
  const said = message.parts.filter(({ kind }) => kind !== "tool_result");
  const parts = [...writing.carried, ...attached, ...said];
  writing.carried = [];
  if (parts.length > 0 || results.length === 0)
    writing.out.push({ role: "user", content: contentField(parts, writing), ...nameField(message) });
}

const isOwn = (signature: Signature | undefined): boolean =>
  signature === undefined || signature.dialect === "openai-chat";

/** Thinking of a vendor of this format; another vendor's has no valid signature here and is dropped with its text. */
function reasoningFields(parts: readonly NeutralPart[], writing: Writing): JsonObject {
  const given = parts.filter((part) => part.kind === "reasoning");
  const thoughts = writing.isPlainModel ? [] : given.filter(({ signature }) => isOwn(signature));
  if (thoughts.length < given.length)
    writing.warn("reasoning", "thinking of another model is left out of the conversation");
  if (thoughts.length === 0) return {};
  const text = thoughts.map((part) => part.text).join("");
  return {
    ...(text === "" ? {} : { reasoning_content: text }),
    ...(thoughts.some(isSigned) ? { reasoning_details: detailsForVendor(thoughts) } : {}),
  };
}

function callField(call: ToolCallPart, writing: Writing): JsonObject {
  const { signature } = call;
  return {
    id: idOf(call.id, writing),
    type: "function",
    function: { name: call.name, arguments: call.arguments },
    ...(signature !== undefined && isOwn(signature) ? callExtra(signature.value) : {}),
  };
}

function writeAssistant(message: NeutralMessage, writing: Writing): void {
  const { parts } = message;
  const calls = parts.filter((part) => part.kind === "tool_call");
  const refusal = parts
    .filter((part) => part.kind === "refusal")
    .map(({ text }) => text)
    .join("");
  const text = joined(parts);
  addAll(
    writing.carried,
    parts.filter((part) => part.kind === "image"),
  );
  const isWordless = text === "" && (calls.length > 0 || refusal !== "");
  writing.out.push({
    role: "assistant",
    content: isWordless ? null : textField(parts, text, undefined, writing),
    ...(refusal === "" ? {} : { refusal }),
    ...reasoningFields(parts, writing),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => callField(call, writing)) }),
    ...nameField(message),
  });
}

function writeMessage(message: NeutralMessage, writing: Writing): void {
  if (message.role === "user") writeUser(message, writing);
  else if (message.role === "assistant") writeAssistant(message, writing);
  else
    writing.out.push({
      role: writing.systemRole,
      content: contentField(message.parts, writing),
      ...nameField(message),
    });
}

/**
 * Writes `messages`. Throws TranslationFault for media that this format has no place for. Cache breakpoints go to vendors that support them: most
 * cache automatically, and strict ones refuse the field.
 */
export function encodeMessages(request: NeutralRequest, warn: Warn): JsonObject[] {
  if (request.cacheMarks === undefined) warnOfCacheMarks(request, warn);
  else warnOfCacheMarks(request, warn, "the vendor takes marks on texts alone", hasMarkedText);
  const writing: Writing = {
    out: [],
    isPlainModel: showsNoReasoning(request.model),
    systemRole: hasDeveloperRole(request.model) ? "developer" : "system",
    ids: new Map(),
    carried: [],
    cacheMarks: request.cacheMarks,
    warn,
  };
  if (request.system.length > 0)
    writing.out.push({ role: writing.systemRole, content: contentField(request.system, writing) });
  for (const message of request.messages) writeMessage(message, writing);
  if (writing.carried.length > 0) writing.out.push({ role: "user", content: contentField(writing.carried, writing) });
  return writing.out;
}
