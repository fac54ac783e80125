/** Tests of whole price tables over real HTTP: the difference is shown before saving, all tables change or none, and redundant entries can be removed. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OptionRow } from "../../../../contract/src/features/options.ts";
import type { PriceTable, TablesDifference } from "../../../../contract/src/pricing/table-changes.ts";
import type { TestClient, TestServer } from "../../../../tests/support/systems/server.ts";
import { setUp, startTestServer } from "../../../../tests/support/systems/server.ts";

let server: TestServer;
let root: TestClient;

beforeAll(async () => {
  server = await startTestServer();
  root = await setUp(server);
});
afterAll(() => server.stop());

type Texts = Partial<Record<PriceTable, string>>;

const rows = async () => (await root.get("/api/option/")).body.data as OptionRow[];
const textOf = async (key: string) => (await rows()).find((row) => row.key === key)?.value;

async function drafts(texts: Texts) {
  const stored = new Map((await rows()).map((row) => [row.key, row.revision]));
  return { tables: Object.entries(texts).map(([key, value]) => ({ key, value, revision: stored.get(key) ?? 0 })) };
}

const compare = async (texts: Texts) => (await root.post("/api/prices/tables/compare", await drafts(texts))).body;
const replace = async (texts: Texts) => root.put("/api/prices/tables", await drafts(texts));
const priceOf = (model: string) => server.app.foundation.snapshot.priceOf(model);

test("the difference counts what is added, changed and removed, and shows each model's price before and after", async () => {
  await replace({ ModelRatio: '{"a": 1, "b": 2, "c": 3}', CompletionRatio: '{"a": 4}' });
  const { data } = await compare({ ModelRatio: '{"a": 1.0, "b": 2.5, "d": 0.1}', CompletionRatio: "{}" });
  expect(data).toMatchObject({
    tables: [
      { key: "ModelRatio", added: 1, changed: 1, removed: 1 },
      { key: "CompletionRatio", added: 0, changed: 0, removed: 1 },
    ],
    model_count: 4,
    repriced_count: 4,
  });
  const { models } = data as TablesDifference;
  const byName = new Map(models.map((model) => [model.model, model]));
  expect(byName.get("a")).toMatchObject({ from: { completion_ratio: "4" }, to: { ratio: "1", completion_ratio: "1" } });
  expect(byName.get("b")).toMatchObject({ from: { ratio: "2" }, to: { ratio: "2.5" } });
  expect(byName.get("c")).toMatchObject({ from: { ratio: "3" }, to: null });
  expect(byName.get("d")).toMatchObject({ from: null, to: { ratio: "0.1" } });
  expect(priceOf("c")).toMatchObject({ ratio: "3" }); // Nothing was stored.
});

test("an entry under a fixed price changes no price, and is reported so", async () => {
  await replace({ ModelPrice: '{"fixed": 0.5}' });
  const { data } = await compare({ CacheRatio: '{"fixed": 0.1}' });
  expect(data).toMatchObject({ repriced_count: 0, models: [{ model: "fixed", is_repriced: false }] });
});

test("prices of tools and rules are listed entry by entry", async () => {
  const { data } = await compare({
    ToolPrices: '{"web_search": {"*": 10, "mine": 3}, "file_search": {"*": 2.5}}',
    BrokenStreamBilling: "nothing",
  });
  const { entries, models } = data as TablesDifference;
  expect(models).toEqual([]);
  expect(entries).toContainEqual({ key: "ToolPrices", name: "web_search › mine", from: null, to: "3" });
  expect(entries).toContainEqual({ key: "ToolPrices", name: "web_search › claude*", from: "10", to: null });
  expect(entries).toContainEqual({ key: "BrokenStreamBilling", name: "", from: "delivered", to: "nothing" });
});

test("what equals the list can be left out, and every model costs the same without it", async () => {
  // gpt-4o costs 2.5 USD in and 10 USD out in the list; a model with context tiers keeps its own ratio, which sets them aside.
  const tiered = "gemini-2.5-pro";
  const listed = priceOf(tiered);
  if (listed?.kind !== "per_token" || listed.tiers === undefined) throw new Error(`${tiered} has no tiers in the list`);
  const texts = {
    ModelRatio: `{"gpt-4o": 1.250, "${tiered}": ${listed.ratio}, "mine": 1}`,
    CompletionRatio: '{"gpt-4o": 4, "gpt-4o-mini": 5}',
  };
  const { data } = await compare(texts);
  const { redundant_count, lean } = data as TablesDifference;
  expect(redundant_count).toBe(2);
  const leanTexts = Object.fromEntries(lean.map(({ key, value }) => [key, value])) as Texts;
  expect(JSON.parse(leanTexts.ModelRatio ?? "")).toEqual({ [tiered]: Number(listed.ratio), mine: 1 });
  expect(JSON.parse(leanTexts.CompletionRatio ?? "")).toEqual({ "gpt-4o-mini": 5 });
  const models = ["gpt-4o", "gpt-4o-mini", tiered, "mine", "gpt-4o-2024-08-06"];
  await replace(texts);
  const full = models.map(priceOf);
  await replace(leanTexts);
  expect(models.map(priceOf)).toEqual(full);
});

test("all tables change or none, and a broken one is named with its place", async () => {
  const before = await rows();
  const answer = await replace({ ModelRatio: '{"new": 1}', CompletionRatio: '{"new": -1}' });
  expect(answer.body).toMatchObject({
    success: false,
    code: "option_invalid",
    field: "CompletionRatio",
    values: { reason: "smallest", path: "new", line: 1, column: 9 },
  });
  expect(await rows()).toEqual(before);
  expect(await compare({ ImageRatio: '{"a": 1, "a": 2}' })).toMatchObject({
    field: "ImageRatio",
    code: "option_invalid",
  });
});

test("a save over another user's later change is refused, and nothing is stored", async () => {
  const late = await drafts({ AudioRatio: '{"m": 1}', CacheRatio: '{"m": 1}' });
  await root.put("/api/option/", { key: "CacheRatio", value: '{"m": 0.5}' });
  const answer = await root.put("/api/prices/tables", late);
  expect(answer).toMatchObject({ status: 409, body: { code: "option_changed", field: "CacheRatio" } });
  expect(await textOf("AudioRatio")).toBe("{}");
});

test("every stored table is an entry of the administrators' log", async () => {
  await replace({ AudioRatio: '{"x": 1}', AudioCompletionRatio: '{"x": 2}' });
  const log = await server.app.foundation.database.kysely
    .selectFrom("logs")
    .select("other")
    .where("type", "=", 3)
    .orderBy("id", "desc")
    .limit(2)
    .execute();
  const options = log.map(({ other }) => (JSON.parse(other) as { admin_info: { option: string } }).admin_info.option);
  expect(options.toSorted()).toEqual(["AudioCompletionRatio", "AudioRatio"]);
});

test("tables of five thousand models are compared and stored", async () => {
  const table = JSON.stringify(Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`m-${index}`, 0.5])));
  const { data } = await compare({ ModelRatio: table });
  const { models, model_count } = data as TablesDifference;
  expect([models.length, model_count]).toEqual([1_000, 5_002]);
  expect((await replace({ ModelRatio: table })).body.success).toBe(true);
  expect(priceOf("m-4999")).toMatchObject({ ratio: "0.5" });
});
