/** Query plans: on PostgreSQL and MySQL/MariaDB no list, total, stat, export or deletion of the log reads its whole table, with any filter. */
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callsSince } from "../../server/src/console/dashboard/store.ts";
import { rowsInChunks } from "../../server/src/console/logs/export.ts";
import { errorsByCode, errorsByField } from "../../server/src/console/logs/facets.ts";
import { ALL, type LogFilter } from "../../server/src/console/logs/filter.ts";
import { countLogs, countOlder, deleteOldest, findByRequest, findLogs } from "../../server/src/console/logs/store.ts";
import { boundedFilter } from "../../server/src/console/logs/scan-window.ts";
import { countErrors, timesOf } from "../../server/src/console/logs/service.ts";
import { lastMinute, quotaUsed } from "../../server/src/console/logs/totals.ts";
import { engines, openTestDatabase, type TestDatabase } from "../support/databases/databases.ts";
import { plansOf } from "../support/databases/plans.ts";

const ROWS = 20_000;
const BATCH = 1000;
/** A range of so many seconds: one row every two minutes. */
const SPACING = 120;
const START = 1_800_000_000;
const END = START + ROWS * SPACING;

const MONTH: LogFilter = { ...ALL, start: START, end: END };

const FILTERS: readonly Partial<LogFilter>[] = [
  {},
  { type: 2 },
  { type: 5 },
  { modelName: "model-3" },
  { modelName: "nobody-called-this" },
  { modelName: "model%", type: 5 },
  { group: "default" },
  { group: "nobody" },
  { userId: 5 },
  { userId: 5, modelName: "nobody-called-this" },
  { userId: 5, type: 5, group: "nobody" },
  { userId: 7, tokenIds: [7] },
  { userId: 7, tokenIds: [7], modelName: "model-1" },
  { ownerIds: [7, 8], tokenIds: [7, 8] },
  { channelId: 2 },
  { channelId: 2, type: 5 },
  { types: [2, 5] },
  { types: [2, 5], userId: 5 },
  { requestId: "request-17" },
];

/** What an index does not answer: rows are read, or its entries compared with a pattern, as far back as one question may look. */
const LOOKING: readonly Partial<LogFilter>[] = [
  { minTimeMs: 5000 },
  { minQuota: 5000, types: [2, 5] },
  { hasError: true },
  { errorCode: "upstream_broken", type: 5 },
  { minTimeMs: 5000, userId: 5 },
  { username: "%user%" },
  { tokenName: "%gone%" },
  { ownerIds: [1, 2, 3] },
  { modelName: "%nobody%", types: [2, 5] },
  { group: "%nobody%" },
];
const LIMITS = { rows: 400, entries: 1000 };

const row = (index: number) => ({
  request_id: `request-${index}`,
  created_at: START + index * SPACING,
  type: index % 31 === 0 ? 5 : 2,
  user_id: index % 12,
  username: `user-${index % 12}`,
  token_id: index % 36,
  token_name: "token",
  channel_id: index % 4,
  model_name: `model-${index % 7}`,
  group_name: "default",
  quota: 100,
  prompt_tokens: 10,
  completion_tokens: 5,
  use_time_ms: 900,
  first_token_ms: 200,
  is_stream: 1 as const,
  ip: "10.0.0.1",
  content: "",
  // As long as a receipt is.
  other: JSON.stringify({ text: "x".repeat(700) }),
});

const servers = (await engines()).filter((engine) => engine !== "sqlite");

/** A plan's line that reads all rows of the log, or all of one of its indexes. */
const WHOLE: Record<string, RegExp> = {
  postgres: /Seq Scan on logs/,
  mysql: /table=logs type=(ALL|index) /,
};

describe.each(servers)("plans of the log on %s", (engine) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
    const { kysely } = opened.database;
    await kysely.transaction().execute(async (transaction) => {
      // Only rows whose commit is on the disk are known to be seen by all, on which the plans of PostgreSQL depend.
      if (engine === "postgres") await sql`set local synchronous_commit to on`.execute(transaction);
      for (let first = 0; first < ROWS; first += BATCH) {
        const rows = Array.from({ length: BATCH }, (_, index) => row(first + index));
        await transaction.insertInto("logs").values(rows).execute();
      }
    });
    // As the engine's own upkeep has done on a server that runs.
    await (engine === "postgres" ? sql`vacuum analyze logs` : sql`analyze table logs`).execute(kysely);
  });
  afterAll(() => opened.close());

  test.each(FILTERS)("pages, totals and stats of %j", async (more) => {
    const { database } = opened;
    const filter = { ...MONTH, ...more };
    const lines = await plansOf(database, async () => {
      await findLogs(database, filter, 40, 20);
      await countLogs(database, filter);
      await quotaUsed(database, { ...filter, start: START + 60_000 }, END + SPACING);
      await lastMinute(database, filter, END);
    });
    // Places of a page, total, sums and the last minute; the rows of a page are asked for where it has any.
    expect(lines.filter((line) => /\blogs\b/.test(line)).length).toBeGreaterThanOrEqual(3);
    expect(lines.filter((line) => WHOLE[engine]?.test(line))).toEqual([]);
  });

  test.each(LOOKING)("pages, totals, errors and times of %j", async (more) => {
    const { database } = opened;
    const lines = await plansOf(database, async () => {
      const { filter } = await boundedFilter(database, { ...MONTH, ...more }, LIMITS);
      expect(filter.start).toBeGreaterThan(START);
      await findLogs(database, filter, 0, 20);
      await countLogs(database, filter);
      await countErrors(database, filter);
      await timesOf(database, filter);
    });
    expect(lines.filter((line) => /\blogs\b/.test(line)).length).toBeGreaterThanOrEqual(5);
    expect(lines.filter((line) => WHOLE[engine]?.test(line))).toEqual([]);
  });

  test("the values that filters offer", async () => {
    const { database } = opened;
    const lines = await plansOf(database, async () => {
      for (const field of ["model", "token", "user", "channel", "group"] as const)
        await errorsByField(database, MONTH, field);
      await errorsByField(database, { ...MONTH, userId: 5 }, "model");
      await errorsByCode(database, MONTH);
      await errorsByCode(database, { ...MONTH, userId: 5 });
    });
    expect(lines.filter((line) => /\blogs\b/.test(line)).length).toBeGreaterThanOrEqual(8);
    expect(lines.filter((line) => WHOLE[engine]?.test(line))).toEqual([]);
  });

  test("one receipt, the rates of the dashboard, an export and a deletion", async () => {
    const { database } = opened;
    const lines = await plansOf(database, async () => {
      await findByRequest(database, 5, "request-17");
      await callsSince(database, END - 60, undefined);
      await callsSince(database, END - 60, 5);
      const chunks = rowsInChunks(database, { ...MONTH, userId: 5 });
      await chunks.next();
      await chunks.next();
      await chunks.return(undefined);
      await countOlder(database, START + 10 * SPACING);
      await deleteOldest({ rows: database, counts: database }, { before: START + 10 * SPACING, from: 0, size: 5 });
    });
    expect(lines.filter((line) => /\blogs\b/.test(line)).length).toBeGreaterThanOrEqual(8);
    expect(lines.filter((line) => WHOLE[engine]?.test(line))).toEqual([]);
  });

  test("a statement that does read it all is seen", async () => {
    const { database } = opened;
    const lines = await plansOf(database, () =>
      database.kysely.selectFrom("logs").select("id").where("ip", "=", "10.0.0.9").execute(),
    );
    expect(lines.filter((line) => WHOLE[engine]?.test(line))).toHaveLength(1);
  });
});
