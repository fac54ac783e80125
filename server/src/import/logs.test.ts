/** The usage log of another gateway on each engine: the days that were asked for, once each, without money, and naming nothing that is another thing here. */
import { describe, expect, test } from "vitest";
import { hubRows, ONE_HUB } from "../../../tests/support/old-systems/old-forks.ts";
import { importOldGateway } from "../../../tests/support/old-systems/old-import.ts";
import { makeOldGateway, NEW_API, type OldRows } from "../../../tests/support/old-systems/old-gateway.ts";
import { newApiRows } from "../../../tests/support/old-systems/old-rows.ts";
import { engines, openTestDatabase, type TestDatabase } from "../../../tests/support/databases/databases.ts";
import { auditDatabase } from "../billing/audit.ts";
import { NEW_USER } from "../db/new-user.ts";
import { readLogDays } from "./logs.ts";

const HERE = await engines();
const UPSTREAM = "http://upstream.example";
const DAY = readLogDays("2026-10-02..2026-10-02");
/** More than a page. */
const CALLS = 3_203;

const TABLES = {
  ...NEW_API,
  logs: `id:id user_id created_at type content:string username:string token_name:string model_name:string quota prompt_tokens
    completion_tokens use_time is_stream:bool channel_id token_id group:string ip:string other:string`,
};

const call = (id: number, more: OldRows[string][number] = {}): OldRows[string][number] => ({
  id,
  user_id: 2,
  created_at: DAY.from + 100,
  type: 2,
  content: "ratio 1",
  username: "ada",
  token_name: "token 2",
  model_name: "fixed-model",
  quota: 7,
  prompt_tokens: 3,
  completion_tokens: 4,
  use_time: 2,
  is_stream: true,
  channel_id: 1,
  token_id: 2,
  group: "vip",
  ip: "10.0.0.1",
  other: '{"frt":350,"admin_info":{"use_channel":["1"]}}',
  ...more,
});

const LOGS: OldRows[string] = [
  call(1, { created_at: DAY.from - 1 }),
  ...Array.from({ length: CALLS }, (_, index) => call(index + 2)),
  call(5_001, { type: 5, quota: 0, content: "upstream failed" }),
  call(5_002, { type: 6, user_id: 99, token_id: 99, channel_id: 99 }),
  call(5_003, { type: 1, quota: 500 }),
  call(5_004, { type: 44 }),
  call(5_005, { created_at: DAY.before }),
];

/** The super administrator of the set-up, who keeps number 1. */
async function makeRootAlone({ database: { kysely } }: TestDatabase): Promise<void> {
  await kysely
    .insertInto("users")
    .values({
      ...NEW_USER,
      id: 1,
      username: "operator",
      username_key: "operator",
      aff_code: "own",
      role: 100,
      changed_version: 1,
    })
    .execute();
  await kysely.insertInto("facts").values({ name: "wizard_account", value: "1" }).execute();
}

test("days are read as UTC, both included, and what is no day is refused", () => {
  expect(DAY).toEqual({ from: Date.UTC(2026, 9, 2) / 1000, before: Date.UTC(2026, 9, 3) / 1000 });
  expect(readLogDays("2026-10-02").before).toBe(Number.MAX_SAFE_INTEGER);
  for (const text of ["", "yesterday", "2026-02-30", "2026-10-02..", "2026-10-02..2026-10-01", "2026-10-2"])
    expect(() => readLogDays(text)).toThrow(/is no day|ends before/);
});

describe.each(HERE)("a log on %s", (engine) => {
  test("comes over for its days, once, with sums of balances as they were", async () => {
    const old = await makeOldGateway(engine, TABLES, { ...newApiRows(UPSTREAM), logs: LOGS });
    const into = await openTestDatabase(engine);
    const { kysely } = into.database;
    const imported = () =>
      kysely.selectFrom("logs").selectAll().where("request_id", "like", "imported:%").orderBy("id").execute();
    try {
      const without = await importOldGateway(old, into);
      expect([without.left_out.tables["logs"], (await imported()).length]).toEqual([LOGS.length, 0]);
      const dry = await importOldGateway(old, into, { logs: DAY, isDryRun: true });
      expect([dry.tables["logs"], (await imported()).length]).toEqual([
        { found: CALLS + 4, brought: CALLS + 3, known: 0, refused: 1 },
        0,
      ]);
      const first = await importOldGateway(old, into, { logs: DAY });
      expect(first.tables["logs"]).toEqual({ found: CALLS + 4, brought: CALLS + 3, known: 0, refused: 1 });
      expect(first.left_out.tables).not.toHaveProperty("logs");
      const again = await importOldGateway(old, into, { logs: DAY });
      expect(again.tables["logs"]).toEqual({ found: CALLS + 4, brought: 0, known: CALLS + 3, refused: 1 });
      const rows = await imported();
      expect(rows[0]).toMatchObject({
        user_id: 2,
        token_id: 2,
        channel_id: 1,
        type: 2,
        quota: 7,
        prompt_tokens: 3,
        use_time_ms: 2_000,
        first_token_ms: 350,
        is_stream: 1,
        group_name: "vip",
        ip: "10.0.0.1",
        other: '{"imported":"new-api"}',
      });
      expect(
        rows
          .slice(CALLS)
          .map(({ type, quota, user_id, token_id, channel_id }) => [type, quota, user_id, token_id, channel_id]),
      ).toEqual([
        [5, 0, 2, 2, 1],
        [4, 0, 0, 0, 0],
        [1, 0, 2, 2, 1],
      ]);
      expect(await kysely.selectFrom("usage_hours").select("hour").execute()).toEqual([]);
      expect(again.sums.filter(({ isEqual }) => !isEqual)).toEqual([]);
      expect((await auditDatabase(into.database)).faults).toEqual([]);
    } finally {
      await old.remove();
      await into.close();
    }
  });

  test("is read from a database of its own, by the numbers that the accounts have here, once, and other rows of the same number stay apart", async () => {
    const old = await makeOldGateway(engine, TABLES, {
      ...newApiRows(UPSTREAM),
      logs: [call(1, { content: "older" })],
    });
    const apart = await makeOldGateway(
      engine,
      { logs: TABLES.logs },
      { logs: [call(1, { user_id: 1 }), call(2, { user_id: 99 })] },
    );
    const into = await openTestDatabase(engine);
    const { kysely } = into.database;
    const imported = async () => {
      const rows = await kysely
        .selectFrom("logs")
        .selectAll()
        .where("request_id", "like", "imported:%")
        .orderBy("id")
        .execute();
      return rows.map(({ user_id, token_id, content }) => [user_id, token_id, content]);
    };
    try {
      await makeRootAlone(into);
      const first = await importOldGateway(old, into, { logs: DAY, logSource: apart });
      expect(first.tables["logs"]).toEqual({ found: 2, brought: 2, known: 0, refused: 0 });
      expect(first.left_out.tables["logs"]).toBe(1);
      const { user_id: rootHere } = await kysely
        .selectFrom("tokens")
        .select("user_id")
        .where("id", "=", 1)
        .executeTakeFirstOrThrow();
      expect(rootHere).toBeGreaterThan(1);
      const rows = [
        [rootHere, 2, "ratio 1"],
        [0, 2, "ratio 1"],
      ];
      expect(await imported()).toEqual(rows);
      const again = await importOldGateway(old, into, { logs: DAY, logSource: apart });
      expect(again.tables["logs"]).toEqual({ found: 2, brought: 0, known: 2, refused: 0 });
      await importOldGateway(old, into, { logs: DAY });
      expect(await imported()).toEqual([...rows, [2, 2, "older"]]);
      expect((await auditDatabase(into.database)).faults).toEqual([]);
      await apart.run("DELETE FROM logs");
      await expect(importOldGateway(old, into, { logs: DAY, logSource: apart })).rejects.toThrow("--log-source");
    } finally {
      await old.remove();
      await apart.remove();
      await into.close();
    }
  });

  test("has the times of one-hub in milliseconds, and is refused where the log is elsewhere", async () => {
    const tables = { ...ONE_HUB, logs: "id:id user_id created_at type quota request_time metadata:json" };
    const row = { id: 1, user_id: 1, created_at: DAY.from, type: 2, quota: 9, request_time: 1_500 };
    const old = await makeOldGateway(engine, tables, hubRows(UPSTREAM));
    const into = await openTestDatabase(engine);
    const { kysely } = into.database;
    try {
      await expect(importOldGateway(old, into, { logs: DAY })).rejects.toThrow("LOG_SQL_DSN");
      expect(await kysely.selectFrom("users").select("id").execute()).toEqual([]);
      await old.add({ logs: [{ ...row, metadata: '{"first_response":40}' }] });
      await importOldGateway(old, into, { logs: DAY });
      const rows = await kysely.selectFrom("logs").selectAll().where("request_id", "like", "imported:%").execute();
      expect(rows).toMatchObject([{ user_id: 1, quota: 9, use_time_ms: 1_500, first_token_ms: 40 }]);
    } finally {
      await old.remove();
      await into.close();
    }
  });
});
