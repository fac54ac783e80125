/** Deletes old rows of the log, gently: chunks of a few milliseconds with pauses between them, at once or as one background run. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../../../contract/src/errors.ts";
import type { ClearProgress } from "../../../../contract/src/features/logs.ts";
import { clearProgress } from "../../../../contract/src/features/logs.ts";
import type { Database } from "../../db/database.ts";
import { affectedRows, insertOrIgnore, upsert } from "../../db/portable.ts";
import type { ConsoleContext } from "../handlers.ts";
import { countOlder, deleteOldest } from "./store.ts";

type ClearContext = Pick<ConsoleContext, "database" | "clock" | "logger">;

/** What one chunk may take of SQLite's only writer; settlements wait for no longer. */
const CHUNK_MS = 20;
const SMALLEST_CHUNK = 128;
const LARGEST_CHUNK = 2048;
const SHORTEST_PAUSE_MS = 2;

const LEASE = "log_clear";
const FACT = "log_clear_progress";
/** A run that was not heard of for this long is dead, and another may begin. */
const LEASE_SECONDS = 60;
const PROGRESS_EVERY_MS = 500;

const NEVER_RUN: ClearProgress = Object.freeze({
  running: false,
  target_timestamp: 0,
  done: 0,
  total: 0,
  stopped: false,
  failed: false,
  started_time: 0,
  finished_time: 0,
});

const secondsOf = ({ clock }: Pick<ClearContext, "clock">): number => Math.floor(clock() / 1000);

/** The time asked for, in Unix seconds. Throws log_timestamp_missing where there is none. */
function checkTarget(before: number | undefined): number {
  if (before === undefined || before <= 0) throw new AppError("log_timestamp_missing", { field: "target_timestamp" });
  return before;
}

/** Powers of two, so that few statements have to be prepared. */
function nextSize(size: number, tookMs: number): number {
  if (tookMs > CHUNK_MS) return Math.max(SMALLEST_CHUNK, size / 2);
  return tookMs < CHUNK_MS / 4 ? Math.min(LARGEST_CHUNK, size * 2) : size;
}

/** Deletes chunk by chunk until nothing is left or `goesOn` says no; gives how many. At most half of the time is deleting. */
async function deleteGently(
  database: Database,
  before: number,
  goesOn: (done: number) => Promise<boolean>,
): Promise<number> {
  let size = SMALLEST_CHUNK;
  let done = 0;
  let from = 0;
  for (;;) {
    const chunk = await deleteOldest(database, before, from, size);
    const { tookMs } = chunk;
    if (chunk.found === 0) return done;
    done += chunk.deleted;
    from = chunk.newest;
    if (!(await goesOn(done))) return done;
    size = nextSize(size, tookMs);
    await delay(Math.max(SHORTEST_PAUSE_MS, tookMs));
  }
}

/** Deletes rows older than `before` (Unix seconds) and gives how many. The ledger and the roll-up stay. */
export const clearLogs = (context: ClearContext, before: number | undefined): Promise<number> =>
  deleteGently(context.database, checkTarget(before), () => Promise.resolve(true));

/** How many rows are older than `before` (Unix seconds). */
export const countOldLogs = (context: ClearContext, before: number | undefined): Promise<number> =>
  countOlder(context.database, checkTarget(before));

async function takeLease(database: Database, holder: string, now: number): Promise<boolean> {
  const row = { name: LEASE, holder, expires_time: now + LEASE_SECONDS };
  if (await insertOrIgnore(database, database.kysely, "leases", row)) return true;
  const { name: _name, ...change } = row;
  const dead = database.kysely
    .updateTable("leases")
    .set(change)
    .where("name", "=", LEASE)
    .where("expires_time", "<=", now);
  return affectedRows(await dead.executeTakeFirstOrThrow()) === 1;
}

/** False where the run was stopped, or another has begun. */
async function keepLease(database: Database, holder: string, now: number): Promise<boolean> {
  const own = database.kysely
    .updateTable("leases")
    .set({ expires_time: now + LEASE_SECONDS })
    .where("name", "=", LEASE)
    .where("holder", "=", holder)
    .where("expires_time", ">", 0);
  return affectedRows(await own.executeTakeFirstOrThrow()) === 1;
}

async function writeProgress(database: Database, progress: ClearProgress): Promise<void> {
  const value = JSON.stringify(progress);
  await upsert(database, database.kysely, "facts", { name: FACT, value }, ["name"], { value });
}

/** How far the run is, or how the last one ended; `running` is false for one whose process died. */
export async function readClearProgress(context: ClearContext): Promise<ClearProgress> {
  const { kysely } = context.database;
  const [fact, lease] = await Promise.all([
    kysely.selectFrom("facts").select("value").where("name", "=", FACT).executeTakeFirst(),
    kysely.selectFrom("leases").select("expires_time").where("name", "=", LEASE).executeTakeFirst(),
  ]);
  if (fact === undefined) return NEVER_RUN;
  const progress = clearProgress.parse(JSON.parse(fact.value));
  return { ...progress, running: progress.running && (lease?.expires_time ?? 0) > secondsOf(context) };
}

/** Ends the run after its current chunk, in whichever process it is. */
export async function stopClear(context: ClearContext): Promise<ClearProgress> {
  await context.database.kysely.updateTable("leases").set({ expires_time: 0 }).where("name", "=", LEASE).execute();
  return readClearProgress(context);
}

async function runClear(context: ClearContext, holder: string, begun: ClearProgress): Promise<void> {
  const { database } = context;
  let progress = begun;
  let toldAt = performance.now();
  const goesOn = async (done: number): Promise<boolean> => {
    progress = { ...progress, done };
    if (performance.now() - toldAt < PROGRESS_EVERY_MS) return true;
    toldAt = performance.now();
    if (!(await keepLease(database, holder, secondsOf(context)))) {
      progress = { ...progress, stopped: true };
      return false;
    }
    await writeProgress(database, progress);
    return true;
  };
  try {
    await deleteGently(database, begun.target_timestamp, goesOn);
  } catch (error) {
    context.logger.error({ err: error }, "the deletion of old log rows ended early");
    progress = { ...progress, failed: true };
  }
  await writeProgress(database, { ...progress, running: false, finished_time: secondsOf(context) });
  await database.kysely
    .updateTable("leases")
    .set({ expires_time: 0 })
    .where("name", "=", LEASE)
    .where("holder", "=", holder)
    .execute();
}

/**
 * Begins to delete rows older than `before` (Unix seconds) in the background; `finished` settles with its end and never rejects.
 * Throws log_timestamp_missing, or log_clear_running while one is under way in any process.
 */
export async function startClear(
  context: ClearContext,
  before: number | undefined,
): Promise<{ progress: ClearProgress; finished: Promise<void> }> {
  const target_timestamp = checkTarget(before);
  const holder = randomUUID();
  if (!(await takeLease(context.database, holder, secondsOf(context)))) throw new AppError("log_clear_running");
  const total = await countOlder(context.database, target_timestamp);
  const progress = { ...NEVER_RUN, running: true, target_timestamp, total, started_time: secondsOf(context) };
  await writeProgress(context.database, progress);
  const report = (error: unknown) => context.logger.error({ err: error }, "the end of a deletion was not recorded");
  return { progress, finished: runClear(context, holder, progress).catch(report) };
}
