/** Tests of price versions: their start times are equal in every process and survive restarts, on every engine. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { engines, openTestDatabase } from "../../../tests/support/databases/databases.ts";
import type { TestDatabase } from "../../../tests/support/databases/databases.ts";
import { enterPriceVersion } from "./price-version.ts";

const JUNE = 1_780_272_000;
const DAY = 86_400;

describe.each(await engines())("price versions on %s", (engine) => {
  let opened: TestDatabase;
  beforeAll(async () => void (opened = await openTestDatabase(engine)));
  afterAll(() => opened.close());
  beforeEach(async () => {
    await opened.database.kysely.deleteFrom("facts").where("name", "=", "price_version_in_force").execute();
    await opened.database.kysely.deleteFrom("price_versions").execute();
  });

  const enter = (tables: string, version: number, nowSeconds: number) =>
    enterPriceVersion(opened.database, { tables, version, nowSeconds });

  test("it began when it was first seen, and a restart days later or another process says the same", async () => {
    const first = await enter("june", 1, JUNE);
    expect(first.since).toBe(JUNE);
    expect(await enter("june", 1, JUNE + 9 * DAY)).toEqual(first);
    expect(await enter("june", 4, JUNE + 10 * DAY)).toEqual(first);
  });

  test("other tables begin at their change, and those that return begin once more under their old number", async () => {
    const june = await enter("june", 1, JUNE);
    const july = await enter("july", 2, JUNE + 30 * DAY);
    expect(july).toEqual({ id: expect.any(Number), since: JUNE + 30 * DAY });
    expect(july.id).not.toBe(june.id);
    expect(await enter("june", 3, JUNE + 31 * DAY)).toEqual({ id: june.id, since: JUNE + 31 * DAY });
    expect(await enter("june", 3, JUNE + 40 * DAY)).toEqual({ id: june.id, since: JUNE + 31 * DAY });
  });

  test("a process that read the options before a change does not take the change back", async () => {
    const june = await enter("june", 1, JUNE);
    const july = await enter("july", 2, JUNE + DAY);
    expect((await enter("june", 1, JUNE + DAY + 1)).id).toBe(june.id);
    expect(await enter("july", 2, JUNE + DAY + 2)).toEqual(july);
  });

  test("of many processes that see a change at once, each with its own clock, one decides for all", async () => {
    await enter("june", 1, JUNE);
    const seen = await Promise.all(Array.from({ length: 8 }, (_, index) => enter("july", 2, JUNE + DAY + index)));
    expect(new Set(seen.map((version) => JSON.stringify(version))).size).toBe(1);
    expect(seen[0]?.since).toBeGreaterThanOrEqual(JUNE + DAY);
    expect(seen[0]?.since).toBeLessThan(JUNE + DAY + 8);
  });

  test("many that start at once on an empty database agree too", async () => {
    const seen = await Promise.all(Array.from({ length: 8 }, (_, index) => enter("june", 1, JUNE + index)));
    expect(new Set(seen.map((version) => JSON.stringify(version))).size).toBe(1);
  });

  test("a database from before the time was kept has the time its version was first written", async () => {
    const row = { hash: "0".repeat(64), created_time: JUNE, tables: "other" };
    await opened.database.kysely.insertInto("price_versions").values(row).execute();
    const first = await enter("june", 1, JUNE + DAY);
    await opened.database.kysely.deleteFrom("facts").where("name", "=", "price_version_in_force").execute();
    expect(await enter("june", 5, JUNE + 90 * DAY)).toEqual({ id: first.id, since: JUNE + DAY });
  });
});
