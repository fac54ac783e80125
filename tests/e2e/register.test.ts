/** Registration in a real browser, with a code by mail, and a forgotten password by its link; each refusal is shown at its field. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ROLE } from "../../contract/src/roles.ts";
import { addPerson } from "../../tools/seed/people.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import {
  clearWindow,
  clipboardOf,
  keepPicture,
  type Look,
  openContext,
  openPage,
  overflow,
  PHONE,
  seriousFindings,
  startBrowser,
  WEB_DIRECTORY,
} from "../support/systems/browser.ts";
import { messagesTo } from "../support/systems/outbox.ts";
import { setUp, startTestServer, type TestClient, type TestServer } from "../support/systems/server.ts";
import { dataOf } from "../support/systems/site.ts";

const PASSWORD = "long enough";

let server: TestServer;
let root: TestClient;
let browser: Browser;
/** One for each look. */
const windows = new Map<string, BrowserContext>();
let page: Page;

const option = (key: string, value: string) => dataOf(root.put("/api/option", { key, value }));
const at = (path: string): string => server.app.url + path;
const button = (name: string | RegExp) => page.getByRole("button", { name, exact: typeof name === "string" });
const label = (name: string) => page.getByLabel(name, { exact: true });
const stored = (key: string): Promise<string | null> => page.evaluate((name) => localStorage.getItem(name), key);

beforeAll(async () => {
  server = await startTestServer({}, { webDirectory: WEB_DIRECTORY });
  root = await setUp(server);
  for (const [key, value] of [
    ["SMTPServer", "127.0.0.1"],
    ["SMTPPort", "1"],
    ["SMTPAccount", "site@example.org"],
    ["ServerAddress", server.app.url],
    ["EmailDomainWhitelist", "example.org"],
    ["EmailDomainRestrictionEnabled", "true"],
    ["EmailVerificationEnabled", "true"],
    ["QuotaForInviter", "30"],
  ] as const)
    await option(key, value);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

async function open(look: Partial<Look> = {}): Promise<void> {
  const key = JSON.stringify(look);
  const context = windows.get(key) ?? (await openContext(browser, look));
  windows.set(key, context);
  await clearWindow(context);
  ({ page } = await openPage(context));
}
beforeEach(() => open());
afterEach(({ task }) => keepPicture(page, task));

/** What the last mail to an address carries. */
async function mailed(address: string, value: "code" | "address"): Promise<string> {
  const message = (await messagesTo(server.app.foundation, address)).findLast(({ values }) => value in values);
  return String(message?.values[value]);
}

async function fillIn(username: string): Promise<void> {
  await label("Username").fill(username);
  await label("Password").fill(PASSWORD);
  await label("Repeat the password").fill(PASSWORD);
}

async function askCode(email: string): Promise<void> {
  await label("Email").fill(email);
  await button("Get code").click();
}

test("an invited newcomer reads what the invitation earns, registers with the code of the mail and is logged in, with the first steps before them", async () => {
  const inviter = await dataOf<{ aff_code: string }>(root.get("/api/user/self"));
  await page.goto(at(`/login?aff=${inviter.aff_code}`));
  await page.getByRole("main").getByRole("link", { name: "Register" }).click();
  await page.getByText("You were invited: the person who invited you earns $0.00006").waitFor();
  await fillIn("newcomer");
  await askCode("New@example.org");
  await page.getByText("Verification code sent").waitFor();
  await button(/^Again in \d+ s$/).waitFor();
  await label("Code").fill("000000");
  await button("Register").click();
  await page.getByText("The code is wrong or expired").waitFor();
  await page.locator('[name="verification_code"]:focus').waitFor();
  await label("Code").fill(await mailed("new@example.org", "code"));
  await page.keyboard.press("Enter");
  await page.waitForURL(at("/token"));
  expect(await stored("aff")).toBeNull();
  const steps = page.getByRole("region", { name: "Get started" });
  await steps.getByText("0 of 3 done").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  const { aff_count, aff_quota } = await dataOf<{ aff_count: number; aff_quota: number }>(root.get("/api/user/self"));
  expect([aff_count, aff_quota]).toEqual([1, 30]);
});

test("what is wrong is told at its field before anything is sent, and by the server where only it can know", async () => {
  const sent: string[] = [];
  page.on("request", (request) => request.method() === "POST" && sent.push(new URL(request.url()).pathname));
  await page.goto(at("/register"));
  await button("Register").click();
  await page.locator('[name="username"]:focus').waitFor();
  await page.getByText("The username must be 1 to 32 characters long").waitFor();
  await fillIn("root");
  await label("Repeat the password").fill("something else");
  await button("Register").click();
  await page.getByText("The two passwords do not match").waitFor();
  await button("Get code").click();
  await page.getByText("This is not an email address").waitFor();
  expect(sent).toEqual([]);
  await askCode("somebody@elsewhere.example");
  await page.getByText("Email addresses of elsewhere.example are not allowed on this site").waitFor();
  await page.locator('[name="email"]:focus').waitFor();
  await label("Repeat the password").fill(PASSWORD);
  await label("Email").fill("somebody@example.org");
  await label("Code").fill("123456");
  await button("Register").click();
  await page.getByText("This username is taken").waitFor();
  await page.locator('[name="username"]:focus').waitFor();
});

testInAll("another code is sent after thirty seconds, by keyboard alone")(async () => {
  // A window of its own, since a clock stays as it was set.
  ({ page } = await openPage(await openContext(browser)));
  await page.clock.install();
  await page.goto(at("/register"));
  await label("Email").fill("wait@example.org");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await button("Again in 30 s").waitFor();
  await button(/^Again/).click({ force: true });
  await page.clock.runFor(29_000);
  await button("Again in 1 s").waitFor();
  await page.clock.runFor(1_500);
  await button("Get code").waitFor();
  expect(await messagesTo(server.app.foundation, "wait@example.org")).toHaveLength(1);
});

test("a forgotten password is reset by the link of the mail, which opening it does not use up", async () => {
  const forgetful = { username: "forgetful", displayName: "forgetful", role: ROLE.user, group: "default" } as const;
  const person = { ...forgetful, email: "forgetful@example.org", quota: 1_000, tokens: [] };
  await addPerson(server.app.foundation, person, PASSWORD, Math.floor(Date.now() / 1000));
  await page.goto(at("/login"));
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await label("Email").fill("no address");
  await button("Send link").click();
  await page.getByText("Please enter an email address").waitFor();
  await label("Email").fill("forgetful@example.org");
  await button("Send link").click();
  await page.getByText("If this address belongs to an account").waitFor();
  await button(/^Again in \d+ s$/).waitFor();
  const link = await mailed("forgetful@example.org", "address");
  expect(link.startsWith(at("/user/reset?email=forgetful%40example.org&token="))).toBe(true);
  for (let opened = 0; opened < 2; opened += 1) await page.goto(link);
  await button("Get the new password").click();
  const password = await label("New password").inputValue();
  expect(new URL(page.url()).search).toBe("");
  // Without another click: it is shown this once.
  await button("Copied").waitFor();
  expect(await clipboardOf(page)).toBe(password);
  await page.getByRole("main").getByRole("link", { name: "Log in" }).click();
  await label("Username or email").fill("forgetful@example.org");
  await label("Password").fill(password);
  await page.keyboard.press("Enter");
  await page.waitForURL(at("/token"));
  await open();
  await page.goto(link);
  await button("Get the new password").click();
  await page.getByText("This link is used or expired").waitFor();
  await page.getByRole("link", { name: "Ask for a new link" }).click();
  await page.waitForURL(at("/reset"));
  await page.goto(at("/user/reset?email=a@example.org"));
  await page.getByText("This link is not complete").waitFor();
});

testInAll(
  "errors and the new password fit on a phone in Chinese, and axe finds nothing; the bar does not offer to register there",
)(async () => {
  await open({ size: PHONE, theme: "dark", language: "zh" });
  await page.goto(at("/register"));
  await page.locator("main button[type=submit]").click();
  await page.locator('[name="email"][aria-invalid="true"]').waitFor();
  expect([await overflow(page), await seriousFindings(page)]).toEqual([0, []]);
  const made = { success: true, message: "", data: "Ab3dEf6hJk9mNp2q" };
  await page.route("**/api/user/reset", (route) => route.fulfill({ json: made }));
  await page.goto(at("/user/reset?email=a@b.example&token=x"));
  await button("获取新密码").click();
  await label("新密码").waitFor();
  const inBar = page.getByRole("banner").locator('a[href^="/register"]');
  await inBar.waitFor({ state: "attached" });
  expect(await inBar.isVisible()).toBe(false);
  expect([await overflow(page), await seriousFindings(page)]).toEqual([0, []]);
});

testInAll("the bar offers to register, and nothing offers it where the site takes nobody")(async () => {
  await page.goto(at("/about"));
  await page.getByRole("banner").getByRole("link", { name: "Register" }).waitFor();
  await option("SelfUseModeEnabled", "true");
  await page.goto(at("/register"));
  await page.getByText("Registration is closed on this site").waitFor();
  await page.goto(at("/login"));
  await label("Password").waitFor();
  expect(await page.getByRole("link", { name: "Register" }).count()).toBe(0);
  await option("SelfUseModeEnabled", "false");
});

testInAll("accounts of other sites are offered to newcomers too, alone where passwords are closed")(async () => {
  for (const [key, value] of [
    ["GitHubClientId", "the-client"],
    ["GitHubClientSecret", "the-secret"],
    ["GitHubOAuthEnabled", "true"],
  ] as const)
    await option(key, value);
  await page.goto(at("/register"));
  await button(/GitHub/).waitFor();
  await label("Username").waitFor();
  await option("PasswordRegisterEnabled", "false");
  await page.reload();
  await page.getByText("Register with one of these accounts").waitFor();
  await button(/GitHub/).waitFor();
  expect(await label("Username").count()).toBe(0);
  await option("PasswordRegisterEnabled", "true");
  await option("GitHubOAuthEnabled", "false");
});
