/** The page of a model in a real browser: from the sorted list to the page, to models side by side, to the playground; what a user, an administrator and a visitor see. */
import { afterAll, expect, onTestFinished, test } from "vitest";
import type { Page } from "playwright-core";
import { CALL_COLUMNS } from "../../server/src/db/call-hours.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { BLANK_LOG } from "../support/checks/log-rows.ts";
import { rootSite } from "../support/checks/root-site.ts";
import {
  clipboardOf,
  findingsOfAnotherLook,
  layoutShift,
  logInOn,
  openContext,
  openPage,
  overflow,
  PHONE,
  seriousFindings,
} from "../support/systems/browser.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import { newPassword } from "../../tools/seed/fill.ts";

const OPTIONS = {
  ModelRatio: JSON.stringify({ "gpt-cheap": 0.5, "gpt-dear": 5, "vendor/small": 1 }),
  CompletionRatio: JSON.stringify({ "gpt-cheap": 4, "gpt-dear": 4, "vendor/small": 3 }),
  ModelPrice: JSON.stringify({ "paint-by-call": 0.04 }),
  GroupRatio: JSON.stringify({ default: 1, vip: 0.8 }),
  UserUsableGroups: JSON.stringify({ default: "Everyone", vip: "Team members" }),
  ModelRetirementDates: JSON.stringify({ "gpt-dear": "2031-12-31" }),
};
const HOUR = 3600;
/** The newest calls of a model, as rows of the log: whose, of how many prompt tokens how many were cached, and by which program. */
const CALLED = [
  { username: "ada", prompt: 1_000, cached: 810, client: "claude-code" },
  { username: "ada", prompt: 500, cached: 200, client: "codex" },
  { username: "ada", prompt: 100, cached: 5 },
  { username: "root", prompt: 400, cached: 0 },
] as const;
const PASSWORD = newPassword();

let upstream: FakeUpstream;

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill({ root, server }) {
    upstream = await startFakeUpstream({ plan: { usage: { prompt_tokens: 9, completion_tokens: 3 } } });
    for (const [key, value] of Object.entries(OPTIONS)) await root.put("/api/option", { key, value });
    const channel = { type: 1, key: "sk-upstream-0123456789", base_url: upstream.url, name: "team a" };
    const models = "gpt-cheap,gpt-dear,vendor/small,paint-by-call,unpriced-model";
    const made = await root.post("/api/channel", { ...channel, models, groups: ["default", "vip"] });
    const [channelId = 0] = made.body.data as number[];
    await root.post("/api/user", { username: "ada", password: PASSWORD, display_name: "Ada" });
    const nothing = Object.fromEntries(CALL_COLUMNS.map((column) => [column, 0])) as Record<string, number>;
    const hour = Math.floor(Date.now() / 1000 / HOUR) * HOUR;
    const rows = [
      { model: "gpt-cheap", hour, succeeded: 97_001, failed_upstream: 3_000, first_token_09: 97_001, total_15: 97_001 },
      { model: "gpt-dear", hour, succeeded: 10, first_token_05: 10, total_12: 10 },
    ];
    for (const row of rows)
      await server.app.foundation.database.kysely
        .insertInto("call_hours")
        .values({ ...nothing, ...row, channel_id: channelId } as never)
        .execute();
    const { kysely } = server.app.foundation.database;
    for (const { username, prompt, cached, ...program } of CALLED) {
      const { id } = await kysely
        .selectFrom("users")
        .select("id")
        .where("username", "=", username)
        .executeTakeFirstOrThrow();
      const other = JSON.stringify({ ...program, usage: { cacheReadTokens: cached } });
      const row = { ...BLANK_LOG, type: 2, user_id: id, model_name: "gpt-cheap", prompt_tokens: prompt, other };
      await kysely
        .insertInto("logs")
        .values({ ...row, created_at: hour })
        .execute();
    }
  },
});
afterAll(() => upstream?.close());

const names = (on = site.page) => on.locator("tbody tr .tp-name").allTextContents();
const open = async (path: string, on: Page = site.page): Promise<void> => {
  await on.goto(`${site.server.app.url}${path}`);
  await on.locator("main h1").waitFor();
};

test("from the list sorted by price to a model, to two side by side, to the playground", async () => {
  const { page } = site;
  await open("/pricing");
  await page.getByRole("columnheader", { name: "Input", exact: true }).getByRole("button").click();
  await expect
    .poll(() => names())
    .toEqual(["gpt-dear", "vendor/small", "gpt-cheap", "paint-by-call", "unpriced-model"]);
  await page.getByRole("columnheader", { name: "Input", exact: true }).getByRole("button").click();
  await expect
    .poll(() => names())
    .toEqual(["gpt-cheap", "vendor/small", "gpt-dear", "paint-by-call", "unpriced-model"]);
  await page
    .getByRole("button", { name: "Sort", exact: true })
    .or(page.getByRole("button", { name: /^Sort / }))
    .click();
  await page.getByRole("menuitem", { name: "First token, fastest" }).click();
  await expect
    .poll(() => names())
    .toEqual(["gpt-dear", "gpt-cheap", "vendor/small", "paint-by-call", "unpriced-model"]);
  await page.getByRole("link", { name: "Page of gpt-cheap" }).click();
  await page.waitForURL(/\/models\/gpt-cheap/);
  await page.getByText("97.0%", { exact: true }).waitFor();
  await site.tab.settled();
  expect(await findingsOfAnotherLook(page)).toEqual([]);
  await page.getByRole("link", { name: "Compare", exact: true }).click();
  await page.waitForURL(/\/models\/compare\?.*models=gpt-cheap/);
  await page.getByRole("button", { name: /Add a model/ }).click();
  await page.getByRole("option", { name: "gpt-dear" }).click();
  const line = (name: string) => page.getByRole("row", { name: new RegExp(`^${name}`) }).getByRole("cell");
  await expect.poll(() => line("Input").allTextContents()).toEqual(["$1.00 (best)", "$10.00"]);
  expect(new URL(page.url()).searchParams.get("models")).toBe("gpt-cheap,gpt-dear");
  expect(await findingsOfAnotherLook(page)).toEqual([]);
  await page.getByRole("button", { name: "Remove gpt-cheap from the comparison" }).click();
  await page.getByRole("button", { name: "Remove gpt-cheap from the comparison" }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Try", exact: true }).click();
  await page.waitForURL(/\/playground\?id=\w+$/);
  await page.getByRole("textbox", { name: "Message" }).waitFor();
  expect(site.tab.complaints).toEqual([]);
});

testInAll("selected models are compared from the list, at most four; the filter keeps what the shown group can call")(
  async () => {
    const { page } = site;
    await open("/pricing");
    const compare = page.getByRole("button", { name: "Compare", exact: true });
    await expect.poll(() => compare.isDisabled()).toBe(true);
    for (const name of ["gpt-cheap", "paint-by-call"])
      await page.locator("tbody tr").filter({ hasText: name }).getByRole("checkbox").check();
    await page.getByRole("link", { name: "Compare 2" }).click();
    await page.getByRole("row", { name: /^Per request/ }).waitFor();
    await open("/pricing?usable=1&sort=-output");
    await expect.poll(() => names()).toEqual(["gpt-dear", "vendor/small", "gpt-cheap", "paint-by-call"]);
  },
);

test("the page has prices of every group, shows those of another at a press, code in every dialect, and the channels for an administrator", async () => {
  const { page } = site;
  await open("/models/vendor%2Fsmall?group=vip");
  await page.getByRole("row", { name: /^Output/ }).waitFor();
  await expect.poll(() => page.getByRole("row", { name: /^Input 1 / }).textContent()).toContain("$1.60");
  await page.getByRole("radio", { name: "default" }).click();
  await expect.poll(() => page.getByRole("row", { name: /^Input 1 / }).textContent()).toContain("$2.00");
  for (const row of ["default 1× $2.00 $6.00", "vip 0.8× $1.60 $4.80"])
    await page.getByRole("row", { name: row }).waitFor();
  await page.getByRole("link", { name: "team a" }).waitFor();
  for (const dialect of ["Anthropic Python", "Google Gen AI Python", "Node.js", "curl"]) {
    await page.getByRole("navigation", { name: "Code" }).getByRole("button", { name: dialect, exact: true }).click();
    await page.locator("pre", { hasText: "vendor/small" }).first().waitFor();
  }
  await page.getByRole("button", { name: "Copy", exact: true }).first().click();
  await expect.poll(() => clipboardOf(page)).toContain('"model": "vendor/small"');
  await page.getByText("No streamed or finished calls in this time.").waitFor();
  await open("/models/paint-by-call");
  await expect.poll(() => page.locator("main").textContent()).toContain("$0.040 per request");
  await open("/models/no-such-model");
  await page.getByRole("heading", { name: "This model is not offered" }).waitFor();
  await site.tab.settled();
  expect(site.tab.complaints).toEqual([]);
});

test("a user sees shares and their own spend, no channels and no counts of others", async () => {
  const context = await openContext(site.browser, { theme: "dark", language: "en" });
  const { page, settled, complaints } = await openPage(context);
  await logInOn(page, site.server.app.url, "ada", PASSWORD);
  const answer = page.waitForResponse((response) => response.url().includes("/api/pricing/model"));
  await open("/models/gpt-cheap", page);
  const text = await (await answer).text();
  await page.getByText("97.0%", { exact: true }).waitFor();
  await settled();
  await page.getByRole("img", { name: /^Availability by day, 90 days: .+: 97\.0%$/ }).waitFor();
  const main = (await page.locator("main").textContent()) ?? "";
  expect(main).toContain("Your spend on it");
  for (const secret of ["team a", "Served by"]) expect(main).not.toContain(secret);
  for (const secret of ["team a", ":97001", ":3000", ":100001"]) expect(text).not.toContain(secret);
  expect(complaints).toEqual([]);
  await context.close();
});

const cacheCard = (on: Page) => on.getByRole("region", { name: "From the cache" });

test("the share of cached tokens stands there by program: of a user's own calls, of everybody's for an administrator", async () => {
  const context = await openContext(site.browser, { size: PHONE });
  const { page, settled } = await openPage(context);
  await logInOn(page, site.server.app.url, "ada", PASSWORD);
  await open("/models/gpt-cheap", page);
  const rows = cacheCard(page).getByRole("listitem");
  await expect.poll(() => rows.allInnerTexts()).toHaveLength(3);
  const own = (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "));
  expect(own).toEqual([
    "Claude Code 1 call · 810 of 1,000 tokens 81%",
    "Codex 1 call · 200 of 500 tokens 40%",
    "Other 1 call · 5 of 100 tokens 5%",
  ]);
  expect(await cacheCard(page).innerText()).toContain("63%");
  await settled();
  expect(await overflow(page)).toBe(0);
  expect(await seriousFindings(page)).toEqual([]);
  await open("/models/gpt-dear", page);
  await cacheCard(page)
    .getByText(/No answered calls since/)
    .waitFor();
  await context.close();
  await open("/models/gpt-cheap");
  await cacheCard(site.page).getByText("Other").waitFor();
  expect(await cacheCard(site.page).innerText()).toMatch(/4 calls of everyone[^]*51%/);
});

testInAll("without the log the rest of a model's page stands")(async () => {
  const context = await openContext(site.browser, {}, { storageState: await site.context.storageState() });
  const { page } = await openPage(context);
  await page.route("**/api/pricing/cache?*", (route) => route.fulfill({ status: 500, body: "{}" }));
  await open("/models/gpt-cheap", page);
  await page.getByText("The cached tokens could not be loaded").waitFor();
  await page.getByText("97.0%", { exact: true }).waitFor();
  await page.unroute("**/api/pricing/cache?*");
  await page.getByRole("button", { name: "Try again" }).click();
  await cacheCard(page).getByText("51%").waitFor();
  await context.close();
});

test("a visitor sees prices and code; where prices are for users alone, the login", async () => {
  const context = await openContext(site.browser);
  const { page, settled } = await openPage(context);
  await open("/models/gpt-cheap", page);
  await page.getByText("Log in to see how the model answers and what you spent on it.").waitFor();
  await settled();
  expect(await page.getByRole("link", { name: "Try", exact: true }).count()).toBe(0);
  expect(await seriousFindings(page)).toEqual([]);
  await context.close();
  const value = '{"pricing":{"enabled":true,"requireAuth":true}}';
  await site.root.put("/api/option", { key: "HeaderNavModules", value });
  onTestFinished(async () => {
    await site.root.put("/api/option", { key: "HeaderNavModules", value: "{}" });
  });
  // The first page of a browser, which remembers no earlier status.
  for (const path of ["/models/gpt-cheap", "/models/compare?models=gpt-cheap"]) {
    const other = await openContext(site.browser);
    const { page: outside } = await openPage(other);
    await outside.goto(`${site.server.app.url}${path}`);
    await outside.waitForURL(/\/login\?next=/);
    await other.close();
  }
});

testInAll("a model and a comparison fit a phone, and stand still while they load")(async () => {
  const context = await openContext(site.browser, { size: PHONE, theme: "dark", language: "zh" });
  const { page, settled } = await openPage(context);
  await logInOn(page, site.server.app.url, "ada", PASSWORD);
  for (const path of ["/models/gpt-cheap", "/models/compare?models=gpt-cheap,gpt-dear,paint-by-call,vendor/small"]) {
    await open(path, page);
    await settled();
    expect(await overflow(page)).toBe(0);
    expect(await layoutShift(page)).toBeLessThanOrEqual(0.1);
    expect(await seriousFindings(page)).toEqual([]);
  }
  await context.close();
});

test("on a phone nothing of a model's page moves when the model comes late", async () => {
  const context = await openContext(site.browser, { size: PHONE }, { storageState: await site.context.storageState() });
  const { page, settled } = await openPage(context);
  const gate = Promise.withResolvers<void>();
  await page.route(/\/api\/pricing(\?|$)/, async (route) => {
    await gate.promise;
    await route.continue();
  });
  await open("/models/gpt-cheap", page);
  await page.locator("[data-is-ghost]").first().waitFor();
  await page.evaluate(() => document.fonts.ready);
  gate.resolve();
  await page.getByRole("heading", { name: "Prices", exact: true }).waitFor();
  await settled();
  expect(await layoutShift(page)).toBeLessThan(0.01);
  await context.close();
});

testInAll("what could not be loaded is said, and asked for again")(async () => {
  const context = await openContext(site.browser, {}, { storageState: await site.context.storageState() });
  const { page } = await openPage(context);
  await page.route("**/api/pricing/model?*", (route) => route.fulfill({ status: 500, body: "{}" }));
  await open("/models/gpt-cheap", page);
  await page.getByText("The figures of this model could not be loaded").waitFor();
  await page.unroute("**/api/pricing/model?*");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("97.0%", { exact: true }).waitFor();
  await context.close();
});

testInAll("a model that is taken off says when, in the list and on its page, and the others say nothing")(async () => {
  const { page } = site;
  await open("/pricing");
  const row = (model: string) => page.locator("tbody tr", { hasText: model });
  await row("gpt-dear").getByText("Retires 2031-12-31").waitFor();
  expect(await row("gpt-cheap").getByText("Retires").count()).toBe(0);
  await open("/models/gpt-dear");
  await page.getByText("Retires 2031-12-31").waitFor();
  await page.getByText("Retires on", { exact: true }).waitFor();
  expect(await overflow(page)).toBe(0);
});
