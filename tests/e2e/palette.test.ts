/** The command palette in a real browser: no keystroke is lost, words are understood in any order, it acts, and it makes nothing by accident. */
import { beforeEach, expect, test } from "vitest";
import { rootSite } from "../support/checks/root-site.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import { clipboardOf } from "../support/systems/browser.ts";
import { itemsOf } from "../support/systems/site.ts";

const CHANNEL = { type: 1, key: "sk-upstream", models: "gpt-4o", groups: ["default"], base_url: "https://api.example" };

const site = rootSite({
  async fill({ root }) {
    for (const name of ["Anthropic main", "Spare"]) await root.post("/api/channel/", { ...CHANNEL, name });
    await root.post("/api/token/", { name: "my app", remain_quota: 0, expired_time: -1, unlimited_quota: true });
  },
});

beforeEach(async () => {
  await site.page.goto(`${site.server.app.url}/token`);
  await site.page.locator("main#content h1").waitFor();
});

const palette = () => site.page.getByRole("dialog", { name: "Search" }).or(site.page.getByRole("dialog"));
const field = () => site.page.getByRole("combobox");
const option = (name: string | RegExp) => site.page.getByRole("option", { name });
const chosen = () => site.page.locator('[role="option"][aria-selected="true"]');

/** By the arrows: an answer that comes late stands below what is there. */
async function choose(name: string): Promise<void> {
  await option(new RegExp(name)).waitFor();
  const isChosen = async () => (await chosen().innerText()).includes(name);
  for (let steps = await site.page.getByRole("option").count(); steps > 0 && !(await isChosen()); steps--) {
    await site.page.keyboard.press("ArrowDown");
  }
  await expect.poll(() => chosen().innerText()).toContain(name);
}

async function search(text: string): Promise<void> {
  await site.page.keyboard.press("Control+k");
  await site.page.locator("input[role=combobox]:focus").waitFor();
  await site.page.keyboard.type(text);
}

const channel = async (name: string) => {
  const rows = await itemsOf<{
    id: number;
    name: string;
    status: number;
  }>(site.root.get("/api/channel/?page_size=100"));
  const found = rows.find((row) => row.name === name);
  if (found === undefined) throw new Error(`no channel ${name}`);
  return found;
};

testInAll("what is typed before the palette is there is in its field when it comes")(async () => {
  // Its code has not been loaded on this site.page, and is slow to come.
  await site.page.route(/command-palette/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 700));
    await route.continue();
  });
  await site.page.keyboard.press("Control+k");
  await site.page.keyboard.type("usagx");
  await site.page.keyboard.press("Backspace");
  await site.page.keyboard.type("e log");
  await site.page.locator("input[role=combobox]:focus").waitFor();
  await expect.poll(() => field().inputValue()).toBe("usage log");
  await site.page.keyboard.press("Enter");
  await site.page.waitForURL("**/log");
  await site.page.unroute(/command-palette/);
});

test("'dis anth' disables the channel, which can be undone, and the same words enable it again", async () => {
  await search("dis anth");
  await choose("Disable channel Anthropic main");
  await site.page.keyboard.press("Enter");
  await site.page.getByText("Anthropic main is disabled").waitFor();
  expect((await channel("Anthropic main")).status).toBe(2);
  await site.page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(async () => (await channel("Anthropic main")).status).toBe(1);
  await site.root.put("/api/channel/", { id: (await channel("Anthropic main")).id, status: 2 });
  await search("main enable");
  await choose("Enable channel Anthropic main");
  await site.page.keyboard.press("Enter");
  await site.page.getByText("Anthropic main is enabled").waitFor();
  expect((await channel("Anthropic main")).status).toBe(1);
});

testInAll("a name that nothing has makes no token by Enter alone, and does by choice")(async () => {
  await search("nothing-has-this-name");
  await option("Create token named nothing-has-this-name").waitFor();
  expect(await chosen().count()).toBe(0);
  await site.page.keyboard.press("Enter");
  await expect.poll(() => palette().isVisible()).toBe(true);
  await site.page.keyboard.press("ArrowDown");
  await site.page.keyboard.press("Enter");
  await site.page.waitForURL(/open=create/);
  await expect
    .poll(() => site.page.getByRole("dialog").getByLabel("Name", { exact: true }).inputValue())
    .toBe("nothing-has-this-name");
});

test("what is found late stands below what may already be chosen", async () => {
  let answer = (): void => undefined;
  const isAsked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await site.page.route("**/api/user/search*", async (route) => {
    await isAsked;
    await route.continue();
  });
  // It begins no word of a page's name, so that what is found is meant to come first.
  await search("oo");
  await option(/./).nth(1).waitFor();
  await site.page.waitForTimeout(600);
  const names = () => option(/./).allInnerTexts();
  const before = (await names()).slice(0, 2);
  expect(await option(/^root/).count()).toBe(0);
  answer();
  await option(/^root/).waitFor();
  expect((await names()).slice(0, 2)).toEqual(before);
  expect((await names()).at(-1)).toContain("root");
  await site.page.unroute("**/api/user/search*");
});

test("the key of a token is copied", async () => {
  await search("key my app");
  await option("Copy key of my app").waitFor();
  await site.page.keyboard.press("Enter");
  await site.page.getByText("Key of my app copied").waitFor();
  expect(await clipboardOf(site.page)).toMatch(/^sk-\w{48}$/);
});

testInAll("ids of channels and of calls are recognised")(async () => {
  const { id } = await channel("Spare");
  await search(`#${id}`);
  await option(/Spare/).first().waitFor();
  await site.page.keyboard.press("Enter");
  await site.page.waitForURL(`**/channel/edit/${id}`);
  await site.page.goto(`${site.server.app.url}/token`);
  await site.page.locator("main#content h1").waitFor();
  const requestId = "20261122094113123AbCd_-gh12345x";
  await search(` ${requestId}`);
  await option(/Open this call/).waitFor();
  expect(await option(/Create token named/).count()).toBe(0);
  await site.page.keyboard.press("Enter");
  await site.page.waitForURL(`**/log?request_id=${requestId}`);
});

testInAll("health and the route explainer are in the navigation, the palette and the keys")(async () => {
  const pages = site.page.getByRole("navigation", { name: "Console" });
  await pages.getByRole("link", { name: "Route explainer" }).click();
  await site.page.waitForURL("**/channel/route");
  expect(await pages.locator('a[aria-current="page"]').allInnerTexts()).toEqual(["Route explainer"]);
  await search("health");
  await option(/^Health/).click();
  await site.page.waitForURL("**/channel/health");
  expect(await pages.locator('a[aria-current="page"]').allInnerTexts()).toEqual(["Health"]);
  await site.page.getByRole("dialog").waitFor({ state: "detached" });
  await site.page.keyboard.press("g");
  await site.page.keyboard.press("x");
  await site.page.waitForURL("**/channel/route");
});

testInAll("the menu of a channel leads to its health, its calls and where its calls go")(async () => {
  const { id } = await channel("Spare");
  const places = [
    ["Health", `/channel/health?keyword=${id}`],
    ["Calls", `/log?channel=${id}`],
    ["Where calls go", "/channel/route?model=gpt-4o"],
  ] as const;
  for (const [item, address] of places) {
    await site.page.goto(`${site.server.app.url}/channel`);
    await site.page.getByRole("button", { name: "Actions for Spare" }).click();
    await site.page.getByRole("menuitem", { name: item, exact: true }).click();
    await expect.poll(() => site.page.url().replace(site.server.app.url, "").replaceAll("%22", "")).toBe(address);
  }
});

testInAll("pages behind the menu are found, by other words too")(async () => {
  const places = [
    ["health", "Health", "/channel/health"],
    ["uptime", "Health", "/channel/health"],
    ["explain routing", "Route explainer", "/channel/route"],
    ["simulate price", "Dry run of prices", "/setting?tab=operation&section=dry_run"],
    ["recovery codes", "Security", "/personal/security"],
  ] as const;
  for (const [text, name, address] of places) {
    await site.page.goto(`${site.server.app.url}/token`);
    await site.page.locator("main#content h1").waitFor();
    await search(text);
    await option(name).first().click();
    await site.page.waitForURL(`**${address}`);
  }
});

testInAll(
  "settings are found by what people call them, and a switch is turned by its page, which asks before it stores",
)(async () => {
  const isOpen = () => site.server.app.foundation.snapshot.options.RegisterEnabled;
  expect(isOpen()).toBe(true);
  await search("disable registration");
  await option(/^Open registration/).waitFor();
  await expect.poll(() => option(/./).first().innerText()).toContain("Open registration");
  await option("Turn off: Open registration").click();
  await site.page.waitForURL("**/setting?option=RegisterEnabled");
  const bar = site.page.getByRole("region", { name: "Unsaved changes" });
  await bar.getByText("Open registration").waitFor();
  expect(isOpen()).toBe(true);
  await bar.getByRole("button", { name: "Save 1 change" }).click();
  await expect.poll(isOpen).toBe(false);
  await search("new accounts");
  await option("Turn on: Open registration").click();
  await bar.getByText("Open registration").waitFor();
  await bar.getByRole("button", { name: "Discard" }).click();
  await bar.waitFor({ state: "detached" });
});

testInAll("the search of the settings page knows the same words")(async () => {
  await site.page.goto(`${site.server.app.url}/setting`);
  for (const [text, name] of [
    ["2fa", "Demand a second factor"],
    ["company name", "System name"],
    ["price", "Model prices"],
    ["brand", "Personalisation"],
  ] as const) {
    await site.page
      .getByRole("searchbox")
      .or(site.page.getByRole("textbox", { name: "Search settings" }))
      .first()
      .fill(text);
    await expect.poll(() => site.page.getByRole("option").first().innerText()).toContain(name);
  }
});
