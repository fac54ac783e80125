/** Periodic runs over the channels, their tests and balances: started by one process at their time, wherever the last one ran. */
import type { Logger } from "pino";
import { keyValueStore } from "../db/key-value-store.ts";
import type { Database } from "../db/database.ts";
import { type Clock, nowSeconds } from "../util/clock.ts";
import type { Job } from "./scheduler.ts";

/** How often is looked whether a run is due; the first one comes that soon after it is switched on. */
const LOOK_EVERY_SECONDS = 5;
const MINUTE_SECONDS = 60;

/** A run that comes again and again. */
export interface PeriodicRun {
  /** Name of its job; the fact under `<name>_time` is when it was started last. */
  name: string;
  /** Minutes from one start to the next as they are set now; 0 for never. */
  minutes(): number;
  /** Starts it, to be ended by `end`; undefined where one of its kind is under way, for example one started by hand. */
  start(end: AbortSignal): Promise<{ finished: Promise<void> } | undefined>;
}

export interface PeriodicRuns {
  jobs: readonly Job[];
  /** Ends the runs that this process has under way, so that another one may begin anew when they are due. */
  stop(): Promise<void>;
}

/** `clock` gives Unix milliseconds. A run's time is that of its start, kept in the database: neither a restart nor a second process brings one forward. */
export function periodicRuns(
  { database, clock, logger }: { database: Database; clock: Clock; logger: Logger },
  runs: readonly PeriodicRun[],
): PeriodicRuns {
  const facts = keyValueStore(database);
  const ending = new AbortController();
  const underWay = new Set<Promise<void>>();
  const factOf = ({ name }: PeriodicRun): string => `${name}_time`;

  const isDue = async (run: PeriodicRun): Promise<boolean> => {
    const minutes = run.minutes();
    if (minutes <= 0 || ending.signal.aborted) return false;
    const last = Number((await facts.read(factOf(run))) ?? 0);
    return nowSeconds(clock) >= last + minutes * MINUTE_SECONDS;
  };

  const startOnce = async (run: PeriodicRun): Promise<void> => {
    // Another process may have started it between the question and the lease.
    if (!(await isDue(run))) return;
    const started = await run.start(ending.signal);
    if (started === undefined) return;
    await facts.write(factOf(run), String(nowSeconds(clock)));
    logger.info({ run: run.name }, "a periodic run has begun");
    // The lease of the job is for its start alone; the run has one of its own.
    const finished = started.finished.finally(() => underWay.delete(finished));
    underWay.add(finished);
  };

  return {
    jobs: runs.map((run) => ({
      name: run.name,
      everySeconds: LOOK_EVERY_SECONDS,
      hasWork: () => isDue(run),
      run: () => startOnce(run),
    })),
    async stop() {
      ending.abort();
      await Promise.all(underWay);
    },
  };
}
