/** Content parts of chat messages -> neutral parts (platform.openai.com/docs/api-reference/chat/create, messages[].content). */
import { NO_PICTURE, isPicture } from "../neutral/pictures.ts";
import type {
  AudioPart,
  CacheMark,
  FilePart,
  ImagePart,
  JsonObject,
  MediaSource,
  NeutralPart,
  RefusalPart,
  TextPart,
} from "../neutral/neutral.ts";
import { isObject, ownOf } from "../json/fields.ts";
import { isAbsent, needList, needName, needObject, needText, refuse, textAt } from "./fields.ts";
import { isThinking } from "./signature.ts";

/** What users, tools and system messages may say. */
export type ContentPart = TextPart | ImagePart | FilePart | AudioPart | RefusalPart;

const LONG_CACHE_SECONDS = 3600;
const SHORT_CACHE_SECONDS = 300;

/**
 * `cache_control` as clients of Anthropic models send it through chat completions (openrouter.ai/docs/features/prompt-caching), or
 * OpenAI's own `prompt_cache_breakpoint`, which always lives long.
 */
export function cacheOf(fields: JsonObject): { cache?: CacheMark } {
  const control = fields["cache_control"];
  if (isObject(control))
    return { cache: { ttlSeconds: control["ttl"] === "1h" ? LONG_CACHE_SECONDS : SHORT_CACHE_SECONDS } };
  return isObject(fields["prompt_cache_breakpoint"]) ? { cache: { ttlSeconds: LONG_CACHE_SECONDS } } : {};
}

/** Longest head of a data URI: a media type with its parameters. */
const MAX_HEAD_CHARACTERS = 256;

/** The source a `data:` URI holds; undefined where the text is none in base64. */
export function dataUriSource(uri: string): (MediaSource & { kind: "base64" }) | undefined {
  const comma = uri.slice(0, MAX_HEAD_CHARACTERS).indexOf(",");
  if (!uri.startsWith("data:") || comma < 0) return undefined;
  const [mimeType = "", ...parameters] = uri.slice("data:".length, comma).split(";");
  if (mimeType === "" || parameters.at(-1) !== "base64") return undefined;
  return { kind: "base64", mimeType, data: uri.slice(comma + 1) };
}

const isWebUrl = (text: string): boolean => text.startsWith("https://") || text.startsWith("http://");

/** An address or a data URI as chat parts write them. */
function sourceOf(url: string, path: string): MediaSource {
  if (isWebUrl(url)) return { kind: "url", url };
  return dataUriSource(url) ?? refuse(path, "must be an http(s) address or a data URI in base64");
}

function pictureSource(url: string, path: string): MediaSource {
  const source = sourceOf(url, path);
  return isPicture(source) ? source : refuse(path, NO_PICTURE);
}

function imagePart(part: JsonObject, path: string): ImagePart {
  const image = part["image_url"];
  // Several vendors take the bare address too.
  if (typeof image === "string")
    return { kind: "image", source: pictureSource(image, `${path}.image_url`), ...cacheOf(part) };
  const fields = needObject(image, `${path}.image_url`);
  const source = pictureSource(needText(fields["url"], `${path}.image_url.url`), `${path}.image_url.url`);
  const detail = textAt(fields, "detail", `${path}.image_url.detail`);
  return { kind: "image", source, ...(detail === undefined ? {} : { detail }), ...cacheOf(part) };
}

const AUDIO_TYPES: Readonly<Record<string, string>> = { wav: "audio/wav", mp3: "audio/mpeg" };

function audioPart(part: JsonObject, path: string): AudioPart {
  const audio = needObject(part["input_audio"], `${path}.input_audio`);
  const data = needName(audio["data"], `${path}.input_audio.data`);
  const format = needName(audio["format"], `${path}.input_audio.format`);
  const mimeType = ownOf(AUDIO_TYPES, format) ?? `audio/${format}`;
  return { kind: "audio", source: dataUriSource(data) ?? { kind: "base64", mimeType, data } };
}

function filePart(part: JsonObject, path: string): FilePart {
  const file = needObject(part["file"], `${path}.file`);
  if (!isAbsent(file["file_id"]))
    refuse(
      `${path}.file.file_id`,
      "names a file stored at OpenAI, which this model cannot read; send file_data instead",
    );
  const text = needName(file["file_data"], `${path}.file.file_data`);
  const name = textAt(file, "filename", `${path}.file.filename`);
  // Base64 without a head is what the reference calls file_data; PDF is the one kind that OpenAI names for it.
  const source: MediaSource = /^(?:data:|https?:\/\/)/.test(text)
    ? sourceOf(text, `${path}.file.file_data`)
    : { kind: "base64", mimeType: "application/pdf", data: text };
  return { kind: "file", source, ...(name === undefined ? {} : { name }), ...cacheOf(part) };
}

const textPart = (part: JsonObject, path: string): TextPart => ({
  kind: "text",
  text: needText(part["text"], `${path}.text`),
  ...cacheOf(part),
});

const READERS: Readonly<Record<string, (part: JsonObject, path: string) => ContentPart>> = {
  text: textPart,
  image_url: imagePart,
  input_audio: audioPart,
  file: filePart,
  refusal: (part, path) => ({ kind: "refusal", text: needText(part["refusal"], `${path}.refusal`) }),
};

/** What each kind of message may hold. */
export const TEXT_ONLY: ReadonlySet<NeutralPart["kind"]> = new Set(["text"]);
export const USER_PARTS: ReadonlySet<NeutralPart["kind"]> = new Set(["text", "image", "audio", "file"]);
export const TOOL_PARTS: ReadonlySet<NeutralPart["kind"]> = new Set(["text", "image", "file"]);
export const ASSISTANT_PARTS: ReadonlySet<NeutralPart["kind"]> = new Set(["text", "refusal", "image"]);

function readPart(value: unknown, allowed: ReadonlySet<NeutralPart["kind"]>, path: string): ContentPart {
  const part = needObject(value, path);
  const type = needText(part["type"], `${path}.type`);
  const read = ownOf(READERS, type);
  if (read === undefined) refuse(`${path}.type`, `has the value '${type}', which cannot be sent to this model`);
  const found = read(part, path);
  if (!allowed.has(found.kind)) refuse(`${path}.type`, `may not be '${type}' in a message of this role`);
  return found;
}

/**
 * Content of a message: a string or a list of parts, of which the thoughts that a client of Mistral sends back are left out, for they are
 * read with the rest of its thinking. Throws TranslationFault with the path of what is wrong.
 */
export function contentParts(value: unknown, allowed: ReadonlySet<NeutralPart["kind"]>, path: string): ContentPart[] {
  if (typeof value === "string") return [{ kind: "text", text: value }];
  if (!Array.isArray(value)) refuse(path, "must be a string or an array of content parts");
  return needList(value, path).flatMap((part, index) =>
    allowed === ASSISTANT_PARTS && isThinking(part) ? [] : [readPart(part, allowed, `${path}[${index}]`)],
  );
}
