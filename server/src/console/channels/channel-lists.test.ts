/** Tests of the channel lists: every row once, searches that take no wildcards, what upstreams and manifests offer. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AppError } from "../../../../contract/src/errors.ts";
import type { ProviderRow } from "../../../../contract/src/channels/provider-row.ts";
import type { ChannelRow } from "../../../../contract/src/features/channels.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import type { Caller, TestConsole } from "../../../../tests/support/systems/console.ts";
import { openChannelScene, PLANTED_KEY } from "../../../../tests/support/systems/channel-scene.ts";
import type { ChannelScene } from "../../../../tests/support/systems/channel-scene.ts";

interface ChannelPage {
  items: ChannelRow[];
  total: number;
}

const REFUSED = "http://169.254.169.254";

describe.each(await engines())("channel lists on %s", (engine) => {
  let scene: ChannelScene;
  let site: TestConsole;
  let admin: Caller;
  const fetched: object[] = [];

  beforeAll(async () => {
    scene = await openChannelScene(engine, {
      checkAddress: (baseUrl) =>
        baseUrl.startsWith(REFUSED) ? Promise.reject(new AppError("address_refused")) : Promise.resolve(),
      fetchUpstreamModels: (target) => {
        fetched.push(target);
        return Promise.resolve(["model-b", "model-a", "model-b"]);
      },
    });
    ({ site, admin } = scene);
  });
  afterAll(() => site.close());
  beforeEach(() => scene.clear());

  const make = (more: object = {}) => scene.make(more);
  const list = (query: string) => scene.list(query);

  it("gives every channel exactly once over the pages, however equal their priorities", async () => {
    await make({ key: Array.from({ length: 23 }, (_, index) => `sk-page-${index}-aaaaaaaaaaaa`).join("\n") });
    await make({ priority: 5 });
    for (const query of ["", "&id_sort=true"]) {
      const seen: ChannelRow[] = [];
      for (const p of [1, 2, 3, 4, 5]) {
        const page = await admin.data<ChannelPage>("GET", `/api/channel/?p=${p}&page_size=5${query}`);
        expect(page).toMatchObject({ total: 24, page: p, page_size: 5 });
        seen.push(...page.items);
      }
      expect((await list(`p=0&page_size=5${query}`)).map(({ id }) => id)).toEqual(seen.slice(0, 5).map(({ id }) => id));
      expect(new Set(seen.map(({ id }) => id)).size).toBe(24);
      expect(seen).toHaveLength(24);
      expect(seen[0]?.priority).toBe(5);
    }
  });

  it("pages over tags in tag mode, each with all its channels", async () => {
    for (const tag of ["a", "b", "c"]) await make({ tag, key: `sk-${tag}-1-aaaaaaaaaaaa\nsk-${tag}-2-aaaaaaaaaaaa` });
    await make();
    const page = await admin.data<ChannelPage>("GET", "/api/channel/?tag_mode=true&p=1&page_size=2");
    expect(page.total).toBe(3);
    expect(page.items.map(({ tag }) => tag).toSorted()).toEqual(["a", "a", "b", "b"]);
    expect(await list("tag_mode=undefined&page_size=100")).toHaveLength(7);
    expect((await list("untagged=true")).map(({ tag }) => tag)).toEqual([""]);
  });

  it("gives all of 250 channels once over the pages of tags and of those without one, in every order", async () => {
    // Tags that an engine might take for one another, or read as something else.
    const names = ["Prod", "prod", "PROD", "é", "e", "10", "9", "a,b", "a%", "a_", "生产", "'", '"', "-", "0"];
    const tags = [...names, ...Array.from({ length: 8 }, (_, index) => `team ${index}`)];
    const sizes = tags.map((_, index) => 1 + (index % 9));
    const keys = (about: string, count: number) =>
      Array.from({ length: count }, (_, index) => `sk-${about}-${index}-aaaaaaaaaaaa`).join("\n");
    for (const [index, tag] of tags.entries())
      await make({ tag, key: keys(`tag-${index}`, sizes[index] ?? 0), priority: index % 3 });
    const tagged = sizes.reduce((sum, size) => sum + size, 0);
    await make({ key: keys("alone", 250 - tagged) });
    const pages = async (query: string, total: number) => {
      const seen: ChannelRow[][] = [];
      for (let p = 1; (p - 1) * 10 <= total; p += 1) {
        const page = await admin.data<ChannelPage>("GET", `/api/channel/?${query}&p=${p}&page_size=10`);
        expect(page.total).toBe(total);
        seen.push(page.items);
      }
      return seen;
    };
    for (const order of ["", "&sort=response_time"]) {
      const byTag = await pages(`tag_mode=true${order}`, tags.length);
      const alone = await pages(`untagged=true${order}`, 250 - tagged);
      const shown = byTag.map((page) => [...new Set(page.map(({ tag }) => tag))]);
      expect(shown.map(({ length }) => length)).toEqual([10, 10, 3]);
      expect(shown.flat().toSorted()).toEqual(tags.toSorted());
      expect(
        alone
          .map(({ length }) => length)
          .slice(0, -1)
          .every((length) => length === 10),
      ).toBe(true);
      const seen = [...byTag, ...alone].flat();
      expect(seen).toHaveLength(250);
      expect(new Set(seen.map(({ id }) => id)).size).toBe(250);
      expect(alone.flat().every(({ tag }) => tag === "")).toBe(true);
    }
  });

  it("shows all channels to who cannot page, all tags, and who competes with a channel", async () => {
    const keys = Array.from({ length: 1100 }, (_, index) => `sk-many-${index}-aaaaaaaaaaaa`).join("\n");
    await make({ key: keys, tag: "z-last", priority: 7, weight: 3, groups: ["svip", "default"] });
    const alone = await make({ tag: "a-first", priority: 7, groups: ["svip"] });
    await make({ priority: 7, models: "claude-x" });
    const all = await admin.data<ChannelPage>("GET", "/api/channel/search?keyword=");
    const found = all.items;
    expect(found).toHaveLength(1102);
    expect(all).toMatchObject({ total: 1102, page: 1, page_size: 1102 });
    const second = await admin.data<ChannelPage>("GET", "/api/channel/search?keyword=&p=2&page_size=1000");
    expect(second).toMatchObject({ total: 1102, page: 2, page_size: 1000, items: { length: 102 } });
    expect(await admin.data("GET", "/api/channel/tags")).toEqual(["a-first", "z-last"]);
    const place = {
      id: alone,
      priority: 7,
      models: ["claude-z", found.at(-1)?.models.split(",")[0]],
      groups: ["svip"],
    };
    expect(await admin.data("POST", "/api/channel/tier", place)).toEqual({ others: 1100, weight: 3300 });
    expect(await admin.data("POST", "/api/channel/tier", { ...place, priority: 6 })).toEqual({ others: 0, weight: 0 });
  });

  it("searches by id, name, base URL, key and its ends, whole groups and parts of models, wildcards being ordinary", async () => {
    const a = await make({ name: "100%_real", base_url: "https://one.example" });
    const b = await make({ name: "other", groups: ["svip"], models: "claude-x", key: "sk-bbbbbb-0123456789-wxyz" });
    const ids = async (query: string) =>
      (await admin.data<ChannelPage>("GET", `/api/channel/search?${query}`)).items.map(({ id }) => id);
    expect(await ids(`keyword=${encodeURIComponent("%_")}`)).toEqual([a]);
    expect(await ids(`keyword=${a}`)).toContain(a);
    expect(await ids("keyword=ONE.example")).toEqual([a]);
    expect(await ids(`keyword=${PLANTED_KEY}`)).toEqual([a]);
    expect(await ids("keyword=wxyz")).toEqual([b]);
    expect(await ids("keyword=sk-bbb")).toEqual([b]);
    expect(await ids("group=vip")).toEqual([a]);
    expect(await ids("group=svip")).toEqual([b]);
    expect(await ids("group=VIP")).toEqual([]);
    expect(await ids("group=default%2Cvip")).toEqual([]);
    expect(await ids("group=null&keyword=&model=")).toEqual([b, a]);
    expect(await ids("model=claude")).toEqual([b]);
  });

  it("asks upstreams for models: a stored channel with its key, a new one with the first line", async () => {
    const proxy = "socks5://proxy.example:1080";
    const id = await make({ base_url: "https://up.example", setting: JSON.stringify({ proxy }) });
    fetched.length = 0;
    expect(await admin.data("GET", `/api/channel/fetch_models/${id}`)).toEqual(["model-a", "model-b"]);
    expect(
      await admin.data("POST", "/api/channel/fetch_models", {
        base_url: "https://up.example/",
        type: 1,
        key: " first \nsecond",
      }),
    ).toEqual(["model-a", "model-b"]);
    expect(fetched).toMatchObject([
      { type: 1, baseUrl: "https://up.example", key: PLANTED_KEY, proxy },
      { type: 1, baseUrl: "https://up.example", key: "first" },
    ]);
    const missing = await admin.call("POST", "/api/channel/fetch_models", { base_url: "", type: 1, key: "" });
    expect(missing.body).toMatchObject({ success: false, code: "channel_key_missing" });
    const refused = await admin.call("POST", "/api/channel/fetch_models", { base_url: REFUSED, type: 1, key: "k" });
    expect(refused.body).toMatchObject({ success: false, code: "address_refused" });
    expect(fetched).toHaveLength(2);
  });

  it("draws the drawer from the providers' manifests alone", async () => {
    const providers = await admin.data<ProviderRow[]>("GET", "/api/channel/providers");
    expect(providers.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(
      site.context.relay.providers.map(({ manifest }) => manifest.id).toSorted((a, b) => a - b),
    );
    expect(providers.find(({ id }) => id === 8)?.fields).toContainEqual(
      expect.objectContaining({ name: "base_url", is_required: true }),
    );
    const models = await admin.data<{ id: string }[]>("GET", "/api/channel/models");
    expect(new Set(models.map(({ id }) => id)).size).toBe(models.length);
    await make({ models: "zeta,alpha" });
    await make({ models: "alpha" });
    expect(await admin.data("GET", "/api/channel/models_enabled")).toEqual(["alpha", "zeta"]);
  });

  it("tells which names have no price, unless the site charges them all the same", async () => {
    const ask = (models: readonly string[]) => admin.data("POST", "/api/channel/models_unpriced", { models });
    expect(await ask(["gpt-4o", "house-blend-1", "house-blend-1"])).toEqual(["house-blend-1"]);
    const root = await site.person(100);
    await root.data("PUT", "/api/option/", { key: "SelfUseModeEnabled", value: "true" });
    expect(await ask(["house-blend-1"])).toEqual([]);
    await root.data("PUT", "/api/option/", { key: "SelfUseModeEnabled", value: "false" });
    expect(await ask([])).toEqual([]);
  });
});
