/** Usage of a range by hour and model, user and channel. What is over is kept in memory, and proved against the roll-up at each use. */
import type { UsageSums } from "../../../../contract/src/features/dashboard.ts";
import type { Database } from "../../db/database.ts";
import { HOUR } from "./buckets.ts";
import { type HourSum, mergeById, totalOf } from "./shape.ts";
import { type IdSums, type Slice, sumsByChannel, sumsByHour, sumsByUser, sumsOfSlice } from "./store.ts";

export interface Usage {
  hours: HourSum[];
  users: IdSums[];
  channels: IdSums[];
}

/** Usage up to the hour `last`, included. */
interface Kept {
  last: number;
  usage: Usage;
}

/** Hours that began so long ago change no more, but for what a journal brings late: that shows in their sums. */
const OPEN_HOURS = 3;
/** Beginnings of ranges that are kept; each zone has one a day for each preset. */
const MOST_KEPT = 8;

const keptOf = new WeakMap<Database, Map<number, Kept>>();

async function readAll(database: Database, slice: Slice): Promise<Usage> {
  const [hours, users, channels] = await Promise.all([
    sumsByHour(database, slice),
    sumsByUser(database, slice),
    sumsByChannel(database, slice),
  ]);
  return { hours, users, channels };
}

const joined = (early: Usage, late: Usage): Usage => ({
  hours: [...early.hours, ...late.hours],
  users: mergeById(early.users, late.users),
  channels: mergeById(early.channels, late.channels),
});

const areEqual = (a: UsageSums, b: UsageSums): boolean =>
  a.requests === b.requests &&
  a.quota === b.quota &&
  a.prompt_tokens === b.prompt_tokens &&
  a.completion_tokens === b.completion_tokens;

/** What was kept of this beginning, if it is still what the roll-up says. */
async function stillTrue(database: Database, slice: Slice, kept: Kept | undefined): Promise<Kept | undefined> {
  if (kept === undefined || kept.last > slice.last) return undefined;
  const sums = await sumsOfSlice(database, { ...slice, last: kept.last });
  return areEqual(sums, totalOf(kept.usage.hours)) ? kept : undefined;
}

/** False where something was booked between the three readings. */
const isWhole = ({ hours, users, channels }: Usage): boolean =>
  areEqual(totalOf(hours), totalOf(users)) && areEqual(totalOf(hours), totalOf(channels));

function keep(database: Database, first: number, kept: Kept): void {
  const all = keptOf.get(database) ?? new Map<number, Kept>();
  keptOf.set(database, all);
  all.delete(first);
  all.set(first, kept);
  const [oldest] = all.keys();
  if (all.size > MOST_KEPT && oldest !== undefined) all.delete(oldest);
}

/**
 * Usage of a slice. One user's is read each time: an index leads to it. Everybody's is summed once for the hours that are over and
 * from then on only added to; a sum that differs from the roll-up's throws what was kept away. `now` in Unix seconds.
 */
export async function readUsage(database: Database, slice: Slice, now: number): Promise<Usage> {
  const closed = Math.min(slice.last, Math.floor(now / HOUR) * HOUR - OPEN_HOURS * HOUR);
  if (slice.userId !== undefined || closed < slice.first) return readAll(database, slice);
  const kept = await stillTrue(database, { ...slice, last: closed }, keptOf.get(database)?.get(slice.first));
  const from = kept === undefined ? slice.first : kept.last + HOUR;
  const [over, open] = await Promise.all([
    from > closed ? undefined : readAll(database, { ...slice, first: from, last: closed }),
    closed >= slice.last ? undefined : readAll(database, { ...slice, first: closed + HOUR }),
  ]);
  const nothing: Usage = { hours: [], users: [], channels: [] };
  const usage = joined(kept?.usage ?? nothing, over ?? nothing);
  if (isWhole(usage)) keep(database, slice.first, { last: closed, usage });
  return open === undefined ? usage : joined(usage, open);
}
