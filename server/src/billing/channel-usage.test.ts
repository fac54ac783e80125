/** Tests of channel usage counters on every engine: no settlement waits for a lock on a channel's row, and each charge is added exactly once. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestDatabase, engines, openTestDatabase } from "../../../tests/support/databases/databases.ts";
import { auditDatabase } from "./audit.ts";
import type { Billing } from "./billing.ts";
import { mergeChannelUsage } from "./sweeper.ts";
import { SQLITE_WRITER_MODULES } from "./engines/sqlite.ts";
import { type Scene, openTestBilling, setScene, settlementOf, tryHold } from "./testing.ts";

/** No heartbeat comes while the test runs: it folds by itself. */
const NEVER_MS = 3_600_000;

for (const engine of await engines()) {
  describe(`counters of channels on ${engine}`, () => {
    let place: TestDatabase;
    let billing: Billing;
    let scene: Scene;

    beforeAll(async () => {
      place = await openTestDatabase(engine, { writerModules: SQLITE_WRITER_MODULES });
      billing = await openTestBilling(place.database, place.config.dataDir, { heartbeatMs: NEVER_MS });
      scene = await setScene(place.database, billing, 1e9, 1e9);
    });
    afterAll(async () => {
      await billing.close();
      await place.close();
    });

    async function settle(charge: number): Promise<void> {
      const requestId = randomUUID();
      const hold = await tryHold(billing, scene, charge, requestId);
      if (typeof hold === "string") throw new Error(hold);
      expect(await billing.settle(hold, settlementOf(scene, requestId, charge))).toBe("committed");
    }
    const counter = async (): Promise<number> => {
      const channels = place.database.kysely.selectFrom("channels").select("used_quota");
      return (await channels.where("id", "=", scene.channelId).executeTakeFirstOrThrow()).used_quota;
    };
    const waiting = () => place.database.kysely.selectFrom("channel_usage").selectAll().execute();

    // SQLite has one writer: there is no other transaction that could hold the row.
    if (engine !== "sqlite")
      test("a call is settled while another transaction holds its channel's row", async () => {
        await place.database.kysely.transaction().execute(async (transaction) => {
          await transaction.updateTable("channels").set({ tag: "" }).where("id", "=", scene.channelId).execute();
          await settle(3);
        });
        expect(await mergeChannelUsage(place.database)).toBe(1);
      });

    test("settlements leave the channel's row alone; what several folds at once add to it is their sum, once", async () => {
      const before = await counter();
      for (let charge = 1; charge <= 60; charge += 1) await settle(charge);
      expect(await counter()).toBe(before);
      expect((await auditDatabase(place.database)).faults).toEqual([]);
      const folded = await Promise.all(Array.from({ length: 5 }, () => mergeChannelUsage(place.database)));
      expect(folded.reduce((sum, rows) => sum + rows, 0)).toBe(60);
      expect(await counter()).toBe(before + (60 * 61) / 2);
      expect(await waiting()).toEqual([]);
      expect((await auditDatabase(place.database)).faults).toEqual([]);
    });

    test("a merge that fails midway leaves all rows pending", async () => {
      const before = await counter();
      await settle(7);
      const failing = place.database.kysely.withPlugin({
        transformQuery: ({ node }) => {
          if (node.kind === "UpdateQueryNode") throw new Error("the connection broke");
          return node;
        },
        transformResult: ({ result }) => Promise.resolve(result),
      });
      await expect(mergeChannelUsage({ kysely: failing })).rejects.toThrow("the connection broke");
      expect([await counter(), (await waiting()).map(({ used }) => used)]).toEqual([before, [7]]);
      expect(await mergeChannelUsage(place.database)).toBe(1);
      expect(await counter()).toBe(before + 7);
    });

    test("the heartbeat of one process folds what others settled", async () => {
      const before = await counter();
      await settle(9);
      const other = await openTestBilling(place.database, place.config.dataDir, {
        processId: "0",
        heartbeatMs: NEVER_MS,
      });
      expect(await counter()).toBe(before + 9);
      await other.close();
    });
  });
}
