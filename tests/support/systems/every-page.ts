/** Every page for everybody who may open it, wide and narrow, light and dark, English and Chinese: silent, accessible, steady, never wider than its window. */
import { readFileSync } from "node:fs";
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROLE } from "../../contract/src/roles.ts";
import { type Filled, fill, newPassword } from "../../tools/seed/fill.ts";
import { SCENARIOS } from "../../tools/seed/scenarios.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import {
  DESK,
  layoutShift,
  logInOn,
  type Look,
  openContext,
  openPage,
  overflow,
  PHONE,
  seriousFindings,
  startBrowser,
  WEB_DIRECTORY,
} from "../support/browser.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

type Viewer = "guest" | "user" | "admin";

const EVERYBODY: readonly Viewer[] = ["guest", "user", "admin"];
const LOGGED_IN: readonly Viewer[] = ["user", "admin"];

/** The router's paths, the address each is visited at, and who is shown the page there; the others are led away, which login.test.ts holds. */
const ROUTES: readonly { path: string; visit: string; viewers: readonly Viewer[] }[] = [
  { path: "/", visit: "/", viewers: EVERYBODY },
  { path: "/about", visit: "/about", viewers: EVERYBODY },
  { path: "/pricing", visit: "/pricing", viewers: EVERYBODY },
  { path: "/login", visit: "/login?expired=true", viewers: ["guest"] },
  { path: "/detail", visit: "/detail", viewers: LOGGED_IN },
  { path: "/token", visit: "/token", viewers: LOGGED_IN },
  { path: "/log", visit: "/log?range=month", viewers: LOGGED_IN },
  { path: "/channel", visit: "/channel", viewers: ["admin"] },
  { path: "/add", visit: "/channel/add", viewers: ["admin"] },
  { path: "/edit/$id", visit: "/channel/edit/1", viewers: ["admin"] },
  { path: "*", visit: "/there-is-no-such-page", viewers: ["guest", "admin"] },
];
/** Shown before the system is set up, and only then. */
const WIZARD = "/setup";

/** Any two of width, theme and language meet in each of their values. */
const LOOKS: readonly Look[] = [
  { size: DESK, theme: "light", language: "en" },
  { size: DESK, theme: "dark", language: "zh" },
  { size: PHONE, theme: "light", language: "zh" },
  { size: PHONE, theme: "dark", language: "en" },
];
const nameOf = ({ size, theme, language }: Look): string => `${size.width} px, ${theme}, ${language}`;

/** What browsers call good. */
const MOST_SHIFT = 0.1;
const SIGN: Record<Look["language"], RegExp> = { en: /[A-Za-z]/, zh: /\p{Script=Han}/u };

let upstream: FakeUpstream;
let server: TestServer;
let fresh: TestServer;
let filled: Filled;
let browser: Browser;
const states = new Map<Viewer, Awaited<ReturnType<BrowserContext["storageState"]>>>();

beforeAll(async () => {
  upstream = await startFakeUpstream({ records: false });
  server = await startTestServer({ ALLOW_PRIVATE_UPSTREAMS: "1" }, { webDirectory: WEB_DIRECTORY });
  fresh = await startTestServer({}, { webDirectory: WEB_DIRECTORY });
  const scenario = SCENARIOS["busy-day"];
  filled = await fill(server.app, scenario, { username: "root", password: newPassword() }, upstream.url);
  const plain = filled.people.find(({ username }) =>
    scenario.people.some((person) => person.username === username && person.role === ROLE.user),
  );
  if (plain === undefined) throw new Error("The scenario has no plain user");
  browser = await startBrowser();
  for (const [viewer, account] of [
    ["admin", filled.admin],
    ["user", plain],
  ] as const) {
    const context = await openContext(browser);
    await logInOn((await openPage(context)).page, server.app.url, account.username, account.password);
    states.set(viewer, await context.storageState());
    await context.close();
  }
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await fresh?.stop();
  await upstream?.close();
});

/** What is wrong with one page in this window. */
async function faultsAt(context: BrowserContext, url: string, look: Look): Promise<string[]> {
  const { page, complaints, settled } = await openPage(context);
  await page.goto(url);
  await page.locator("h1, h2").first().waitFor();
  await settled();
  const faults = [...complaints, ...(await seriousFindings(page))];
  const shift = await layoutShift(page);
  if (shift > MOST_SHIFT) faults.push(`moved by itself: ${shift.toFixed(3)}`);
  const wider = await overflow(page);
  if (wider > 0) faults.push(`${wider} px wider than its window`);
  const heading = (await page.locator("h1, h2").first().textContent()) ?? "";
  const text = `${heading} ${await page.locator("main").first().innerText()}`;
  if (!SIGN[look.language].test(text)) faults.push(`not in its language: ${heading}`);
  if (new URL(page.url()).pathname !== new URL(url).pathname) faults.push(`led away to ${page.url()}`);
  await page.close();
  return faults.map((fault) => `${new URL(url).pathname}: ${fault}`);
}

/** Theme and language as a visitor of this site has chosen them; who is logged in keeps what the login stored. */
async function openAs(viewer: Viewer, look: Look): Promise<BrowserContext> {
  const storageState = states.get(viewer);
  return openContext(browser, look, storageState === undefined ? {} : { storageState });
}

test("the table names every route of the router, and no other", () => {
  const source = readFileSync(new URL("../../web/src/app/router.tsx", import.meta.url), "utf8");
  const paths = [...source.matchAll(/\bpath: "([^"]+)"/g)].map(([, path]) => path);
  expect([...paths, "*"].sort()).toEqual([...ROUTES.map(({ path }) => path), WIZARD].sort());
});

describe.each(LOOKS.map((look) => ({ look, name: nameOf(look) })))("at $name", ({ look }) => {
  test.each(EVERYBODY)("every page of a %s", async (viewer) => {
    const context = await openAs(viewer, look);
    const waiting = ROUTES.filter(({ viewers }) => viewers.includes(viewer));
    const faults: string[] = [];
    const visitNext = async (): Promise<void> => {
      for (let route = waiting.shift(); route !== undefined; route = waiting.shift()) {
        faults.push(...(await faultsAt(context, server.app.url + route.visit, look)));
      }
    };
    await Promise.all([visitNext(), visitNext()]); // one for each core
    await context.close();
    expect(faults).toEqual([]);
  });

  test("the wizard", async () => {
    const context = await openContext(browser, look);
    const faults = await faultsAt(context, fresh.app.url + WIZARD, look);
    await context.close();
    expect(faults).toEqual([]);
  });
});
