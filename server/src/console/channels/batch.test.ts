/** Tests of acts on many channels: on all that a filter finds in one call, refused where the list has changed, and never half done. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TestProgress } from "../../../../contract/src/channels/channel-tests.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { openChannelScene, PLANTED_KEY } from "../../../../tests/support/systems/channel-scene.ts";
import type { ChannelScene } from "../../../../tests/support/systems/channel-scene.ts";
import type { Caller, TestConsole } from "../../../../tests/support/systems/console.ts";

describe.each(await engines())("acts on many channels on %s", (engine) => {
  let scene: ChannelScene;
  let site: TestConsole;
  let admin: Caller;
  const tested: string[] = [];

  beforeAll(async () => {
    scene = await openChannelScene(engine, {
      testChannel: ({ name }) => {
        tested.push(name);
        return Promise.resolve({
          isSuccess: true,
          message: "",
          durationMs: 12,
          model: "gpt-a",
          promptTokens: 1,
          completionTokens: 1,
        });
      },
    });
    ({ site, admin } = scene);
  });
  afterAll(() => site.close());
  beforeEach(async () => {
    await scene.clear();
    await site.foundation.database.kysely.deleteFrom("logs").execute();
    tested.length = 0;
  });

  /** `count` channels called as `name` with a number. */
  const make = async (name: string, count: number, more: object = {}) => {
    const ids: number[] = [];
    for (let at = 1; at <= count; at += 1) ids.push(await scene.make({ name: `${name} ${at}`, ...more }));
    return ids;
  };
  const all = () => scene.list("page_size=100&sort=id");
  const events = async () => {
    const rows = await site.foundation.database.kysely
      .selectFrom("logs")
      .select("other")
      .where("type", "=", 3)
      .execute();
    return rows.map(({ other }) => JSON.parse(other) as { event: unknown });
  };
  const routed = () =>
    site.foundation.snapshot
      .tiersFor("default", "gpt-a")
      .flatMap(({ channels }) => channels.map(({ id }) => id))
      .toSorted((a, b) => a - b);

  it("disables and enables all that match, on every page, but for the excluded ones", async () => {
    const spare = await make("spare", 12);
    const [main = 0] = await make("main", 1);
    const [kept = 0] = spare;
    const chosen = { filter: { keyword: "spare", status: 1 }, total: 12, excluded: [kept] };
    expect(await admin.data("POST", "/api/channel/batch/status", { ...chosen, status: 2 })).toBe(11);
    expect(routed()).toEqual([kept, main]);
    expect(await events()).toContainEqual(
      expect.objectContaining({ event: { code: "channels_disabled", values: { count: 11 } } }),
    );
    await site.foundation.database.kysely.updateTable("channels").set({ other_info: "{}" }).execute();
    const off = { filter: { status: 2 }, total: 11 };
    expect(await admin.data("POST", "/api/channel/batch/status", { ...off, status: 1 })).toBe(11);
    expect(routed()).toEqual([...spare, main].toSorted((a, b) => a - b));
    expect((await all()).filter(({ other_info }) => other_info !== "").map(({ id }) => id)).toEqual([kept, main]);
  });

  it("deletes all that match and no other, and the log names them without the filter", async () => {
    const [a = 0, b = 0] = await make("old", 2, { groups: ["vip"] });
    const [main = 0] = await make("main", 1, { key: "sk-another-0123456789abcdef", groups: ["svip"] });
    const chosen = { filter: { keyword: PLANTED_KEY, group: "vip" }, total: 2 };
    expect(await admin.data("POST", "/api/channel/batch", chosen)).toBe(2);
    expect((await all()).map(({ id }) => id)).toEqual([main]);
    const logged = JSON.stringify(await events());
    expect(logged).toContain(`[${a},${b}]`);
    expect(logged).not.toContain(PLANTED_KEY);
    const { kysely } = site.foundation.database;
    const abilities = await kysely.selectFrom("abilities").select("channel_id").distinct().execute();
    expect(abilities).toEqual([{ channel_id: main }]);
  });

  it("takes a model off all that match, but for who has no other, and the log says which model", async () => {
    const both = await make("both", 2, { models: "gpt-a,gpt-b" });
    const [only = 0] = await make("only", 1, { models: "gpt-a" });
    const [other = 0] = await make("other", 1, { models: "gpt-b" });
    const sent = { filter: {}, total: 4, model: " gpt-a " };
    expect(await admin.data("POST", "/api/channel/batch/take_model", sent)).toEqual({ changed: 2, only: 1 });
    expect((await all()).map(({ id, models }) => [id, models]).toSorted(([a], [b]) => Number(a) - Number(b))).toEqual([
      ...both.map((id) => [id, "gpt-b"]),
      [only, "gpt-a"],
      [other, "gpt-b"],
    ]);
    expect(routed()).toEqual([only]);
    expect(await events()).toContainEqual(
      expect.objectContaining({ event: { code: "channels_model_taken", values: { count: 2, model: "gpt-a" } } }),
    );
    expect(await admin.data("POST", "/api/channel/batch/take_model", { ids: both, model: "gpt-a" })).toEqual({
      changed: 0,
      only: 0,
    });
    expect((await admin.call("POST", "/api/channel/batch/take_model", { ids: both, model: " " })).body).toMatchObject({
      code: "channel_invalid",
    });
  });

  it.each([
    ["POST", "/api/channel/batch", {}],
    ["POST", "/api/channel/batch/tag", { tag: "eu" }],
    ["POST", "/api/channel/batch/take_model", { model: "gpt-a" }],
    ["POST", "/api/channel/batch/status", { status: 2 }],
    ["POST", "/api/channel/batch/test", {}],
  ] as const)("%s %s does nothing where another number matches now, and says which", async (method, path, more) => {
    await make("spare", 3);
    const before = await all();
    for (const total of [2, 4]) {
      const { status, body } = await admin.call(method, path, { filter: { keyword: "spare" }, total, ...more });
      expect(status).toBe(409);
      expect(body).toMatchObject({ success: false, code: "selection_changed", values: { count: 3, total } });
      expect(body.message).toContain("3 channels match now");
    }
    expect(await all()).toEqual(before);
    expect([tested, await events()]).toEqual([
      [],
      expect.not.arrayContaining([expect.objectContaining({ tag: "eu" })]),
    ]);
  });

  it("puts all that match under a tag, and takes them out", async () => {
    await make("spare", 3);
    await make("main", 1);
    const filter = { keyword: "spare" };
    expect(await admin.data("POST", "/api/channel/batch/tag", { filter, total: 3, tag: "eu" })).toBe(3);
    expect((await all()).map(({ tag }) => tag)).toEqual(["eu", "eu", "eu", ""]);
    expect(await admin.data("POST", "/api/channel/batch/tag", { filter, total: 3, tag: null })).toBe(3);
    expect((await all()).map(({ tag }) => tag)).toEqual(["", "", "", ""]);
  });

  it.each(["", "  "])("refuses the empty tag %j by name: only null takes channels out", async (tag) => {
    const [id = 0] = await make("spare", 1, { tag: "eu" });
    const answer = await admin.call("POST", "/api/channel/batch/tag", { ids: [id], tag });
    expect(answer.body).toMatchObject({ success: false, code: "channel_invalid", field: "tag" });
    expect((await scene.read(id)).tag).toBe("eu");
  });

  it("tests the chosen ones, disabled ones too, as a run that can be followed", async () => {
    const [first = 0] = await make("spare", 3);
    await make("main", 1);
    await admin.data("POST", "/api/channel/batch/status", { ids: [first], status: 2 });
    const ended = async () => {
      await expect
        .poll(() => admin.data<TestProgress>("GET", "/api/channel/test/progress"))
        .toMatchObject({ running: false });
      return admin.data<TestProgress>("GET", "/api/channel/test/progress");
    };
    expect(await admin.data("POST", "/api/channel/batch/test", { filter: { keyword: "spare" }, total: 3 })).toBe(3);
    expect(await ended()).toMatchObject({ done: 3, total: 3, failed: 0 });
    expect(tested.toSorted()).toEqual(["spare 1", "spare 2", "spare 3"]);
    expect(await admin.data("POST", "/api/channel/batch/test", { ids: [first, first, 999_999] })).toBe(1);
    expect(await ended()).toMatchObject({ done: 1, total: 1 });
    const none = await admin.call("POST", "/api/channel/batch/test", { ids: [999_999] });
    expect(none.body).toMatchObject({ success: false, code: "not_found" });
  });

  it.each([
    ["a filter that does not exist", { filter: { name: "spare" }, total: 1 }],
    ["no number", { filter: {} }],
    ["none that match", { filter: {}, total: 0 }],
    ["more than one act takes", { filter: {}, total: 10_001 }],
    ["no ids", { ids: [] }],
  ])("refuses %s", async (_, chosen) => {
    await make("spare", 1);
    const { status } = await admin.call("POST", "/api/channel/batch", chosen);
    expect(status).toBe(400);
    expect(await all()).toHaveLength(1);
  });

  it("is for administrators", async () => {
    const user = await site.person(1);
    for (const path of ["batch/status", "batch/test"]) {
      const { status } = await user.call("POST", `/api/channel/${path}`, { ids: [1], status: 2 });
      expect(status).toBe(403);
    }
  });
});
