/** Assembles the system page: every part side by side, each bounded in time, so that a hung one delays no other. */
import {
  type BackupDestination,
  type JobRun,
  type ProcessVitals,
  SYSTEM_LIMIT_MS,
  type SystemFacts,
  type SystemJob,
} from "../../../../contract/src/features/system.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { stepsAfter, storedFacts, titleOf } from "../../db/migrations/migrate.ts";
import { nowSeconds } from "../../util/clock.ts";
import { withTimeout } from "../../util/deadline.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import type { Actor } from "../kit/audit.ts";
import { audit } from "../kit/audit.ts";
import { databaseBytes, leaders, outboxFacts, tableSizes } from "./store.ts";

interface Part<Data> {
  data: Data | null;
  failure: string;
}

const MAX_FAILURE = 300;

/** A part of the page within its time. Its reason is logged too, since the page shows only the first line. */
function partOf<Data>({ logger }: ConsoleContext, name: string, look: () => Promise<Data>): Promise<Part<Data>> {
  const work = look().then(
    (data): Part<Data> => ({ data, failure: "" }),
    (error: unknown): Part<Data> => {
      logger.warn({ err: error, part: name }, "a part of the system page could not be read");
      const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
      return { data: null, failure: line.slice(0, MAX_FAILURE) || "failed" };
    },
  );
  return withTimeout(work, SYSTEM_LIMIT_MS, () => ({ data: null, failure: "late" }));
}

async function databaseFacts({ database, site, system }: ConsoleContext) {
  const facts = await storedFacts(database);
  return {
    engine: database.engine,
    version: database.version,
    place: site.databasePlace,
    bytes: await databaseBytes(database),
    schema: facts["schema"]?.split(".")[0] ?? "",
    pending: stepsAfter(facts).map(titleOf),
    pool_size: system.poolSize,
  };
}

const withoutJobs = ({ jobs: _jobs, ...vitals }: ProcessVitals): Omit<ProcessVitals, "jobs"> => vitals;

/** Each job as the process saw it that ran it last. */
function lastRuns(processes: readonly ProcessVitals[], holders: ReadonlyMap<string, string>): SystemJob[] {
  const last = new Map<string, JobRun>();
  for (const { jobs } of processes)
    for (const job of jobs) if (job.started_time >= (last.get(job.name)?.started_time ?? -1)) last.set(job.name, job);
  return [...last.values()]
    .map((job) => ({ ...job, leader: holders.get(job.name) ?? "" }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

export async function readSystem(context: ConsoleContext): Promise<SystemFacts> {
  const { database, system, site, clock } = context;
  const now = nowSeconds(clock);
  const processes = system.processes();
  processes.catch(() => undefined); // both parts that wait for it say so
  const part = <Data>(name: string, look: () => Promise<Data>) => partOf(context, name, look);
  const [facts, tables, disk, alive, jobs, outbox, backups] = await Promise.all([
    part("database", () => databaseFacts(context)),
    part("tables", () => tableSizes(database)),
    part("disk", () => system.disk()),
    part("processes", async () => (await processes).map(withoutJobs)),
    part("jobs", async () => lastRuns(await processes, await leaders(database, now))),
    part("outbox", () => outboxFacts(database)),
    part("backups", () => system.backups()),
  ]);
  const { version } = site;
  return {
    version,
    node: process.version,
    now,
    database: facts,
    tables,
    disk,
    processes: alive,
    jobs,
    outbox,
    backups,
  };
}

/** Asks for a backup now. Throws AppError backup_not_configured where the site has no such destination. */
export async function requestBackup(
  context: ConsoleContext,
  actor: Actor,
  destination: BackupDestination["name"],
): Promise<void> {
  const place = await context.system.requestBackup(destination);
  if (place === undefined) throw new AppError("backup_not_configured", { field: "destination" });
  await audit(context, actor, { code: "backup_requested", values: { place } });
}

/** The support bundle, with a row of the audit trail. */
export async function makeSupportBundle(context: ConsoleContext, actor: Actor) {
  const bundle = await context.system.bundle();
  await audit(context, actor, { code: "support_bundle_made", values: {} });
  return bundle;
}
