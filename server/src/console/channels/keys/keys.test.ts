/** Tests of the keys of a channel that has several: their storage, the effect of each act, and that no key is ever shown. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ChannelKeyList } from "../../../../../contract/src/channels/keys.ts";
import { engines } from "../../../../../tests/support/databases/databases.ts";
import { type ChannelScene, openChannelScene } from "../../../../../tests/support/systems/channel-scene.ts";
import type { Caller, TestConsole } from "../../../../../tests/support/systems/console.ts";
import { openKeyCounter } from "../../../stores/counters.ts";
import { autoDisable, autoEnable } from "../status.ts";
import { autoDisableKey } from "./status.ts";

const keyOf = (id: number): string => `sk-planted-${id}-abcdefghijklmnopqrstuvw-${String(id).padStart(4, "0")}`;
const keysOf = (...ids: number[]): string => ids.map(keyOf).join("\n");
const markOf = (id: number): string => `sk-p…${String(id).padStart(4, "0")}`;
const account = (id: string) => ({ type: "service_account", project_id: "planted", private_key_id: id });

describe.each(await engines())("keys of a channel on %s", (engine) => {
  let scene: ChannelScene;
  let site: TestConsole;
  let admin: Caller;

  beforeAll(async () => {
    scene = await openChannelScene(engine, {});
    ({ site, admin } = scene);
  });
  afterAll(() => site.close());
  beforeEach(async () => {
    await scene.clear();
    await site.foundation.database.kysely.deleteFrom("channel_keys").execute();
    await site.foundation.database.kysely.deleteFrom("logs").execute();
  });

  const make = (ids: number[], more: object = {}) =>
    scene.make({ key: keysOf(...ids), keys_make: "one_channel", ...more });
  const list = (id: number, query = "page_size=100") =>
    admin.data<ChannelKeyList>("GET", `/api/channel/${id}/keys?${query}`);
  const marks = async (id: number) => (await list(id)).keys.map(({ mark }) => mark);
  const idOf = async (id: number, mark: string) => (await list(id)).keys.find((key) => key.mark === mark)?.id ?? 0;
  const status = (id: number, body: object) => admin.data("POST", `/api/channel/${id}/keys/status`, body);
  const inSnapshot = (id: number) => site.foundation.snapshot.channelById(id);
  const ringOf = (id: number) => inSnapshot(id)?.keys?.members.map(({ key, ofKey }) => [key, ofKey.mark]);
  const context = () => ({ ...site.foundation, clock: () => Date.now() });
  const events = async () => {
    const { kysely } = site.foundation.database;
    const rows = await kysely.selectFrom("logs").select("other").orderBy("id").execute();
    return rows.map(({ other }) => (JSON.parse(other) as { event: { code: string; values: object } }).event);
  };

  it("makes one channel of several keys where that is asked for, else a channel of each", async () => {
    const id = await make([1, 2, 3], { key_choice: "in_turn" });
    expect(await scene.list()).toHaveLength(1);
    const shown = { key_choice: "in_turn", key_count: 3, enabled_key_count: 3, key_first: "", key_last: "" };
    expect(await scene.read(id)).toMatchObject(shown);
    expect(await list(id)).toMatchObject({
      key_choice: "in_turn",
      total: 3,
      enabled: 3,
      disabled: 0,
      auto_disabled: 0,
    });
    expect(inSnapshot(id)?.keys?.isRoundRobin).toBe(true);
    expect(ringOf(id)).toEqual([1, 2, 3].map((each) => [keyOf(each), markOf(each)]));
    await scene.make({ key: keysOf(4, 5) });
    expect((await scene.list()).filter(({ key_choice }) => key_choice === "one")).toHaveLength(2);
  });

  it("keeps one key as it was: no list, and nothing to choose from", async () => {
    const id = await make([1]);
    expect(await scene.read(id)).toMatchObject({
      key_choice: "one",
      key_count: 1,
      enabled_key_count: 1,
      key_last: "0001",
    });
    expect((await list(id)).keys).toEqual([]);
    expect(inSnapshot(id)).toMatchObject({ key: keyOf(1) });
    expect(inSnapshot(id)?.keys).toBeUndefined();
    const refused = await admin.call("PUT", `/api/channel/${id}/keys`, { key_choice: "in_turn" });
    expect(refused.body).toMatchObject({ success: false, code: "channel_one_key" });
  });

  it("adds to one key, says duplicates, and takes JSON accounts as one key each", async () => {
    const id = await scene.make({ key: keyOf(1) });
    const add = (key: string, more: object = {}) => admin.data("POST", `/api/channel/${id}/keys`, { key, ...more });
    expect(await add(keysOf(1, 2, 2, 3), { key_choice: "in_turn" })).toEqual({ added: 2, duplicates: 2 });
    expect(await marks(id)).toEqual([1, 2, 3].map(markOf));
    expect(await scene.read(id)).toMatchObject({ key_choice: "in_turn" });
    const accounts = ["0123456789abcdef01", "0123456789abcdef02"].map(account);
    expect(await add(JSON.stringify(accounts, null, 2))).toEqual({ added: 2, duplicates: 0 });
    expect(await add(JSON.stringify(accounts[0]))).toEqual({ added: 0, duplicates: 1 });
    expect((await marks(id)).slice(3)).toEqual(["JSON …cdef01", "JSON …cdef02"]);
    expect(ringOf(id)?.[3]?.[0]).toBe(JSON.stringify(accounts[0]));
    const broken = await admin.call("POST", `/api/channel/${id}/keys`, { key: 'sk-1\n{"type":' });
    expect(broken.body).toMatchObject({ code: "channel_key_json_broken", field: "key", values: { line: 2 } });
    const many = Array.from({ length: 1000 }, (_, index) => keyOf(index + 10)).join("\n");
    const refused = await admin.call("POST", `/api/channel/${id}/keys`, { key: many });
    expect(refused.body).toMatchObject({ code: "channel_keys_many", values: { max: 1000 } });
    expect((await list(id)).total).toBe(5);
  });

  it("disables, enables and removes keys, each act in force at once", async () => {
    const id = await make([1, 2, 3]);
    const second = await idOf(id, markOf(2));
    expect(await status(id, { ids: [second, 999_999], status: 2 })).toBe(1);
    expect(ringOf(id)?.map(([, mark]) => mark)).toEqual([markOf(1), markOf(3)]);
    expect(await scene.read(id)).toMatchObject({ key_count: 3, enabled_key_count: 2 });
    expect((await list(id, "status=2")).keys.map(({ mark }) => mark)).toEqual([markOf(2)]);
    expect(await status(id, { which: "all", status: 1 })).toBe(1);
    expect(ringOf(id)).toHaveLength(3);
    // The one in the channel's own row goes, so that the next takes its place there.
    const remove = (body: object) => admin.call("POST", `/api/channel/${id}/keys/delete`, body);
    expect((await remove({ ids: [await idOf(id, markOf(1))] })).body).toMatchObject({ data: 1 });
    const { kysely } = site.foundation.database;
    const row = await kysely.selectFrom("channels").select("key_last").where("id", "=", id).executeTakeFirst();
    expect(row).toEqual({ key_last: "0002" });
    const all = (await list(id)).keys.map((key) => key.id);
    expect((await remove({ ids: all })).body).toMatchObject({ success: false, code: "channel_last_key" });
    expect((await list(id)).total).toBe(2);
    await admin.data("PUT", `/api/channel/${id}/keys`, { key_choice: "in_turn" });
    expect(inSnapshot(id)?.keys?.isRoundRobin).toBe(true);
    expect((await events()).map(({ code }) => code)).toEqual([
      "channel_created",
      "channel_keys_disabled",
      "channel_keys_enabled",
      "channel_keys_removed",
      "channel_keys_in_turn",
    ]);
  });

  it("switches one key off by itself with its reason, and the channel with the last one; a key that comes brings it back", async () => {
    const id = await make([1, 2]);
    const [first = 0, second = 0] = (await list(id)).keys.map((key) => key.id);
    const off = (keyId: number) => autoDisableKey(context(), { channelId: id, keyId, reason: "status 401: refused" });
    expect([await off(first), await off(first), await off(999_999)]).toEqual([true, false, false]);
    expect((await list(id)).keys[0]).toMatchObject({ status: 3, status_reason: "status 401: refused" });
    expect(await scene.read(id)).toMatchObject({ status: 1, enabled_key_count: 1 });
    expect(await off(second)).toBe(true);
    const channel = await scene.read(id);
    expect(channel).toMatchObject({ status: 3, enabled_key_count: 0 });
    expect(JSON.parse(channel.other_info)).toMatchObject({ status_reason: `${markOf(2)}: status 401: refused` });
    expect(site.foundation.snapshot.tiersFor("default", "gpt-a")).toEqual([]);
    const told = (await events()).slice(1);
    expect(told.map(({ code }) => code)).toEqual([
      "channel_key_disabled_automatically",
      "channel_key_disabled_automatically",
      "channel_disabled_without_keys",
    ]);
    expect(told[0]?.values).toMatchObject({ name: "main", id, key: markOf(1), reason: "status 401: refused" });
    await admin.data("POST", `/api/channel/${id}/keys`, { key: keyOf(3) });
    expect(await scene.read(id)).toMatchObject({ status: 1, other_info: "", key_count: 3, enabled_key_count: 1 });
    expect(site.foundation.snapshot.tiersFor("default", "gpt-a")).toHaveLength(1);
    const removed = await admin.data("POST", `/api/channel/${id}/keys/delete`, { which: "auto_disabled" });
    expect([removed, await marks(id)]).toEqual([2, [markOf(3)]]);
  });

  it("does not bring a channel back that is off for another reason", async () => {
    const id = await make([1, 2]);
    await autoDisable(context(), id, "too slow");
    await admin.data("POST", `/api/channel/${id}/keys`, { key: keyOf(3) });
    await status(id, { which: "all", status: 1 });
    expect(await scene.read(id)).toMatchObject({ status: 3 });
  });

  it("gives a channel that is switched on its auto-disabled keys back where no key is enabled, but none that somebody switched off", async () => {
    const id = await make([1, 2, 3]);
    const [first = 0, second = 0, third = 0] = (await list(id)).keys.map((key) => key.id);
    await status(id, { ids: [third], status: 2 });
    for (const keyId of [first, second]) await autoDisableKey(context(), { channelId: id, keyId, reason: "spent" });
    expect(await scene.read(id)).toMatchObject({ status: 3 });
    expect(inSnapshot(id)).toMatchObject({ key: keyOf(1), keys: { shownKeyId: first, members: [] } });
    await autoEnable(context(), id);
    expect((await list(id)).keys.map((key) => key.status)).toEqual([1, 1, 2]);
    await autoDisableKey(context(), { channelId: id, keyId: first, reason: "spent" });
    await admin.data("POST", "/api/channel/batch/status", { ids: [id], status: 1 });
    expect((await list(id)).keys.map((key) => key.status)).toEqual([3, 1, 2]);
  });

  it("loses no key by an edit, by its tag or by a copy, and deletes them with the channel", async () => {
    const id = await make([1, 2, 3], { tag: "team" });
    await status(id, { ids: [await idOf(id, markOf(2))], status: 2 });
    await admin.data("PUT", "/api/channel/", { id, name: "renamed", key: "", priority: 5 });
    await admin.data("PUT", "/api/channel/tag", { tag: "team", new_tag: "other", models: "gpt-c" });
    const refused = await admin.call("PUT", "/api/channel/", { id, key: keyOf(9) });
    expect(refused.body).toMatchObject({ code: "channel_has_several_keys", field: "key" });
    expect(await marks(id)).toEqual([1, 2, 3].map(markOf));
    const copy = await admin.data<{ id: number }>("POST", `/api/channel/copy/${id}`);
    expect((await list(copy.id)).keys.map(({ mark, status: told }) => [mark, told])).toEqual([
      [markOf(1), 1],
      [markOf(2), 2],
      [markOf(3), 1],
    ]);
    expect(ringOf(copy.id)).toEqual(ringOf(id));
    await admin.data("DELETE", `/api/channel/${id}`);
    const { kysely } = site.foundation.database;
    const left = await kysely.selectFrom("channel_keys").select("channel_id").distinct().execute();
    expect(left).toEqual([{ channel_id: copy.id }]);
  });

  it("finds the channel by each of its keys and by a mark", async () => {
    const id = await make([1, 2]);
    await scene.make({ name: "another", key: keyOf(7) });
    for (const text of [keyOf(2), markOf(2), keyOf(1)]) {
      const found = await admin.data<{ items: { id: number }[] }>(
        "GET",
        `/api/channel/search?keyword=${encodeURIComponent(text)}`,
      );
      expect(found.items.map((each) => each.id)).toEqual([id]);
    }
  });

  it("adds what was counted of each key to its row", async () => {
    const id = await make([1, 2, 3]);
    const [first = 0, second = 0] = (await list(id)).keys.map((key) => key.id);
    const counter = openKeyCounter(site.foundation.database, { warn: () => undefined }, 3_600_000);
    for (let call = 0; call < 5; call += 1) counter.used(second, call === 0);
    counter.used(first, true);
    await counter.flush();
    counter.used(second, false);
    await counter.close();
    const counted = (await list(id)).keys.map(({ used_count, failed_count }) => [used_count, failed_count]);
    expect(counted).toEqual([
      [1, 1],
      [6, 1],
      [0, 0],
    ]);
  });

  it("shows no key in an answer, a log or a row", async () => {
    const id = await make([1, 2, 3]);
    const [first = 0] = (await list(id)).keys.map((key) => key.id);
    await autoDisableKey(context(), { channelId: id, keyId: first, reason: "status 401" });
    const answers = [
      await admin.call("POST", `/api/channel/${id}/keys`, { key: keysOf(1, 4) }),
      await admin.call("GET", `/api/channel/${id}/keys`),
      await admin.call("GET", `/api/channel/${id}`),
      await admin.call("GET", "/api/channel/?page_size=100"),
      await admin.call("PUT", "/api/channel/", { id, key: keyOf(5) }),
    ];
    const { kysely } = site.foundation.database;
    const tables = ["channels", "channel_keys", "logs"] as const;
    const rows = await Promise.all(tables.map((table) => kysely.selectFrom(table).selectAll().execute()));
    expect(JSON.stringify([answers, rows])).not.toContain("planted-");
    expect(JSON.stringify(answers)).not.toMatch(/key_hash|key_cipher/);
  });
});
