/** API shapes of price changes that are applied now or from a date, and of the price tables that were in force before. */
import { z } from "zod";
import { storedOwnPrice, typedOwnPrice } from "./own-prices.ts";

/** More models than any site has. */
const MAX_CHANGES = 5_000;
/** No site has more groups. */
const MAX_GROUPS = 500;
/** Changes that may wait for their date at a time. */
export const WAITING_CHANGES_MOST = 20;
/** Changes that are kept, the newest ones; those that wait are always. */
export const KEPT_CHANGES_MOST = 200;
/** Price tables that can be gone back to, the newest ones. */
export const PRICE_VERSIONS_MOST = 20;
/** Changes of 24 hours of which people are notified, so that mailboxes are not filled. */
export const NOTICES_A_DAY = 5;
/** People who are notified of one change: those with the largest differences. */
export const NOTIFIED_PEOPLE_MOST = 10_000;
/** Days whose calls a notice prices before and after the change. */
export const NOTIFIED_DAYS = 30;
/** Seconds ahead that a change may wait. */
export const LONGEST_WAIT_SECONDS = 366 * 86_400;

const MAX_NAME_LENGTH = 128;
const modelName = z
  .string()
  .min(1)
  .max(MAX_NAME_LENGTH)
  .refine((name) => name !== "__proto__");

/** What changes: own entries of models, and ratios of groups that exist. Everything else stays as it is then. */
export const priceChangeDraft = z.strictObject({
  changes: z
    .array(
      z.strictObject({
        model: modelName,
        /** The own entries as they were read; the change is refused where they are others by now. */
        from: storedOwnPrice,
        to: typedOwnPrice,
      }),
    )
    .max(MAX_CHANGES),
  /** Decimal texts by group. */
  group_ratios: z
    .record(z.string().min(1).max(MAX_NAME_LENGTH), z.string().regex(/^\d{1,9}(?:\.\d{1,12})?$/))
    .refine((ratios) => Object.keys(ratios).length <= MAX_GROUPS),
});
export type PriceChangeDraft = z.output<typeof priceChangeDraft>;

export const appliedPrices = priceChangeDraft
  .extend({
    /** Unix seconds; 0 for now. */
    apply_time: z.number().int().min(0),
    /** Whether each person whose calls of the last NOTIFIED_DAYS would cost another amount gets a message. */
    notify: z.boolean().default(false),
  })
  .refine(({ changes, group_ratios }) => changes.length + Object.keys(group_ratios).length > 0, {
    path: ["changes"],
    error: "Nothing changes",
  });
export type AppliedPrices = z.output<typeof appliedPrices>;

/** `waiting` for its date, `applied`, `cancelled`, or `failed` at its date. */
const PRICE_CHANGE_STATES = ["waiting", "applied", "cancelled", "failed"] as const;

export const storedPriceChange = z.object({
  id: z.number(),
  state: z.enum(PRICE_CHANGE_STATES),
  /** Models and groups that change. */
  models: z.array(z.string()),
  groups: z.array(z.string()),
  /** How many models change; `models` names the first of them. */
  model_count: z.number(),
  apply_time: z.number(),
  created_time: z.number(),
  /** Username; "" where the account is gone. */
  created_by: z.string(),
  /** When it was applied, cancelled or failed; 0 while it waits. */
  ended_time: z.number(),
  /** Code of the error for which it failed; "" otherwise. */
  failure: z.string(),
  /** "" where no notice was asked for; `waiting` while messages are written. */
  notify: z.enum(["", "waiting", "sent", "failed"]),
  /** People for whom a message was written. */
  notified: z.number(),
});
export type StoredPriceChange = z.output<typeof storedPriceChange>;

/** Models of a change that are named. */
export const NAMED_MODELS_MOST = 20;

export const priceTablesVersion = z.object({
  id: z.number(),
  /** When these tables first came into force; Unix seconds. */
  created_time: z.number(),
  is_in_force: z.boolean(),
  /** Models whose own entries are other ones now, and groups whose ratio is. */
  differing_models: z.number(),
  differing_groups: z.number(),
});
export type PriceTablesVersion = z.output<typeof priceTablesVersion>;
