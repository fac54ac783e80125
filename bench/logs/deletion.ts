/** How long settlements wait while old rows of the log are deleted, beside the same settlements without a deletion. */
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { openTestBilling, type Scene, setScene, settlementOf, tryHold } from "../../server/src/billing/testing.ts";
import { SQLITE_WRITER_MODULES } from "../../server/src/billing/engines/sqlite.ts";
import type { Billing } from "../../server/src/billing/billing.ts";
import { clearLogs } from "../../server/src/console/logs/clear.ts";
import { type Database, openDatabase } from "../../server/src/db/database.ts";
import { createLogger } from "../../server/src/observe/logger.ts";
import type { SeededPlace } from "./place.ts";
import { compared, type Line, LIMITS } from "./report.ts";

const SETTLEMENTS_PER_SECOND = 100;
/** A deletion that is over sooner is compared with as many settlements all the same. */
const SHORTEST_MS = 3_000;
/** Open connections, prepared statements and compiled code, as a server has them that settles all day. */
const WARM_UP_MS = 2_000;
const QUOTA = 1e12;

/** Settles at a steady pace until `isOver`; gives the longest that one took, in milliseconds. */
async function longestSettlement(billing: Billing, scene: Scene, label: string, isOver: () => boolean) {
  const tookMs: number[] = [];
  const pending: Promise<void>[] = [];
  const settle = async (requestId: string): Promise<void> => {
    const hold = await tryHold(billing, scene, 100, requestId);
    if (typeof hold === "string") throw new Error(hold);
    const started = performance.now();
    await billing.settle(hold, settlementOf(scene, requestId, 90, Math.floor(Date.now() / 1000)));
    tookMs.push(performance.now() - started);
  };
  const begun = performance.now();
  while (!isOver()) {
    const due = Math.floor(((performance.now() - begun) / 1000) * SETTLEMENTS_PER_SECOND);
    while (pending.length < due) pending.push(settle(`${label}-${pending.length}`));
    await delay(2);
  }
  await Promise.all(pending);
  return Math.max(...tookMs);
}

/** Unix seconds that so many rows are older than. */
async function timeAfter(database: Database, rows: number): Promise<number> {
  const oldest = database.kysely.selectFrom("logs").select("created_at").orderBy("created_at").orderBy("id");
  return (await oldest.offset(rows).limit(1).executeTakeFirstOrThrow()).created_at;
}

async function measure(database: Database, billing: Billing, place: SeededPlace, rows: number): Promise<Line[]> {
  const scene = await setScene(database, billing, QUOTA, QUOTA);
  const context = { database, clock: Date.now, logger: createLogger({ level: "silent" }) };
  const before = await timeAfter(database, rows);
  // What loading the rows left to be written is not the deletion's.
  if (place.engine === "postgres") await sql`CHECKPOINT`.execute(database.kysely);
  const warmUntil = performance.now() + WARM_UP_MS;
  await longestSettlement(billing, scene, "warm-up", () => performance.now() > warmUntil);
  const begun = performance.now();
  let hasEnded = false;
  const elapsed = () => performance.now() - begun;
  const deletion = clearLogs(context, before).finally(() => (hasEnded = true));
  const beside = await longestSettlement(billing, scene, "beside", () => hasEnded && elapsed() > SHORTEST_MS);
  const deleted = await deletion;
  const tookMs = elapsed();
  process.stdout.write(`  ${place.engine}: ${deleted} rows deleted in ${(tookMs / 1000).toFixed(1)} s\n`);
  const until = performance.now() + tookMs;
  const alone = await longestSettlement(billing, scene, "alone", () => performance.now() > until);
  const what = `longest settlement, ${SETTLEMENTS_PER_SECOND}/s, deletion of ${deleted} rows`;
  return compared(place.engine, what, { alone, beside }, LIMITS.settlementDelayAdded);
}

/** Deletes the `rows` oldest rows of the log; no server may run on the database. */
export async function measureDeletion(place: SeededPlace, rows: number): Promise<Line[]> {
  const database = await openDatabase(place.config, { writerModules: SQLITE_WRITER_MODULES });
  try {
    const billing = await openTestBilling(database, place.config.dataDir);
    return await measure(database, billing, place, rows).finally(() => billing.close());
  } finally {
    await database.close();
  }
}
