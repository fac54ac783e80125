/** Required actions of an account in a real browser: a temporary password, then a demanded second factor, from the login to the page that was wanted. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { ROLE } from "../../contract/src/roles.ts";
import { stepAt, totpCode } from "../../server/src/console/factors/totp.ts";
import { bumpVersion } from "../../server/src/db/versions.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import {
  clearWindow,
  keepPicture,
  type Look,
  looksOf,
  openContext,
  openPage,
  overflow,
  seriousFindings,
  startBrowser,
  WEB_DIRECTORY,
} from "../support/systems/browser.ts";
import { dataOf } from "../support/systems/site.ts";
import { addFactor, setUp, startTestServer, type TestClient, type TestServer } from "../support/systems/server.ts";

const FIRST = "long-enough-1";
const OWN = "battery staple 7";

let server: TestServer;
let root: TestClient;
let browser: Browser;
/** One for each look. */
const windows = new Map<string, BrowserContext>();
let context: BrowserContext;
let page: Page;
let complaints: string[];
let settled: () => Promise<void>;

const kysely = () => server.app.foundation.database.kysely;
/** Browsers have passkeys for names only, never for bare addresses. */
const at = (path: string): string => server.app.url.replace("127.0.0.1", "localhost") + path;
const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true });

beforeAll(async () => {
  server = await startTestServer({}, { webDirectory: WEB_DIRECTORY });
  root = await setUp(server);
  await addFactor(server, root.userId);
  browser = await startBrowser();
});
afterEach(async ({ task }) => {
  await keepPicture(page, task);
  await clearWindow(context);
  await demand("nobody");
  await makeTemporary(false);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const demand = (value: string) => dataOf(root.put("/api/option", { key: "SecondFactorDemand", value }));
/** Whether passwords that another person chose are. */
const makeTemporary = (value: boolean) => dataOf(root.put("/api/option", { key: "TemporaryPasswordsEnabled", value }));

async function addAccount(username: string, password: string): Promise<number> {
  const { id } = await dataOf<{ id: number }>(root.post("/api/user/", { username, password, display_name: "" }));
  return id;
}

async function open(look: Partial<Look> = {}): Promise<void> {
  const key = JSON.stringify(look);
  context = windows.get(key) ?? (await openContext(browser, look));
  windows.set(key, context);
  ({ page, complaints, settled } = await openPage(context));
}

async function promote(id: number): Promise<void> {
  const { database, snapshot } = server.app.foundation;
  await database.kysely.transaction().execute(async (transaction) => {
    const changed_version = await bumpVersion(transaction, "users");
    await transaction.updateTable("users").set({ role: ROLE.admin, changed_version }).where("id", "=", id).execute();
  });
  await snapshot.refresh();
}

async function logIn(username: string, password: string, path: string): Promise<void> {
  await page.goto(at(path));
  await page.locator('input[name="username"]').fill(username);
  await page.locator('input[name="password"]').fill(password);
  await page.keyboard.press("Enter");
}

/** A fingerprint reader that always says yes. */
async function addAuthenticator(): Promise<void> {
  const devTools = await context.newCDPSession(page);
  await devTools.send("WebAuthn.enable");
  const options = {
    protocol: "ctap2",
    transport: "internal",
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const;
  await devTools.send("WebAuthn.addVirtualAuthenticator", { options });
}

/** Nothing of the console's frame is on the page. */
async function isAlone(): Promise<void> {
  expect(await page.getByRole("navigation").count()).toBe(0);
  expect(await page.getByRole("link").allTextContents()).toEqual(["Turnpike"]);
}

test("a new administrator changes the password and sets an app up, with recovery codes, and comes to the page that was wanted", async () => {
  await open();
  await promote(await addAccount("maria", FIRST));
  await makeTemporary(true);
  await demand("administrators");
  await logIn("maria", FIRST, "/channel?keyword=abc");
  await page.getByRole("heading", { name: "Choose a password of your own" }).waitFor();
  await isAlone();
  const field = (label: string) => page.getByLabel(label, { exact: true });
  await field("Old password").fill(FIRST);
  await field("New password").fill(FIRST);
  await field("Repeat the new password").fill(FIRST);
  await page.keyboard.press("Enter");
  await page.getByText("The new password must differ from the old one").waitFor();
  await field("New password").fill(OWN);
  await field("Repeat the new password").fill(OWN);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Set up a second factor" }).waitFor();
  await isAlone();
  // A reload, and whatever else is opened meanwhile, ends here again.
  await page.goto(at("/user"));
  await page.getByRole("heading", { name: "Set up a second factor" }).waitFor();
  await page.goBack();
  await button("Set up").click();
  await page.getByRole("img", { name: /QR code/ }).waitFor();
  const secret = ((await page.locator("main .mono").textContent()) ?? "").replaceAll(" ", "");
  await field("Code of the app").fill(totpCode(secret, stepAt(Date.now() / 1000)));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Recovery codes" }).waitFor();
  await expect.poll(() => page.getByRole("listitem").count()).toBe(8);
  await isAlone();
  await button("I have kept them").click();
  await page.waitForURL(at("/channel?keyword=abc"));
  await page.getByRole("heading", { name: "Channels", exact: true }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Channels", exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

testInAll(
  "a tab that is open when the demand comes is led there and back, by a passkey, which later stands beside the password",
)(async () => {
  await open();
  await promote(await addAccount("rosa", OWN));
  await logIn("rosa", OWN, "/user");
  await page.getByRole("heading", { name: "Users", exact: true }).waitFor();
  // A question that is still open would be the one that is refused.
  await settled();
  await demand("administrators");
  await page.getByRole("link", { name: "Channels" }).click();
  await page.getByRole("heading", { name: "Set up a second factor" }).waitFor();
  expect(new URL(page.url()).searchParams.get("next")).toBe("/channel");
  await addAuthenticator();
  await button("Add passkey").click();
  await page.getByRole("dialog").getByRole("button", { name: "Continue" }).click();
  await page.waitForURL(at("/channel"));
  await page.getByRole("heading", { name: "Channels", exact: true }).waitFor();
  await context.clearCookies();
  await page.evaluate(() => localStorage.clear());
  await logIn("rosa", OWN, "/login?next=/user");
  await page.getByText("This site also asks for your passkey").waitFor();
  expect(await page.getByLabel("Code", { exact: true }).count()).toBe(0);
  await button("Log in with a passkey").click();
  await page.waitForURL(at("/user"));
});

testInAll("the super administrator is told to have a factor before demanding one")(async () => {
  await open();
  await kysely().deleteFrom("passkeys").where("user_id", "=", root.userId).execute();
  const refused = await root.put("/api/option", { key: "SecondFactorDemand", value: "everybody" });
  expect(refused.body).toMatchObject({ success: false, field: "SecondFactorDemand" });
  await logIn("root", "correct horse 1", "/setting?tab=system");
  const row = page.locator('[data-option="SecondFactorDemand"]');
  await row.getByRole("radio", { name: "Of everybody" }).click();
  await page.getByRole("button", { name: /^Save/ }).last().click();
  await row.getByText("set up an authenticator app or a passkey for your own account first").waitFor();
  await addFactor(server, root.userId);
});

testInAll("logging out works from there, and a link to the page without anything to do leads on")(async () => {
  await open();
  await addAccount("vera", OWN);
  await demand("nobody");
  await logIn("vera", OWN, "/login");
  await page.waitForURL(at("/token"));
  await page.goto(at("/secure-account?next=/log"));
  await page.waitForURL(/\/log(\?|$)/);
  await demand("everybody");
  // The page is left while it loads.
  await page.goto(at("/token"), { waitUntil: "commit" });
  await button("Log out").click();
  await page.waitForURL(at("/login"));
  await page.goto(at("/secure-account?next=/log"));
  await page.waitForURL(at("/login?next=%2Flog"));
});

test.each(looksOf("/secure-account"))("the steps hold in $language, $theme, $size.width px", async (look) => {
  await open(look);
  const username = `u${look.language}${look.size.width}`;
  await addAccount(username, FIRST);
  await makeTemporary(true);
  await demand("everybody");
  await logIn(username, FIRST, "/login");
  await page.locator('input[autocomplete="current-password"]').waitFor();
  await settled();
  expect([await overflow(page), await seriousFindings(page)]).toEqual([0, []]);
  const fields = page.locator("main form input");
  for (const [index, text] of [FIRST, OWN, OWN].entries()) await fields.nth(index).fill(text);
  await page.keyboard.press("Enter");
  await page.locator("main li").first().waitFor();
  await settled();
  expect([await overflow(page), await seriousFindings(page)]).toEqual([0, []]);
  await page.locator('main button[data-variant="filled"]').click();
  await page.locator('input[name="code"]').waitFor();
  await settled();
  expect([await overflow(page), await seriousFindings(page)]).toEqual([0, []]);
  const secret = ((await page.locator("main .mono").textContent()) ?? "").replaceAll(" ", "");
  await page.locator('input[name="code"]').fill(totpCode(secret, stepAt(Date.now() / 1000)));
  await page.keyboard.press("Enter");
  await page.locator("main li").nth(7).waitFor();
  await settled();
  expect([await overflow(page), await seriousFindings(page)]).toEqual([0, []]);
  // No word of a button is cut.
  const cut = await page
    .locator("main button")
    .evaluateAll((buttons) => buttons.filter((each) => each.scrollWidth > each.clientWidth).length);
  expect(cut).toBe(0);
});
