/** The context that the parts of this folder share, with the times by which tasks are polled and given up. */
import type { Billing } from "../billing/billing.ts";
import type { Database } from "../db/database.ts";
import type { Secrets } from "../db/secrets.ts";
import type { PostToPublic } from "../notify/ways/way.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import type { BoundedQueue } from "./concurrency.ts";

interface TaskLogger {
  error(fields: object, text: string): void;
  warn(fields: object, text: string): void;
}

export interface TaskContext {
  database: Database;
  billing: Billing;
  snapshot: Snapshot;
  secrets: Secrets;
  logger: TaskLogger;
  /** Unix milliseconds. */
  clock(): number;
  /** Sends to an address that a user gave; refuses any that is not public. */
  post: PostToPublic;
  /** The messages to those addresses that wait to be sent. */
  notifications: BoundedQueue;
}

/** Unix seconds. */
export const nowSeconds = ({ clock }: Pick<TaskContext, "clock">): number => Math.floor(clock() / 1000);

/** Between two polls of a young task, and between two rounds of the poller. */
export const POLL_SECONDS = 15;
/** A submission that is still under way after this long died with its process. */
export const SUBMISSION_SECONDS = 600;
/** A charge that the ledger does not have after this long was never posted: journals are replayed at a start. */
export const CHARGE_WAIT_SECONDS = 3_600;
/** A task that waits for its owner is given up at this age, and one whose state has not changed for so long. */
export const LIFE_SECONDS = 86_400;
/** The longest pause between two polls of an upstream that does not answer. */
export const MAX_PAUSE_SECONDS = 600;
const OLD_SECONDS = 600;
const OLD_PAUSE_SECONDS = 60;

/** Seconds until a task is polled again: more for an old task than for a young one, doubled with each poll that was not answered. */
export function pauseFor(ageSeconds: number, silentPolls: number): number {
  const own = ageSeconds < OLD_SECONDS ? POLL_SECONDS : OLD_PAUSE_SECONDS;
  return Math.min(own * 2 ** Math.min(silentPolls, 6), MAX_PAUSE_SECONDS);
}
