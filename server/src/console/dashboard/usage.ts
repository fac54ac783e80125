/** The usage cache of the dashboard, by hour and model, user and channel: filled a few days at a time and warmed up at startup. Days that are over stay in memory and are validated against the roll-up at each use. */
import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "../../db/database.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { DAY, HOUR, type HourRange, utcDayOf } from "./buckets.ts";
import { type CostedSums, type HourSum, mergeBy, wholeOf } from "./shape.ts";
import {
  type IdSums,
  type Slice,
  sumsByChannelHour,
  sumsByHour,
  sumsByUserDay,
  sumsOfSlice,
  usedHours,
} from "./store.ts";

export interface Usage {
  hours: HourSum[];
  users: IdSums[];
  channels: IdSums[];
}

/** By the first second of the day in UTC, in any viewer's zone: an hour belongs to the same day for every viewer. */
type UsageByDay = Map<number, Usage>;

/** Hours that began so long ago change no more, but for what a journal brings late: that shows in their sums. */
const OPEN_HOURS = 3;
/** Days of one query at most: streams wait while its rows are read. */
const PIECE_DAYS = 7;
/** Rows of hours and models, users and channels that are kept at most, some 15 MB; the oldest days go first. */
const MAX_ROWS_KEPT = 120_000;

const keptOf = new WeakMap<Database, UsageByDay>();

const keptDays = (database: Database): UsageByDay => keptOf.get(database) ?? new Map<number, Usage>();

const rowsIn = ({ hours, users, channels }: Usage): number => hours.length + users.length + channels.length;

function keep(database: Database, day: number, usage: Usage): void {
  const all = keptDays(database).set(day, usage);
  keptOf.set(database, all);
  let rows = all.values().reduce((sum, each) => sum + rowsIn(each), 0);
  for (const [old, each] of [...all].toSorted(([a], [b]) => a - b)) {
    if (rows <= MAX_ROWS_KEPT) return;
    rows -= rowsIn(each);
    all.delete(old);
  }
}

/** First seconds of the days that a range touches. */
const daysOf = ({ first, last }: HourRange): number[] =>
  Array.from(
    { length: Math.max(0, (utcDayOf(last) - utcDayOf(first)) / DAY + 1) },
    (_, index) => utcDayOf(first) + index * DAY,
  );

const isSameSum = (a: CostedSums, b: CostedSums): boolean =>
  a.requests === b.requests &&
  a.quota === b.quota &&
  a.costed_quota === b.costed_quota &&
  a.cost === b.cost &&
  a.prompt_tokens === b.prompt_tokens &&
  a.completion_tokens === b.completion_tokens;

/** False where something was posted between the two readings. */
const isWhole = ({ hours, users }: Usage): boolean => isSameSum(wholeOf(hours), wholeOf(users));

function joined(days: readonly Usage[]): Usage {
  return {
    hours: days.flatMap(({ hours }) => hours),
    users: mergeBy(
      days.flatMap(({ users }) => users),
      ({ id }) => id,
    ),
    channels: mergeBy(
      days.flatMap(({ channels }) => channels),
      ({ id }) => id,
    ),
  };
}

async function readPiece(database: Database, slice: Slice): Promise<UsageByDay> {
  // Not at once: two such queries would take both cores of a small machine from the calls.
  const rows = await sumsByChannelHour(database, slice);
  const users = await sumsByUserDay(database, slice);
  const rowsOf = Map.groupBy(rows, ({ hour }) => utcDayOf(hour));
  const usersOf = Map.groupBy(users, ({ day }) => day);
  const usageOf = (day: number): Usage => {
    const ofDay = rowsOf.get(day) ?? [];
    const hours = ofDay.map(({ channelId: _channelId, ...row }) => row);
    const channels = ofDay.map(({ channelId, hour: _hour, model: _model, ...sums }) => ({ id: channelId, ...sums }));
    return {
      hours: mergeBy(hours, ({ hour, model }) => `${hour} ${model}`),
      users: (usersOf.get(day) ?? []).map(({ day: _day, ...sums }) => sums),
      channels: mergeBy(channels, ({ id }) => id),
    };
  };
  return new Map(daysOf(slice).map((day) => [day, usageOf(day)]));
}

/** Neighbouring days as ranges of at most `most` days. */
function rangesOf(days: readonly number[], most: number): HourRange[] {
  const ranges: HourRange[] = [];
  for (const day of days) {
    const open = ranges.at(-1);
    const goesOn = open !== undefined && open.last + HOUR === day && day - open.first < most * DAY;
    if (goesOn) open.last = day + DAY - HOUR;
    else ranges.push({ first: day, last: day + DAY - HOUR });
  }
  return ranges;
}

/** The part of a range that lies in another one. */
const within = ({ first, last }: HourRange, outer: HourRange): HourRange => ({
  first: Math.max(first, outer.first),
  last: Math.min(last, outer.last),
});

/** Reads these days of a slice in pieces, so that calls can use the database between them. */
async function readDays(database: Database, slice: Slice, days: readonly number[]): Promise<UsageByDay> {
  const usage: UsageByDay = new Map();
  for (const range of rangesOf(days, PIECE_DAYS)) {
    const piece = await readPiece(database, { ...slice, ...within(range, slice) });
    for (const [day, ofDay] of piece) usage.set(day, ofDay);
  }
  return usage;
}

/** One row for each hour and model that has usage, oldest first. */
export async function readHours(database: Database, slice: Slice): Promise<HourSum[]> {
  const pieces: HourSum[][] = [];
  for (const range of rangesOf(daysOf(slice), PIECE_DAYS))
    pieces.push(await sumsByHour(database, { ...slice, ...within(range, slice) }));
  return pieces.flat();
}

/** The cached usage of these days, if it still equals the roll-up. */
async function provenDays(database: Database, days: readonly number[]): Promise<UsageByDay> {
  const kept = keptDays(database);
  const proven: UsageByDay = new Map();
  const known = days.filter((day) => kept.has(day));
  for (const range of rangesOf(known, Number.POSITIVE_INFINITY)) {
    const usages = daysOf(range).flatMap((day) => kept.get(day) ?? []);
    const sums = await sumsOfSlice(database, { ...range, userId: undefined });
    if (isSameSum(sums, wholeOf(usages.flatMap(({ hours }) => hours))))
      for (const [index, usage] of usages.entries()) proven.set(range.first + index * DAY, usage);
    else for (const day of daysOf(range)) kept.delete(day);
  }
  return proven;
}

/** The days of a range that are whole in it and over. `now` in Unix seconds. */
function closedDays(range: HourRange, now: number): number[] {
  const end = Math.min(range.last + HOUR, now - OPEN_HOURS * HOUR);
  return daysOf(range).filter((day) => day >= range.first && day + DAY <= end);
}

/**
 * Usage of all users by day. Days that are over are summed once; a sum that differs from the roll-up's invalidates the cached one.
 * `now` in Unix seconds.
 */
export async function readUsageByDay(database: Database, range: HourRange, now: number): Promise<UsageByDay> {
  const slice = { ...range, userId: undefined };
  const days = daysOf(slice);
  const closed = new Set(closedDays(slice, now));
  const proven = await provenDays(database, [...closed]);
  const missing = days.filter((day) => !proven.has(day));
  const read = await readDays(database, slice, missing);
  for (const [day, usage] of read) if (closed.has(day) && isWhole(usage)) keep(database, day, usage);
  return new Map([...read, ...proven].toSorted(([a], [b]) => a - b));
}

/** Usage of a slice. One user's is read each time: an index leads to it. All users' is as `readUsageByDay` has it. */
export async function readUsage(database: Database, slice: Slice, now: number): Promise<Usage> {
  const days =
    slice.userId === undefined
      ? await readUsageByDay(database, slice, now)
      : await readDays(database, slice, daysOf(slice));
  return joined([...days.values()]);
}

type WarmUpContext = Pick<ConsoleContext, "database" | "clock" | "logger">;

/** The range that the screen opens with, and the day that it begins in. */
const WARM_DAYS = 31;

interface WarmUp {
  /** Resolves with the last day, or once it was stopped; never rejects. */
  finished: Promise<void>;
  /** Resolves once nothing is under way any more. */
  stop(): Promise<void>;
}

/** The newest day first, with pauses as long as the work. */
async function readClosedDays({ database, clock }: WarmUpContext, signal: AbortSignal): Promise<void> {
  const now = nowSeconds(clock);
  const range = { first: utcDayOf(now) - WARM_DAYS * DAY, last: utcDayOf(now) };
  // A site without calls is skipped: reading starts threads and uses memory.
  if ((await usedHours(database, { ...range, userId: undefined })) === undefined) return;
  for (const day of closedDays(range, now).toReversed()) {
    if (signal.aborted) return;
    const started = performance.now();
    await readUsage(database, { first: day, last: day + DAY - HOUR, userId: undefined }, now);
    await delay(performance.now() - started);
  }
}

/**
 * Reads what the first look at the dashboard needs: after a start nothing of the roll-up is in memory. Begins at once and in the background;
 * what fails is logged, and read when it is asked for.
 */
export function startWarmUp(context: WarmUpContext): WarmUp {
  const end = new AbortController();
  const finished = readClosedDays(context, end.signal).catch((error: unknown) =>
    context.logger.warn({ err: error }, "the dashboard's usage could not be read ahead"),
  );
  return {
    finished,
    stop: () => {
      end.abort();
      return finished;
    },
  };
}
