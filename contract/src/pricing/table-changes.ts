/** API shapes of whole price tables that administrators paste, and of what saving them would change. */
import { z } from "zod";
import type { OptionName } from "../options/options.ts";
import { OWN_PRICE_OPTIONS } from "./own-prices.ts";
import { priceFields } from "./price-fields.ts";

/** Options of the section of price tables. */
export const PRICE_TABLES = [
  ...OWN_PRICE_OPTIONS,
  "ToolPrices",
  "PremiumRatios",
  "BrokenStreamBilling",
] as const satisfies readonly OptionName[];
export type PriceTable = (typeof PRICE_TABLES)[number];

export const tableDraft = z.strictObject({
  key: z.enum(PRICE_TABLES),
  value: z.string(),
  /** Of the option as it was read. */
  revision: z.number(),
});
export type TableDraft = z.output<typeof tableDraft>;

/** Entries of one table that differ from what is stored. */
const tableDifference = z.object({
  key: z.enum(PRICE_TABLES),
  added: z.number(),
  changed: z.number(),
  removed: z.number(),
});
export type TableDifference = z.output<typeof tableDifference>;

const modelDifference = z.object({
  model: z.string(),
  /** An enabled channel offers it. */
  is_enabled: z.boolean(),
  /** Whether calls would cost something else. */
  is_repriced: z.boolean(),
  /** What calls cost now and under the draft; null if the model has no price. */
  from: priceFields.nullable(),
  to: priceFields.nullable(),
});
export type ModelDifference = z.output<typeof modelDifference>;

/** A price of a tool or a surcharge, or a rule. */
const entryDifference = z.object({
  key: z.enum(PRICE_TABLES),
  /** "web_search › gpt-4o*"; empty for an option that is one value. */
  name: z.string(),
  from: z.string().nullable(),
  to: z.string().nullable(),
});
export type EntryDifference = z.output<typeof entryDifference>;

/** Most models and entries listed; the counts are of all. */
export const MAX_LISTED_DIFFERENCES = 1_000;

export const tablesDifference = z.object({
  tables: z.array(tableDifference),
  /** Models with changed entries: those of enabled channels whose price changes first. */
  models: z.array(modelDifference),
  model_count: z.number(),
  repriced_count: z.number(),
  entries: z.array(entryDifference),
  entry_count: z.number(),
  /** Entries of the draft that say what the price list says anyway. */
  redundant_count: z.number(),
  /** The drafts without those, for the tables that have any. */
  lean: z.array(z.object({ key: z.enum(PRICE_TABLES), value: z.string() })),
});
export type TablesDifference = z.output<typeof tablesDifference>;
