/** Imports of one-api and new-api on each engine: what comes over, what is refused and why, sums equal to the unit, and the same again after a second pass. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  INT32_MAX,
  newApiRows,
  OLD_CODE,
  OLD_KEYS,
  OLD_SECRET,
  oneApiRows,
} from "../../../tests/support/old-systems/old-rows.ts";
import {
  expectEveryRow,
  findingsOf,
  IMPORT_TIME,
  importAfterDryRun,
  importOldGateway,
} from "../../../tests/support/old-systems/old-import.ts";
import { makeOldGateway, NEW_API, type OldGateway, ONE_API } from "../../../tests/support/old-systems/old-gateway.ts";
import { engines, openTestDatabase, type TestDatabase } from "../../../tests/support/databases/databases.ts";
import { auditDatabase } from "../billing/audit.ts";
import { openChannelKey, openCode, openOption, openTokenKey } from "../db/secrets.ts";
import type { ImportResult } from "./run.ts";

const HERE = await engines();
const UPSTREAM = "http://upstream.example";

const sumsOf = ({ sums }: ImportResult) =>
  sums.map(({ column, there, here, isEqual }) => [column, there, here, isEqual]);

describe.each(HERE)("a new-api on %s", (engine) => {
  let old: OldGateway;
  let into: TestDatabase;
  let first: ImportResult;

  const rowsOf = async (table: "users" | "tokens" | "channels") =>
    into.database.kysely.selectFrom(table).selectAll().orderBy("id").execute();

  beforeAll(async () => {
    old = await makeOldGateway(engine, NEW_API, newApiRows(UPSTREAM));
    into = await openTestDatabase(engine);
    const facts = into.database.kysely.selectFrom("facts").select("name");
    first = await importAfterDryRun(old, into, async () => {
      expect(await rowsOf("users")).toEqual([]);
      expect(await facts.where("name", "=", "import_source").execute()).toEqual([]);
    });
  });
  afterAll(async () => {
    await old.remove();
    await into.close();
  });

  test("is recognised by its columns, and every row is brought, known or refused by name", () => {
    expect([first.system, first.atLeast]).toEqual(["new-api", "v1.0.0-rc.23"]);
    expectEveryRow(first);
    expect(first.tables).toMatchObject({
      users: { found: 9, brought: 9, refused: 0 },
      tokens: { found: 13, brought: 8, refused: 5 },
      channels: { found: 7, brought: 7, refused: 0 },
      redemptions: { found: 4, brought: 2, refused: 2 },
      top_ups: { found: 5, brought: 3, refused: 2 },
      two_fas: { found: 4, brought: 1, refused: 3 },
    });
  });

  test("is listed with the reason wherever it does not come over as it was", () => {
    expect(findingsOf(first)).toEqual({
      option_is_default: 1,
      option_refused: 1,
      owner_missing: 1,
      factor_unreadable: 1,
      recovery_codes: 1,
      passkeys_bound: 1,
      user_is_root: 1,
      user_is_admin: 1,
      user_used_differs: 2,
      user_name_taken: 1,
      user_email_taken: 1,
      user_identity_login: 1,
      user_identity_taken: 1,
      user_balance_negative: 1,
      user_balance_ceiling: 1,
      user_deleted: 1,
      user_status_unknown: 1,
      user_password_unknown: 1,
      user_setting_broken: 1,
      user_role_unknown: 1,
      user_group_unknown: 1,
      token_groups_dropped: 1,
      token_without_owner: 1,
      token_key_twice: 1,
      token_key_form: 3,
      token_key_short: 1,
      token_balance_negative: 1,
      token_addresses_bad: 1,
      channel_keys_twice: 1,
      channel_type_unknown: 1,
      channel_field_dropped: 2,
      channel_setting_dropped: 1,
      code_twice: 1,
      code_empty: 1,
      order_open: 1,
      order_twice: 1,
      order_without_buyer: 1,
    });
    expect(first.left_out.tables).toEqual({ checkins: 1 });
    expect(first.left_out.options).toEqual({ CreemApiKey: "***", "perf_metrics_setting.enabled": "true" });
    expect(JSON.stringify(first)).not.toMatch(/very-secret|client-secret-of-old|hush|JBSWY|pass@|A1b2C3d4/);
  });

  test("comes over with balances to the unit, in books that balance", async () => {
    expect(sumsOf(first).filter(([, , , isEqual]) => isEqual !== true)).toEqual([]);
    expect(Object.fromEntries(sumsOf(first).map(([column, , here]) => [column, here]))).toEqual({
      "users.quota": String(100_000_000 + 123_456_789 - 5 + INT32_MAX + 5 * 1_000_000 - 1_000_000),
      "users.used_quota": String(5_000 + 7_000 - 3),
      "users.request_count": "75",
      "users.aff_quota": "50",
      "tokens.remain_quota": String(-900 - 7 + 6 * 500_000),
      "tokens.used_quota": "11200",
      "channels.used_quota": "2800",
    });
    const users = await rowsOf("users");
    expect(users.map(({ id, quota, used_quota }) => [id, quota, used_quota])).toEqual([
      [1, 100_000_000, 5_000],
      [2, 123_456_789, 7_000],
      [3, 1_000_000, 0],
      [4, -5, 0],
      [5, INT32_MAX, -3],
      [6, 1_000_000, 0],
      [7, 0, 0],
      [8, 1_000_000, 0],
      [9, 1_000_000, 0],
    ]);
    expect((await auditDatabase(into.database)).faults).toEqual([]);
  });

  test("comes over with people as they were, none more powerful than there", async () => {
    const users = await rowsOf("users");
    const of = (id: number) => users[id - 1];
    expect(of(2)).toMatchObject({
      username: "ada",
      username_key: "ada",
      email: "ada@example.com",
      group_name: "vip",
      inviter_id: 1,
      aff_code: "af2",
      aff_count: 2,
      aff_quota: 50,
      aff_history_quota: 80,
      github_id: "4242",
      remark: "pays by invoice",
      created_time: 1_690_000_000,
    });
    const setting = JSON.parse(of(2)?.setting ?? "{}");
    expect(into.secrets.decrypt(setting.webhook_secret_cipher, "user:2:webhook_secret")).toBe("hush");
    expect(of(3)).toMatchObject({
      username: "ADA",
      username_key: null,
      email: null,
      github_id: null,
      telegram_id: "777",
    });
    expect(of(4)).toMatchObject({ telegram_id: null, inviter_id: 0 });
    expect(of(6)).toMatchObject({ deleted_at: Date.UTC(2024, 4, 1, 10) / 1000, email: null, oidc_id: null });
    expect(of(7)).toMatchObject({ role: 10, status: 2 });
    expect(of(7)?.permissions).not.toContain("options");
    expect(of(8)).toMatchObject({ role: 1, password_hash: null, setting: "{}" });
    expect(of(9)).toMatchObject({ username: "bo\ufffdb", display_name: "a".repeat(64) });
    expect(new Set(users.map(({ aff_code }) => aff_code)).size).toBe(9);
    const factors = await into.database.kysely.selectFrom("totp_factors").selectAll().execute();
    expect(
      factors.map(({ user_id, secret_cipher }) => [user_id, into.secrets.decrypt(secret_cipher, `totp:${user_id}`)]),
    ).toEqual([[3, OLD_SECRET]]);
  });

  test("comes over with keys unchanged, and limits no wider than there", async () => {
    const tokens = await rowsOf("tokens");
    expect(tokens.map(({ id }) => id)).toEqual([1, 2, 3, 7, 8, 9, 10, 11]);
    const of = (id: number) => tokens.find((each) => each.id === id);
    const keys = [1, 2, 3, 11].map((id) => openTokenKey(into.secrets, of(id) ?? { key_hash: "", key_cipher: "" }));
    expect(keys).toEqual([OLD_KEYS.plain, OLD_KEYS.dashed, OLD_KEYS.long, OLD_KEYS.padded]);
    expect(of(2)).toMatchObject({ model_limits_enabled: 1, model_limits: "fixed-model,other", unlimited_quota: 0 });
    expect(of(3)).toMatchObject({ expired_time: -1, group_name: "auto", auto_groups: '["vip"]', cross_group_retry: 1 });
    expect(of(7)).toMatchObject({ status: 2 });
    expect(of(8)).toMatchObject({ deleted_at: Date.UTC(2024, 5, 1) / 1000 });
    expect(of(9)).toMatchObject({ unlimited_quota: 0, remain_quota: -7 });
    expect(of(10)).toMatchObject({ status: 2 });
  });

  test("comes over with channels, their keys and what offers their models", async () => {
    const channels = await rowsOf("channels");
    expect(channels.map(({ id, type, status }) => [id, type, status])).toEqual([
      [1, 1, 1],
      [2, 1, 1],
      [3, 33, 1],
      [4, 1, 2],
      [5, 1, 1],
      [6, 1, 2],
      [7, 1, 1],
    ]);
    expect(channels[0]).toMatchObject({ base_url: UPSTREAM, auto_ban: 0, tag: "main", balance_micros: 12_500_000 });
    expect(channels[6]).toMatchObject({ param_override: '{"temperature":0}', remark: "second account" });
    expect(channels[6]?.setting).toContain("@proxy.example:8080");
    expect(channels[6]?.setting).not.toContain("user:pass");
    const keys = await into.database.kysely.selectFrom("channel_keys").selectAll().orderBy("id").execute();
    expect(
      keys.map((key) => [key.channel_id, openChannelKey(into.secrets, key), key.status, key.status_reason]),
    ).toEqual([
      [2, "sk-first-000000000000", 1, ""],
      [2, "sk-second-11111111111", 3, "quota"],
    ]);
    expect(channels[1]?.key_choice).toBe(2);
    const abilities = await into.database.kysely
      .selectFrom("abilities")
      .select(["group_name", "model", "enabled"])
      .where("channel_id", "=", 1)
      .orderBy("group_name")
      .execute();
    expect(abilities).toEqual([
      { group_name: "default", model: "fixed-model", enabled: 1 },
      { group_name: "vip", model: "fixed-model", enabled: 1 },
    ]);
  });

  test("comes over with options under their names here, secrets sealed, codes and orders", async () => {
    const { kysely } = into.database;
    const options = await kysely.selectFrom("options").select(["name", "value"]).execute();
    const texts = Object.fromEntries(options.map(({ name, value }) => [name, value]));
    expect(texts).toMatchObject({
      RegisterEnabled: "false",
      GitHubOAuthEnabled: "true",
      CacheCreationRatio: '{"fixed-model":1.25}',
    });
    expect(openOption(into.secrets, "GitHubClientSecret", texts["GitHubClientSecret"] ?? "")).toBe(
      "client-secret-of-old",
    );
    expect(texts).not.toHaveProperty("SystemName");
    const codes = await kysely.selectFrom("redemptions").selectAll().orderBy("id").execute();
    expect(
      codes.map((code) => [code.id, openCode(into.secrets, code), code.status, code.quota, code.used_user_id]),
    ).toEqual([
      [1, OLD_CODE, 1, 5_000, 0],
      [2, "used0000000000000000000000000000", 3, 10, 2],
    ]);
    const orders = await kysely.selectFrom("top_ups").selectAll().orderBy("id").execute();
    expect(
      orders.map(({ trade_no, quota, money_minor, method, status }) => [trade_no, quota, money_minor, method, status]),
    ).toEqual([
      ["T1", 5_000_000, 7_300, "zfb", "paid"],
      ["T2", 4_995_000, 999, "stripe", "paid"],
      ["T1-4", 500_000, 730, "wx", "ended"],
    ]);
  });

  test("is entered into the audit trail by the command line", async () => {
    const entries = await into.database.kysely.selectFrom("audit_entries").selectAll().orderBy("id").execute();
    expect(entries.map(({ actor, kind, event }) => [actor, kind, JSON.parse(event).code])).toEqual([
      ["command line", "site", "data_import_begun"],
      ["command line", "site", "data_imported"],
    ]);
  });

  test("brings in a second pass what is new and the differences of money, and nothing twice", async () => {
    const before = await rowsOf("tokens");
    const again = await importOldGateway(old, into, { now: IMPORT_TIME + 60 });
    expect(again.tables).toMatchObject({ users: { brought: 0, known: 9 }, tokens: { brought: 0, known: 8 } });
    expect(await rowsOf("tokens")).toEqual(before);
    await old.run(
      "UPDATE users SET quota = quota - 300, used_quota = used_quota + 300, request_count = request_count + 1 WHERE id = 2",
    );
    await old.run("UPDATE tokens SET remain_quota = remain_quota - 300, used_quota = used_quota + 300 WHERE id = 2");
    await old.run("UPDATE channels SET used_quota = used_quota + 300 WHERE id = 1");
    await old.add({
      users: [
        { ...newApiRows(UPSTREAM)["users"]?.[2], id: 20, username: "late", email: "", github_id: "", telegram_id: "" },
      ],
    });
    await old.run("DELETE FROM tokens WHERE id IN (3, 8)", "DELETE FROM users WHERE id = 9");
    const later = await importOldGateway(old, into, { now: IMPORT_TIME + 120 });
    expect(findingsOf(later)).toMatchObject({ token_gone: 2, user_gone: 1 });
    const tokens = await rowsOf("tokens");
    expect(tokens.filter(({ id }) => id === 2 || id === 3 || id === 8).map(({ status }) => status)).toEqual([1, 2, 2]);
    expect((await rowsOf("users")).find(({ id }) => id === 9)?.status).toBe(2);
    expect(later.tables).toMatchObject({ users: { brought: 1, known: 8 }, tokens: { brought: 0, known: 6 } });
    expect(sumsOf(later).filter(([, , , isEqual]) => isEqual !== true)).toEqual([]);
    expect((await rowsOf("users")).filter(({ id }) => id === 2 || id === 20)).toMatchObject([
      { id: 2, quota: 123_456_489, used_quota: 7_300, request_count: 71 },
      { id: 20, username: "late", quota: 1_000_000 },
    ]);
    expect((await auditDatabase(into.database)).faults).toEqual([]);
  });
});

describe.each(HERE)("a one-api on %s", (engine) => {
  test("comes over by its own channel numbers and columns", async () => {
    const old = await makeOldGateway(engine, ONE_API, oneApiRows(UPSTREAM));
    const into = await openTestDatabase(engine);
    try {
      const result = await importOldGateway(old, into);
      expect([result.system, result.atLeast]).toEqual(["one-api", "v0.6.9"]);
      expect(result.left_out).toMatchObject({ tables: { logs: 1 }, options: { Theme: "berry" } });
      const { kysely } = into.database;
      const channels = await kysely.selectFrom("channels").selectAll().orderBy("id").execute();
      expect(channels.map(({ type, status, base_url }) => [type, status, base_url])).toEqual([
        [1, 1, UPSTREAM],
        [33, 1, ""],
        [43, 1, ""],
        [1, 2, ""],
        [1, 1, "https://api.groq.com/openai"],
      ]);
      const keys = channels.map((channel) => openChannelKey(into.secrets, channel));
      expect(keys[1]).toBe("AKIA000000000000|secretsecretsecret|us-east-1");
      expect(channels[2]?.setting).toContain("Be brief.");
      const tokens = await kysely.selectFrom("tokens").selectAll().orderBy("id").execute();
      expect(tokens[1]).toMatchObject({
        model_limits_enabled: 1,
        model_limits: "fixed-model",
        allow_ips: "10.0.0.0/8\n192.168.0.0/16",
      });
      const [root, , gone] = await kysely.selectFrom("users").selectAll().orderBy("id").execute();
      expect([root?.quota, gone?.deleted_at]).toEqual([500_000_000_000_000, IMPORT_TIME]);
      const bound = await kysely.selectFrom("identities").select(["provider", "subject", "user_id"]).execute();
      expect(bound).toContainEqual({ provider: "lark", subject: "lark-1", user_id: 2 });
      expect((await auditDatabase(into.database)).faults).toEqual([]);
      expect(sumsOf(result).filter(([, , , isEqual]) => isEqual !== true)).toEqual([]);
    } finally {
      await old.remove();
      await into.close();
    }
  });

  test("is refused whole where something of it cannot be kept, and nothing is written", async () => {
    const old = await makeOldGateway(engine, ONE_API, oneApiRows(UPSTREAM));
    const into = await openTestDatabase(engine);
    const refusal = async () =>
      importOldGateway(old, into).then(
        () => "imported",
        (error: unknown) => String(error),
      );
    try {
      await old.run("UPDATE users SET quota = 9007199254740993 WHERE id = 1");
      expect(await refusal()).toContain("more than can be kept exactly");
      await old.run("UPDATE users SET quota = 1 WHERE id = 1");
      await old.add({ options: [{ key: "QuotaPerUnit", value: "0.5" }] });
      expect(await refusal()).toContain("QuotaPerUnit");
      await old.run("CREATE TABLE tokens__temp (id int)");
      expect(await refusal()).toContain("tokens__temp");
      const { kysely } = into.database;
      expect(await kysely.selectFrom("users").select("id").execute()).toEqual([]);
    } finally {
      await old.remove();
      await into.close();
    }
  });
});
