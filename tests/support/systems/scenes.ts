/** Shows scenes of web/scenes in a real browser, for tests of single components: keyboard, focus and looks, without a server. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import { type Look, openContext, openPage, startBrowser } from "./browser.ts";

export interface Stage {
  page: Page;
  /** What went wrong in the page; the test fails for what is left of it. Take out what is meant: `complaints.splice(0)`. */
  complaints: string[];
}

/** What a call of the console is answered with. Without a status: 200 and `success: true`. */
export interface StagedAnswer {
  status?: number;
  headers?: Record<string, string>;
  body: object;
}

/** For what changes a whole window, such as its clock: the scene has a window that no other test has. */
export const OWN_WINDOW: BrowserContextOptions = {};

/** Shows a scene in a fresh tab. `prepare` runs before the page is opened: for routes and clocks. With `options` it has a window of its own. */
export type Show = (
  scene: string,
  look?: Partial<Look>,
  prepare?: (page: Page) => Promise<unknown>,
  options?: BrowserContextOptions,
) => Promise<Stage>;

/** The window as it was opened: nothing stored, and the network there. */
async function reset(window: BrowserContext): Promise<void> {
  await window.setOffline(false);
  await window.setStorageState({ cookies: [], origins: [] });
}

/**
 * One browser for the file, in it one window for each look, which keeps what it has loaded, and in that one tab a test; storage is empty at
 * the start of each. Call it at the top of a test file of tests/parts.
 * @example const show = scenes();
 *          test("…", async () => { const { page } = await show("toasts/Toasts"); … });
 */
export function scenes(): Show {
  let browser: Browser | undefined;
  const windows = new Map<string, BrowserContext>();
  const own: BrowserContext[] = [];
  const open: Stage[] = [];
  beforeAll(async () => {
    browser = await startBrowser();
  });
  const newWindow = (look: Partial<Look> | undefined, options: BrowserContextOptions | undefined) => {
    if (browser === undefined) throw new Error("The browser has not started");
    return openContext(browser, look, { ...options, baseURL: inject("scenesUrl") });
  };
  const ownWindow = async (look: Partial<Look> | undefined, options: BrowserContextOptions) => {
    const window = await newWindow(look, options);
    own.push(window);
    return window;
  };
  const windowOf = async (look: Partial<Look> = {}) => {
    const key = JSON.stringify(look);
    const window = windows.get(key) ?? (await newWindow(look, {}));
    windows.set(key, window);
    return window;
  };
  afterEach(async () => {
    const ended = open.splice(0);
    await Promise.all(ended.map(({ page }) => page.close()));
    await Promise.all(own.splice(0).map((window) => window.close()));
    await Promise.all([...windows.values()].map(reset));
    expect(ended.flatMap(({ complaints }) => complaints)).toEqual([]);
  });
  afterAll(() => browser?.close());
  return async (scene, look, prepare, options) => {
    const window = options === undefined ? await windowOf(look) : await ownWindow(look, options);
    const { page, complaints } = await openPage(window);
    open.push({ page, complaints });
    await prepare?.(page);
    await page.goto(`/${scene}`);
    await page.locator("#root > :not(style)").first().waitFor();
    return { page, complaints };
  };
}

/** Answers the calls to one path of the console, in order; the last answer stands for all further ones. @returns how often it was called */
export async function answerCalls(page: Page, path: string, ...answers: StagedAnswer[]): Promise<() => number> {
  let count = 0;
  await page.route(
    (url) => url.pathname === path,
    (route) => {
      const { status = 200, headers = {}, body } = answers[Math.min(count, answers.length - 1)] ?? { body: {} };
      count += 1;
      return route.fulfill({ status, headers, json: { success: status < 400, message: "", ...body } });
    },
  );
  return () => count;
}

/** What has the focus, as the accessibility tree names it: "button Save". */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return "nothing";
    const label = (element as HTMLInputElement).labels?.[0]?.textContent;
    const labelledBy = element.getAttribute("aria-labelledby");
    const named = labelledBy === null ? undefined : document.getElementById(labelledBy)?.textContent;
    const name = element.getAttribute("aria-label") ?? named ?? label ?? element.textContent ?? "";
    return `${element.getAttribute("role") ?? element.tagName.toLowerCase()} ${name.trim()}`;
  });
