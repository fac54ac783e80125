/** Signing in with other sites' accounts in a real browser: through a real OpenID provider, GitHub's stand-in, WeChat's dialog and Telegram's button. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { telegramHash } from "../../server/src/console/identities/providers/telegram.ts";
import { IS_SHORT, oneInShort } from "../support/soak/short-or-long.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import {
  clearWindow,
  keepPicture,
  logInOn,
  openContext,
  openPage,
  type WatchedPage,
  overflow,
  PHONE,
  seriousFindings,
  startBrowser,
  WEB_DIRECTORY,
} from "../support/systems/browser.ts";
import { SITE_CLIENT, startIdentitySites, WECHAT_TOKEN } from "../support/systems/identity-sites.ts";
import type { IdentitySites } from "../support/systems/identity-sites.ts";
import { OPENID_CLIENT, startOpenidProvider } from "../support/systems/openid.ts";
import type { OpenidProvider } from "../support/systems/openid.ts";
import { ROOT_PASSWORD, setUp, startTestServer } from "../support/systems/server.ts";
import type { TestClient, TestServer } from "../support/systems/server.ts";
import { dataOf } from "../support/systems/site.ts";

const BOT_TOKEN = "123:token";

let sites: IdentitySites;
let server: TestServer;
let openid: OpenidProvider;
let root: TestClient;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let complaints: string[];
let settled: WatchedPage["settled"];
let visits = 0;

const optionsOf = (): Record<string, string> => ({
  "oidc.client_id": OPENID_CLIENT.id,
  "oidc.client_secret": OPENID_CLIENT.secret,
  "oidc.well_known": openid.wellKnown,
  "oidc.authorization_endpoint": `${openid.issuer}/auth`,
  "oidc.token_endpoint": `${openid.issuer}/token`,
  "oidc.user_info_endpoint": `${openid.issuer}/me`,
  "oidc.enabled": "true",
  GitHubClientId: SITE_CLIENT.id,
  GitHubClientSecret: SITE_CLIENT.secret,
  GitHubOAuthEnabled: "true",
  WeChatServerAddress: sites.url,
  WeChatServerToken: WECHAT_TOKEN,
  WeChatAccountQRCodeImageURL: "https://pictures.example/qr.png",
  WeChatAuthEnabled: "true",
  TelegramBotToken: BOT_TOKEN,
  TelegramBotName: "the_bot",
  TelegramOAuthEnabled: "true",
});

beforeAll(async () => {
  sites = await startIdentitySites();
  const standIns = {
    "https://github.com": sites.url,
    "https://api.github.com": sites.url,
    "https://connect.linux.do": sites.url,
  };
  server = await startTestServer(
    { ALLOW_PRIVATE_UPSTREAMS: "1", TRUSTED_PROXIES: "127.0.0.1" },
    { webDirectory: WEB_DIRECTORY, standIns },
  );
  openid = await startOpenidProvider(() => [`${server.app.url}/oauth/oidc`]);
  root = await setUp(server);
  for (const [key, value] of Object.entries(optionsOf())) await dataOf(root.put("/api/option", { key, value }));
  browser = await startBrowser();
  context = await openContext(browser);
});

afterAll(async () => {
  await browser?.close();
  await openid?.close();
  await server?.stop();
  await sites?.close();
});

beforeEach(async () => {
  // Each test stands for other people at another address: how often one may try is tested elsewhere.
  visits += 1;
  await context.setExtraHTTPHeaders({ "x-forwarded-for": `198.51.100.${visits}` });
  ({ page, complaints, settled } = await openPage(context));
});
afterEach(async ({ task }) => {
  await keepPicture(page, task);
  await clearWindow(context);
});

const at = (path: string): string => server.app.url + path;
/** Without those of the other sites' pages. */
const ownComplaints = (): string[] => complaints.filter((complaint) => complaint.includes(server.app.url));
const heading = (name: string) => page.getByRole("heading", { name });
const stored = async (): Promise<{ username?: string }> =>
  JSON.parse((await page.evaluate(() => localStorage.getItem("user"))) ?? "{}") as { username?: string };

/** At the provider's own page: says who one is, and agrees. */
async function agreeAs(name: string): Promise<void> {
  await page.locator('input[name="login"]').fill(name);
  await page.locator('input[name="password"]').fill("any");
  await page.locator('button[type="submit"]').click();
  await page.getByRole("button", { name: "Continue" }).click();
}

test("with OpenID somebody registers by an invitation, comes back as the same, and goes where they wanted to", async () => {
  const inviter = () => dataOf<{ aff_code: string; aff_count: number }>(root.get("/api/user/self"));
  await page.goto(at(`/login?next=%2Flog&aff=${(await inviter()).aff_code}`));
  await page.getByRole("button", { name: "Continue with OpenID" }).click();
  await agreeAs("alice");
  await heading("Usage log").waitFor();
  expect(await stored()).toMatchObject({ username: "alice" });
  expect(new URL(page.url()).pathname).toBe("/log");
  expect((await inviter()).aff_count).toBe(1);
  expect(ownComplaints()).toEqual([]);
  // What the login goes on to ask would be refused without the session, and leave the page.
  await settled();
  await context.clearCookies({ domain: new URL(server.app.url).hostname, name: "turnpike_session" });
  await page.evaluate(() => localStorage.removeItem("user"));
  await page.goto(at("/login"));
  await page.getByRole("button", { name: "Continue with OpenID" }).click();
  // The provider remembers who it was.
  await heading("Tokens").waitFor();
  expect(await stored()).toMatchObject({ username: "alice" });
});

testInAll("a code that came once is not taken again, and the page says so and leads to the login")(async () => {
  sites.person = { id: 11, login: "once" };
  await page.goto(at("/login"));
  const back = page.waitForRequest((request) => request.url().includes("/oauth/github?code="));
  await page.getByRole("button", { name: "Continue with GitHub" }).click();
  const address = (await back).url();
  await heading("Tokens").waitFor();
  await page.evaluate(() => localStorage.removeItem("user"));
  await page.goto(address);
  await page.getByText("This login was not started in this browser").waitFor();
  await page.getByText("Operation failed, redirecting to login page...").waitFor();
  // In the short form pages.test.ts looks at this page, and at the account's own.
  if (!IS_SHORT) expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("link", { name: "Go to the login page" }).click();
  await page.getByRole("button", { name: "Continue with GitHub" }).waitFor();
});

test("an account is bound, shown, and unbound after a question", async () => {
  await logInOn(page, server.app.url, "root", ROOT_PASSWORD);
  await page.goto(at("/personal/security"));
  await page.getByRole("button", { name: "Bind OpenID" }).click();
  await agreeAs("rootly");
  await page.getByText("Binding succeeded").waitFor();
  expect(new URL(page.url()).pathname).toBe("/personal/security");
  await page.getByText("rootly", { exact: true }).waitFor();
  if (!IS_SHORT) expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Unbind OpenID" }).click();
  await page
    .getByRole("alertdialog")
    .or(page.getByRole("dialog"))
    .getByRole("button", { name: "Unbind OpenID" })
    .click();
  await page.getByText("OpenID is unbound").waitFor();
  await page.getByRole("button", { name: "Bind OpenID" }).waitFor();
  expect(ownComplaints()).toEqual([]);
});

test("WeChat's dialog shows its code, refuses a wrong one where it was typed, and signs in with a right one, by keyboard alone", async () => {
  sites.wechat.set("123456", "openid-of-wechat");
  await page.route("https://pictures.example/**", (route) =>
    route.fulfill({ contentType: "image/svg+xml", body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
  );
  await page.goto(at("/login"));
  const button = page.getByRole("button", { name: "Continue with WeChat" });
  await button.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "WeChat" });
  await dialog.getByRole("img", { name: "QR code of the WeChat account" }).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.keyboard.press("Enter");
  await dialog.getByLabel("Code").fill("000000");
  await page.keyboard.press("Enter");
  await dialog.getByRole("alert").getByText("The code is wrong or expired").waitFor();
  await dialog.getByLabel("Code").fill("123456");
  await page.keyboard.press("Enter");
  await heading("Tokens").waitFor();
});

testInAll("Telegram's button is loaded when it is asked for, and leads back with a state of this browser")(async () => {
  let loads = 0;
  await page.route("https://telegram.org/**", async (route) => {
    loads += 1;
    // What the real script does at the end, with the account of the user who pressed its button.
    const body =
      "const own = document.currentScript; window.goBack = (fields) => location.assign(own.dataset.authUrl + '&' + fields);";
    await route.fulfill({ contentType: "text/javascript", body });
  });
  await logInOn(page, server.app.url, "root", ROOT_PASSWORD);
  await page.goto(at("/personal/security"));
  await page.getByRole("button", { name: "Bind Telegram" }).waitFor();
  expect(loads).toBe(0);
  await page.getByRole("button", { name: "Bind Telegram" }).click();
  await page.waitForFunction(() => "goBack" in window);
  const fields = {
    id: "77",
    first_name: "Root",
    username: "root_there",
    auth_date: String(Math.floor(Date.now() / 1000)),
  };
  const query = new URLSearchParams({ ...fields, hash: telegramHash(BOT_TOKEN, fields) }).toString();
  await page.evaluate((back) => (window as unknown as { goBack: (fields: string) => void }).goBack(back), query);
  await page.getByText("Binding succeeded").waitFor();
  await page.getByText("root_there", { exact: true }).waitFor();
  expect(ownComplaints()).toEqual([]);
});

test("another site's link into the page of Telegram neither signs in nor binds", async () => {
  await logInOn(page, server.app.url, "root", ROOT_PASSWORD);
  const fields = { id: "78", auth_date: String(Math.floor(Date.now() / 1000)) };
  const signed = { ...fields, hash: telegramHash(BOT_TOKEN, fields) };
  const attempts = [{ bind: "true", state: "x".repeat(43) }, { bind: "true" }, {}];
  for (const more of oneInShort("tests/e2e/identities.test.ts", attempts)) {
    await page.goto(at(`/oauth/telegram?${new URLSearchParams({ ...signed, ...more }).toString()}`));
    await page.getByText("This login was not started in this browser").waitFor();
  }
});

testInAll("on a phone every way fits below the form")(async () => {
  const phone = await openContext(browser, { size: PHONE, theme: "dark", language: "zh" });
  ({ page, complaints, settled } = await openPage(phone));
  await page.goto(at("/login"));
  await page.getByRole("button", { name: "使用 微信 继续" }).waitFor();
  expect(await overflow(page)).toBe(0);
  expect(await seriousFindings(page)).toEqual([]);
});
