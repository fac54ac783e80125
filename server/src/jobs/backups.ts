/** Scheduled backups: one a day at each destination, the newest of which stay; the super administrator is notified once when they fail, and when they work again. */
import { Worker } from "node:worker_threads";
import type { Logger } from "pino";
import type { BackupReport, BackupThreadSettings } from "../archive/backup-thread.ts";
import {
  type BackupState,
  alarmFact,
  isLate,
  progressFact,
  readBackupState,
  requestFact,
  slotOf,
  stateFact,
} from "../archive/backup-state.ts";
import { type Destination, backupName, destinationsOf, outdated } from "../archive/destinations.ts";
import type { Notification } from "../../../contract/src/notifications.ts";
import type { Config } from "../config.ts";
import { keyValueStore } from "../db/key-value-store.ts";
import type { Database } from "../db/database.ts";
import { affectedRows, insertOrIgnore } from "../db/portable.ts";
import { type NotifyContext, notifyRoot } from "../notify/notify-user.ts";
import { nowSeconds } from "../util/clock.ts";
import type { Job } from "./scheduler.ts";

type BackupContext = NotifyContext & { database: Database; logger: Logger };

/** One that was asked for begins within this time. */
const EVERY_SECONDS = 15;
const LATE_EVERY_SECONDS = 300;
/** After a failure. */
const RETRY_SECONDS = 3_600;
const MAX_REASON = 300;
const PROGRESS_EVERY_MS = 2_000;

const reasonOf = (error: unknown): string =>
  ((error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "").slice(0, MAX_REASON);

/**
 * Ends when the backup is whole and was read back.
 * @returns its size in bytes. Throws what the thread threw, and an Error where `signal` ends it.
 */
async function runThread(
  settings: BackupThreadSettings,
  onReport: (report: BackupReport) => void,
  signal: AbortSignal | undefined,
): Promise<number> {
  const worker = new Worker(new URL("../archive/backup-thread.ts", import.meta.url), {
    workerData: settings,
    execArgv: [],
  });
  const stop = () => void worker.terminate();
  signal?.addEventListener("abort", stop, { once: true });
  let bytes: number | undefined;
  worker.on("message", (report: BackupReport) => {
    if (report.step === "done") bytes = report.bytes;
    else onReport(report);
  });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  worker.on("error", reject);
  worker.on("exit", (code) => {
    if (code === 0 && bytes !== undefined && signal?.aborted !== true) resolve(bytes);
    else reject(new Error(`The thread of the backup ended with code ${code}`));
  });
  return promise.finally(() => signal?.removeEventListener("abort", stop));
}

/** Raises the alarm, unless it is raised, and notifies the super administrator in the same transaction. */
async function raiseAlarm(
  context: BackupContext,
  { name, shown }: Destination,
  notificationOf: (place: string) => Notification,
): Promise<void> {
  const { database } = context;
  const since = String(nowSeconds(context.clock));
  await database.kysely.transaction().execute(async (transaction) => {
    if (!(await insertOrIgnore(database, transaction, "facts", { name: alarmFact(name), value: since }))) return;
    await notifyRoot(context, transaction, {
      notification: notificationOf(shown),
      onceKey: `${alarmFact(name)}:${since}`,
    });
  });
}

/** Ends the alarm, and says so where there was one. */
async function endAlarm(context: BackupContext, { name, shown }: Destination): Promise<void> {
  await context.database.kysely.transaction().execute(async (transaction) => {
    const ended = await transaction.deleteFrom("facts").where("name", "=", alarmFact(name)).executeTakeFirstOrThrow();
    if (affectedRows(ended) === 0) return;
    const notification = { code: "backup_works_again", values: { place: shown } } as const;
    await notifyRoot(context, transaction, { notification });
  });
}

/** Keeps how far it is, for every process to show; a write that fails is made up for by the next one. */
function progressKeeper({ database, clock, logger }: BackupContext, { name }: Destination) {
  const started_time = nowSeconds(clock);
  let savedMs = 0;
  let saving: Promise<void> = Promise.resolve();
  const save = (step: BackupReport["step"], rows: number, total: number): void => {
    const value = { step, rows, total, started_time, seen_time: nowSeconds(clock) };
    saving = saving
      .then(() => keyValueStore(database).write(progressFact(name), JSON.stringify(value)))
      .catch((error: unknown) => logger.warn({ err: error }, "the progress of a backup could not be stored"));
  };
  save("writing", 0, 0);
  return {
    onReport({ step, rows, total }: BackupReport): void {
      if (performance.now() - savedMs < PROGRESS_EVERY_MS) return;
      savedMs = performance.now();
      save(step, rows, total);
    },
    async end(): Promise<void> {
      await saving;
      await database.kysely.deleteFrom("facts").where("name", "=", progressFact(name)).execute();
    },
  };
}

type Schedule = NonNullable<Config["backups"]>;

/** The job of one destination. */
class DestinationJob {
  readonly #context: BackupContext;
  readonly #destination: Destination;
  readonly #schedule: Schedule;
  readonly #settings: Omit<BackupThreadSettings, "place">;

  constructor(context: BackupContext, destination: Destination, schedule: Schedule, config: Config, program: string) {
    this.#context = context;
    this.#destination = destination;
    this.#schedule = schedule;
    this.#settings = { config, program, passphrase: schedule.passphrase };
  }

  async #read(): Promise<BackupState> {
    return readBackupState(await keyValueStore(this.#context.database).read(stateFact(this.#destination.name)));
  }

  #write(state: BackupState): Promise<void> {
    return keyValueStore(this.#context.database).write(stateFact(this.#destination.name), JSON.stringify(state));
  }

  async #isDue({ slot, tried_time, failure }: BackupState): Promise<boolean> {
    const now = nowSeconds(this.#context.clock);
    const wanted = slotOf(now, this.#schedule.hour);
    if (slot < wanted && (failure === "" || tried_time < wanted || now >= tried_time + RETRY_SECONDS)) return true;
    const request = await keyValueStore(this.#context.database).read(requestFact(this.#destination.name));
    return Number(request ?? 0) > tried_time;
  }

  hasWork = async (): Promise<boolean> => this.#isDue(await this.#read());

  /** One backup, and its size in bytes. */
  async #backUp(file: string, signal: AbortSignal | undefined): Promise<number> {
    await this.#destination.prepare();
    const progress = progressKeeper(this.#context, this.#destination);
    const settings = { ...this.#settings, place: this.#destination.placeOf(file) };
    return runThread(settings, progress.onReport, signal).finally(() => progress.end());
  }

  async #deleteOld(): Promise<void> {
    const stored = await this.#destination.list();
    for (const file of outdated(stored, this.#schedule, nowSeconds(this.#context.clock)))
      await this.#destination.remove(file);
  }

  run = async (signal?: AbortSignal): Promise<void> => {
    const { clock, logger } = this.#context;
    const isStopping = () => signal?.aborted === true;
    const was = await this.#read();
    // Another process may have made it between the question and the lease.
    if (isStopping() || !(await this.#isDue(was))) return;
    const now = nowSeconds(clock);
    const slot = slotOf(now, this.#schedule.hour);
    let state: BackupState = { ...was, tried_time: now };
    try {
      const file = backupName(now);
      const bytes = await this.#backUp(file, signal);
      state = { slot, tried_time: now, finished_time: nowSeconds(clock), file, bytes, failure: "" };
      await this.#write(state);
      await this.#deleteOld();
      await endAlarm(this.#context, this.#destination);
      logger.info({ place: this.#destination.shown, file, bytes }, "the scheduled backup is written");
    } catch (error) {
      // A process that stops leaves the backup to the next one.
      if (isStopping()) return;
      const reason = reasonOf(error);
      logger.error({ err: error, place: this.#destination.shown }, "the scheduled backup failed");
      await this.#write({ ...state, failure: reason });
      await raiseAlarm(this.#context, this.#destination, (place) => ({
        code: "backup_failed",
        values: { reason, place },
      }));
    }
  };

  /** @param since Unix seconds at which this process started: a site that was down has not been late yet */
  checkLate = async (since: number): Promise<void> => {
    const now = nowSeconds(this.#context.clock);
    const state = await this.#read();
    if (!isLate(state, this.#schedule.hour, now, since)) return;
    const hours = Math.floor((now - slotOf(now, this.#schedule.hour)) / 3_600);
    await raiseAlarm(this.#context, this.#destination, (place) => ({
      code: "backup_late",
      values: { hours, place },
    }));
  };
}

/** @param program version of the program; the clock of the context gives Unix milliseconds */
export function backupJobs(context: BackupContext, config: Config, program: string): readonly Job[] {
  const { backups } = config;
  if (backups === undefined) return [];
  const since = nowSeconds(context.clock);
  return destinationsOf(config).flatMap((destination) => {
    const job = new DestinationJob(context, destination, backups, config, program);
    const name = stateFact(destination.name);
    return [
      { name, everySeconds: EVERY_SECONDS, hasWork: job.hasWork, run: job.run },
      { name: `${name}_late`, everySeconds: LATE_EVERY_SECONDS, run: () => job.checkLate(since) },
    ];
  });
}
