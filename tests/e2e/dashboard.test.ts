/** The dashboard in a real browser, over thirty days of usage: exact readings, the same numbers as a table, users, ranges, and every look. */
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OwnOverview, SiteOverview } from "../../contract/src/features/dashboard.ts";
import { fill, type Filled } from "../../tools/seed/fill.ts";
import { SCENARIOS } from "../../tools/seed/scenarios.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import {
  DESK,
  layoutShift,
  looksOf,
  logInOn,
  type Look,
  openContext,
  openPage,
  overflow,
  PHONE,
  seriousFindings,
  startBrowser,
  TIME_ZONE,
  WEB_DIRECTORY,
} from "../support/systems/browser.ts";
import { IS_LONG, LEAVES_TO_ALL } from "../support/soak/short-or-long.ts";
import { ROOT_PASSWORD, startTestServer, type TestServer } from "../support/systems/server.ts";

let server: TestServer;
let filled: Filled;
let browser: Browser;
/** The super administrator's window, in whose tabs tests open their pages. */
let desk: BrowserContext;

beforeAll(async () => {
  server = await startTestServer({ ALLOW_PRIVATE_UPSTREAMS: "1" }, { webDirectory: WEB_DIRECTORY });
  filled = await fill(server.app, SCENARIOS.demo, { username: "root", password: ROOT_PASSWORD }, "http://127.0.0.1:9");
  browser = await startBrowser();
  desk = await openContext(browser);
  const { page } = await openPage(desk);
  await logInOn(page, server.app.url, "root", ROOT_PASSWORD);
  await page.close();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

async function open(path: string, context = desk) {
  const watched = await openPage(context);
  await watched.page.goto(server.app.url + path);
  await watched.page.locator("dl").waitFor();
  await watched.settled();
  return watched;
}

/** The overview that the page itself asks for; an answer to what it asked before is none. */
async function asked<Data>(page: Page, act: () => Promise<unknown>): Promise<Data> {
  const [request] = await Promise.all([page.waitForRequest(/\/api\/data\/.*overview/), act()]);
  const response = await request.response();
  if (response === null) throw new Error(`${request.url()} was given up`);
  return ((await response.json()) as { data: Data }).data;
}

/** "<$0.01" is there, and adds nothing to a sum that is read. */
const dollars = (text: string): number => (text.startsWith("<") ? 0 : Number(text.replaceAll(/[$,]/g, "")));
const textsOf = (locator: Locator): Promise<string[]> => locator.allInnerTexts();

test("a bar read by keyboard has exact values that add up, and the table has the same; a model keeps its colour", async () => {
  const { page, complaints } = await open("/detail");
  const colorOf = () =>
    page
      .locator("li", { hasText: "gpt-4o-mini" })
      .first()
      .locator("span")
      .first()
      .evaluate((swatch) => getComputedStyle(swatch).backgroundColor);
  const color = await colorOf();
  const chart = page.getByRole("slider", { name: "Spend by model over time" });
  await chart.focus();
  await page.keyboard.press("Home");
  const [head = "", ...parts] = ((await chart.getAttribute("aria-valuetext")) ?? "").split("; ");
  const total = dollars(head.split(": ")[1] ?? "");
  const sum = parts.reduce((all, part) => all + dollars(part.split(" ").at(-1) ?? ""), 0);
  expect(total).toBeGreaterThan(0);
  expect(sum).toBeCloseTo(total, 8);
  await expect.poll(() => chart.getAttribute("aria-valuemax")).toBe("29");
  await page.getByRole("button", { name: "Show as a table" }).click();
  const rows = page.getByRole("region", { name: "Spend by model over time" }).locator("tbody tr");
  const first = rows.last().locator("td");
  // The table has one number of decimals for all its rows: cents, once a day costs a dollar.
  expect(Math.abs(dollars((await textsOf(first))[0] ?? "") - total)).toBeLessThan(0.005 + 1e-9);
  await expect.poll(() => rows.count()).toBe(30);
  await expect.poll(() => new URL(page.url()).searchParams.get("as")).toBe("table");
  // A model has one colour in chart, legend and lists, when the ranking changed too.
  await page.goto(`${server.app.url}/detail?username=ada&show=requests`);
  await page.locator("dl").waitFor();
  expect(await colorOf()).toBe(color);
  expect(complaints).toEqual([]);
  await page.close();
});

test("tiles, shares and lists say what the server counted", async () => {
  const { page } = await open("/detail?range=week");
  const data = await asked<SiteOverview>(page, () => page.getByRole("button", { name: "Refresh" }).click());
  const calls = new Intl.NumberFormat("en-US").format(data.totals.requests);
  await page.locator("dl").getByText(calls, { exact: true }).waitFor();
  const shares = await textsOf(page.locator("section", { hasText: "Share of spend" }).locator("li > :last-child"));
  const percents = shares.map((share) => (share.startsWith("<") ? 0 : Number.parseFloat(share)));
  expect(percents.reduce((all, percent) => all + percent, 0)).toBeCloseTo(100, 6);
  const people = await textsOf(page.getByRole("tabpanel").locator("li > :first-child"));
  expect(people).toEqual(data.users.map(({ name }) => name));
  await page.getByRole("tab", { name: "By channel" }).click();
  await expect
    .poll(() => textsOf(page.getByRole("tabpanel").locator("li > :first-child")))
    .toEqual(data.channels.map(({ name, payer_count: count }) => (name === "" ? `${count} others` : name)));
  await page.close();
});

test("a user is found by name and shown alone; the address holds it, and 'only me' leaves it", async () => {
  const { page } = await open("/detail");
  await page.getByRole("button", { name: "Search users" }).click();
  await page.getByRole("searchbox", { name: "Search users" }).fill("SEARCH-s");
  await expect.poll(() => textsOf(page.getByRole("tabpanel").locator("li > :first-child"))).toEqual(["search-service"]);
  const one = await asked<SiteOverview>(page, () => page.getByRole("button", { name: "search-service" }).click());
  expect(one.users.map(({ name }) => name)).toEqual(["search-service"]);
  await expect.poll(() => new URL(page.url()).searchParams.get("username")).toBe("search-service");
  const own = await asked<OwnOverview>(page, () => page.getByRole("radio", { name: "Only me" }).click());
  expect(own).not.toHaveProperty("users");
  await expect.poll(() => new URL(page.url()).searchParams.get("username")).toBeNull();
  await expect.poll(() => page.getByRole("tab").count()).toBe(0);
  await page.close();
});

testInAll("the range picker asks for whole days of this clock, and says what it refuses")(async () => {
  const { page } = await open("/detail");
  await page.getByRole("button", { name: "Time range: Last 30 days" }).click();
  const longAgo = new Date(Date.now() - 200 * 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel("First day").fill(longAgo);
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByText("Choose at most 93 days").waitFor();
  const week = await asked<SiteOverview>(page, () => page.getByRole("button", { name: "Last 7 days" }).click());
  expect([week.buckets.length, week.time_zone, week.granularity]).toEqual([7, TIME_ZONE, "day"]);
  const hours = await asked<SiteOverview>(page, () => page.getByRole("radio", { name: "Hour" }).click());
  expect(hours.granularity).toBe("hour");
  expect(hours.totals).toEqual(week.totals);
  await page.close();
});

testInAll("a person without calls is told how to make one, and sees nobody else's")(async () => {
  const marco = filled.people.find(({ username }) => username === "marco");
  const context = await openContext(browser);
  const { page, complaints, settled } = await openPage(context);
  await logInOn(page, server.app.url, "marco", marco?.password ?? "");
  await page.goto(server.app.url);
  await page.getByRole("link", { name: "Console", exact: true }).click();
  await page.getByRole("heading", { name: "Dashboard" }).waitFor();
  await settled();
  expect(await page.getByRole("radio", { name: "Everyone" }).count()).toBe(0);
  expect(await page.getByRole("tab").count()).toBe(0);
  await page.route("**/api/data/self/overview*", async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { data: OwnOverview };
    const nothing = { requests: 0, quota: 0, prompt_tokens: 0, completion_tokens: 0 };
    await route.fulfill({
      response,
      json: { ...body, data: { ...body.data, request_count: 0, totals: nothing, models: [] } },
    });
  });
  await page.reload();
  await page.getByRole("heading", { name: "Make the first call" }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

testInAll("a failed answer is said in place and asked again")(async () => {
  const { page } = await openPage(desk);
  await page.route("**/api/data/overview*", (route) =>
    route.fulfill({ status: 500, json: { success: false, message: "broken" } }),
  );
  await page.goto(`${server.app.url}/detail`);
  await page.getByRole("alert").getByText("The dashboard could not be loaded").waitFor();
  await page.unroute("**/api/data/overview*");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator("dl").waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  await page.close();
});

testInAll("the side bar has the dashboard while the site keeps its data")(async () => {
  const { page } = await open("/detail");
  const entry = page.getByRole("complementary").getByRole("link", { name: "Dashboard" });
  await expect.poll(() => entry.count()).toBe(1);
  await filled.client.call("PUT", "/api/option", { key: "DataExportEnabled", value: "false" });
  await page.goto(`${server.app.url}/token`);
  await page.getByRole("heading", { name: "Tokens" }).waitFor();
  await expect.poll(() => entry.count()).toBe(0);
  await filled.client.call("PUT", "/api/option", { key: "DataExportEnabled", value: "true" });
  await page.close();
});

const ALL_LOOKS: readonly Look[] = [DESK, PHONE].flatMap((size) =>
  (["light", "dark"] as const).flatMap((theme) =>
    (["en", "zh"] as const).map((language) => ({ size, theme, language })),
  ),
);

const PATHS = ["/detail", "/detail?as=table&show=tokens"];
const SEEN = IS_LONG ? ALL_LOOKS : looksOf("/detail");

/** The first path is among every page (pages.test.ts). */
test.each(LEAVES_TO_ALL ? [] : SEEN)("is clean at $size.width px, $theme, $language", async (look) => {
  const context = await openContext(browser, look, { storageState: await desk.storageState() });
  for (const path of PATHS) {
    const { page, complaints } = await open(path, context);
    expect(await layoutShift(page)).toBeLessThan(0.1);
    expect(await overflow(page)).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  }
  await context.close();
});
