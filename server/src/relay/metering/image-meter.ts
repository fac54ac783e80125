/** Pictures: held for what the request wants, charged for what came, at a fixed price with its factors or by the upstream's tokens. */
import { imageUsage, imagenUsage, isImageCount } from "../../../../contract/src/pricing/operation-usage.ts";
import { NO_USAGE, type Usage } from "../../../../contract/src/pricing/usage.ts";
import type { NormalisedUsage } from "../../dialects/neutral/usage-counts.ts";
import type { ImagesInfo } from "../../dialects/neutral/images.ts";
import { ownOf } from "../../dialects/json/fields.ts";
import type { Answer } from "../call/answer.ts";
import { RelayError } from "../call/relay-error.ts";
import type { Accepted } from "../request/accepted.ts";
import type { Quote } from "./quote.ts";
import { readTokenUsage } from "./reported-usage.ts";
import { numberField, requestField, textField } from "../request/request-field.ts";

function requestedImages(accepted: Accepted): ImagesInfo {
  const { dialect, model } = accepted;
  if (dialect.imagesReader !== undefined)
    return dialect.imagesReader.read((name) => requestField(accepted, name), model);
  const [size, quality] = [textField(accepted, "size"), textField(accepted, "quality")];
  return { count: numberField(accepted, "n") ?? 1, size, quality };
}

/** The number of pictures multiplies the price, so it is bounded before quota is held. Throws RelayError 400. */
export function checkImageCount(accepted: Accepted): void {
  const { count, size = "" } = requestedImages(accepted);
  const field = accepted.dialect.imagesReader?.countField ?? "n";
  if (!isImageCount(count))
    throw new RelayError("image_count_invalid", {
      param: field,
      message: `'${field}' must be a whole number from 1 to 10.`,
    });
  if (size.includes("×")) throw new RelayError("image_size_invalid", { param: "size" });
}

function fixedUsage(accepted: Accepted, n: number): Usage {
  const { size, quality } = requestedImages(accepted);
  return imageUsage({ model: accepted.model, size, quality, n });
}

/** The most tokens one picture of a GPT image model takes, by its quality (platform.openai.com/docs/guides/image-generation). */
const TOKENS_BY_QUALITY: Readonly<Record<string, number>> = { low: 408, medium: 1584, standard: 1584 };
const MAX_TOKENS = 6240;
const TOKENS_PER_PARTIAL = 100;
const MAX_PARTIALS = 3;

function expectedTokens(accepted: Accepted, { promptTokens }: Quote): Usage {
  const { count, quality } = requestedImages(accepted);
  const each = ownOf(TOKENS_BY_QUALITY, quality ?? "") ?? MAX_TOKENS;
  const asked = numberField(accepted, "partial_images") || 0;
  const partials = accepted.isStream ? Math.min(Math.max(0, asked), MAX_PARTIALS) : 0;
  const outputTokens = count * (each + partials * TOKENS_PER_PARTIAL);
  return {
    ...NO_USAGE,
    inputTokens: promptTokens,
    outputTokens,
    imageOutputTokens: outputTokens,
    isEstimated: true,
  };
}

export const expectedImages = (accepted: Accepted, quote: Quote): Usage =>
  quote.terms.price.kind === "per_call"
    ? fixedUsage(accepted, requestedImages(accepted).count)
    : expectedTokens(accepted, quote);

/** No more pictures are charged than were asked for, whatever came. */
function cameOf(accepted: Accepted, { pictures }: Answer): number {
  const { count } = requestedImages(accepted);
  return Math.min(pictures ?? count, count);
}

/** By tokens: those that the upstream reported, else so many a picture. */
function usedTokens(came: number, { rawUsage }: Answer): NormalisedUsage {
  const reported = readTokenUsage(rawUsage);
  if (reported === undefined) return { usage: imagenUsage(came), faults: [] };
  const { usage, faults } = reported;
  // What comes out of these models is pictures, unless they tell it apart.
  const imageOutputTokens = usage.imageOutputTokens || usage.outputTokens;
  return { usage: { ...usage, imageOutputTokens }, faults };
}

/** Whichever way the price counts, the other one's count stays with it: the ledger can be priced again under a price of another kind. */
export function usedImages(accepted: Accepted, { terms }: Quote, answer: Answer): NormalisedUsage {
  const came = cameOf(accepted, answer);
  const fixed = fixedUsage(accepted, came);
  const { usage, faults } = usedTokens(came, answer);
  if (terms.price.kind === "per_call") return { usage: { ...fixed, byTokens: usage }, faults: [] };
  return { usage: { ...usage, callFactor: fixed.callFactor }, faults };
}
