/** Pictures: held by what was asked for, charged by what came, at a fixed price with its factors or by the upstream's tokens. */
import { imageUsage, imagenUsage, isImageCount } from "../../../contract/src/operation-usage.ts";
import { NO_USAGE, type Usage } from "../../../contract/src/usage.ts";
import type { NormalisedUsage } from "../dialects/usage-counts.ts";
import type { ImagesAsked } from "../dialects/neutral-images.ts";
import { ownOf } from "../dialects/json-fields.ts";
import { type Answer, type Exchange, known } from "./exchange.ts";
import { Refusal } from "./refusal.ts";
import { readTokenUsage } from "./reported-usage.ts";
import { numberField, requestField, textField } from "./request-field.ts";

function askedOf(exchange: Exchange): ImagesAsked {
  const { dialect, model } = exchange;
  if (dialect.imagesReader !== undefined)
    return dialect.imagesReader.asked((name) => requestField(exchange, name), model);
  const [size, quality] = [textField(exchange, "size"), textField(exchange, "quality")];
  return { count: numberField(exchange, "n") ?? 1, size, quality };
}

/** The number of pictures multiplies the price, so it is bounded before quota is held. Throws Refusal 400. */
export function checkImageCount(exchange: Exchange): void {
  const { count, size = "" } = askedOf(exchange);
  const field = exchange.dialect.imagesReader?.countField ?? "n";
  if (!isImageCount(count))
    throw new Refusal("image_count_invalid", {
      param: field,
      message: `'${field}' must be a whole number from 1 to 10.`,
    });
  if (size.includes("×")) throw new Refusal("image_size_invalid", { param: "size" });
}

function fixedUsage(exchange: Exchange, n: number): Usage {
  const { size, quality } = askedOf(exchange);
  return imageUsage({ model: exchange.model, size, quality, n });
}

/** The most tokens one picture of a GPT image model takes, by its quality (platform.openai.com/docs/guides/image-generation). */
const TOKENS_BY_QUALITY: Readonly<Record<string, number>> = { low: 408, medium: 1584, standard: 1584 };
const MOST_TOKENS = 6240;
const TOKENS_PER_PARTIAL = 100;
const MOST_PARTIALS = 3;

function expectedTokens(exchange: Exchange): Usage {
  const { count, quality } = askedOf(exchange);
  const each = ownOf(TOKENS_BY_QUALITY, quality ?? "") ?? MOST_TOKENS;
  const asked = numberField(exchange, "partial_images") || 0;
  const partials = exchange.isStream ? Math.min(Math.max(0, asked), MOST_PARTIALS) : 0;
  const outputTokens = count * (each + partials * TOKENS_PER_PARTIAL);
  return {
    ...NO_USAGE,
    inputTokens: exchange.promptEstimate,
    outputTokens,
    imageOutputTokens: outputTokens,
    isEstimated: true,
  };
}

export const expectedImages = (exchange: Exchange): Usage =>
  known(exchange.price, "price").kind === "per_call"
    ? fixedUsage(exchange, askedOf(exchange).count)
    : expectedTokens(exchange);

/** No more pictures are charged than were asked for, whatever came. */
function cameOf(exchange: Exchange, { pictures }: Answer): number {
  const { count } = askedOf(exchange);
  return Math.min(pictures ?? count, count);
}

export function usedImages(exchange: Exchange, answer: Answer): NormalisedUsage {
  const came = cameOf(exchange, answer);
  if (known(exchange.price, "price").kind === "per_call") return { usage: fixedUsage(exchange, came), faults: [] };
  const reported = readTokenUsage(answer.rawUsage);
  if (reported === undefined) return { usage: imagenUsage(came), faults: [] };
  const { usage, faults } = reported;
  // What comes out of these models is pictures, unless they tell it apart.
  const imageOutputTokens = usage.imageOutputTokens || usage.outputTokens;
  return { usage: { ...usage, imageOutputTokens }, faults };
}
