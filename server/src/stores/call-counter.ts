/** Counts how calls went, for the dashboard; added to the two tables of call figures. */
import { CallCounts, addCounts } from "../db/call-hours.ts";
import type { Database } from "../db/database.ts";
import type { CallCounter } from "../relay/call/ports.ts";
import { type CounterLogger, type FlushingCounter, startFlushing } from "./flushing-counter.ts";

/** Rows of one transaction: settlements wait no longer for SQLite's only writer than they do for each other. */
const ROWS_AT_ONCE = 200;

export type StoredCallCounter = CallCounter & FlushingCounter;

/** `flushEveryMs` in milliseconds; 5 s where absent. */
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
