/** What every list of the console does, in a real browser and on the tokens page: typed filters, pages, steps of Back, keys, choosing many. */
import { expect, test } from "vitest";
import { oneInShort } from "../support/soak/short-or-long.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import { openContext, openPage } from "../support/systems/browser.ts";
import { itemsOf } from "../support/systems/site.ts";

const TOKENS = 23;
/** Longer than a search waits for a pause in typing. */
const PAUSE_MS = 450;

const site = rootSite({
  async fill({ root }) {
    for (let number = 1; number <= TOKENS; number += 1)
      await root.post("/api/token/", { name: `team ${String(number).padStart(2, "0")}`, unlimited_quota: true });
  },
});

const search = () => site.page.getByRole("searchbox", { name: "Name or key" });
const row = (name: string) => site.page.getByRole("row", { name: new RegExp(name) });
const asked = () => Object.fromEntries(new URL(site.page.url()).searchParams);
const current = () => site.page.getByRole("navigation", { name: "Pages" }).locator("[aria-current]").textContent();

async function open(query = ""): Promise<void> {
  await site.page.goto(`${site.server.app.url}/token${query}`);
  await site.page.getByRole("columnheader", { name: "Name" }).waitFor();
}

testInAll("a blank typed after a pause stays in the field, and so does what is typed after it")(async () => {
  await open();
  await search().pressSequentially("team ", { delay: 20 });
  await expect.poll(asked).toEqual({ keyword: "team" });
  await expect.poll(() => search().inputValue()).toBe("team ");
  await search().pressSequentially("07");
  await row("team 07").waitFor();
  await expect.poll(asked).toEqual({ keyword: "team 07" });
  await expect.poll(() => search().inputValue()).toBe("team 07");
});

testInAll("a search that is cleared before its pause is over stays cleared")(async () => {
  const context = await openContext(site.browser, {}, { storageState: await site.context.storageState() });
  const { page } = await openPage(context);
  await page.clock.install();
  await page.goto(`${site.server.app.url}/token`);
  const field = page.getByRole("searchbox", { name: "Name or key" });
  await field.pressSequentially("team 0", { delay: 10 });
  await page.getByRole("button", { name: "Clear search" }).click();
  await page.clock.fastForward(PAUSE_MS);
  await expect.poll(() => field.inputValue()).toBe("");
  expect(new URL(page.url()).search).toBe("");
  await context.close();
});

testInAll("Back and a filter that is taken off elsewhere empty the field")(async () => {
  await open();
  await search().fill("team 01");
  await expect.poll(asked).toEqual({ keyword: "team 01" });
  await site.page.getByRole("button", { name: "Clear search" }).click();
  await expect.poll(asked).toEqual({});
  await site.page.goBack();
  await expect.poll(() => search().inputValue()).toBe("team 01");
  await search().fill("no such name");
  await site.page.getByRole("button", { name: "Clear filters" }).click();
  await row("team 23").waitFor();
  await expect.poll(() => search().inputValue()).toBe("");
});

test("pages and filters are steps of Back; what is typed is one step", async () => {
  await open("?size=10");
  await site.page.getByRole("button", { name: "Page 2" }).click();
  await row("team 13").waitFor();
  await site.page.getByRole("button", { name: "Page 3" }).click();
  await row("team 03").waitFor();
  await site.page.goBack();
  await row("team 13").waitFor();
  await site.page.goBack();
  await row("team 23").waitFor();
  for (const part of ["te", "team ", "team 1"]) {
    await search().fill(part);
    await expect.poll(asked).toEqual({ size: "10", keyword: part.trim() });
  }
  await row("team 19").waitFor();
  await site.page.getByRole("button", { name: "Status" }).first().click();
  await site.page.getByRole("menuitem", { name: "Enabled" }).click();
  await expect.poll(asked).toMatchObject({ keyword: "team 1", status: "1" });
  await site.page.goBack();
  await expect.poll(asked).toEqual({ size: "10", keyword: "team 1" });
});

test("a page out of range goes to the last one, and Back does not come to it again", async () => {
  await site.page.goto("about:blank");
  await open("?size=10&p=99");
  await row("team 01").waitFor();
  await expect.poll(asked).toEqual({ size: "10", p: "3" });
  expect(await current()).toBe("3");
  await site.page.goBack();
  expect(site.page.url()).toBe("about:blank");
});

/** Which values are broken, web/src/lib/search.test.ts holds. */
const BROKEN = [
  "?p=nothing&size=7&sort=key&status=x",
  "?p=-4&size=1e9&open=everything&id=%00",
  "?p[]=2&size=&unknown=1",
];

test.each(oneInShort("/token?broken", BROKEN))("broken values in the address (%s) count as absent", async (query) => {
  await open(query);
  await row("team 23").waitFor();
  expect(await current()).toBe("1");
});

testInAll("a list has as many rows as the window has room for, until somebody chooses another number")(async () => {
  const tall = await openContext(
    site.browser,
    {},
    { storageState: await site.context.storageState(), viewport: { width: 1440, height: 1400 } },
  );
  const opened = await openPage(tall);
  await opened.page.goto(`${site.server.app.url}/token`);
  await opened.page.evaluate(() => localStorage.removeItem("page-size"));
  await opened.page.reload();
  const size = () => opened.page.getByRole("button", { name: /Rows per page/ });
  await expect.poll(() => size().textContent()).toContain("20");
  expect(await opened.page.evaluate(() => localStorage.getItem("page-size"))).toBeNull();
  await size().click();
  await opened.page.getByRole("menuitem", { name: "10", exact: true }).click();
  await expect.poll(() => size().textContent()).toContain("10");
  await opened.page.goto(`${site.server.app.url}/token`);
  await expect.poll(() => size().textContent()).toContain("10");
  await tall.close();
});

test("a key that is pasted into the search finds its token and never stands in the address", async () => {
  await open();
  const [token] = await itemsOf<{ key: string; name: string }>(site.root.get("/api/token/?p=1&size=1"));
  await search().fill(`sk-${token?.key}`);
  await expect.poll(asked).toEqual({ keyword: `sk-${token?.key.slice(-4)}` });
  await row(token?.name ?? "no token").waitFor();
  await expect.poll(() => search().inputValue()).toBe(`sk-${token?.key.slice(-4)}`);
});

test("what is done with all that match reaches the other pages, and leaves out what was taken out", async () => {
  await open("?size=10&keyword=team");
  await site.page.locator("thead").getByRole("checkbox").click();
  await site.page.getByRole("button", { name: `Select all ${TOKENS} that match` }).click();
  await site.page.getByRole("checkbox", { name: "Select team 20" }).click();
  const bar = site.page.getByRole("toolbar", { name: `${TOKENS - 1} selected` });
  const sent: string[] = [];
  site.page.on("request", (request) => request.method() !== "GET" && sent.push(new URL(request.url()).pathname));
  await bar.getByRole("button", { name: "Disable" }).click();
  await site.page.getByText(`${TOKENS} tokens, 1 enabled`).waitFor();
  expect(sent).toEqual(["/api/token/batch"]);
  await site.page.locator("thead").getByRole("checkbox").click();
  await site.page.getByRole("toolbar").getByRole("button", { name: "Disable" }).click();
  await site.page.getByText("1 token disabled").waitFor();
  await site.page.locator("thead").getByRole("checkbox").click();
  await site.page.getByRole("toolbar").getByRole("button", { name: "Disable" }).click();
  await site.page.getByText("All of these tokens are disabled already").waitFor();
  await site.page.getByRole("button", { name: "Clear selection" }).click();
});

testInAll("what cannot be enabled is told; a list that has changed meanwhile is left alone")(async () => {
  for (let number = 1; number <= 11; number += 1)
    await site.root.post("/api/token/", { name: `spare ${number}`, unlimited_quota: number > 2, remain_quota: 0 });
  const bar = () => site.page.getByRole("toolbar");
  const takeAll = async (count: number) => {
    await site.page.locator("thead").getByRole("checkbox").click();
    await site.page.getByRole("button", { name: `Select all ${count} that match` }).click();
  };
  await open("?size=10&keyword=spare");
  await takeAll(11);
  await bar().getByRole("button", { name: "Disable" }).click();
  await site.page.getByText("11 tokens disabled").waitFor();
  await takeAll(11);
  await bar().getByRole("button", { name: "Enable" }).click();
  await site.page.getByText("9 tokens enabled").waitFor();
  await site.page.getByText("2 tokens could not be enabled").waitFor();
  await takeAll(11);
  await site.root.post("/api/token/", { name: "spare 12", unlimited_quota: true });
  await bar().getByRole("button", { name: "Delete" }).click();
  await site.page.getByRole("button", { name: "Delete 11 tokens" }).click();
  await site.page.getByText("12 items match now, not 11").waitFor();
  await bar().getByText("All 12 that match are selected").waitFor();
  await bar().getByRole("button", { name: "Copy keys" }).click();
  await site.page.getByText("12 keys copied").waitFor();
  await bar().getByRole("button", { name: "Delete" }).click();
  await site.page.getByRole("button", { name: "Delete 12 tokens" }).click();
  await site.page.getByText("Nothing matches").waitFor();
  expect(site.tab.complaints.splice(0).filter((complaint) => !complaint.includes("409"))).toEqual([]);
});

testInAll("an expired token is offered what can be done with it: disabling, not enabling")(async () => {
  await site.page.route("**/api/token?*", async (route) => {
    const response = await route.fetch();
    const json = (await response.json()) as { data: { items: { status: number }[] } };
    for (const token of json.data.items) token.status = 3;
    await route.fulfill({ response, json });
  });
  await open();
  await row("team 23").getByRole("button", { name: "Actions for team 23" }).click();
  await site.page.getByRole("menuitem", { name: "Disable" }).waitFor();
  expect(await site.page.getByRole("menuitem", { name: "Enable" }).count()).toBe(0);
  await site.page.unrouteAll();
});

testInAll("a token that is slow to come opens its drawer at once, with a word")(async () => {
  await open();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await site.page.route(/\/api\/token\/\d+$/, async (route) => {
    await held;
    await route.continue();
  });
  await row("team 23").focus();
  await site.page.keyboard.press("Enter");
  const drawer = site.page.getByRole("dialog");
  await drawer.getByText("Loading the token…").waitFor();
  release();
  await drawer.getByLabel("Name", { exact: true }).waitFor();
  await site.page.unrouteAll();
});

testInAll("on a phone a name is shown whole")(async () => {
  const name = "billing exporter of the east 2";
  await site.root.post("/api/token/", { name, unlimited_quota: true });
  await site.page.setViewportSize({ width: 390, height: 844 });
  await site.page.goto(`${site.server.app.url}/token`);
  const shown = site.page.getByRole("listitem").getByText(name);
  await shown.waitFor();
  expect(await shown.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
  expect(await shown.evaluate((element) => getComputedStyle(element.parentElement ?? element).whiteSpace)).not.toBe(
    "nowrap",
  );
  await site.page.setViewportSize({ width: 1440, height: 900 });
});

testInAll("at 768 px every column of money is there")(async () => {
  await site.page.setViewportSize({ width: 768, height: 900 });
  // From the beginning: the side bar begins collapsed there.
  await open();
  for (const name of ["Used", "Remaining"]) await site.page.getByRole("columnheader", { name }).waitFor();
  await site.page.setViewportSize({ width: 1440, height: 900 });
});

test("the console stayed silent", () => expect(site.tab.complaints).toEqual([]));
