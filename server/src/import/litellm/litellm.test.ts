/** Imports of a LiteLLM on PostgreSQL into each engine: keys by their hash, budgets to the unit, deployments opened or off, nothing lost in silence. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { engines, openTestDatabase, type TestDatabase } from "../../../../tests/support/databases/databases.ts";
import { isReachable, SERVERS } from "../../../../tests/support/databases/servers.ts";
import { makeOldGateway, type OldGateway } from "../../../../tests/support/old-systems/old-gateway.ts";
import {
  expectEveryRow,
  findingsOf,
  IMPORT_TIME,
  importAfterDryRun,
  importOldGateway,
} from "../../../../tests/support/old-systems/old-import.ts";
import {
  HOSTILE_USER,
  LITELLM,
  LITELLM_KEYS,
  LITELLM_PASSWORD,
  litellmKey,
  litellmRows,
  SALT_KEY,
  sha256,
} from "../../../../tests/support/old-systems/old-litellm.ts";
import { auditDatabase } from "../../billing/audit.ts";
import { verifyPassword } from "../../console/passwords.ts";
import { hashedKeyHashOf, openChannelKey, openTokenKey } from "../../db/secrets.ts";
import type { ImportResult } from "../run.ts";

const HERE = await engines();
const UPSTREAM = "http://upstream.example";
const LITELLM_WORDS = { saltKey: SALT_KEY, balance: "25" };

describe.skipIf(!(await isReachable(SERVERS.postgres))).each(HERE)("a LiteLLM into %s", (engine) => {
  let old: OldGateway;
  let into: TestDatabase;
  let first: ImportResult;

  const users = () => into.database.kysely.selectFrom("users").selectAll().orderBy("id").execute();
  const tokenOf = (key: string) =>
    into.database.kysely
      .selectFrom("tokens")
      .selectAll()
      .where("key_hash", "=", hashedKeyHashOf(into.secrets, key.slice(3)))
      .executeTakeFirstOrThrow();
  const ownerOf = async (key: string) => {
    const { user_id } = await tokenOf(key);
    return into.database.kysely.selectFrom("users").selectAll().where("id", "=", user_id).executeTakeFirstOrThrow();
  };
  const channels = async () =>
    Object.fromEntries(
      (await into.database.kysely.selectFrom("channels").selectAll().execute()).map((row) => [row.name, row]),
    );

  beforeAll(async () => {
    old = await makeOldGateway("postgres", LITELLM, litellmRows(UPSTREAM));
    into = await openTestDatabase(engine);
    const areEmpty = async () => {
      for (const table of ["users", "tokens", "import_numbers"] as const)
        expect(await into.database.kysely.selectFrom(table).selectAll().execute()).toEqual([]);
    };
    first = await importAfterDryRun(old, into, areEmpty, { litellm: LITELLM_WORDS });
  });
  afterAll(async () => {
    await old.remove();
    await into.close();
  });

  test("is recognised, every row is brought, known or refused, and no secret is said", () => {
    expect([first.system, first.atLeast]).toEqual(["LiteLLM", "2026-09-16"]);
    expectEveryRow(first);
    expect(first.tables).toMatchObject({
      users: { found: 8, brought: 8 },
      LiteLLM_VerificationToken: { found: 12, brought: 10, refused: 2 },
      tokens: { found: 10, brought: 10 },
      channels: { found: 7, brought: 7 },
    });
    expect(JSON.stringify(first)).not.toMatch(/sk-upstream|sk-clear|sk-in-the-settings|scrypt:|3DmxVf6|[0-9a-f]{64}/);
  });

  test("lists what has no place", () => {
    expect(first.left_out.tables).toEqual({ LiteLLM_EndUserTable: 1 });
    expect(first.left_out.columns).toEqual({
      "LiteLLM_BudgetTable.soft_budget": 1,
      "LiteLLM_UserTable.tpm_limit": 1,
      "LiteLLM_VerificationToken.rpm_limit": 1,
    });
    expect(Object.keys(first.left_out.options)).toEqual([
      "environment_variables.OPENAI_API_KEY",
      "router_settings.num_retries",
    ]);
    expect(findingsOf(first)).toMatchObject({
      team_is_account: 2,
      budget_resets: 1,
      keys_in_grace: 1,
      token_of_console: 1,
      token_key_form: 1,
      token_of_proxy: 1,
      token_routes_narrow: 1,
      user_sso_left: 1,
      user_without_budget: 1,
      channel_secret_closed: 2,
      channel_wildcard: 1,
      channel_type_unknown: 1,
      amounts_rounded: 1,
      user_name_used: 1,
      user_email_taken: 1,
      user_password_unknown: 1,
    });
  });

  test("has the budgets to the unit, in books that balance", async () => {
    expect(first.sums.filter(({ isEqual }) => !isEqual)).toEqual([]);
    expect((await auditDatabase(into.database)).faults).toEqual([]);
    const quotaOf = Object.fromEntries(
      (await users()).map(({ username, quota }) => [username.replace(/_\d+$/, ""), quota]),
    );
    expect(quotaOf).toMatchObject({
      // 10 - 1.2345678901 dollars are 4,382,716.05495 units.
      Ada: expect.any(Number),
      Research: 20_000_000,
      "bo@example.com": 250_000,
      "u-cy": 12_500_000,
    });
    const ada = await ownerOf(LITELLM_KEYS.ada);
    expect([ada.quota, ada.used_quota, ada.role, ada.email]).toEqual([4_382_716, 617_284, 10, "ada@example.com"]);
    expect(await tokenOf(LITELLM_KEYS.ada)).toMatchObject({ remain_quota: 1_500_000 - 1 + 1, unlimited_quota: 0 });
    expect(await tokenOf(LITELLM_KEYS.spent)).toMatchObject({ remain_quota: -250_000, used_quota: 4_000_000 });
    expect(await tokenOf(LITELLM_KEYS.cy)).toMatchObject({ remain_quota: 0, unlimited_quota: 1, used_quota: 1 });
    expect(await tokenOf(LITELLM_KEYS.bo)).toMatchObject({ remain_quota: 250_000 });
    expect(await tokenOf(LITELLM_KEYS.member)).toMatchObject({ remain_quota: 250_000 });
    expect(await tokenOf(LITELLM_KEYS.team)).toMatchObject({ unlimited_quota: 1 });
  });

  test("has keys that nothing but the key itself finds, off where they were", async () => {
    const status = async (key: string) => (await tokenOf(key)).status;
    expect(await Promise.all(Object.values(LITELLM_KEYS).map(status))).toEqual([1, 2, 1, 1, 1, 1, 1, 1, 2, 1]);
    expect((await tokenOf(LITELLM_KEYS.expired)).expired_time).toBe(Date.UTC(2026, 1, 3, 4, 5, 6) / 1000);
    const row = await tokenOf(LITELLM_KEYS.ada);
    expect([openTokenKey(into.secrets, row), row.key_unknown, row.key_last]).toEqual(["", 1, "QrS-"]);
    const dump = JSON.stringify(await into.database.kysely.selectFrom("tokens").selectAll().execute());
    for (const key of Object.values(LITELLM_KEYS)) expect(dump).not.toContain(sha256(key));
  });

  test("has the models of key, team, project and access group together", async () => {
    const models = async (key: string) => {
      const { model_limits, model_limits_enabled } = await tokenOf(key);
      return model_limits_enabled === 1 ? model_limits.split(",") : "all";
    };
    expect(await models(LITELLM_KEYS.ada)).toBe("all");
    expect(await models(LITELLM_KEYS.team)).toEqual(["gpt-4o"]);
    expect(await models(LITELLM_KEYS.member)).toEqual(["gpt-4o"]);
    expect(await models(LITELLM_KEYS.bo)).toEqual(["gpt-4o", "openai/*"]);
    expect(await models(LITELLM_KEYS.orphan)).toEqual([""]);
  });

  test("has people none more powerful than there, with their passwords", async () => {
    const ada = await ownerOf(LITELLM_KEYS.ada);
    expect(await verifyPassword(ada.password_hash, LITELLM_PASSWORD)).toEqual({ isRight: true, needsRehash: true });
    expect(await verifyPassword(ada.password_hash, "another")).toMatchObject({ isRight: false });
    const all = await users();
    expect(all.filter(({ role }) => role > 1).map(({ username }) => username)).toEqual(["Ada"]);
    expect(all.filter(({ password_hash }) => password_hash !== null)).toHaveLength(1);
    const hostile = all.find(({ username }) => username.startsWith(HOSTILE_USER.slice(0, -1)));
    expect([hostile?.role, hostile?.username.includes("\u200b")]).toEqual([1, false]);
    expect((await ownerOf(LITELLM_KEYS.orphan)).username).toBe("litellm-proxy");
  });

  test("has deployments as channels, opened with the key, else off with the reason", async () => {
    const all = await channels();
    const open = (name: string) => openChannelKey(into.secrets, all[name] as never);
    expect(all["gpt-4o"]).toMatchObject({
      type: 1,
      status: 1,
      base_url: UPSTREAM,
      models: "gpt-4o,gpt-4",
      weight: 3,
      priority: -2,
    });
    expect(JSON.parse(all["gpt-4o"]?.model_mapping ?? "")).toEqual({ "gpt-4": "gpt-4o" });
    expect(open("gpt-4o")).toBe("sk-upstream-of-litellm-0123456789");
    expect(all["cheap"]).toMatchObject({ type: 3, status: 1, other: "2024-10-21" });
    for (const name of ["env", "foreign", "openai/*", "odd", "off"]) expect(all[name]?.status).toBe(2);
    expect(all["env"]?.other_info).toContain("os.environ/SECRET_KEY");
    expect(open("env")).toBe("");
  });

  test("comes again with the differences alone, and new rows get numbers of their own", async () => {
    const before = await tokenOf(LITELLM_KEYS.ada);
    const again = await importOldGateway(old, into, { litellm: LITELLM_WORDS, now: IMPORT_TIME + 60 });
    expect(again.tables["tokens"]).toMatchObject({ brought: 0, known: 10 });
    const newKey = "sk-NewNewNewNewNewNewNew0";
    await old.add({ LiteLLM_VerificationToken: [litellmKey(newKey, { user_id: "u-ada", max_budget: 1 })] });
    await old.run(
      `UPDATE "LiteLLM_UserTable" SET spend = spend + 2 WHERE user_id = 'u-ada'`,
      `UPDATE "LiteLLM_VerificationToken" SET spend = spend + 2 WHERE token = '${sha256(LITELLM_KEYS.ada)}'`,
    );
    const third = await importOldGateway(old, into, { litellm: LITELLM_WORDS, now: IMPORT_TIME + 120 });
    expect(third.sums.filter(({ isEqual }) => !isEqual)).toEqual([]);
    expect((await auditDatabase(into.database)).faults).toEqual([]);
    const after = await tokenOf(LITELLM_KEYS.ada);
    expect([after.id, after.remain_quota]).toEqual([before.id, before.remain_quota - 1_000_000]);
    expect((await tokenOf(newKey)).remain_quota).toBe(500_000);
    expect((await ownerOf(LITELLM_KEYS.ada)).quota).toBe(3_382_716);
  });
});
