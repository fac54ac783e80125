/** Logging in and out in a real browser: what is said, where it leads, what is kept, and that a keyboard is enough. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { routePaths } from "../support/console-router.ts";
import { oneInShort, someInShort } from "../support/soak/short-or-long.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import {
  clearWindow,
  keepPicture,
  layoutShift,
  logInOn,
  openContext,
  openPage,
  startBrowser,
  WEB_DIRECTORY,
} from "../support/systems/browser.ts";
import { ROOT_PASSWORD, setUp, startTestServer, type TestServer } from "../support/systems/server.ts";

const EXPIRED = "Not logged in or login expired, please log in again";

let server: TestServer;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let settled: () => Promise<void>;

beforeAll(async () => {
  server = await startTestServer({}, { webDirectory: WEB_DIRECTORY });
  await setUp(server);
  browser = await startBrowser();
  context = await openContext(browser);
});

beforeEach(async () => {
  ({ page, settled } = await openPage(context));
});

afterEach(async ({ task }) => {
  await keepPicture(page, task);
  await clearWindow(context);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const at = (path: string): string => server.app.url + path;
const stored = (key: string): Promise<string | null> => page.evaluate((name) => localStorage.getItem(name), key);
const submit = () => page.getByRole("button", { name: "Log in", exact: true });

/** Logged in without the login page, on this page of the console. */
async function startAt(start: string): Promise<void> {
  await logInOn(page, server.app.url, "root", ROOT_PASSWORD);
  await page.goto(at(start));
  await page.locator("main#content h1").waitFor();
}

/** Opens the login page, types into it and presses Enter; ends on the tokens. */
async function logInByHand(): Promise<void> {
  await page.goto(at("/login"));
  await page.locator('input[name="username"]').fill("root");
  await page.locator('input[name="password"]').fill(ROOT_PASSWORD);
  await page.keyboard.press("Enter");
  // The address changes before the console stands; what is pressed in between belongs to the page that goes.
  await page.locator("main#content h1").waitFor();
}

/** Fills the login form with the administrator's credentials and sends it. */
async function fillIn(): Promise<void> {
  await page.getByLabel("Username or email").fill("root");
  await page.getByLabel("Password", { exact: true }).fill(ROOT_PASSWORD);
  await submit().click();
}
const path = (): string => new URL(page.url()).pathname + new URL(page.url()).search;

/** Holds calls to this path until released; counts them. */
async function held(pattern: string): Promise<{ count: () => number; release: () => void }> {
  const gate = Promise.withResolvers<void>();
  let count = 0;
  await page.route(pattern, async (route) => {
    count++;
    await gate.promise;
    await route.continue();
  });
  return { count: () => count, release: gate.resolve };
}

testInAll(
  "the form says why one is here, keeps an invite code, is 500 px wide and offers no other way in while all are off",
)(async () => {
  await page.goto(at("/login?expired=true&aff=Ab3d"));
  await page.getByText(EXPIRED).waitFor();
  await expect.poll(() => stored("aff")).toBe("Ab3d");
  const widths = await page.locator("form").evaluate((form) => {
    const around: number[] = [];
    for (let element = form.parentElement; element; element = element.parentElement)
      around.push(element.getBoundingClientRect().width);
    return around;
  });
  expect(widths).toContain(500);
  expect(await page.getByRole("link", { name: /forgot|reset/i }).count()).toBe(0);
  expect(
    await page
      .getByRole("button")
      .filter({ hasText: /github|oidc|linux|wechat|telegram/i })
      .count(),
  ).toBe(0);
});

test("what is missing gets the focus, a wrong password is told as such, and the right one, sent twice, logs in once", async () => {
  let calls = 0;
  page.on("request", (request) => void (calls += Number(request.url() === at("/api/user/login"))));
  await page.goto(at("/login"));
  await submit().click();
  await page.getByRole("alert").getByText("Please enter username and password").waitFor();
  await page.locator('[name="username"]:focus').waitFor();
  await page.keyboard.insertText("root");
  await page.keyboard.press("Enter");
  await page.locator('[name="password"]:focus').waitFor();
  expect(calls).toBe(0);
  await page.getByLabel("Password", { exact: true }).fill("not the password");
  await submit().click();
  await page.getByText("Wrong username or password, or the user is banned").waitFor();
  expect(path()).toBe("/login");
  expect(await stored("user")).toBeNull();
  await expect.poll(() => page.getByLabel("Username or email").inputValue()).toBe("root");
  const right = await held("**/api/user/login");
  await page.getByLabel("Password", { exact: true }).fill(ROOT_PASSWORD);
  await submit().dblclick();
  await page.keyboard.press("Enter");
  await expect.poll(right.count).toBe(1);
  await expect.poll(() => submit().getAttribute("aria-busy")).toBe("true");
  right.release();
  await page.waitForURL(at("/token"));
  expect(right.count()).toBe(1);
  expect(JSON.parse((await stored("user")) ?? "{}")).toMatchObject({ username: "root", role: 100 });
});

test("every guarded page leads a guest to the login, and the login leads whoever is logged in to the tokens", async () => {
  // One guard stands before all of them.
  for (const guarded of oneInShort("tests/e2e/login.test.ts", guardedPaths())) {
    await page.goto(at(guarded));
    await page.waitForURL(({ pathname }) => pathname === "/login");
  }
  await logInByHand();
  await page.goto(at("/login"));
  await page.waitForURL(at("/token"));
});

test("a deep link survives the login, filters included, also where the session ended in between", async () => {
  const link = "/log?type=2&model_name=gpt-4o";
  await page.goto(at(link));
  await page.waitForURL(({ pathname }) => pathname === "/login");
  await fillIn();
  await page.waitForURL(at(link));
  await page.locator("main#content h1").waitFor();
  await settled();
  await context.clearCookies();
  await page.reload();
  await page.getByText(EXPIRED).waitFor();
  await fillIn();
  await page.waitForURL(at(link));
  await page.goto(at(`/login?next=${encodeURIComponent(link)}`));
  await page.waitForURL(at(link));
});

test("a link cannot make the login lead to another site", async () => {
  const reached: string[] = [];
  page.on("request", (request) => reached.push(new URL(request.url()).host));
  await page.goto(at(`/login?next=${encodeURIComponent("//evil.example/")}`));
  await fillIn();
  await page.waitForURL(at("/token"));
  // The route itself redirects a logged-in user. What counts as another site, next-address.test.ts holds.
  for (const foreign of someInShort([
    "/\\evil.example/",
    "//evil.example/",
    "https://evil.example/",
    "javascript:alert(1)",
  ])) {
    await page.goto(at(`/login?next=${encodeURIComponent(foreign)}`));
    await page.waitForURL(at("/token"));
    await page.locator("main#content h1").waitFor();
  }
  expect([...new Set(reached)]).toEqual([new URL(server.app.url).host]);
});

test("logging out takes every tab out, and ends the session on the server too", async () => {
  await startAt("/token");
  const { page: other } = await openPage(context);
  await other.goto(at("/token"));
  await other.locator("main#content h1").waitFor();
  const cookies = await context.cookies();
  await other.getByRole("button", { name: "Account" }).click();
  await other.getByRole("menuitem", { name: "Log out" }).click();
  await other.waitForURL(at("/login"));
  // A call of this tab may be refused before the other one notifies it.
  await page.waitForURL(({ pathname }) => pathname === "/login");
  expect(await stored("user")).toBeNull();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const answer = await fetch(at("/api/user/self"), { headers: { cookie, "new-api-user": "1" } });
  expect(answer.status).toBe(401);
});

testInAll("a call under way while one logs out is no expired login")(async () => {
  await logInOn(page, server.app.url, "root", ROOT_PASSWORD);
  const calls = await held("**/api/token?*");
  const refused = page.waitForResponse((response) => response.status() === 401);
  await page.route("**/api/user/logout", async (route) => {
    const response = await route.fetch();
    calls.release();
    await refused;
    await route.fulfill({ response });
  });
  await page.goto(at("/token"));
  await expect.poll(calls.count).toBeGreaterThan(0);
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("menuitem", { name: "Log out" }).click();
  await page.waitForURL(at("/login"));
  expect(await page.getByText(EXPIRED).count()).toBe(0);
});

test("a 401 from any call leads to the login with the reason, and the stored user is gone", async () => {
  for (const [start, link] of oneInShort("a 401 from any call", [
    ["/token", "Usage log"],
    ["/log", "Channels"],
    ["/channel", "Tokens"],
  ] as const)) {
    await startAt(start);
    // The page's own calls are over, so the click is the first to meet the missing session.
    await settled();
    await context.clearCookies();
    await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: link }).click();
    await page.waitForURL(
      ({ pathname, searchParams }) => pathname === "/login" && searchParams.get("expired") === "true",
    );
    await page.getByText(EXPIRED).waitFor();
    expect(await stored("user")).toBeNull();
  }
});

testInAll("language and theme are kept over visits, before and after the login")(async () => {
  await page.goto(at("/login"));
  await page.getByRole("button", { name: "Switch to dark" }).click();
  await expect.poll(() => stored("theme-mode")).toBe("dark");
  await page.getByRole("button", { name: "Language" }).click();
  await page.getByRole("menuitem", { name: "中文" }).click();
  await page.getByRole("button", { name: "登录", exact: true }).waitFor();
  await expect.poll(() => stored("i18nextLng")).toBe("zh");
  await page.reload();
  await page.getByRole("button", { name: "登录", exact: true }).waitFor();
  const look = () =>
    page.evaluate(() => [document.documentElement.lang, document.documentElement.dataset["mantineColorScheme"]]);
  await expect.poll(look).toEqual(["zh", "dark"]);
  await logInByHand();
  await page.getByRole("heading", { level: 1, name: "令牌" }).waitFor();
});

testInAll("a keyboard is enough: in, past the bars, to another page by the palette, and out")(async () => {
  await page.goto(at("/login"));
  await page.locator('[name="username"]:focus').waitFor();
  await page.keyboard.type("root");
  await page.keyboard.press("Tab");
  await page.keyboard.type(ROOT_PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Tokens" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Tokens" }).waitFor();
  await page.keyboard.press("Tab");
  await page.getByRole("link", { name: "Skip to content" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Enter");
  await page.locator("main:focus").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").locator("input:focus").waitFor();
  await page.keyboard.type("channels");
  await page.keyboard.press("Enter");
  await page.waitForURL(at("/channel"));
  const account = page.getByRole("button", { name: "Account" });
  for (
    let presses = 0;
    presses < 60 && !(await account.evaluate((button) => button === document.activeElement));
    presses++
  )
    await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  // Drawn first, it has the focus a moment later; a key pressed in between is the button's.
  await page.locator('[role="menu"]:focus-within').waitFor();
  await page.keyboard.press("ArrowDown");
  await page.getByRole("menuitem", { name: "Log out" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(at("/login"));
});

test("the second step stands where the first one stood: nothing of the page moves, however late it comes", async () => {
  const data = { require_second_factor: true, ticket: "ticket", methods: ["passkey"] };
  await page.route("**/api/user/login{?*,}", (route) => route.fulfill({ json: { success: true, message: "", data } }));
  await page.goto(at("/login"));
  await settled();
  const before = await layoutShift(page, "all");
  await fillIn();
  await page.getByRole("button", { name: "Back to login" }).waitFor();
  expect((await layoutShift(page, "all")) - before).toBeLessThan(0.05);
});

test("a second step by passkey alone says so where the browser has none at this address", async () => {
  const data = { require_second_factor: true, ticket: "ticket", methods: ["passkey"] };
  await page.route("**/api/user/login{?*,}", (route) => route.fulfill({ json: { success: true, message: "", data } }));
  await page.goto(at("/login"));
  await fillIn();
  await page.getByText("Passkeys cannot be used here.").waitFor();
  expect(await page.getByRole("button", { name: "Log in with a passkey" }).count()).toBe(0);
});

/** The addresses that the router shows inside the console, without their parameters. */
function guardedPaths(): string[] {
  const found = routePaths("/console");
  expect(found).toEqual(expect.arrayContaining(["/token", "/channel", "/log"]));
  return [...found, "/channel/add", "/channel/edit/1"];
}
