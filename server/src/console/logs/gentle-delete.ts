/** Deletes old rows of the log in chunks of a few milliseconds with pauses between them, for deletions by hand and for retention. */
import { setTimeout as delay } from "node:timers/promises";
import { dropOldestPartition } from "../../db/log-partitions.ts";
import { type DeletedChunk, type LogPlace, type WithDeletion, deleteOldest } from "./store.ts";

/** Time of one chunk on SQLite's only writer; settlements wait for no longer. */
const CHUNK_MS = 10;
/** A commit costs about what this many rows do: fewer at once would only wait longer. */
const SMALLEST_CHUNK = 128;
const LARGEST_CHUNK = 512;
const SHORTEST_PAUSE_MS = 2;

/** Deletes up to `size` of the oldest rows from `from` (Unix seconds) on. */
type DeleteChunk = (from: number, size: number) => Promise<DeletedChunk>;

/** Powers of two, so that few statements have to be prepared. */
function nextSize(size: number, tookMs: number): number {
  if (tookMs > CHUNK_MS) return Math.max(SMALLEST_CHUNK, size / 2);
  return tookMs < CHUNK_MS / 4 ? Math.min(LARGEST_CHUNK, size * 2) : size;
}

/**
 * Chunks of the rows older than `before` (Unix seconds): first partitions that hold no others, where the engine has them, each dropped as
 * a whole, then rows. @param together what is written in the transaction of each chunk, or behind it where the log has a database of its own
 */
export function chunksOf(place: LogPlace, before: number, together?: WithDeletion): DeleteChunk {
  let hasPartitions = place.rows.engine === "postgres" || place.rows.engine === "clickhouse";
  return async (from, size) => {
    const dropped = hasPartitions ? await dropOldestPartition(place, before, together) : undefined;
    hasPartitions = dropped !== undefined;
    // Nothing waits for a table that is gone: the next one goes at once.
    if (dropped !== undefined) return { found: Math.max(1, dropped), deleted: dropped, newest: from, tookMs: 0 };
    return deleteOldest(place, { before, from, size }, together);
  };
}

/** Deletes chunk by chunk until nothing is left or `goesOn` says no; gives how many. At most half of the time is deleting. */
export async function deleteGently(
  deleteChunk: DeleteChunk,
  goesOn: (done: number) => Promise<boolean>,
): Promise<number> {
  let size = SMALLEST_CHUNK;
  let done = 0;
  let from = 0;
  for (;;) {
    const chunk = await deleteChunk(from, size);
    const { tookMs } = chunk;
    if (chunk.found === 0) return done;
    done += chunk.deleted;
    from = chunk.newest;
    if (!(await goesOn(done))) return done;
    size = nextSize(size, tookMs);
    await delay(Math.max(SHORTEST_PAUSE_MS, tookMs));
  }
}
