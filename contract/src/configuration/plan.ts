/** The plan of a configuration: what an apply would do, what it is refused for, and what that means for prices and callers. */
import { z } from "zod";
import { ERRORS, type ErrorCode } from "../error-codes.ts";
import { priceFields } from "../pricing/price-fields.ts";
import { MANAGED_KINDS } from "./marks.ts";

/** Parts of a file that are written in one transaction each, in this order. */
export const CONFIGURATION_SECTIONS = ["options", "identity_providers", "channels"] as const;
export type ConfigurationSection = (typeof CONFIGURATION_SECTIONS)[number];

/**
 * `create`: it is made. `change`: its fields change. `mark`: it is as the file says and comes under its mark. `delete`: with `prune` alone.
 * `release`: it stays and loses its mark.
 */
const PLAN_ACTS = ["create", "change", "mark", "delete", "release"] as const;

export const planChange = z.object({
  field: z.string(),
  /** Texts before and after, cut where long; both absent for a secret. */
  from: z.string().optional(),
  to: z.string().optional(),
});
export type PlanChange = z.output<typeof planChange>;

export const planEntry = z.object({
  kind: z.enum(MANAGED_KINDS),
  name: z.string(),
  /** Where it stands in the file: `channels.openai-main`. */
  path: z.string(),
  act: z.enum(PLAN_ACTS),
  changes: z.array(planChange),
});
export type PlanEntry = z.output<typeof planEntry>;

export const planRefusal = z.object({
  /** Of the refused field in the file. */
  path: z.string(),
  code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
});
export type PlanRefusal = z.output<typeof planRefusal>;

/** Effects that are listed; the counts are of all. */
export const EFFECTS_LISTED = 500;

export const priceEffect = z.object({
  model: z.string(),
  /** An enabled channel offers it now. */
  is_enabled: z.boolean(),
  from: priceFields.nullable(),
  to: priceFields.nullable(),
  /** By how much 1M tokens in and as many out, or one call, cost more (negative: less); null where one of the two has no price. */
  percent: z.number().nullable(),
});
export type PriceEffect = z.output<typeof priceEffect>;

const groupEffect = z.object({ group: z.string(), from: z.string().nullable(), to: z.string().nullable() });

export const planEffects = z.object({
  prices: z.array(priceEffect),
  price_count: z.number(),
  /** Ratios of groups that change. */
  groups: z.array(groupEffect),
  /** Models that lose their last enabled channel in some group, with calls of the last 24 hours. */
  lost: z.object({
    models: z.array(z.object({ model: z.string(), groups: z.array(z.string()), calls: z.number() })),
    total: z.number(),
    calls: z.number(),
    people: z.number(),
    tokens: z.number(),
  }),
});
export type PlanEffects = z.output<typeof planEffects>;

export const configurationPlan = z.object({
  version: z.literal(1),
  managed_by: z.string(),
  /** Digest of the file with its secrets; keyed, so that no secret can be guessed from it. */
  document: z.string(),
  /** Digests of what is stored, by section: an apply is refused where one is another by then. */
  revisions: z.record(z.enum(CONFIGURATION_SECTIONS), z.string()),
  adopt: z.boolean(),
  missing: z.enum(["keep", "prune", "release"]),
  entries: z.array(planEntry),
  /** Things under this file's mark that it does not name any more; they stay unless `prune` or `release` is asked for. */
  kept: z.array(z.object({ kind: z.enum(MANAGED_KINDS), name: z.string() })),
  refused: z.array(planRefusal),
  effects: planEffects,
});
export type ConfigurationPlan = z.output<typeof configurationPlan>;
