/** Maintains the partitions of the log on PostgreSQL: creates those of coming days, and moves earlier rows into them in the background. */
import { setTimeout as delay } from "node:timers/promises";
import type { LogDatabase } from "../../db/database.ts";
import { keyValueStore } from "../../db/key-value-store.ts";
import { endMove, ensureLogPartitions, hasUnmovedRows, moveLogRows, partitionDays } from "../../db/log-partitions.ts";
import { retryDeadlocks } from "../../db/portable.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { FILL_FACT } from "./retention.ts";
import { logPlaces } from "./store.ts";

type PartitionContext = Pick<ConsoleContext, "database" | "clock" | "logger">;

const EVERY_SECONDS = 15;
const DAY_SECONDS = 86_400;
/** How far ahead partitions are made: a server may be down for a week. */
const AHEAD_DAYS = 9;
/** Of one run. */
const MOVE_MS = 8_000;
/** One statement of some 50 ms: settlements and the move write the same disk. */
const BATCH = 1_000;

/** Moves until nothing is left or `goesOn` says no; at most half of the time is moving. True where nothing is left. */
async function moveAll(database: LogDatabase, days: number, goesOn: () => boolean): Promise<boolean> {
  for (let after = 0; goesOn();) {
    const started = performance.now();
    const from = after;
    const { last } = await retryDeadlocks(() => moveLogRows(database, { after: from, size: BATCH }, days));
    if (last === after) {
      await endMove(database);
      if (!(await hasUnmovedRows(database))) return true;
      after = 0;
    } else after = last;
    await delay(performance.now() - started);
  }
  return false;
}

/** The job, in the process that has its lease. @param days LogRetentionDays as it is now @param moveMs the longest that one run moves rows */
export const logPartitionJob = (context: PartitionContext, days: () => number, moveMs = MOVE_MS) => ({
  name: "log_partitions",
  everySeconds: EVERY_SECONDS,
  async run(signal?: AbortSignal): Promise<void> {
    const end = performance.now() + moveMs;
    const length = partitionDays(days());
    const now = nowSeconds(context.clock);
    const ahead = Array.from({ length: AHEAD_DAYS }, (_, day) => now + day * DAY_SECONDS);
    for (const { rows: database } of logPlaces(context.database)) {
      await ensureLogPartitions(database, ahead, length);
      // Calls of an older version are counted along the ids of the former table.
      if (!(await hasUnmovedRows(database))) continue;
      const uncounted = Number((await keyValueStore(database).read(FILL_FACT)) ?? 0);
      if (uncounted > 0) continue;
      if (await moveAll(database, length, () => signal?.aborted !== true && performance.now() < end))
        context.logger.info("every row of the log is in a partition");
    }
  },
});
