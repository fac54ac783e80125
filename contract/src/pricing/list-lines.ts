/** API shapes of price lists: the differences between two, and the accepted lines of a fetched one. */
import { z } from "zod";
import { priceFields } from "./price-fields.ts";

/** What a rule of a list differs in: its price, the names that it fits, the length of the context. */
export const LIST_ALTERATIONS = ["price", "names", "context"] as const;

/** What can be wrong in a fetched list (error `price_list_invalid`). */
export const LIST_PROBLEMS = [
  "json",
  "too_deep",
  "too_many",
  "object",
  "list",
  "text",
  "match",
  "pattern",
  "price",
  "whole_number",
  "twice",
  "no_prices",
  "nothing",
] as const;
export type ListProblem = (typeof LIST_PROBLEMS)[number];

/** One rule that two lists have otherwise. */
export const listDifference = z.object({
  /** Of genai-prices, such as openai. */
  provider: z.string(),
  /** Of the rule within the provider; most often the model's name. */
  id: z.string(),
  change: z.enum(["added", "changed", "removed"]),
  alters: z.array(z.enum(LIST_ALTERATIONS)),
  /** Null where there was no price of tokens. */
  before: priceFields.nullable(),
  after: priceFields.nullable(),
});
export type ListDifference = z.output<typeof listDifference>;

export const shippedVersion = z.object({
  /** Of genai-prices. */
  version: z.string(),
  /** When it was published there: YYYY-MM-DD. */
  date: z.string(),
  /** When this installation first ran with it; Unix seconds. */
  since: z.number(),
});

export const acceptedChange = z.object({
  id: z.number(),
  /** The address that the list came from. */
  source: z.string(),
  created_time: z.number(),
  /** Username; null where the account is gone. */
  created_by: z.string().nullable(),
  /** 0 while it is in force. */
  undone_time: z.number(),
  /** Username; null while it is in force, and if the account is deleted or was not recorded. */
  undone_by: z.string().nullable(),
  count: z.number(),
  /** The first of its rules. */
  lines: z.array(z.object({ provider: z.string(), id: z.string(), is_removed: z.boolean() })),
  /** The product brought a newer list since: these lines stand over it. */
  is_older: z.boolean(),
});
export type AcceptedChange = z.output<typeof acceptedChange>;

export const fetchedLine = listDifference.extend({
  /** Enabled models that this rule prices, here and now or once it is accepted. */
  models: z.array(z.string()),
  /** Those of them that have an own price, which stays in force. */
  own: z.array(z.string()),
  /** To be sent back as it is; null where the rule is to be removed. */
  rule: z.record(z.string(), z.unknown()).nullable(),
  /** Before which rule a new one stands; null for the end. */
  before_id: z.string().nullable(),
});
export type FetchedLine = z.output<typeof fetchedLine>;

/** More than any list has. */
export const MAX_ACCEPTED_LINES = 5_000;

export const acceptedLine = z.strictObject({
  provider: z.string().min(1).max(200),
  id: z.string().min(1).max(200),
  before_id: z.string().max(200).nullable(),
  rule: z.record(z.string(), z.unknown()).nullable(),
});
export type AcceptedLine = z.output<typeof acceptedLine>;
