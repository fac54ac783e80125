/**
 * `npm run gallery [-- page ...]`: a picture of every page (or of those named) at three widths, in two themes and two languages, and one
 * contact sheet, into gallery/. Says which page had an error in the browser's console or was wider than its window.
 */
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { writeContactSheet } from "./gallery/contact-sheet.ts";
import { type GalleryPage, type Look, LOOKS, PAGES, pictureName } from "./gallery/pages.ts";
import type { Account } from "./seed/console-client.ts";
import { findChromium } from "./setup/capabilities.ts";
import { startEmpty, startThrowAway } from "./throw-away.ts";

const FOLDER = "gallery";
const CHROMIUM_FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--font-render-hinting=none",
];
const SETTLE_MS = 250;

type SignedInState = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** Logs in through the page, so that cookie and stored user are what the console itself leaves. */
async function signIn(browser: Browser, url: string, account: Account): Promise<SignedInState> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${url}/login`);
  await page.locator('input[type="password"]').waitFor();
  await page.locator('input:not([type="password"]):not([type="checkbox"])').first().fill(account.username);
  await page.locator('input[type="password"]').fill(account.password);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/token");
  const state = await context.storageState();
  await context.close();
  return state;
}

function newContext(browser: Browser, look: Look, state: SignedInState | undefined): Promise<BrowserContext> {
  return browser.newContext({
    viewport: { width: look.width, height: look.height },
    isMobile: look.width < 600,
    hasTouch: look.width < 600,
    colorScheme: look.theme,
    locale: look.language === "zh" ? "zh-CN" : "en-GB",
    reducedMotion: "reduce",
    ...(state === undefined ? {} : { storageState: state }),
  });
}

/** Takes one picture; gives what was wrong with the page. */
async function photograph(context: BrowserContext, url: string, page: GalleryPage, look: Look): Promise<string[]> {
  const complaints: string[] = [];
  const tab = await context.newPage();
  tab.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  tab.on("pageerror", (error) => complaints.push(error.message));
  await tab.goto(url + page.path, { waitUntil: "networkidle" });
  if (page.opens !== undefined) await tab.locator(page.opens).first().click();
  await tab.waitForTimeout(SETTLE_MS);
  const overflow = await tab.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  if (overflow > 0) complaints.push(`is ${overflow} px wider than its window`);
  await tab.screenshot({ path: join(FOLDER, pictureName(page, look)) });
  await tab.close();
  return complaints.map((complaint) => `${pictureName(page, look)}: ${complaint}`);
}

async function photographAll(
  browser: Browser,
  pages: readonly GalleryPage[],
  url: string,
  state?: SignedInState,
): Promise<string[]> {
  const complaints: string[] = [];
  for (const look of pages.length === 0 ? [] : LOOKS) {
    const context = await newContext(browser, look, state);
    await context.addInitScript(
      ([theme, language]) => {
        localStorage.setItem("theme-mode", theme ?? "");
        localStorage.setItem("i18nextLng", language ?? "");
      },
      [look.theme, look.language],
    );
    for (const page of pages) complaints.push(...(await photograph(context, url, page, look)));
    await context.close();
  }
  return complaints;
}

const executablePath = findChromium();
if (executablePath === undefined) {
  console.error("No Chromium on the path: install Debian's package chromium, or name one in TEST_CHROMIUM.");
  process.exit(1);
}
const named = process.argv.slice(2);
const pages = PAGES.filter(({ name }) => named.length === 0 || named.includes(name));
const shownTo = (who: GalleryPage["as"]): GalleryPage[] => pages.filter((page) => page.as === who);
mkdirSync(FOLDER, { recursive: true });

const empty = await startEmpty();
const place = await startThrowAway("demo");
const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
try {
  const { url } = place.app;
  const state = await signIn(browser, url, place.filled.admin);
  const complaints = [
    ...(await photographAll(browser, shownTo("fresh"), empty.app.url)),
    ...(await photographAll(browser, shownTo("guest"), url)),
    ...(await photographAll(browser, shownTo("root"), url, state)),
  ];
  await writeContactSheet(browser, FOLDER, pages, LOOKS);
  for (const complaint of complaints) console.log(complaint);
  console.log(
    `${pages.length * LOOKS.length} pictures and contact-sheet.png in ${FOLDER}/, ${complaints.length} complaints`,
  );
  if (named.length === 0) copyFileSync(join(FOLDER, "channels-1440-light-en.png"), "docs/screenshot.png");
} finally {
  await browser.close();
  await place.close();
  await empty.close();
}
