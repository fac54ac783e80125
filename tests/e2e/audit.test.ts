/** The audit trail in a real browser: what was changed from what to what, filters in the address, and a change that is taken back. */
import { beforeEach, expect, test } from "vitest";
import { rootSite } from "../support/checks/root-site.ts";
import { findingsOfAnotherLook, logInOn, openContext, openPage, overflow, PHONE } from "../support/systems/browser.ts";
import { dataOf } from "../support/systems/site.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

const site = rootSite({
  async fill({ root }) {
    await dataOf(root.put("/api/option", { key: "RetryTimes", value: "4" }));
    await dataOf(root.post("/api/user/", { username: "ada", password: "a-good-one" }));
  },
});
const retryTimes = () => site.server.app.foundation.snapshot.options.RetryTimes;

beforeEach(async () => {
  site.tab.complaints.splice(0);
  const confirmed_time = Math.floor(Date.now() / 1000);
  await site.server.app.foundation.database.kysely.updateTable("sessions").set({ confirmed_time }).execute();
});

test("a change opens into before and after, and is taken back once", async () => {
  await site.page.goto(`${site.server.app.url}/audit?kind=option&object=RetryTimes`);
  await site.page.getByRole("heading", { name: "Audit trail", exact: true }).waitFor();
  const change = site.page.getByRole("row").filter({ hasText: "Changed the option RetryTimes" });
  await change.getByRole("button").first().click();
  await site.page.getByText("Before", { exact: true }).waitFor();
  expect(await findingsOfAnotherLook(site.page)).toEqual([]);
  await site.page.getByRole("button", { name: "Take back the change of RetryTimes" }).click();
  await site.page.getByRole("dialog").getByRole("button", { name: "Take back" }).click();
  await site.page.getByText("The change was taken back").waitFor();
  await expect.poll(retryTimes).not.toBe(4);
  await site.page.getByText("2 changes", { exact: true }).waitFor();
  expect(site.tab.complaints).toEqual([]);
});

test("the page of a person says who changed them last, and leads there", async () => {
  const { id } = await site.server.app.foundation.database.kysely
    .selectFrom("users")
    .select("id")
    .where("username", "=", "ada")
    .executeTakeFirstOrThrow();
  await site.page.goto(`${site.server.app.url}/user/${id}`);
  await site.page.getByRole("link", { name: /Changed .* by root/ }).click();
  await site.page.waitForURL(/\/audit\?.*kind=user/);
  await site.page.getByText('Created user "ada"', { exact: false }).first().waitFor();
});

testInAll("the trail fits a phone")(async () => {
  const context = await openContext(site.browser, { size: PHONE, theme: "dark", language: "zh" });
  const { page } = await openPage(context);
  await logInOn(page, site.server.app.url, "root", ROOT_PASSWORD);
  await page.goto(`${site.server.app.url}/audit`);
  await page.getByRole("heading", { name: "审计记录", exact: true }).waitFor();
  expect(await overflow(page)).toBe(0);
  await context.close();
});
