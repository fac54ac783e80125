/** The process of the accounts part: callers of so many accounts hold and settle one call after the other on the ledger itself. */
import { randomUUID } from "node:crypto";
import { type Scene, openTestBilling, setScene, settlementOf, tryHold } from "../../server/src/billing/testing.ts";
import { SQLITE_WRITER_MODULES } from "../../server/src/billing/engines/sqlite.ts";
import type { Billing } from "../../server/src/billing/billing.ts";
import { readConfig } from "../../server/src/config.ts";
import { type Database, openDatabase } from "../../server/src/db/database.ts";
import { busiestThread } from "../machine/measure.ts";
import type { AccountsJob, AccountsResult } from "./accounts.ts";

const IN_FLIGHT = 256;
const QUOTA = 1e12;
/** Rows of one INSERT. */
const BATCH = 500;
/** Neighbouring calls are of accounts that are far apart, as those of real callers; a prime. */
const STRIDE = 7919;
/** A receipt and a detail of a usual length. */
const DETAIL = JSON.stringify({ usage: { input: 1200, output: 350 }, ratio: "1.25", formula: "x".repeat(240) });

interface Ledger {
  readonly database: Database;
  readonly billing: Billing;
  /** One account, of which the others are copies. */
  readonly first: Scene;
}

/** Copies of the first account's rows in users and tokens, until there are so many accounts. Ids follow each other. */
async function addAccounts({ database, first }: Ledger, accounts: Scene[], count: number): Promise<void> {
  const { kysely } = database;
  const user = await kysely.selectFrom("users").selectAll().where("id", "=", first.userId).executeTakeFirstOrThrow();
  const token = await kysely.selectFrom("tokens").selectAll().where("id", "=", first.tokenId).executeTakeFirstOrThrow();
  while (accounts.length < count) {
    const size = Math.min(BATCH, count - accounts.length);
    const names = Array.from({ length: size }, () => randomUUID());
    const lastUser = await lastId(database, "users");
    const lastToken = await lastId(database, "tokens");
    await kysely
      .insertInto("users")
      .values(
        names.map((name, at) => ({
          ...user,
          id: lastUser + at + 1,
          username: name.slice(0, 20),
          aff_code: name.replaceAll("-", ""),
        })),
      )
      .execute();
    await kysely
      .insertInto("tokens")
      .values(
        names.map((name, at) => ({ ...token, id: lastToken + at + 1, user_id: lastUser + at + 1, key_hash: name })),
      )
      .execute();
    for (let at = 1; at <= size; at += 1)
      accounts.push({ userId: lastUser + at, tokenId: lastToken + at, channelId: first.channelId });
  }
}

async function lastId({ kysely }: Database, table: "users" | "tokens"): Promise<number> {
  const row = await kysely
    .selectFrom(table)
    .select((make) => make.fn.max("id").as("id"))
    .executeTakeFirstOrThrow();
  return Number(row.id);
}

/** Posts calls until `isOver`; gives how many. */
async function post(billing: Billing, accounts: readonly Scene[], isOver: (calls: number) => boolean): Promise<number> {
  const run = randomUUID().slice(0, 8);
  const nowSeconds = Math.floor(Date.now() / 1000);
  let calls = 0;
  const caller = async (): Promise<void> => {
    while (!isOver(calls)) {
      const index = calls++;
      const scene = accounts[(index * STRIDE) % accounts.length];
      if (scene === undefined) throw new Error("there are no accounts");
      const hold = await tryHold(billing, scene, 100, `${run}-${String(index).padStart(20, "0")}`);
      if (typeof hold === "string") throw new Error(`a hold was refused: ${hold}`);
      const settlement = settlementOf(scene, hold.requestId, 90, nowSeconds);
      if (settlement.log !== undefined) settlement.log.other = DETAIL;
      await billing.settle(hold, { ...settlement, detail: DETAIL });
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
  return calls;
}

async function measureOne(billing: Billing, accounts: readonly Scene[], seconds: number) {
  const thread = busiestThread(process.pid);
  const cpu = process.cpuUsage();
  const begin = performance.now();
  const calls = await post(billing, accounts, () => performance.now() - begin > seconds * 1000);
  const elapsedSeconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return {
    writerMicroseconds: thread.sinceMicroseconds() / calls,
    allMicroseconds: (user + system) / calls,
    callsPerSecond: calls / elapsedSeconds,
  };
}

async function run({ dataDir, accounts: counts, rounds, seconds }: AccountsJob): Promise<void> {
  const database = await openDatabase(readConfig({ DATA_DIR: dataDir }), { writerModules: SQLITE_WRITER_MODULES });
  const billing = await openTestBilling(database, dataDir);
  const first = await setScene(database, billing, QUOTA, QUOTA);
  const ledger: Ledger = { database, billing, first };
  const accounts: Scene[] = [first];
  for (const count of counts) {
    await addAccounts(ledger, accounts, count);
    // Every account once: what a first call reads is no cost of the next one.
    await post(billing, accounts, (calls) => calls >= Math.max(count, 20_000));
    for (let round = 1; round <= rounds; round += 1) {
      const result: AccountsResult = { accounts: count, round, ...(await measureOne(billing, accounts, seconds)) };
      process.send?.(result);
    }
  }
  await billing.close();
  await database.close();
}

process.once("message", (job: AccountsJob) => {
  void run(job).finally(() => process.disconnect?.());
});
