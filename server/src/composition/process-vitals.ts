/** Vital figures of each process: measured here, and written into the database where there may be several, for the console of each. */
import { type ProcessVitals, processVitals } from "../../../contract/src/features/system.ts";
import type { Database } from "../db/database.ts";
import { upsert } from "../db/portable.ts";
import { LoopDelayMonitor } from "../observe/loop-delay.ts";
import { type Clock, nowSeconds } from "../util/clock.ts";

const EVERY_MS = 10_000;
/** A process that has not written for so long has ended. */
const ALIVE_SECONDS = 45;
/** A row is deleted by the others. */
const FORGOTTEN_SECONDS = 600;

interface VitalsOptions {
  database: Database;
  logger: { warn(fields: object, text: string): void };
  /** Unix milliseconds. */
  clock: Clock;
  /** Name of this process. */
  process: string;
  version: string;
  /** What other parts know of themselves. */
  look(): Pick<ProcessVitals, "snapshot_age_ms" | "journal_entries" | "waiting_entries" | "jobs">;
}

export interface Vitals {
  /** All live processes, this one as it is now. Throws what the database throws. */
  all(): Promise<ProcessVitals[]>;
  stop(): Promise<void>;
}

async function write({ database, clock }: VitalsOptions, own: ProcessVitals): Promise<void> {
  const row = { process: own.name, seen_time: own.seen_time, vitals: JSON.stringify(own) };
  await upsert(database, database.kysely, "process_vitals", row, ["process"], row);
  const oldest = nowSeconds(clock) - FORGOTTEN_SECONDS;
  await database.kysely.deleteFrom("process_vitals").where("seen_time", "<", oldest).execute();
}

async function othersIn({ database, clock, process: name }: VitalsOptions): Promise<ProcessVitals[]> {
  const rows = await database.kysely
    .selectFrom("process_vitals")
    .select("vitals")
    .where("process", "!=", name)
    .where("seen_time", ">=", nowSeconds(clock) - ALIVE_SECONDS)
    .orderBy("process")
    .execute();
  // A process of another version may write other fields: it is left out until it is of this one.
  return rows.flatMap(({ vitals }) => {
    const read = processVitals.safeParse(JSON.parse(vitals));
    return read.success ? [read.data] : [];
  });
}

/** Measures from now on. The embedded database has one process, so nothing is written there. */
export function openVitals(options: VitalsOptions): Vitals {
  const { database, clock, logger, process: name } = options;
  const isAlone = database.engine === "sqlite";
  const started_time = nowSeconds(clock);
  const monitor = new LoopDelayMonitor();
  /** 99th percentile since the last write, in milliseconds. */
  let lagMs = 0;
  const own = (): ProcessVitals => ({
    name,
    version: options.version,
    node: process.version,
    started_time,
    seen_time: nowSeconds(clock),
    memory_bytes: process.memoryUsage.rss(),
    heap_bytes: process.memoryUsage().heapUsed,
    loop_lag_ms: lagMs,
    ...options.look(),
  });
  /** A database that does not respond gets one pending statement, not a new one every few seconds. */
  let writing: Promise<void> | undefined;
  const timer = setInterval(() => {
    lagMs = Math.round(monitor.take().p99);
    if (isAlone) return;
    writing ??= write(options, own())
      .catch((error: unknown) => logger.warn({ err: error }, "how this process is could not be stored"))
      .finally(() => (writing = undefined));
  }, EVERY_MS).unref();
  return {
    all: async () => [own(), ...(isAlone ? [] : await othersIn(options))],
    async stop() {
      clearInterval(timer);
      monitor.stop();
      await writing;
      // Where the database is away the others forget this process by themselves.
      if (isAlone) return;
      const gone = database.kysely.deleteFrom("process_vitals").where("process", "=", name).execute();
      await gone.catch((error: unknown) => logger.warn({ err: error }, "the last state of this process stays stored"));
    },
  };
}
