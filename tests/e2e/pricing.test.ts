/** The price list in a real browser: its prices times a receipt's usage are the charge; groups, search, selection, visitors, phones. */
import { afterAll, expect, onTestFinished, test } from "vitest";
import type { ChannelRow } from "../../contract/src/features/channels.ts";
import type { AdminLog } from "../../contract/src/features/logs.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { IS_SHORT } from "../support/soak/short-or-long.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import {
  clipboardOf,
  findingsOfAnotherLook,
  layoutShift,
  looksOf,
  openContext,
  openPage,
  overflow,
  PHONE,
  seriousFindings,
} from "../support/systems/browser.ts";

const OPTIONS = {
  ModelRatio: JSON.stringify({ "gpt-counted": 1.25, "claude-counted": 7.5 }),
  CompletionRatio: JSON.stringify({ "gpt-counted": 4, "claude-counted": 5 }),
  CacheRatio: JSON.stringify({ "gpt-counted": 0.1 }),
  ModelPrice: JSON.stringify({ "paint-by-call": 0.04 }),
  GroupRatio: JSON.stringify({ default: 1, vip: 0.8 }),
  UserUsableGroups: JSON.stringify({ default: "Everyone", vip: "Team members" }),
};
const USAGE = { prompt_tokens: 1_234, completion_tokens: 567, prompt_tokens_details: { cached_tokens: 1_000 } };

let upstream: FakeUpstream;

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill({ root }) {
    upstream = await startFakeUpstream({ plan: { usage: USAGE } });
    for (const [key, value] of Object.entries(OPTIONS)) await root.put("/api/option", { key, value });
    const channel = { type: 1, key: "sk-upstream-0123456789", base_url: upstream.url };
    await root.post("/api/channel", {
      ...channel,
      name: "main",
      models: "gpt-counted,paint-by-call,unpriced-model",
      groups: ["default", "vip"],
    });
    await root.post("/api/channel", { ...channel, name: "vip", models: "claude-counted", groups: ["vip"] });
  },
});
afterAll(() => upstream?.close());

async function open(search = "", on = site.page): Promise<void> {
  await on.goto(`${site.server.app.url}/pricing${search}`);
  await on.locator("main h1").waitFor();
  if (on === site.page) await site.tab.settled();
}

const row = (name: string) => site.page.locator("tbody tr").filter({ hasText: name });
const names = (on = site.page) => on.locator("tbody tr .tp-name").allTextContents();

/** Whole millionths of a dollar in a cell: "$0.25" is 250,000. */
const micros = (text: string): bigint => {
  const [, whole = "", decimals = ""] = /\$(\d+)\.(\d+)/.exec(text) ?? [];
  if (whole === "") throw new Error(`"${text}" is no price`);
  return BigInt(whole) * 1_000_000n + BigInt(decimals.padEnd(6, "0"));
};

async function charged(model: string, group: string): Promise<AdminLog> {
  const token = (await site.root.post("/api/token", { name: group, unlimited_quota: true, expired_time: -1, group }))
    .body.data as { key: string };
  const answer = await fetch(`${site.server.app.url}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer sk-${token.key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Say hello." }] }),
  });
  expect(answer.status).toBe(200);
  await answer.text();
  const logged = (await site.root.get(`/api/log/?p=1&page_size=10&model_name=${model}&group=${group}&type=2`)).body
    .data as {
    items: AdminLog[];
  };
  const [newest] = logged.items;
  if (newest === undefined) throw new Error("the call is not in the log");
  return newest;
}

/** Dollars of the page for the usage, in quota at 500,000 a dollar, rounded once: whole numbers alone. */
function quotaOf(parts: readonly { usd: bigint; tokens: number }[]): number {
  // Millionths of a dollar for 1M tokens: a token costs usd / 10^12 dollars.
  const scaled = parts.reduce((sum, { usd, tokens }) => sum + usd * BigInt(tokens), 0n) * 500_000n;
  return Number((scaled + 500_000_000_000n) / 1_000_000_000_000n);
}

test.each(["default", "vip"])("the prices shown for %s times the usage of a receipt are its charge", async (group) => {
  const log = await charged("gpt-counted", group);
  await open(group === "default" ? "" : `?group=${group}`);
  const cells = await row("gpt-counted").locator("td").allTextContents();
  const [input, cached, output] = cells.filter((text) => text.startsWith("$")).map(micros);
  if (input === undefined || cached === undefined || output === undefined)
    throw new Error(`prices are missing: ${cells.join(" | ")}`);
  const parts = [
    { usd: input, tokens: USAGE.prompt_tokens - USAGE.prompt_tokens_details.cached_tokens },
    { usd: cached, tokens: USAGE.prompt_tokens_details.cached_tokens },
    { usd: output, tokens: USAGE.completion_tokens },
  ];
  expect(log.prompt_tokens).toBe(USAGE.prompt_tokens);
  expect(quotaOf(parts)).toBe(log.quota);
});

testInAll("a price of a call is what a call costs, in the viewed group")(async () => {
  const log = await charged("paint-by-call", "vip");
  await open("?group=vip");
  const [text = ""] = (await row("paint-by-call").locator("td").allTextContents()).filter((cell) =>
    cell.startsWith("$"),
  );
  expect(text).toContain("per request");
  expect(micros(text) / 2n).toBe(BigInt(log.quota));
});

test("what the group can use comes first, then by usage, gpt and the alphabet; the tick's header turns it round; a click on another group shows its prices, says group and ratio", async () => {
  for (let call = 0; call < 3; call += 1) await charged("gpt-counted", "default");
  await open();
  expect(await names()).toEqual(["gpt-counted", "paint-by-call", "claude-counted", "unpriced-model"]);
  await expect.poll(() => site.page.locator("th[aria-sort]").getAttribute("aria-sort")).toBe("descending");
  await site.page.getByRole("columnheader", { name: "Available" }).getByRole("button").click();
  await expect.poll(() => names()).toEqual(["claude-counted", "unpriced-model", "gpt-counted", "paint-by-call"]);
  await row("gpt-counted").getByRole("button", { name: "vip" }).click();
  await site.page.getByText("Showing prices for vip").waitFor();
  await site.page.getByText("Its ratio is 0.8×").waitFor();
  expect(new URL(site.page.url()).searchParams.get("group")).toBe("vip");
  await expect.poll(() => row("gpt-counted").textContent()).toContain("$2.00");
  expect((await site.page.locator("main header").textContent()) ?? "").toContain("yours is default, 1×");
});

testInAll(
  "a model without a price says that calls to it are refused, where others have their tick; the ratio's help opens and closes; names are copied, one or those selected",
)(async () => {
  await open();
  await expect.poll(() => row("unpriced-model").textContent()).toContain("No price: refused");
  const ofRow = (name: string) => row(name).locator("[title]").first().getAttribute("title");
  expect([await ofRow("gpt-counted"), await ofRow("unpriced-model")]).toEqual([
    "Available to this group",
    "No price: refused",
  ]);
  await site.page.getByRole("button", { name: "What the ratios mean" }).click();
  await site.page.getByText("From ratio to price").waitFor();
  await site.page.keyboard.press("Escape");
  await site.page.getByText("From ratio to price").waitFor({ state: "detached" });
  await expect.poll(() => site.page.getByRole("button", { name: "What the ratios mean" }).isVisible()).toBe(true);
  await row("gpt-counted").locator("button").filter({ hasText: "gpt-counted" }).click();
  await expect.poll(() => clipboardOf(site.page)).toBe("gpt-counted");
  for (const name of ["gpt-counted", "paint-by-call"]) await row(name).getByRole("checkbox").check();
  await site.page.getByText("4 models, 2 selected").waitFor();
  await site.page.getByRole("button", { name: "Copy 2 names" }).click();
  await site.page.getByText("2 model names copied").waitFor();
  expect(await clipboardOf(site.page)).toBe("gpt-counted,paint-by-call");
});

testInAll("search forgives spelling, and waits while an input method composes")(async () => {
  const context = await openContext(site.browser, {}, { storageState: await site.context.storageState() });
  const { page } = await openPage(context);
  await page.clock.install();
  await open("", page);
  const shown = () => names(page);
  const field = page.getByRole("searchbox", { name: "Model name" });
  await field.fill("COUNTD gpt");
  await page.clock.runFor(500);
  await expect.poll(shown).toEqual(["gpt-counted"]);
  await field.fill("");
  await page.clock.runFor(500);
  await expect.poll(async () => (await shown()).length).toBe(4);
  await field.dispatchEvent("compositionstart");
  await field.fill("claude");
  await page.clock.runFor(500);
  expect(await shown()).toHaveLength(4);
  await field.dispatchEvent("compositionend");
  await page.clock.runFor(500);
  await expect.poll(shown).toEqual(["claude-counted"]);
  await context.close();
});

testInAll("kind of billing and provider take rows away and stand in the address")(async () => {
  await open();
  await site.page.getByRole("checkbox", { name: /^Per token/ }).uncheck();
  await expect.poll(() => names()).toEqual(["paint-by-call"]);
  await open("?vendor=Anthropic");
  expect(await names()).toEqual(["claude-counted"]);
  await site.page.getByRole("checkbox", { name: /^Anthropic/ }).uncheck();
  await site.page.getByRole("checkbox", { name: /^OpenAI/ }).check();
  await expect.poll(() => names()).toEqual(["gpt-counted"]);
  expect(new URL(site.page.url()).searchParams.get("vendor")).toBe("OpenAI");
});

testInAll("on a phone, which has no column to ask from, the ratios are explained with the formula")(async () => {
  const visitor = await openContext(site.browser, { size: PHONE });
  const { page: phone, settled } = await openPage(visitor);
  await open("", phone);
  await settled();
  await phone.getByText("How a request is priced").click();
  await phone.getByText("From ratio to price").waitFor();
  expect(await overflow(phone)).toBe(0);
  expect(await findingsOfAnotherLook(phone)).toEqual([]);
  await visitor.close();
});

test("every kind of token has its price in the drawer, and the palette finds a model with its price", async () => {
  await open("?group=vip");
  await site.page.getByRole("button", { name: "All prices of gpt-counted" }).click();
  const drawer = site.page.getByRole("dialog");
  await drawer.getByText("Prices for vip").waitFor();
  await expect
    .poll(() => drawer.getByRole("row", { name: /^Cached input/ }).textContent())
    .toContain("1.25 × 0.1 × 0.8$0.20");
  // What costs what text does has no line of its own.
  const parts = await drawer.getByRole("table").first().getByRole("rowheader").allTextContents();
  expect(parts).toContain("Audio input");
  expect(parts).not.toContain("Image input");
  await expect.poll(() => drawer.getByText(/^Priced like input: /).textContent()).toContain("images");
  await site.page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
  await site.page.getByRole("button", { name: "All prices of paint-by-call" }).click();
  await drawer.getByText("$0.032 per request").waitFor();
  await site.page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
  await site.page.keyboard.press("Control+k");
  await site.page.getByRole("combobox").fill("gpt-count");
  const found = site.page.getByRole("option").filter({ hasText: "Pricing" }).filter({ hasText: "gpt-counted" });
  await found.waitFor();
  await expect.poll(() => found.textContent()).toContain("$2.50 / $10.00");
  await found.click();
  await site.page.waitForURL(/\/models\/gpt-counted$/);
});

testInAll("a model is tried in the playground, in the group whose prices were shown; a visitor is not offered it")(
  async () => {
    await open("?group=vip");
    await site.page.getByRole("button", { name: "All prices of claude-counted" }).click();
    await site.page.getByRole("dialog").getByRole("link", { name: "Try in the playground" }).click();
    await site.page.waitForURL(/\/playground\?id=\w+$/);
    await site.page.getByRole("textbox", { name: "Message" }).fill("Say hello.");
    await site.page.keyboard.press("Enter");
    await site.page.locator('article[data-status="complete"]').first().waitFor();
    const { items } = (await site.root.get("/api/log/?p=1&page_size=1&type=2")).body.data as { items: AdminLog[] };
    expect(items).toMatchObject([{ model_name: "claude-counted", group: "vip" }]);

    const visitor = await openContext(site.browser);
    const { page: outside } = await openPage(visitor);
    await open("", outside);
    await outside.getByRole("button", { name: "All prices of gpt-counted" }).click();
    await outside.getByRole("dialog").getByText("Available to the group default.").waitFor();
    await expect.poll(() => outside.getByRole("link", { name: "Try in the playground" }).count()).toBe(0);
    await visitor.close();
  },
);

test("a model that only others can use says who can, and to a visitor nothing but that; kinds take rows away", async () => {
  const closed = { ...JSON.parse(OPTIONS.GroupRatio), "closed-group": 0.5 };
  await site.root.put("/api/option", { key: "GroupRatio", value: JSON.stringify(closed) });
  const channel = { type: 1, key: "k", base_url: upstream.url, name: "closed" };
  onTestFinished(async () => {
    const { body } = await site.root.get("/api/channel/?keyword=closed");
    await site.root.post("/api/channel/batch", {
      ids: (body.data as { items: ChannelRow[] }).items.map(({ id }) => id),
    });
    await site.root.put("/api/option", { key: "GroupRatio", value: OPTIONS.GroupRatio });
  });
  await site.root.post("/api/channel", { ...channel, models: "text-embedding-3-large", groups: ["closed-group"] });
  await open();
  await expect.poll(() => row("text-embedding-3-large").textContent()).toContain("Only closed-group");
  await site.page.getByRole("checkbox", { name: /^Embeddings/ }).check();
  await expect.poll(() => names()).toEqual(["text-embedding-3-large"]);
  expect(new URL(site.page.url()).searchParams.get("kind")).toBe("embeddings");
  await site.page.getByRole("button", { name: "All prices of text-embedding-3-large" }).click();
  const drawer = site.page.getByRole("dialog");
  await drawer.getByText("None of your groups can use this model. These can: closed-group.").waitFor();
  await expect.poll(() => drawer.locator("dl").textContent()).toContain("VendorOpenAIKindEmbeddings");
  await site.page.keyboard.press("Escape");
  const visitor = await openContext(site.browser);
  const { page: other, settled: rest } = await openPage(visitor);
  await open("?keyword=embedding", other);
  await rest();
  const text = (await other.locator("main").textContent()) ?? "";
  expect(text).toContain("Other groups only");
  expect(text).toContain("Not logged in: visitors have the group default, 1×");
  expect(await other.content()).not.toContain("closed-group");
  await visitor.close();
});

test("what was opened on the way had no error", () => {
  expect(site.tab.complaints).toEqual([]);
});

test.each(IS_SHORT ? [] : looksOf("/pricing"))(
  "a visitor reads prices at $size.width px, $theme, $language: sound, steady, as wide as the window",
  async (look) => {
    const visitor = await openContext(site.browser, look);
    const watched = await openPage(visitor);
    await open("", watched.page);
    await watched.settled();
    const text = (await watched.page.locator("main").textContent()) ?? "";
    expect(text).toContain(
      look.language === "en"
        ? "Not logged in: visitors have the group default, 1×"
        : "您尚未登录：访客使用分组 default，倍率 1×",
    );
    expect(text).toContain("gpt-counted");
    expect(await seriousFindings(watched.page)).toEqual([]);
    expect(await overflow(watched.page)).toBe(0);
    expect(await layoutShift(watched.page)).toBeLessThanOrEqual(0.1);
    expect(watched.complaints).toEqual([]);
    await visitor.close();
  },
);
