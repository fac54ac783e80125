/** The visual price editor in a real browser: prices typed in dollars are what calls are charged, for every kind of billing; many at once, conflicts, the way back. */
import { afterAll, beforeEach, expect, test } from "vitest";
import type { AdminLog } from "../../contract/src/features/logs.ts";
import type { PriceRow } from "../../contract/src/features/prices.ts";
import { fromPriceFields } from "../../contract/src/pricing/price-fields.ts";
import { chargeQuota } from "../../contract/src/pricing/pricing.ts";
import { NO_USAGE, type Usage } from "../../contract/src/pricing/usage.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import {
  findingsOfAnotherLook,
  logInOn,
  openContext,
  openPage,
  overflow,
  PHONE,
  seriousFindings,
} from "../support/systems/browser.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";
import { dataOf } from "../support/systems/site.ts";

const MODELS =
  "house-chat,house-call,house-long,house-bulk-1,house-bulk-2,house-spare-1,house-spare-2,gpt-4o,gemini-2.5-pro";
const NONE = { ratios: {}, tools: {} };
const PRICES = "/setting?tab=operation&section=prices";

let upstream: FakeUpstream;
let key: string;

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill({ root }) {
    upstream = await startFakeUpstream();
    const channel = { key: "sk-upstream-0123456789", base_url: upstream.url, groups: ["default"] };
    await root.post("/api/channel", { ...channel, type: 1, name: "main", models: MODELS });
    await root.post("/api/channel", { ...channel, type: 14, name: "claude", models: "house-claude" });
    const token = { name: "calls", unlimited_quota: true, expired_time: -1, group: "default" };
    ({ key } = await dataOf<{ key: string }>(root.post("/api/token", token)));
  },
});
afterAll(() => upstream?.close());

const change = (changes: readonly object[]) => dataOf(site.root.put("/api/prices", { changes }));
/** Gives models without an own price one of this ratio. */
const setPrices = (models: readonly string[], ModelRatio: string) =>
  change(models.map((model) => ({ model, from: NONE, to: { ratios: { ModelRatio }, tools: {} } })));
// No test begins with the prices of another.
beforeEach(async () => {
  const own = (await dataOf<PriceRow[]>(site.root.get("/api/prices"))).filter(({ origin }) => origin === "own");
  if (own.length > 0) await change(own.map((row) => ({ model: row.model, from: row.own, to: NONE })));
});

const open = async (address: string, on = site.tab): Promise<void> => {
  await on.page.goto(site.server.app.url + address);
  await on.page.locator("main h1").waitFor();
  await on.settled();
};
const drawer = (on = site.page) => on.getByRole("dialog");
const field = (label: string, index = 0) => drawer().getByLabel(label, { exact: true }).nth(index);
const fill = async (fields: Readonly<Record<string, string>>, index = 0): Promise<void> => {
  for (const [label, text] of Object.entries(fields)) await field(label, index).fill(text);
};
const save = () => drawer().getByRole("button", { name: "Save price" }).click();
const edit = async (model: string): Promise<void> => {
  await open(`${PRICES}&model=${model}`);
  await drawer().getByText("What a call would cost").waitFor();
};
const saved = (model: string) => site.page.getByText(`Price of ${model} saved`).waitFor();
const rowOf = async (model: string): Promise<PriceRow> => {
  const [row] = await dataOf<PriceRow[]>(site.root.get(`/api/prices?model=${model}`));
  if (row === undefined) throw new Error(`there is no row of ${model}`);
  return row;
};

const MESSAGES = [{ role: "user", content: "Say hello." }];

/** The log of a call just made. */
async function charged(model: string, path: string, usage: object): Promise<AdminLog> {
  upstream.plan({ usage });
  const answer = await fetch(site.server.app.url + path, {
    method: "POST",
    headers: { Authorization: `Bearer sk-${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ model, messages: MESSAGES, max_tokens: 100 }),
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  const { items } = await dataOf<{ items: AdminLog[] }>(
    site.root.get(`/api/log/?p=1&page_size=10&model_name=${model}&type=2`),
  );
  const [newest] = items;
  if (newest === undefined) throw new Error("the call is not in the log");
  return newest;
}

/** USD for 1M tokens times tokens, in quota at 500,000 a dollar. Written apart from the product's own arithmetic; no charge here has a rest. */
const quotaOf = (parts: readonly (readonly [usd: number, tokens: number])[]): number =>
  parts.reduce((sum, [usd, tokens]) => sum + usd * tokens, 0) / 2;

/** The charge of the receipt's own usage by the price that the page is drawn from. */
async function chargeByPage(model: string, log: AdminLog, tools: Usage["toolCalls"] = []): Promise<number> {
  const { price } = await rowOf(model);
  if (price === null) throw new Error(`${model} has no price`);
  const { usage } = JSON.parse(log.other) as { usage: Partial<Usage> };
  return chargeQuota({ ...NO_USAGE, ...usage, toolCalls: tools }, fromPriceFields(price), "1", "500000");
}

test("dollars typed for every kind of token times the usage of a receipt are its charge", async () => {
  await edit("house-chat");
  await fill({ Input: "3", Output: "12", "Cache read": "0.3", "Image in": "6", "Audio in": "30", "Audio out": "60" });
  await save();
  await saved("house-chat");
  const log = await charged("house-chat", "/v1/chat/completions", {
    prompt_tokens: 1000,
    completion_tokens: 500,
    prompt_tokens_details: { cached_tokens: 400, audio_tokens: 50, image_tokens: 30 },
    completion_tokens_details: { audio_tokens: 60 },
  });
  const parts = [
    [3, 520],
    [0.3, 400],
    [30, 50],
    [6, 30],
    [12, 440],
    [60, 60],
  ] as const;
  expect(log.quota).toBe(quotaOf(parts));
  expect(await chargeByPage("house-chat", log)).toBe(log.quota);
  const row = site.page.getByRole("row").filter({ hasText: "house-chat" });
  await expect.poll(() => row.innerText()).toMatch(/\$3\.00[\s\S]*1\.5×[\s\S]*\$12\.00[\s\S]*4×/);
  expect(site.tab.complaints).toEqual([]);
});

testInAll("both cache writes and searches are charged as they were typed, an hour's write 1.6 times")(async () => {
  await edit("house-claude");
  await fill({ Input: "4", Output: "20", "Cache read": "0.4", "Cache write": "5", "Web searches": "8" });
  await drawer().getByText("1-hour writes cost 1.6 times that: $8.00.").waitFor();
  await save();
  await saved("house-claude");
  const log = await charged("house-claude", "/v1/messages", {
    input_tokens: 100,
    output_tokens: 200,
    cache_read_input_tokens: 1000,
    cache_creation_input_tokens: 700,
    cache_creation: { ephemeral_5m_input_tokens: 300, ephemeral_1h_input_tokens: 400 },
    server_tool_use: { web_search_requests: 3 },
  });
  const searches = (3 * 8 * 500_000) / 1000;
  const parts = [
    [4, 100],
    [0.4, 1000],
    [5, 300],
    [8, 400],
    [20, 200],
  ] as const;
  expect(log.quota).toBe(quotaOf(parts) + searches);
  const tools = [{ tool: "web_search", calls: 3, usdPerThousand: "8" }] as const;
  expect(await chargeByPage("house-claude", log, tools)).toBe(log.quota);
});

testInAll("a price per request is what a request costs, and wins over token prices that are kept")(async () => {
  const ratios = { ModelRatio: "1", CompletionRatio: "2" };
  await change([{ model: "house-call", from: NONE, to: { ratios, tools: {} } }]);
  await edit("house-call");
  await drawer().getByRole("radio", { name: "Per request" }).click();
  await drawer().getByText("A price per request wins over token prices").waitFor();
  await fill({ "Price per request": "0" });
  await save();
  await drawer().getByText("Model price cannot be 0").waitFor();
  await fill({ "Price per request": "0.04" });
  await save();
  await saved("house-call");
  const usage = { prompt_tokens: 9000, completion_tokens: 500 };
  const log = await charged("house-call", "/v1/chat/completions", usage);
  expect(log.quota).toBe(20_000);
  expect((await rowOf("house-call")).own.ratios).toEqual({ ...ratios, ModelPrice: "0.04" });
});

test("a call above a tier's bound is charged entirely at the tier, one at the bound is not", async () => {
  await edit("house-long");
  await fill({ Input: "2", Output: "8" });
  await drawer().getByRole("button", { name: "Add tier" }).click();
  await fill({ "Above this many input tokens": "1000" });
  await fill({ Input: "4", Output: "12", "Cache read": "4", "Cache write": "4" }, 1);
  await save();
  await saved("house-long");
  const of = (prompt_tokens: number) =>
    charged("house-long", "/v1/chat/completions", { prompt_tokens, completion_tokens: 100 });
  const [at, above] = [await of(1000), await of(1001)];
  expect([at.quota, above.quota]).toEqual([
    quotaOf([
      [2, 1000],
      [8, 100],
    ]),
    quotaOf([
      [4, 1001],
      [12, 100],
    ]),
  ]);
  expect(await chargeByPage("house-long", above)).toBe(above.quota);
});

testInAll("an own input price warns of the list's tiers, which one press keeps, and the preview charges by them")(
  async () => {
    await edit("gemini-2.5-pro");
    await fill({ Input: "1.5" });
    await drawer().getByText("The price list charges $2.50 in and $15.00 out above 200,000 input tokens").waitFor();
    expect(await seriousFindings(site.page)).toEqual([]);
    await drawer().getByRole("button", { name: "Keep the list's tiers" }).click();
    await expect.poll(() => field("Above this many input tokens").inputValue()).toBe("200000");
    await fill({ "Input tokens": "200001", "Output tokens": "0" });
    await drawer().getByText("Priced by the tier above 200,000 tokens").waitFor();
    // 200,001 tokens at USD 2.50 for 1M.
    await drawer().getByText("$0.500002").waitFor();
    await save();
    await saved("gemini-2.5-pro");
    expect(await rowOf("gemini-2.5-pro")).toMatchObject({ price: { ratio: "0.75", tiers: [{ ratio: "1.25" }] } });
  },
);

test("ratios and dollars are two views of one price; a third of three dollars comes back as one", async () => {
  await edit("house-spare-1");
  await fill({ Input: "3", Output: "1" });
  await drawer().getByText("Charged as exactly $0.999999999999").waitFor();
  await drawer().getByRole("radio", { name: "Ratios" }).click();
  expect([await field("Input").inputValue(), await field("Output").inputValue()]).toEqual(["1.5", "0.333333333333"]);
  await drawer().getByRole("radio", { name: "USD per 1M tokens" }).click();
  await expect.poll(() => field("Output").inputValue()).toBe("1");
  await save();
  await saved("house-spare-1");
  await edit("house-spare-1");
  expect([await field("Input").inputValue(), await field("Output").inputValue()]).toEqual(["3", "1"]);
  await save();
  await site.page.getByText("You don't seem to have changed anything").waitFor();
});

test("what is wrong is said at its field, which gets the focus; a name that is there already is refused", async () => {
  await open(`${PRICES}&open=add`);
  await save();
  await drawer().getByText("Please enter a model name").waitFor();
  await drawer().getByText("Enter the price of input").waitFor();
  await field("Model name").fill("gpt-4o");
  await drawer().getByText("Model name already exists").waitFor();
  await field("Model name").fill("house-new");
  await fill({ Input: "abc" });
  await site.page.keyboard.press("Control+Enter");
  await drawer().getByText("Please enter a number").waitFor();
  await expect.poll(() => field("Input").evaluate((input) => input === document.activeElement)).toBe(true);
  await fill({ Input: "2.5" });
  await site.page.keyboard.press("Control+Enter");
  await saved("house-new");
  expect(await rowOf("house-new")).toMatchObject({ is_enabled: false, own: { ratios: { ModelRatio: "1.25" } } });
});

testInAll("whoever saves second sees the other's price beside what was typed, and loses nothing")(async () => {
  await edit("house-spare-2");
  await fill({ Input: "7" });
  const theirs = { ratios: { ModelRatio: "2" }, tools: {} };
  await change([{ model: "house-spare-2", from: NONE, to: theirs }]);
  await save();
  await drawer().getByText("Somebody else changed this price while you were editing").waitFor();
  await drawer().getByText("$4.00 in, $4.00 out").waitFor();
  await drawer().getByText("$7.00 in, $7.00 out").waitFor();
  expect(await seriousFindings(site.page)).toEqual([]);
  expect((await rowOf("house-spare-2")).own).toEqual(theirs);
  await drawer().getByRole("button", { name: "Keep mine, then save" }).click();
  await expect.poll(() => field("Input").inputValue()).toBe("7");
  await save();
  await saved("house-spare-2");
  expect((await rowOf("house-spare-2")).own.ratios).toEqual({ ModelRatio: "3.5" });
  // The refusal is what the page itself asked for.
  site.tab.complaints.length = 0;
});

test("a pattern changes many prices at once, each shown before and after; the selection goes back to the list", async () => {
  const to = { ratios: { ModelRatio: "1", CompletionRatio: "3" }, tools: {} };
  await change(["house-bulk-1", "house-bulk-2"].map((model) => ({ model, from: NONE, to })));
  await open(`${PRICES}&keyword=house-bulk`);
  await site.page.getByRole("button", { name: "Many at once" }).click();
  await site.page.getByRole("menuitem", { name: "Change by pattern…" }).click();
  await drawer().getByRole("button", { name: "Save prices" }).click();
  await drawer().getByText("Please enter a pattern").waitFor();
  await fill({ "Model names": "house-bulk*", Factor: "1.2" });
  const preview = drawer().getByRole("row").filter({ hasText: "house-bulk-1" });
  await expect.poll(() => preview.innerText()).toMatch(/\$2\.00 in, \$6\.00 out\s+\$2\.40 in, \$7\.20 out/);
  expect(await seriousFindings(site.page)).toEqual([]);
  await drawer().getByRole("button", { name: "Save 2 prices" }).click();
  await site.page.getByText("2 prices saved").waitFor();
  expect((await rowOf("house-bulk-2")).own.ratios).toEqual({ ModelRatio: "1.2", CompletionRatio: "3" });
  await site.page.locator("thead").getByRole("checkbox").click();
  await site.page.getByRole("toolbar").getByRole("button", { name: "Back to the list" }).click();
  await site.page.getByText("2 models are not on the list: calls to them will be refused.").waitFor();
  await drawer().getByRole("button", { name: "Back to the list" }).click();
  await site.page.getByText("2 models are back on the price list").waitFor();
  expect(await rowOf("house-bulk-1")).toMatchObject({ origin: "none", own: NONE });
});

testInAll("models without a price get one together, after a selection and a value, and leave the list")(async () => {
  await setPrices(["house-chat", "house-call", "house-long", "house-claude", "house-spare-1", "house-spare-2"], "1");
  await open("/setting?tab=operation&section=unpriced_models");
  await site.page.getByText("2 models without a price").waitFor();
  await site.page.getByRole("button", { name: "Set price", exact: true }).click();
  await site.page.getByText("Select at least one model").waitFor();
  await site.page.getByText("Please enter a value").waitFor();
  expect(await seriousFindings(site.page)).toEqual([]);
  await site.page.getByRole("checkbox", { name: "Select all models" }).click();
  await site.page.getByRole("textbox", { name: "Input per 1M" }).fill("0.5");
  await site.page.getByRole("button", { name: "Try on past calls" }).click();
  await site.page.getByRole("region", { name: "Dry run of this draft" }).waitFor();
  await site.page.getByRole("button", { name: "Set price of 2" }).click();
  await site.page.getByText("2 prices saved").waitFor();
  await site.page.getByText("Every model has a price").waitFor();
  expect((await rowOf("house-bulk-1")).own.ratios).toEqual({ ModelRatio: "0.25" });
  const usage = { prompt_tokens: 1000, completion_tokens: 20 };
  expect((await charged("house-bulk-1", "/v1/chat/completions", usage)).quota).toBe(quotaOf([[0.5, 1020]]));
});

testInAll(
  "search and filters stand in the address; on a phone in Chinese the list is cards and the drawer fills the screen",
)(async () => {
  // The list of the vendor's prices has one of its models left.
  await setPrices(["gemini-2.5-pro"], "1");
  await open(PRICES);
  await site.page.getByRole("searchbox", { name: "Search models" }).fill("HOUSE call");
  await site.page.getByText("1 model", { exact: true }).waitFor();
  expect(new URL(site.page.url()).searchParams.get("keyword")).toBe("HOUSE call");
  await open(`${PRICES}&origin=list`);
  await site.page.getByText("1 model", { exact: true }).waitFor();
  const phone = await openContext(site.browser, { size: PHONE, theme: "dark", language: "zh" });
  const small = await openPage(phone);
  await logInOn(small.page, site.server.app.url, "root", ROOT_PASSWORD);
  await open(PRICES, small);
  await small.page.getByRole("button", { name: "gpt-4o", exact: true }).click();
  await drawer(small.page).getByText("费用试算").waitFor();
  expect([await overflow(small.page), await findingsOfAnotherLook(small.page), small.complaints]).toEqual([0, [], []]);
  await phone.close();
});

testInAll("all own prices go back to the list after a question that says how many")(async () => {
  await setPrices(["house-chat", "house-call"], "1");
  await open(PRICES);
  await site.page.getByRole("button", { name: "Many at once" }).click();
  await site.page.getByRole("menuitem", { name: /All back to the list/ }).click();
  await site.page.getByText(/Remove your prices of all \d+ models\?/).waitFor();
  await drawer().getByRole("button", { name: "Back to the list" }).click();
  await site.page.getByText(/models are back on the price list/).waitFor();
  expect((await dataOf<PriceRow[]>(site.root.get("/api/prices"))).filter(({ origin }) => origin === "own")).toEqual([]);
});
