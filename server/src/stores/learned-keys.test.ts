/** Tests of keys that the first call brings, on each engine: stored with their tokens before the server ends, each with its own, and a failure stops nothing. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { engines, openTestDatabase, type TestDatabase } from "../../../tests/support/databases/databases.ts";
import { openTokenKey, sealHashedKey } from "../db/secrets.ts";
import { openLearnedKeys } from "./learned-keys.ts";

/** More than two batches. */
const COUNT = 120;
const keyOf = (id: number): string => `key-number-${id}-0123456789`;
const sha256Of = (key: string): string => createHash("sha256").update(`sk-${key}`).digest("hex");

describe.each(await engines())("keys that were learned, on %s", (engine) => {
  let into: TestDatabase;
  const warnings: string[] = [];
  const open = () =>
    openLearnedKeys({ ...into, logger: { warn: (_fields: object, text: string) => void warnings.push(text) } });

  beforeAll(async () => {
    into = await openTestDatabase(engine);
    const token = {
      user_id: 1,
      status: 1,
      created_time: 1,
      accessed_time: 1,
      expired_time: -1,
      remain_quota: 0,
      held: 0,
      used_quota: 0,
      unlimited_quota: 1 as const,
      model_limits_enabled: 0 as const,
      model_limits: "",
      allow_ips: "",
      group_name: "",
      deleted_at: null,
      changed_version: 1,
    };
    const rows = Array.from({ length: COUNT }, (_, index) => ({
      ...token,
      id: index + 1,
      name: `token ${index + 1}`,
      ...sealHashedKey(into.secrets, sha256Of(keyOf(index + 1)), "6789"),
    }));
    await into.database.kysely.insertInto("tokens").values(rows).execute();
  });
  afterAll(() => into.close());

  const stored = async () => {
    const rows = await into.database.kysely.selectFrom("tokens").selectAll().orderBy("id").execute();
    return rows.map((row) => [row.key_unknown, openTokenKey(into.secrets, row)]);
  };

  test("are all stored once it is closed, and another token's key is stored with none", async () => {
    const keys = open();
    for (let id = 2; id <= COUNT; id += 1) keys.learn(id, keyOf(id));
    keys.learn(1, keyOf(2));
    await keys.close();
    expect(await stored()).toEqual(
      Array.from({ length: COUNT }, (_, index) => (index === 0 ? [1, ""] : [0, keyOf(index + 1)])),
    );
    await keys.close();
    expect(warnings).toEqual([]);
  });

  test("are brought by a later call where they could not be stored", async () => {
    const failing = openLearnedKeys({
      ...into,
      database: {
        ...into.database,
        kysely: { transaction: () => ({ execute: () => Promise.reject(new Error("away")) }) } as never,
      },
      logger: { warn: (_fields: object, text: string) => void warnings.push(text) },
    });
    failing.learn(1, keyOf(1));
    await failing.close();
    expect(warnings).toEqual(["keys could not be stored"]);
    const keys = open();
    keys.learn(1, keyOf(1));
    await keys.close();
    expect((await stored())[0]).toEqual([0, keyOf(1)]);
  });
});
