/** All rows of a filter, newest first, by statements that each look at a bounded piece of the log: none holds a reader or a connection for long. */
import type { Database } from "../../db/database.ts";
import type { Lead, LogFilter } from "./filter.ts";
import { leadsOf } from "./filter.ts";
import { ALL, alone, idsOf, readPage, type StoredLog } from "./store.ts";

/** A row's place in the order of the log: by time, then by id. */
interface Place {
  created_at: number;
  id: number;
}

/** Rows of one statement: a few milliseconds of a reader. */
const CHUNK_ROWS = 500;
/** Entries of an index that one statement looks at where not every one of them is a row of the export. */
const WINDOW_ENTRIES = 20_000;
/** The same where they lie in several parts of it and have to be sorted for each chunk. */
const SORTED_ENTRIES = 2_000;

type Ids = ReturnType<typeof idsOf>;

const olderThan = (ids: Ids, { created_at, id }: Place): Ids =>
  ids
    .where("logs.created_at", "<=", created_at)
    .where((row) => row.or([row("logs.created_at", "<", created_at), row("logs.id", "<", id)]));

const notOlderThan = (ids: Ids, { created_at, id }: Place): Ids =>
  ids
    .where("logs.created_at", ">=", created_at)
    .where((row) => row.or([row("logs.created_at", ">", created_at), row("logs.id", ">=", id)]));

/** Rows between two places: `from` is not among them, `until` is. */
function idsBetween(database: Database, filter: LogFilter, from: Place | undefined, until: Place | undefined): Ids {
  const ids = idsOf(database, filter);
  const below = from === undefined ? ids : olderThan(ids, from);
  return until === undefined ? below : notOlderThan(below, until);
}

const leadOf = (filter: LogFilter): Lead | undefined => filter.lead ?? leadsOf(filter)[0];

/** The parts of the index that the filter goes along, each in the order of the log: one, or one for each of several tokens. */
function tracksOf(filter: LogFilter): LogFilter[] {
  const lead = leadOf(filter);
  if (lead === undefined) return [{ ...ALL, start: filter.start, end: filter.end }];
  const track = alone(filter, lead);
  return lead === "tokenIds" ? (track.tokenIds ?? []).map((id) => ({ ...track, tokenIds: [id] })) : [track];
}

/** Whether each entry of the index is a row of the export, in its order. */
function isDense(filter: LogFilter): boolean {
  const { userId, tokenIds, tokenName, modelName, group, channelId, type } = filter;
  const conditions = [userId, tokenIds, tokenName, modelName, group, channelId, type].filter(
    (value) => value !== undefined,
  );
  return conditions.length - (leadOf(filter) === undefined ? 0 : 1) === 0 && (tokenIds?.length ?? 0) < 2;
}

/** The place so many entries on from a place; undefined where there are no more than that. */
async function placeAhead(
  database: Database,
  track: LogFilter,
  from: Place | undefined,
  entries: number,
): Promise<Place | undefined> {
  return idsBetween(database, track, from, undefined)
    .select("logs.created_at")
    .orderBy("logs.created_at", "desc")
    .orderBy("logs.id", "desc")
    .limit(1)
    .offset(entries - 1)
    .executeTakeFirst();
}

const isNewer = (a: Place, b: Place): boolean =>
  a.created_at > b.created_at || (a.created_at === b.created_at && a.id > b.id);

/** How far the next window reaches, so that a statement looks at a bounded number of entries of all tracks; undefined: to the end. */
async function windowEnd(
  database: Database,
  tracks: readonly LogFilter[],
  from: Place | undefined,
): Promise<Place | undefined> {
  const entries = tracks.length > 1 ? Math.ceil(SORTED_ENTRIES / tracks.length) : WINDOW_ENTRIES;
  let end: Place | undefined;
  for (const track of tracks) {
    const place = await placeAhead(database, track, from, entries);
    if (place !== undefined && (end === undefined || isNewer(place, end))) end = place;
  }
  return end;
}

/**
 * All rows of the filter, newest first, in chunks that each go on where the last one ended. A chunk may be empty: the reader can stop
 * there as anywhere else, and then nothing more is read.
 */
export async function* rowsInChunks(database: Database, filter: LogFilter): AsyncGenerator<StoredLog[]> {
  const tracks = isDense(filter) ? [] : tracksOf(filter);
  let from: Place | undefined;
  for (;;) {
    const until = await windowEnd(database, tracks, from);
    let rows: StoredLog[];
    do {
      rows = await readPage(database, idsBetween(database, filter, from, until), 0, CHUNK_ROWS);
      from = rows.at(-1) ?? from;
      yield rows;
    } while (rows.length === CHUNK_ROWS);
    if (until === undefined) return;
    from = until;
  }
}
