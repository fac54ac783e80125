/** The pages of single things and of the whole, walked by keyboard alone: Tab reaches everything in its order, shown and marked; dialogs keep the focus and give it back. */
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { CALL_COLUMNS } from "../../server/src/db/call-hours.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { BLANK_LOG } from "../support/checks/log-rows.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { newTask } from "../support/databases/tasks.ts";
import { logInOn, openContext, openPage, PHONE, type WatchedPage } from "../support/systems/browser.ts";
import { ROUTES } from "../support/systems/every-page.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";

const HOUR_S = 3600;
const MODEL = "gpt-4o-mini";

let upstream: FakeUpstream;

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill({ server, root }) {
    upstream = await startFakeUpstream({ plan: { hasRealMedia: true } });
    const channel = { name: "team a", type: 1, key: "sk-upstream", base_url: upstream.url, group: "default" };
    await root.post("/api/channel/", { ...channel, models: `${MODEL},dall-e-3`, auto_ban: 0 });
    await root.post("/api/user/", { username: "ada", password: "a-good-one-7" });
    await root.post("/api/token/", { name: "laptop", unlimited_quota: true, expired_time: -1 });
    const options = { StatusPageEnabled: "true", MjForwardUrlEnabled: "false" };
    for (const [key, value] of Object.entries(options)) await root.put("/api/option/", { key, value });
    const { kysely } = server.app.foundation.database;
    const nowS = Math.floor(Date.now() / 1000);
    const nothing = Object.fromEntries(CALL_COLUMNS.map((column) => [column, 0])) as Record<string, number>;
    const figures = { model: MODEL, channel_id: 1, hour: Math.floor(nowS / HOUR_S) * HOUR_S, succeeded: 40 };
    const hour = { ...nothing, ...figures, first_token_09: 40, total_15: 40 };
    await kysely
      .insertInto("call_hours")
      .values(hour as never)
      .execute();
    const row = { ...BLANK_LOG, created_at: nowS - 60, user_id: 2, username: "ada", channel_id: 1 };
    await kysely
      .insertInto("logs")
      .values({ ...row, type: 5, model_name: MODEL, content: "No", request_id: "a" })
      .execute();
    const drawing = { prompt: "Hills", result_url: `${upstream.url}/media/grid-1.png`, model: "dall-e-3" };
    const times = { task_id: "made", channel_id: 1, submit_time_ms: Date.now() - 60_000 };
    await kysely
      .insertInto("tasks")
      .values({ ...newTask(1), ...drawing, ...times })
      .execute();
  },
});
afterAll(() => upstream?.close());

/** Each address, and what opens a dialog or a menu there. */
const PAGES: readonly (readonly [path: string, ...openers: string[]])[] = [
  [`/models/${MODEL}`],
  ["/channel/1"],
  ["/channel/1?tab=failures"],
  ["/channel/1?tab=history"],
  ["/channel/1?tab=edit"],
  ["/channel/health"],
  ["/status"],
  ["/user/2", "Change balance"],
  ["/user/2?tab=security"],
  ["/topup"],
  ["/topup/statement"],
  ["/studio"],
  ["/connect"],
  ["/personal/security", "Change", "Create access token"],
  ["/audit"],
  ["/system"],
  ["/prices", "Add price"],
  ["/prices?tab=changes"],
];

/** Runs in the page: notes what Tab has to reach, in its order, and how it looks without the focus; gives their names. */
function noteStops(): string[] {
  const selector = "a[href], button, input, select, textarea, summary, [tabindex], [contenteditable=true]";
  const isOff = (element: HTMLElement): boolean => element.matches(":disabled, [inert] *") || element.tabIndex < 0;
  // Of radio buttons with one name Tab reaches the one that is chosen.
  const isPassedOver = (element: HTMLElement): boolean =>
    element instanceof HTMLInputElement &&
    element.type === "radio" &&
    !element.checked &&
    document.querySelector(`input[type=radio][name="${element.name}"]:checked`) !== null;
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  const stops = [
    ...(document.querySelector("[role=dialog]") ?? document).querySelectorAll<HTMLElement>(selector),
  ].filter(
    (element) => element.checkVisibility({ visibilityProperty: true }) && !isOff(element) && !isPassedOver(element),
  );
  const looks = (element: HTMLElement): string =>
    [
      element,
      element.parentElement,
      element.parentElement?.parentElement,
      element.parentElement?.parentElement?.parentElement,
      element.nextElementSibling,
      element.previousElementSibling,
      ...element.children,
    ]
      .filter((each) => each !== null && each !== undefined)
      .map((each) => {
        const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, opacity } = getComputedStyle(each);
        return [outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, opacity].join(" ");
      })
      .join("|");
  const walk = { stops, looks, plain: stops.map(looks) };
  Object.assign(window, { walk });
  // Tab begins at the top, also where a page has chosen a field.
  stops[0]?.focus();
  const nameOf = (element: HTMLElement): string =>
    element.getAttribute("aria-label") ?? (element as HTMLInputElement).labels?.[0]?.textContent ?? element.textContent;
  return stops.map((element) => `${element.tagName.toLowerCase()} ${nameOf(element)}`.slice(0, 60));
}

interface Walk {
  stops: HTMLElement[];
  looks: (element: HTMLElement) => string;
  plain: string[];
}

/** Runs in the page: which stop has the focus, whether it can be seen, and whether it looks as if it had it; undefined outside of the page. */
async function stopInFocus(): Promise<{ at: number; isSeen: boolean; isMarked: boolean } | undefined> {
  const { walk } = window as unknown as { walk: Walk };
  const look = () => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement) || element === document.body) return undefined;
    const { top, left, bottom, right } = element.getBoundingClientRect();
    const isInView = bottom > 0 && right > 0 && top < window.innerHeight && left < window.innerWidth;
    const above = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    const isCovered = above?.closest("header, [data-foot-bar]")?.contains(element) === false;
    const at = walk.stops.indexOf(element);
    return { at, isSeen: isInView && !isCovered, isMarked: at >= 0 && walk.looks(element) !== walk.plain[at] };
  };
  let stop = look();
  const isWhole = (): boolean => stop === undefined || (stop.isSeen && (stop.isMarked || stop.at < 0));
  // What scrolls there, changes its colour over some frames or becomes an editor has not begun to in the first.
  for (let frame = 0; frame < 20 && !isWhole(); frame++) {
    await new Promise(requestAnimationFrame);
    stop = look();
  }
  return stop;
}

const STEPS_MAX = 400;
/** The way past the bars, which slides in once it has the focus. */
const SKIP = "a Skip to content";

/** What is wrong with the way of Tab through the page, from its top to its end. */
async function faultsOfWalk(page: Page): Promise<string[]> {
  const names = await page.evaluate(noteStops);
  const reached: number[] = [];
  const faults: string[] = [];
  for (let step = 0; step < STEPS_MAX; step++) {
    if (step > 0) await page.keyboard.press("Tab");
    const stop = await page.evaluate(stopInFocus);
    if (stop === undefined) break;
    if (stop.at >= 0 && reached.includes(stop.at)) break;
    const name = names[stop.at] ?? "something that came later";
    const isSkip = name === SKIP;
    if (!stop.isSeen && !isSkip) faults.push(`not in view: ${name}`);
    if (stop.at >= 0 && !stop.isMarked && !isSkip) faults.push(`not marked: ${name}`);
    if (stop.at >= 0 && stop.at < (reached.at(-1) ?? -1)) faults.push(`out of order: ${name}`);
    if (stop.at >= 0) reached.push(stop.at);
  }
  // A field of JSON becomes an editor when it is reached.
  const isThere = await page.evaluate(() =>
    (window as unknown as { walk: Walk }).walk.stops.map((each) => each.isConnected),
  );
  const missed = names.filter((_, index) => isThere[index] === true && !reached.includes(index));
  return [...faults, ...missed.map((name) => `not reached: ${name}`)];
}

/** What Shift+Tab reaches underneath a bar, from the end of the page to its top. */
async function coveredOnTheWayBack(page: Page): Promise<string[]> {
  const names = await page.evaluate(noteStops);
  await page.evaluate(() => (window as unknown as { walk: Walk }).walk.stops.at(-1)?.focus());
  const covered: string[] = [];
  for (let step = 0; step < names.length; step++) {
    const stop = await page.evaluate(stopInFocus);
    if (stop === undefined) break;
    if (!stop.isSeen) covered.push(names[stop.at] ?? "something that came later");
    await page.keyboard.press("Shift+Tab");
  }
  return covered.filter((name) => name !== SKIP);
}

const isFocusInside = (page: Page, selector: string): Promise<boolean> =>
  page.evaluate((inside) => document.activeElement?.closest(inside) !== null, selector);

/** What is wrong with a dialog that the button opens: its focus, its trap, its end. */
async function faultsOfDialog(page: Page, opener: string): Promise<string[]> {
  const button = page.getByRole("main").getByRole("button", { name: opener, exact: true }).first();
  const dialog = page.getByRole("dialog");
  await button.focus();
  await page.keyboard.press("Enter");
  await dialog.waitFor();
  await expect.poll(() => isFocusInside(page, "[role=dialog]"), { message: opener }).toBe(true);
  const faults: string[] = [];
  for (const key of [...Array.from({ length: 25 }, () => "Tab"), "Shift+Tab", "Shift+Tab"]) {
    await page.keyboard.press(key);
    if (!(await isFocusInside(page, "[role=dialog]"))) faults.push(`${opener}: ${key} leaves the dialog`);
  }
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await expect
    .poll(() => button.evaluate((element) => document.activeElement === element), { message: opener })
    .toBe(true);
  return faults;
}

async function openSettled({ page, settled }: WatchedPage, path: string): Promise<void> {
  await page.goto(site.server.app.url + path);
  await page.locator("main h1, main h2").first().waitFor();
  // Its drawer loads after the list behind it.
  if (/\/(add|edit\/)/.test(path)) await page.getByRole("dialog").waitFor();
  await settled();
}

test.each(PAGES)("%s is used by keyboard alone", async (path, ...openers) => {
  const { page } = site.tab;
  await openSettled(site.tab, path);
  const faults = await faultsOfWalk(page);
  for (const opener of openers) faults.push(...(await faultsOfDialog(page, opener)));
  expect(faults).toEqual([]);
});

/** Leads to the personal page, which has its own walk. */
const LEADS_ON = "/user/edit";
/** Every other page that an administrator opens. */
const OTHER_PAGES = ROUTES.filter(
  ({ viewers, visit }) => viewers.includes("admin") && visit !== LEADS_ON && !PAGES.some(([path]) => path === visit),
).map(({ visit }) => visit);

test.each(OTHER_PAGES)("Tab reaches everything on %s", async (path) => {
  await openSettled(site.tab, path);
  expect(await faultsOfWalk(site.tab.page)).toEqual([]);
});

test("after a link was followed, Tab goes on in the page that it opened", async () => {
  const { page } = site.tab;
  await openSettled(site.tab, "/user");
  await page.getByRole("main").getByRole("link", { name: "ada", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "ada" }).waitFor();
  await expect.poll(() => isFocusInside(page, "#content")).toBe(true);
  // The bar of the public pages is another one, without the link that was followed.
  await page.getByRole("banner").getByRole("link", { name: "Pricing" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/pricing");
  await expect.poll(() => isFocusInside(page, "#content")).toBe(true);
});

test("no bar lies over the field that takes the focus, in a window as narrow as a phone, forward and back", async () => {
  // A phone that is emulated scrolls a field that takes the focus by rules of its own.
  const context = await openContext(site.browser, { size: PHONE }, { isMobile: false, hasTouch: false });
  const tab = await openPage(context);
  await logInOn(tab.page, site.server.app.url, "root", ROOT_PASSWORD);
  for (const path of ["/channel/1?tab=edit", "/setting?tab=ratelimit"]) {
    await openSettled(tab, path);
    // A bar with the button that saves comes up.
    await tab.page.getByRole("main").getByRole("switch").first().press("Space");
    await tab.page.locator("[data-foot-bar]").waitFor();
    expect([path, await faultsOfWalk(tab.page), await coveredOnTheWayBack(tab.page)]).toEqual([path, [], []]);
  }
  await context.close();
});
