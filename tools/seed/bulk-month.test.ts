/** The scenario busy-month: the number of rows asked for, in 30 days, with balances that match the ledger and charges that can be priced again. */
import { expect, test } from "vitest";
import { createTestPlace, engines } from "../../tests/support/databases/databases.ts";
import { auditDatabase } from "../../server/src/billing/audit.ts";
import { openDatabase } from "../../server/src/db/database.ts";
import { hoursOfMonth } from "./bulk-month.ts";
import { seedBusyMonth } from "./busy-month.ts";

const ROWS = 20_000;

test("hours of a month sum up to the rows, follow the day and end before now", () => {
  const now = 1_800_000_000;
  const hours = hoursOfMonth(5_000_000, now);
  expect(hours.reduce((sum, { calls }) => sum + calls, 0)).toBe(5_000_000);
  expect(hours).toHaveLength(720);
  expect((hours.at(-1)?.start ?? 0) + 3600).toBeLessThanOrEqual(now);
  const callsAt = (hour: number) => hours.find(({ start }) => (start / 3600) % 24 === hour)?.calls ?? 0;
  expect(callsAt(9)).toBeGreaterThan(callsAt(2) * 5);
});

const places = (await engines()).filter((engine) => engine !== "mysql");

test.each(places)("a month on %s has books that balance", { timeout: 120_000 }, async (engine) => {
  const place = await createTestPlace(engine, { env: { GLOBAL_API_RATE_LIMIT_ENABLE: "false" } });
  try {
    const upstreamUrl = "http://127.0.0.1:9";
    const progress: number[] = [];
    const onProgress = (rows: number) => void progress.push(rows);
    await seedBusyMonth({
      config: { ...place.config, allowPrivateUpstreams: true },
      rows: ROWS,
      upstreamUrl,
      onProgress,
    });
    const database = await openDatabase(place.config);
    const { faults, unpricedCharges, ledgerRows } = await auditDatabase(database).finally(() => database.close());
    expect([faults, unpricedCharges]).toEqual([[], 0]);
    expect(ledgerRows).toBeGreaterThan(ROWS * 0.9);
    expect(progress.at(-1)).toBe(ROWS);
  } finally {
    await place.remove();
  }
});
