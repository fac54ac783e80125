/** The page of one channel in a real browser: reached from its row, its tabs, its form, what was changed, and a change that is taken back. */
import { beforeEach, expect, test } from "vitest";
import { CALL_COLUMNS } from "../../server/src/db/call-hours.ts";
import { rootSite } from "../support/checks/root-site.ts";
import {
  findingsOfAnotherLook,
  logInOn,
  openContext,
  openPage,
  overflow,
  PHONE,
  seriousFindings,
} from "../support/systems/browser.ts";
import { dataOf } from "../support/systems/site.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

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

test("a channel that does not exist is said to be absent, with the way to the list", async () => {
  await site.page.goto(`${site.server.app.url}/channel/999`);
  await site.page.getByRole("heading", { name: "This channel does not exist" }).waitFor();
  expect(await site.page.getByText("Not found", { exact: false }).count()).toBe(0);
  expect(await site.page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  await site.page.getByRole("link", { name: "All channels" }).click();
  await site.page.getByRole("heading", { name: "Channels", exact: true }).waitFor();
});

test("what one may not see says so, and offers no second try", async () => {
  const values = { permission: "channels_see" };
  const json = { success: false, code: "permission_withheld", message: "Not permitted", values };
  await site.page.route(`**/api/channel/${id}/overview*`, (route) => route.fulfill({ status: 403, json }));
  await site.page.goto(`${site.server.app.url}/channel/${id}`);
  const alert = site.page.getByRole("alert").filter({ hasText: "permit" });
  await alert.getByRole("button", { name: "Copy details" }).waitFor();
  expect(await alert.getByRole("button", { name: "Try again" }).count()).toBe(0);
  await site.page.unroute(`**/api/channel/${id}/overview*`);
  site.tab.complaints.splice(0);
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

const form = () => site.page.locator("form").filter({ has: site.page.getByLabel("Priority") });
const openTab = (name: string) => site.page.getByRole("button", { name, exact: true }).click();
const priority = async () => (await dataOf<{ priority: number }>(site.root.get(`/api/channel/${id}`))).priority;

testInAll("the form is a tab that loads with its first use, saves with Ctrl+Enter, and leads back to the overview")(
  async () => {
    const { page } = site;
    const parts: string[] = [];
    const note = (request: { url(): string }) => void parts.push(new URL(request.url()).pathname);
    await dataOf(site.root.put("/api/channel", { id, priority: 0 }));
    page.on("request", note);
    await page.goto(`${site.server.app.url}/channel/${id}`);
    await page.getByText("No calls in the last 14 days.").waitFor();
    await site.tab.settled();
    expect(parts.filter((path) => /editor|edit-tab/.test(path))).toEqual([]);
    page.off("request", note);
    await openTab("Edit");
    await page.waitForURL(/\?tab=edit$/);
    await form().getByLabel("Priority").fill("7");
    await form().getByText("Unsaved: Priority").waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(await findingsOfAnotherLook(page)).toEqual([]);
    await page.keyboard.press("Control+Enter");
    await page.getByText("Channel saved").waitFor();
    await page.waitForURL((url) => url.pathname === `/channel/${id}` && url.search === "");
    expect(await priority()).toBe(7);
    await page.locator("dl > div").filter({ hasText: "Priority" }).getByText("7", { exact: true }).waitFor();
    // What was saved is what the form begins with.
    await openTab("Edit");
    await expect.poll(() => form().getByLabel("Priority").inputValue()).toBe("7");
    expect(site.tab.complaints).toEqual([]);
  },
);

test("a form with changes is left only after a question, by tabs, Back and Cancel; Escape closes what lies over it alone", async () => {
  const { page } = site;
  await dataOf(site.root.put("/api/channel", { id, priority: 0 }));
  await page.goto(`${site.server.app.url}/channel/${id}`);
  await openTab("Edit");
  const field = form().getByLabel("Priority");
  await field.fill("9");
  for (const leave of [
    () => openTab("Overview"),
    () => page.goBack(),
    () => form().getByRole("button", { name: "Cancel" }).click(),
  ]) {
    await leave();
    await page.getByRole("button", { name: "Keep editing" }).click();
    await expect.poll(() => page.getByRole("button", { name: "Keep editing" }).count()).toBe(0);
    expect([new URL(page.url()).search, await field.inputValue()]).toEqual(["?tab=edit", "9"]);
  }
  await page.getByRole("button", { name: "Keys…" }).click();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  await field.press("Escape");
  expect([new URL(page.url()).search, await field.inputValue()]).toEqual(["?tab=edit", "9"]);
  await form().getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByText("No calls in the last 14 days.").waitFor();
  expect(await page.evaluate(() => document.activeElement === document.body)).toBe(false);
  expect(await priority()).toBe(0);
});

testInAll("the form can be asked for again where it could not be loaded, and its drawer over the list still opens")(
  async () => {
    const { page } = site;
    await page.route("**/api/channel/providers*", (route) => route.fulfill({ status: 503, json: { success: false } }));
    await page.goto(`${site.server.app.url}/channel/${id}?tab=edit`);
    const alert = page.getByRole("alert");
    await alert.getByRole("button", { name: "Try again" }).waitFor();
    await page.unroute("**/api/channel/providers*");
    await alert.getByRole("button", { name: "Try again" }).click();
    await form().getByLabel("Priority").waitFor();
    await page.goto(`${site.server.app.url}/channel/edit/${id}`);
    await page.getByRole("dialog").getByLabel("Priority").waitFor();
  },
);

test("the chart of first tokens has their median over all its days beside its title, as calls have their numbers", async () => {
  const { page } = site;
  const channel = { name: "asked", type: 1, key: "sk-a-key-of-the-channel", models: "m1", groups: ["default"] };
  const [asked = 0] = await dataOf<number[]>(site.root.post("/api/channel", channel));
  const nothing = Object.fromEntries(CALL_COLUMNS.map((column) => [column, 0])) as Record<string, number>;
  const hour = Math.floor(Date.now() / 3_600_000) * 3600;
  await site.server.app.foundation.database.kysely
    .insertInto("call_hours")
    .values({ ...nothing, hour, channel_id: asked, model: "m1", succeeded: 9, first_token_20: 9 } as never)
    .execute();
  await page.goto(`${site.server.app.url}/channel/${asked}`);
  const card = page.getByRole("region", { name: "First token by day" });
  const median = await card.locator("dl > div").filter({ hasText: "Median of 14 days" }).locator("dd").textContent();
  expect(median).toMatch(/^~\d/);
  // One day was asked alone: its bar says what all days together do.
  expect(await card.getByRole("listitem").last().getAttribute("aria-label")).toMatch(new RegExp(`: ${median}$`));
  await card.getByText("95% within", { exact: true }).waitFor();
});

testInAll("the page of a channel fits a phone")(async () => {
  const context = await openContext(site.browser, { size: PHONE, theme: "dark", language: "zh" });
  const { page } = await openPage(context);
  await logInOn(page, site.server.app.url, "root", ROOT_PASSWORD);
  for (const tab of ["overview", "history", "edit"]) {
    await page.goto(`${site.server.app.url}/channel/${id}?tab=${tab}`);
    await page.getByRole("heading", { name: "team a", exact: true }).waitFor();
    if (tab === "edit") await page.locator("form button[type=submit]").waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
  }
  await context.close();
});
