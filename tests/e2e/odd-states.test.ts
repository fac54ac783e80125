/** The frame's odd states in a real browser: another tab logs out or in as another user, and an address that is no page. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PROGRAM } from "../../server/src/composition/program.ts";
import { ROLE } from "../../contract/src/roles.ts";
import { loggedIn, PERSON_PASSWORD } from "../support/systems/site.ts";
import { someInShort } from "../support/soak/short-or-long.ts";
import { logInOn, openContext, startBrowser } from "../support/systems/browser.ts";
import { ROOT_PASSWORD, setUp, startTestServer, type TestServer } from "../support/systems/server.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

let server: TestServer;
let browser: Browser;

beforeAll(async () => {
  server = await startTestServer({}, { webDirectory: PROGRAM.webDirectory });
  const root = await setUp(server);
  await root.post("/api/token/", { name: "laptop", unlimited_quota: true, expired_time: -1 });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

test("a tab shows nothing more of somebody who logged out in another one, and leads back after the login", async () => {
  const context = await openContext(browser);
  const [first, second] = [await context.newPage(), await context.newPage()];
  await logInOn(first, server.app.url, "root", ROOT_PASSWORD);
  await first.goto(`${server.app.url}/token?keyword=lap`);
  await first.getByText("laptop").waitFor();
  await second.goto(`${server.app.url}/nowhere`);
  await expect.poll(() => second.getByRole("link", { name: "Go to the console" }).getAttribute("href")).toBe("/token");
  await second.getByRole("button", { name: "Account" }).click();
  await second.getByRole("menuitem", { name: "Log out" }).click();
  await first.waitForURL("**/login?next=*");
  expect(await first.getByText("laptop").count()).toBe(0);
  expect(new URL(first.url()).searchParams.get("next")).toBe("/token?keyword=lap");
  await second.goto(`${server.app.url}/nowhere`);
  await second.getByRole("link", { name: "Go to the home page" }).waitFor();
  await context.close();
});

testInAll(
  "while no channel answers, empty lists of tokens and calls lead an administrator to connecting an upstream, and others to a token",
)(async () => {
  const root = await loggedIn(server.app.url, "root", ROOT_PASSWORD);
  const add = (username: string, role: number) =>
    root.post("/api/user/", { username, password: PERSON_PASSWORD, display_name: username, role });
  await Promise.all([add("operator-of-the-nights", ROLE.admin), add("member", ROLE.user)]);
  const context = await openContext(browser);
  const page = await context.newPage();
  await logInOn(page, server.app.url, "operator-of-the-nights", PERSON_PASSWORD);
  await page.goto(`${server.app.url}/token`);
  await page.getByRole("heading", { name: "Connect an upstream first" }).waitFor();
  expect(await page.getByText("never share or resell").count()).toBe(0);
  await page.getByRole("main").getByRole("button", { name: "Create token" }).click();
  // What few people need stands last.
  await expect
    .poll(() => page.getByRole("dialog").getByRole("heading", { level: 3 }).last().textContent())
    .toBe("Several at once");
  await page.keyboard.press("Escape");
  await page.goto(`${server.app.url}/log`);
  await page.getByRole("main").getByRole("link", { name: "Connect an upstream" }).click();
  await page.getByRole("dialog", { name: "Create channel" }).waitFor();
  await context.close();

  const other = await openContext(browser);
  const members = await other.newPage();
  await logInOn(members, server.app.url, "member", PERSON_PASSWORD);
  await members.goto(`${server.app.url}/token`);
  await members.getByRole("heading", { name: "Create your first token" }).waitFor();
  expect(await members.getByText("Connect an upstream").count()).toBe(0);
  await members.getByText("never share or resell").waitFor();
  await other.close();
});

testInAll("an administrator whose server fails is led to its log, not to an administrator")(async () => {
  const context = await openContext(browser);
  const page = await context.newPage();
  const body = JSON.stringify({ success: false, message: "", code: "internal" });
  await page.route(/\/api\/token\/?\?/, (route) =>
    route.fulfill({ status: 500, contentType: "application/json", body }),
  );
  await logInOn(page, server.app.url, "root", ROOT_PASSWORD);
  await page.goto(`${server.app.url}/token`);
  await page.getByText("The server’s log names the cause").waitFor();
  expect(await page.getByText("contact the administrator").count()).toBe(0);
  await context.close();
});

test("an ordinary user on an administrator's page gets one plain page that leads home, and none of its buttons", async () => {
  const root = server.client();
  await root.login("root", ROOT_PASSWORD);
  await root.post("/api/user/", { username: "maria", password: "long-enough-1", display_name: "maria" });
  const context = await openContext(browser);
  const page = await context.newPage();
  await logInOn(page, server.app.url, "maria", "long-enough-1");
  for (const path of someInShort([
    "/channel",
    "/channel/health",
    "/user",
    "/setting",
    "/user/edit/1",
    "/topup/orders",
    "/notification",
  ])) {
    await page.goto(`${server.app.url}${path}`);
    await page.getByRole("heading", { name: "You may not open this page" }).waitFor();
    expect(await page.locator("main").getByRole("button").count()).toBe(0);
    expect(await page.locator("main").getByRole("link", { name: "Go to the console" }).getAttribute("href")).toBe(
      "/token",
    );
  }
  for (const path of ["/user/edit", "/topup"]) {
    await page.goto(`${server.app.url}${path}`);
    await page.getByRole("navigation").first().waitFor();
    expect(await page.getByText("You may not open this page").count()).toBe(0);
  }
  await context.close();
});

testInAll("the browser's icon of the page follows the operator's logo")(async () => {
  const root = server.client();
  await root.login("root", ROOT_PASSWORD);
  const context = await openContext(browser);
  const page = await context.newPage();
  const icon = () => page.locator('link[rel="icon"]').getAttribute("href");
  await page.goto(`${server.app.url}/login`);
  await expect.poll(icon).toBe("/mark.svg");
  await root.put("/api/option/", { key: "Logo", value: "/logo.png?own" });
  await page.reload();
  await expect.poll(icon).toBe("/logo.png?own");
  await root.put("/api/option/", { key: "Logo", value: "" });
  await page.reload();
  await expect.poll(icon).toBe("/mark.svg");
  await context.close();
});
