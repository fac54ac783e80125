/** Usage of operations that are not billed by upstream token counts: speech, transcription, images, rerank, embeddings. Every quantity is bounded. */
import { toExactText } from "../money.ts";
import { productOf } from "./pricing.ts";
import { saneCount } from "./usage-parts.ts";
import { NO_USAGE, type Usage } from "./usage.ts";

const inputOnly = (inputTokens: number, isEstimated: boolean): Usage => ({ ...NO_USAGE, inputTokens, isEstimated });

/** Counts Unicode code points, so that a character outside the first plane is one, not two. */
function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Models that are billed by the character. */
const BY_CHARACTER = "tts";

/**
 * Usage of text that is read aloud: characters for models whose name starts with `tts`, otherwise the tokens given.
 * @param estimatedTokens tokens of the text, estimated by the gateway
 */
export const speechUsage = (model: string, text: string, estimatedTokens: number): Usage =>
  model.startsWith(BY_CHARACTER) ? inputOnly(codePoints(text), false) : inputOnly(saneCount(estimatedTokens), true);

const TOKENS_PER_MINUTE = 1000;
/** One day; a longer duration was measured wrongly. */
const MAX_RECORDING_SECONDS = 86_400;

/** Usage of a recording: each started second counts, at 1,000 tokens a minute, rounded. */
export function transcriptionUsage(seconds: number): Usage {
  const begun = saneCount(seconds, MAX_RECORDING_SECONDS);
  return inputOnly(Math.round((begun * TOKENS_PER_MINUTE) / 60), false);
}

/** The largest number of images in one call. */
const MAX_IMAGES = 10;

/** Whether `n` of a request is an allowed number of images; anything else is refused before quota is held. */
export const isImageCount = (n: unknown): n is number =>
  typeof n === "number" && Number.isInteger(n) && n >= 1 && n <= MAX_IMAGES;

export interface ImageRequest {
  model: string;
  /** "1024x1024"; absent or unknown sizes have the factor 1. */
  size?: string | undefined;
  quality?: string | undefined;
  /** Images that were requested or arrived; clamped to 0 to 10. */
  n: number;
}

/** Price factors by size. */
const SIZE_FACTORS: ReadonlyMap<string, string> = new Map([
  ["256x256", "0.4"],
  ["512x512", "0.45"],
  ["1024x1024", "1"],
  ["1024x1792", "2"],
  ["1792x1024", "2"],
]);
/** For dall-e-2, whose small images cost USD 0.016 and 0.018 and whose large one costs 0.02 (developers.openai.com/api/docs/models/dall-e-2). */
const SIZE_FACTORS_OF_DALL_E_2: ReadonlyMap<string, string> = new Map([
  ["256x256", "0.8"],
  ["512x512", "0.9"],
]);
const WIDE_SIZES: ReadonlySet<string> = new Set(["1024x1792", "1792x1024"]);

/** For dall-e-3, high definition costs twice as much, and one and a half times as much in wide sizes. */
function qualityFactor({ model, size = "", quality }: ImageRequest): string {
  if (model !== "dall-e-3" || quality !== "hd") return "1";
  return WIDE_SIZES.has(size) ? "1.5" : "2";
}

const sizeFactor = ({ model, size = "" }: ImageRequest): string =>
  (model === "dall-e-2" ? SIZE_FACTORS_OF_DALL_E_2 : SIZE_FACTORS).get(size) ?? "1";

const factorOfImages = (request: ImageRequest): string =>
  toExactText(productOf([sizeFactor(request), qualityFactor(request), String(saneCount(request.n, MAX_IMAGES))]));

/** Usage of images at a fixed price: the factor is size × quality × n, and the log counts n. */
export const imageUsage = (request: ImageRequest): Usage => ({
  ...NO_USAGE,
  inputTokens: saneCount(request.n, MAX_IMAGES),
  callFactor: factorOfImages(request),
});

/** Tokens charged per image where the upstream reports none. */
const TOKENS_PER_IMAGE = 258;

/** Usage of images for which the upstream reported no tokens: 258 tokens each, or n at a fixed price. */
export const imagenUsage = (n: number): Usage => ({
  ...inputOnly(TOKENS_PER_IMAGE * saneCount(n, MAX_IMAGES), true),
  callFactor: String(saneCount(n, MAX_IMAGES)),
});

/** The tokens that the upstream reported, otherwise those that the gateway counted. */
export interface InputCount {
  reportedTokens?: number | undefined;
  estimatedTokens: number;
}

const reportedOrEstimated = ({ reportedTokens, estimatedTokens }: InputCount): Usage => {
  const reported = saneCount(reportedTokens);
  return reported > 0 ? inputOnly(reported, false) : inputOnly(saneCount(estimatedTokens), true);
};

/** Usage of embeddings: the input only. */
export const embeddingsUsage = (count: InputCount): Usage => reportedOrEstimated(count);

/** A thousand units are a hundred thousand documents. */
const MAX_SEARCH_UNITS = 1000;

/**
 * Usage of a rerank: query and documents by tokens, whatever units the upstream bills in; at a fixed price a call
 * counts as often as the upstream's search units (Cohere: a query with up to 100 documents, docs.cohere.com/docs/rerank-overview).
 */
export const rerankUsage = (count: InputCount & { searchUnits?: number | undefined }): Usage => ({
  ...reportedOrEstimated(count),
  callFactor: String(Math.max(1, saneCount(count.searchUnits, MAX_SEARCH_UNITS))),
});
