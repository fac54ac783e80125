/**
 * The tests of every page for every user who may open it, in the looks of one file: no console errors, accessible, stable, never wider than its
 * window.
 */
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROLE } from "../../../contract/src/roles.ts";
import { type Filled, fill, newPassword } from "../../../tools/seed/fill.ts";
import { SCENARIOS } from "../../../tools/seed/scenarios.ts";
import { type FakeUpstream, startFakeUpstream } from "../../fake-upstream/fake-upstream.ts";
import {
  layoutShift,
  logInOn,
  type Look,
  LOOKS,
  openContext,
  openPage,
  overflow,
  PHONE,
  seriousFindings,
  startBrowser,
  type WatchedPage,
  WEB_DIRECTORY,
} from "./browser.ts";
import { IS_LONG, oneInShort } from "../soak/short-or-long.ts";
import { startTestServer, type TestServer } from "./server.ts";

type Viewer = "guest" | "user" | "admin";

const EVERYBODY: readonly Viewer[] = ["guest", "user", "admin"];
const LOGGED_IN: readonly Viewer[] = ["user", "admin"];

/** The router's paths, the address each is visited at, and who is shown the page there; the others are led away, which login.test.ts holds. */
export const ROUTES: readonly { path: string; visit: string; viewers: readonly Viewer[] }[] = [
  { path: "/", visit: "/", viewers: EVERYBODY },
  { path: "/about", visit: "/about", viewers: EVERYBODY },
  { path: "/user-agreement", visit: "/user-agreement", viewers: ["guest"] },
  { path: "/privacy-policy", visit: "/privacy-policy", viewers: ["guest"] },
  { path: "/pricing", visit: "/pricing", viewers: EVERYBODY },
  { path: "/status", visit: "/status", viewers: EVERYBODY },
  // Nothing stands there; a chat that is shared is looked at in chat-shares.test.ts.
  { path: "/share/$id", visit: "/share/none", viewers: EVERYBODY },
  { path: "/models/$name", visit: "/models/gpt-4o", viewers: EVERYBODY },
  { path: "/models/compare", visit: "/models/compare?models=gpt-4o,gpt-4o-mini", viewers: EVERYBODY },
  { path: "/login", visit: "/login?expired=true", viewers: ["guest"] },
  { path: "/register", visit: "/register?aff=abc", viewers: ["guest"] },
  { path: "/reset", visit: "/reset", viewers: EVERYBODY },
  { path: "/user/reset", visit: "/user/reset?email=a@b.example&token=abc", viewers: EVERYBODY },
  { path: "/invitation", visit: "/invitation?token=abc", viewers: EVERYBODY },
  // Leads on where nothing has to be done; its steps are looked at in required-actions.test.ts.
  { path: "/secure-account", visit: "/secure-account", viewers: [] },
  // Telegram is off: refused with a message, before any state is read.
  { path: "/oauth/$provider", visit: "/oauth/telegram?state=&id=1&hash=a&auth_date=1", viewers: ["guest"] },
  { path: "/playground", visit: "/playground?expired=true", viewers: LOGGED_IN },
  { path: "/chat/{-$id}", visit: "/chat/99", viewers: EVERYBODY },
  { path: "/chat2link", visit: "/chat2link", viewers: [] },
  { path: "/detail", visit: "/detail", viewers: LOGGED_IN },
  { path: "/token", visit: "/token", viewers: LOGGED_IN },
  { path: "/connect", visit: "/connect", viewers: LOGGED_IN },
  { path: "/log", visit: "/log?range=month", viewers: LOGGED_IN },
  { path: "/studio", visit: "/studio", viewers: LOGGED_IN },
  { path: "/midjourney", visit: "/midjourney", viewers: LOGGED_IN },
  { path: "/task", visit: "/task?range=days30", viewers: LOGGED_IN },
  { path: "/notification", visit: "/notification", viewers: ["admin"] },
  { path: "/topup", visit: "/topup", viewers: LOGGED_IN },
  { path: "/topup/statement", visit: "/topup/statement", viewers: LOGGED_IN },
  { path: "/topup/orders", visit: "/topup/orders", viewers: ["admin"] },
  { path: "/personal", visit: "/personal", viewers: LOGGED_IN },
  { path: "/personal/security", visit: "/personal/security", viewers: LOGGED_IN },
  { path: "/user/edit", visit: "/user/edit", viewers: LOGGED_IN },
  { path: "/channel", visit: "/channel", viewers: ["admin"] },
  { path: "/add", visit: "/channel/add", viewers: ["admin"] },
  { path: "/edit/$id", visit: "/channel/edit/1", viewers: ["admin"] },
  { path: "/channel/health", visit: "/channel/health", viewers: ["admin"] },
  { path: "/channel/health", visit: "/channel/health?hours=720", viewers: ["admin"] },
  { path: "/channel/route", visit: "/channel/route?model=gpt-4o&input=2000", viewers: ["admin"] },
  { path: "/prices", visit: "/prices", viewers: ["admin"] },
  { path: "/prices", visit: "/prices?tab=changes", viewers: ["admin"] },
  { path: "/redemption", visit: "/redemption", viewers: ["admin"] },
  { path: "/user", visit: "/user", viewers: ["admin"] },
  { path: "/user/permissions", visit: "/user/permissions", viewers: ["admin"] },
  { path: "/add", visit: "/user/add", viewers: ["admin"] },
  { path: "/edit/$id", visit: "/user/edit/2", viewers: ["admin"] },
  { path: "/channel/$id", visit: "/channel/1", viewers: ["admin"] },
  { path: "/channel/$id", visit: "/channel/1?tab=history", viewers: ["admin"] },
  { path: "/audit", visit: "/audit", viewers: ["admin"] },
  { path: "/system", visit: "/system", viewers: ["admin"] },
  { path: "/user/$id", visit: "/user/2", viewers: ["admin"] },
  { path: "/user/$id", visit: "/user/2?tab=security", viewers: ["admin"] },
  { path: "/setting", visit: "/setting?tab=operation", viewers: ["admin"] },
  { path: "/setting", visit: "/setting?tab=ratelimit", viewers: ["admin"] },
  { path: "/setting", visit: "/setting?tab=models", viewers: ["admin"] },
  { path: "/setting", visit: "/setting?tab=system", viewers: ["admin"] },
  { path: "/setting", visit: "/setting?tab=other", viewers: ["admin"] },
  { path: "/setting", visit: "/setting?tab=operation&section=dry_run", viewers: ["admin"] },
  { path: "*", visit: "/there-is-no-such-page", viewers: ["guest", "admin"] },
];
/** Shown before the system is set up, and only then. */
export const WIZARD = "/setup";

const nameOf = ({ size, theme, language }: Look): string => `${size.width} px, ${theme}, ${language}`;

/** What browsers call good. */
const MOST_SHIFT = 0.1;
const SIGN: Record<Look["language"], RegExp> = { en: /[A-Za-z]/, zh: /\p{Script=Han}/u };

interface Place {
  browser: Browser;
  /** A busy system, and one that is not set up. */
  server: TestServer;
  fresh: TestServer;
  /** What the login left in the browsers of these. */
  states: ReadonlyMap<Viewer, BrowserState>;
  close(): Promise<void>;
}

type BrowserState = Awaited<ReturnType<BrowserContext["storageState"]>>;

async function stateOf(browser: Browser, url: string, account: Filled["admin"]): Promise<BrowserState> {
  const context = await openContext(browser);
  await logInOn((await openPage(context)).page, url, account.username, account.password);
  const state = await context.storageState();
  await context.close();
  return state;
}

async function openPlace(): Promise<Place> {
  const upstream: FakeUpstream = await startFakeUpstream({ records: false });
  const server = await startTestServer({ ALLOW_PRIVATE_UPSTREAMS: "1" }, { webDirectory: WEB_DIRECTORY });
  const fresh = await startTestServer({}, { webDirectory: WEB_DIRECTORY });
  const scenario = SCENARIOS["busy-day"];
  const filled = await fill(server.app, scenario, { username: "root", password: newPassword() }, upstream.url);
  // Pictures are on this machine, from where a gateway fetches nothing for its callers; the browser does.
  await filled.client.call("PUT", "/api/option", { key: "MjForwardUrlEnabled", value: "false" });
  await filled.client.call("PUT", "/api/option", { key: "StatusPageEnabled", value: "true" });
  const plain = filled.people.find(({ username }) =>
    scenario.people.some((person) => person.username === username && person.role === ROLE.user),
  );
  if (plain === undefined) throw new Error("The scenario has no plain user");
  const browser = await startBrowser();
  const states = new Map<Viewer, BrowserState>([
    ["admin", await stateOf(browser, server.app.url, filled.admin)],
    ["user", await stateOf(browser, server.app.url, plain)],
  ]);
  const close = async () => {
    await browser.close();
    await server.stop();
    await fresh.stop();
    await upstream.close();
  };
  return { browser, server, fresh, states, close };
}

/** The page's layout shift; loaded once more if it is too large, since a busy machine may render intermediate states. */
async function leastShift(page: WatchedPage["page"], settled: () => Promise<void>): Promise<number> {
  const shift = await layoutShift(page);
  if (shift <= MOST_SHIFT) return shift;
  await page.reload();
  await page.locator("h1, h2").first().waitFor();
  await settled();
  return layoutShift(page);
}

/** The link of a chat that is not shared: its page says so, and the browser reports the answer. */
const NOTHING_SHARED = "/api/share/none";

/** What is wrong with one page in this tab. */
async function faultsAt({ page, complaints, settled }: WatchedPage, url: string, look: Look): Promise<string[]> {
  complaints.length = 0;
  await page.goto(url);
  await page.locator("h1, h2").first().waitFor();
  await settled();
  const faults = [
    ...complaints.filter((complaint) => !complaint.includes(NOTHING_SHARED)),
    ...(await seriousFindings(page)),
  ];
  const shift = await leastShift(page, settled);
  if (shift > MOST_SHIFT) faults.push(`moved by itself: ${shift.toFixed(3)}`);
  const wider = await overflow(page);
  if (wider > 0) faults.push(`${wider} px wider than its window`);
  const heading = (await page.locator("h1, h2").first().textContent()) ?? "";
  const text = `${heading} ${await page.locator("main").first().innerText()}`;
  if (!SIGN[look.language].test(text)) faults.push(`not in its language: ${heading}`);
  if (new URL(page.url()).pathname !== new URL(url).pathname) faults.push(`led away to ${page.url()}`);
  return faults.map((fault) => `${new URL(url).pathname}: ${fault}`);
}

/**
 * What is wrong with these pages, each loaded anew in the one tab of a context of its own: what the first has compiled, the next
 * ones have. Theme and language are as a visitor of this site has chosen them; who is logged in keeps what the login stored.
 */
async function faultsOf(browser: Browser, state: BrowserState | undefined, urls: readonly string[], look: Look) {
  const context = await openContext(browser, look, state === undefined ? {} : { storageState: state });
  const tab = await openPage(context);
  const faults: string[] = [];
  for (const url of urls) faults.push(...(await faultsAt(tab, url, look)));
  await context.close();
  return faults;
}

/**
 * Who opens the pages in a look. A plain user is shown what an administrator is, with less on it: but for the long form only in the
 * narrow one.
 */
const viewersIn = ({ size }: Look): readonly Viewer[] =>
  IS_LONG || size === PHONE ? EVERYBODY : EVERYBODY.filter((viewer) => viewer !== "user");

const pageOf = ({ visit }: (typeof ROUTES)[number]): string => visit.split("?")[0] ?? visit;
/** Every tab of a page; in the short form one of them. */
const TABS = [...Map.groupBy(ROUTES, pageOf)].flatMap(([page, tabs]) => oneInShort(page, tabs));

/** Who opens each page in which looks: everybody it is shown to, in the short form one of them in one look. */
const VISITS = TABS.flatMap(({ visit, viewers }) => {
  const all = LOOKS.flatMap((look) =>
    viewersIn(look)
      .filter((viewer) => viewers.includes(viewer))
      .map((viewer) => ({ visit, viewer, look })),
  );
  return oneInShort(visit, all);
});

/** Defines the tests of every page in these looks, on systems that they share. */
export function testEveryPage(looks: readonly Look[]): void {
  let place: Place;
  beforeAll(async () => void (place = await openPlace()));
  afterAll(() => place?.close());

  describe.each(looks.map((look) => ({ look, name: nameOf(look) })))("at $name", ({ look }) => {
    test.each(viewersIn(look))("every page of a %s", async (viewer) => {
      const { browser, server, states } = place;
      const visits = VISITS.filter((each) => each.viewer === viewer && each.look === look);
      const urls = visits.map(({ visit }) => server.app.url + visit);
      expect(await faultsOf(browser, states.get(viewer), urls, look)).toEqual([]);
    });

    test("the wizard", async () => {
      const { browser, fresh } = place;
      expect(await faultsOf(browser, undefined, [fresh.app.url + WIZARD], look)).toEqual([]);
    });
  });
}
