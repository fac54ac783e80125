/** Counts how calls went, in memory, and adds it to the database every few seconds and at the end of the process. */
import type { FailureKind } from "../../../contract/src/call-figures.ts";
import { addCounts, CallCounts } from "../db/call-hours.ts";
import type { Database } from "../db/database.ts";
import type { CallCounter, CallPlace } from "../relay/call/ports.ts";

/** What a process that is killed loses. */
const FLUSH_EVERY_MS = 5_000;

/** Rows of one transaction: settlements wait no longer for SQLite's only writer than they do for each other. */
const ROWS_AT_ONCE = 200;

interface Logger {
  warn(fields: object, text: string): void;
}

export interface StoredCallCounter extends CallCounter {
  /** Adds what was counted to the database; what it does not take is kept for the next time. Never rejects. */
  flush(): Promise<void>;
  /** Adds the rest. Nothing is counted afterwards that would be stored. */
  close(): Promise<void>;
}

export function openCallCounter(database: Database, logger: Logger, flushEveryMs = FLUSH_EVERY_MS): StoredCallCounter {
  let counts = new CallCounts();
  let flushing: Promise<void> | undefined;
  const store = async () => {
    if (counts.isEmpty) return;
    const taken = [...counts.parts(ROWS_AT_ONCE)];
    counts = new CallCounts();
    for (const [index, part] of taken.entries())
      try {
        await database.kysely.transaction().execute((transaction) => addCounts(database, transaction, part));
      } catch (error) {
        for (const left of taken.slice(index)) counts.add(left);
        logger.warn({ err: error }, "how calls went could not be stored yet");
        return;
      }
  };
  const flush = (): Promise<void> => (flushing ??= store().finally(() => (flushing = undefined)));
  const timer = setInterval(() => void flush(), flushEveryMs);
  timer.unref();
  return {
    succeeded: (place: CallPlace, totalMs: number, firstTokenMs: number) =>
      counts.succeeded(place, totalMs, firstTokenMs),
    failed: (place: CallPlace, kind: FailureKind) => counts.failed(place, kind),
    retried: (place, kind) => counts.retried(place, kind),
    flush,
    async close() {
      clearInterval(timer);
      await flushing;
      await flush();
    },
  };
}
