/** Tests of channels: abilities always follow from groups and models, keys never leave, every list is whole, acts are logged. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AppError } from "../../../../contract/src/errors.ts";
import type { ChannelRow } from "../../../../contract/src/features/channels.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import type { Caller, TestConsole } from "../../../../tests/support/systems/console.ts";
import { openChannelKey } from "../../db/secrets.ts";
import { abilitiesOf } from "./abilities.ts";
import { CHANNEL_FORM, openChannelScene, PLANTED_KEY } from "../../../../tests/support/systems/channel-scene.ts";
import type { ChannelScene } from "../../../../tests/support/systems/channel-scene.ts";

const REFUSED = "http://169.254.169.254";

describe.each(await engines())("channels on %s", (engine) => {
  let scene: ChannelScene;
  let site: TestConsole;
  let admin: Caller;

  beforeAll(async () => {
    const refusal = { message: "not allowed; see AllowPrivateUpstreamsEnabled" };
    scene = await openChannelScene(engine, {
      checkAddress: (baseUrl) =>
        baseUrl.startsWith(REFUSED) ? Promise.reject(new AppError("address_refused", refusal)) : Promise.resolve(),
    });
    ({ site, admin } = scene);
  });
  afterAll(() => site.close());
  beforeEach(() => scene.clear());

  const make = (more: object = {}) => scene.make(more);
  const read = (id: number) => scene.read(id);
  const list = () => scene.list();

  /** The invariant: what is stored is exactly what follows from the channels. */
  const expectAbilitiesToFollow = async () => {
    const { kysely } = site.foundation.database;
    const key = (row: object) => JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const channels = await kysely.selectFrom("channels").selectAll().execute();
    const stored = await kysely.selectFrom("abilities").selectAll().execute();
    expect(stored.map(key).toSorted()).toEqual(channels.flatMap(abilitiesOf).map(key).toSorted());
    return stored.length;
  };

  it("makes one channel a line of the key, trimmed, blank lines skipped", async () => {
    const ids = await admin.data<number[]>("POST", "/api/channel", {
      ...CHANNEL_FORM,
      key: " sk-one-aaaaaaaaaaaaaaaa \r\n\n\tsk-two-bbbbbbbbbbbbbbbb\r\n  ",
    });
    expect(ids).toHaveLength(2);
    const rows = await site.foundation.database.kysely.selectFrom("channels").selectAll().orderBy("id").execute();
    expect(rows.map((row) => openChannelKey(site.foundation.secrets, row))).toEqual([
      "sk-one-aaaaaaaaaaaaaaaa",
      "sk-two-bbbbbbbbbbbbbbbb",
    ]);
    expect(await expectAbilitiesToFollow()).toBe(8);
  });

  it("drops doubles and blanks in models and groups instead of breaking its abilities", async () => {
    const id = await make({ models: " gpt-a, gpt-a ,,gpt-b\n", groups: [" vip ", "vip", ""] });
    expect(await read(id)).toMatchObject({ models: "gpt-a,gpt-b", group: "vip" });
    expect(await expectAbilitiesToFollow()).toBe(2);
  });

  it("takes only the fields of the form", async () => {
    const id = await make({
      id: 77,
      used_quota: 5,
      balance: 9,
      response_time: 3,
      test_time: 4,
      status: 2,
      created_time: 1,
      key_hash: "x",
      children: [],
    });
    const row = await read(id);
    expect(row).toMatchObject({
      status: 1,
      used_quota: 0,
      balance: 0,
      response_time: 0,
      test_time: 0,
      auto_ban: 1,
      priority: 0,
      weight: 0,
    });
    expect(row.created_time).toBeGreaterThan(1_600_000_000);
  });

  it("takes what other consoles send: nulls, a comma-joined group, numbers as text", async () => {
    const id = await make({
      groups: undefined,
      group: "default,svip",
      priority: "-3",
      weight: null,
      tag: null,
      max_input_tokens: null,
      created_time: null,
    });
    expect(await read(id)).toMatchObject({ group: "default,svip", priority: -3, weight: 0, tag: "" });
  });

  it.each([
    [{ name: " " }, "channel_fields_missing", "name"],
    [{ key: " \n " }, "channel_fields_missing", "key"],
    [{ models: " , " }, "channel_models_missing", "models"],
    [{ models: "m".repeat(256) }, "channel_invalid", "models"],
    [{ groups: ["g".repeat(65)] }, "channel_invalid", "groups"],
    [{ name: "n".repeat(129) }, "channel_invalid", "name"],
    [{ type: 4711 }, "channel_invalid", "type"],
    [{ type: 8 }, "channel_field_missing", "base_url"],
    [{ base_url: "ftp://a.example" }, "channel_invalid", "base_url"],
    [{ base_url: "https://user:secret@a.example" }, "channel_invalid", "base_url"],
    [{ base_url: "https://a.example/?api-version=1" }, "channel_invalid", "base_url"],
    [{ base_url: "https://a.example/v1?" }, "channel_invalid", "base_url"],
    [{ base_url: "https://a.example/#" }, "channel_invalid", "base_url"],
    [{ base_url: "https://a.example/v1#top" }, "channel_invalid", "base_url"],
    [{ type: 8, base_url: "https://a.example/v1/chat/completions#top" }, "channel_invalid", "base_url"],
    [{ base_url: REFUSED }, "address_refused", undefined],
    [{ model_mapping: "{" }, "channel_invalid", "model_mapping"],
    [{ model_mapping: '["a"]' }, "channel_invalid", "model_mapping"],
    [{ model_mapping: '{"a":1}' }, "channel_invalid", "model_mapping"],
    [{ model_mapping: '{"a":"b","b":"c","c":"a"}' }, "channel_invalid", "model_mapping"],
    [{ status_code_mapping: '{"400":"abc"}' }, "channel_invalid", "status_code_mapping"],
    [{ status_code_mapping: '{"4000":200}' }, "channel_invalid", "status_code_mapping"],
    [{ status_code_mapping: '{"400":100}' }, "channel_invalid", "status_code_mapping"],
    [{ status_code_mapping: '{"400":"204"}' }, "channel_invalid", "status_code_mapping"],
    [{ param_override: "[]" }, "channel_override_invalid", "param_override"],
    [{ param_override: '{"a":1,"a":2}' }, "channel_override_invalid", "param_override"],
    [{ param_override: '{"operations":[{"mode":"sett"}]}' }, "channel_override_invalid", "param_override"],
    [{ param_override: `{"a":"${"x".repeat(60_000)}"}` }, "channel_invalid", "param_override"],
    [{ setting: '{"proxy":"nonsense"}' }, "channel_invalid", "setting"],
    [{ setting: '{"force_format":"yes"}' }, "channel_invalid", "setting"],
    [{ setting: '{"thinking_to_content":1}' }, "channel_invalid", "setting"],
    [{ setting: '{"force_formats":true}' }, "channel_invalid", "setting"],
    [{ setting: '{"allow_service_tier":"yes"}' }, "channel_invalid", "setting"],
    [{ setting: '{"proxy":"","thinking_to_content":true,"other":true}' }, "channel_invalid", "setting"],
    [{ priority: -1000 }, "channel_invalid", "priority"],
    [{ priority: "high" }, "channel_invalid", "priority"],
    [{ weight: "heavy" }, "channel_invalid", "weight"],
  ] as const)("refuses %j", async (bad, code, field) => {
    const answer = await admin.call("POST", "/api/channel/", { ...CHANNEL_FORM, ...bad });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ success: false, code });
    expect(answer.body.field).toBe(field);
    expect(await list()).toEqual([]);
    expect(await expectAbilitiesToFollow()).toBe(0);
  });

  it("names the switch when an address is refused, and the ring when a mapping goes in circles", async () => {
    const address = await admin.call("POST", "/api/channel/", { ...CHANNEL_FORM, base_url: `${REFUSED}/v1` });
    expect(address.body.message).toContain("AllowPrivateUpstreamsEnabled");
    const ring = await admin.call("POST", "/api/channel/", {
      ...CHANNEL_FORM,
      model_mapping: '{"x":"a","a":"b","b":"a"}',
    });
    expect(ring.body.message).toContain("a → b → a");
    expect(
      await make({ model_mapping: '{"a":"b","c":"c"}', status_code_mapping: '{"429":"503","500":502}' }),
    ).toBeGreaterThan(0);
  });

  it("says which setting is wrong, and takes every known one, also beside each other", async () => {
    const refused = async (setting: string) =>
      String((await admin.call("POST", "/api/channel/", { ...CHANNEL_FORM, setting })).body.message);
    expect(await refused('{"force_format":"yes"}')).toContain("force_format must be true or false");
    expect(await refused('{"thinking_to_content":null}')).toContain("thinking_to_content must be true or false");
    expect(await refused('{"think":true}')).toMatch(/there is no setting "think"; .*force_format, thinking_to_content/);
    const setting =
      '{"force_format":true,"thinking_to_content":true,"proxy":"","max_concurrency":3,"allow_service_tier":false}';
    const id = await make({ setting });
    expect((await read(id)).setting).toBe(setting);
    expect(site.foundation.snapshot.channelById(id)?.setting).toEqual({
      forcesFormat: true,
      movesThinking: true,
      maxConcurrency: 3,
      allowsServiceTier: false,
    });
  });

  it("strips trailing slashes and counts a negative weight as 0", async () => {
    const id = await make({ base_url: " https://api.example.com/v1// ", weight: -5 });
    expect(await read(id)).toMatchObject({ base_url: "https://api.example.com/v1", weight: 0 });
  });

  it("changes only what is sent, clears with an empty text, keeps the key on a blank one", async () => {
    const id = await make({ tag: "t", test_model: "gpt-a", priority: 7, weight: 3, param_override: '{"top_p":1}' });
    const before = await read(id);
    const changed = await admin.data<ChannelRow>("PUT", "/api/channel/", {
      id,
      key: "",
      tag: "",
      weight: 0,
      test_model: null,
    });
    expect(changed).toEqual({ ...before, tag: "", weight: 0, revision: changed.revision });
    expect(changed.revision).toBeGreaterThan(before.revision);
    const row = await site.foundation.database.kysely
      .selectFrom("channels")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    expect(openChannelKey(site.foundation.secrets, row)).toBe(PLANTED_KEY);
    await admin.data("PUT", "/api/channel/", { id, key: "sk-rotated-0000000000000" });
    expect(site.foundation.snapshot.channelById(id)?.key).toBe("sk-rotated-0000000000000");
    const two = await admin.call("PUT", "/api/channel/", { id, key: "a\nb" });
    expect(two.body).toMatchObject({ success: false, field: "key" });
  });

  it("answers 'not found' for a channel that is not there, and makes nothing of it", async () => {
    for (const [method, path, body] of [
      ["PUT", "/api/channel/", { id: 987_654, models: "x", group: "y" }],
      ["GET", "/api/channel/987654", undefined],
      ["GET", "/api/channel/nonsense", undefined],
      ["DELETE", "/api/channel/987654/", undefined],
      ["POST", "/api/channel/copy/987654", undefined],
      ["POST", "/api/channel/test/987654", undefined],
      ["GET", "/api/channel/fetch_models/987654", undefined],
    ] as const) {
      const answer = await admin.call(method, path, body);
      expect({ path, ...answer.body }).toMatchObject({ path, success: false, code: "not_found" });
    }
    expect(await expectAbilitiesToFollow()).toBe(0);
  });

  it("keeps abilities equal to groups × models after every call", async () => {
    const a = await make({ name: "a", tag: "old", priority: 1 });
    const b = await make({ name: "b", tag: "old", models: "gpt-c", weight: 2 });
    const c = await make({ name: "c", models: "gpt-d", groups: ["svip"] });
    await expectAbilitiesToFollow();
    const steps: [string, string, object | undefined][] = [
      ["PUT", "/api/channel/", { id: a, models: "gpt-x,gpt-y", group: "svip" }],
      ["PUT", "/api/channel/", { id: a, status: 2 }],
      ["PUT", "/api/channel/", { id: a, priority: 9, weight: 0, tag: "old" }],
      ["PUT", "/api/channel/tag", { tag: "old", new_tag: "new", weight: 0, priority: 4 }],
      ["PUT", "/api/channel/tag", { tag: "new", models: "gpt-m,gpt-n", groups: "default,vip" }],
      ["PUT", "/api/channel/tag", { tag: "new", groups: ["svip"], model_mapping: '{"gpt-m":"gpt-z"}' }],
      ["POST", "/api/channel/tag/disabled", { tag: "new" }],
      ["POST", "/api/channel/tag/enabled", { tag: "new" }],
      ["POST", "/api/channel/batch/tag", { ids: [a, c], tag: "third" }],
      ["POST", "/api/channel/batch/tag", { ids: [c], tag: null }],
      ["POST", `/api/channel/copy/${b}`, undefined],
      ["PUT", "/api/channel/", { id: b, status: 2 }],
      ["DELETE", "/api/channel/disabled", undefined],
      ["POST", "/api/channel/batch", { ids: [c, 987_654] }],
      ["DELETE", `/api/channel/${a}/`, undefined],
    ];
    for (const [method, path, body] of steps) {
      const answer = await admin.call(method, path, body);
      expect({ path, ...answer.body }).toMatchObject({ path, success: true });
      await expectAbilitiesToFollow();
    }
    expect(await list()).toEqual([]);
  });

  it("changes a whole tag: fields that are blank keep each channel's own", async () => {
    const a = await make({ name: "a", tag: "t", models: "gpt-1", priority: 5 });
    const b = await make({ name: "b", tag: "t", models: "gpt-2" });
    expect(
      await admin.data("PUT", "/api/channel/tag", { tag: "t", models: "", groups: "", weight: 6, priority: null }),
    ).toBe(2);
    expect(await read(a)).toMatchObject({ models: "gpt-1", priority: 5, weight: 6, group: "default,vip" });
    expect(await read(b)).toMatchObject({ models: "gpt-2", priority: 0, weight: 6 });
    expect(await admin.data("POST", "/api/channel/tag/disabled", { tag: "t" })).toBe(2);
    expect(site.foundation.snapshot.tiersFor("default", "gpt-1")).toEqual([]);
    const blank = await admin.call("POST", "/api/channel/tag/enabled", { tag: " " });
    expect(blank.body).toMatchObject({ success: false, field: "tag" });
  });

  it("repairs any damage with fix, and a second fix changes nothing", async () => {
    const id = await make();
    const { kysely } = site.foundation.database;
    const orphan = {
      group_name: "g",
      model: "m",
      channel_id: 987_654,
      enabled: 1,
      priority: 0,
      weight: 0,
      tag: "",
    } as const;
    await kysely.insertInto("abilities").values(orphan).execute();
    await kysely.deleteFrom("abilities").where("channel_id", "=", id).where("model", "=", "gpt-a").execute();
    await kysely.updateTable("abilities").set({ enabled: 0, weight: 9 }).where("channel_id", "=", id).execute();
    expect(await admin.data("POST", "/api/channel/fix")).toBe(1);
    expect(await expectAbilitiesToFollow()).toBe(4);
    expect(await admin.data("POST", "/api/channel/fix")).toBe(1);
    expect(await expectAbilitiesToFollow()).toBe(4);
  });

  it("is routed to at once, and no longer once it is disabled or deleted", async () => {
    const id = await make({ models: "gpt-route" });
    const routed = () =>
      site.foundation.snapshot
        .tiersFor("vip", "gpt-route")
        .flatMap(({ channels }) => channels.map((channel) => channel.id));
    expect(routed()).toEqual([id]);
    await admin.data("PUT", "/api/channel/", { id, status: 2 });
    expect(routed()).toEqual([]);
    await admin.data("PUT", "/api/channel/", { id, status: 1 });
    expect(routed()).toEqual([id]);
    await admin.data("DELETE", `/api/channel/${id}`);
    expect(routed()).toEqual([]);
  });

  it("copies with the key on the server, disabled and with fresh counters", async () => {
    const id = await make({ name: "n".repeat(128), base_url: "https://a.example" });
    await site.foundation.database.kysely
      .updateTable("channels")
      .set({ used_quota: 5, test_time: 6, response_time_ms: 7 })
      .where("id", "=", id)
      .execute();
    const copy = await admin.data<ChannelRow>("POST", `/api/channel/copy/${id}`);
    expect(copy).toMatchObject({
      status: 2,
      used_quota: 0,
      test_time: 0,
      response_time: 0,
      base_url: "https://a.example",
    });
    expect(copy.name).toBe(`${"n".repeat(123)} copy`);
    expect(site.foundation.snapshot.channelById(copy.id)?.key).toBe(PLANTED_KEY);
  });

  it("never answers a key: not in lists, not in tag mode, not after a write, not in the log", async () => {
    const id = await make({ tag: "t" });
    const answers = [
      await admin.call("GET", "/api/channel/?page_size=100"),
      await admin.call("GET", "/api/channel/?tag_mode=true"),
      await admin.call("GET", `/api/channel/${id}`),
      await admin.call("GET", "/api/channel/search?keyword=main&tag_mode=1"),
      await admin.call("PUT", "/api/channel/", { id, key: PLANTED_KEY, name: "again" }),
      await admin.call("POST", `/api/channel/copy/${id}`),
      await admin.call("PUT", "/api/channel/tag", { tag: "t", weight: 1 }),
      await admin.call("GET", "/api/log/?type=3&page_size=100"),
    ];
    for (const { text, body } of answers) {
      expect(body.success).toBe(true);
      expect(text).not.toContain(PLANTED_KEY);
      expect(text).not.toContain(PLANTED_KEY.slice(8, 30));
      expect(text).not.toMatch(/key_hash|key_cipher|"key":/);
    }
    const dump = JSON.stringify(await site.foundation.database.kysely.selectFrom("channels").selectAll().execute());
    expect(dump).not.toContain(PLANTED_KEY);
    expect(await read(id)).toMatchObject({ key_first: PLANTED_KEY.slice(0, 6), key_last: PLANTED_KEY.slice(-4) });
  });

  it("logs every act of an administrator with name and number", async () => {
    const id = await make({ name: "audited" });
    await admin.data("DELETE", `/api/channel/${id}`);
    const { items } = await admin.data<{ items: { content: string; username: string }[] }>(
      "GET",
      "/api/log/?type=3&page_size=2",
    );
    expect(items.map(({ content }) => content)).toEqual([
      `Deleted channel "audited" (#${id})`,
      `Created channel "audited" (#${id})`,
    ]);
    expect(items[0]?.username).toBe(admin.username);
  });

  it("is for administrators only", async () => {
    const user = await site.person(1);
    for (const [method, path] of [
      ["GET", "/api/channel/"],
      ["GET", "/api/channel/search"],
      ["GET", "/api/channel/1"],
      ["GET", "/api/channel/providers"],
      ["GET", "/api/channel/models"],
      ["DELETE", "/api/channel/1"],
      ["DELETE", "/api/channel/disabled"],
      ["POST", "/api/channel/fix"],
      ["POST", "/api/channel/copy/1"],
      ["GET", "/api/channel/test/1"],
      ["GET", "/api/channel/test"],
    ] as const) {
      expect([path, (await user.call(method, path)).status]).toEqual([path, 403]);
    }
    expect(await user.data<Record<string, string[]>>("GET", "/api/models")).toHaveProperty("1");
  });
});
