/** Decides when an import builds indexes after its rows: where many rows go into an empty table. */
import { buildIndexes, buildMarks, deferIndexes, type DeferrableTable } from "../db/deferred-indexes.ts";
import type { Target } from "./target.ts";

/** With fewer rows it would be quicker to keep them. */
const MANY_ROWS = 20_000;

interface Load {
  table: DeferrableTable;
  /** That are to come. */
  rows: number;
}

interface On {
  target: Pick<Target, "database" | "isDryRun">;
  /** One line of progress. */
  progress: (line: string) => void;
}

/**
 * Drops the indexes of a table before many rows come to it; `withIndexes` builds them again.
 * @returns whether it is without them now
 */
export async function deferForLoad({ target, progress }: On, { table, rows }: Load): Promise<boolean> {
  if (target.isDryRun || rows < MANY_ROWS || !(await deferIndexes(target.database, table))) return false;
  progress(`the indexes of ${table} are built behind its rows`);
  return true;
}

/** Of the log. Rows that came before an import was killed are found by one of its indexes, which is built first. */
export async function deferForLog(on: On, { rows, isFirst }: { rows: number; isFirst: boolean }): Promise<void> {
  if ((await deferForLoad(on, { table: "logs", rows })) && !isFirst) await buildMarks(on.target.database);
}

/**
 * Runs an import, and builds what it left for later before it counts as done. Where it fails the indexes are built too, as far as the database allows:
 * then a server, `turnpike migrate` or the next import does it.
 */
export async function withIndexes<Result>({ target, progress }: On, work: () => Promise<Result>): Promise<Result> {
  const { database, isDryRun } = target;
  if (isDryRun) return work();
  try {
    const result = await work();
    await buildIndexes(database, progress);
    return result;
  } catch (error) {
    // What ended the import is what has to be said.
    await buildIndexes(database, progress).catch(() => undefined);
    throw error;
  }
}
