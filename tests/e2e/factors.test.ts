/** Second factors in a real browser with a virtual authenticator: set up, logged in with, confirmed by, and sessions ended from elsewhere. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { stepAt, totpCode } from "../../server/src/console/factors/totp.ts";
import { LEAVES_TO_ALL } from "../support/soak/short-or-long.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import {
  findingsOfAnotherLook,
  keepPicture,
  type Look,
  logInOn,
  looksOf,
  openContext,
  openPage,
  overflow,
  seriousFindings,
  startBrowser,
  WEB_DIRECTORY,
} from "../support/systems/browser.ts";
import { ROOT_PASSWORD, setUp, startTestServer, type TestServer } from "../support/systems/server.ts";

let server: TestServer;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let settled: () => Promise<void>;
let complaints: string[];

const kysely = () => server.app.foundation.database.kysely;
/** Browsers have passkeys for names only, never for bare addresses. */
const site = (): string => server.app.url.replace("127.0.0.1", "localhost");

beforeAll(async () => {
  server = await startTestServer({ TRUSTED_PROXIES: "127.0.0.1,::1" }, { webDirectory: WEB_DIRECTORY });
  await setUp(server);
  browser = await startBrowser();
});

let addresses = 0;

/** A window at an address of its own, so that the logins of one test do not use up another's. */
function openWindow(look: Partial<Look> = {}): Promise<BrowserContext> {
  addresses += 1;
  return openContext(browser, look, { extraHTTPHeaders: { "x-forwarded-for": `203.0.113.${addresses}` } });
}

beforeEach(async () => {
  for (const table of ["totp_factors", "recovery_codes", "passkeys", "sessions"] as const)
    await kysely().deleteFrom(table).execute();
  context = await openWindow();
  ({ page, settled, complaints } = await openPage(context));
});

afterEach(async ({ task }) => {
  await keepPicture(page, task);
  await context.close();
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

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

/** The session counts on, but who it is was confirmed too long ago. */
const forgetConfirmation = () => kysely().updateTable("sessions").set({ confirmed_time: 0 }).execute();
/** As if the last code had been typed a while ago. */
const forgetCode = () => kysely().updateTable("totp_factors").set({ last_step: 0 }).execute();

const dialog = () => page.getByRole("dialog");
const codeNow = (secret: string): string => totpCode(secret, stepAt(Date.now() / 1000));

async function openSecurity(): Promise<void> {
  await logInOn(page, site(), "root", ROOT_PASSWORD);
  await page.goto(`${site()}/personal/security`);
  await page.getByRole("heading", { name: "Second factor and passkeys" }).waitFor();
}

/** Sets an authenticator app up by the page. @returns its secret and the recovery codes. */
async function setUpApp(): Promise<{ secret: string; codes: string[] }> {
  await page.getByRole("button", { name: "Set up", exact: true }).click();
  await dialog()
    .getByRole("img", { name: /QR code/ })
    .waitFor();
  const secret = ((await dialog().locator(".mono").textContent()) ?? "").replaceAll(" ", "");
  await dialog().getByLabel("Code of the app").fill(codeNow(secret));
  await page.keyboard.press("Enter");
  await dialog().getByText("They are shown only now.").waitFor();
  const codes = await dialog().getByRole("listitem").allTextContents();
  // They would be lost: neither Escape nor a click beside the dialog closes it.
  await page.keyboard.press("Escape");
  await page.mouse.click(5, 5);
  const saved = page.waitForEvent("download");
  await dialog().getByRole("button", { name: "Download" }).click();
  expect((await saved).suggestedFilename()).toBe("recovery-codes-localhost.txt");
  await dialog().getByRole("button", { name: "I have kept them" }).click();
  await page.getByText("8 of 8 left").waitFor();
  await forgetCode();
  return { secret, codes };
}

/** A fresh visit to the login page with the right password. */
async function firstStep(): Promise<void> {
  // A page of the console would go elsewhere by itself, in the middle of what follows.
  await page.goto(`${site()}/livez`);
  await page.evaluate(() => localStorage.clear());
  await context.clearCookies();
  await page.goto(`${site()}/login`);
  await page.getByLabel("Username or email").fill("root");
  await page.getByLabel("Password", { exact: true }).fill(ROOT_PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByLabel("Code", { exact: true }).waitFor();
}

const isInside = () => page.locator("main#content h1").waitFor();

test("an authenticator app is set up, asked for at the login, and a recovery code stands in for it once", async () => {
  await openSecurity();
  const { secret, codes } = await setUpApp();
  expect(codes).toHaveLength(8);
  await firstStep();
  await expect.poll(() => page.getByLabel("Code", { exact: true }).getAttribute("autocomplete")).toBe("one-time-code");
  await page.keyboard.type("000000");
  await page.keyboard.press("Enter");
  await page.getByText("This code is not right").waitFor();
  await page.getByText("Lost both? An administrator of this site can remove the second factor.").waitFor();
  await page.keyboard.type(codeNow(secret));
  await page.keyboard.press("Enter");
  await isInside();
  await firstStep();
  await page.getByText("An administrator of this site can remove the second factor.").waitFor();
  await page.keyboard.type(codes[0] ?? "");
  await page.keyboard.press("Enter");
  await dialog().getByText("7 codes are left.").waitFor();
  await dialog().getByRole("button", { name: "Open security" }).click();
  await page.getByText("7 of 8 left").waitFor();
  await firstStep();
  await page.keyboard.type(codes[0] ?? "");
  await page.keyboard.press("Enter");
  await page.getByText("This code is not right").waitFor();
  await page.getByRole("button", { name: "Back to login" }).click();
  await page.getByLabel("Username or email").waitFor();
});

test("a passkey is added, signs in past the second step, confirms, is renamed and removed", async () => {
  await addAuthenticator();
  await openSecurity();
  await setUpApp();
  await page.getByRole("button", { name: "Add passkey" }).click();
  await dialog().getByLabel("Name").fill("Blue laptop");
  await page.keyboard.press("Enter");
  await page.getByText("Not used yet").waitFor();
  await firstStep();
  await page.getByRole("button", { name: "Back to login" }).click();
  await page.getByRole("button", { name: "Log in with a passkey" }).click();
  await isInside();
  await page.goto(`${site()}/personal/security`);
  await page.getByText("Last used").waitFor();
  await page.getByText("Passkey,").waitFor();
  await page.getByRole("button", { name: "Actions for Blue laptop" }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await dialog().getByLabel("Name").fill("Red laptop");
  await page.keyboard.press("Enter");
  await forgetConfirmation();
  await page.getByRole("button", { name: "Actions for Red laptop" }).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  await dialog().getByRole("button", { name: "Remove" }).click();
  await dialog().getByRole("button", { name: "Use a passkey" }).click();
  await dialog().getByRole("button", { name: "Use passkey" }).click();
  await page.getByText("Red laptop").waitFor({ state: "detached" });
  expect(await kysely().selectFrom("passkeys").selectAll().execute()).toEqual([]);
});

testInAll("at an address without a name the page says before that no passkey can be made, and the login offers none")(
  async () => {
    await logInOn(page, server.app.url, "root", ROOT_PASSWORD);
    await page.goto(`${server.app.url}/personal/security`);
    await page.getByText("Passkeys need a site with a name").waitFor();
    expect(await page.getByRole("button", { name: "Add passkey" }).count()).toBe(0);
    await context.clearCookies();
    await page.goto(`${server.app.url}/login`);
    await page.getByLabel("Username or email").waitFor();
    expect(await page.getByRole("button", { name: "Log in with a passkey" }).count()).toBe(0);
  },
);

testInAll("the app is turned off after a confirmation by its own code")(async () => {
  await openSecurity();
  const { secret } = await setUpApp();
  await forgetConfirmation();
  complaints.length = 0;
  await page.getByRole("button", { name: "Turn off" }).click();
  await dialog().getByRole("button", { name: "Turn off" }).click();
  await dialog().getByRole("button", { name: "Use a code of your authenticator app" }).click();
  await page.keyboard.type(codeNow(secret));
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Set up", exact: true }).waitFor();
  expect(await kysely().selectFrom("totp_factors").selectAll().execute()).toEqual([]);
});

testInAll("another session is ended from here, and refused from its next call on")(async () => {
  const other = server.client();
  await other.login("root", ROOT_PASSWORD);
  await openSecurity();
  await page.getByRole("button", { name: "End the session of Unknown device" }).click();
  await page.getByText("Unknown device").waitFor({ state: "detached" });
  expect((await other.get("/api/user/self")).status).toBe(401);
  await page.getByText("This session").waitFor();
});

testInAll("an administrator removes the lost factors of a user in the user's drawer")(async () => {
  const root = server.client();
  await root.login("root", ROOT_PASSWORD);
  await root.post("/api/user/", { username: "forgetful", password: ROOT_PASSWORD, display_name: "" });
  const person = server.client();
  const { data } = (await person.login("forgetful", ROOT_PASSWORD)).body as { data: { id: number } };
  const begun = (await person.post("/api/user/self/totp")).body.data as { secret: string };
  await person.post("/api/user/self/totp/confirm", { code: codeNow(begun.secret) });
  await logInOn(page, site(), "root", ROOT_PASSWORD);
  await page.goto(`${site()}/user/edit/${data.id}`);
  await page.getByText("It is on.").waitFor();
  await page.getByRole("button", { name: "Remove second factor…" }).click();
  await page.getByRole("button", { name: "Remove them" }).click();
  await page.getByText("forgetful logs in without a second factor now").waitFor();
  expect(await kysely().selectFrom("totp_factors").selectAll().execute()).toEqual([]);
  // Where there is none, it says so and offers nothing.
  await page.reload();
  await dialog().getByText("The password alone logs in.").waitFor();
  expect(await page.getByRole("button", { name: "Remove second factor…" }).count()).toBe(0);
});

/** pages.test.ts looks at the page too; in the short form that is enough. */
test.each(LEAVES_TO_ALL ? [] : looksOf("/personal/security"))(
  "the cards and dialogs hold in $language, $theme, $size.width px",
  async (look) => {
    await context.close();
    context = await openWindow(look);
    ({ page, settled, complaints } = await openPage(context));
    await logInOn(page, site(), "root", ROOT_PASSWORD);
    await page.goto(`${site()}/personal/security`);
    const isChinese = look.language === "zh";
    await page.getByRole("heading", { name: isChinese ? "登录会话" : "Sessions" }).waitFor();
    await settled();
    expect([await overflow(page), await findingsOfAnotherLook(page)]).toEqual([0, []]);
    await page.getByRole("button", { name: isChinese ? "设置" : "Set up", exact: true }).click();
    await dialog().getByRole("img").waitFor();
    await settled();
    expect([await overflow(page), await seriousFindings(page), complaints]).toEqual([0, [], []]);
  },
);
