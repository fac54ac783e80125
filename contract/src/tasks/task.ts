/** Tasks, which an upstream accepts and finishes later: what all kinds have in common. */

/** Kinds of tasks by the name that rows and clients have for them: image tasks of a Midjourney proxy, songs and lyrics of Suno, videos. */
export const TASK_PLATFORMS = ["mj", "suno", "video"] as const;
export type TaskPlatform = (typeof TASK_PLATFORMS)[number];

/** The state of a task; empty while it is submitted to an upstream. MODAL waits for the caller's words in a window of Midjourney. */
export const TASK_STATUSES = [
  "",
  "NOT_START",
  "SUBMITTED",
  "QUEUED",
  "IN_PROGRESS",
  "MODAL",
  "SUCCESS",
  "FAILURE",
  "UNKNOWN",
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** A task of these never changes again. */
export const FINISHED_STATUSES = ["SUCCESS", "FAILURE"] as const satisfies readonly TaskStatus[];

/**
 * The state of a task's charge. `pending`: not charged yet. `refund_due`: it failed, and what was charged for it goes back as soon as the
 * ledger has the charge. `uncharged`: it failed before anything was charged.
 */
export const TASK_CHARGES = ["pending", "charged", "refund_due", "refunded", "uncharged"] as const;
export type TaskCharge = (typeof TASK_CHARGES)[number];

/** Why this gateway gave a task up; an upstream's own words stand in the fail reason. */
export const TASK_FAIL_CODES = [
  /** No event for as long as its kind may take. */
  "timed_out",
  /** Its channel was deleted, so that no upstream can be polled. */
  "channel_deleted",
  /** The upstream does not know it any more. */
  "lost_upstream",
  /** The upstream did not take it. */
  "not_accepted",
  /** The gateway was stopped while it was submitted. */
  "interrupted",
  /** The upstream reported a failure without a reason. */
  "unexplained",
] as const;
export type TaskFailCode = (typeof TASK_FAIL_CODES)[number];

const STATUSES: ReadonlySet<string> = new Set(TASK_STATUSES);

/** A status as upstreams spell it; what is none of them is UNKNOWN. */
export function taskStatus(value: unknown): TaskStatus {
  const name = typeof value === "string" ? value.toUpperCase() : "";
  return STATUSES.has(name) && name !== "" ? (name as TaskStatus) : "UNKNOWN"; // one of the set
}

/** True for a status that never changes again. */
export const isFinished = (status: string): boolean => (FINISHED_STATUSES as readonly string[]).includes(status);
