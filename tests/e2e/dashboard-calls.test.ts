/** The dashboard shows whether calls go well: failures and times, links into the log, a legend that isolates, first steps, and a page that does not move. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CallReport, SiteOverview } from "../../contract/src/features/dashboard.ts";
import { fill } from "../../tools/seed/fill.ts";
import { SCENARIOS } from "../../tools/seed/scenarios.ts";
import {
  DESK,
  layoutShift,
  logInOn,
  openContext,
  openPage,
  PHONE,
  startBrowser,
  WEB_DIRECTORY,
} from "../support/systems/browser.ts";
import { oneInShort } from "../support/soak/short-or-long.ts";
import { ROOT_PASSWORD, setupForm, startTestServer, TestClient, type TestServer } from "../support/systems/server.ts";
import { dataOf } from "../support/systems/site.ts";

let server: TestServer;
let browser: Browser;
/** The super administrator's window, in whose tabs tests open their pages. */
let desk: BrowserContext;

const number = (value: number): string => new Intl.NumberFormat("en-US").format(value);
const searchOf = (page: Page) => new URL(page.url()).searchParams;

/** Links of rows with the figure beside them; in the browser. */
const figuresOf = (rows: Element[], figure: string) =>
  rows.flatMap((row) => {
    // The names of models lead to their pages.
    const href = row.querySelector('a[href^="/log"]')?.getAttribute("href");
    return href ? [{ href, figure: row.querySelector(figure)?.textContent ?? "" }] : [];
  });

/** A window in which the super administrator of this site is logged in. */
async function signInto(url: string): Promise<BrowserContext> {
  const context = await openContext(browser);
  const { page } = await openPage(context);
  await logInOn(page, url, "root", ROOT_PASSWORD);
  await page.close();
  return context;
}

beforeAll(async () => {
  browser = await startBrowser();
  server = await startTestServer({ ALLOW_PRIVATE_UPSTREAMS: "1" }, { webDirectory: WEB_DIRECTORY });
  await fill(server.app, SCENARIOS.demo, { username: "root", password: ROOT_PASSWORD }, "http://127.0.0.1:9");
  desk = await signInto(server.app.url);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

async function open(path: string) {
  const watched = await openPage(desk);
  const answer = watched.page.waitForResponse(/\/api\/data\/(self\/)?calls\?/);
  await watched.page.goto(server.app.url + path);
  const report = ((await (await answer).json()) as { data: CallReport }).data;
  await watched.page.locator("dl").waitFor();
  await watched.settled();
  return { ...watched, report };
}

test("shows its third row of cards at 1440 x 900, and says how many calls failed and how long they took, by model and channel, as the server counted; the chart of errors is read by keys, and its table says the same", async () => {
  const { page, report, complaints } = await open("/detail");
  const bottoms = await page
    .locator("main section", { has: page.getByRole("heading", { name: "Requests by model" }) })
    .last()
    .evaluate((card) => card.getBoundingClientRect().bottom);
  expect(bottoms).toBeLessThanOrEqual(DESK.height);
  const strip = page.getByRole("group", { name: "How calls went" });
  expect(report.totals.failed).toBeGreaterThan(0);
  await strip.getByText(`${number(report.totals.failed)} failed call`).waitFor();
  const table = page.getByRole("region", { name: "Errors and times" });
  for (const [tab, rows] of [
    ["By model", report.models],
    ["By channel", report.channels],
  ] as const) {
    await page.getByRole("radiogroup", { name: "Errors and times" }).getByText(tab).click();
    await expect
      .poll(() => table.locator("tbody tr td:nth-child(2)").allInnerTexts())
      .toEqual(rows.map(({ figures }) => number(figures.succeeded + figures.failed)));
  }
  await page.getByRole("radiogroup", { name: "Errors and times" }).getByText("By token").click();
  await table.getByRole("columnheader", { name: "User" }).waitFor();
  await page.getByRole("button", { name: /^Errors/ }).click();
  const chart = page.getByRole("slider", { name: "Errors by kind over time" });
  await chart.focus();
  const slots = report.buckets.map((_, slot) =>
    Object.values(report.series.failures).reduce((sum, values) => sum + (values[slot] ?? 0), 0),
  );
  await page.keyboard.press("Home");
  for (const count of slots) {
    expect((await chart.getAttribute("aria-valuetext"))?.split("; ")[0]).toMatch(new RegExp(`: ${number(count)}$`));
    await page.keyboard.press("ArrowRight");
  }
  await page.getByRole("button", { name: "Show as a table" }).click();
  await expect.poll(() => page.locator("main tfoot td").first().innerText()).toBe(number(report.totals.failed));
  expect(complaints).toEqual([]);
  await page.close();
});

test("a legend entry isolates its model, Shift leaves it out, and its arrow leads to the log of the range", async () => {
  const { page, report } = await open("/detail");
  const legend = page.getByRole("list", { name: "Models" });
  const entries = legend.getByRole("button");
  const pressed = async () =>
    (await entries.evaluateAll((all) => all.map((each) => each.getAttribute("aria-pressed") === "true"))).filter(
      Boolean,
    ).length;
  const count = await entries.count();
  await entries.nth(1).click();
  expect(await pressed()).toBe(1);
  await entries.nth(1).click();
  expect(await pressed()).toBe(count);
  await entries.nth(1).focus();
  await page.keyboard.press("Shift+Enter");
  expect(await pressed()).toBe(count - 1);
  const name = await entries.nth(2).innerText();
  await legend.getByRole("link", { name: `${name}: open in the usage log` }).press("Enter");
  await page.getByRole("heading", { name: "Usage log" }).waitFor();
  expect(Object.fromEntries(searchOf(page))).toEqual({
    type: "2",
    model_name: name,
    start_timestamp: String(report.start),
    end_timestamp: String(report.end),
  });
  await page.close();
});

test("bars, parts and rows lead to the log of their hours, and Back returns", async () => {
  const { page, report } = await open("/detail");
  const chart = page.getByRole("slider", { name: "Spend by model over time" });
  await chart.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await expect.poll(() => searchOf(page).get("start_timestamp")).toBe(String(report.buckets[0]));
  expect(searchOf(page).get("end_timestamp")).toBe(String((report.buckets[1] ?? 0) - 1));
  await page.goBack();
  const href = await chart.locator("[data-href]").first().getAttribute("data-href");
  expect(href).toMatch(/^\/log\?type=2&model_name=.+&start_timestamp=\d+&end_timestamp=\d+$/);
  const failing = page.getByRole("region", { name: "Errors and times" }).locator("td[data-is-bad] a").first();
  const failed = await failing.innerText();
  await failing.click();
  await expect.poll(() => searchOf(page).get("type")).toBe("5");
  const linked = report.models.find(({ figures }) => figures.failed > 0 && figures.failures.broken_off === 0);
  expect(searchOf(page).get("model_name")).toBe(linked?.name);
  await page
    .getByText(new RegExp(`^${failed} `))
    .first()
    .waitFor();
  await page.close();
});

test("what leads to the log shows as many calls there as its figure says", async () => {
  const { page } = await open("/detail?show=requests");
  const card = page.getByRole("region", { name: "Requests by model" }).last();
  const table = page.getByRole("region", { name: "Errors and times" }).locator("tbody");
  const linked = [
    ...(await card.locator("li").evaluateAll(figuresOf, ":scope > span:last-child")),
    ...(await table.locator("tr").evaluateAll(figuresOf, "td:nth-child(2)")),
    ...(await table.locator("td[data-is-bad]").evaluateAll(figuresOf, ":scope a")),
  ];
  expect(linked.length).toBeGreaterThan(10);
  const root = new TestClient(server.app.url);
  await dataOf(root.login("root", ROOT_PASSWORD));
  for (const { href, figure } of linked) {
    const query = new URL(href, server.app.url).searchParams;
    if (!query.has("type")) query.set("types", "2,5");
    const { total } = await dataOf<{ total: number }>(root.get(`/api/log?${query}`));
    expect([href, number(total)]).toEqual([href, figure]);
  }
  await page.close();
});

test("a short range is compared with a whole one before it; a long one says that there is none", async () => {
  const { page } = await open("/detail?range=week");
  await page.getByText("Previous period", { exact: true }).waitFor();
  expect(await page.getByText("No full earlier period").count()).toBe(0);
  const [response] = await Promise.all([
    page.waitForResponse(/\/api\/data\/overview/),
    page.goto(`${server.app.url}/detail?range=quarter`),
  ]);
  expect(((await response.json()) as { data: SiteOverview }).data.previous_is_full).toBe(false);
  await page.getByText("No full earlier period").waitFor();
  expect(await page.locator("dl").getByText(/^[+−]/).count()).toBe(0);
  await page.close();
});

test("hours of a month, which have no room side by side, begin at the present and say which of them are in view", async () => {
  const { page } = await open("/detail?by=hour");
  const hidden = () =>
    page
      .getByRole("slider", { name: "Spend by model over time" })
      .locator("..")
      .evaluate((box) => ({ before: box.scrollLeft, after: box.scrollWidth - box.clientWidth - box.scrollLeft }));
  await expect.poll(async () => Math.round((await hidden()).after)).toBe(0);
  expect((await hidden()).before).toBeGreaterThan(0);
  const before = await page.getByText(/^In view: /).innerText();
  const scroller = page.getByRole("slider", { name: "Spend by model over time" }).locator("..");
  await scroller.evaluate((box) => box.scrollTo({ left: 0 }));
  await expect.poll(() => page.getByText(/^In view: /).innerText()).not.toBe(before);
  await page.close();
});

test("on a phone no table of the dashboard has to be pushed sideways, and each number stands under what it counts", async () => {
  const { page } = await open("/detail?as=table&show=tokens");
  await page.setViewportSize(PHONE);
  const hidden = () =>
    page
      .locator("main table")
      .evaluateAll((tables) =>
        tables.map(({ parentElement: place }) => (place?.scrollWidth ?? 0) - (place?.clientWidth ?? 0)),
      );
  await expect.poll(hidden).toEqual([0, 0, 0]);
  const words = page
    .getByRole("region", { name: /^Tokens by model/ })
    .locator("tbody tr")
    .first()
    .locator("td:visible")
    .evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell, "::before").content));
  expect(await words).toContain('"Total"');
  expect(await words).not.toContain("none");
  await page.close();
});

test.each(oneInShort("/detail, waiting", [{}, { size: PHONE }]))(
  "nothing moves while answers are waited for: %o",
  async (look) => {
    const context = await openContext(browser, look, { storageState: await desk.storageState() });
    const { page, settled } = await openPage(context);
    const gate = Promise.withResolvers<void>();
    await page.route("**/api/data/{overview,calls}*", async (route) => {
      await gate.promise;
      await route.continue();
    });
    await page.goto(`${server.app.url}/detail`);
    await page.locator("main [aria-busy='true']").first().waitFor();
    const chartTop = () =>
      page
        .locator("main [class*='chartCard']")
        .evaluate((card) => [card.getBoundingClientRect().top, card.getBoundingClientRect().height]);
    await page.evaluate(() => document.fonts.ready);
    const waiting = await chartTop();
    gate.resolve();
    await page.getByRole("heading", { name: "Errors and times" }).waitFor();
    await settled();
    expect(await layoutShift(page)).toBe(0);
    // On a phone the legend is a list as long as there are models.
    const loaded = await chartTop();
    if (look.size === undefined) expect(loaded).toEqual(waiting);
    else expect(loaded[0]).toBe(waiting[0]);
    await context.close();
  },
);

describe("on a new site", () => {
  let fresh: TestServer;
  let root: TestClient;

  beforeAll(async () => {
    fresh = await startTestServer({ ALLOW_PRIVATE_UPSTREAMS: "1" }, { webDirectory: WEB_DIRECTORY });
    root = new TestClient(fresh.app.url);
    await dataOf(root.post("/api/setup", await setupForm(fresh.app)));
    await dataOf(root.login("root", ROOT_PASSWORD));
  });
  afterAll(() => fresh?.stop());

  test("administrators see the first steps, ticked by what is there, until they put them away", async () => {
    const context = await signInto(fresh.app.url);
    const { page, complaints } = await openPage(context);
    await page.goto(`${fresh.app.url}/detail`);
    const list = page.getByRole("region", { name: "Get started" });
    await list.getByText("0 of 3 done").waitFor();
    expect(await page.getByRole("heading", { name: "Make the first call" }).count()).toBe(0);
    const channel = { type: 1, name: "main", key: "sk-1234567890", base_url: "http://127.0.0.1:9", models: "m" };
    await dataOf(root.post("/api/channel", { ...channel, groups: ["default"], auto_ban: 0 }));
    await fresh.app.foundation.snapshot.refresh();
    await page.reload();
    await list.getByText("1 of 3 done").waitFor();
    await expect.poll(() => list.getByRole("link").count()).toBe(2);
    await list.getByRole("link", { name: "Create token" }).click();
    await page.getByRole("heading", { name: "Tokens" }).waitFor();
    await dataOf(root.post("/api/token", { name: "main", unlimited_quota: true, expired_time: -1 }));
    await page.goto(`${fresh.app.url}/detail`);
    await list.getByText("2 of 3 done").waitFor();
    await list.getByRole("button", { name: "Dismiss" }).click();
    await page.getByRole("heading", { name: "Make the first call" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Make the first call" }).waitFor();
    expect(await list.count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
