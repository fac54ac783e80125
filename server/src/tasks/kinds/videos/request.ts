/** A request for a video in no vendor's words: read from the form of any client, written in the form of any vendor. Pure. */
import { isObject, listOf, numberOf, textOf } from "../../../dialects/json/fields.ts";
import type { JsonObject } from "../../../dialects/neutral/neutral.ts";
import { TaskRefusal, foldedName, refuseOtherSpellings } from "../kind.ts";

/** Where in the video an image stands; `reference` shows what has to be in it. */
export type ImageRole = "first" | "last" | "reference";

/** An image by its address, or its bytes. */
export type VideoImage = { role: ImageRole } & ({ url: string } | { mimeType: string; base64: string });

/** What is absent is the vendor's own default. */
export interface VideoRequest {
  /** As the client names it. */
  model: string;
  /** Empty only where there is an image. */
  prompt: string;
  negativePrompt?: string;
  images: readonly VideoImage[];
  /** Whole seconds of one video. */
  seconds?: number;
  /** Width and height in pixels. */
  pixels?: { width: number; height: number };
  /** Lines, in lower case: `720p`, `1080p`, `4k`. */
  resolution?: string;
  /** `16:9`. */
  aspectRatio?: string;
  /** The vendor's quality: `std`, `pro`. */
  mode?: string;
  /** Number of videos. */
  count?: number;
  seed?: number;
  /** True for a video with sound. */
  sound?: boolean;
  /** Fields of the vendor's own API, in its own words; they go over what is written of the fields above. */
  metadata: JsonObject;
}

/** Longer videos, more of them and more images are a mistake. */
export const MAX_SECONDS = 120;
export const MAX_VIDEOS = 4;
const MAX_IMAGES = 10;

/** A whole number from 1 on, also as text; `otherwise` where there is none. Throws TaskRefusal. */
export function wholeNumber<Absent>(value: unknown, name: string, otherwise: Absent, most: number): number | Absent {
  if (value === undefined || value === null || value === "") return otherwise;
  const number = typeof value === "string" ? (/^\d+$/.test(value) ? Number(value) : undefined) : numberOf(value);
  if (number === undefined || !Number.isInteger(number) || number < 1 || number > most)
    throw new TaskRefusal("invalid_value", `'${name}' must be a whole number from 1 to ${most}.`, name);
  return number;
}

/** The prompt. Throws TaskRefusal where it is missing or blank. */
export function promptOf(prompt: unknown): string {
  const text = textOf(prompt);
  if (text.trim() === "") throw new TaskRefusal("prompt_missing", "The request has no 'prompt'.", "prompt");
  return text;
}

/** Names of a length, a number or a size that compatible servers read, without case and marks: they would go on uncharged. */
const UNREAD: ReadonlySet<string> = new Set([
  "seconds",
  "duration",
  "durationseconds",
  "videolength",
  "n",
  "samplecount",
  "numberofvideos",
  "numvideos",
  "resolution",
]);

/** Throws TaskRefusal naming a field that would make more or longer videos than are charged. `charged` says which fields to use. */
export function refuseUncharged(fields: JsonObject, read: readonly string[], charged: string): void {
  refuseOtherSpellings(fields, read);
  const name = Object.keys(fields).find((each) => !read.includes(each) && UNREAD.has(foldedName(each)));
  if (name === undefined) return;
  const message = `The field '${name}' would change what the video costs and is not read here: use ${charged}.`;
  throw new TaskRefusal("ambiguous_field", message, name);
}

/** True for a value that asks for nothing: many clients write every field of a form. */
export const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

/**
 * The fields that have a value. Throws TaskRefusal naming one that is not among `known`: what is not known here could cost what is not
 * charged, and would be dropped silently otherwise.
 */
export function knownFields(fields: JsonObject, known: readonly string[], whose: string): JsonObject {
  const given = Object.entries(fields).filter(([, value]) => !isEmpty(value));
  const other = given.find(([name]) => !known.includes(name))?.[0];
  refuseOtherSpellings(fields, known);
  if (other !== undefined)
    throw new TaskRefusal("unknown_field", `The field '${other}' is not among those of ${whose} here.`, other);
  return Object.fromEntries(given);
}

const DATA_URL = /^data:(image\/[\w.+-]+);base64,([A-Za-z0-9+/=_-]+)$/;
/** Shorter text without a scheme is no image. */
const MIN_BASE64 = 64;

/** The type of an image by the first characters of its base64 text; JPEG where they are none of a known kind. */
function mimeTypeOf(base64: string): string {
  if (base64.startsWith("iVBORw0KGgo")) return "image/png";
  return base64.startsWith("UklGR") ? "image/webp" : "image/jpeg";
}

/** An image as clients write it: an address, a data URL, or plain base64. `name` is that of its field. Throws TaskRefusal. */
export function imageOf(value: unknown, role: ImageRole, name: string): VideoImage {
  const text = isObject(value) ? textOf(value["url"]) || textOf(value["image_url"]) : textOf(value);
  if (/^https?:\/\//i.test(text)) return { role, url: text };
  const data = DATA_URL.exec(text);
  if (data !== null) return { role, mimeType: data[1] ?? "", base64: data[2] ?? "" };
  if (text.length >= MIN_BASE64 && /^[A-Za-z0-9+/]+={0,2}$/.test(text))
    return { role, mimeType: mimeTypeOf(text), base64: text };
  throw new TaskRefusal("invalid_value", `'${name}' is no address, data URL or base64 text of an image.`, name);
}

/** The images of a list. Throws TaskRefusal for more than 10, and as imageOf. */
export function imagesOf(value: unknown, role: ImageRole, name: string): VideoImage[] {
  const list = listOf(value);
  if (list.length > MAX_IMAGES)
    throw new TaskRefusal("invalid_value", `'${name}' has more than ${MAX_IMAGES} images.`, name);
  return list.map((each) => imageOf(each, role, name));
}

/** An image as an address or a data URL. */
export const imageUrl = (image: VideoImage): string =>
  "url" in image ? image.url : `data:${image.mimeType};base64,${image.base64}`;

const MAX_EDGE = 8_192;

/** What "1280x720" (or 1280*720) says. Undefined for none; throws TaskRefusal for another text. */
export function pixelsOf(value: unknown, name: string): VideoRequest["pixels"] {
  const text = textOf(value).trim();
  if (text === "") return undefined;
  const [, width = "", height = ""] = /^(\d{2,4})[x*X](\d{2,4})$/.exec(text) ?? [];
  const pixels = { width: Number(width), height: Number(height) };
  if (pixels.width === 0 || pixels.height === 0 || Math.max(pixels.width, pixels.height) > MAX_EDGE)
    throw new TaskRefusal("invalid_value", `'${name}' is no size such as 1280x720.`, name);
  return pixels;
}

const RATIOS: readonly (readonly [text: string, ratio: number])[] = [
  ["16:9", 16 / 9],
  ["9:16", 9 / 16],
  ["1:1", 1],
  ["4:3", 4 / 3],
  ["3:4", 3 / 4],
  ["3:2", 3 / 2],
  ["2:3", 2 / 3],
  ["21:9", 21 / 9],
];
/** Sizes in pixels are whole multiples of something, so ratios come out a little beside. */
const NEAR = 0.03;

/** The aspect ratio that was asked for, by name or by pixels; undefined for none, or for pixels of no usual one. */
export function aspectRatioOf({ aspectRatio, pixels }: VideoRequest): string | undefined {
  if (aspectRatio !== undefined || pixels === undefined) return aspectRatio;
  const ratio = pixels.width / pixels.height;
  return RATIOS.find(([, each]) => Math.abs(each / ratio - 1) < NEAR)?.[0];
}

/** The lines that were asked for, by name or by the shorter edge in pixels; undefined for none. */
export function resolutionOf({ resolution, pixels }: VideoRequest): string | undefined {
  if (resolution !== undefined || pixels === undefined) return resolution;
  return `${Math.min(pixels.width, pixels.height)}p`;
}

/** One of `values`, or undefined for none asked for. Throws TaskRefusal saying which there are. */
export function oneOf<Value extends string | number>(
  value: Value | undefined,
  values: readonly Value[],
  name: string,
  model: string,
): Value | undefined {
  if (value === undefined || values.includes(value)) return value;
  const message = `'${name}' of ${model} is one of ${values.join(", ")}.`;
  throw new TaskRefusal("invalid_value", message, name);
}
