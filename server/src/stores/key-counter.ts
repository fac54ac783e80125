/** Counts the calls of each key of channels that have several; added to the row of the key. */
import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import type { KeyCounter } from "../relay/call/ports.ts";
import { type CounterLogger, type FlushingCounter, startFlushing } from "./flushing-counter.ts";

/** Keys of one statement. */
const KEYS_AT_ONCE = 200;

interface Count {
  id: number;
  used: number;
  failed: number;
}

export type StoredKeyCounter = KeyCounter & FlushingCounter;

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

/** `flushEveryMs` in milliseconds; 5 s where absent. */
export function openKeyCounter(database: Database, logger: CounterLogger, flushEveryMs?: number): StoredKeyCounter {
  let counts = new Map<number, Count>();
  const add = (id: number, used: number, failed: number): void => {
    const known = counts.get(id) ?? { id, used: 0, failed: 0 };
    counts.set(id, { id, used: known.used + used, failed: known.failed + failed });
  };
  const flushing = startFlushing<readonly Count[]>({
    take: () => {
      const taken = [...counts.values()].toSorted((left, right) => left.id - right.id);
      counts = new Map();
      return Array.from({ length: Math.ceil(taken.length / KEYS_AT_ONCE) }, (_, index) =>
        taken.slice(index * KEYS_AT_ONCE, (index + 1) * KEYS_AT_ONCE),
      );
    },
    store: (part) => addCounts(database, part),
    putBack: (part) => {
      for (const { id, used, failed } of part) add(id, used, failed);
    },
    logger,
    warning: "the calls of channels' keys could not be stored yet",
    flushEveryMs,
  });
  return { used: (id, hasFailed) => add(id, 1, hasFailed ? 1 : 0), ...flushing };
}
