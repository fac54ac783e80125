/** The public price list: ratios of every offered model, and the groups that can use it. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { listedFacts } from "../pricing/listed-facts.ts";
import { MODEL_KINDS } from "../pricing/model-kind.ts";

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
  /** Groups that the caller may use and in which an enabled channel offers the model; none where only others can. */
  enable_groups: z.array(z.string()),
  /** Groups that can use the model but that the caller cannot choose; absent for visitors, who see only groups open to all. */
  other_groups: z.array(z.string()).optional(),
  /** What the model is for, by its name. */
  kind: z.enum(MODEL_KINDS),
  /** Who makes it, how much it reads, and what goes in and out, as far as the price list knows. */
  ...listedFacts.shape,
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
  summary: "Prices of all enabled models, and the groups that can use them",
  data: z.array(pricingEntry),
  extra: z.object({
    group_ratio: z.record(z.string(), z.number()),
    usable_group: z.record(z.string(), z.string()),
  }),
});
