/** Answers that must not tell by their time what was found: whether an address has an account, for one. */
import { setTimeout as delay } from "node:timers/promises";

/** Longer than the work takes on a database that is well. */
const SHORTEST_MS = 150;

/** What `work` gives, or throws, but never before `SHORTEST_MS` have passed. */
export async function inEqualTime<Result>(work: Promise<Result>): Promise<Result> {
  const [ended] = await Promise.allSettled([work, delay(SHORTEST_MS)]);
  if (ended.status === "rejected") throw ended.reason;
  return ended.value;
}
