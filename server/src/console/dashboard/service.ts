/** The dashboard's data of a range: totals, series by model, breakdowns by user and channel, balances. */
import { AppError } from "../../../../contract/src/errors.ts";
import {
  type Margin,
  type MarginRow,
  type MarginSums,
  NAMED_FIGURES,
  NAMED_MODELS,
  NAMED_PAYERS,
  type OwnOverview,
  type PayerUsage,
  SELF_SPAN_SECONDS,
  type SiteOverview,
  type UsageRow,
} from "../../../../contract/src/features/dashboard.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { usernamesOf } from "../kit/lists.ts";
import { bucketOf, bucketStarts, dayStartOf, HOUR, hoursOf, type ZoneClock } from "./buckets.ts";
import { type RequestedRange, clockOf, hoursOfView, type View, zoneOf } from "./ranges.ts";
import {
  type Adjustment,
  balanceSeries,
  costsOf,
  greatest,
  type HourSum,
  listedOf,
  modelSeries,
  sumSeries,
  totalOf,
  withRest,
} from "./shape.ts";
import {
  accountOf,
  callsSince,
  creditsSince,
  type IdSums,
  type Slice,
  sumsOfSlice,
  sumsPerHour,
  usedHours,
  userIdOf,
  userIdsLike,
} from "./store.ts";
import { readHours, readUsage, type Usage } from "./usage.ts";

const marginIn = ({ costed_quota, cost }: MarginSums): number => costed_quota - cost;

type Named = Pick<MarginRow, "id" | "name"> & MarginSums;

/** The greatest by what they were charged, one by one, and the sum of the others; together they are the totals. */
function ranked(rows: readonly Named[]): MarginRow[] {
  const sorted = rows.toSorted((a, b) => b.quota - a.quota || a.id - b.id || (a.name < b.name ? -1 : 1));
  const listed = sorted
    .slice(0, NAMED_FIGURES)
    .map(({ id, name, quota, costed_quota, cost }) => ({ id, name, count: 1, quota, costed_quota, cost }));
  const rest = sorted.slice(NAMED_FIGURES);
  return rest.length === 0 ? listed : [...listed, { id: 0, name: "", count: rest.length, ...costsOf(rest) }];
}

function modelsOf(hours: readonly HourSum[]): Named[] {
  const byModel = Map.groupBy(hours, ({ model }) => model);
  return [...byModel].map(([name, rows]) => ({ id: 0, name, ...costsOf(rows) }));
}

interface CostedUsage {
  hours: readonly HourSum[];
  channels: readonly IdSums[];
  /** Of the preceding range. */
  hoursBefore: readonly HourSum[];
}

/** The margin of a range in the buckets that `starts` begins. `nameOf` gives undefined for a channel that is gone. */
function marginOf(
  { hours, channels, hoursBefore }: CostedUsage,
  starts: readonly number[],
  nameOf: (channelId: number) => string | undefined,
): Margin {
  const series = starts.map(() => 0);
  for (const row of hours) {
    const bucket = bucketOf(starts, row.hour);
    series[bucket] = (series[bucket] ?? 0) + marginIn(row);
  }
  return {
    totals: costsOf(hours),
    previous: costsOf(hoursBefore),
    series,
    models: ranked(modelsOf(hours)),
    channels: ranked(channels.map((row) => ({ ...row, name: nameOf(row.id) ?? "" }))),
  };
}

type DashboardContext = Pick<ConsoleContext, "database" | "snapshot" | "clock">;

const MINUTE = 60;
/** An id that no user has: an unknown name shows nothing. */
const NO_USER_ID = -1;
/** Users a search gives at most. */
const FOUND_USERS = 50;
/** Adjustments that the balance is gone back through at most. */
const MAX_CREDITS = 10_000;

function rowsOf(sums: readonly HourSum[], user: { id: number; username: string }): UsageRow[] {
  return sums.map((row) => ({
    id: 0,
    user_id: user.id,
    username: user.username,
    model_name: row.model,
    created_at: row.hour,
    token_used: row.prompt_tokens + row.completion_tokens,
    count: row.requests,
    quota: row.quota,
  }));
}

/** Usage by hour and model: of the user of that name, or summed over all users. Missing times are 0, so nothing is found. */
export async function listUsage(
  context: DashboardContext,
  { start = 0, end = 0 }: RequestedRange,
  username: string | undefined,
): Promise<UsageRow[]> {
  const { database } = context;
  const userId = username === undefined ? undefined : await userIdOf(database, username);
  if (username !== undefined && userId === undefined) return [];
  // The range may begin with the world: only the hours that have usage are read.
  const hours = await usedHours(database, { ...hoursOf(start, end), userId });
  if (hours === undefined) return [];
  const slice = { ...hours, userId };
  const ofAll = userId === undefined ? await readUsage(database, slice, nowSeconds(context.clock)) : undefined;
  return rowsOf(ofAll?.hours ?? (await readHours(database, slice)), { id: userId ?? 0, username: username ?? "" });
}

/** The own usage. Throws range_too_wide beyond 30 days. */
export async function listOwnUsage(
  { database }: DashboardContext,
  { start = 0, end = 0 }: RequestedRange,
  user: { id: number; username: string },
): Promise<UsageRow[]> {
  if (end - start > SELF_SPAN_SECONDS)
    throw new AppError("range_too_wide", { message: "span must not exceed one month", field: "start_timestamp" });
  return rowsOf(await readHours(database, { ...hoursOf(start, end), userId: user.id }), user);
}

/** The balance at the end of each bucket; empty where the range ends in the past or has too many adjustments. */
async function balancesOf(
  { database }: DashboardContext,
  slice: Slice,
  rows: readonly HourSum[],
  facts: { now: number; balance: number; starts: readonly number[] },
): Promise<number[]> {
  if (slice.last + HOUR <= facts.now || facts.starts.length === 0) return [];
  const credits = await creditsSince(database, slice.first, slice.userId, MAX_CREDITS + 1);
  if (credits.length > MAX_CREDITS) return [];
  const charges: Adjustment[] = rows.map(({ hour, quota }) => ({ time: hour, delta: -quota }));
  return balanceSeries(facts.balance, [...charges, ...credits], facts.starts);
}

/** The overview of a slice, and the hours of the range before, which its margin is compared with. */
async function overviewOf(
  context: DashboardContext,
  slice: Slice,
  view: View,
  { now, clock, usage }: { now: number; clock: ZoneClock; usage: Promise<Pick<Usage, "hours">> },
): Promise<{ overview: OwnOverview; hoursBefore: HourSum[] }> {
  const { database } = context;
  const length = slice.last + HOUR - slice.first;
  const before = { ...slice, first: slice.first - length, last: slice.first - HOUR };
  const today = { ...slice, first: dayStartOf(now, clock), last: now };
  // One after the other: together they would take every core of a small machine from the calls.
  const { hours: rows } = await usage;
  const hoursBefore = await sumsPerHour(database, before);
  const isFull = (await usedHours(database, { ...slice, first: 0, last: before.first })) !== undefined;
  const ofToday = await sumsOfSlice(database, today);
  const rates = await callsSince(database, now - MINUTE, slice.userId);
  const account = await accountOf(database, slice.userId);
  const starts = bucketStarts(slice, view.granularity, clock);
  const totals = totalOf(rows);
  const facts = { now, balance: account.quota, starts };
  const overview: OwnOverview = {
    start: slice.first,
    end: slice.last + HOUR - 1,
    granularity: view.granularity,
    time_zone: zoneOf(view),
    minutes_past_hour: clock.minuteOf(slice.first),
    buckets: starts,
    models: modelSeries(rows, starts, NAMED_MODELS),
    totals,
    previous: totalOf(hoursBefore),
    previous_is_full: isFull,
    previous_series: sumSeries(
      hoursBefore.map((row) => ({ ...row, hour: row.hour + length })),
      starts,
    ),
    today_quota: ofToday.quota,
    ...rates,
    balance: account.quota,
    used_quota: account.used_quota,
    request_count: account.request_count,
    balance_series: await balancesOf(context, slice, rows, facts),
  };
  return { overview, hoursBefore };
}

/** The dashboard of one account. Throws range_too_wide beyond 93 days and invalid_field for an unknown time zone. */
export async function readOwnOverview(context: DashboardContext, userId: number, view: View): Promise<OwnOverview> {
  const now = nowSeconds(context.clock);
  const slice = { ...hoursOfView(view, now), userId };
  const clock = clockOf(view);
  const usage = readHours(context.database, slice).then((hours) => ({ hours }));
  return (await overviewOf(context, slice, view, { now, clock, usage })).overview;
}

async function namedUsers({ database }: DashboardContext, rows: readonly IdSums[]): Promise<PayerUsage[]> {
  const names = await usernamesOf(
    database.kysely,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({ ...row, name: names.get(row.id) ?? "", payer_count: 1 }));
}

function namedChannels({ snapshot }: DashboardContext, rows: readonly IdSums[]): PayerUsage[] {
  return rows.map((row) => ({ ...row, name: snapshot.channelById(row.id)?.name ?? "", payer_count: 1 }));
}

/** The dashboard of all users, or of the user of that name, with users and channels. Throws as readOwnOverview. */
export async function readOverview(
  context: DashboardContext,
  username: string | undefined,
  view: View,
): Promise<SiteOverview> {
  const { database } = context;
  const now = nowSeconds(context.clock);
  const userId = username === undefined ? undefined : ((await userIdOf(database, username)) ?? NO_USER_ID);
  const slice = { ...hoursOfView(view, now), userId };
  const clock = clockOf(view);
  const usage = readUsage(database, slice, now);
  const [{ overview, hoursBefore }, { hours, users, channels }] = await Promise.all([
    overviewOf(context, slice, view, { now, clock, usage }),
    usage,
  ]);
  const topUsers = await namedUsers(context, listedOf(users, NAMED_PAYERS));
  const topChannels = namedChannels(context, listedOf(channels, NAMED_PAYERS));
  return {
    ...overview,
    users: withRest(topUsers, overview.totals, users.length),
    channels: withRest(topChannels, overview.totals, channels.length),
    margin: marginOf(
      { hours, channels, hoursBefore },
      overview.buckets,
      (id) => context.snapshot.channelById(id)?.name,
    ),
  };
}

/** Users whose name contains `keyword`, the greatest first. Throws range_too_wide. */
export async function findUsers(
  context: DashboardContext,
  range: RequestedRange,
  keyword: string | undefined,
): Promise<PayerUsage[]> {
  const now = nowSeconds(context.clock);
  const slice = { ...hoursOfView(range, now), userId: undefined };
  const [{ users }, named] = await Promise.all([
    readUsage(context.database, slice, now),
    keyword === undefined ? undefined : userIdsLike(context.database, keyword),
  ]);
  const found = named === undefined ? users : users.filter(({ id }) => named.has(id));
  return namedUsers(context, greatest(found, FOUND_USERS));
}
