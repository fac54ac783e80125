/** Tests of impact: exactly the models that lose their last enabled channel in a group are named, with their calls, and fast. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from "vitest";
import type { Impact, LostModels } from "../../../../contract/src/channels/impact.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { type ChannelScene, openChannelScene } from "../../../../tests/support/systems/channel-scene.ts";
import { CALL_COLUMNS } from "../../db/call-hours.ts";
import { RouteIndex } from "../../snapshot/routes.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import { effectsOf } from "./effects.ts";

const NOTHING = Object.fromEntries(CALL_COLUMNS.map((column) => [column, 0])) as Record<
  (typeof CALL_COLUMNS)[number],
  number
>;

describe.each(await engines())("impact on %s", (engine) => {
  let scene: ChannelScene;
  beforeAll(async () => {
    scene = await openChannelScene(engine, {});
  });
  afterAll(() => scene.site.close());
  beforeEach(async () => {
    await scene.clear();
    await scene.site.foundation.database.kysely.deleteFrom("call_hours").execute();
  });

  const impact = (body: object) => scene.admin.data<Impact>("POST", "/api/impact", body);
  const lost = () => scene.admin.data<LostModels>("GET", "/api/channel/models_lost");
  const count = (channel_id: number, model: string, hoursAgo: number, counts: Partial<typeof NOTHING>) => {
    const hour = (Math.floor(scene.site.context.clock() / 3_600_000) - hoursAgo) * 3600;
    const { kysely } = scene.site.foundation.database;
    return kysely
      .insertInto("call_hours")
      .values({ ...NOTHING, ...counts, hour, channel_id, model })
      .execute();
  };
  const NOTHING_LOST = { models: [], total: 0, calls: 0 };
  /** What an act takes, without what it leaves. */
  const taken = async (body: object): Promise<LostModels> => {
    const { models, total, calls } = await impact(body);
    return { models, total, calls };
  };

  it("names what loses its last channel, by group, with the calls of a day, and changes nothing", async () => {
    const first = await scene.make({ name: "first", models: "gpt-a,gpt-b", groups: ["default", "vip"], tag: "team" });
    const second = await scene.make({ name: "second", models: "gpt-a", groups: ["default"] });
    await count(first, "gpt-b", 0, { succeeded: 30, failed_upstream: 5 });
    await count(second, "gpt-b", 22, { succeeded: 4 });
    await count(first, "gpt-b", 30, { succeeded: 1000 });
    const expected = {
      models: [
        { model: "gpt-b", groups: ["default", "vip"], calls: 39 },
        { model: "gpt-a", groups: ["vip"], calls: 0 },
      ],
      total: 2,
      calls: 39,
    };
    expect(await taken({ act: "disable_channels", ids: [first] })).toEqual(expected);
    expect(await taken({ act: "delete_channels", ids: [first] })).toEqual(expected);
    expect(await taken({ act: "disable_channels", tag: "team" })).toEqual(expected);
    expect(await taken({ act: "disable_channels", filter: { keyword: "first" }, total: 1 })).toEqual(expected);
    expect(await taken({ act: "disable_channels", ids: [second] })).toEqual(NOTHING_LOST);
    const both = await impact({ act: "disable_channels", ids: [first, second] });
    expect(both.models.find(({ model }) => model === "gpt-a")?.groups).toEqual(["default", "vip"]);
    expect((await scene.read(first)).status).toBe(1);
  });

  it("takes nothing from anybody by a channel that is off already, and says what is missing for as long as it is", async () => {
    const first = await scene.make({ name: "first", models: "gpt-a", groups: ["default"] });
    expect(await lost()).toEqual(NOTHING_LOST);
    await scene.admin.data("PUT", "/api/channel", { id: first, status: 2 });
    expect(await lost()).toMatchObject({ models: [{ model: "gpt-a", groups: ["default"] }], total: 1 });
    expect(await taken({ act: "delete_channels", ids: [first] })).toEqual(NOTHING_LOST);
    await scene.make({ name: "second", models: "gpt-a", groups: ["default"] });
    expect(await lost()).toEqual(NOTHING_LOST);
  });

  it("names the groups that lose one model taken off channels; a channel that has no other keeps it", async () => {
    const first = await scene.make({ name: "first", models: "gpt-a,gpt-b", groups: ["default", "vip"] });
    const second = await scene.make({ name: "second", models: "gpt-a,gpt-b", groups: ["default"] });
    const only = await scene.make({ name: "only", models: "gpt-c", groups: ["default"] });
    const take = (model: string, ids: readonly number[]) => taken({ act: "take_model", model, ids });
    expect(await take("gpt-a", [second])).toEqual(NOTHING_LOST);
    expect(await take("gpt-a", [first])).toMatchObject({ models: [{ model: "gpt-a", groups: ["vip"] }], total: 1 });
    expect(await take("gpt-b", [first, second, only])).toMatchObject({
      models: [{ model: "gpt-b", groups: ["default", "vip"] }],
      total: 1,
    });
    expect(await take("gpt-c", [first, second, only])).toEqual(NOTHING_LOST);
  });

  it("names what new models or groups of a channel take from callers, and of a tag what all of them together do", async () => {
    const edit = (body: object) => taken({ act: "edit_channels", ...body });
    const first = await scene.make({ name: "first", models: "gpt-a,gpt-b", groups: ["default", "vip"], tag: "team" });
    const second = await scene.make({ name: "second", models: "gpt-a,gpt-c", groups: ["default"], tag: "team" });
    await count(first, "gpt-b", 0, { succeeded: 7 });
    const gptB = { model: "gpt-b", groups: ["default", "vip"], calls: 7 };
    const gptA = { model: "gpt-a", groups: ["vip"], calls: 0 };
    expect(await edit({ ids: [first], models: "gpt-a, gpt-new" })).toEqual({ models: [gptB], total: 1, calls: 7 });
    expect(await edit({ ids: [first], models: "gpt-b,gpt-c" })).toEqual({ models: [gptA], total: 1, calls: 0 });
    expect((await edit({ ids: [first], groups: ["default"] })).models).toEqual([{ ...gptB, groups: ["vip"] }, gptA]);
    expect(await edit({ ids: [first], models: "gpt-b,gpt-a", groups: ["vip", "default"] })).toEqual(NOTHING_LOST);
    expect(await edit({ ids: [first] })).toEqual(NOTHING_LOST);
    // One takes over what the other had.
    expect((await edit({ tag: "team", models: "gpt-a,gpt-b" })).models).toEqual([
      { model: "gpt-c", groups: ["default"], calls: 0 },
    ]);
    expect(await edit({ tag: "team", groups: ["default", "vip"] })).toEqual(NOTHING_LOST);
    expect((await edit({ tag: "team", models: "gpt-a,gpt-b,gpt-c", groups: "vip" })).models).toEqual([
      { ...gptB, groups: ["default"] },
      { ...gptA, groups: ["default"] },
      { model: "gpt-c", groups: ["default"], calls: 0 },
    ]);
    await scene.admin.data("PUT", "/api/channel", { id: first, status: 2 });
    expect(await edit({ ids: [first], models: "gpt-new" })).toEqual(NOTHING_LOST);
    // One that is off takes nothing over.
    expect((await edit({ tag: "team", models: "gpt-c", groups: ["vip"] })).models).toEqual([
      { ...gptA, groups: ["default"] },
      { model: "gpt-c", groups: ["default"], calls: 0 },
    ]);
    const empty = await scene.admin.call("POST", "/api/impact", { act: "edit_channels", ids: [second], models: " , " });
    expect(empty.body).toMatchObject({ success: false, code: "channel_models_missing", field: "models" });
  });

  it("names what another type does not serve, and what goes elsewhere first by another priority or weight", async () => {
    const edit = (id: number, body: object) => impact({ act: "edit_channels", ids: [id], ...body });
    const first = await scene.make({ name: "first", models: "gpt-a,gpt-image-1", groups: ["default"], priority: 5 });
    const second = await scene.make({ name: "second", models: "gpt-a", groups: ["default"], priority: 3 });
    const gptA = { model: "gpt-a", groups: ["default"], calls: 0 };
    const images = { ...gptA, model: "gpt-image-1" };
    const drawing = scene.site.context.relay.providers.find(({ manifest }) => manifest.slug === "midjourney");
    expect(await edit(first, { type: drawing?.manifest.id })).toMatchObject({
      models: [],
      single: { models: [gptA] },
    });
    expect(await edit(second, { type: 987 })).toMatchObject({ models: [], single: { models: [gptA] } });
    expect(await edit(first, { type: 987 })).toMatchObject({ models: [images], single: { models: [gptA] } });
    const moved = async (id: number, body: object) => (await edit(id, body)).moved;
    const nothing = { models: [], total: 0 };
    const onlyA = { models: [gptA], total: 1 };
    expect(await moved(first, { priority: 2 })).toEqual(onlyA);
    expect(await moved(first, { priority: "3" })).toEqual(onlyA);
    expect(await moved(first, { priority: 4, weight: 7 })).toEqual(nothing);
    expect(await moved(second, { weight: 7 })).toEqual(nothing);
    expect(await moved(second, { priority: 5 })).toEqual(onlyA);
    await scene.admin.data("PUT", "/api/channel", { id: second, priority: 5 });
    expect(await moved(second, { weight: 7 })).toEqual(onlyA);
    expect(await moved(second, { weight: 0 })).toEqual(nothing);
    // What is lost is lost, and does not go elsewhere.
    expect(await edit(first, { models: "gpt-a", priority: 1 })).toMatchObject({ models: [images], moved: onlyA });
    expect(await moved(first, { groups: ["vip"], priority: 1 })).toEqual(nothing);
  });

  it("counts the groups, people and tokens that called what is lost, and names what is left with one channel", async () => {
    const { kysely } = scene.site.foundation.database;
    const first = await scene.make({ name: "first", models: "gpt-a,gpt-b", groups: ["default", "vip"] });
    const second = await scene.make({ name: "second", models: "gpt-a", groups: ["default"] });
    const third = await scene.make({ name: "third", models: "gpt-a,gpt-c", groups: ["default"] });
    const charge = (user_id: number, token_id: number, model: string, group_name: string, hoursAgo: number) =>
      kysely
        .insertInto("usage_hours")
        .values({
          hour: (Math.floor(scene.site.context.clock() / 3_600_000) - hoursAgo) * 3600,
          user_id,
          token_id,
          channel_id: first,
          model,
          group_name,
          requests: 1,
          quota: 1,
          prompt_tokens: 0,
          completion_tokens: 0,
        })
        .execute();
    await charge(901, 1, "gpt-b", "default", 0);
    await charge(901, 2, "gpt-b", "vip", 3);
    await charge(902, 3, "gpt-a", "vip", 23);
    // Of these nothing is lost: another channel serves that group, the day is over, the group never had it.
    await charge(903, 4, "gpt-a", "default", 0);
    await charge(904, 5, "gpt-b", "default", 24);
    await charge(905, 6, "gpt-b", "svip", 0);
    const touched = { groups: ["default", "vip"], people: 2, tokens: 3 };
    expect(await impact({ act: "disable_channels", ids: [first] })).toMatchObject({
      ...touched,
      single: { models: [], total: 0 },
    });
    const gptA = { model: "gpt-a", groups: ["default"], calls: 0 };
    expect(await impact({ act: "disable_channels", ids: [first, second] })).toMatchObject({
      ...touched,
      single: { models: [gptA], total: 1 },
    });
    const edit = { act: "edit_channels", ids: [first, second] };
    expect(await impact({ ...edit, models: "gpt-b" })).toMatchObject({
      people: 1,
      single: { models: [gptA], total: 1 },
    });
    // One of the two keeps the group, and one keeps the model.
    expect(await impact({ ...edit, ids: [second, third], groups: ["vip"] })).toMatchObject({
      models: [{ model: "gpt-c", groups: ["default"] }],
      people: 0,
      tokens: 0,
      groups: ["default"],
      single: { models: [gptA], total: 1 },
    });
    await kysely.deleteFrom("usage_hours").where("user_id", "in", [901, 902, 903, 904, 905]).execute();
  });

  it("says of models whose channel was deleted or no longer has them that they are missing, while they are called", async () => {
    const first = await scene.make({ name: "first", models: "gpt-a,gpt-b", groups: ["default"] });
    const second = await scene.make({ name: "second", models: "gpt-c", groups: ["vip"] });
    await count(first, "gpt-a", 1, { succeeded: 3 });
    await count(first, "gpt-b", 2, { succeeded: 5, failed_upstream: 1 });
    await count(second, "gpt-c", 23, { succeeded: 2 });
    await count(second, "gpt-old", 24, { succeeded: 9 });
    // Names that clients make up have never had a channel.
    await count(0, "gpt-typo", 0, { failed_no_channel: 4 });
    expect(await lost()).toEqual(NOTHING_LOST);
    await scene.admin.data("DELETE", `/api/channel/${second}`);
    expect(await lost()).toEqual({ models: [{ model: "gpt-c", groups: [], calls: 2 }], total: 1, calls: 2 });
    await scene.admin.data("PUT", "/api/channel", { id: first, models: "gpt-a" });
    expect((await lost()).models.map(({ model }) => model)).toEqual(["gpt-b", "gpt-c"]);
    await scene.make({ name: "third", models: "gpt-b,gpt-c", groups: ["svip"] });
    expect(await lost()).toEqual(NOTHING_LOST);
  });

  it("says so too of models with a price of the operator's own, once somebody calls them", async () => {
    const rootUser = await scene.site.person(100);
    const setPrices = (value: string) => rootUser.data("PUT", "/api/option", { key: "ModelPrice", value });
    await setPrices('{"gpt-sold": 0.1, "gpt-listed": 0.1}');
    await count(0, "gpt-sold", 0, { failed_no_channel: 4 });
    expect(await lost()).toEqual({ models: [{ model: "gpt-sold", groups: [], calls: 4 }], total: 1, calls: 4 });
    await setPrices("{}");
    expect(await lost()).toEqual(NOTHING_LOST);
  });
});

test("5,000 channels of 40 models each are looked through, each model and group once", () => {
  const channels = Array.from({ length: 5000 }, (_, id) => ({
    id,
    type: 1,
    status: 1,
    priority: id % 3,
    weight: 0,
    groupNames: ["default", "vip"],
    models: new Set(Array.from({ length: 40 }, (__, model) => `model-${(id + model) % 400}`)),
  })) as unknown as SnapshotChannel[];
  const routes = new RouteIndex();
  for (const channel of channels) routes.replace(undefined, channel);
  let asked = 0;
  const snapshot: Parameters<typeof effectsOf>[0] = {
    channelById: (id) => channels[id],
    forEachOffer: (group, visit) => routes.forEachOffer(group, (...offer) => ((asked += 1), visit(...offer))),
  };
  const ids = channels.map(({ id }) => id);
  const serves = () => true;
  expect(effectsOf(snapshot, ids, undefined, serves).lost.size).toBe(400);
  expect(asked).toBe(800);
  const effects = effectsOf(snapshot, ids.slice(1), undefined, serves);
  expect([effects.lost.size, effects.single.size]).toEqual([360, 40]);
  expect(effectsOf(snapshot, [0], { priority: 2 }, serves).moved.size).toBe(40);
  expect(effectsOf(snapshot, [0], { priority: 1 }, serves).moved.size).toBe(0);
});
