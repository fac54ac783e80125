/** Automatic top-up by a saved card: a user's rule, its charges this month, and why it is paused. */
import { z } from "zod";
import { CURRENCY_CODES } from "./currencies.ts";

/**
 * Why a rule pays nothing until its owner sets it again. `declined`, `authentication`: the bank said no, or asked its owner to confirm; `refused`:
 * the provider takes no payment by this card; `unknown`: no answer for most of a day, so that it is not known what became of the payment;
 * `offer`: the amount or the currency is not offered any more.
 */
export const AUTO_TOP_UP_PAUSES = ["", "declined", "authentication", "refused", "unknown", "offer"] as const;
export type AutoTopUpPause = (typeof AUTO_TOP_UP_PAUSES)[number];

export const autoTopUp = z.object({
  /** Of the saved card; null where there is none. Its number never comes here. */
  card: z.object({ brand: z.string(), last4: z.string() }).nullable(),
  /** A card is being saved on the provider's page, or was there and is not reported yet. */
  is_saving: z.boolean(),
  enabled: z.boolean(),
  /** Below this balance it pays, in quota. */
  threshold: z.number(),
  /** What it buys each time, in the `amount_unit` of the wallet; 0 while no rule was set. */
  amount: z.number(),
  /** Most money in a calendar month (UTC), as decimal text; "" while no rule was set. */
  month_limit: z.string(),
  currency: z.enum(CURRENCY_CODES),
  /** What automatic payments of this month cost so far, those under way included. */
  month_spent: z.string(),
  /** What one costs now, as decimal text; "" where the amount is not offered. */
  price: z.string(),
  paused: z.enum(AUTO_TOP_UP_PAUSES),
  /** A payment is under way. */
  is_paying: z.boolean(),
});
export type AutoTopUp = z.output<typeof autoTopUp>;

export const autoTopUpRule = z.object({
  enabled: z.boolean(),
  threshold: z.int().min(1).max(Number.MAX_SAFE_INTEGER),
  amount: z.int().min(1),
  month_limit: z.string().max(24),
});
export type AutoTopUpRule = z.output<typeof autoTopUpRule>;
