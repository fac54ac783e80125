/** Counts in memory, and adds what was counted to the database every few seconds and at the end of the process. */

/** What a process that is killed loses. */
const FLUSH_EVERY_MS = 5_000;

export interface CounterLogger {
  warn(fields: object, text: string): void;
}

interface FlushingCounterOptions<Part> {
  /** What was counted since the last time, in parts of one statement or transaction each; nothing of it is counted any more. */
  take(): readonly Part[];
  /** Adds a part to the database. Rejects where that does not answer. */
  store(part: Part): Promise<void>;
  /** Counts a part again that could not be stored. */
  putBack(part: Part): void;
  logger: CounterLogger;
  /** The line of the log where something could not be stored. */
  warning: string;
  flushEveryMs?: number | undefined;
}

export interface FlushingCounter {
  /** Adds what was counted to the database; what it does not take is kept for the next time. Never rejects. */
  flush(): Promise<void>;
  /** Adds the rest. Nothing is counted afterwards that would be stored. */
  close(): Promise<void>;
}

/** Flushes from now on every `flushEveryMs` milliseconds, 5,000 where absent, until it is closed. */
export function startFlushing<Part>(options: FlushingCounterOptions<Part>): FlushingCounter {
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
