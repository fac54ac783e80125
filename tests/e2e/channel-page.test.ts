/** The page of one channel in a real browser: reached from its row, its tabs, what was changed, and a change that is taken back. */
import { beforeEach, expect, test } from "vitest";
import { rootSite } from "../support/checks/root-site.ts";
import { findingsOfAnotherLook, logInOn, openContext, openPage, overflow, PHONE } from "../support/systems/browser.ts";
import { dataOf } from "../support/systems/site.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";

let id = 0;
const site = rootSite({
  async fill({ root }) {
    const channel = { name: "team a", type: 1, key: "sk-a-key-of-the-channel", models: "m1,m2", groups: ["default"] };
    [id = 0] = await dataOf<number[]>(root.post("/api/channel", channel));
    await dataOf(root.put("/api/channel", { id, models: "m1", priority: 4 }));
  },
});

beforeEach(async () => {
  site.tab.complaints.splice(0);
  const confirmed_time = Math.floor(Date.now() / 1000);
  await site.server.app.foundation.database.kysely.updateTable("sessions").set({ confirmed_time }).execute();
});

test("the menu of a row leads to the page, whose tabs have no fault", async () => {
  await site.page.goto(`${site.server.app.url}/channel`);
  await site.page.getByRole("button", { name: "Actions for team a" }).click();
  await site.page.getByRole("menuitem", { name: "Open page" }).click();
  await site.page.getByRole("heading", { name: "team a", exact: true }).waitFor();
  for (const tab of ["Last failures", "Change history", "Overview"]) {
    await site.page.getByRole("button", { name: tab, exact: true }).click();
    await site.tab.settled();
    expect(await findingsOfAnotherLook(site.page)).toEqual([]);
  }
  await site.page.getByText("No calls in the last 14 days.").waitFor();
  await site.page.getByRole("link", { name: /Changed .* by root/ }).waitFor();
  expect(site.tab.complaints).toEqual([]);
});

test("the change history says what was removed, and takes it back", async () => {
  await site.page.goto(`${site.server.app.url}/channel/${id}?tab=history`);
  await site.page.getByText("Removed", { exact: true }).waitFor();
  await site.page.getByText("m2", { exact: true }).waitFor();
  await site.page.getByRole("button", { name: "Take back the change of models, priority" }).click();
  await site.page.getByRole("dialog").getByRole("button", { name: "Take back" }).click();
  await site.page.getByText("The change was taken back").waitFor();
  const channel = await dataOf<{ models: string; priority: number }>(site.root.get(`/api/channel/${id}`));
  expect(channel).toMatchObject({ models: "m1,m2", priority: 0 });
  expect(site.tab.complaints).toEqual([]);
});

test("the page of a channel fits a phone", async () => {
  const context = await openContext(site.browser, { size: PHONE, theme: "dark", language: "zh" });
  const { page } = await openPage(context);
  await logInOn(page, site.server.app.url, "root", ROOT_PASSWORD);
  for (const tab of ["overview", "history"]) {
    await page.goto(`${site.server.app.url}/channel/${id}?tab=${tab}`);
    await page.getByRole("heading", { name: "team a", exact: true }).waitFor();
    expect(await overflow(page)).toBe(0);
  }
  await context.close();
});
