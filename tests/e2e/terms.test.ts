/** The user agreement in a real browser: accepted to register, asked for again when it changed, read without an account, and listed for administrators. */
import { expect, test } from "vitest";
import { openContext, openPage, overflow, PHONE, seriousFindings } from "../support/systems/browser.ts";
import { dataOf } from "../support/systems/site.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

const PASSWORD = "long enough";
const site = rootSite({
  fill: ({ root }) => dataOf(root.put("/api/option/", { key: "legal.user_agreement", value: "# Rules of the house" })),
});

test("who registers accepts the text first, and accepts a changed one before going on", async () => {
  const context = await openContext(site.browser, { size: PHONE, theme: "dark" });
  const { page, complaints } = await openPage(context);
  const at = (path: string) => site.server.app.url + path;
  await page.goto(at("/register"));
  await page.getByLabel("Username", { exact: true }).fill("reader");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Repeat the password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Register" }).click();
  await page.getByText("Please accept the user agreement and the privacy policy to register").waitFor();
  const [opened] = await Promise.all([
    context.waitForEvent("page"),
    page.getByRole("link", { name: "user agreement" }).click(),
  ]);
  await opened.getByRole("heading", { name: "Rules of the house" }).waitFor();
  await opened.close();
  await page.getByRole("checkbox").check();
  expect(await seriousFindings(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
  await page.getByRole("button", { name: "Register" }).click();
  // Logged in by that.
  await page.getByRole("heading", { name: "Tokens" }).waitFor();
  await dataOf(site.root.put("/api/option/", { key: "legal.user_agreement", value: "# Other rules" }));
  // As after a logout: nothing of that session is left in the browser.
  await page.goto(at("/livez"));
  await page.evaluate(() => localStorage.clear());
  await context.clearCookies();
  await page.goto(at("/login"));
  await page.getByLabel(/^Username/).fill("reader");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await page.getByRole("heading", { name: "User agreement and privacy" }).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  const [changed] = await Promise.all([
    context.waitForEvent("page"),
    page.getByRole("link", { name: "user agreement" }).click(),
  ]);
  await changed.getByRole("heading", { name: "Other rules" }).waitFor();
  expect(new URL(changed.url()).pathname).toBe("/user-agreement");
  await changed.close();
  await page.getByRole("button", { name: "Accept and continue" }).click();
  await page.waitForURL((url) => !/secure-account/.test(url.pathname));
  await page.goto(at("/token"));
  await page.getByRole("heading", { name: "Tokens" }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test("a text that the site does not have is named in a heading, and the way home is beside it", async () => {
  const { page } = site;
  await page.goto(`${site.server.app.url}/privacy-policy`);
  await page.getByRole("heading", { level: 1, name: "Privacy policy" }).waitFor();
  await page.getByText("This site has no privacy policy.").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("link", { name: "Go to the home page" }).click();
  await page.waitForURL(`${site.server.app.url}/`);
});

testInAll("the settings list both acceptances, the earlier one as such")(async () => {
  const { page } = site;
  await page.goto(`${site.server.app.url}/setting?option=legal.user_agreement`);
  await page.getByRole("textbox", { name: "Username" }).fill("reader");
  await expect.poll(() => page.locator("dt", { hasText: "reader" }).count()).toBe(2);
  await page.getByText("an earlier version").waitFor();
});
