/** Runs the scheduled jobs: each on one process at a time, none overlapping itself, a failure logged and tried again next time. */
import type { Logger } from "pino";
import type { Database } from "../db/database.ts";
import { releaseLeases, takeLease } from "../db/leases.ts";

export interface Job {
  name: string;
  everySeconds: number;
  /** Asked before the lease is taken, so that a job that comes often and seldom has anything to do writes nothing. */
  hasWork?(): Promise<boolean>;
  run(): Promise<void>;
}

export interface SchedulerOptions {
  database: Database;
  logger: Logger;
  /** Unique for each process. */
  holder: string;
  jobs: readonly Job[];
  /** Unix milliseconds. */
  clock(): number;
}

export interface Scheduler {
  /** Runs a job now where this process gets its lease; for tests and for the first run. */
  runNow(name: string): Promise<boolean>;
  /** Waits for what runs, then gives the leases back. */
  stop(): Promise<void>;
}

/** Starts a timer for each job; the first run comes after one interval. */
export function startScheduler(options: SchedulerOptions): Scheduler {
  const running = new Map<string, Promise<boolean>>();
  const start = (job: Job): Promise<boolean> => {
    const current = running.get(job.name);
    if (current !== undefined) return current;
    const run = runAsLeader(options, job).finally(() => running.delete(job.name));
    running.set(job.name, run);
    return run;
  };
  const timers = options.jobs.map((job) => setInterval(() => void start(job), job.everySeconds * 1000).unref());
  return {
    runNow: (name) => {
      const job = options.jobs.find((each) => each.name === name);
      return job === undefined ? Promise.reject(new Error(`There is no job ${name}`)) : start(job);
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running.values());
      // A database that is away must not keep the ledger behind this from closing; a lease runs out by itself.
      await releaseLeases(options.database, options.holder).catch((error: unknown) =>
        options.logger.warn({ err: error }, "the leases could not be given back"),
      );
    },
  };
}

/** True where the job ran here. */
async function runAsLeader({ database, logger, holder, clock }: SchedulerOptions, job: Job): Promise<boolean> {
  try {
    if (job.hasWork !== undefined && !(await job.hasWork())) return false;
    // Longer than the interval: the leader renews before it ends, so that the same process goes on.
    const lease = { name: job.name, holder, seconds: job.everySeconds * 2, now: Math.floor(clock() / 1000) };
    if (!(await takeLease(database, lease))) return false;
    await job.run();
    return true;
  } catch (error) {
    logger.error({ err: error, job: job.name }, "scheduled job failed");
    return false;
  }
}
