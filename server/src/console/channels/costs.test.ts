/** Tests of a channel's upstream costs, from the form to the prices: kept as typed, unchanged where not sent, in force at once. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { PriceRow } from "../../../../contract/src/features/prices.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import type { ChannelScene } from "../../../../tests/support/systems/channel-scene.ts";
import { openChannelScene } from "../../../../tests/support/systems/channel-scene.ts";

const COSTS = '{ "factor": 0.80, "models": { "gpt-4o": { "input": 1.10, "output": 7 } } }';

describe.each(await engines())("costs of channels on %s", (engine) => {
  let scene: ChannelScene;
  beforeAll(async () => void (scene = await openChannelScene(engine, {})));
  afterAll(() => scene.site.close());
  beforeEach(() => scene.clear());

  const put = (body: object) => scene.admin.call("PUT", "/api/channel", body);
  const inForce = (id: number, model: string) => {
    const { snapshot } = scene.site.foundation;
    const channel = snapshot.channelById(id);
    return channel && snapshot.upstreamPriceOf(channel, model);
  };

  it("are kept digit by digit, in force at once, and cleared by a blank text", async () => {
    const id = await scene.make({ costs: ` ${COSTS} ` });
    expect((await scene.read(id)).costs).toBe(COSTS);
    expect(inForce(id, "gpt-4o")).toMatchObject({ origin: "typed", factor: "1", price: { ratio: "0.55" } });
    expect(inForce(id, "gpt-4o-mini")).toMatchObject({ origin: "list", factor: "0.8", price: { ratio: "0.075" } });
    expect(inForce(id, "nobody-knows-me")).toBeUndefined();
    await put({ id, costs: "" });
    expect((await scene.read(id)).costs).toBe("");
    expect(inForce(id, "gpt-4o")).toMatchObject({ origin: "list", factor: "1", price: { ratio: "1.25" } });
  });

  it("stay where a form without them is sent, and where a tag is edited; a copy has them", async () => {
    const id = await scene.make({ costs: COSTS, tag: "cheap" });
    await put({ id, name: "renamed", costs: null });
    await scene.admin.data("PUT", "/api/channel/tag", { tag: "cheap", priority: 3 });
    expect(await scene.read(id)).toMatchObject({ name: "renamed", priority: 3, costs: COSTS });
    const copy = await scene.admin.data<{ id: number }>("POST", `/api/channel/copy/${id}`);
    expect((await scene.read(copy.id)).costs).toBe(COSTS);
  });

  it("that are none are refused with their place, and nothing is stored", async () => {
    const id = await scene.make({ costs: COSTS });
    const refused = await put({ id, name: "new", costs: '{"models":{\n"gpt-4o":{"input":1,"output":-2}}}' });
    expect(refused.body).toMatchObject({
      success: false,
      code: "channel_costs_invalid",
      field: "costs",
      values: { reason: "smallest", path: "models › gpt-4o › output", line: 2 },
    });
    expect(await scene.read(id)).toMatchObject({ costs: COSTS });
    expect((await scene.read(id)).name).not.toBe("new");
  });

  it("stand beside the selling price: the cheapest and the dearest channel, by the upstream's own name of the model", async () => {
    const at = (costs: string, more: object = {}) => scene.make({ models: "gpt-4o,own-name", costs, ...more });
    const dear = await at('{"factor":1.5}');
    const cheap = await at('{"models":{"gpt-4o-mini":{"input":0.1,"output":0.2}}}', {
      model_mapping: '{"gpt-4o":"gpt-4o-mini"}',
    });
    await at("");
    const rows = await scene.admin.data<PriceRow[]>("GET", "/api/prices");
    const row = rows.find(({ model }) => model === "gpt-4o");
    expect(row?.costs).toMatchObject({ known: 3, channels: 3 });
    expect(row?.costs?.min).toMatchObject({ channel: cheap, price: { ratio: "0.05", completion_ratio: "2" } });
    expect(row?.costs?.max).toMatchObject({ channel: dear, price: { ratio: "1.875" } });
    expect(rows.find(({ model }) => model === "own-name")?.costs).toBeNull();
  });
});
