/** Imports of one-hub, done-hub and Veloera on each engine: by their own columns, channel numbers and tables, with sums equal to the unit. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DONE_HUB, hubRows, ONE_HUB, VELOERA, veloeraRows } from "../../../tests/support/old-systems/old-forks.ts";
import { makeOldGateway, type OldGateway } from "../../../tests/support/old-systems/old-gateway.ts";
import { OLD_CODE, OLD_KEYS } from "../../../tests/support/old-systems/old-rows.ts";
import { engines, openTestDatabase, type TestDatabase } from "../../../tests/support/databases/databases.ts";
import { expectEveryRow, findingsOf, importOldGateway } from "../../../tests/support/old-systems/old-import.ts";
import { auditDatabase } from "../billing/audit.ts";
import { openChannelKey, openCode, openHeaderOverride, openTokenKey } from "../db/secrets.ts";
import type { ImportResult } from "./run.ts";

const HERE = await engines();
const UPSTREAM = "http://upstream.example";

const unequal = ({ sums }: ImportResult) => sums.filter(({ isEqual }) => !isEqual);

describe.each(HERE)("a one-hub on %s", (engine) => {
  let old: OldGateway;
  let into: TestDatabase;
  let result: ImportResult;

  beforeAll(async () => {
    old = await makeOldGateway(engine, ONE_HUB, hubRows(UPSTREAM));
    into = await openTestDatabase(engine);
    result = await importOldGateway(old, into);
  });
  afterAll(async () => {
    await old.remove();
    await into.close();
  });

  test("is recognised, and every row is brought, known or refused, with what has no place listed", () => {
    expect([result.system, result.atLeast]).toEqual(["one-hub", "v0.14.16"]);
    expectEveryRow(result);
    expect(findingsOf(result)).toMatchObject({
      user_identity_login: 1,
      user_role_unknown: 1,
      user_deleted: 1,
      token_setting_broken: 1,
      token_setting_dropped: 1,
      channel_deleted: 1,
      channel_without_address: 1,
      channel_type_unknown: 1,
      channel_setting_dropped: 2,
      group_off: 1,
      price_rounded: 1,
      price_ratio_dropped: 1,
      price_without_input: 1,
      order_open: 1,
    });
    expect(result.left_out.tables).toEqual({ payments: 1 });
    expect(result.left_out.columns).toEqual({
      "users.avatar_url": 1,
      "tokens.backup_group": 1,
      "channels.plugin": 1,
      "orders.fee": 1,
      "user_groups.api_rate": 1,
    });
    expect(JSON.stringify(result)).not.toMatch(/hush-hush|sk-upstream|llama-key|A1b2C3d4/);
  });

  test("comes over with balances to the unit, in books that balance, and nothing twice", async () => {
    expect(unequal(result)).toEqual([]);
    await old.run("UPDATE users SET quota = quota - 300, used_quota = used_quota + 300 WHERE id = 2");
    await old.run("UPDATE channels SET deleted_at = '2025-06-01 00:00:00' WHERE id = 7");
    const later = await importOldGateway(old, into, { now: 1_800_000_060 });
    expect(unequal(later)).toEqual([]);
    expect(later.tables).toMatchObject({
      users: { brought: 0, known: 4 },
      top_ups: { brought: 0, known: 2 },
      user_groups: { brought: 0, known: 2 },
    });
    expect(findingsOf(later)).toMatchObject({ channel_gone: 1, channel_deleted: 2 });
    const ada = await into.database.kysely.selectFrom("users").selectAll().where("id", "=", 2).executeTakeFirst();
    expect(ada).toMatchObject({ quota: 899_700, used_quota: 7_300 });
    expect((await auditDatabase(into.database)).faults).toEqual([]);
  });

  test("binds GitHub accounts by their number alone, never by a login of digits", async () => {
    const users = await into.database.kysely.selectFrom("users").selectAll().orderBy("id").execute();
    expect(users.map(({ id, github_id, telegram_id, role }) => [id, github_id, telegram_id, role])).toEqual([
      [1, null, null, 100],
      [2, "4242", "777", 1],
      [3, null, null, 1],
      [4, null, null, 1],
    ]);
  });

  test("comes over with keys unchanged and limits no wider than there", async () => {
    const tokens = await into.database.kysely.selectFrom("tokens").selectAll().orderBy("id").execute();
    expect(tokens.map((each) => openTokenKey(into.secrets, each))).toEqual([
      OLD_KEYS.dashed,
      OLD_KEYS.padded,
      OLD_KEYS.plain,
      OLD_KEYS.long,
    ]);
    expect(tokens).toMatchObject([
      { model_limits_enabled: 1, model_limits: "gpt-4o", allow_ips: "10.0.0.0/8", group_name: "vip", status: 1 },
      { model_limits_enabled: 1, model_limits: "gpt-4o,o3", allow_ips: "", status: 1 },
      { status: 2 },
      { model_limits_enabled: 0, allow_ips: "", status: 1 },
    ]);
  });

  test("comes over with channels by its own numbers, and no key goes to another vendor", async () => {
    const channels = await into.database.kysely.selectFrom("channels").selectAll().orderBy("id").execute();
    expect(channels.map(({ id, type, status, base_url }) => [id, type, status, base_url])).toEqual([
      [1, 1, 1, UPSTREAM],
      [2, 33, 1, ""],
      [3, 1, 2, ""],
      [4, 1, 2, ""],
      [5, 43, 1, ""],
      [7, 1, 1, "https://api.groq.com/openai"],
    ]);
    expect(openChannelKey(into.secrets, channels[1] ?? { key_hash: "", key_cipher: "" })).toBe(
      "AKIA000000000000|secretsecretsecret|us-east-1",
    );
    expect(channels[0]?.setting).toContain("proxy.example:8080");
    expect(openHeaderOverride(into.secrets, channels[0]?.header_override ?? "")).toContain("x-team");
    expect(JSON.parse(channels[0]?.param_override ?? "")).toEqual({
      operations: [{ mode: "set", path: "temperature", value: 0, keep_origin: true }],
    });
    expect(JSON.parse(channels[4]?.param_override ?? "")).toEqual({ top_p: 1 });
  });

  test("comes over with groups, prices, codes and orders", async () => {
    const { kysely } = into.database;
    const options = await kysely.selectFrom("options").select(["name", "value"]).execute();
    const of = (name: string) => JSON.parse(options.find((each) => each.name === name)?.value ?? "null") as unknown;
    expect(of("GroupRatio")).toEqual({ default: 1, vip: 0.8 });
    expect(of("UserUsableGroups")).toEqual({ default: "Everybody" });
    expect(of("ModelRatio")).toEqual({ "gpt-4o": 1.25, third: 1.5 });
    expect(of("CompletionRatio")).toEqual({ "gpt-4o": 4, third: 3.333333333333 });
    expect(of("CacheRatio")).toEqual({ "gpt-4o": 0.5 });
    expect(of("ModelPrice")).toEqual({ picture: 0.04 });
    expect(options.find(({ name }) => name === "oidc.well_known")?.value).toBe(
      "https://login.example/.well-known/openid-configuration",
    );
    const codes = await kysely.selectFrom("redemptions").selectAll().execute();
    expect(codes.map((code) => openCode(into.secrets, code))).toEqual([OLD_CODE]);
    const orders = await kysely.selectFrom("top_ups").selectAll().orderBy("id").execute();
    expect(orders).toMatchObject([
      { trade_no: "O1", quota: 4_900_000, money_minor: 950, currency: "USD", method: "stripe", status: "paid" },
      { trade_no: "O2", quota: 1, currency: "CNY", status: "ended" },
    ]);
    expect(orders[0]?.completed_time).toBe(1_700_000_050);
  });
});

describe.each(HERE)("another fork on %s", (engine) => {
  test("done-hub comes over with its own bound accounts", async () => {
    const old = await makeOldGateway(engine, DONE_HUB, hubRows(UPSTREAM));
    const into = await openTestDatabase(engine);
    try {
      const result = await importOldGateway(old, into);
      expect([result.system, result.atLeast, unequal(result)]).toEqual(["done-hub", "", []]);
      const ada = await into.database.kysely.selectFrom("users").selectAll().where("id", "=", 2).executeTakeFirst();
      expect(ada).toMatchObject({ linux_do_id: "31", github_id: "4242" });
      expect((await auditDatabase(into.database)).faults).toEqual([]);
    } finally {
      await old.remove();
      await into.close();
    }
  });

  test("Veloera comes over with the prefixes of its models, and codes that say more than one here are off", async () => {
    const old = await makeOldGateway(engine, VELOERA, veloeraRows(UPSTREAM));
    const into = await openTestDatabase(engine);
    try {
      const result = await importOldGateway(old, into);
      expect([result.system, unequal(result)]).toEqual(["Veloera", []]);
      expect(findingsOf(result)).toMatchObject({ code_held_back: 3, user_identity_login: 1 });
      expect(result.left_out).toMatchObject({
        columns: { "users.last_check_in_time": 1 },
        options: { CheckInEnabled: "true" },
      });
      const { kysely } = into.database;
      const channels = await kysely.selectFrom("channels").selectAll().orderBy("id").execute();
      expect(channels.map(({ models, test_model }) => [models, test_model])).toEqual([
        ["fast/gpt-4o,fast/o3", "fast/o3"],
        ["fixed-model", ""],
      ]);
      expect(JSON.parse(channels[0]?.model_mapping ?? "")).toEqual({ "fast/gpt-4o": "gpt-4o", "fast/o3": "o3-2025" });
      const codes = await kysely.selectFrom("redemptions").selectAll().orderBy("id").execute();
      expect(codes.map(({ status, expired_time }) => [status, expired_time])).toEqual([
        [1, 1_900_000_000],
        [2, 0],
        [2, 0],
        [2, 0],
      ]);
    } finally {
      await old.remove();
      await into.close();
    }
  });
});
