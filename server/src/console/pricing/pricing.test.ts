/** Tests of the public price list: every enabled model the caller can reach, at the price that calls are charged at, without groups out of reach. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PricingEntry } from "../../../../contract/src/features/pricing.ts";
import { priceOfEntry } from "../../../../contract/src/pricing/price-display.ts";
import { type ChannelScene, openChannelScene } from "../../../../tests/support/systems/channel-scene.ts";

interface PriceList {
  success: boolean;
  data: PricingEntry[];
  group_ratio: Record<string, number>;
  usable_group: Record<string, string>;
}

const OPTIONS = {
  ModelRatio: JSON.stringify({ "by-token": 1.25, "vip-only": 2 }),
  CompletionRatio: JSON.stringify({ "by-token": 4 }),
  CacheRatio: JSON.stringify({ "by-token": 0.1 }),
  ModelPrice: JSON.stringify({ "by-call": 0.04 }),
  GroupRatio: JSON.stringify({ default: 1, vip: 0.8, secret: 0.1 }),
  UserUsableGroups: JSON.stringify({ default: "Everyone" }),
};

let scene: ChannelScene;

beforeAll(async () => {
  scene = await openChannelScene("sqlite", {});
  const root = await scene.site.person(100);
  for (const [key, value] of Object.entries(OPTIONS)) await root.data("PUT", "/api/option", { key, value });
  await scene.make({ models: "by-token,by-call,unpriced", groups: ["default"] });
  await scene.make({ models: "by-token,vip-only", groups: ["vip"] });
  await scene.make({ models: "hidden", groups: ["secret"] });
  const off = await scene.make({ models: "switched-off", groups: ["default"] });
  await scene.admin.data("PUT", "/api/channel/", { id: off, status: 2 });
});
afterAll(() => scene.site.close());

const named = (list: PriceList, name: string): PricingEntry => {
  const entry = list.data.find(({ model_name }) => model_name === name);
  if (entry === undefined) throw new Error(`${name} is not in the list`);
  return entry;
};

const listOf = async (group: string): Promise<PriceList> => {
  const caller = await scene.site.person(1, { group });
  return (await caller.call("GET", "/api/pricing")).body as unknown as PriceList; // encoded by the endpoint's schemas
};

test("a visitor sees every enabled model, and only public groups", async () => {
  const answer = await fetch(`${scene.site.url}/api/pricing`);
  const text = await answer.text();
  const list = JSON.parse(text) as PriceList;
  expect(list.data.map(({ model_name }) => model_name).toSorted()).toEqual([
    "by-call",
    "by-token",
    "hidden",
    "unpriced",
    "vip-only",
  ]);
  expect(list.group_ratio).toEqual({ default: 1 });
  expect(named(list, "by-token").enable_groups).toEqual(["default"]);
  expect(named(list, "hidden")).toMatchObject({ enable_groups: [] });
  for (const unnamed of ['"vip"', "secret", "switched-off", "other_groups"]) expect(text).not.toContain(unnamed);
});

test("a user sees their own group too, and in which groups each model can be used", async () => {
  const list = await listOf("vip");
  expect(list.group_ratio).toEqual({ default: 1, vip: 0.8 });
  expect(named(list, "by-token").enable_groups.toSorted()).toEqual(["default", "vip"]);
  expect(named(list, "vip-only").enable_groups).toEqual(["vip"]);
  // Models that only other groups can use name them: a logged-in user may ask for that group.
  expect(named(list, "hidden")).toMatchObject({ enable_groups: [], other_groups: ["secret"] });
  expect(named(list, "by-token").other_groups).toEqual([]);
  expect(Object.keys(list.group_ratio)).not.toContain("secret");
  expect(list.data.map(({ model_name }) => model_name)).not.toContain("switched-off");
});

test("each entry is the price that calls are charged by, every ratio of it", async () => {
  const list = await listOf("vip");
  const { snapshot } = scene.site.foundation;
  for (const name of ["by-token", "by-call", "vip-only"]) {
    expect(priceOfEntry(named(list, name))).toEqual(snapshot.priceOf(name));
  }
  expect(named(list, "by-token")).toMatchObject({
    quota_type: 0,
    model_ratio: 1.25,
    completion_ratio: 4,
    cache_ratio: 0.1,
  });
  expect(named(list, "by-call")).toMatchObject({ quota_type: 1, model_price: 0.04, model_ratio: 0 });
});

test("an unpriced model is marked as such", async () => {
  const list = await listOf("default");
  expect(named(list, "unpriced")).toMatchObject({ has_price: false, model_ratio: 37.5 });
  expect(named(list, "by-token").has_price).toBe(true);
});

test("what the price list knows of a model stands beside its price, and what it does not know is absent", async () => {
  await scene.make({ models: "gpt-4o,text-embedding-3-small,gpt-image-1", groups: ["default"] });
  const list = await listOf("default");
  expect(named(list, "gpt-4o")).toMatchObject({ vendor: "OpenAI", kind: "chat", context_length: 128_000 });
  expect(named(list, "gpt-4o")).not.toHaveProperty("input_modalities");
  expect(named(list, "text-embedding-3-small")).toMatchObject({ vendor: "OpenAI", kind: "embeddings" });
  expect(named(list, "gpt-image-1")).toMatchObject({ kind: "image", input_modalities: ["text", "image"] });
  expect(named(list, "by-token")).not.toHaveProperty("vendor");
});

test("a changed price is in the next answer", async () => {
  const root = await scene.site.person(100);
  await root.data("PUT", "/api/option", { key: "ModelPrice", value: JSON.stringify({ "by-call": 0.05 }) });
  expect(named(await listOf("default"), "by-call").model_price).toBe(0.05);
});

test("a site that wants a login for its prices refuses visitors, and says so in its status", async () => {
  const value = '{"pricing":{"enabled":true,"requireAuth":true},"docs":false}';
  await scene.admin.data("PUT", "/api/option", { key: "HeaderNavModules", value });
  const ask = async (path: string) => {
    const response = await fetch(scene.site.url + path);
    return {
      status: response.status,
      body: (await response.json()) as { code?: string; data: Record<string, string> },
    };
  };
  expect(await ask("/api/pricing")).toMatchObject({ status: 401, body: { code: "not_logged_in" } });
  expect((await listOf("default")).data.length).toBeGreaterThan(0);
  const { data } = (await ask("/api/status")).body;
  expect(JSON.parse(data["HeaderNavModules"] ?? "")).toEqual(JSON.parse(value));
  await scene.admin.data("PUT", "/api/option", { key: "HeaderNavModules", value: "{}" });
  expect((await ask("/api/pricing")).status).toBe(200);
});
