/** The price list: ratios of every offered model, and the groups that can use it. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";

/** Ratios that replace the entry's own where the input is longer than the bound. */
export const pricingTier = z.object({
  above_input_tokens: z.number(),
  model_ratio: z.number(),
  completion_ratio: z.number(),
  cache_ratio: z.number(),
  cache_creation_ratio: z.number(),
});

export const pricingEntry = z.object({
  model_name: z.string(),
  /** 0: priced by tokens. 1: priced by call. */
  quota_type: z.number(),
  /** Prompt price: a ratio of 1 is 2 USD per 1M tokens. 0 where priced by call. */
  model_ratio: z.number(),
  /** USD per call; 0 where priced by tokens. */
  model_price: z.number(),
  completion_ratio: z.number(),
  cache_ratio: z.number(),
  cache_creation_ratio: z.number(),
  image_ratio: z.number(),
  audio_ratio: z.number(),
  audio_completion_ratio: z.number(),
  /** Ratio of generated images; absent where they cost the same as text. */
  image_output_ratio: z.number().optional(),
  /** In ascending order; absent where every context length has the same price. */
  tiers: z.array(pricingTier).optional(),
  owner_by: z.string(),
  /** Groups that the caller may use and in which an enabled channel offers the model. */
  enable_groups: z.array(z.string()),
  /** False where neither the operator nor the price data has a price. Calls are then refused or, where they are accepted, charged at ratio 37.5. */
  has_price: z.boolean(),
});
export type PricingTier = z.output<typeof pricingTier>;
export type PricingEntry = z.output<typeof pricingEntry>;

export const getPricing = endpoint({
  method: "GET",
  path: "/api/pricing",
  access: "optional",
  object: "none",
  summary: "Prices of the models that the caller's groups can use",
  data: z.array(pricingEntry),
  extra: z.object({
    group_ratio: z.record(z.string(), z.number()),
    usable_group: z.record(z.string(), z.string()),
  }),
});
