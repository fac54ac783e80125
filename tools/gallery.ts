/**
 * `npm run gallery [-- --strict] [-- page ...] [-- 390 zh ...]`: screenshots of every page and state (or of those whose names start so), in the
 * named looks or in all, and contact sheets, into gallery/. Lists pages with an error in the browser's console, wider than their window, or with
 * layout shifts; with --strict also what axe finds. Exits 1 if there was any finding.
 */
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { logInOn, openPage } from "../tests/support/systems/browser.ts";
import { openCamera, openLook, photograph, type SignedInState } from "./gallery/camera.ts";
import { writeContactSheets } from "./gallery/contact-sheet.ts";
import { LOOKS, type Look, lookName } from "./gallery/look.ts";
import { looksOf, PAGES, pictureName } from "./gallery/pages.ts";
import type { GalleryPage } from "./gallery/gallery-page.ts";
import type { Account } from "./seed/console-client.ts";
import { makeShowcase } from "./seed/showcase.ts";
import { findChromium } from "./setup/capabilities.ts";
import { startEmpty, startThrowAway } from "./throw-away.ts";

const FOLDER = "gallery";
/** The picture in the README, renewed whenever it is taken. */
const README_PAGE = "channels";
const README_LOOK = "1440-light-en";
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
/** Looks photographed at the same time: one waits while the other draws. */
const AT_ONCE = 3;
const LOOK_WORDS = new Set(LOOKS.flatMap((look) => lookName(look).split("-")));

/** Logs in through the page, so that cookie and stored user are those that the console itself writes. */
async function signIn(browser: Browser, url: string, { username, password }: Account): Promise<SignedInState> {
  const context = await browser.newContext();
  const { page } = await openPage(context);
  await logInOn(page, url, username, password);
  const state = await context.storageState();
  await context.close();
  return state;
}

/** Whether the arguments select this look: of widths, themes and languages each, one of those named, or any if none was. */
function isAsked(look: Look): boolean {
  return lookName(look)
    .split("-")
    .every((value, place) => {
      const values = new Set(LOOKS.map((each) => lookName(each).split("-")[place]));
      const named = words.filter((word) => values.has(word));
      return named.length === 0 || named.includes(value);
    });
}

interface Site {
  url: string;
  state?: () => Promise<SignedInState>;
}

/** Takes all pictures of one look; gives what was wrong. */
async function photographLook(
  browser: Browser,
  look: Look,
  pages: readonly GalleryPage[],
  siteOf: Readonly<Record<GalleryPage["as"], Site>>,
  isStrict: boolean,
): Promise<string[]> {
  const said: string[] = [];
  for (const as of ["fresh", "guest", "user", "root", "watcher"] as const) {
    const { url, state } = siteOf[as];
    const shown = pages.filter((each) => each.as === as);
    if (shown.length === 0) continue;
    const context = await openLook(browser, look, await state?.());
    const camera = await openCamera(context, url);
    for (const page of shown) {
      const name = pictureName(page, look);
      const faults = await photograph(camera, page, { file: join(FOLDER, name), isStrict });
      said.push(...faults.map((fault) => `${name}: ${fault}`));
    }
    await context.close();
  }
  return said;
}

async function inTurns<Item>(items: readonly Item[], act: (item: Item) => Promise<string[]>): Promise<string[]> {
  const queue = [...items];
  const said: string[] = [];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) said.push(...(await act(item)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return said;
}

const executablePath = findChromium();
if (executablePath === undefined) {
  console.error("No Chromium on the path: install Debian's package chromium, or name one in TEST_CHROMIUM.");
  process.exit(1);
}
const args = process.argv.slice(2);
const isStrict = args.includes("--strict");
const words = args.filter((word) => LOOK_WORDS.has(word));
const names = args.filter((word) => !word.startsWith("--") && !LOOK_WORDS.has(word));
const unknown = args.filter(
  (word) => word !== "--strict" && !LOOK_WORDS.has(word) && !PAGES.some(({ name }) => name.startsWith(word)),
);
if (unknown.length > 0) {
  console.error(`No option, look or page is called ${unknown.join(", ")}.`);
  console.error(`Looks: ${[...LOOK_WORDS].join(" ")}\nPages: ${PAGES.map(({ name }) => name).join(" ")}`);
  process.exit(2);
}
const pages = PAGES.filter(({ name }) => names.length === 0 || names.some((named) => name.startsWith(named)));
const looks = LOOKS.filter((look) => isAsked(look));
/** Looks that were asked for show every state; otherwise states are shown in few. */
const pagesIn = (look: Look): GalleryPage[] => pages.filter((page) => words.length > 0 || looksOf(page).includes(look));
mkdirSync(FOLDER, { recursive: true });

const empty = await startEmpty();
const place = await startThrowAway("demo");
const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
try {
  const { app, upstream, filled } = place;
  await makeShowcase(app, upstream, filled);
  const plain = filled.people.find(({ username }) => username === "lin");
  if (plain === undefined) throw new Error("the scenario has no plain user");
  const [user, root] = [signIn(browser, app.url, plain), signIn(browser, app.url, filled.admin)];
  const siteOf = {
    fresh: { url: empty.app.url },
    guest: { url: app.url },
    user: { url: app.url, state: () => user },
    root: { url: app.url, state: () => root },
    watcher: { url: app.url, state: () => signIn(browser, app.url, filled.admin) },
  };
  const said = await inTurns(looks, (look) => photographLook(browser, look, pagesIn(look), siteOf, isStrict));
  for (const complaint of said) console.log(complaint);
  console.log(`${pages.length} pages and states in ${FOLDER}/, ${said.length} complaints`);
  const whole = pages.filter(({ isState }) => isState !== true);
  const states = pages.filter(({ isState }) => isState === true);
  await writeContactSheets(browser, { folder: FOLDER, name: "pages" }, whole, looks);
  const shown = looks.filter((look) => states.some((state) => pagesIn(look).includes(state)));
  await writeContactSheets(browser, { folder: FOLDER, name: "states" }, states, shown);
  const isMade = pages.some(({ name }) => name === README_PAGE) && looks.some((look) => lookName(look) === README_LOOK);
  if (isMade) copyFileSync(join(FOLDER, `${README_PAGE}-${README_LOOK}.png`), "docs/screenshot.png");
  process.exitCode = said.length === 0 ? 0 : 1;
} finally {
  await browser.close();
  await place.close();
  await empty.close();
}
