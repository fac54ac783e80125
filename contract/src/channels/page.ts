/** API shapes of one channel's page: calls, failures and first tokens by day, margin, and balance history. */
import { z } from "zod";
import { callTimes } from "../call-figures.ts";
import { endpoint } from "../endpoint.ts";
import { marginSums } from "../features/dashboard.ts";
import { pathId } from "../query.ts";

/** Days of calls that the page of a channel shows; the last one is today's, by UTC. */
export const CHANNEL_CALL_DAYS = 14;
/** Days for which the balance of each day is stored. */
export const BALANCE_DAYS = 90;

const DAY_SECONDS = 86_400;

/** The last known balance of a day. */
const balancePoint = z.object({
  /** First second of the day by UTC. */
  day: z.number(),
  balance: z.number(),
});
export type BalancePoint = z.output<typeof balancePoint>;

/** What a day's calls were charged and what they cost at the upstream, as the dashboard counts it. */
const marginDay = marginSums.extend({
  /** First second of the day by UTC. */
  day: z.number(),
});
export type MarginDay = z.output<typeof marginDay>;

export const channelOverview = z.object({
  days: z.array(
    z.object({
      /** First second of the day by UTC. */
      day: z.number(),
      succeeded: z.number(),
      /** Attempts, those after which another channel answered too. */
      failed: z.number(),
      /** Median until the first token; null where none was measured. */
      first_token_ms: z.number().nullable(),
    }),
  ),
  /** Times to the first token over all these days, by the definition of the dashboard. */
  first_token: callTimes.pick({ p50_ms: true, p95_ms: true }),
  /** The same days; null for an administrator who may not see money and the dashboard of everybody. */
  margins: z.array(marginDay).nullable(),
  /** Of the account that the channel has now, oldest first; empty where its balance was never asked for. */
  balances: z.array(balancePoint),
  /** Unit of the balances. */
  currency: z.string(),
  /** At the pace since the last payment; null where the balance does not fall, or too little is known. */
  empty_in_days: z.number().nullable(),
});
export type ChannelOverview = z.output<typeof channelOverview>;

export const getChannelOverview = endpoint({
  method: "GET",
  path: "/api/channel/{id}/overview",
  access: "admin",
  act: "channels_see",
  object: "site",
  summary:
    "Calls, failures, first tokens and margin of one channel in the last 14 days, its balances of 90 days, and when it is empty at this pace",
  params: pathId,
  data: channelOverview,
});

/**
 * In how many days a balance is used up, at its pace since it rose last. Null where it does not fall, or where less than a day is known.
 * @param points by day, oldest first
 */
export function emptyInDays(points: readonly BalancePoint[]): number | null {
  const rises = points.map(({ balance }, index) => index > 0 && balance > (points[index - 1]?.balance ?? 0));
  const falling = points.slice(Math.max(0, rises.lastIndexOf(true)));
  const [first, last] = [falling[0], falling.at(-1)];
  if (first === undefined || last === undefined || last.day <= first.day || last.balance >= first.balance) return null;
  const perDay = (first.balance - last.balance) / ((last.day - first.day) / DAY_SECONDS);
  return Math.max(0, last.balance / perDay);
}
