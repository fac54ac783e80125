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

/** Shows a scene in a fresh window. `prepare` runs before the page is opened: for routes and clocks. */
export type Show = (
  scene: string,
  look?: Partial<Look>,
  prepare?: (page: Page) => Promise<unknown>,
  options?: BrowserContextOptions,
) => Promise<Stage>;

/**
 * One browser for the file and one window a test, closed after it. Call it at the top of a test file of tests/parts.
 * @example const show = scenes();
 *          test("…", async () => { const { page } = await show("toasts/Toasts"); … });
 */
export function scenes(): Show {
  let browser: Browser | undefined;
  const open: { context: BrowserContext; complaints: string[] }[] = [];
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterEach(async () => {
    const ended = open.splice(0);
    await Promise.all(ended.map(({ context }) => context.close()));
    expect(ended.flatMap(({ complaints }) => complaints)).toEqual([]);
  });
  afterAll(() => browser?.close());
  return async (scene, look, prepare, options) => {
    if (browser === undefined) throw new Error("The browser has not started");
    const context = await openContext(browser, look, { ...options, baseURL: inject("scenesUrl") });
    const { page, complaints } = await openPage(context);
    open.push({ context, complaints });
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
