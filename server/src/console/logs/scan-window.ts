/** How far back a filter may look that no index answers: so many entries of the index it goes along, found by counting along it. */
import type { Database } from "../../db/database.ts";
import { newestFirst } from "../../db/log-order.ts";
import type { Lead, LogFilter } from "./filter.ts";
import { ALL, hasPattern, leadsOf, readsRows } from "./filter.ts";
import { alone, idsOf } from "./store.ts";

/** A row's place in the order of the log: by time, then by id. */
export interface Place {
  created_at: number;
  id: number;
}

type Ids = ReturnType<typeof idsOf>;

/** How many entries of an index one question may look at. */
export interface ScanLimits {
  /** Where the row of each is read. */
  rows: number;
  /** Where no row is read. */
  entries: number;
}

const LIMITS: ScanLimits = { rows: 50_000, entries: 250_000 };

const olderThan = (ids: Ids, { created_at, id }: Place): Ids =>
  ids
    .where("logs.created_at", "<=", created_at)
    .where((row) => row.or([row("logs.created_at", "<", created_at), row("logs.id", "<", id)]));

const notOlderThan = (ids: Ids, { created_at, id }: Place): Ids =>
  ids
    .where("logs.created_at", ">=", created_at)
    .where((row) => row.or([row("logs.created_at", ">", created_at), row("logs.id", ">=", id)]));

/** Rows between two places: `from` is not among them, `until` is. */
export function idsBetween(
  database: Database,
  filter: LogFilter,
  from: Place | undefined,
  until: Place | undefined,
): Ids {
  const ids = idsOf(database, filter);
  const below = from === undefined ? ids : olderThan(ids, from);
  return until === undefined ? below : notOlderThan(below, until);
}

export const leadOf = (filter: LogFilter): Lead | undefined => filter.lead ?? leadsOf(filter)[0];

/** The parts of the index that the filter goes along, each in the order of the log: one, or one for each owner of several tokens. */
export function tracksOf(filter: LogFilter): LogFilter[] {
  const lead = leadOf(filter);
  if (lead === undefined) return [{ ...ALL, start: filter.start, end: filter.end }];
  const track = alone(filter, lead);
  return lead === "ownerIds"
    ? (track.ownerIds ?? []).map((id) => ({ ...ALL, start: filter.start, end: filter.end, userId: id }))
    : [track];
}

/** The place so many entries on from a place; undefined where there are no more than that. */
async function placeAhead(
  database: Database,
  track: LogFilter,
  from: Place | undefined,
  entries: number,
): Promise<Place | undefined> {
  const places = idsBetween(database, track, from, undefined).select("logs.created_at");
  const end = from?.created_at ?? track.end;
  return (await newestFirst(database.logs, places, { limit: 1, offset: entries - 1, end }))[0];
}

const isNewer = (a: Place, b: Place): boolean =>
  a.created_at > b.created_at || (a.created_at === b.created_at && a.id > b.id);

/** How far so many entries of each track reach, the newest of these places; undefined: all tracks end before. */
export async function windowEnd(
  database: Database,
  tracks: readonly LogFilter[],
  from: Place | undefined,
  entries: number,
): Promise<Place | undefined> {
  let end: Place | undefined;
  for (const track of tracks) {
    const place = await placeAhead(database, track, from, entries);
    if (place !== undefined && (end === undefined || isNewer(place, end))) end = place;
  }
  return end;
}

/** A filter that looks at a bounded number of entries, and since when it does. */
export interface BoundedFilter {
  filter: LogFilter;
  /** Unix seconds; 0 where the whole range is looked at. */
  searchedSince: number;
}

function entriesLookedAt(filter: LogFilter, { rows, entries }: ScanLimits): number | undefined {
  const isOfSeveral = filter.ownerIds !== undefined && filter.tokenIds === undefined;
  if (readsRows(filter) || isOfSeveral) return rows;
  return hasPattern(filter) ? entries : undefined;
}

/** Narrows a filter to what one question may look at; one that an index answers keeps its range. */
export async function boundedFilter(
  database: Database,
  filter: LogFilter,
  limits: ScanLimits = LIMITS,
): Promise<BoundedFilter> {
  const whole = { filter, searchedSince: 0 };
  if (filter.requestId !== undefined) return whole;
  const entries = entriesLookedAt(filter, limits);
  if (entries === undefined) return whole;
  const tracks = tracksOf(filter);
  const end = await windowEnd(database, tracks, undefined, Math.ceil(entries / tracks.length));
  if (end === undefined) return whole;
  return { filter: { ...filter, start: Math.max(filter.start ?? 0, end.created_at) }, searchedSince: end.created_at };
}
