/** The first-run wizard in a real browser: what it says, that it happens once, who may do it, and that nothing is reached before it. */
import type { Browser, BrowserContext, Page, Route } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { testInAll } from "../support/soak/test-in-all.ts";
import {
  clearWindow,
  keepPicture,
  openContext,
  openPage,
  startBrowser,
  WEB_DIRECTORY,
} from "../support/systems/browser.ts";
import { oneInShort } from "../support/soak/short-or-long.ts";
import { ROOT_PASSWORD, setupCodeOf, startTestServer, type TestServer } from "../support/systems/server.ts";

const OPEN_MS = 1_500;
const PAGES = [
  "/",
  "/about",
  "/pricing",
  "/login?expired=true",
  "/detail",
  "/token",
  "/channel",
  "/channel/add",
  "/log",
  "/no-such-page",
];

let browser: Browser;
let context: BrowserContext;
let page: Page;
let server: TestServer;

const startFresh = (environment: Record<string, string> = {}) =>
  startTestServer(environment, { webDirectory: WEB_DIRECTORY });

beforeAll(async () => {
  browser = await startBrowser();
  context = await openContext(browser);
});

beforeEach(async () => {
  server = await startFresh();
  ({ page } = await openPage(context));
});

afterEach(async ({ task }) => {
  await keepPicture(page, task);
  await clearWindow(context);
  await server.stop();
});

afterAll(() => browser?.close());

const button = (name: string, on = page) => on.getByRole("button", { name, exact: true });
const account = (on = page) => ({
  username: on.getByLabel("Username"),
  password: on.getByLabel("Password", { exact: true }),
  confirm: on.getByLabel("Confirm password"),
});

async function fillAccount(
  on = page,
  given: { username?: string; password?: string; confirm?: string } = {},
): Promise<void> {
  const { username = "root", password = ROOT_PASSWORD } = given;
  const fields = account(on);
  await fields.username.fill(username);
  await fields.password.fill(password);
  await fields.confirm.fill(given.confirm ?? password);
  await button("Continue", on).click();
}

/** From the wizard's address, the printed one where none is given, to its last step. */
async function goToLastStep(on = page, url?: string): Promise<void> {
  await on.goto(url ?? (await server.app.setupUrl()) ?? "");
  await fillAccount(on);
  await button("Finish setup", on).waitFor();
}

async function isSetUp(of = server): Promise<boolean> {
  return ((await of.client().get("/api/setup")).body.data as { status: boolean }).status;
}

test("every page leads to the wizard until it is done; then the administrator is on the dashboard, logged in", async () => {
  for (const path of oneInShort("tests/e2e/setup.test.ts", PAGES)) {
    await page.goto(server.app.url + path);
    await page.waitForURL(({ pathname }) => pathname === "/setup");
    await page.getByRole("heading", { name: "Create the administrator" }).waitFor();
  }
  await page.getByText("SQLite is ready").waitFor();
  await goToLastStep();
  await button("Finish setup").click();
  await page.waitForURL(`${server.app.url}/detail`);
  await page.getByRole("heading", { level: 1, name: "Dashboard" }).waitFor();
  await page.goto(`${server.app.url}/setup`);
  await page.waitForURL(`${server.app.url}/`);
});

testInAll("each field says its own sentence and takes the focus; nothing is sent before all is right")(async () => {
  let sent = 0;
  page.on("request", (request) => {
    if (request.method() === "POST") sent++;
  });
  await page.goto(`${server.app.url}/setup`);
  const cases = [
    { given: { username: "" }, says: "Please enter the admin username", focused: "username" },
    { given: { username: "   " }, says: "Please enter the admin username", focused: "username" },
    { given: { password: "1234567" }, says: "Password must be at least 8 characters long", focused: "password" },
    {
      given: { password: "password" },
      says: "This password is one of the first that are guessed. Choose another one.",
      focused: "password",
    },
    {
      given: { confirm: "correct horse 2" },
      says: "The two passwords entered do not match",
      focused: "confirmPassword",
    },
  ];
  for (const { given, says, focused } of cases) {
    await fillAccount(page, given);
    await page.getByText(says, { exact: true }).waitFor();
    await page.locator(`[name="${focused}"]:focus`).waitFor();
  }
  await fillAccount();
  await page
    .getByRole("radio", { name: /For other people/ })
    .and(page.locator(":checked"))
    .waitFor();
  const boxes = await Promise.all((await page.getByRole("radio").all()).map((radio) => radio.boundingBox()));
  expect(new Set(boxes.map((box) => `${box?.width} x ${box?.height}`))).toEqual(new Set(["16 x 16"]));
  expect(sent).toBe(0);
});

testInAll("what was typed is not thrown away by a reload or a closed window unasked; once it is sent nothing asks")(
  async () => {
    await page.goto((await server.app.setupUrl()) ?? "");
    await account().username.fill("keeper");
    const asked: string[] = [];
    page.on("dialog", (dialog) => {
      asked.push(dialog.type());
      void dialog.dismiss();
    });
    await page.evaluate(() => location.reload());
    await expect.poll(() => asked).toEqual(["beforeunload"]);
    await expect.poll(() => account().username.inputValue()).toBe("keeper");
    await fillAccount(page, { username: "keeper" });
    await button("Finish setup").click();
    await page.waitForURL(`${server.app.url}/detail`);
    expect(asked).toHaveLength(1);
  },
);

testInAll("a failure is told, gives the button back, and the next try goes through")(async () => {
  await goToLastStep();
  const refusal = { success: false, message: "System initialisation failed, please try again", code: "setup_failed" };
  const failures: readonly { answer: (route: Route) => Promise<void>; says: string }[] = [
    { answer: (route) => route.abort("connectionrefused"), says: "Unable to connect to server" },
    {
      answer: (route) => route.fulfill({ status: 500, json: {} }),
      says: "Server internal error, contact the administrator",
    },
    { answer: (route) => route.fulfill({ json: refusal }), says: refusal.message },
  ];
  for (const { answer, says } of failures) {
    await page.route("**/api/setup", answer, { times: 1 });
    await button("Finish setup").click();
    await page.getByText(says).waitFor();
    await page.getByText("Initialisation failed, please try again", { exact: true }).last().waitFor();
    await expect.poll(() => button("Finish setup").isEnabled()).toBe(true);
  }
  expect(await isSetUp()).toBe(false);
  await button("Finish setup").click();
  await page.waitForURL(`${server.app.url}/detail`);
  expect(await isSetUp()).toBe(true);
});

testInAll("the console opens 1.5 s after the success, and pressing again in between sends nothing")(async () => {
  await goToLastStep();
  let sent = 0;
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/api/setup")) sent++;
  });
  let answeredMs = 0;
  const answer = async (route: Route): Promise<void> => {
    const response = await route.fetch();
    // Before the page has it: this clock must not start behind the page's own.
    answeredMs = performance.now();
    await route.fulfill({ response });
  };
  await page.route("**/api/setup", answer, { times: 1 });
  const opened = page.waitForEvent("framenavigated").then(() => performance.now());
  await button("Finish setup").dblclick();
  await page.getByText("The system is set up").waitFor();
  const waitedMs = (await opened) - answeredMs;
  expect(answeredMs).toBeGreaterThan(0);
  expect(waitedMs).toBeGreaterThanOrEqual(OPEN_MS);
  expect(waitedMs).toBeLessThan(OPEN_MS + 5_000);
  expect(sent).toBe(1);
});

testInAll("of two tabs that finish at once one sets the system up; the other is told and does not do it again")(
  async () => {
    const { page: other } = await openPage(context);
    await goToLastStep(page);
    await goToLastStep(other);
    const answers = [page, other].map(async (tab) => {
      const response = await tab.waitForResponse(
        (one) => one.url().endsWith("/api/setup") && one.request().method() === "POST",
      );
      return (await response.json()) as { success: boolean; message: string };
    });
    await Promise.all([page, other].map((tab) => button("Finish setup", tab).click()));
    const results = await Promise.all(answers);
    expect(results.filter(({ success }) => success)).toHaveLength(1);
    const [loser, tab] = results[0]?.success ? [results[1], other] : [results[0], page];
    expect(loser?.message).toBe("The system is already initialised");
    await tab.getByText("The system is already initialised").waitFor();
    await expect.poll(() => button("Finish setup", tab).isEnabled()).toBe(true);
    const users = await server.app.foundation.database.kysely.selectFrom("users").select("username").execute();
    expect(users).toEqual([{ username: "root" }]);
  },
);

testInAll("a system that cannot be asked is told in the page, with a way to try again")(async () => {
  await page.route("**/api/status", (route) => route.abort("connectionrefused"), { times: 1 });
  await page.goto(server.app.url);
  await page.getByText("Unable to connect to server").waitFor();
  await page.route("**/api/status", (route) => route.fulfill({ status: 500, json: { success: false, message: "" } }), {
    times: 1,
  });
  await page.getByRole("button", { name: /again/i }).click();
  await page.getByText("Failed to load status").waitFor();
  await page.route("**/api/setup", (route) => route.fulfill({ status: 500, json: { success: false, message: "" } }), {
    times: 1,
  });
  await page.getByRole("button", { name: /again/i }).click();
  await page.getByText("Failed to get initialisation status").waitFor();
  await page.getByRole("button", { name: /again/i }).click();
  await page.getByRole("heading", { name: "Create the administrator" }).waitFor();
});

test("the printed address brings the one-time code, and without it the wizard wants it typed", async () => {
  await goToLastStep(page, `${server.app.url}/setup`);
  await page.getByLabel("One-time code").fill("not the code");
  await button("Finish setup").click();
  await page.getByText("The one-time setup code is missing or wrong", { exact: false }).first().waitFor();
  await page.locator("input:focus").and(page.getByLabel("One-time code")).waitFor();
  expect(await isSetUp()).toBe(false);
  await goToLastStep();
  expect(await page.getByLabel("One-time code").count()).toBe(0);
  await goToLastStep(page, `${server.app.url}/setup`);
  await page.getByLabel("One-time code").fill(await setupCodeOf(server.app));
  await button("Finish setup").click();
  await page.waitForURL(`${server.app.url}/detail`);
  expect(await isSetUp()).toBe(true);
});
