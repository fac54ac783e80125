/** A background run over many items, such as channels: bounded concurrency, counted progress, one run of a kind over all processes, and stoppable from each of them. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { FAILURES_NAMED, type RunProgress } from "../../../contract/src/channels/channel-tests.ts";
import { endLease, readLease, revokeLease, takeLease } from "../db/leases.ts";
import { nowSeconds } from "../util/clock.ts";
import { leaseOf, readRun, type RunKind, writeProgress } from "./background-run.ts";
import type { ConsoleContext } from "./http/handlers.ts";
import { type Actor, audit } from "./kit/audit.ts";

/** Things worked on at the same time. */
const PARALLEL = 3;
/** How often the end of a run is tried again while the database does not take it; in all as long as its lease lasts. */
const END_RETRY_MS = 1_000;
/** How often a run checks whether it was stopped, possibly by another process. */
const STOP_LOOK_MS = 400;
/** Holder of the lease of a run that was stopped. */
const STOPPED = "stopped";

/** A progress before any run. */
export const NOTHING_COUNTED: RunProgress = Object.freeze({
  running: false,
  done: 0,
  total: 0,
  failed: 0,
  disabled: 0,
  stopped: false,
  failures: [],
  started_time: 0,
  finished_time: 0,
});

type RunContext = Pick<ConsoleContext, "database" | "clock" | "logger">;

/** How far the run is, or how the last one ended; `running` is false for one whose process died. */
export async function readCounted<Progress extends RunProgress>(
  context: Pick<RunContext, "database" | "clock">,
  kind: RunKind<Progress>,
): Promise<Progress> {
  const { progress, expiresTime, holder } = await readRun(context.database, kind);
  const isAlive = expiresTime > nowSeconds(context.clock);
  const stopped = progress.stopped || (progress.running && holder === STOPPED);
  return { ...progress, stopped, running: progress.running && isAlive };
}

/** Ends the run, in whichever process it is; what it has under way is given up. Gives how far it came, or undefined without a run. */
async function stopCounted<Progress extends RunProgress>(
  context: Pick<RunContext, "database" | "clock">,
  kind: RunKind<Progress>,
): Promise<Progress | undefined> {
  const before = await readCounted(context, kind);
  if (!before.running) return undefined;
  await revokeLease(context.database, kind.lease, STOPPED);
  return before;
}

/**
 * The same for an administrator, who is entered into the log with how far the run came. Gives how it ended.
 * @param code the event of the log that says what was stopped
 */
export async function stopAudited<Progress extends RunProgress>(
  context: Pick<ConsoleContext, "database" | "clock" | "billing">,
  actor: Actor,
  kind: RunKind<Progress>,
  code: "balances_stopped" | "channel_tests_stopped",
): Promise<Progress> {
  const before = await stopCounted(context, kind);
  if (before !== undefined) await audit(context, actor, { code, values: { done: before.done, total: before.total } });
  return readCounted(context, kind);
}

/** The progress of one item: a number for each counter, and its name where it failed. */
export type Counts<Progress extends RunProgress> = Partial<
  Record<Exclude<keyof Progress, "total" | "started_time" | "finished_time">, number>
> & { failure?: RunProgress["failures"][number] | undefined };

/** The counters of one run, written one after the other, so that an older count never overwrites a newer one. */
export class CountedRun<Progress extends RunProgress> {
  readonly holder: string;
  readonly #context: RunContext;
  readonly #kind: RunKind<Progress>;
  #progress: Progress;
  #writing: Promise<void> = Promise.resolve();
  readonly #ended = new AbortController();
  readonly #look: NodeJS.Timeout;
  /** Aborted when the run is stopped, another one takes its place, or this process ends. */
  readonly stop: AbortSignal;

  constructor(
    context: RunContext,
    kind: RunKind<Progress>,
    start: { holder: string; total: number; end: AbortSignal | undefined },
  ) {
    this.holder = start.holder;
    this.#context = context;
    this.#kind = kind;
    this.#progress = { ...kind.neverRun, running: true, total: start.total, started_time: nowSeconds(context.clock) };
    this.stop = start.end === undefined ? this.#ended.signal : AbortSignal.any([this.#ended.signal, start.end]);
    this.#look = setInterval(() => void this.#lookForStop(), STOP_LOOK_MS);
    this.#look.unref();
  }

  async #lookForStop(): Promise<void> {
    const { holder } = await readLease(this.#context.database, this.#kind.lease).catch(() => ({ holder: this.holder }));
    if (holder !== this.holder) this.#ended.abort();
  }

  /** Adds to the counters and keeps the lease. Throws where the database does not take it; a later count stores this one too. */
  count({ failure, ...added }: Counts<Progress>): Promise<void> {
    const before = this.#progress;
    const sums = Object.entries(added).map(([name, number]) => [
      name,
      Number(before[name as keyof Progress]) + Number(number ?? 0),
    ]);
    const failures = failure === undefined ? before.failures : [...before.failures, failure].slice(0, FAILURES_NAMED);
    this.#progress = { ...before, ...Object.fromEntries(sums), failures };
    return this.#write();
  }

  /** Stores the end and gives the lease back. Throws where the database took neither until the lease was over. */
  async finish(): Promise<void> {
    clearInterval(this.#look);
    const { lease, leaseSeconds } = this.#kind;
    const stopped = this.stop.aborted;
    this.#progress = { ...this.#progress, stopped, running: false, finished_time: nowSeconds(this.#context.clock) };
    for (let triesLeft = (leaseSeconds * 1000) / END_RETRY_MS; ; triesLeft -= 1) {
      try {
        await this.#write();
        return await endLease(this.#context.database, lease, this.holder);
      } catch (error) {
        if (triesLeft <= 1) throw error;
        this.#context.logger.warn({ err: error, run: lease }, "the end of a run is stored later");
        await sleep(END_RETRY_MS, undefined, { ref: false });
      }
    }
  }

  #write(): Promise<void> {
    const progress = this.#progress;
    const { database } = this.#context;
    const kind = this.#kind;
    const write = async () => {
      const expiresTime = nowSeconds(this.#context.clock) + kind.leaseSeconds;
      if (await writeProgress(database, kind, { holder: this.holder, expiresTime }, progress)) return;
      this.#ended.abort();
      // Where another run has begun meanwhile, its progress is the one to be read.
      await writeProgress(database, kind, { holder: STOPPED, expiresTime: 0 }, { ...progress, stopped: true });
    };
    // One that failed must not keep the later ones out.
    this.#writing = this.#writing.then(write, write);
    return this.#writing;
  }
}

/** A run under way; `finished` settles with its end and never rejects. */
export interface StartedRun {
  total: number;
  finished: Promise<void>;
}

/** The work of a run. */
export interface RunWork<Progress extends RunProgress, Item> {
  kind: RunKind<Progress>;
  items: readonly Item[];
  /** Does one and counts it. Never rejects. */
  each(item: Item, run: CountedRun<Progress>): Promise<void>;
  /** Once all are done or the run was stopped. */
  atEnd?(durationMs: number): Promise<void>;
  /** Ends the run with this process. */
  end?: AbortSignal | undefined;
}

async function workThrough<Progress extends RunProgress, Item>(
  run: CountedRun<Progress>,
  { items, each, atEnd }: RunWork<Progress, Item>,
): Promise<void> {
  const waiting = items.values();
  const started = performance.now();
  const work = async () => {
    for (let next = waiting.next(); next.done !== true && !run.stop.aborted; next = waiting.next())
      await each(next.value, run);
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  await atEnd?.(Math.round(performance.now() - started));
}

/** Starts a run and returns at once; undefined where one of its kind is under way in some process. */
export async function startCounted<Progress extends RunProgress, Item>(
  context: RunContext,
  work: RunWork<Progress, Item>,
): Promise<StartedRun | undefined> {
  const { kind, items, end } = work;
  const holder = randomUUID();
  const hasLease = await takeLease(context.database, leaseOf(kind, holder, nowSeconds(context.clock)));
  if (!hasLease) return undefined;
  const run = new CountedRun(context, kind, { holder, total: items.length, end });
  await run.count({});
  const where = { run: kind.lease };
  const finished = workThrough(run, work)
    .catch((error: unknown) => context.logger.error({ err: error, ...where }, "the row of a run was not written"))
    .then(() => run.finish())
    .catch((error: unknown) => context.logger.error({ err: error, ...where }, "the end of a run could not be stored"));
  return { total: items.length, finished };
}
