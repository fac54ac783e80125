/** A real browser for tests: one for a worker, pages that report their errors, and the checks of a page in every look. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { NodeResult, Result } from "axe-core";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Frame,
  type Page,
} from "playwright-core";
import { STORAGE } from "../../../web/src/lib/storage.ts";
import { PROGRAM } from "../../../server/src/composition/program.ts";
import { findChromium } from "../../../tools/setup/capabilities.ts";
import { IS_LONG, IS_SHORT, oneInShort } from "../soak/short-or-long.ts";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
/**
 * For tests, which see each page for a second or two: what the optimizing compilers make of its scripts is thrown away before it is
 * used, and they take a quarter of the processor's time of a page; the plain one compiles at once. For the same reason nothing is collected
 * because a page was left, compiled functions stay, and a page is drawn in larger tiles. Windows of one context share a process, and the scripts
 * in it. A benchmark and the gallery have the browser as users have it.
 */
const FLAGS_OF_TESTS = [
  "--js-flags=--no-turbofan,--no-maglev,--always-sparkplug,--single-threaded-gc,--min-semi-space-size=16,--no-memory-reducer,--no-flush-bytecode",
  "--process-per-site",
  "--disable-lcd-text",
  "--num-raster-threads=1",
  "--default-tile-width=1024",
  "--default-tile-height=1024",
];
const WAIT_MS = 15_000;
/** A browser that was just installed reads every font before it answers. */
const START_MS = 90_000;

/** The built console; another build of it where TEST_WEB_DIRECTORY names one. */
export const WEB_DIRECTORY = process.env["TEST_WEB_DIRECTORY"] ?? PROGRAM.webDirectory;

export const DESK = { width: 1440, height: 900 } as const;
export const PHONE = { width: 390, height: 844 } as const;

export type Theme = "light" | "dark";
export type Language = "en" | "zh";

async function launch(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error("This test needs Chromium");
  const args = process.env["VITEST"] === undefined ? FLAGS : [...FLAGS, ...FLAGS_OF_TESTS];
  return chromium.launch({ executablePath, args, timeout: START_MS });
}

/** The one of this worker; it ends with it. */
let running: Promise<Browser> | undefined;

/**
 * Debian's Chromium, or the one TEST_CHROMIUM names: the worker's, which the first file that asks starts and the next ones have as well.
 * Windows share nothing but the process. `close` closes what was opened by this object. Throws where there is no Chromium.
 */
export async function startBrowser(): Promise<Browser> {
  const started = await running?.catch(() => undefined);
  if (started?.isConnected() !== true) running = launch();
  const browser = await (running as Promise<Browser>);
  const contexts = new Set<BrowserContext>();
  const newContext: Browser["newContext"] = async (options) => {
    const context = await browser.newContext(options);
    contexts.add(context);
    context.once("close", () => contexts.delete(context));
    return context;
  };
  const close = async () => void (await Promise.all([...contexts].map((context) => context.close())));
  const own: Partial<Browser> = { newContext, close };
  return new Proxy(browser, {
    get: (target, name) => Reflect.get(name in own ? own : target, name) as unknown,
  });
}

/** Ends the worker's browser, for programs that are no worker and would wait for it. */
export async function endBrowser(): Promise<void> {
  await (await running)?.close();
}

export interface Look {
  size: typeof DESK | typeof PHONE;
  theme: Theme;
  language: Language;
}

/** A time zone in which it is about noon now, so that no day of the browser ends while a test runs. */
function noonZone(): string {
  // Never 0: browsers have another name for that one.
  const hoursAhead = 12 - new Date().getUTCHours() || 1;
  // These names count from there to Greenwich, not from Greenwich to there.
  return hoursAhead > 0 ? `Etc/GMT-${hoursAhead}` : `Etc/GMT+${-hoursAhead}`;
}

/** Where browsers are, for tests of days. */
export const TIME_ZONE = noonZone();

/** Four looks in which any two of width, theme and language meet in each of their values; but for the long form two have each value once. */
const ALL_LOOKS: readonly Look[] = [
  { size: DESK, theme: "light", language: "en" },
  { size: PHONE, theme: "dark", language: "zh" },
  { size: DESK, theme: "dark", language: "zh" },
  { size: PHONE, theme: "light", language: "en" },
];
export const LOOKS = IS_LONG ? ALL_LOOKS : ALL_LOOKS.slice(0, 2);

/** The looks in which the page at this path is looked at: all of them, in the short form the one that falls to the path. */
export const looksOf = (path: string): readonly Look[] => oneInShort(path, LOOKS);

const PLAIN_LOOK: Look = { size: DESK, theme: "light", language: "en" };

/** A window of its own (cookies, storage) that looks like this; theme and language come from the browser, nothing is stored. */
export async function openContext(
  browser: Browser,
  look: Partial<Look> = {},
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const { size, theme, language } = { ...PLAIN_LOOK, ...look };
  const isPhone = size.width < 600;
  const context = await browser.newContext({
    viewport: size,
    isMobile: isPhone,
    hasTouch: isPhone,
    colorScheme: theme,
    locale: language === "zh" ? "zh-CN" : "en-US",
    timezoneId: TIME_ZONE,
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  context.setDefaultTimeout(WAIT_MS);
  return context;
}

/** Closes the tabs of a window and empties its storage. It keeps the scripts that it has compiled, which a new window would compile again. */
export async function clearWindow(context: BrowserContext): Promise<void> {
  await Promise.all(context.pages().map((page) => page.close()));
  await context.setStorageState({ cookies: [], origins: [] });
}

export interface WatchedPage {
  page: Page;
  /** Errors of the console, uncaught ones, requests that failed and answers of 400 and above, in order. */
  complaints: string[];
  /** Waits until nothing is under way any more and what came has been drawn. */
  settled(): Promise<void>;
}

/** A new page that is watched from its first request on. */
export async function openPage(context: BrowserContext): Promise<WatchedPage> {
  const page = await context.newPage();
  const complaints: string[] = [];
  const underWay = new Set<object>();
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => complaints.push(`uncaught: ${error.message}`));
  page.on("request", (request) => underWay.add(request));
  page.on("requestfinished", (request) => underWay.delete(request));
  page.on("requestfailed", (request) => {
    underWay.delete(request);
    // A read that the page itself gave up (left, or asked anew) did not fail.
    if (request.failure()?.errorText !== "net::ERR_ABORTED") {
      complaints.push(`failed: ${request.method()} ${request.url()} ${request.failure()?.errorText}`);
    }
  });
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`);
  });
  return { page, complaints, settled: () => untilQuiet(page, () => underWay.size === 0) };
}

/** Frames that must pass without a request: answers are drawn in the first, what that drawing asks for is asked in the second. */
const QUIET_FRAMES = 4;
const MOST_FRAMES = 1_000;

async function untilQuiet(page: Page, isQuiet: () => boolean): Promise<void> {
  let quietFrames = 0;
  for (let frame = 0; frame < MOST_FRAMES; frame++) {
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    quietFrames = isQuiet() ? quietFrames + 1 : 0;
    if (quietFrames >= QUIET_FRAMES) return;
  }
  throw new Error(`${page.url()} never comes to rest`);
}

/** Where TEST_PICTURES names a folder: what the page looked like when its test failed. */
export async function keepPicture(
  page: Page,
  task: { name: string; result?: { state: string } | undefined },
): Promise<void> {
  const folder = process.env["TEST_PICTURES"];
  if (folder === undefined || task.result?.state !== "fail") return;
  await page.screenshot({ path: join(folder, `${task.name.replace(/\W+/g, "-").slice(0, 60)}.png`) });
  console.error(`${page.url()} is pictured in ${folder}`);
}

/**
 * Logs in by the API, stores the user as the console does after a login, and ends on an empty page of the site: who needs a page of the
 * console opens it. Throws where the login is refused. Only login.test.ts types into the login page.
 */
export async function logInOn(page: Page, url: string, username: string, password: string): Promise<void> {
  // Its cookies are those of the page's window.
  const response = await page.request.post(`${url}/api/user/login`, { data: { username, password } });
  const { success, message, data } = (await response.json()) as { success: boolean; message: string; data: unknown };
  if (!success) throw new Error(`${username} cannot log in: ${message}`);
  // Storage belongs to a site, so a page of it has to be open; an empty one asks for nothing.
  await page.route(`${url}/login`, (route) => route.fulfill({ contentType: "text/html", body: "" }), { times: 1 });
  await page.goto(`${url}/login`);
  await page.evaluate(([key, user]) => localStorage.setItem(key, user), [STORAGE.user, JSON.stringify(data)] as const);
}

/** Waits until what fades or slides has come to its end: half faded text has half its contrast. Endless animations are not waited for. */
async function stillness(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const moving = document
      .getAnimations()
      .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
    await Promise.allSettled(moving.map(({ finished }) => finished));
  });
}

/** What was copied last. What a button copies gets there a moment after its click: poll it. */
export const clipboardOf = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText());

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Frames answer whatever their origin is; of what passes no list is made. */
const AXE_SETTINGS = 'axe.configure({ allowedOrigins: ["<unsafe_all_origins>"] })';
/**
 * What a rule finds has the impact of the rule (finalizeRuleResult of axe-core): those of less are not run. Only what is said of a finding
 * leaves the page: a list of all that passed would be walked through and written out in it, and be read here.
 */
const AXE_RUN = `axe.run(document, {
  resultTypes: ["violations"],
  selectors: false,
  rules: Object.fromEntries(
    axe._audit.rules
      .filter(({ impact }) => impact === "minor" || impact === "moderate")
      .map(({ id }) => [id, { enabled: false }]),
  ),
}).then(({ violations }) =>
  violations.map(({ id, impact, nodes: [first] }) => ({ id, impact, html: first?.html, failureSummary: first?.failureSummary })),
)`;

/** What is said of a finding, and of the first element that breaks the rule; `failureSummary` is a heading and a line for each reason. */
type Finding = Pick<Result, "id" | "impact"> & Partial<Pick<NodeResult, "html" | "failureSummary">>;

/** A document that was looked at before has it: half a megabyte of script need not go there, be read and run again. */
async function bringAxe(frame: Frame): Promise<void> {
  if (await frame.evaluate("typeof axe === 'undefined'")) await frame.evaluate(`${AXE};${AXE_SETTINGS}`);
}

/** What axe-core calls serious or critical once nothing moves: rule, and the first element that breaks it. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await stillness(page);
  await Promise.all(page.frames().map(bringAxe));
  const findings = await page.evaluate<Finding[]>(AXE_RUN);
  return findings
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, html, failureSummary }) => `${id}: ${html} (${failureSummary?.split("\n")[1]?.trim()})`);
}

/**
 * What is serious or critical on a page that pages.test.ts looks at too, or in a further state or look of what another test looks at. The
 * short form looks at each page and drawer once, so it finds nothing here.
 */
export const findingsOfAnotherLook = (page: Page): Promise<string[]> =>
  IS_SHORT ? Promise.resolve([]) : seriousFindings(page);

/** How long a page may take to come to rest after its window or its content changed. */
const REST_MS = 3_000;

/** CSS pixels by which the page at rest is wider than its window; 0 where it fits. For a frame after a resize it may be a pixel wider. */
export async function overflow(page: Page): Promise<number> {
  await stillness(page);
  return page.evaluate(async (limitMs) => {
    // Not `innerWidth`: a phone zooms out for what is too wide, and then says that its window is that wide.
    const { documentElement: root } = document;
    const wider = () => Math.max(0, root.scrollWidth - root.clientWidth);
    const endMs = performance.now() + limitMs;
    while (wider() > 0 && performance.now() < endMs) await new Promise((resolve) => requestAnimationFrame(resolve));
    return wider();
  }, REST_MS);
}

/**
 * Cumulative layout shift since the page was opened (0.1 and below is good).
 * @param of `all` counts what moves soon after a key or a press too: where an answer is slower, browsers count it
 */
export function layoutShift(page: Page, of: "own" | "all" = "own"): Promise<number> {
  return page.evaluate(
    (isAll) =>
      new Promise<number>((resolve) => {
        let sum = 0;
        const observer = new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) {
            if (isAll || !entry.hadRecentInput) sum += entry.value;
          }
        });
        observer.observe({ type: "layout-shift", buffered: true });
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
      }),
    of === "all",
  );
}
