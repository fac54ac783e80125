/** Data of one channel's page: calls and margin by day, and its balance history. */
import {
  CHANNEL_CALL_DAYS,
  type ChannelOverview,
  emptyInDays,
  type MarginDay,
} from "../../../../contract/src/channels/page.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { FAILURE_KINDS } from "../../../../contract/src/call-figures.ts";
import { CALL_COLUMNS, COUNT_AT } from "../../db/call-hours.ts";
import { nowSeconds } from "../../util/clock.ts";
import { HOUR } from "../dashboard/buckets.ts";
import { ROUTE_COUNTS, sumCounts } from "../dashboard/call-shape.ts";
import { costsOf } from "../dashboard/shape.ts";
import { readUsageByDay } from "../dashboard/usage.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { balancesOf, dayOf } from "./balance-history.ts";
import { findChannel } from "./store.ts";

const DAY_SECONDS = 86_400;

/** Everything that is counted of a channel from a moment on, by day. */
async function countsByDay({ database }: Pick<ConsoleContext, "database">, id: number, since: number) {
  const rows = await database.kysely
    .selectFrom("call_hours")
    .select(["hour", ...CALL_COLUMNS])
    .where("hour", ">=", since)
    .where("channel_id", "=", id)
    .execute();
  return Map.groupBy(
    rows.map((row) => ({ day: dayOf(row.hour), counts: CALL_COLUMNS.map((column) => Number(row[column])) })),
    ({ day }) => day,
  );
}

/** Charges and upstream costs of a channel's calls on each of these days, from the dashboard's own sums. */
async function marginsOf(
  { database, clock }: Pick<ConsoleContext, "database" | "clock">,
  id: number,
  days: readonly number[],
): Promise<MarginDay[]> {
  const [first = 0, last = 0] = [days[0], days.at(-1)];
  const usage = await readUsageByDay(database, { first, last: last + DAY_SECONDS - HOUR }, nowSeconds(clock));
  return days.map((day) => ({
    day,
    ...costsOf((usage.get(day)?.channels ?? []).filter((channel) => channel.id === id)),
  }));
}

/**
 * `seesMargin`: whether charges and costs are part of it.
 * Throws not_found.
 */
export async function readChannelOverview(
  context: Pick<ConsoleContext, "database" | "clock">,
  id: number,
  seesMargin: boolean,
): Promise<ChannelOverview> {
  const channel = await findChannel(context.database.kysely, id);
  if (channel === undefined) throw new AppError("not_found", { message: "Channel not found, refresh the page" });
  const today = dayOf(nowSeconds(context.clock));
  const first = today - (CHANNEL_CALL_DAYS - 1) * DAY_SECONDS;
  const [byDay, balances] = await Promise.all([countsByDay(context, id, first), balancesOf(context.database, channel)]);
  const countsOfDays = Array.from({ length: CHANNEL_CALL_DAYS }, (_, index) => {
    const day = first + index * DAY_SECONDS;
    const rows = (byDay.get(day) ?? []).map(({ counts }) => counts);
    return { day, counts: sumCounts(rows, ROUTE_COUNTS) };
  });
  const days = countsOfDays.map(({ day, counts }) => {
    const failed = FAILURE_KINDS.reduce(
      (sum, kind) => sum + (counts[COUNT_AT.failed[kind]] ?? 0) + (counts[COUNT_AT.retried[kind]] ?? 0),
      0,
    );
    const { p50_ms } = ROUTE_COUNTS.firstToken(counts);
    return { day, succeeded: counts[COUNT_AT.succeeded] ?? 0, failed, first_token_ms: p50_ms };
  });
  const whole = sumCounts(
    countsOfDays.map(({ counts }) => counts),
    ROUTE_COUNTS,
  );
  const { p50_ms, p95_ms } = ROUTE_COUNTS.firstToken(whole);
  const margins = seesMargin
    ? await marginsOf(
        context,
        id,
        days.map(({ day }) => day),
      )
    : null;
  return {
    days,
    first_token: { p50_ms, p95_ms },
    margins,
    balances,
    currency: channel.balance_currency,
    empty_in_days: emptyInDays(balances),
  };
}
