/** A price as the administrators' API sends it: exact decimal texts, lower-case names. */
import { z } from "zod";
import type { ModelPrice, PerTokenPrice, PriceTier } from "./pricing.ts";

const decimal = z.string();

const tierFields = z.object({
  above_input_tokens: z.number(),
  ratio: decimal,
  completion_ratio: decimal,
  cache_ratio: decimal,
  cache_creation_ratio: decimal,
});
export type TierFields = z.output<typeof tierFields>;

export const priceFields = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("per_call"), price: decimal }),
  z.object({
    kind: z.literal("per_token"),
    ratio: decimal,
    completion_ratio: decimal,
    cache_ratio: decimal,
    cache_creation_ratio: decimal,
    image_ratio: decimal,
    audio_ratio: decimal,
    audio_completion_ratio: decimal,
    image_output_ratio: decimal.optional(),
    tiers: z.array(tierFields).optional(),
  }),
]);
export type PriceFields = z.output<typeof priceFields>;

const tierToFields = (tier: PriceTier): TierFields => ({
  above_input_tokens: tier.aboveInputTokens,
  ratio: tier.ratio,
  completion_ratio: tier.completionRatio,
  cache_ratio: tier.cacheRatio,
  cache_creation_ratio: tier.cacheCreationRatio,
});

const tierFromFields = (tier: TierFields): PriceTier => ({
  aboveInputTokens: tier.above_input_tokens,
  ratio: tier.ratio,
  completionRatio: tier.completion_ratio,
  cacheRatio: tier.cache_ratio,
  cacheCreationRatio: tier.cache_creation_ratio,
});

/** The price as it is sent. */
export function toPriceFields(price: ModelPrice): PriceFields {
  if (price.kind === "per_call") return { kind: "per_call", price: price.price };
  return {
    kind: "per_token",
    ratio: price.ratio,
    completion_ratio: price.completionRatio,
    cache_ratio: price.cacheRatio,
    cache_creation_ratio: price.cacheCreationRatio,
    image_ratio: price.imageRatio,
    audio_ratio: price.audioRatio,
    audio_completion_ratio: price.audioCompletionRatio,
    ...(price.imageOutputRatio === undefined ? {} : { image_output_ratio: price.imageOutputRatio }),
    ...(price.tiers === undefined ? {} : { tiers: price.tiers.map(tierToFields) }),
  };
}

/** The price that was sent, as pricing.ts charges by it. */
export function fromPriceFields(fields: PriceFields): ModelPrice {
  if (fields.kind === "per_call") return fields;
  const price: PerTokenPrice = {
    kind: "per_token",
    ratio: fields.ratio,
    completionRatio: fields.completion_ratio,
    cacheRatio: fields.cache_ratio,
    cacheCreationRatio: fields.cache_creation_ratio,
    imageRatio: fields.image_ratio,
    audioRatio: fields.audio_ratio,
    audioCompletionRatio: fields.audio_completion_ratio,
  };
  return {
    ...price,
    ...(fields.image_output_ratio === undefined ? {} : { imageOutputRatio: fields.image_output_ratio }),
    ...(fields.tiers === undefined ? {} : { tiers: fields.tiers.map(tierFromFields) }),
  };
}
