/** Runs the scheduled jobs: each on one process at a time, none overlapping itself, a failure logged and tried again next time. */
import type { Logger } from "pino";
import type { JobRun } from "../../../contract/src/features/system.ts";
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
  /** How each job went in this process. */
  runs(): JobRun[];
  /** Waits for what runs, then gives the leases back. */
  stop(): Promise<void>;
}

/** Starts a timer for each job; the first run comes after one interval. */
export function startScheduler(options: SchedulerOptions): Scheduler {
  const running = new Map<string, Promise<boolean>>();
  const stopping = new AbortController();
  const history = new History(options);
  const start = (job: Job): Promise<boolean> => {
    const current = running.get(job.name);
    if (current !== undefined) return current;
    const run = runAsLeader(options, job, history, stopping.signal).finally(() => running.delete(job.name));
    running.set(job.name, run);
    return run;
  };
  const timers = options.jobs.map((job) => setInterval(() => void start(job), job.everySeconds * 1000).unref());
  return {
    runNow: (name) => {
      const job = options.jobs.find((each) => each.name === name);
      return job === undefined ? Promise.reject(new Error(`There is no job ${name}`)) : start(job);
    },
    runs: () => history.runs(),
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

const MAX_FAILURE = 200;

/** What each job did last in this process. */
class History {
  readonly #jobs: readonly Job[];
  readonly #clock: Clock;
  readonly #startedTime: number;
  readonly #runs = new Map<string, Pick<JobRun, "started_time" | "ended_time" | "failure">>();

  constructor({ jobs, clock }: SchedulerOptions) {
    this.#jobs = jobs;
    this.#clock = clock;
    this.#startedTime = nowSeconds(clock);
  }

  begin(name: string): void {
    this.#runs.set(name, { started_time: nowSeconds(this.#clock), ended_time: 0, failure: "" });
  }

  /** @param failure "" where it ended well; a lease that could not be asked for is one too */
  end(name: string, failure: string): void {
    const ended_time = nowSeconds(this.#clock);
    const { started_time } = this.#runs.get(name) ?? { started_time: ended_time };
    this.#runs.set(name, { started_time, ended_time, failure: failure.slice(0, MAX_FAILURE) });
  }

  runs(): JobRun[] {
    const age = nowSeconds(this.#clock) - this.#startedTime;
    return this.#jobs.map(({ name, everySeconds: every_seconds }) => ({
      name,
      every_seconds,
      ...(this.#runs.get(name) ?? { started_time: 0, ended_time: 0, failure: "" }),
      next_time: this.#startedTime + (Math.floor(age / every_seconds) + 1) * every_seconds,
    }));
  }
}

/** True where the job ran here. */
async function runAsLeader(
  { database, logger, holder, clock }: SchedulerOptions,
  job: Job,
  history: History,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    if (job.hasWork !== undefined && !(await job.hasWork())) return false;
    // Longer than the interval: the leader renews before it ends, so that the same process stays it.
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
    history.begin(job.name);
    await job.run(signal).finally(() => clearInterval(renewal));
    history.end(job.name, "");
    return true;
  } catch (error) {
    history.end(job.name, error instanceof Error ? error.message : String(error));
    logger.error({ err: error, job: job.name }, "scheduled job failed");
    return false;
  }
}
