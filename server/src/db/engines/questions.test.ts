/** Tests of user queries on each engine: a slow statement is cancelled, other readers do not wait meanwhile, and the connection is reset. */
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestDatabase, engines, openTestDatabase } from "../../../../tests/support/databases/databases.ts";
import type { Database } from "../database.ts";
import { SlowQuestion, mysqlBound } from "./questions.ts";

const LIMIT_MS = 300;
/** Pairs of them are far more than the time is for. */
const ROWS = 6_000;

describe.each(await engines())("on %s", (engine) => {
  let opened: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    opened = await openTestDatabase(engine, {
      timeLimits: { connectMs: 5_000, answerMs: 35_000, questionMs: LIMIT_MS },
    });
    ({ database } = opened);
    const row = { created_at: 1, type: 2, user_id: 1, content: "", other: "" };
    const rows = Array.from({ length: ROWS }, (_, index) => ({ ...row, request_id: `r${index}` }));
    for (let from = 0; from < ROWS; from += 500)
      await database.kysely
        .insertInto("logs")
        .values(rows.slice(from, from + 500) as never)
        .execute();
  });
  afterAll(() => opened.close());

  /** Looks at each pair of rows. */
  const pairs = ({ kysely }: Database) =>
    kysely
      .selectFrom("logs")
      .innerJoin("logs as others", (join) => join.on(sql<boolean>`logs.id + others.id < 0`))
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();

  test("a question that takes too long is ended, and the next one is answered", async () => {
    const startMs = performance.now();
    await expect(pairs(database.questions)).rejects.toThrow(SlowQuestion);
    expect(performance.now() - startMs).toBeLessThan(10 * LIMIT_MS);
    const { count } = await database.questions.kysely
      .selectFrom("logs")
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    expect(Number(count)).toBe(ROWS);
  });

  test("more questions than there is room for wait for each other, and other reads for none of them", async () => {
    const order: string[] = [];
    const slow = Array.from({ length: 6 }, () => pairs(database.questions).catch(() => void order.push("question")));
    await database.kysely.selectFrom("versions").selectAll().execute();
    order.push("read");
    await Promise.all(slow);
    expect(order).toHaveLength(7);
    // A read that waited for them would come behind the last.
    expect(order.at(-1)).toBe("question");
  });

  test("an error of the statement itself is passed on unchanged, and other connections keep their timeout", async () => {
    await expect(sql`select no_such_column from logs`.execute(database.questions.kysely)).rejects.not.toThrow(
      SlowQuestion,
    );
    const counted = await Promise.all(
      Array.from({ length: 8 }, () => database.kysely.selectFrom("versions").selectAll().execute()),
    );
    expect(counted).toHaveLength(8);
    if (engine !== "postgres") return;
    const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(database.kysely);
    expect(rows[0]?.statement_timeout).toBe("30s");
  });

  test("a user query uses the same index as the same statement elsewhere", async () => {
    const plan = async ({ kysely }: Database) => {
      const ids = kysely.selectFrom("logs").select("logs.id").where("user_id", "=", 7).orderBy("created_at", "desc");
      const newest = ids.orderBy("id", "desc").limit(100).as("newest");
      const rows = await kysely
        .selectFrom(newest)
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .explain();
      return rows
        .map((row) => Object.values(row).map(String))
        .flat()
        .filter((cell) => /index|logs/i.test(cell));
    };
    expect(await plan(database.questions)).toEqual(await plan(database));
  });

  test("transactions are not for questions", async () => {
    await expect(database.questions.kysely.transaction().execute(async () => "done")).rejects.toThrow(
      "Questions only read",
    );
  });
});

test("MySQL gets the timeout as a hint, MariaDB as a prefix", async () => {
  const seen: string[] = [];
  const connection = {
    executeQuery: async ({ sql: text }: { sql: string }) => {
      seen.push(text);
      return { rows: [] };
    },
  };
  const query = { sql: "select 1", parameters: [] };
  await mysqlBound("8.4.2", 5_000).run(connection as never, query as never);
  await mysqlBound("10.11.19-MariaDB-0+deb12u1", 5_000).run(connection as never, query as never);
  expect(seen).toEqual([
    "select /*+ MAX_EXECUTION_TIME(5000) */ 1",
    "set statement max_statement_time = 5 for select 1",
  ]);
});
