/** The audit: clean books pass on every engine, one wrong unit anywhere fails and names its row. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chargeQuota } from "../../../contract/src/pricing.ts";
import { NO_USAGE } from "../../../contract/src/usage.ts";
import { type TestDatabase, engines, openTestDatabase } from "../../../tests/support/databases.ts";
import { auditDatabase, faultLine } from "./audit.ts";
import type { Billing } from "./billing.ts";
import { chargeDetail } from "./charge-detail.ts";
import { SQLITE_WRITER_MODULES } from "./sqlite-books.ts";
import { type Scene, openTestBilling, setScene, settlementOf, tryHold } from "./testing.ts";

const PRICE = {
  kind: "per_token",
  ratio: "1.25",
  completionRatio: "4",
  cacheRatio: "0.5",
  cacheCreationRatio: "1.25",
  imageRatio: "1",
  audioRatio: "20",
  audioCompletionRatio: "2",
} as const;

for (const engine of await engines()) {
  describe(`audit on ${engine}`, () => {
    let place: TestDatabase;
    let billing: Billing;
    let scene: Scene;
    let lastRequest = "";

    beforeAll(async () => {
      place = await openTestDatabase(engine, { writerModules: SQLITE_WRITER_MODULES });
      billing = await openTestBilling(place.database, place.config.dataDir);
      scene = await setScene(place.database, billing, 1_000_000, 1_000_000);
      for (let index = 0; index < 12; index += 1) {
        lastRequest = randomUUID();
        const usage = { ...NO_USAGE, inputTokens: 100 + index, outputTokens: 50, cacheReadTokens: 20 };
        const charge = chargeQuota(usage, PRICE, "1.5", "500000");
        const hold = await tryHold(billing, scene, charge, lastRequest);
        if (typeof hold === "string") throw new Error(hold);
        const detail = chargeDetail({
          usage,
          price: PRICE,
          groupRatio: "1.5",
          quotaPerUnit: "500000",
          priceVersion: 1,
        });
        await billing.settle(hold, { ...settlementOf(scene, lastRequest, charge), detail });
      }
      await tryHold(billing, scene, 77);
    });

    afterAll(async () => {
      await billing.close();
      await place.close();
    });

    test("clean books with an open hold pass, and every charge is priced again", async () => {
      expect(await auditDatabase(place.database)).toEqual({
        ledgerRows: 14,
        repricedCharges: 12,
        unpricedCharges: 0,
        faults: [],
      });
    });

    const plant = (table: string, column: string, where: string, unit: number): Promise<unknown> =>
      place.database.kysely
        .updateTable(table as "users")
        .set((row) => ({ [column]: row(column as "quota", "+", unit) }))
        .where(where.split("=")[0] as "id", "=", (where.split("=")[1] ?? "") as unknown as number)
        .execute();

    test.each([
      ["users", "quota", () => `id=${scene.userId}`],
      ["users", "request_count", () => `id=${scene.userId}`],
      ["users", "aff_quota", () => `id=${scene.userId}`],
      ["users", "held", () => `id=${scene.userId}`],
      ["tokens", "remain_quota", () => `id=${scene.tokenId}`],
      ["channels", "used_quota", () => `id=${scene.channelId}`],
      ["usage_hours", "quota", () => `user_id=${scene.userId}`],
      ["logs", "quota", () => `request_id=${lastRequest}`],
    ] as const)("one wrong unit in %s.%s fails and names the row", async (table, column, where) => {
      await plant(table, column, where(), 1);
      const { faults } = await auditDatabase(place.database);
      expect(faults.map((fault) => [fault.table, fault.column, fault.actual - fault.expected])).toEqual([
        [table, column, 1],
      ]);
      const [, id = ""] = where().split("=");
      expect(faults.map(faultLine).join("\n")).toContain(id);
      await plant(table, column, where(), -1);
      expect((await auditDatabase(place.database)).faults).toEqual([]);
    });

    test("a charge that is not its usage times its price fails and names the request", async () => {
      await plant("ledger", "used_delta", `entry_id=${lastRequest}`, 1);
      const { faults } = await auditDatabase(place.database);
      expect(faults.filter(({ table }) => table === "ledger").map(({ key }) => key)).toContain(lastRequest);
      await plant("ledger", "used_delta", `entry_id=${lastRequest}`, -1);
    });

    test("an hour missing from the roll-up fails", async () => {
      const rows = await place.database.kysely.selectFrom("usage_hours").selectAll().execute();
      await place.database.kysely.deleteFrom("usage_hours").execute();
      expect((await auditDatabase(place.database)).faults.map(({ table, column }) => [table, column])).toEqual([
        ["usage_hours", "requests"],
      ]);
      await place.database.kysely.insertInto("usage_hours").values(rows).execute();
      expect((await auditDatabase(place.database)).faults).toEqual([]);
    });
  });
}
