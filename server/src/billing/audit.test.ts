/** Tests of the audit on every engine: a consistent ledger passes, and one wrong unit in any row fails and names that row. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ModelPrice, chargeQuota } from "../../../contract/src/pricing/pricing.ts";
import { NO_USAGE, type Usage } from "../../../contract/src/pricing/usage.ts";
import { type TestDatabase, engines, openTestDatabase } from "../../../tests/support/databases/databases.ts";
import { turnpike } from "../../../tests/support/systems/command-line.ts";
import { auditDatabase, faultLine } from "./audit.ts";
import type { Billing } from "./billing.ts";
import { mergeChannelUsage } from "./sweeper.ts";
import { chargeDetail } from "./charge-detail.ts";
import { SQLITE_WRITER_MODULES } from "./engines/sqlite.ts";
import { chargeEntry } from "./ledger-entry.ts";
import { keepRefused } from "./journal.ts";
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

const TIER = { aboveInputTokens: 150, ratio: "2.5", completionRatio: "3", cacheRatio: "0.5", cacheCreationRatio: "1" };
const TOOL = { tool: "web_search", calls: 3, usdPerThousand: "27.5" } as const;

/** One charge for each part that a plain one has not, and its detail with one wrong unit in that part. */
const PARTS: readonly [string, ModelPrice, Partial<Usage>, planted: [from: string, to: string]][] = [
  ["hourly cache writes", PRICE, { inputTokens: 90, cacheWriteLongTokens: 40 }, ['"w":[40', '"w":[41']],
  [
    "pictures that came out",
    { ...PRICE, imageOutputRatio: "9" },
    { outputTokens: 90, imageOutputTokens: 40 },
    ['"o":40', '"o":41'],
  ],
  [
    "the ratio of pictures",
    { ...PRICE, imageOutputRatio: "9" },
    { outputTokens: 90, imageOutputTokens: 40 },
    ['"p":"9"', '"p":"10"'],
  ],
  ["the tier", { ...PRICE, tiers: [TIER] }, { inputTokens: 151 }, ['"x":[[150', '"x":[[151']],
  ["the tier's ratio", { ...PRICE, tiers: [TIER] }, { inputTokens: 151 }, [',"2.5"', ',"2.6"']],
  ["calls of a tool", PRICE, { inputTokens: 90, toolCalls: [TOOL] }, ['"web_search",3', '"web_search",4']],
  ["the price of a tool", PRICE, { inputTokens: 90, toolCalls: [TOOL] }, ['"27.5"', '"27.6"']],
  [
    "the ratio of a surcharge",
    PRICE,
    { inputTokens: 90, surcharges: [{ surcharge: "inference_geo_us", ratio: "1.1" }] },
    ['"1.1"', '"1.3"'],
  ],
  ["the factor", { kind: "per_call", price: "0.0004" }, { callFactor: "4" }, ['"c":"4"', '"c":"5"']],
];

for (const engine of await engines()) {
  describe(`audit on ${engine}`, () => {
    let place: TestDatabase;
    let billing: Billing;
    let scene: Scene;
    let lastRequest = "";
    /** Charges so far, also those of other tests. */
    let charges = 0;

    beforeAll(async () => {
      place = await openTestDatabase(engine, { writerModules: SQLITE_WRITER_MODULES });
      billing = await openTestBilling(place.database, place.config.dataDir);
      scene = await setScene(place.database, billing, 1_000_000, 1_000_000);
      for (let index = 0; index < 12; index += 1) {
        lastRequest = randomUUID();
        await settleCall(PRICE, { inputTokens: 100 + index, outputTokens: 50, cacheReadTokens: 20 }, lastRequest);
      }
      await tryHold(billing, scene, 77);
    });

    async function settleCall(price: ModelPrice, counts: Partial<Usage>, requestId: string): Promise<string> {
      const usage = { ...NO_USAGE, ...counts };
      const charge = chargeQuota(usage, price, "1.5", "500000");
      const hold = await tryHold(billing, scene, charge, requestId);
      if (typeof hold === "string") throw new Error(hold);
      const terms = { price, groupRatio: "1.5", quotaPerUnit: "500000", priceVersion: 1 };
      const detail = chargeDetail({ usage, ...terms, model: "gpt-4o", namedModel: "gpt-4o" });
      // Every other call's cost is known.
      const cost = counts.inputTokens !== undefined && counts.inputTokens % 2 === 0 ? { cost: 41 } : {};
      await billing.settle(hold, { ...settlementOf(scene, requestId, charge), ...cost, detail });
      charges += 1;
      return detail;
    }

    afterAll(async () => {
      await billing.close();
      await place.close();
    });

    test("clean books with an open hold pass, and every charge is priced again", async () => {
      expect(await auditDatabase(place.database)).toEqual({
        // The balances of the scene are two entries.
        ledgerRows: 2 + charges,
        repricedCharges: charges,
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
      ["usage_hours", "cost", () => `user_id=${scene.userId}`],
      ["usage_hours", "costed_quota", () => `user_id=${scene.userId}`],
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

    test("one wrong unit that waits for its channel fails and names the channel, before it is folded and after", async () => {
      const { channelId } = scene;
      await place.database.kysely.insertInto("channel_usage").values({ channel_id: channelId, used: 1 }).execute();
      const wrong = [expect.objectContaining({ table: "channels", key: String(channelId), column: "used_quota" })];
      expect((await auditDatabase(place.database)).faults).toEqual(wrong);
      await mergeChannelUsage(place.database);
      expect((await auditDatabase(place.database)).faults).toEqual(wrong);
      await plant("channels", "used_quota", `id=${channelId}`, -1);
      expect((await auditDatabase(place.database)).faults).toEqual([]);
    });

    test("a charge that is not its usage times its price fails and names the request", async () => {
      await plant("ledger", "used_delta", `entry_id=${lastRequest}`, 1);
      const { faults } = await auditDatabase(place.database);
      expect(faults.filter(({ table }) => table === "ledger").map(({ key }) => key)).toContain(lastRequest);
      await plant("ledger", "used_delta", `entry_id=${lastRequest}`, -1);
    });

    test.each(PARTS)(
      "one wrong unit in %s of a charge fails and names the request",
      async (_part, price, counts, planted) => {
        const requestId = randomUUID();
        const detail = await settleCall(price, counts, requestId);
        const write = (text: string) =>
          place.database.kysely.updateTable("ledger").set({ detail: text }).where("entry_id", "=", requestId).execute();
        expect((await auditDatabase(place.database)).faults).toEqual([]);
        expect(detail).toContain(planted[0]);
        await write(detail.replace(...planted));
        const { faults } = await auditDatabase(place.database);
        expect(faults.map(({ table, key, column }) => [table, key, column])).toEqual([
          ["ledger", requestId, "used_delta"],
        ]);
        await write(detail);
        expect((await auditDatabase(place.database)).faults).toEqual([]);
      },
    );

    test("an hour of the roll-up that the ledger does not know fails", async () => {
      const [row] = await place.database.kysely.selectFrom("usage_hours").selectAll().limit(1).execute();
      if (row === undefined) throw new Error("there is no hour");
      const nothing = { requests: 0, prompt_tokens: 0, completion_tokens: 0, cost: 0, costed_quota: 0 };
      const made = { ...row, ...nothing, hour: row.hour - 3600, quota: 1 };
      await place.database.kysely.insertInto("usage_hours").values(made).execute();
      expect((await auditDatabase(place.database)).faults).toEqual([
        expect.objectContaining({ table: "usage_hours", column: "quota", expected: 0, actual: 1 }),
      ]);
      await place.database.kysely.deleteFrom("usage_hours").where("hour", "=", made.hour).execute();
    });

    test("an hour missing from the roll-up fails", async () => {
      const rows = await place.database.kysely.selectFrom("usage_hours").selectAll().execute();
      await place.database.kysely.deleteFrom("usage_hours").execute();
      const { faults } = await auditDatabase(place.database);
      expect(faults.map(({ table, column, actual }) => [table, column, actual])).toEqual(
        ["requests", "quota", "prompt_tokens", "completion_tokens", "cost", "costed_quota"].map((column) => [
          "usage_hours",
          column,
          0,
        ]),
      );
      await place.database.kysely.insertInto("usage_hours").values(rows).execute();
      expect((await auditDatabase(place.database)).faults).toEqual([]);
    });
  });
}

test("the command names settlements that were refused, and exits 1 although the books balance", async () => {
  const { database, config, close } = await openTestDatabase("sqlite", { writerModules: SQLITE_WRITER_MODULES });
  const billing = await openTestBilling(database, config.dataDir);
  const scene = await setScene(database, billing, 1_000, 1_000);
  const run = () => turnpike({ DATA_DIR: config.dataDir }, "audit");
  expect(await run()).toMatchObject({ code: 0, out: expect.stringContaining("The books balance.") as string });
  const entry = chargeEntry(settlementOf(scene, "refused-1", 70), undefined);
  await keepRefused(config.dataDir, entry, new Error("value out of range"));
  const { code, out } = await run();
  expect([code, out]).toEqual([1, expect.stringContaining("The books balance.")]);
  expect(out).toMatch(/refused settlement refused-1: user 1, quota 70, .*: Error: value out of range/);
  await billing.close();
  await close();
});
