/** Tests of an import's assumptions about its database on each engine: one import writes at a time, and rows of any columns come in one call. */
import type { Insertable } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LOG_TYPE } from "../../../contract/src/constants.ts";
import { engines, openTestDatabase, type TestDatabase } from "../../../tests/support/databases/databases.ts";
import { BLANK_ENTRY, logRow } from "../billing/log-row.ts";
import { insertMany } from "../db/bulk.ts";
import type { LogTable } from "../db/schema.ts";
import { beginRun, holdRun, type Target } from "./target.ts";

describe.each(await engines())("a target on %s", (engine) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
  });
  afterAll(() => opened.close());

  test("ends an import once another has begun on it", async () => {
    const { database, secrets } = opened;
    const runOf = (run: string): Target => ({ database, secrets, origin: "here", now: 0, isDryRun: false, run });
    const [first, second] = [runOf("first"), runOf("second")];
    const begin = (target: Target) => database.kysely.transaction().execute((each) => beginRun(target, each));
    const hold = (target: Target) => database.kysely.transaction().execute((each) => holdRun(target, each));
    await begin(first);
    await hold(first);
    await hold(first);
    await begin(second);
    await expect(hold(first)).rejects.toThrow("Another import has begun");
    await hold(second);
  });

  test("takes rows with different columns, and refuses a value that no engine stores as it is meant", async () => {
    const { kysely } = opened.database;
    const row = (requestId: string, quota = 0) =>
      logRow({ ...BLANK_ENTRY, requestId, createdAt: 7, type: LOG_TYPE.consumption, quota });
    const insert = (rows: readonly Insertable<LogTable>[]) =>
      kysely.transaction().execute((transaction) => insertMany(engine, transaction, { table: "logs", rows }));
    await insert([row("plain"), { ...row("numbered"), id: 700 }, row("last", 2 ** 53 - 1)]);
    await expect(insert([{ ...row("bad"), quota: Number.NaN }])).rejects.toThrow(TypeError);
    const rows = await kysely
      .selectFrom("logs")
      .select(["request_id", "quota", "is_stream"])
      .orderBy("request_id")
      .execute();
    expect(rows.map(Object.values)).toEqual([
      ["last", 2 ** 53 - 1, 0],
      ["numbered", 0, 0],
      ["plain", 0, 0],
    ]);
    expect((await kysely.selectFrom("logs").select("id").where("request_id", "=", "numbered").execute())[0]?.id).toBe(
      700,
    );
  });

  /** More than a statement of values is worth to MySQL. */
  const MANY = 300;
  const manyRows = (name: string, content: (index: number) => string) =>
    Array.from({ length: MANY }, (_, index) =>
      logRow({
        ...BLANK_ENTRY,
        requestId: `${name}-${index}`,
        createdAt: 8,
        type: LOG_TYPE.consumption,
        content: content(index),
      }),
    );
  const insertAll = (rows: readonly Insertable<LogTable>[]) =>
    opened.database.kysely
      .transaction()
      .execute((transaction) => insertMany(engine, transaction, { table: "logs", rows }));
  const found = (name: string) =>
    opened.database.kysely
      .selectFrom("logs")
      .select(["content", "request_id"])
      .where("request_id", "like", `${name}-%`)
      .orderBy("id")
      .execute();

  test("keeps every text of many rows as it is, with what ends a cell or a line in other forms", async () => {
    const texts = ["", "\\", "\\N", "\\.", "a\tb", "a\nb\r\nc", "'\"`", "\\t", "雪 😀", "\b\u001A\f", "NULL", "%s ?"];
    const textOf = (index: number): string => texts[index % texts.length] ?? "";
    await insertAll(manyRows("text", textOf));
    const rows = await found("text");
    expect(rows.map(({ content }) => content)).toEqual(Array.from({ length: MANY }, (_, index) => textOf(index)));
  });

  test("writes none of many rows where one has what its column does not take, or a key that is there", async () => {
    const rows = manyRows("whole", () => "");
    const [first] = rows;
    if (first === undefined) throw new Error("there are no rows");
    first.username = "x".repeat(65);
    await expect(insertAll(rows)).rejects.toThrow(/username|too long/i);
    first.username = "";
    const numbered = rows.map((row, index) => ({ ...row, id: 9_000 + (index === 7 ? 0 : index) }));
    await expect(insertAll(numbered)).rejects.toThrow(/unique|duplicate/i);
    expect(await found("whole")).toEqual([]);
    await insertAll(rows);
    expect(await found("whole")).toHaveLength(MANY);
  });
});
