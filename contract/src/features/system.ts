/** The system as the super administrator sees it: checks with their repairs, versions, database, disk, jobs, backups and processes. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";

/** What has no answer by then holds up nothing else. */
export const SYSTEM_LIMIT_MS = 2_000;
/** Tables that are shown: the largest. */
export const TABLES_MOST = 20;

export const systemCheck = z.object({
  name: z.string(),
  status: z.enum(["ok", "warn", "fail"]),
  /** What was found, in English as the command prints it; without secrets. */
  finding: z.string(),
  /** What to do; "" where all is right. */
  repair: z.string(),
  /** The same as codes of contract/src/system-findings.ts with their values, for the console's own words. */
  code: z.string(),
  repair_code: z.string(),
  values: z.record(z.string(), z.union([z.string(), z.number()])),
});
export type SystemCheck = z.output<typeof systemCheck>;

/** One part of the page, or why it is not there: "late" for no answer in time, else the reason. */
const part = <Shape extends z.ZodType>(shape: Shape) => z.object({ data: shape.nullable(), failure: z.string() });

export const jobRun = z.object({
  name: z.string(),
  every_seconds: z.number(),
  /** Unix seconds of the last run in this process that had something to do; 0 for none. */
  started_time: z.number(),
  /** 0 while it runs. */
  ended_time: z.number(),
  /** When its timer asks next; Unix seconds. */
  next_time: z.number(),
  /** Why the last run failed; "" where it did not. */
  failure: z.string(),
});
export type JobRun = z.output<typeof jobRun>;

export const processVitals = z.object({
  /** Host and process id. */
  name: z.string(),
  version: z.string(),
  node: z.string(),
  /** Unix seconds. */
  started_time: z.number(),
  seen_time: z.number(),
  memory_bytes: z.number(),
  heap_bytes: z.number(),
  /** The 99th percentile of the event loop's delay since the last look, milliseconds. */
  loop_lag_ms: z.number(),
  /** How long ago the snapshot was known to be that of the database, milliseconds. */
  snapshot_age_ms: z.number(),
  /** Charges that wait in the journal, and entries that wait for the database. */
  journal_entries: z.number(),
  waiting_entries: z.number(),
  jobs: z.array(jobRun),
});
export type ProcessVitals = z.output<typeof processVitals>;

const systemJob = jobRun.extend({
  /** Name of the process that holds its lease; "" for none. */
  leader: z.string(),
});
export type SystemJob = z.output<typeof systemJob>;

export const BACKUP_DESTINATIONS = ["folder", "bucket"] as const;

export const backupDestination = z.object({
  name: z.enum(BACKUP_DESTINATIONS),
  /** A folder or an `s3://` address. */
  shown: z.string(),
  /** Unix seconds of the last try and of the newest whole backup that was read back; 0 for none. */
  tried_time: z.number(),
  finished_time: z.number(),
  /** Why the last try failed; "" where it did not. */
  failure: z.string(),
  /** One was asked for and has not begun. */
  is_requested: z.boolean(),
  progress: z
    .object({ step: z.enum(["writing", "checking"]), rows: z.number(), total: z.number(), started_time: z.number() })
    .nullable(),
  /** The newest first; null where the destination did not answer in time. */
  files: z.array(z.object({ file: z.string(), bytes: z.number(), time: z.number() })).nullable(),
  files_failure: z.string(),
});
export type BackupDestination = z.output<typeof backupDestination>;

const systemFacts = z.object({
  version: z.string(),
  node: z.string(),
  /** Unix seconds at which the answer was made. */
  now: z.number(),
  database: part(
    z.object({
      engine: z.enum(["sqlite", "postgres", "mysql"]),
      version: z.string(),
      /** File, or host and name; never credentials. */
      place: z.string(),
      bytes: z.number(),
      schema: z.string(),
      /** Steps of migrations that are left. */
      pending: z.array(z.string()),
      /** Connections that each process may open; 0 for the embedded database. */
      pool_size: z.number(),
    }),
  ),
  tables: part(z.array(z.object({ name: z.string(), bytes: z.number() }))),
  disk: part(z.object({ free_bytes: z.number(), total_bytes: z.number() })),
  processes: part(z.array(processVitals.omit({ jobs: true }))),
  jobs: part(z.array(systemJob)),
  outbox: part(
    z.object({
      waiting: z.number(),
      failed: z.number(),
      /** Unix seconds at which the oldest waiting message was written; 0 for none. */
      oldest_time: z.number(),
    }),
  ),
  backups: part(z.array(backupDestination)),
});
export type SystemFacts = z.output<typeof systemFacts>;

export const getSystem = endpoint({
  method: "GET",
  path: "/api/system",
  access: "root",
  object: "site",
  summary: "Facts of the system: database, disk, processes, jobs, messages and backups; each part has 2 s",
  data: systemFacts,
});

export const getSystemChecks = endpoint({
  method: "GET",
  path: "/api/system/checks",
  access: "root",
  object: "site",
  summary: "The checks of `turnpike doctor`, side by side; each has 2 s",
  data: z.array(systemCheck),
});

export const requestBackup = endpoint({
  method: "POST",
  path: "/api/system/backup",
  access: "root",
  object: "site",
  summary: "Asks for a backup now, which begins within seconds; it is never sent to a browser",
  body: z.object({ destination: z.enum(BACKUP_DESTINATIONS) }),
});

export const makeSupportBundle = endpoint({
  method: "POST",
  path: "/api/system/support_bundle",
  access: "root",
  object: "site",
  summary: "Makes the support bundle: each file as text, and the `.tar.gz` of all in base64",
  data: z.object({
    files: z.array(z.object({ name: z.string(), text: z.string() })),
    archive: z.string(),
  }),
});
