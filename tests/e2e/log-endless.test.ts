/** The endless list of the log in a real browser: every entry once, few of them drawn, keyboard support, and Back returns to the place. */
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { rootSite } from "../support/checks/root-site.ts";
import { BLANK_LOG } from "../support/checks/log-rows.ts";
import { openContext, PHONE } from "../support/systems/browser.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

const ENTRIES = 420;
/** Of blocks of 50 rows only those near the view are drawn. */
const DRAWN_MAX = 250;

const modelOf = (index: number): string => `model-${String(index).padStart(3, "0")}`;

const site = rootSite({
  async fill({ server }) {
    const { kysely } = server.app.foundation.database;
    const now = Math.floor(Date.now() / 1000);
    const rows = Array.from({ length: ENTRIES }, (_, index) => ({
      ...BLANK_LOG,
      // Seven entries to a second: a block ends within one.
      created_at: now - 60 - Math.floor(index / 7),
      type: 2,
      user_id: 1,
      username: "root",
      model_name: modelOf(index),
      request_id: `endless-${index}`,
    }));
    // Ids rise as time goes by.
    await kysely.insertInto("logs").values(rows.toReversed()).execute();
  },
});

async function openLog(options = {}, prepare?: (page: Page) => Promise<unknown>) {
  const context = await openContext(site.browser, options, { storageState: await site.context.storageState() });
  const page = await context.newPage();
  await prepare?.(page);
  await page.goto(`${site.server.app.url}/log?range=day`);
  await page.getByText(`${ENTRIES} entries`, { exact: true }).waitFor();
  return { page, context };
}

const drawn = (page: Page): Locator => page.locator("[data-row-key]");
const row = (page: Page, index: number): Locator => drawn(page).filter({ hasText: modelOf(index) });

/** Scrolls step by step, down or back up, until the entry stands in the middle; gives how many were drawn at once on the way. */
async function scrollTo(page: Page, index: number): Promise<number> {
  let most = 0;
  const step = (name: string): boolean => {
    const rows = [...document.querySelectorAll("[data-row-key]")];
    const nameOf = (each: Element | undefined) => /model-\d{3}/.exec(each?.textContent ?? "")?.[0] ?? "";
    const found = rows.find((each) => nameOf(each) === name);
    if (found === undefined && nameOf(rows[0]) > name) rows[0]?.scrollIntoView({ block: "start" });
    else (found ?? rows.at(-1))?.scrollIntoView({ block: found === undefined ? "end" : "center" });
    return found !== undefined;
  };
  await expect
    .poll(
      async () => {
        most = Math.max(most, await drawn(page).count());
        return page.evaluate(step, modelOf(index));
      },
      // Up to eight blocks are loaded one after the other.
      { timeout: 60_000 },
    )
    .toBe(true);
  await row(page, index).waitFor();
  return most;
}

test("scrolling reaches the last entry, each comes once, and the page does not grow", async () => {
  const { page, context } = await openLog();
  const seen = new Set<string>();
  const ids: number[] = [];
  page.on("response", async (response) => {
    if (!/\/api\/log\/?\?.*page_size=50/.test(response.url())) return;
    const { data } = (await response.json()) as { data: { items: { id: number; model_name: string }[] } };
    for (const item of data.items) {
      seen.add(item.model_name);
      ids.push(item.id);
    }
  });
  await page.reload();
  await drawn(page).first().waitFor();
  expect(await scrollTo(page, ENTRIES - 1)).toBeLessThanOrEqual(DRAWN_MAX);
  await expect.poll(() => drawn(page).count()).toBeLessThanOrEqual(DRAWN_MAX);
  await expect.poll(() => seen.size).toBe(ENTRIES);
  expect(ids).toHaveLength(ENTRIES);
  await context.close();
});

testInAll("j and k go on across blocks, and the row in focus stays when it is scrolled out of view")(async () => {
  // At the end of what is there the presses wait for the next block, however late it comes.
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const { page, context } = await openLog({}, (opened) =>
    opened.route(/\/api\/log\/?\?(?:.*&)?after=/, async (route) => {
      await held;
      await route.continue();
    }),
  );
  await page.keyboard.press("j");
  await row(page, 0).and(page.locator(":focus")).waitFor();
  const isFocused = async (index: number) => (await row(page, index).and(page.locator(":focus")).count()) === 1;
  const last = (await drawn(page).count()) - 1;
  await row(page, last).focus();
  for (const key of ["j", "j", "j", "k"]) await page.keyboard.press(key);
  expect(await isFocused(last)).toBe(true);
  release();
  await expect.poll(() => isFocused(last + 2)).toBe(true);
  // The end of the second block: its rows are there, or are waited for.
  await scrollTo(page, 97);
  await row(page, 97).focus();
  for (let index = 98; index <= 105; index += 1) await page.keyboard.press("j");
  await expect.poll(() => isFocused(105)).toBe(true);
  await scrollTo(page, 300);
  await page.keyboard.press("k");
  await row(page, 104).and(page.locator(":focus")).waitFor();
  await context.close();
});

testInAll("Back returns to the place in the list, without asking for the list again")(async () => {
  const { page, context } = await openLog();
  await scrollTo(page, 260);
  const before = (await row(page, 260).boundingBox())?.y ?? 0;
  await page.getByRole("link", { name: "Tokens", exact: true }).first().click();
  await page.getByRole("heading", { name: "Tokens" }).waitFor();
  const asked: string[] = [];
  page.on("request", (request) => {
    if (/\/api\/log\/?\?.*page_size=50/.test(request.url())) asked.push(request.url());
  });
  await page.goBack();
  await row(page, 260).waitFor();
  await expect.poll(async () => Math.abs(((await row(page, 260).boundingBox())?.y ?? 0) - before)).toBeLessThan(40);
  expect(asked).toEqual([]);
  await context.close();
});

testInAll("a block that cannot be loaded is said at its place, and comes when asked again")(async () => {
  const { page, context } = await openLog();
  await page.route(/\/api\/log\/?\?.*after=/, (route) => route.fulfill({ status: 500, body: "{}" }));
  await page.evaluate(() => document.querySelector("tbody:last-of-type")?.scrollIntoView());
  const failed = page.getByText("The next rows could not be loaded.");
  await failed.waitFor();
  await page.unroute(/\/api\/log\/?\?.*after=/);
  await page.getByRole("button", { name: "Try again" }).click();
  await failed.waitFor({ state: "detached" });
  await scrollTo(page, 70);
  await context.close();
});

testInAll("the cards of a phone go on by scrolling too")(async () => {
  const { page, context } = await openLog({ size: PHONE });
  expect(await scrollTo(page, 170)).toBeLessThanOrEqual(DRAWN_MAX);
  await context.close();
});
