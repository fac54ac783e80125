/** The pages of single things and of the whole, walked by keyboard alone: Tab reaches everything in its order, shown and marked; dialogs keep the focus and give it back. */
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { CALL_COLUMNS } from "../../server/src/db/call-hours.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { BLANK_LOG } from "../support/checks/log-rows.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { newTask } from "../support/databases/tasks.ts";

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
  const stops = [...document.querySelectorAll<HTMLElement>(selector)].filter(
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
  return stops.map((element) =>
    `${element.tagName.toLowerCase()} ${element.getAttribute("aria-label") ?? element.textContent ?? ""}`.slice(0, 60),
  );
}

interface Walk {
  stops: HTMLElement[];
  looks: (element: HTMLElement) => string;
  plain: string[];
}

/** Runs in the page: which stop has the focus, whether it can be seen, and whether it looks as if it had it; undefined outside of the page. */
function stopInFocus(): { at: number; isSeen: boolean; isMarked: boolean } | undefined {
  const { walk } = window as unknown as { walk: Walk };
  const element = document.activeElement;
  if (!(element instanceof HTMLElement) || element === document.body) return undefined;
  const { top, left, bottom, right } = element.getBoundingClientRect();
  const isSeen = bottom > 0 && right > 0 && top < window.innerHeight && left < window.innerWidth;
  const at = walk.stops.indexOf(element);
  return { at, isSeen, isMarked: at >= 0 && walk.looks(element) !== walk.plain[at] };
}

const STEPS_MAX = 400;

/** What is wrong with the way of Tab through the page, from its top to its end. */
async function faultsOfWalk(page: Page): Promise<string[]> {
  const names = await page.evaluate(noteStops);
  const reached: number[] = [];
  const faults: string[] = [];
  for (let step = 0; step < STEPS_MAX; step++) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(stopInFocus);
    if (stop === undefined) break;
    if (stop.at >= 0 && reached.includes(stop.at)) break;
    const name = names[stop.at] ?? "something that came later";
    // The way past the bars slides in once it has the focus.
    const isSkip = name === "a Skip to content";
    if (!stop.isSeen && !isSkip) faults.push(`not in view: ${name}`);
    if (stop.at >= 0 && !stop.isMarked && !isSkip) faults.push(`not marked: ${name}`);
    if (stop.at >= 0 && stop.at < (reached.at(-1) ?? -1)) faults.push(`out of order: ${name}`);
    if (stop.at >= 0) reached.push(stop.at);
  }
  const missed = names.filter((_, index) => !reached.includes(index));
  return [...faults, ...missed.map((name) => `not reached: ${name}`)];
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

test.each(PAGES)("%s is used by keyboard alone", async (path, ...openers) => {
  const { page, settled } = site.tab;
  await page.goto(site.server.app.url + path);
  await page.locator("main h1, main h2").first().waitFor();
  await settled();
  const faults = await faultsOfWalk(page);
  for (const opener of openers) faults.push(...(await faultsOfDialog(page, opener)));
  expect(faults).toEqual([]);
});
