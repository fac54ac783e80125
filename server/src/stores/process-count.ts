/** The number of live processes on this database, from the ledger's table of processes; limits that are not shared are divided by it. */
import type { Database } from "../db/database.ts";

export interface Peers {
  /** At least 1: this process. */
  count(): number;
  /** Refreshes the count from now on; failures keep the last known one. */
  follow(database: Database): void;
  close(): Promise<void>;
}

const LOOK_EVERY_MS = 5_000;

async function countIn({ kysely }: Database): Promise<number> {
  const row = await kysely
    .selectFrom("processes")
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return Math.max(1, Number(row.total));
}

/** `expected` is used before the first read: WORKERS. */
export function createPeers(expected: number, lookEveryMs = LOOK_EVERY_MS): Peers {
  let known = Math.max(1, expected);
  let timer: NodeJS.Timeout | undefined;
  /** The pending read: a database that does not respond gets one query, not a new one every few seconds. */
  let look: Promise<void> | undefined;
  const update = async (database: Database) => {
    known = await countIn(database).catch(() => known);
  };
  return {
    count: () => known,
    follow(database) {
      // SQLite has exactly one process.
      if (database.engine === "sqlite") return;
      timer = setInterval(() => (look ??= update(database).finally(() => (look = undefined))), lookEveryMs);
      timer.unref();
    },
    async close() {
      clearInterval(timer);
      await look;
    },
  };
}
