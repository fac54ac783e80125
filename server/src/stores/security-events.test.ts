/** Tests of the security log: actions are stored one by one, floods of refusals as a few rows and lines, and old or excess rows are deleted. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SECURITY_ROWS } from "../../../contract/src/security-events.ts";
import { engines, openTestDatabase, type TestDatabase } from "../../../tests/support/databases/databases.ts";
import {
  oldSecurityEventsJob,
  openSecurityLog,
  REASONS_OF_ONE,
  REFUSALS_APART,
  ROWS_OF_ONE,
} from "./security-events.ts";

const DAY_MS = 86_400_000;
const START = 1_800_000_000_000;

describe.each(await engines())("on %s", (engine) => {
  let opened: TestDatabase;
  let now = START;
  let lines: { level: string; fields: Record<string, unknown> }[] = [];
  const write = (level: string) => (fields: object) =>
    void lines.push({ level, fields: { ...fields } as Record<string, unknown> });
  const logger = { info: write("info"), warn: write("warn") };
  const open = (processId = "one") =>
    openSecurityLog({ database: opened.database, logger, clock: () => now, processId, flushEveryMs: 3_600_000 });
  const rows = () => opened.database.kysely.selectFrom("security_events").selectAll().orderBy("id").execute();

  beforeAll(async () => {
    opened = await openTestDatabase(engine);
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    [now, lines] = [START, []];
    await opened.database.kysely.deleteFrom("security_events").execute();
  });

  test("each act has a row and a line of its own", async () => {
    const log = open();
    for (let sign = 0; sign < 3; sign += 1)
      log.record({ kind: "signed_in", userId: 7, ip: "203.0.113.9", way: "password" });
    await log.close();
    const stored = await rows();
    expect(stored.map(({ kind, user_id, network, way, count }) => [kind, user_id, network, way, count])).toEqual(
      Array.from({ length: 3 }, () => ["signed_in", 7, "203.0.113.0/24", "password", 1]),
    );
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatchObject({ level: "info", fields: { event: "signed_in", userId: 7, ip: "203.0.113.9" } });
  });

  test("a flood of one network is one row with its count, from two processes too, and a handful of lines", async () => {
    const [one, two] = [open("one"), open("two")];
    for (const log of [one, two])
      for (let guess = 0; guess < 2_000; guess += 1)
        log.record({ kind: "sign_in_failed", userId: 7, ip: `203.0.113.${guess % 250}`, reason: "login_failed" });
    await one.flush();
    now += 60_000;
    one.record({ kind: "sign_in_failed", userId: 7, ip: "203.0.113.9", reason: "login_failed" });
    await Promise.all([one.close(), two.close()]);
    const [row, ...others] = await rows();
    expect(others).toEqual([]);
    expect(row).toMatchObject({ count: 4_001, is_refusal: 1, created_time: START / 1000, last_time: now / 1000 });
    expect(lines.map(({ fields }) => fields["count"])).toEqual([1, 10, 100, 1_000, 1, 10, 100, 1_000]);
  });

  test("a flood of many networks has a bound, and those who came first keep rows of their own", async () => {
    const log = open();
    const [networks, most] = [5_000, REFUSALS_APART + 1];
    for (let at = 0; at < networks; at += 1)
      log.record({ kind: "sign_in_failed", userId: 0, ip: `10.${at >> 8}.${at & 255}.1` });
    await log.close();
    const stored = await rows();
    expect(stored).toHaveLength(most);
    expect(stored.reduce((sum, { count }) => sum + count, 0)).toBe(networks);
    expect(stored.filter(({ reason }) => reason === "many")).toMatchObject([{ count: networks - REFUSALS_APART }]);
  });

  test("accounts that are refused all over the site silence neither each other nor what others try at a victim", async () => {
    const log = open();
    const endpoints = 300;
    for (const userId of [11, 12, 13])
      for (let at = 0; at < endpoints; at += 1)
        log.record({ kind: "role_refused", userId, ip: `203.0.113.${userId}`, reason: `feature.endpoint${at}` });
    for (let at = 0; at < 5_000; at += 1)
      log.record({ kind: "foreign_request_refused", userId: 0, ip: `10.${at >> 8}.${at & 255}.1`, reason: "a.b" });
    log.record({ kind: "role_refused", userId: 14, ip: "203.0.113.14", reason: "options.updateOption" });
    for (let guess = 0; guess < 4; guess += 1)
      log.record({ kind: "sign_in_failed", userId: 7, ip: "198.51.100.9", reason: "login" });
    await log.close();
    const stored = await rows();
    const of = (userId: number) => stored.filter(({ user_id }) => user_id === userId);
    expect(of(7)).toMatchObject([{ kind: "sign_in_failed", network: "198.51.100.0/24", reason: "login", count: 4 }]);
    expect(lines.filter(({ fields }) => fields["userId"] === 7)).toHaveLength(1);
    expect(of(14)).toMatchObject([{ kind: "role_refused", reason: "options.updateOption" }]);
    for (const userId of [11, 12, 13]) {
      expect(of(userId)).toHaveLength(REASONS_OF_ONE + 1);
      expect(of(userId).reduce((sum, { count }) => sum + count, 0)).toBe(endpoints);
      const rest = of(userId).filter(({ reason }) => reason === "many");
      expect(rest).toMatchObject([{ kind: "role_refused", count: endpoints - REASONS_OF_ONE }]);
    }
    expect(stored.length).toBeLessThanOrEqual(3 * (REASONS_OF_ONE + 1) + 2 + REFUSALS_APART + 1);
  });

  test("who is guessed at from everywhere has rows up to a bound, and one that has the rest with their name", async () => {
    const log = open();
    for (let at = 0; at < 1_000; at += 1)
      log.record({ kind: "sign_in_failed", userId: 7, ip: `10.${at >> 8}.${at & 255}.1`, reason: "login" });
    log.record({ kind: "sign_in_failed", userId: 8, ip: "10.0.0.1", reason: "login" });
    await log.close();
    const stored = await rows();
    const [mine, theirs] = [
      stored.filter(({ user_id }) => user_id === 7),
      stored.filter(({ user_id }) => user_id === 8),
    ];
    expect(mine).toHaveLength(ROWS_OF_ONE + 1);
    expect(mine.filter(({ reason }) => reason === "many")).toMatchObject([{ network: "", count: 1_000 - ROWS_OF_ONE }]);
    expect(theirs).toMatchObject([{ network: "10.0.0.0/24", count: 1 }]);
  });

  test("rows go after the option's days, and above the bound of an account refusals do not push out acts", async () => {
    const { kysely } = opened.database;
    const base = { user_id: 7, actor_id: 0, network: "", way: "", reason: "", count: 1 };
    const row = (key: string, is_refusal: 0 | 1, time: number) => ({
      ...base,
      event_key: key,
      is_refusal,
      created_time: time,
      last_time: time,
      kind: is_refusal === 1 ? "sign_in_failed" : "signed_in",
    });
    const seconds = START / 1000;
    const [over, most] = [40, SECURITY_ROWS.ofUser.refused];
    await kysely
      .insertInto("security_events")
      .values(row("old", 0, seconds - 31 * 86_400))
      .execute();
    await kysely
      .insertInto("security_events")
      .values(row("act", 0, seconds - 29 * 86_400))
      .execute();
    for (let from = 0; from < most + over; from += 90) {
      const length = Math.min(90, most + over - from);
      const values = Array.from({ length }, (_, at) => row(`refusal ${from + at}`, 1, seconds - DAY_MS / 1000));
      await kysely.insertInto("security_events").values(values).execute();
    }
    await oldSecurityEventsJob(
      opened.database,
      () => START,
      () => 30,
    ).run();
    const left = (await rows()).map(({ event_key }) => event_key);
    expect(left).toHaveLength(most + 1);
    expect([left[0], left[1]]).toEqual(["act", `refusal ${over}`]);
  });
});

test("a database that is away loses no row that there is room for", async () => {
  const opened = await openTestDatabase("sqlite");
  const logger = { info: () => undefined, warn: () => undefined };
  const { database } = opened;
  let isAway = true;
  const kysely = new Proxy(database.kysely, {
    get(target, name) {
      if (name === "insertInto" && isAway) throw new Error("the database is away");
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  const log = openSecurityLog({ database: { ...database, kysely }, logger, clock: () => START, processId: "one" });
  log.record({ kind: "signed_in", userId: 1, ip: "::1" });
  await log.flush();
  isAway = false;
  await log.close();
  expect(await database.kysely.selectFrom("security_events").select("user_id").execute()).toEqual([{ user_id: 1 }]);
  await opened.close();
});
