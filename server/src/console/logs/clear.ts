/** Deletes old rows of the log, gently: chunks of a few milliseconds with pauses between them, at once or as one background run that outlives its process. */
import { randomUUID } from "node:crypto";
import { AppError } from "../../../../contract/src/errors.ts";
import type { ClearProgress, OldLogs } from "../../../../contract/src/features/logs.ts";
import { clearProgress } from "../../../../contract/src/features/logs.ts";
import type { Database } from "../../db/database.ts";
import { endLease, readLease, revokeLease, takeLease } from "../../db/leases.ts";
import { nowSeconds } from "../../util/clock.ts";
import { leaseOf, readRun, type RunKind, writeProgress } from "../background-run.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { chunksOf, deleteGently } from "./gentle-delete.ts";
import { countOlder, logPlaces } from "./store.ts";

type ClearContext = Pick<ConsoleContext, "database" | "clock" | "logger">;

const PROGRESS_EVERY_MS = 500;
/** Holder of the lease of a run that was stopped by hand, so that no process resumes it. */
const STOPPED = "stopped";
/** How often one of the processes looks whether a run waits. */
const RESUME_EVERY_SECONDS = 15;

const RUN: RunKind<ClearProgress> = {
  lease: "log_clear",
  fact: "log_clear_progress",
  leaseSeconds: 60,
  neverRun: Object.freeze({
    running: false,
    target_timestamp: 0,
    done: 0,
    total: 0,
    stopped: false,
    failed: false,
    started_by: "",
    started_time: 0,
    finished_time: 0,
  }),
  schema: clearProgress,
};

/**
 * The time asked for, in Unix seconds, or now where it is to come: a run that followed the rows still being written would have no end.
 * Throws log_timestamp_missing where there is none.
 */
function checkTarget(context: Pick<ClearContext, "clock">, before: number | undefined): number {
  if (before === undefined || before <= 0) throw new AppError("log_timestamp_missing", { field: "target_timestamp" });
  return Math.min(before, nowSeconds(context.clock));
}

/** Deletes rows older than `before` (Unix seconds) and gives how many. The ledger, the roll-up and the counts of how calls went stay. */
export async function clearLogs(context: ClearContext, before: number | undefined): Promise<number> {
  const target = checkTarget(context, before);
  let deleted = 0;
  for (const place of logPlaces(context.database))
    deleted += await deleteGently(chunksOf(place, target), () => Promise.resolve(true));
  return deleted;
}

/** How many rows are older than `before` (Unix seconds). Throws log_timestamp_missing. */
export async function countOldLogs(context: ClearContext, before: number | undefined): Promise<OldLogs> {
  const { total, isExact } = await countOlder(context.database, checkTarget(context, before));
  return { total, is_exact: isExact };
}

/** True while a run has its lease in any process. */
export async function isClearing({ database, clock }: Pick<ClearContext, "database" | "clock">): Promise<boolean> {
  return (await readLease(database, RUN.lease)).expiresTime > nowSeconds(clock);
}

/** How far the run is, or how the last one ended. One whose process is gone is running: another resumes it. */
export async function readClearProgress(context: Pick<ClearContext, "database">): Promise<ClearProgress> {
  const { progress, holder } = await readRun(context.database, RUN);
  return progress.running && holder === STOPPED ? { ...progress, running: false, stopped: true } : progress;
}

/** Ends the run after its current chunk, in whichever process it is. */
export async function stopClear(context: ClearContext): Promise<ClearProgress> {
  const { database } = context;
  const { expiresTime } = await readRun(database, RUN);
  await revokeLease(database, RUN.lease, STOPPED);
  const now = nowSeconds(context.clock);
  // Read again: the run may have ended, and another have begun, since.
  const { progress } = await readRun(database, RUN);
  const stopped = { ...progress, running: false, stopped: true, finished_time: now };
  // A run that waits for a process has none that could record its end.
  if (progress.running && expiresTime <= now)
    await writeProgress(database, RUN, { holder: STOPPED, expiresTime: 0 }, stopped);
  return readClearProgress(context);
}

/** The runs of this process, by database. */
interface Runs {
  isPaused: boolean;
  running: Set<Promise<void>>;
}
const runsByDatabase = new WeakMap<Database, Runs>();

function runsOf(database: Database): Runs {
  let runs = runsByDatabase.get(database);
  if (runs === undefined) runsByDatabase.set(database, (runs = { isPaused: false, running: new Set() }));
  return runs;
}

/** How a run ended in this process. */
type RunEnd = "done" | "stopped" | "failed" | "paused";

/** Deletes, reports and keeps the lease, until there is nothing left or it is stopped. */
async function runUntilEnd(
  { database, clock, logger }: ClearContext,
  holder: string,
  begun: ClearProgress,
): Promise<{ end: RunEnd; done: number }> {
  let done = begun.done;
  let end: RunEnd = "done";
  let toldAt = performance.now();
  let before = begun.done;
  const goesOn = async (deleted: number): Promise<boolean> => {
    done = before + deleted;
    if (runsOf(database).isPaused) end = "paused";
    else if (performance.now() - toldAt >= PROGRESS_EVERY_MS) {
      toldAt = performance.now();
      const lease = { holder, expiresTime: nowSeconds(clock) + RUN.leaseSeconds };
      if (!(await writeProgress(database, RUN, lease, { ...begun, done }))) end = "stopped";
    }
    return end === "done";
  };
  try {
    for (const place of logPlaces(database)) {
      if (end === "done") before += await deleteGently(chunksOf(place, begun.target_timestamp), goesOn);
    }
  } catch (error) {
    logger.error({ err: error }, "the deletion of old log rows ended early");
    end = "failed";
  }
  return { end, done };
}

async function runClear(context: ClearContext, holder: string, begun: ClearProgress): Promise<void> {
  const { database } = context;
  const { end, done } = await runUntilEnd(context, holder, begun);
  const ended = { running: false, stopped: end === "stopped", failed: end === "failed" };
  const ending = end === "paused" ? {} : { ...ended, finished_time: nowSeconds(context.clock) };
  const lease = { holder: end === "stopped" ? STOPPED : holder, expiresTime: 0 };
  // Where another process has the run by now, or another run has begun, its own progress is not overwritten.
  await writeProgress(database, RUN, lease, { ...begun, done, ...ending });
}

/** Runs in the background; the promise settles with its end in this process and never rejects. */
function startRun(context: ClearContext, holder: string, begun: ClearProgress): Promise<void> {
  const { running } = runsOf(context.database);
  const run = runClear(context, holder, begun)
    .catch((error: unknown) => context.logger.error({ err: error }, "the end of a deletion was not recorded"))
    .finally(() => running.delete(run));
  running.add(run);
  return run;
}

/**
 * Begins to delete rows older than `before` (Unix seconds) in the background; `finished` settles with its end and never rejects.
 * `startedBy` is the name that its progress carries.
 * Throws log_timestamp_missing, or log_clear_running while one is under way in any process.
 */
export async function startClear(
  context: ClearContext,
  before: number | undefined,
  startedBy: string,
): Promise<{ progress: ClearProgress; finished: Promise<void> }> {
  const target_timestamp = checkTarget(context, before);
  const holder = randomUUID();
  const hasLease = await takeLease(context.database, leaseOf(RUN, holder, nowSeconds(context.clock)));
  if (!hasLease) throw new AppError("log_clear_running");
  const { total } = await countOlder(context.database, target_timestamp);
  const begun = { target_timestamp, total, started_by: startedBy, started_time: nowSeconds(context.clock) };
  const progress: ClearProgress = { ...RUN.neverRun, ...begun, running: true };
  const lease = { holder, expiresTime: nowSeconds(context.clock) + RUN.leaseSeconds };
  if (!(await writeProgress(context.database, RUN, lease, progress))) throw new AppError("log_clear_running");
  return { progress, finished: startRun(context, holder, progress) };
}

/**
 * Goes on with a run whose process ended or died; `finished` as startClear gives it. Undefined where none waits for a process.
 * A process that died holds its lease for up to a minute.
 */
export async function resumeClear(context: ClearContext): Promise<{ finished: Promise<void> } | undefined> {
  const { database } = context;
  const waiting = await readRun(database, RUN);
  const now = nowSeconds(context.clock);
  if (!waiting.progress.running || waiting.expiresTime > now || runsOf(database).isPaused) return undefined;
  const holder = randomUUID();
  if (!(await takeLease(database, { ...leaseOf(RUN, holder, now), unlessHeldBy: STOPPED }))) return undefined;
  // Read again, now that it cannot change: another process may have resumed the run and ended it since it was looked at.
  const { progress } = await readRun(database, RUN);
  if (!progress.running) {
    await endLease(database, RUN.lease, holder);
    return undefined;
  }
  const { total } = await countOlder(database, progress.target_timestamp);
  return { finished: startRun(context, holder, { ...progress, total: progress.done + total }) };
}

/** Looks for such a run now and then, in the process that has the job's lease. */
export const clearResumeJob = (context: ClearContext) => ({
  name: "log_clear_resume",
  everySeconds: RESUME_EVERY_SECONDS,
  // The run itself is longer than a job may take.
  run: async (): Promise<void> => void (await resumeClear(context)),
});

/** For a process that stops: its runs end after their current chunk, and another process, or the next one, resumes them. */
export async function pauseClears(database: Database): Promise<void> {
  const runs = runsOf(database);
  runs.isPaused = true;
  await Promise.all(runs.running);
}
