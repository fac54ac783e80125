/** Tests of prices over real HTTP: the source of each, and that a change is atomic, exact and never overwrites another user's. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PriceChange, PriceRow } from "../../../../contract/src/features/prices.ts";
import { fromPriceFields } from "../../../../contract/src/pricing/price-fields.ts";
import type { TestClient, TestServer } from "../../../../tests/support/systems/server.ts";
import { setUp, startTestServer } from "../../../../tests/support/systems/server.ts";

let server: TestServer;
let root: TestClient;

beforeAll(async () => {
  server = await startTestServer();
  root = await setUp(server);
});
afterAll(() => server.stop());

const NONE = { ratios: {}, tools: {} };

const rowOf = async (model: string): Promise<PriceRow | undefined> =>
  ((await root.get("/api/prices")).body.data as PriceRow[]).find((row) => row.model === model);

const change = (...changes: PriceChange[]) => root.put("/api/prices", { changes });

test("an own price stands over the list's, which is shown beside it, and digits are kept as they were typed", async () => {
  const to = { ratios: { ModelRatio: "1.10", CompletionRatio: "4" }, tools: {} };
  expect((await change({ model: "gpt-4o", from: NONE, to })).body).toMatchObject({ data: { changed: 1 } });
  const row = await rowOf("gpt-4o");
  expect(row).toMatchObject({
    origin: "own",
    own: { ratios: { ModelRatio: "1.1", CompletionRatio: "4" } },
    price: { kind: "per_token", ratio: "1.1", completion_ratio: "4" },
    list_price: { kind: "per_token", ratio: "1.25", completion_ratio: "4" },
  });
  const sent = row?.price ?? undefined;
  expect(sent && fromPriceFields(sent)).toEqual(server.app.foundation.snapshot.priceOf("gpt-4o"));
});

test("own tiers and a price of a search stand too, and the way back removes every trace", async () => {
  const tier = { above: "1000", ratio: "4", completion: "2", cache: "0.5", cache_creation: "1.25" };
  const to = { ratios: { ModelRatio: "2" }, tiers: [tier], tools: { web_search: "7.5" } };
  await change({ model: "my-model", from: NONE, to });
  const row = await rowOf("my-model");
  expect(row).toMatchObject({ own: to, tools: { web_search: "7.5", file_search: "2.5" }, list_price: null });
  expect(row?.price).toMatchObject({ ratio: "2", tiers: [{ above_input_tokens: 1000, ratio: "4" }] });
  await change({ model: "my-model", from: to, to: NONE });
  expect(await rowOf("my-model")).toBeUndefined();
  expect(server.app.foundation.snapshot.priceOf("my-model")).toBeUndefined();
  expect(JSON.stringify((await root.get("/api/option/")).body)).not.toContain("my-model");
});

test("who has read an older price is refused, by name, and none of the other changes is made", async () => {
  const own = (ratio: string) => ({ ratios: { ModelRatio: ratio }, tools: {} });
  await change({ model: "shared", from: NONE, to: own("1") });
  const late = await change(
    { model: "other", from: NONE, to: own("9") },
    { model: "shared", from: NONE, to: own("3") },
  );
  expect(late).toMatchObject({
    status: 409,
    body: { code: "price_changed", field: "shared", values: { model: "shared" } },
  });
  expect(await rowOf("other")).toBeUndefined();
  expect(await rowOf("shared")).toMatchObject({ own: own("1") });
});

test.each(["-1", "NaN", "1e308", "x", "", "1e999", "0x10", "Infinity", "9".repeat(80), '1, "gpt-4o": 0'])(
  "a ratio of %s is refused and its place named",
  async (ratio) => {
    const to = { ratios: { ModelRatio: ratio }, tools: {} };
    const answer = await change({ model: "fine", from: NONE, to: NONE }, { model: "broken", from: NONE, to });
    expect(answer).toMatchObject({ status: 400, body: { field: "changes.1.to.ratios.ModelRatio" } });
    expect(await rowOf("broken")).toBeUndefined();
  },
);

test("numbers and names stored by other means are listed unchanged, and can be changed and removed", async () => {
  const long = "m".repeat(300);
  const small = `0.${"0".repeat(30)}1`;
  const table = `{"tiny": 2e-7, "exact": ${small}, "${long}": 3, "": 4}`;
  await root.put("/api/option/", { key: "CacheRatio", value: table });
  const own = (CacheRatio: string) => ({ ratios: { CacheRatio }, tools: {} });
  expect(await rowOf("tiny")).toMatchObject({ own: own("0.0000002"), origin: "none", price: null });
  expect(await rowOf("exact")).toMatchObject({ own: own(small) });
  const answer = await change(
    { model: "tiny", from: own("0.0000002"), to: own("0.5") },
    { model: "exact", from: own(small), to: NONE },
    { model: long, from: own("3"), to: NONE },
    { model: "", from: own("4"), to: NONE },
  );
  expect(answer.body).toMatchObject({ data: { changed: 4 } });
  expect({ ...server.app.foundation.snapshot.options.CacheRatio }).toEqual({ tiny: "0.5" });
  await change({ model: "tiny", from: own("0.5"), to: NONE });
});

test.each([
  ["", undefined],
  ["__proto__", undefined],
  ["m".repeat(129), undefined],
  ["gpt\u202e4o", "name_characters"],
])("no price can be set for a model called %j", async (model, code) => {
  const to = { ratios: { ModelRatio: "1" }, tools: {} };
  const answer = await change({ model, from: NONE, to });
  expect(answer.body).toMatchObject({ success: false, field: "changes.0.model", ...(code && { code }) });
  expect(await rowOf(model)).toBeUndefined();
});

test("an own price that says what the list says is own: a newer list would not change it", async () => {
  const to = { ratios: { ModelRatio: "1.25", CompletionRatio: "4", CacheRatio: "0.5" }, tools: {} };
  const from = (await rowOf("gpt-4o"))?.own ?? NONE;
  await change({ model: "gpt-4o", from, to });
  const row = await rowOf("gpt-4o");
  expect(row?.price).toEqual(row?.list_price);
  expect(row?.origin).toBe("own");
});

test("a model that has nothing but a price of its searches is listed, and the way back of all removes that price too", async () => {
  const to = { ratios: {}, tools: { web_search: { low: "1", medium: "2", high: "3" } } };
  const tools = async () => (await root.get("/api/option/")).body.data as { key: string; value: string }[];
  const before = (await tools()).find(({ key }) => key === "ToolPrices")?.value;
  await change({ model: "searching", from: NONE, to });
  expect(await rowOf("searching")).toMatchObject({ own: to, origin: "none", tools: { web_search: "2" } });
  await root.post("/api/option/rest_model_ratio");
  expect(await rowOf("searching")).toBeUndefined();
  expect((await tools()).find(({ key }) => key === "ToolPrices")?.value).toBe(before);
});

test("one model is found by name, also if no channel offers it and it has no price", async () => {
  const one = async (model: string) => (await root.get(`/api/prices?model=${encodeURIComponent(model)}`)).body.data;
  expect(await one("gemini-2.5-pro")).toMatchObject([{ model: "gemini-2.5-pro", origin: "list", is_enabled: false }]);
  expect(await one("no such/model&")).toMatchObject([{ model: "no such/model&", origin: "none", price: null }]);
});

test("tiers without a bound of their own are refused with their place", async () => {
  const tier = { above: "1000", ratio: "4", completion: "2", cache: "0.5", cache_creation: "1.25" };
  const to = { ratios: {}, tiers: [tier, tier], tools: {} };
  const answer = await change({ model: "tiered", from: NONE, to });
  expect(answer).toMatchObject({ status: 400, body: { field: "changes.0.to.tiers" } });
});
