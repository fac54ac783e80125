/** API shapes of the dry run: a draft of prices, and what the calls of the last days would have cost under it. */
import { z } from "zod";
import { typedOwnPrice, PRICE_OPTIONS } from "./own-prices.ts";

const DRY_RUN_DAYS = 7;
const MAX_DRY_RUN_DAYS = 90;

/** More models than any site has. */
const MAX_CHANGES = 5_000;

/** Prices that are not saved yet, over those in force. `changes` stand over `options`. */
export const priceDraft = z.strictObject({
  /** All own entries of a model, as `PUT /api/prices` takes them. */
  changes: z
    .array(z.strictObject({ model: z.string().min(1).max(128), to: typedOwnPrice }))
    .max(MAX_CHANGES)
    .optional(),
  /** Texts of options that decide prices, as `PUT /api/option` takes them. */
  options: z.partialRecord(z.enum(PRICE_OPTIONS), z.string()).optional(),
});
export type PriceDraft = z.output<typeof priceDraft>;

export const dryRunRequest = priceDraft.extend({
  days: z.number().int().min(1).max(MAX_DRY_RUN_DAYS).default(DRY_RUN_DAYS),
  /**
   * Unix seconds where the first of the days begins, as the dashboard has it by the viewer's clock; `days` times 24 hours ago where absent,
   * and no more than an hour before that.
   */
  start_timestamp: z.number().int().min(0).optional(),
});

/** Calls, and what they cost: `old` by the prices in force now, `new` by the draft; in quota. Earlier changes of prices are in neither. */
const sums = z.object({ calls: z.number(), old: z.number(), new: z.number() });
export type DryRunSums = z.output<typeof sums>;

/**
 * Calls whose cost is not exact, or that a draft would not have admitted. `tools_kept`: from before the ledger stored what tools were
 * priced by, their tools keep their prices. `factor_unknown`: from before it stored factors of fixed prices beside a price by tokens,
 * they count once. `parts_unknown`: from before it stored surcharges and parts of tokens beside a fixed price. `unpriced`: the draft has
 * no price for their model, they are charged as unpriced models are. `group_gone`: the draft has no ratio for their group, they keep
 * the one they had. `unreadable`: they keep their charge.
 */
export const DRY_RUN_NOTES = [
  "tools_kept",
  "factor_unknown",
  "parts_unknown",
  "unpriced",
  "group_gone",
  "unreadable",
] as const;
export type DryRunNote = (typeof DRY_RUN_NOTES)[number];

const note = z.object({
  code: z.enum(DRY_RUN_NOTES),
  calls: z.number(),
  /** When the latest of them was made; Unix seconds. */
  latest: z.number(),
});

const named = sums.extend({ name: z.string() });

export const dryRunResult = z.object({
  kind: z.literal("result"),
  /** Of the calls' beginnings; Unix seconds. */
  from: z.number(),
  to: z.number(),
  totals: sums,
  /** What was charged when the calls were made; other than `totals.old` where prices have changed since. */
  charged: z.number(),
  /** Calls that cost nothing under the draft. */
  free_calls: z.number(),
  /** Each list by the size of the difference, largest first. */
  models: z.array(named.extend({ is_unpriced: z.boolean() })),
  groups: z.array(named),
  /** Name "" where the account is gone. */
  users: z.array(named.extend({ id: z.number() })),
  /** What is beyond the length of a list, summed up; absent where nothing is. */
  others: z.object({ models: sums, groups: sums, users: sums }).partial(),
  /**
   * Listed users whose balance lasts less than seven days under the draft and does not under the prices in force, at their pace of the
   * last 30 days; the first to run out are named.
   */
  running_out: z.object({
    count: z.number(),
    people: z.array(
      z.object({
        id: z.number(),
        name: z.string(),
        /** In quota. */
        balance: z.number(),
        /** Days that it lasts; null where today's prices take nothing of it. */
        days_before: z.number().nullable(),
        days_left: z.number(),
      }),
    ),
  }),
  notes: z.array(note),
});
export type DryRunResult = z.output<typeof dryRunResult>;

/** One line of the answer: how far it is, and at last the result or why there is none (a code of contract/errors.ts). */
export const dryRunLine = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("progress"), done: z.number(), total: z.number() }),
  dryRunResult,
  z.object({ kind: z.literal("failure"), code: z.string() }),
]);
export type DryRunLine = z.output<typeof dryRunLine>;
