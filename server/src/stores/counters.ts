/** The relay's counters: call statistics for the dashboard, and calls by key of channels with several. Counted in memory, and flushed to the database every few seconds and at shutdown. */
import { sql } from "kysely";
import { addCounts, CallCounts } from "../db/call-hours.ts";
import type { Database } from "../db/database.ts";
import type { CallCounter, KeyCounter } from "../relay/call/ports.ts";

/** The maximum that a killed process loses. */
const FLUSH_EVERY_MS = 5_000;

export interface CounterLogger {
  warn(fields: object, text: string): void;
}

interface FlushingCounterOptions<Part> {
  /** Takes the counts since the last flush, in parts of one statement or transaction each, and resets them. */
  take(): readonly Part[];
  /** Adds a part to the database. Rejects if the database does not respond. */
  store(part: Part): Promise<void>;
  /** Puts back a part that could not be stored. */
  putBack(part: Part): void;
  logger: CounterLogger;
  /** The log message for a failed flush. */
  warning: string;
  flushEveryMs?: number | undefined;
}

export interface FlushingCounter {
  /** Flushes the counts to the database; failed parts are kept for the next flush. Never rejects. */
  flush(): Promise<void>;
  /** The last flush. Later counts are not stored. */
  close(): Promise<void>;
}

/** Flushes every `flushEveryMs` milliseconds, 5,000 if absent, until it is closed. */
function startFlushing<Part>(options: FlushingCounterOptions<Part>): FlushingCounter {
  let flushing: Promise<void> | undefined;
  const store = async (): Promise<void> => {
    const parts = options.take();
    for (const [index, part] of parts.entries())
      try {
        await options.store(part);
      } catch (error) {
        for (const left of parts.slice(index)) options.putBack(left);
        options.logger.warn({ err: error }, options.warning);
        return;
      }
  };
  const flush = (): Promise<void> => (flushing ??= store().finally(() => (flushing = undefined)));
  const timer = setInterval(() => void flush(), options.flushEveryMs ?? FLUSH_EVERY_MS);
  timer.unref();
  return {
    flush,
    async close() {
      clearInterval(timer);
      await flushing;
      await flush();
    },
  };
}

/** Rows of one transaction: settlements wait for SQLite's single writer no longer than for each other. */
const ROWS_AT_ONCE = 200;

export type StoredCallCounter = CallCounter & FlushingCounter;

/** `flushEveryMs` in milliseconds; 5 s if absent. */
export function openCallCounter(database: Database, logger: CounterLogger, flushEveryMs?: number): StoredCallCounter {
  let counts = new CallCounts();
  const flushing = startFlushing({
    take: () => {
      const taken = counts.isEmpty ? [] : [...counts.parts(ROWS_AT_ONCE)];
      counts = new CallCounts();
      return taken;
    },
    store: (part) => database.kysely.transaction().execute((transaction) => addCounts(database, transaction, part)),
    putBack: (part) => counts.add(part),
    logger,
    warning: "how calls went could not be stored yet",
    flushEveryMs,
  });
  return {
    succeeded: (place, totalMs, firstTokenMs) => counts.succeeded(place, totalMs, firstTokenMs),
    failed: (place, kind) => counts.failed(place, kind),
    retried: (place, kind) => counts.retried(place, kind),
    ...flushing,
  };
}

/** Keys of one statement. */
const KEYS_AT_ONCE = 200;

interface Count {
  id: number;
  used: number;
  failed: number;
}

export type StoredKeyCounter = KeyCounter & FlushingCounter;

/** Adds to each key's column, in one statement. Every process uses the same order of keys, so that no deadlock can occur. */
const addend = (counts: readonly Count[], of: (count: Count) => number) =>
  sql<number>`case id ${sql.join(
    counts.map((count) => sql`when ${sql.lit(count.id)} then ${sql.lit(of(count))}`),
    sql` `,
  )} else 0 end`;

async function addKeyCounts({ kysely }: Database, counts: readonly Count[]): Promise<void> {
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

/** `flushEveryMs` in milliseconds; 5 s if absent. */
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
    store: (part) => addKeyCounts(database, part),
    putBack: (part) => {
      for (const { id, used, failed } of part) add(id, used, failed);
    },
    logger,
    warning: "the calls of channels' keys could not be stored yet",
    flushEveryMs,
  });
  return { used: (id, hasFailed) => add(id, 1, hasFailed ? 1 : 0), ...flushing };
}
