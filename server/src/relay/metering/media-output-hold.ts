/** Answers of sound and pictures, whose tokens cost a multiple of words': what of them is held beforehand. */
import type { ModelPrice } from "../../../../contract/src/pricing/pricing.ts";
import type { Usage } from "../../../../contract/src/pricing/usage.ts";
import { listOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import { estimatedUsage } from "../../dialects/neutral/usage-counts.ts";
import type { Accepted } from "../request/accepted.ts";
import { requestField } from "../request/request-field.ts";
import type { Quote } from "./quote.ts";

/** One picture of Gemini's models that draw, at the usual size (ai.google.dev/gemini-api/docs/image-generation). */
const TOKENS_PER_PICTURE = 1_290;

const NO_KINDS: readonly string[] = [];

/** Kinds of output that the request names, in small letters; OpenAI's and Google's formats have a list of them. */
function askedKinds(accepted: Accepted): readonly string[] {
  const { name } = accepted.dialect;
  if (name === "openai-chat") {
    const modalities = requestField(accepted, "modalities");
    return modalities === undefined ? NO_KINDS : listOf(modalities).map(textOf);
  }
  if (name !== "gemini") return NO_KINDS;
  const config = objectOf(requestField(accepted, "generationConfig") ?? requestField(accepted, "generation_config"));
  const kinds = listOf(config["responseModalities"] ?? config["response_modalities"]);
  return kinds.map((kind) => textOf(kind).toLowerCase());
}

/** A model whose pictures have a ratio of their own draws them unasked, unless only other kinds are asked for. */
const drawsPictures = (kinds: readonly string[], price: ModelPrice): boolean =>
  kinds.includes("image") || (kinds.length === 0 && price.kind === "per_token" && price.imageOutputRatio !== undefined);

/** What an answer's tokens are, beside words. */
export type MediaKind = "sound" | "picture" | "none";

export function mediaKind(accepted: Accepted, price: ModelPrice): MediaKind {
  if (accepted.operation !== "chat") return "none";
  const kinds = askedKinds(accepted);
  if (kinds.includes("audio")) return "sound";
  return drawsPictures(kinds, price) ? "picture" : "none";
}

/** The usage of one such answer as far as request and price tell; undefined where it is of words, or of another operation. */
export function mediaAnswer(accepted: Accepted, quote: Quote): Usage | undefined {
  const kind = mediaKind(accepted, quote.terms.price);
  const { promptTokens, outputTokens } = quote;
  if (kind === "none") return undefined;
  if (kind === "sound") return { ...estimatedUsage(promptTokens, outputTokens), audioOutputTokens: outputTokens };
  const imageOutputTokens = TOKENS_PER_PICTURE * accepted.info.choices;
  return { ...estimatedUsage(promptTokens, imageOutputTokens + outputTokens), imageOutputTokens };
}
