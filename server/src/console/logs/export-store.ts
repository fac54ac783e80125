/** All rows of a filter, newest first, by statements that each look at a bounded piece of the log: none holds a reader or a connection for long. */
import type { Database } from "../../db/database.ts";
import type { LogFilter } from "./filter.ts";
import { conditionCount } from "./filter.ts";
import { idsBetween, leadOf, type Place, tracksOf, windowEnd } from "./scan-window.ts";
import { readPage, type StoredLog } from "./store.ts";

/** Rows of one statement: a few milliseconds of a reader. */
const CHUNK_ROWS = 500;
/** Entries of an index that one statement looks at where not every one of them is a row of the export. */
const WINDOW_ENTRIES = 20_000;
/** The same where they lie in several parts of it and have to be sorted for each chunk. */
const SORTED_ENTRIES = 2_000;

/** Whether each entry of the index is a row of the export, in its order. */
function isDense(filter: LogFilter): boolean {
  const lead = leadOf(filter);
  return lead !== "ownerIds" && conditionCount(filter) === (lead === undefined ? 0 : 1);
}

const entriesAtOnce = (tracks: readonly LogFilter[]): number =>
  tracks.length > 1 ? Math.ceil(SORTED_ENTRIES / tracks.length) : WINDOW_ENTRIES;

/**
 * All rows of the filter, newest first, in chunks that each go on where the last one ended. A chunk may be empty: the reader can stop
 * there as anywhere else, and then nothing more is read.
 */
export async function* rowsInChunks(database: Database, filter: LogFilter): AsyncGenerator<StoredLog[]> {
  const tracks = isDense(filter) ? [] : tracksOf(filter);
  let from: Place | undefined;
  for (;;) {
    const until = await windowEnd(database, tracks, from, entriesAtOnce(tracks));
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
