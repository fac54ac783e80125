/** When a task is looked at next, and when it is given up; all in seconds. */

/** The poller's own pace. */
export const POLL_SECONDS = 15;
/** A submission that is still under way after this long died with its process. */
export const SUBMISSION_SECONDS = 600;
/** A charge that the ledger does not have after this long was never posted: journals are replayed at a start. */
export const CHARGE_WAIT_SECONDS = 3_600;
/** A task that waits for its owner is given up at this age. */
export const LIFE_SECONDS = 86_400;
/** Between two questions, however long nothing was answered. */
export const MAX_PAUSE_SECONDS = 600;
const OLD_SECONDS = 600;
const OLD_PAUSE_SECONDS = 60;

/** Seconds until the next question: soon for a young task, less often for one that takes long, and ever less often where nobody answers. */
export function pauseFor(ageSeconds: number, silentPolls: number): number {
  const own = ageSeconds < OLD_SECONDS ? POLL_SECONDS : OLD_PAUSE_SECONDS;
  return Math.min(own * 2 ** Math.min(silentPolls, 6), MAX_PAUSE_SECONDS);
}
