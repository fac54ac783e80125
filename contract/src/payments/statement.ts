/** API shapes of account statements: the sums of a month, its lines, and how long the balance lasts. */
import { z } from "zod";

/** A month as `2026-10`. */
export const statementMonth = z.string().regex(/^20\d\d-(?:0[1-9]|1[0-2])$/, "Please give a month such as 2026-10");

const span = {
  month: z.string(),
  /** By whose midnight months begin. */
  time_zone: z.string(),
  /** Unix seconds; the end is the beginning of the next month. */
  start: z.number(),
  end: z.number(),
};

export const statementSums = z.object({
  ...span,
  /** In quota, as all amounts: opening + top_ups + reversals + credits - spent + refunds = closing. */
  opening: z.number(),
  top_ups: z.number(),
  /** What refunded and disputed payments took back; below 0. */
  reversals: z.number(),
  /** Gifts, codes, check-ins, rewards and corrections. */
  credits: z.number(),
  spent: z.number(),
  /** Charges given back. */
  refunds: z.number(),
  closing: z.number(),
  requests: z.number(),
  /** Charges less what was given back; the 100 largest. */
  models: z.array(z.object({ model: z.string(), quota: z.number(), requests: z.number() })),
});

/** What a line can be: the calls of a day, what was given back for some, or one entry of the ledger. */
const STATEMENT_LINE_KINDS = [
  "calls",
  "refund",
  "opening",
  "gift",
  "redemption",
  "checkin",
  "top_up",
  "reversal",
  "adjustment",
  "transfer",
  "reward",
  "token_quota",
] as const;

const statementLine = z.object({
  /** Unix seconds; of what stands for a whole day, the first of it that is in the statement. */
  time: z.number(),
  /** The end of the hour in which the last of it was. */
  until: z.number(),
  /** `YYYY-MM-DD` in the statement's time zone. */
  day: z.string(),
  kind: z.enum(STATEMENT_LINE_KINDS),
  /** Calls, or entries where several are one line. */
  count: z.number(),
  /** How it changed the balance. */
  quota: z.number(),
  /** The balance after it. */
  balance: z.number(),
  /** The number of the order, the id of the code; "" where there is none. */
  reference: z.string(),
  /** Of the order that `reference` names; 0 where there is none. */
  order_id: z.number(),
});
export type StatementLine = z.output<typeof statementLine>;

export const statementLines = z.object({
  ...span,
  /** Opening and the `quota` of all lines are closing, to the unit. */
  opening: z.number(),
  closing: z.number(),
  lines: z.array(statementLine),
  /** Whether there were so many entries that those of one kind and day are one line. */
  is_grouped: z.boolean(),
});
export type StatementLines = z.output<typeof statementLines>;

export const pace = z.object({
  balance: z.number(),
  /** Charges less what was given back, in `days`. */
  spent: z.number(),
  /** Since the first call, at most 30. */
  days: z.number(),
  /** Whole days; null where fewer than three are known, nothing was spent, nothing is left, or it is over ten years. */
  days_left: z.number().nullable(),
});
export type Pace = z.output<typeof pace>;
