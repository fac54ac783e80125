/** Tests of the snapshot: changes of the console are in force within a second, on every engine, and after the database was away. */
import { nameColumns } from "../db/new-user.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { awakeMs } from "../../../tests/support/clients/awake-clock.ts";
import { engines, openTestDatabase } from "../../../tests/support/databases/databases.ts";
import type { TestDatabase } from "../../../tests/support/databases/databases.ts";
import { SAMPLE_ROWS } from "../../../tests/engines/columns.ts";
import { createMemoryCache } from "../cache/memory.ts";
import { insertReturningId, upsert } from "../db/portable.ts";
import { generateTokenKey, sealChannelKey, sealOption, sealTokenKey } from "../db/secrets.ts";
import { bumpVersion } from "../db/versions.ts";
import { createLogger } from "../observe/logger.ts";
import { createPrices } from "../prices/lookup.ts";
import { nowSeconds } from "../util/clock.ts";
import { openSnapshot } from "./open-snapshot.ts";
import type { SnapshotOptions } from "./open-snapshot.ts";
import type { Snapshot } from "./snapshot.ts";

/** Waits for the condition and gives how long that took, in milliseconds while this process could run. */
const until = async (condition: () => boolean, limitMs = 15_000): Promise<number> => {
  const startedMs = awakeMs();
  while (!condition()) {
    if (awakeMs() - startedMs > limitMs) throw new Error("It did not happen in time");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return awakeMs() - startedMs;
};

function collectLogs() {
  const lines: string[] = [];
  return { lines, logger: createLogger({ level: "info", destination: { write: (line) => void lines.push(line) } }) };
}

describe.each(await engines())("snapshot on %s", (engine) => {
  let opened: TestDatabase;
  let snapshot: Snapshot;
  const logs = collectLogs();
  beforeAll(async () => void (opened = await openTestDatabase(engine)));
  afterAll(() => opened.close());

  const open = (changes: Partial<SnapshotOptions> = {}) =>
    openSnapshot({
      database: opened.database,
      secrets: opened.secrets,
      logger: logs.logger,
      pricesOf: createPrices("test", logs.logger),
      ...changes,
    });
  beforeEach(async () => void (snapshot = await open()));
  afterEach(() => snapshot.close());

  let count = 0;
  const unique = () => `${(count += 1)}`;
  const addUser = (changes = {}) =>
    opened.database.kysely.transaction().execute(async (transaction) => {
      const changed_version = await bumpVersion(transaction, "users");
      const name = `user-${unique()}`;
      return insertReturningId(opened.database, transaction, "users", {
        ...SAMPLE_ROWS.users,
        ...nameColumns(name),
        aff_code: name,
        changed_version,
        ...changes,
      });
    });
  const addToken = (key: string, changes = {}) =>
    opened.database.kysely.transaction().execute(async (transaction) => {
      const changed_version = await bumpVersion(transaction, "tokens");
      return insertReturningId(opened.database, transaction, "tokens", {
        ...SAMPLE_ROWS.tokens,
        ...sealTokenKey(opened.secrets, key),
        changed_version,
        ...changes,
      });
    });
  const changeToken = (id: number, changes: { status?: number; deleted_at?: number; model_limits?: string }) =>
    opened.database.kysely.transaction().execute(async (transaction) => {
      const changed_version = await bumpVersion(transaction, "tokens");
      await transaction
        .updateTable("tokens")
        .set({ ...changes, changed_version })
        .where("id", "=", id)
        .execute();
    });
  const addChannel = (models: string[], groups: string[], changes = {}) =>
    opened.database.kysely.transaction().execute(async (transaction) => {
      const changed_version = await bumpVersion(transaction, "channels");
      const row = {
        ...SAMPLE_ROWS.channels,
        ...sealChannelKey(opened.secrets, "sk-upstream-key-1"),
        header_override: null,
        models: models.join(","),
        group_names: groups.join(","),
        changed_version,
        ...changes,
      };
      return insertReturningId(opened.database, transaction, "channels", row);
    });
  const changeChannel = (id: number, changes: { status?: number; models?: string; priority?: number } | "delete") =>
    opened.database.kysely.transaction().execute(async (transaction) => {
      const changed_version = await bumpVersion(transaction, "channels");
      if (changes === "delete") return void (await transaction.deleteFrom("channels").where("id", "=", id).execute());
      await transaction
        .updateTable("channels")
        .set({ ...changes, changed_version })
        .where("id", "=", id)
        .execute();
    });
  const setOption = (name: string, value: string) =>
    opened.database.kysely.transaction().execute(async (transaction) => {
      await bumpVersion(transaction, "options");
      await upsert(opened.database, transaction, "options", { name, value, updated_time: 1 }, ["name"], { value });
    });

  test("everything is there at the start", async () => {
    const key = generateTokenKey();
    const id = await addUser({ setting: '{"accept_unset_model_ratio_model":true}', group_name: "vip" });
    const tokenId = await addToken(key, { user_id: id, model_limits_enabled: 1, model_limits: "a,b" });
    const second = await open();
    expect(second.userById(id)).toMatchObject({ id, groupName: "vip", acceptsUnpricedModels: true, isDeleted: false });
    expect(second.tokenByKey(key)).toMatchObject({
      id: tokenId,
      userId: id,
      modelLimits: new Set(["a", "b"]),
      keyFirst: key.slice(0, 6),
    });
    expect(second.tokenById(tokenId)).toBe(second.tokenByKey(key));
    expect(second.tokenByKey(generateTokenKey())).toBeUndefined();
    expect(second.tokenByKey("")).toBeUndefined();
    await second.close();
  });

  test("tokens with equal lists share them, and changing one does not change the others", async () => {
    const keys = [generateTokenKey(), generateTokenKey(), generateTokenKey()];
    const lists = { model_limits_enabled: 1, model_limits: "shared-a,shared-b", allow_ips: "192.0.2.0/24" };
    const ids = [];
    for (const key of keys) ids.push(await addToken(key, lists));
    await snapshot.refresh();
    const tokens = () => keys.map((key) => snapshot.tokenByKey(key));
    expect(new Set(tokens().map((token) => token?.modelLimits)).size).toBe(1);
    expect(new Set(tokens().map((token) => token?.isAddressAllowed)).size).toBe(1);
    await changeToken(ids[0] ?? 0, { model_limits: "other" });
    await snapshot.refresh();
    expect(tokens().map((token) => [...(token?.modelLimits ?? [])])).toEqual([
      ["other"],
      ["shared-a", "shared-b"],
      ["shared-a", "shared-b"],
    ]);
  });

  test("a revoked and a deleted token die everywhere within a second, without Redis", async () => {
    const [first, second] = [generateTokenKey(), generateTokenKey()];
    const ids = [await addToken(first), await addToken(second)];
    const other = await open();
    await until(() => snapshot.tokenByKey(first) !== undefined && snapshot.tokenByKey(second) !== undefined);
    await changeToken(ids[0] ?? 0, { status: 2 });
    await changeToken(ids[1] ?? 0, { deleted_at: 5 });
    const isGone = (reader: Snapshot) =>
      reader.tokenByKey(first)?.status === 2 && reader.tokenByKey(second) === undefined;
    expect(await until(() => isGone(snapshot) && isGone(other))).toBeLessThan(1_000);
    await other.close();
  });

  test("refresh puts a committed change in force before it resolves", async () => {
    const slow = await open({ pollMs: 60_000 });
    const id = await addUser();
    expect(slow.userById(id)).toBeUndefined();
    await slow.refresh();
    expect(slow.userById(id)?.status).toBe(1);
    await slow.close();
  });

  test("of refreshes at once every one sees what was committed before it was asked for", async () => {
    const slow = await open({ pollMs: 60_000 });
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const id = await addUser();
        await slow.refresh();
        expect(slow.userById(id)?.id).toBe(id);
      }),
    );
    await slow.close();
  });

  test("messages from another process are quicker than the poll", async () => {
    const cache = createMemoryCache();
    const [first, second] = [await open({ pollMs: 60_000, cache }), await open({ pollMs: 60_000, cache })];
    const id = await addUser();
    await first.refresh();
    expect(await until(() => second.userById(id) !== undefined)).toBeLessThan(500);
    await Promise.all([first.close(), second.close()]);
  });

  test("channels come by tier and id, with their keys in clear; disabled ones and their models vanish", async () => {
    const low = await addChannel(["m1", "m2"], ["g1"], { priority: 1 });
    const first = await addChannel(["m1"], ["g1", "g2"], {
      priority: 9,
      model_mapping: '{"m1":"real"}',
      status_code_mapping: '{"429":"503","400":101,"404":"204","500":"none"}',
      setting:
        '{"proxy":"http://p:1","max_concurrency":3,"first_byte_timeout_stream_seconds":7,"allow_service_tier":true,"http_protocol":"http2","http2_connection_shards":4,"other":1}',
    });
    const second = await addChannel(["m1"], ["g1"], {
      priority: 9,
      setting:
        '{"force_format":true,"thinking_to_content":false,"http_protocol":"http1","http2_connection_shards":9,"proxy":5}',
    });
    await snapshot.refresh();
    expect(snapshot.tiersFor("g1", "m1").map((tier) => [tier.priority, ...tier.channels.map(({ id }) => id)])).toEqual([
      [9, first, second],
      [1, low],
    ]);
    expect(snapshot.tiersFor("g1", "m1")).toBe(snapshot.tiersFor("g1", "m1"));
    expect(snapshot.channelById(first)).toMatchObject({
      key: "sk-upstream-key-1",
      modelMapping: { m1: "real" },
      statusCodeMapping: { 429: 503 },
      setting: {
        proxy: "http://p:1",
        maxConcurrency: 3,
        firstByteStreamMs: 7_000,
        allowsServiceTier: true,
        http2: { isRequired: true, connections: 4 },
      },
    });
    expect(snapshot.channelById(second)?.setting).toEqual({ forcesFormat: true, movesThinking: false });
    expect(snapshot.modelsFor(["g1"])).toEqual(["m1", "m2"]);
    expect(snapshot.modelsFor(["g2", "nobody"])).toEqual(["m1"]);
    expect(snapshot.tiersFor("g2", "m2")).toEqual([]);
    await changeChannel(low, { status: 3 });
    await snapshot.refresh();
    expect(snapshot.tiersFor("g1", "m1").map(({ priority }) => priority)).toEqual([9]);
    expect(snapshot.modelsFor(["g1"])).toEqual(["m1"]);
    expect(snapshot.channelById(low)?.status).toBe(3);
  });

  test("a change is in force without what it does not touch being made anew, and a deleted channel is gone", async () => {
    const [changed, other] = [await addChannel(["m5", "m6"], ["g5"]), await addChannel(["m5", "m7"], ["g5", "g6"])];
    await snapshot.refresh();
    const idsOf = (group: string, model: string) =>
      snapshot.tiersFor(group, model).map(({ priority, channels }) => [priority, channels.map(({ id }) => id)]);
    const untouched = snapshot.tiersFor("g6", "m7");
    const [kept, priority] = [snapshot.channelById(other), snapshot.channelById(other)?.priority ?? 0];
    expect(idsOf("g5", "m5")).toEqual([[priority, [changed, other]]]);

    await changeChannel(changed, { models: "m5,m8", priority: priority + 1 });
    await snapshot.refresh();
    expect(idsOf("g5", "m5")).toEqual([
      [priority + 1, [changed]],
      [priority, [other]],
    ]);
    expect([idsOf("g5", "m6"), snapshot.modelsFor(["g5"])]).toEqual([[], ["m5", "m7", "m8"]]);
    expect(snapshot.tiersFor("g6", "m7")).toBe(untouched);
    expect(snapshot.channelById(other)).toBe(kept);

    await changeChannel(other, "delete");
    await snapshot.refresh();
    expect([idsOf("g5", "m5"), idsOf("g6", "m7")]).toEqual([[[priority + 1, [changed]]], []]);
    expect([snapshot.channelById(other), snapshot.modelsFor(["g6"])]).toEqual([undefined, []]);
    expect(snapshot.channels().map(({ id }) => id)).not.toContain(other);
  });

  test("a channel whose key cannot be decrypted is left out and logged, the others serve", async () => {
    const broken = await addChannel(["m9"], ["g9"], { key_cipher: "v1.00000000.AAAA" });
    const sound = await addChannel(["m9"], ["g9"]);
    await snapshot.refresh();
    expect(snapshot.tiersFor("g9", "m9")[0]?.channels.map(({ id }) => id)).toEqual([sound]);
    expect(
      logs.lines.some((line) => line.includes(`"channelId":${broken}`) && line.includes("cannot be decrypted")),
    ).toBe(true);
  });

  test("options are typed, secrets are in clear, and each price table has its own version row", async () => {
    const before = { options: snapshot.options, version: snapshot.priceVersion };
    expect(before.version).toBeGreaterThan(0);
    await setOption("SMTPToken", sealOption(opened.secrets, "SMTPToken", "mail password"));
    await setOption("ModelRatio", '{"my-model": 0.1}');
    await setOption("GroupRatio", '{"default":1,"vip":0.5}');
    await setOption("RetryTimes", "not a number");
    await snapshot.refresh();
    expect(snapshot.options).not.toBe(before.options);
    expect(snapshot.options.SMTPToken).toBe("mail password");
    expect(snapshot.options.RetryTimes).toBe(before.options.RetryTimes);
    expect(snapshot.groupRatio("default", "vip")).toEqual({ ratio: "0.5", isOfPair: false });
    expect(snapshot.groupRatio("default", "toString")).toBeUndefined();
    expect(snapshot.priceOf("my-model")).toMatchObject({ kind: "per_token", ratio: "0.1" });
    expect(snapshot.priceOf("nobody-priced-this")).toBeUndefined();
    expect(snapshot.priceVersion).not.toBe(before.version);
    const row = await opened.database.kysely
      .selectFrom("price_versions")
      .selectAll()
      .where("id", "=", snapshot.priceVersion)
      .executeTakeFirstOrThrow();
    expect(JSON.parse(row.tables)).toMatchObject({ dataSet: "test", ModelRatio: { "my-model": "0.1" } });
    await setOption("Notice", "a change that touches no price");
    const version = snapshot.priceVersion;
    await snapshot.refresh();
    expect([snapshot.options.Notice, snapshot.priceVersion]).toEqual(["a change that touches no price", version]);
  });

  test("prices have the time they came into force, the same in a second process and after a restart", async () => {
    const startedSeconds = nowSeconds();
    await setOption("ModelRatio", `{"my-model": 0.${unique()}7}`);
    await snapshot.refresh();
    const { priceVersion, priceSince } = snapshot;
    expect(priceSince).toBeGreaterThanOrEqual(startedSeconds);
    expect(priceSince).toBeLessThanOrEqual(nowSeconds());
    const value = JSON.stringify({ id: priceVersion, since: 1_780_272_000, options: 1 });
    const fact = opened.database.kysely.updateTable("facts").set({ value });
    await fact.where("name", "=", "price_version_in_force").execute();
    const restarted = await open();
    expect([restarted.priceVersion, restarted.priceSince]).toEqual([priceVersion, 1_780_272_000]);
    await restarted.close();
  });

  test("a secret option that cannot be decrypted counts as unset and is logged", async () => {
    await setOption("EpayKey", "written in clear by hand");
    await snapshot.refresh();
    expect(snapshot.options.EpayKey).toBe("");
    expect(logs.lines.some((line) => line.includes('"option":"EpayKey"') && !line.includes("written in clear"))).toBe(
      true,
    );
  });

  test("people may use the listed groups and their own", async () => {
    await setOption("UserUsableGroups", '{"default":"Everybody"}');
    await snapshot.refresh();
    expect([...snapshot.usableGroups("vip")]).toEqual([
      ["default", "Everybody"],
      ["vip", "User group"],
    ]);
    expect([...snapshot.usableGroups("")]).toEqual([["default", "Everybody"]]);
  });

  test("everything is served on while the database fails, and what changed meanwhile is in force after it", async () => {
    const key = generateTokenKey();
    const id = await addToken(key);
    let isAway = false;
    const { kysely } = opened.database;
    const failing = {
      ...opened.database,
      get kysely() {
        if (isAway) throw new Error("connection lost");
        return kysely;
      },
    };
    const own = collectLogs();
    const follower = await open({ database: failing, pollMs: 20, logger: own.logger });
    isAway = true;
    await until(() => own.lines.length > 0);
    await changeToken(id, { status: 2 });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(follower.tokenByKey(key)?.status).toBe(1);
    expect(own.lines.filter((line) => line.includes("cannot read the database"))).toHaveLength(1);
    expect(follower.isHealthy).toBe(true);
    const awayMs = 6_000;
    const { now } = Date;
    vi.spyOn(Date, "now").mockImplementation(() => now.call(Date) + awayMs);
    expect(follower.isHealthy).toBe(false);
    isAway = false;
    await until(() => follower.tokenByKey(key)?.status === 2);
    expect(follower.isHealthy).toBe(true);
    await follower.close();
  });
});
