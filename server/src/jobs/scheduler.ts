/** Runs the scheduled jobs: each on one process at a time, none overlapping itself, a failure logged and tried again next time. */
import type { Logger } from "pino";
import type { Database } from "../db/database.ts";
import { releaseLeases, renewLease, takeLease } from "../db/leases.ts";
import { type Clock, nowSeconds } from "../util/clock.ts";

export interface Job {
  name: string;
  everySeconds: number;
  /** Asked before the lease is taken, so that a job that comes often and seldom has anything to do writes nothing. */
  hasWork?(): Promise<boolean>;
  /** @param signal aborts when the process stops: a run that lasts begins nothing new then. */
  run(signal?: AbortSignal): Promise<void>;
}

export interface SchedulerOptions {
  database: Database;
  logger: Logger;
  /** Unique for each process. */
  holder: string;
  jobs: readonly Job[];
  /** Unix milliseconds. */
  clock: Clock;
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
  const stopping = new AbortController();
  const start = (job: Job): Promise<boolean> => {
    const current = running.get(job.name);
    if (current !== undefined) return current;
    const run = runAsLeader(options, job, stopping.signal).finally(() => running.delete(job.name));
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
      stopping.abort();
      await Promise.all(running.values());
      // A database that is away must not keep the ledger behind this from closing; a lease runs out by itself.
      await releaseLeases(options.database, options.holder).catch((error: unknown) =>
        options.logger.warn({ err: error }, "the leases could not be given back"),
      );
    },
  };
}

/** True where the job ran here. */
async function runAsLeader(
  { database, logger, holder, clock }: SchedulerOptions,
  job: Job,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    if (job.hasWork !== undefined && !(await job.hasWork())) return false;
    // Longer than the interval: the leader renews before it ends, so that the same process goes on.
    const { name, everySeconds } = job;
    const leaseOf = () => ({ name, holder, seconds: everySeconds * 2, now: nowSeconds(clock) });
    if (!(await takeLease(database, leaseOf()))) return false;
    // A run may be longer than its lease. A renewal that fails is made up for by the next one.
    const renewal = setInterval(() => {
      const { seconds, now } = leaseOf();
      renewLease(database.kysely, { name, holder, expiresTime: now + seconds }).catch((error: unknown) =>
        logger.warn({ err: error, job: name }, "the lease of a job could not be renewed"),
      );
    }, everySeconds * 1000);
    await job.run(signal).finally(() => clearInterval(renewal));
    return true;
  } catch (error) {
    logger.error({ err: error, job: job.name }, "scheduled job failed");
    return false;
  }
}
