/** The usage log in a real browser, after real calls: rows, receipts that add up, filters in the address, and nothing of channels for users. */
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import type { AdminLog } from "../../contract/src/features/logs.ts";
import { addPerson } from "../../tools/seed/people.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import {
  clipboardOf,
  DESK,
  findingsOfAnotherLook,
  logInOn,
  openContext,
  openPage,
  overflow,
  seriousFindings,
} from "../support/systems/browser.ts";
import { ROOT_PASSWORD, type TestClient, type TestServer } from "../support/systems/server.ts";

const PASSWORD = "battery staple 7";
const USAGE = {
  prompt_tokens: 20_616,
  completion_tokens: 1236,
  total_tokens: 21_852,
  prompt_tokens_details: { cached_tokens: 18_432 },
  service_tier: "standard",
};
const OPTIONS = {
  RetryTimes: "2",
  GroupRatio: JSON.stringify({ default: 1, vip: 0.8 }),
  ModelRatio: JSON.stringify({ "claude-sonnet-4-5": 1.5, "deepseek-reasoner": 1 }),
  CompletionRatio: JSON.stringify({ "claude-sonnet-4-5": 5 }),
  CacheRatio: JSON.stringify({ "claude-sonnet-4-5": 0.1 }),
};

let good: FakeUpstream;
let bad: FakeUpstream;

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill({ server, root }) {
    [good, bad] = await Promise.all([startFakeUpstream(), startFakeUpstream()]);
    for (const [key, value] of Object.entries(OPTIONS)) await root.put("/api/option/", { key, value });
    const channel = { type: 1, key: "sk-upstream-0123456789", groups: ["default", "vip"], auto_ban: 0 };
    await root.post("/api/channel/", {
      ...channel,
      name: "Crowded lane",
      base_url: bad.url,
      models: "claude-sonnet-4-5,deepseek-reasoner",
      priority: 9,
    });
    await root.post("/api/channel/", {
      ...channel,
      name: "Quiet lane",
      base_url: good.url,
      models: "claude-sonnet-4-5",
      priority: 1,
    });
    await makeCalls(server, root);
  },
});
afterAll(() => Promise.all([good?.close(), bad?.close()]));

async function call(server: TestServer, key: string, model: string, isStream: boolean): Promise<void> {
  const body = JSON.stringify({ model, stream: isStream, messages: [{ role: "user", content: "hi" }] });
  const answer = await fetch(`${server.app.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body,
  });
  await answer.text();
}

async function makeToken(client: TestClient, name: string): Promise<string> {
  const { body } = await client.post("/api/token/", { name, unlimited_quota: true });
  return `sk-${(body.data as { key: string }).key}`;
}

async function makePerson(server: TestServer): Promise<string> {
  const { foundation } = server.app;
  await addPerson(
    foundation,
    { username: "marcus", displayName: "Marcus", role: 1, group: "vip", quota: 5_000_000, tokens: [] },
    PASSWORD,
    1_700_000_000,
  );
  await foundation.snapshot.refresh();
  const client = server.client();
  await client.login("marcus", PASSWORD);
  return makeToken(client, "support-bot");
}

/** One call that fails over, one in one piece, and one that no upstream answers. */
async function makeCalls(server: TestServer, root: TestClient): Promise<void> {
  const key = await makePerson(server);
  bad.plan({ status: 429, error: { message: "Rate limit reached", type: "rate_limit_error" }, headerDelayMs: 120 });
  good.plan({ usage: USAGE, headerDelayMs: 150, chunkDelayMs: 40 });
  await call(server, key, "claude-sonnet-4-5", true);
  await call(server, await makeToken(root, "nightly"), "claude-sonnet-4-5", false);
  await call(server, key, "deepseek-reasoner", false);
}

/** The log of the last day in the super administrator's window. */
async function openLog(): Promise<Page> {
  await site.page.goto(`${site.server.app.url}/log?range=day`);
  return site.page;
}

const rows = (page: Page): Locator =>
  page.locator("tbody > tr").filter({ has: page.getByRole("button", { name: "Details" }) });
const search = (page: Page): URLSearchParams => new URL(page.url()).searchParams;

/** Types into the palette of a page that shows the log. */
async function findInPalette(page: Page, text: string): Promise<void> {
  await page.getByRole("heading", { name: "Usage log" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or jump to" }).fill(text);
}

/** Dollars of a text as whole millionths; sums of them are exact. */
const micros = (text: string | null | undefined): number =>
  Math.round(Number((text ?? "").replace(/[^\d.]/g, "")) * 1e6);

test("a receipt's printed numbers add up to the charge, and say which channels were tried and why", async () => {
  const page = await openLog();
  const { items } = (await site.root.get("/api/log/?username=marcus&type=2")).body.data as { items: AdminLog[] };
  const [log] = items;
  if (log === undefined) throw new Error("the call was not logged");
  const row = rows(page).filter({ hasText: "support-bot" }).filter({ hasText: "claude-sonnet-4-5" });
  const call = /Usage\s+marcus\s+support-bot\s+1 → #2 Quiet lane\s+claude-sonnet-4-5/;
  await expect.poll(() => row.innerText()).toMatch(call);
  await row.getByRole("button", { name: "Details" }).click();
  const receipt = page.getByRole("heading", { name: "Cost breakdown" }).locator("xpath=ancestor::td");
  const price = receipt.getByRole("table");
  const lines = await Promise.all(
    ["Input", "Cached input", "Output"].map((name) =>
      price.getByRole("row", { name: new RegExp(`^${name} `) }).innerText(),
    ),
  );
  expect(lines.map((line) => line.split(/\s+/).slice(-3))).toEqual([
    ["2,184", "$3.00", "$0.006552"],
    ["18,432", "$0.30", "$0.005530"],
    ["1,236", "$15.00", "$0.018540"],
  ]);
  const costs = lines.map((line) => micros(line.split("$").at(-1)));
  const [subtotal = "", group = "", charged = ""] = await Promise.all(
    ["Subtotal", "Group ratio", "Charged"].map((name) =>
      price
        .getByRole("row", { name: new RegExp(`^${name}`) })
        .locator("td")
        .innerText(),
    ),
  );
  expect(costs.reduce((sum, cost) => sum + cost)).toBe(micros(subtotal));
  expect(group).toBe("× 0.8");
  expect(Math.round(micros(subtotal) * 0.8)).toBe(micros(charged));
  expect(micros(charged)).toBe(log.quota * 2);
  await expect.poll(() => row.innerText()).toContain(charged);
  const text = await receipt.innerText();
  for (const words of [
    "#1 Crowded lane",
    "429 rate limited",
    "#2 Quiet lane",
    "1 failed, then answered",
    "First token",
  ])
    expect(text).toContain(words);
  const { price_version, price_since } = JSON.parse(log.other) as { price_version: number; price_since: number };
  expect(price_since).toBeGreaterThan(log.created_at - 3600);
  // The day since which it holds stands behind it.
  expect(text).toMatch(new RegExp(`Price version ${price_version}\\b.*\\d`));
  await receipt.getByText("Billed usage").click();
  await expect.poll(() => receipt.innerText()).toContain('"cacheReadTokens": 18432');
  await receipt.getByRole("button", { name: "Copy", exact: true }).click();
  await expect.poll(async () => JSON.parse(await clipboardOf(page)) as unknown).toEqual(USAGE);
  await receipt.getByRole("button", { name: log.request_id }).click();
  await expect.poll(() => clipboardOf(page)).toBe(log.request_id);
  expect(await seriousFindings(page)).toEqual([]);
});

test("filters are in the address, survive a reload and can be taken off; a failed call says why", async () => {
  const page = await openLog();
  await page.getByRole("radiogroup", { name: "Type" }).getByRole("radio", { name: "Errors" }).click();
  await page.getByText("1 entry", { exact: true }).waitFor();
  expect(search(page).get("type")).toBe("5");
  await expect.poll(() => rows(page).innerText()).toContain("429 rate limited");
  await page.reload();
  await rows(page).getByRole("button", { name: "Details" }).click();
  await page.getByText("Failed calls cost nothing.").waitFor();
  await expect
    .poll(() =>
      page
        .getByRole("radiogroup", { name: "Type" })
        .getByRole("radio", { name: "Errors" })
        .getAttribute("aria-checked"),
    )
    .toBe("true");
  await page.getByRole("radio", { name: "All", exact: true }).click();
  await page.getByRole("button", { name: "Model", exact: true }).click();
  await page.getByRole("button", { name: "claude-sonnet-4-5 2" }).waitFor();
  await page.getByRole("textbox", { name: "Model" }).fill("SONNET");
  await page.keyboard.press("Enter");
  await page.getByText("2 entries", { exact: true }).waitFor();
  expect(search(page).get("model_name")).toBe("%SONNET%");
  const about = page.getByRole("button", { name: "About marcus" }).first();
  const person = page.getByRole("dialog", { name: "marcus" });
  await about.click();
  await person.getByText("Marcus", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await person.waitFor({ state: "hidden" });
  await about.and(page.locator(":focus")).waitFor();
  await about.click();
  await page.getByRole("button", { name: "Show only these entries" }).click();
  await page.getByText("1 entry", { exact: true }).waitFor();
  await page.getByRole("button", { name: /^Time range/ }).click();
  await page.getByRole("button", { name: "Yesterday" }).click();
  await page.getByText("Nothing matches").waitFor();
  expect(search(page).get("range")).toBe("yesterday");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect.poll(() => search(page).size).toBe(0);
});

testInAll("in a narrow window the types are a chip, and setting it moves no row")(async () => {
  const page = await openLog();
  await page.setViewportSize({ width: 1024, height: 900 });
  const topOfTable = () => page.locator("thead").evaluate((head) => head.getBoundingClientRect().top);
  await rows(page).first().waitFor();
  const before = await topOfTable();
  await page.getByRole("button", { name: "Type", exact: true }).click();
  await page.getByRole("menuitem", { name: "Errors" }).click();
  await page.getByText("1 entry", { exact: true }).waitFor();
  expect(search(page).get("type")).toBe("5");
  expect(await topOfTable()).toBe(before);
  await page.getByRole("button", { name: "Remove the filter Type" }).click();
  await expect.poll(() => search(page).get("type")).toBeNull();
  await page.setViewportSize(DESK);
});

testInAll(
  "on a phone, in Chinese: cards with the same receipt, and the filters in force in sight, the others behind the funnel",
)(async () => {
  const phone = await openContext(site.browser, { language: "zh" }, { viewport: { width: 390, height: 900 } });
  const { page, complaints } = await openPage(phone);
  await logInOn(page, site.server.app.url, "root", ROOT_PASSWORD);
  await page.goto(`${site.server.app.url}/log?range=day&model_name=claude-sonnet-4-5`);
  const card = page.getByRole("listitem").filter({ hasText: "support-bot" }).filter({ hasText: "claude-sonnet-4-5" });
  await card.getByRole("button", { name: "详情" }).click();
  await card.getByText("失败 1 次后成功").waitFor();
  await expect.poll(() => card.innerText()).toContain("429 限流");
  expect(await overflow(page)).toBe(0);
  expect(await findingsOfAnotherLook(page)).toEqual([]);
  const user = page.getByRole("button", { name: "用户", exact: true });
  expect(await user.isVisible()).toBe(false);
  const funnel = page.getByRole("button", { name: "筛选", exact: true });
  const placeOf = (element: HTMLElement) => [element.offsetTop, element.offsetLeft];
  const place = await funnel.evaluate(placeOf);
  await funnel.click();
  await user.waitFor();
  // What it unfolds does not move it from under the finger.
  expect(await funnel.evaluate(placeOf)).toEqual(place);
  await page.getByRole("button", { name: "移除筛选条件“模型”" }).click();
  await page.getByRole("listitem").filter({ hasText: "deepseek-reasoner" }).first().waitFor();
  expect(complaints).toEqual([]);
  await phone.close();
});

testInAll("rows that could not be refreshed say so; without a network no row of another question is shown")(
  async () => {
    const page = await openLog();
    await rows(page).first().waitFor();
    await page.route("**/api/log?*", (route) =>
      route.fulfill({ status: 500, json: { success: false, message: "no" } }),
    );
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("This could not be refreshed.").waitFor();
    expect(await rows(page).count()).toBeGreaterThan(0);
    await page.unrouteAll();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("This could not be refreshed.").waitFor({ state: "detached" });
    await site.context.setOffline(true);
    await page.getByRole("radiogroup", { name: "Type" }).getByRole("radio", { name: "Errors" }).click();
    await page.getByText("The usage log could not be loaded").waitFor();
    expect(await rows(page).count()).toBe(0);
    await site.context.setOffline(false);
    // The answers that this test made fail.
    site.tab.complaints.length = 0;
  },
);

test("a user sees and exports the own calls with their price, and finds neither channels nor other people", async () => {
  const own = await openContext(site.browser);
  const { page, complaints } = await openPage(own);
  await logInOn(page, site.server.app.url, "marcus", PASSWORD);
  await page.goto(`${site.server.app.url}/log?range=day`);
  await page.getByText("2 entries", { exact: true }).waitFor();
  for (const row of await rows(page).all()) await row.getByRole("button", { name: "Details" }).click();
  await page.getByRole("heading", { name: "Cost breakdown" }).waitFor();
  await page.getByRole("heading", { name: "Where the time went" }).first().waitFor();
  const html = await page.locator("main").innerHTML();
  expect(html).toContain("support-bot");
  expect(html).not.toMatch(/Crowded lane|Quiet lane|nightly|channel/i);
  expect(await findingsOfAnotherLook(page)).toEqual([]);
  expect(await page.getByRole("button", { name: "Actions for" }).count()).toBe(0);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export CSV" }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^usage-log-.*\.csv$/);
  const text = await readFile(await file.path(), "utf8");
  const lines = text.trimEnd().split("\r\n");
  expect(lines).toHaveLength((await rows(page).count()) + 1);
  expect(text).toContain("support-bot");
  expect(text).not.toMatch(/lane|channel/i);
  await page.getByText(`${lines.length - 1} entries exported`).waitFor();
  await findInPalette(page, "marc");
  await page.getByRole("option", { name: /named marc/ }).waitFor();
  expect(await page.getByRole("group", { name: "Users" }).count()).toBe(0);
  expect(complaints).toEqual([]);
  await own.close();
});

test("clearing says how many entries go, deletes only those, and tells the end", async () => {
  const page = await openLog();
  const { database } = site.server.app.foundation;
  const [sample] = await database.kysely.selectFrom("logs").selectAll().where("type", "=", 2).limit(1).execute();
  if (sample === undefined) throw new Error("no call was logged");
  const { id: _id, ...old } = { ...sample, created_at: sample.created_at - 40 * 86_400 };
  await database.kysely
    .insertInto("logs")
    .values(Array.from({ length: 300 }, () => old))
    .execute();
  await page.getByRole("button", { name: "Actions for Usage log" }).click();
  await page.getByRole("menuitem", { name: "Clear old entries…" }).click();
  const dialog = page.getByRole("dialog", { name: "Clear old entries" });
  await dialog.getByText("300 entries will be deleted.").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Actions for Usage log" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or jump to" }).fill("clear old");
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Delete 300 entries" }).click();
  await page.getByText("300 logs cleared").waitFor();
  const left = await database.kysely.selectFrom("logs").select("id").where("created_at", "=", old.created_at).execute();
  expect(left).toEqual([]);
  expect(await database.kysely.selectFrom("logs").select("id").where("id", "=", sample.id).execute()).toHaveLength(1);
});

testInAll("a clear run that goes on is shown again after the tab was closed, and its end is told once")(async () => {
  const { kysely } = site.server.app.foundation.database;
  const now = Math.floor(Date.now() / 1000);
  const run = { target_timestamp: now - 9000, total: 300, started_by: "colleague", started_time: now - 5 };
  const write = (progress: object) =>
    kysely
      .updateTable("facts")
      .set({ value: JSON.stringify({ ...run, stopped: false, failed: false, ...progress }) })
      .where("name", "=", "log_clear_progress")
      .execute();
  await write({ running: true, done: 120, finished_time: 0 });
  await kysely
    .updateTable("leases")
    .set({ expires_time: now + 600 })
    .where("name", "=", "log_clear")
    .execute();
  // Of all tabs of a window one says it, and here it is the new one.
  await site.page.goto("about:blank");
  const first = await site.context.newPage();
  await first.goto(`${site.server.app.url}/log?range=day`);
  await first.getByText("colleague is clearing old entries").waitFor();
  await first.close();
  await write({ running: false, done: 299, finished_time: now });
  const again = await site.context.newPage();
  await again.goto(`${site.server.app.url}/log?range=day`);
  await again.getByText("299 logs cleared").waitFor();
  await again.reload();
  await rows(again).first().waitFor();
  expect(await again.getByText("299 logs cleared").count()).toBe(0);
  await again.getByRole("button", { name: "Actions for Usage log" }).click();
  await again.getByRole("menuitem", { name: "Clear old entries…" }).click();
  await again.getByText(/Last cleared on .* by colleague: 299 entries before/).waitFor();
  await again.close();
});

testInAll("the palette finds people for administrators, and leads to their page")(async () => {
  const page = await openLog();
  await findInPalette(page, "marc");
  const people = page.getByRole("group", { name: "Users" });
  await people.getByRole("option", { name: /marcus/ }).waitFor();
  // Whom the name finds stands before the making of a token of that name.
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/user\/\d+$/);
});

test("no page logged an error", () => expect(site.tab.complaints).toEqual([]));
