/** Scheduled backups: one a day into a folder, the newest of which stay; a failure is reported to the super administrator and tried again. */
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Logger } from "pino";
import { z } from "zod";
import type { BackupThreadSettings } from "../archive/backup-thread.ts";
import type { BackupConfig, Config } from "../config.ts";
import { keyValueStore } from "../db/key-value-store.ts";
import type { Database } from "../db/database.ts";
import { type NotifyContext, notifyRoot } from "../notify/notify-user.ts";
import { nowSeconds } from "../util/clock.ts";
import type { Job } from "./scheduler.ts";

type BackupContext = NotifyContext & { database: Database; logger: Logger };

const EVERY_SECONDS = 60;
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
/** After a failure. */
const RETRY_SECONDS = HOUR_SECONDS;
const MAX_REASON = 300;
const STATE_FACT = "scheduled_backup";
/** Files of the job alone, and what a killed one left of them: no other file of the folder is ever deleted. */
const NAME = /^turnpike-\d{8}T\d{6}Z\.tpk$/;
const PART = /^turnpike-\d{8}T\d{6}Z\.tpk\.part$/;

const stateSchema = z.object({
  /** The hour of the schedule that the newest backup is for; Unix seconds, 0 for none yet. */
  slot: z.int(),
  /** When one was begun last; Unix seconds. */
  tried_time: z.int(),
  /** Of the newest whole backup. */
  finished_time: z.int(),
  file: z.string(),
  bytes: z.int(),
  /** Why the last try failed; "" where it did not. */
  failure: z.string(),
});
type State = z.output<typeof stateSchema>;
const NEVER: State = { slot: 0, tried_time: 0, finished_time: 0, file: "", bytes: 0, failure: "" };

async function readState(database: Database): Promise<State> {
  const value = await keyValueStore(database).read(STATE_FACT);
  return value === undefined ? NEVER : stateSchema.parse(JSON.parse(value));
}

const writeState = (database: Database, state: State): Promise<void> =>
  keyValueStore(database).write(STATE_FACT, JSON.stringify(state));

/** The last moment at which a backup was to be made; Unix seconds. */
function slotOf(now: number, hour: number): number {
  const offset = hour * HOUR_SECONDS;
  return Math.floor((now - offset) / DAY_SECONDS) * DAY_SECONDS + offset;
}

const nameOf = (now: number): string =>
  `turnpike-${new Date(now * 1000).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z.tpk`;

const reasonOf = (error: unknown): string =>
  ((error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "").slice(0, MAX_REASON);

/** Ends when the file is whole. Throws what the thread threw, and an Error where `signal` ends it. */
async function runThread(settings: BackupThreadSettings, signal: AbortSignal | undefined): Promise<void> {
  const worker = new Worker(new URL("../archive/backup-thread.ts", import.meta.url), {
    workerData: settings,
    execArgv: [],
  });
  const stop = () => void worker.terminate();
  signal?.addEventListener("abort", stop, { once: true });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  worker.on("error", reject);
  worker.on("exit", (code) => {
    if (code === 0 && signal?.aborted !== true) resolve();
    else reject(new Error(`The thread of the backup ended with code ${code}`));
  });
  await promise.finally(() => signal?.removeEventListener("abort", stop));
}

async function deleteAll(directory: string, names: readonly string[]): Promise<void> {
  for (const name of names) await rm(join(directory, name), { force: true });
}

/** Writes one backup, and gives its size in bytes. */
async function writeBackup(
  { directory, passphrase }: BackupConfig,
  settings: Omit<BackupThreadSettings, "path" | "passphrase">,
  file: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const left = (await readdir(directory)).filter((name) => PART.test(name));
  await deleteAll(directory, left);
  const path = join(directory, file);
  await runThread({ ...settings, path, passphrase }, signal);
  return (await stat(path)).size;
}

/** Deletes the oldest beyond the count. */
async function deleteOld({ directory, count }: BackupConfig): Promise<void> {
  const names = (await readdir(directory)).filter((name) => NAME.test(name)).toSorted();
  await deleteAll(directory, names.slice(0, Math.max(0, names.length - count)));
}

/** Stores why, and tells the super administrator once for each day of the schedule. */
async function reportFailure(context: BackupContext, state: State, slot: number, error: unknown): Promise<void> {
  const reason = reasonOf(error);
  context.logger.error({ err: error }, "the scheduled backup failed");
  await writeState(context.database, { ...state, failure: reason });
  const notification = { code: "backup_failed", values: { reason } } as const;
  await notifyRoot(context, context.database.kysely, { notification, onceKey: `backup_failed:${slot}` });
}

/** @param program version of the program; the clock of the context gives Unix milliseconds */
export function backupJobs(context: BackupContext, config: Config, program: string): readonly Job[] {
  const { database, clock, logger } = context;
  const { backups } = config;
  if (backups === undefined) return [];
  const isDue = ({ slot, tried_time, failure }: State): boolean => {
    const now = nowSeconds(clock);
    const wanted = slotOf(now, backups.hour);
    return slot < wanted && (failure === "" || tried_time < wanted || now >= tried_time + RETRY_SECONDS);
  };
  const run = async (signal?: AbortSignal): Promise<void> => {
    const isStopping = () => signal?.aborted === true;
    const was = await readState(database);
    // Another process may have made it between the question and the lease.
    if (isStopping() || !isDue(was)) return;
    const now = nowSeconds(clock);
    const slot = slotOf(now, backups.hour);
    let state: State = { ...was, tried_time: now };
    try {
      const file = nameOf(now);
      const bytes = await writeBackup(backups, { config, program }, file, signal);
      state = { slot, tried_time: now, finished_time: nowSeconds(clock), file, bytes, failure: "" };
      await writeState(database, state);
      await deleteOld(backups);
      logger.info({ file, bytes }, "the scheduled backup is written");
    } catch (error) {
      // A process that stops leaves the backup to the next one.
      if (isStopping()) return;
      await reportFailure(context, state, slot, error);
    }
  };
  const hasWork = async (): Promise<boolean> => isDue(await readState(database));
  return [{ name: "scheduled_backup", everySeconds: EVERY_SECONDS, hasWork, run }];
}
