/** Counts the calls of each key of channels that have several, in memory, and adds them to its row every few seconds and at the end. */
import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import type { KeyCounter } from "../relay/call/ports.ts";

/** What a process that is killed loses. */
const FLUSH_EVERY_MS = 5_000;

/** Keys of one statement. */
const KEYS_AT_ONCE = 200;

interface Logger {
  warn(fields: object, text: string): void;
}

interface Count {
  id: number;
  used: number;
  failed: number;
}

export interface StoredKeyCounter extends KeyCounter {
  /** Adds what was counted to the database; what it does not take is kept for the next time. Never rejects. */
  flush(): Promise<void>;
  /** Adds the rest. Nothing is counted afterwards that would be stored. */
  close(): Promise<void>;
}

/** What is added to each key's column, in one statement. Every process takes the keys in one order, so that none waits for another in a circle. */
const addend = (counts: readonly Count[], of: (count: Count) => number) =>
  sql<number>`case id ${sql.join(
    counts.map((count) => sql`when ${sql.lit(count.id)} then ${sql.lit(of(count))}`),
    sql` `,
  )} else 0 end`;

async function addCounts({ kysely }: Database, counts: readonly Count[]): Promise<void> {
  await kysely
    .updateTable("channel_keys")
    .set((row) => ({
      used_count: sql<number>`${row.ref("used_count")} + ${addend(counts, ({ used }) => used)}`,
      failed_count: sql<number>`${row.ref("failed_count")} + ${addend(counts, ({ failed }) => failed)}`,
    }))
    .where(
      "id",
      "in",
      counts.map(({ id }) => id),
    )
    .execute();
}

/** `flushEveryMs` in milliseconds. */
export function openKeyCounter(database: Database, logger: Logger, flushEveryMs = FLUSH_EVERY_MS): StoredKeyCounter {
  let counts = new Map<number, Count>();
  let flushing: Promise<void> | undefined;
  const add = (id: number, used: number, failed: number): void => {
    const known = counts.get(id) ?? { id, used: 0, failed: 0 };
    counts.set(id, { id, used: known.used + used, failed: known.failed + failed });
  };
  const store = async (): Promise<void> => {
    const taken = [...counts.values()].toSorted((left, right) => left.id - right.id);
    counts = new Map();
    for (let from = 0; from < taken.length; from += KEYS_AT_ONCE)
      try {
        await addCounts(database, taken.slice(from, from + KEYS_AT_ONCE));
      } catch (error) {
        for (const { id, used, failed } of taken.slice(from)) add(id, used, failed);
        logger.warn({ err: error }, "the calls of channels' keys could not be stored yet");
        return;
      }
  };
  const flush = (): Promise<void> => (flushing ??= store().finally(() => (flushing = undefined)));
  const timer = setInterval(() => void flush(), flushEveryMs);
  timer.unref();
  return {
    used: (keyId, hasFailed) => add(keyId, 1, hasFailed ? 1 : 0),
    flush,
    async close() {
      clearInterval(timer);
      await flushing;
      await flush();
    },
  };
}
