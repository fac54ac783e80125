/** State of scheduled backups in the table `facts`: the last attempt at each destination, the running one, and a requested one. */
import { z } from "zod";
import type { DestinationName } from "./destinations.ts";

const stateSchema = z.object({
  /** The hour of the schedule that the newest backup is for; Unix seconds, 0 for none yet. */
  slot: z.int(),
  /** When one was begun last; Unix seconds. */
  tried_time: z.int(),
  /** When the newest was whole and had been read back; Unix seconds, 0 for none yet. */
  finished_time: z.int(),
  file: z.string(),
  bytes: z.int(),
  /** Why the last try failed; "" where it did not. */
  failure: z.string(),
});
export type BackupState = z.output<typeof stateSchema>;

const progressSchema = z.object({
  step: z.enum(["writing", "checking"]),
  rows: z.int(),
  total: z.int(),
  /** Unix seconds. */
  started_time: z.int(),
  seen_time: z.int(),
});
export type BackupProgress = z.output<typeof progressSchema>;

/** A process writes it every few seconds; an older one is of a process that was killed. */
const PROGRESS_SECONDS = 60;

/** Names of facts. The first destination had none in its name before there was a second. */
export const stateFact = (name: DestinationName): string =>
  name === "folder" ? "scheduled_backup" : `scheduled_backup_${name}`;
export const progressFact = (name: DestinationName): string => `backup_progress_${name}`;
/** Unix seconds at which the super administrator asked for one. */
export const requestFact = (name: DestinationName): string => `backup_request_${name}`;
/** Is there while backups fail or are late, and their owner knows. */
export const alarmFact = (name: DestinationName): string => `backup_alarm_${name}`;

const NEVER: BackupState = { slot: 0, tried_time: 0, finished_time: 0, file: "", bytes: 0, failure: "" };

/** The state in a fact's text. */
export const readBackupState = (text: string | undefined): BackupState =>
  text === undefined ? NEVER : stateSchema.parse(JSON.parse(text));

/** The progress in a fact's text; undefined where none runs. @param now Unix seconds */
export function readProgress(text: string | undefined, now: number): BackupProgress | undefined {
  if (text === undefined) return undefined;
  const progress = progressSchema.parse(JSON.parse(text));
  return progress.seen_time < now - PROGRESS_SECONDS ? undefined : progress;
}

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
/** A backup that is not whole so long after its hour is late. */
const LATE_SECONDS = 6 * HOUR_SECONDS;

/** The last moment at which a backup was to be made. @param hour of the day by UTC; all times in Unix seconds */
export function slotOf(now: number, hour: number): number {
  const offset = hour * HOUR_SECONDS;
  return Math.floor((now - offset) / DAY_SECONDS) * DAY_SECONDS + offset;
}

/** Whether the backup of the last hour of the schedule is missing for long. @param since not before this; all times in Unix seconds */
export function isLate({ slot }: BackupState, hour: number, now: number, since: number): boolean {
  const wanted = slotOf(now, hour);
  return slot < wanted && now - Math.max(wanted, since) >= LATE_SECONDS;
}
