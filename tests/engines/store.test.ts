/** The store suite: one set of promises on SQLite, PostgreSQL and MySQL/MariaDB. */
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  affectedRows,
  contains,
  insertOrIgnore,
  insertReturningId,
  isRetryable,
  isUniqueViolation,
  upsert,
} from "../../server/src/db/portable.ts";
import type { Schema } from "../../server/src/db/schema.ts";
import { bumpVersion } from "../../server/src/db/versions.ts";
import { engines, openTestDatabase } from "../support/databases/databases.ts";
import type { TestDatabase } from "../support/databases/databases.ts";
import { SAMPLE_ROWS } from "./columns.ts";
import { BIG, TEXT } from "./sample-values.ts";

/** What the engines say of text that does not fit its column. */
const TOO_LONG = /CHECK constraint failed|too long/i;
const TABLES = Object.keys(SAMPLE_ROWS) as (keyof Schema)[];

describe.each(await engines())("store on %s", (engine) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
    console.log(`engine ${engine}, server version ${opened.database.version}`);
  });
  afterAll(() => opened.close());
  const queries = () => opened.database.kysely;

  /** A price version row: the smallest table with a counted id, a unique key and text. */
  const addPriceVersion = (hash: string, tables = "{}") =>
    insertReturningId(opened.database, queries(), "price_versions", { hash, created_time: 0, tables });
  const setVersion = (name: string, version: number) =>
    upsert(opened.database, queries(), "versions", { name, version }, ["name"], { version });

  test.each(TABLES)("every column of %s comes back as it went in", async (table) => {
    const row = SAMPLE_ROWS[table];
    await queries()
      .insertInto(table as "facts")
      .values(row as never)
      .execute();
    const rows: Record<string, unknown>[] = await queries().selectFrom(table).selectAll().execute();
    const found = rows.find((candidate) => Object.entries(row).every(([name, value]) => candidate[name] === value));
    expect(found).toMatchObject(row);
    const columns = new Set([...Object.keys(row), "id"]);
    expect(Object.keys(found ?? {}).filter((name) => !columns.has(name))).toEqual([]);
  });

  test("whole numbers keep every digit up to the safe limit, and larger ones are refused instead of rounded", async () => {
    await setVersion("big", BIG);
    const { rows } = await sql<{ version: number }>`select version from versions where name = 'big'`.execute(queries());
    expect(rows).toEqual([{ version: BIG }]);
    await sql`update versions set version = version + 1 where name = 'big'`.execute(queries());
    await expect(queries().selectFrom("versions").selectAll().where("name", "=", "big").execute()).rejects.toThrow(
      /too large to be represented|outside the safe integers/,
    );
    await queries().deleteFrom("versions").where("name", "=", "big").execute();
  });

  test("sums of quota are numbers", async () => {
    await setVersion("sum_a", 2 ** 52);
    await setVersion("sum_b", 5);
    const row = await queries()
      .selectFrom("versions")
      .select((eb) => [eb.fn.sum<number>("version").as("total"), eb.fn.countAll<number>().as("count")])
      .where("name", "like", "sum!_%")
      .executeTakeFirstOrThrow();
    expect(row.count).toBe(0);
    const sums = await queries()
      .selectFrom("versions")
      .select((eb) => [eb.fn.sum<number>("version").as("total"), eb.fn.countAll<number>().as("count")])
      .where("name", "in", ["sum_a", "sum_b"])
      .executeTakeFirstOrThrow();
    expect(sums).toEqual({ total: 2 ** 52 + 5, count: 2 });
  });

  test("whole numbers bound to a text column stay whole", async () => {
    await queries()
      .insertInto("facts")
      .values({ name: "number", value: sql<string>`${7}` })
      .execute();
    const row = await queries().selectFrom("facts").select("value").where("name", "=", "number").executeTakeFirst();
    expect(row).toEqual({ value: "7" });
  });

  test("a duplicate of a unique value is distinguished from every other error", async () => {
    await addPriceVersion("unique");
    const error: unknown = await addPriceVersion("unique").catch((reason: unknown) => reason);
    expect(isUniqueViolation(error)).toBe(true);
    expect(isRetryable(error)).toBe(false);
    const other: unknown = await sql`select * from no_such_table`.execute(queries()).catch((reason: unknown) => reason);
    expect(other).toBeInstanceOf(Error);
    expect(isUniqueViolation(other)).toBe(false);
    expect(isRetryable(other)).toBe(false);
  });

  test("insertOrIgnore says whether it inserted, throws on other errors, and the transaction stays usable", async () => {
    const { database } = opened;
    const row = { hash: "ignore", created_time: 0, tables: "{}" };
    expect(await insertOrIgnore(database, queries(), "price_versions", row)).toBe(true);
    expect(await insertOrIgnore(database, queries(), "price_versions", row)).toBe(false);
    await queries()
      .transaction()
      .execute(async (transaction) => {
        expect(await insertOrIgnore(database, transaction, "price_versions", row)).toBe(false);
        expect(await insertOrIgnore(database, transaction, "price_versions", { ...row, hash: "after" })).toBe(true);
      });
    expect(
      await queries().selectFrom("price_versions").select("hash").where("hash", "=", "after").execute(),
    ).toHaveLength(1);
    await expect(
      insertOrIgnore(database, queries(), "price_versions", { ...row, hash: "x".repeat(65) }),
    ).rejects.toThrow(TOO_LONG);
  });

  test("of many that insert the same row at once one does it, and none fails", async () => {
    const { database } = opened;
    for (let round = 0; round < 100; round += 1) {
      await queries().deleteFrom("price_versions").where("hash", "=", "rush").execute();
      const row = { hash: "rush", created_time: 0, tables: "{}" };
      const seen = await Promise.all(
        Array.from({ length: 8 }, () => insertOrIgnore(database, queries(), "price_versions", row)),
      );
      expect(seen.filter(Boolean)).toHaveLength(1);
    }
  });

  test("upsert inserts once and changes the row after", async () => {
    await setVersion("upsert", 1);
    await setVersion("upsert", 9);
    expect(await queries().selectFrom("versions").selectAll().where("name", "=", "upsert").execute()).toEqual([
      { name: "upsert", version: 9 },
    ]);
  });

  test("ids count up and an id of a deleted row does not come back", async () => {
    const first = await addPriceVersion("id-1");
    const second = await addPriceVersion("id-2");
    expect(second).toBeGreaterThan(first);
    await queries().deleteFrom("price_versions").where("id", "=", second).execute();
    expect(await addPriceVersion("id-3")).toBeGreaterThan(second);
  });

  test("affected rows are the rows that matched, also where nothing changed in them", async () => {
    await setVersion("affected", 4);
    const update = (name: string) =>
      queries().updateTable("versions").set({ version: 4 }).where("name", "=", name).executeTakeFirstOrThrow();
    expect(affectedRows(await update("affected"))).toBe(1);
    expect(affectedRows(await update("nobody"))).toBe(0);
    expect(
      affectedRows(await queries().deleteFrom("versions").where("name", "=", "affected").executeTakeFirstOrThrow()),
    ).toBe(1);
  });

  test.each([
    ["50%", ["like-percent"]],
    ["_", ["like-under"]],
    ["!", ["like-bang"]],
    ["\\", ["like-back"]],
    ["ÉTÉ", ["like-accent"]],
    ["GPT", ["like-capital"]],
    ["额", ["like-chinese"]],
  ])("search for %s finds it as ordinary characters, capitals or not", async (text, expected) => {
    const rows = {
      percent: "50% off",
      under: "a_b",
      bang: "wow!",
      back: "a\\b",
      accent: "été",
      capital: "gpt-4o",
      chinese: "额度",
      plain: "500 off axb",
    };
    for (const [name, tables] of Object.entries(rows))
      await insertOrIgnore(opened.database, queries(), "price_versions", {
        hash: `like-${name}`,
        created_time: 0,
        tables,
      });
    const found = await queries()
      .selectFrom("price_versions")
      .select("hash")
      .where("hash", "like", "like-%")
      .where((eb) => contains(opened.database, eb.ref("tables"), text))
      .execute();
    expect(found.map(({ hash }) => hash)).toEqual(expected);
  });

  test("names differ by their capitals", async () => {
    await setVersion("Capital", 1);
    await setVersion("capital", 2);
    const found = await queries().selectFrom("versions").selectAll().where("name", "=", "Capital").execute();
    expect(found).toEqual([{ name: "Capital", version: 1 }]);
  });

  test("text longer than its column is refused, not cut", async () => {
    await expect(setVersion("n".repeat(65), 1)).rejects.toThrow(TOO_LONG);
  });

  test.each([
    ["undefined", undefined],
    ["a Date", new Date(0)],
    ["a boolean", true],
    ["an object", {}],
    ["NaN", Number.NaN],
    ["2^53", 2 ** 53],
  ])("%s is refused as a parameter", async (_name, value) => {
    await expect(sql`select name from facts where value = ${value}`.execute(queries())).rejects.toThrow(TypeError);
    await expect(
      queries()
        .selectFrom("facts")
        .selectAll()
        .where("value", "=", value as never)
        .execute(),
    ).rejects.toThrow(/^Parameter \d is/);
    await expect(
      queries()
        .updateTable("versions")
        .set({ version: sql`${value}` })
        .where("name", "=", "users")
        .execute(),
    ).rejects.toThrow(TypeError);
  });

  test("a transaction that throws is rolled back", async () => {
    const attempt = queries()
      .transaction()
      .execute(async (transaction) => {
        await transaction.insertInto("facts").values({ name: "ghost", value: TEXT }).execute();
        expect(await transaction.selectFrom("facts").selectAll().where("name", "=", "ghost").execute()).toHaveLength(1);
        throw new Error("changed my mind");
      });
    await expect(attempt).rejects.toThrow("changed my mind");
    expect(await queries().selectFrom("facts").selectAll().where("name", "=", "ghost").execute()).toEqual([]);
  });

  test("a transaction is invisible until its commit and visible at once after it", async () => {
    await queries()
      .transaction()
      .execute(async (transaction) => {
        await transaction.insertInto("facts").values({ name: "visible", value: "1" }).execute();
        expect(await queries().selectFrom("facts").selectAll().where("name", "=", "visible").execute()).toEqual([]);
      });
    expect(await queries().selectFrom("facts").selectAll().where("name", "=", "visible").execute()).toHaveLength(1);
  });

  test("a savepoint takes back a part of a transaction", async () => {
    const transaction = await queries().startTransaction().execute();
    await transaction.insertInto("facts").values({ name: "kept", value: "1" }).execute();
    const nested = await transaction.savepoint("middle").execute();
    await nested.insertInto("facts").values({ name: "dropped", value: "1" }).execute();
    await nested.rollbackToSavepoint("middle").execute();
    await transaction.commit().execute();
    const rows = await queries().selectFrom("facts").select("name").where("name", "in", ["kept", "dropped"]).execute();
    expect(rows).toEqual([{ name: "kept" }]);
  });

  test("of 60 conditional updates at once exactly those that the balance holds succeed", async () => {
    await setVersion("balance", 100);
    const take = async () =>
      affectedRows(
        await queries()
          .updateTable("versions")
          .set((row) => ({ version: row("version", "-", 10) }))
          .where("name", "=", "balance")
          .where("version", ">=", 10)
          .executeTakeFirstOrThrow(),
      );
    const taken = await Promise.all(Array.from({ length: 60 }, take));
    expect(taken.filter((count) => count === 1)).toHaveLength(10);
    expect(await queries().selectFrom("versions").select("version").where("name", "=", "balance").execute()).toEqual([
      { version: 0 },
    ]);
  });

  test("transactions and lone writes at once lose no update and meet no locked database", async () => {
    await setVersion("mixed", 0);
    const raise = (trx: Pick<ReturnType<typeof queries>, "updateTable">) =>
      trx
        .updateTable("versions")
        .set((row) => ({ version: row("version", "+", 1) }))
        .where("name", "=", "mixed")
        .execute();
    const inTransaction = () =>
      queries()
        .transaction()
        .execute(async (transaction) => {
          await raise(transaction);
          await transaction.selectFrom("versions").selectAll().execute();
          await raise(transaction);
        });
    await Promise.all(Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? inTransaction() : raise(queries()))));
    expect(await queries().selectFrom("versions").select("version").where("name", "=", "mixed").execute()).toEqual([
      { version: 75 },
    ]);
  });

  test("bumped versions are all different and in the order of the commits", async () => {
    const bump = () =>
      queries()
        .transaction()
        .execute((transaction) => bumpVersion(transaction, "users"));
    const values = await Promise.all(Array.from({ length: 20 }, bump));
    expect(new Set(values).size).toBe(20);
    expect(Math.max(...values) - Math.min(...values)).toBe(19);
  });
});
