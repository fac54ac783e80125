/** The human check of the login page in a real browser, with a widget in the place of Cloudflare's. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { rootSite } from "../support/checks/root-site.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import { openContext, openPage } from "../support/systems/browser.ts";
import { dataOf } from "../support/systems/site.ts";

const SCRIPT = "https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit";
/** Gives a token when the test says so; each widget's tokens are numbered. */
const WIDGET = `
  window.widgets = [];
  window.turnstile = {
    render(place, options) { place.textContent = "widget"; return String(window.widgets.push(options) - 1); },
    remove(id) { window.widgets[Number(id)].isRemoved = true; },
  };`;

const site = rootSite();

async function setOptions(options: Readonly<Record<string, string>>): Promise<void> {
  for (const [key, value] of Object.entries(options)) await dataOf(site.root.put("/api/option", { key, value }));
}
const CHECK = {
  TurnstileSiteKey: "the-site-key",
  TurnstileSecretKey: "the-secret-key",
  TurnstileCheckEnabled: "true",
} as const;

async function loginPage(script: string | undefined): Promise<{ page: Page; asked: () => number; logins: string[] }> {
  const { page } = await openPage(await openContext(site.browser));
  let count = 0;
  await page.route("https://challenges.cloudflare.com/**", async (route) => {
    count += 1;
    expect(route.request().url()).toBe(SCRIPT);
    await (script === undefined ? route.abort() : route.fulfill({ contentType: "text/javascript", body: script }));
  });
  const logins: string[] = [];
  // What the verifier says is not this test's matter: the server's word for a token it refuses stands in.
  await page.route("**/api/user/login*", async (route) => {
    logins.push(new URL(route.request().url()).search);
    const refusal = {
      success: false,
      message: "The human check failed, please refresh and retry",
      code: "human_check_failed",
    };
    await route.fulfill({ json: refusal });
  });
  await page.goto(`${site.server.app.url}/login`);
  await page.getByLabel("Username or email").fill("root");
  await page.getByLabel("Password", { exact: true }).fill("some password");
  return { page, asked: () => count, logins };
}

const submit = (page: Page) => page.getByRole("button", { name: "Log in", exact: true }).click();
const giveToken = (page: Page, widget: number, token: string) =>
  page.evaluate(`window.widgets[${widget}].callback(${JSON.stringify(token)})`);

testInAll("without the check nothing is loaded from elsewhere and no token is sent")(async () => {
  await setOptions({ TurnstileCheckEnabled: "false" });
  const { page, asked, logins } = await loginPage(WIDGET);
  await submit(page);
  await page.getByRole("alert").waitFor();
  expect([asked(), logins]).toEqual([0, [""]]);
});

test("with the check a login waits for the widget's token, sends it, and takes a new one for the next try", async () => {
  await setOptions(CHECK);
  const { page, asked, logins } = await loginPage(WIDGET);
  await page.getByText("widget", { exact: true }).waitFor();
  expect(await page.evaluate("window.widgets[0].sitekey")).toBe("the-site-key");
  await submit(page);
  await page.getByText("Please retry in a few seconds, the check is verifying the environment").waitFor();
  expect(logins).toEqual([]);
  await giveToken(page, 0, "token one");
  await submit(page);
  await page.getByText("The human check failed, please refresh and retry").waitFor();
  expect(logins).toEqual(["?turnstile=token+one"]);
  await page.waitForFunction("window.widgets.length === 2 && window.widgets[0].isRemoved === true");
  await giveToken(page, 1, "token two");
  await submit(page);
  await expect.poll(() => logins).toEqual(["?turnstile=token+one", "?turnstile=token+two"]);
  expect(asked()).toBe(1);
});

testInAll("where the widget cannot be loaded the page says so")(async () => {
  await setOptions(CHECK);
  const { page, asked } = await loginPage(undefined);
  await page.getByText("The human check could not be loaded. Check your connection, then reload the page.").waitFor();
  expect(asked()).toBe(1);
});

testInAll("registering and asking for a code or a link wait for the check too")(async () => {
  await setOptions({
    ...CHECK,
    SMTPServer: "127.0.0.1",
    SMTPAccount: "site@example.org",
    ServerAddress: site.server.app.url,
    EmailVerificationEnabled: "true",
  });
  const { page } = await openPage(await openContext(site.browser));
  const sent: string[] = [];
  page.on("request", (request) => request.method() === "POST" && sent.push(request.url()));
  await page.route("https://challenges.cloudflare.com/**", (route) =>
    route.fulfill({ contentType: "text/javascript", body: WIDGET }),
  );
  const waits = () => page.getByText("Please retry in a few seconds, the check is verifying the environment").waitFor();
  await page.goto(`${site.server.app.url}/register`);
  await page.getByLabel("Email", { exact: true }).fill("a@example.org");
  await page.getByRole("button", { name: "Get code" }).click();
  await waits();
  await page.goto(`${site.server.app.url}/reset`);
  await page.getByLabel("Email", { exact: true }).fill("a@example.org");
  await page.getByRole("button", { name: "Send link" }).click();
  await waits();
  expect(sent).toEqual([]);
});
