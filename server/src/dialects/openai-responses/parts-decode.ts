/** Content parts of Responses messages and tool outputs -> neutral parts (platform.openai.com/docs/api-reference/responses/create). */
import { isObject, ownOf } from "../json/fields.ts";
import { NO_PICTURE, isPicture } from "../neutral/pictures.ts";
import { needObject, needText, placeOf, readText } from "./fields.ts";
import {
  type CacheMark,
  type FilePart,
  type ImagePart,
  type JsonObject,
  type MediaSource,
  type NeutralPart,
  type TextPart,
  TranslationFault,
} from "../neutral/neutral.ts";

const DATA = "data:";
const BASE64 = ";base64,";
/** A media type and its parameters are short; `;base64` is not searched beyond. */
const DATA_HEAD = 256;

/** A `data:` URI or an address. Throws TranslationFault for a data URI that is not base64. */
function sourceOf(url: string, at: string): MediaSource {
  if (!url.startsWith(DATA)) return { kind: "url", url };
  const mark = url.slice(0, DATA_HEAD).indexOf(BASE64);
  if (mark < 0) throw new TranslationFault(at, `${at} must be an address or a data URI in base64`);
  return { kind: "base64", mimeType: url.slice(DATA.length, mark), data: url.slice(mark + BASE64.length) };
}

/** prompt_cache_breakpoint: 30 minutes and 12 hours, of which other vendors have five minutes and an hour. */
function cacheOf(part: JsonObject): { cache: CacheMark } | undefined {
  const mark = part["prompt_cache_breakpoint"];
  return isObject(mark) ? { cache: { ttlSeconds: mark["ttl"] === "12h" ? 3600 : 300 } } : undefined;
}

/** Files stored at one vendor exist nowhere else. */
function refuseStored(part: JsonObject, at: string): void {
  const stored = readText(part, "file_id", at);
  if (stored === undefined) return;
  const place = placeOf(at, "file_id");
  throw new TranslationFault(
    place,
    `${place} works only on channels that speak the Responses API: send the data itself`,
  );
}

function imageOf(part: JsonObject, at: string): ImagePart {
  refuseStored(part, at);
  const detail = readText(part, "detail", at);
  const place = placeOf(at, "image_url");
  const source = sourceOf(needText(part, "image_url", at), place);
  if (!isPicture(source)) throw new TranslationFault(place, `${place} ${NO_PICTURE}`);
  return { kind: "image", source, ...(detail === undefined ? {} : { detail }), ...cacheOf(part) };
}

/** file_data is a data URI, or bare base64 of a PDF as older clients send it. */
function fileSource(part: JsonObject, at: string): MediaSource {
  const url = readText(part, "file_url", at);
  if (url !== undefined) return { kind: "url", url };
  const data = needText(part, "file_data", at);
  if (data.startsWith(DATA)) return sourceOf(data, placeOf(at, "file_data"));
  return { kind: "base64", mimeType: "application/pdf", data };
}

function fileOf(part: JsonObject, at: string): FilePart {
  refuseStored(part, at);
  const name = readText(part, "filename", at);
  return { kind: "file", source: fileSource(part, at), ...(name === undefined ? {} : { name }), ...cacheOf(part) };
}

function audioOf(part: JsonObject, at: string): NeutralPart {
  const inside = placeOf(at, "input_audio");
  const audio = needObject(part["input_audio"], inside);
  const mimeType = `audio/${needText(audio, "format", inside)}`;
  return { kind: "audio", source: { kind: "base64", mimeType, data: needText(audio, "data", inside) } };
}

function textPart(part: JsonObject, at: string): TextPart {
  const text = readText(part, "text", at);
  if (text === undefined) throw new TranslationFault(placeOf(at, "text"), `${placeOf(at, "text")} is missing`);
  return { kind: "text", text, ...cacheOf(part) };
}

const READERS: Readonly<Record<string, (part: JsonObject, at: string) => NeutralPart>> = {
  input_text: textPart,
  output_text: textPart,
  text: textPart,
  refusal: (part, at) => ({ kind: "refusal", text: needText(part, "refusal", at) }),
  input_image: imageOf,
  input_file: fileOf,
  input_audio: audioOf,
};

function partOf(value: unknown, at: string, allowed: ReadonlySet<string>): NeutralPart {
  const part = needObject(value, at);
  const type = needText(part, "type", at);
  const read = allowed.has(type) ? ownOf(READERS, type) : undefined;
  if (read === undefined) throw new TranslationFault(`${at}.type`, `${at}.type "${type}" cannot be translated here`);
  return read(part, at);
}

/** Types of content that a role's messages may hold. */
export const CONTENT_TYPES = {
  system: new Set(["input_text", "output_text", "text"]),
  user: new Set(["input_text", "text", "input_image", "input_file", "input_audio"]),
  assistant: new Set(["output_text", "input_text", "text", "refusal"]),
  output: new Set(["input_text", "output_text", "text", "input_image", "input_file"]),
} as const;

/** A text, or a list of parts of the allowed types. An empty text is no part. Throws TranslationFault for anything else. */
export function decodeContent(value: unknown, at: string, allowed: ReadonlySet<string>): NeutralPart[] {
  if (typeof value === "string") return value === "" ? [] : [{ kind: "text", text: value }];
  if (!Array.isArray(value)) throw new TranslationFault(at, `${at} must be a string or a list of parts`);
  return value.map((part, index) => partOf(part, `${at}[${index}]`, allowed));
}
