/** The channels page in a real browser: refused forms, edits in cells, switches that revert, and deleting, against a real server and upstream. */
import type { Page } from "playwright-core";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { ChannelRow } from "../../contract/src/features/channels.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { setOptions } from "../support/databases/options.ts";
import { IS_SHORT } from "../support/soak/short-or-long.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import { seriousFindings } from "../support/systems/browser.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";
import { itemsOf } from "../support/systems/site.ts";

const KEY = "sk-upstream-abcdefghijklmnop-9QAA";

let upstream: FakeUpstream;

const site = rootSite({
  async fill() {
    upstream = await startFakeUpstream({ models: ["gpt-4o", "gpt-4o-mini", "gpt-4.1"] });
  },
});
afterAll(() => upstream?.close());

const stored = async (): Promise<ChannelRow[]> =>
  await itemsOf<ChannelRow>(site.root.get("/api/channel/?page_size=100&id_sort=true"));
const only = async (): Promise<ChannelRow> => {
  const [channel] = await stored();
  if (channel === undefined) throw new Error("There is no channel");
  return channel;
};
const allowPrivateUpstreams = (isAllowed: boolean) =>
  setOptions(site.server.app.foundation, { AllowPrivateUpstreamsEnabled: String(isAllowed) });
const row = (name: string) => site.page.getByRole("row", { name: new RegExp(name) });
const drawer = () => site.page.getByRole("dialog").first();
const save = () => drawer().locator("button[type=submit]").click();
const drawerClosed = () => site.page.waitForURL((url) => url.pathname === "/channel");
/** Label of the field that has the focus. */
const focused = (where: Page) =>
  where.evaluate(() => {
    const element = document.activeElement;
    const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [];
    return labels[0]?.textContent ?? element?.getAttribute("aria-label") ?? element?.tagName ?? "";
  });
const pickFromMenu = async (name: string, item: string) => {
  await site.page.getByRole("button", { name: `Actions for ${name}`, exact: true }).click();
  await site.page.getByRole("menuitem", { name: item }).click();
};

/** Makes a channel and opens the list with it. */
async function openWith(name: string): Promise<ChannelRow> {
  const channel = { type: 1, name, key: KEY, models: "gpt-4o", groups: ["default"], base_url: upstream.url };
  expect(await site.root.post("/api/channel/", channel)).toMatchObject({ body: { success: true } });
  await site.page.goto(`${site.server.app.url}/channel`);
  await row(name).waitFor();
  return only();
}

async function fillForm(): Promise<void> {
  await drawer().getByLabel("Name").fill("main lane");
  await drawer().getByRole("textbox", { name: "Key" }).fill(KEY);
  await drawer().getByLabel("Base URL").fill(`${upstream.url}/`);
  await drawer().getByLabel("Models").fill("gpt-4o,");
}

beforeEach(async () => {
  for (const { id } of await stored()) await site.root.send("DELETE", `/api/channel/${id}`);
  await allowPrivateUpstreams(true);
});

test("an empty form names what is missing, and a private address is refused with the switch that allows it", async () => {
  await allowPrivateUpstreams(false);
  await site.page.goto(`${site.server.app.url}/channel`);
  await site.page.getByRole("button", { name: "Create channel" }).click();
  await site.page.waitForURL("**/channel/add");
  await save();
  await drawer().getByText("Enter a name", { exact: true }).waitFor();
  await expect.poll(() => drawer().getByText("Enter a key", { exact: true }).isVisible()).toBe(true);
  await expect.poll(() => drawer().getByText("Add at least one model").isVisible()).toBe(true);
  await expect.poll(() => focused(site.page)).toBe("Name");

  await fillForm();
  await save();
  await drawer()
    .getByText(/is private/)
    .waitFor();
  expect(await stored()).toEqual([]);

  // The log-in itself counts as confirmed; later the password is asked for.
  await site.server.app.foundation.database.kysely.updateTable("sessions").set({ confirmed_time: 0 }).execute();
  await drawer().getByRole("button", { name: "Allow private addresses" }).click();
  await site.page.getByRole("button", { name: "Allow", exact: true }).click();
  await site.page.locator("input[type=password]").fill(ROOT_PASSWORD);
  await site.page.getByRole("button", { name: "Confirm" }).click();
  await site.page.getByText("Private addresses are allowed").waitFor();
});

test("models come from the upstream before the channel is saved; saving strips the slash and the key is never read back", async () => {
  await site.page.goto(`${site.server.app.url}/channel/add`);
  await fillForm();
  await drawer().getByRole("button", { name: "Fetch from provider" }).click();
  await site.page.getByText("2 models added").waitFor();
  await save();
  await drawerClosed();
  await row("main lane").waitFor();
  // It comes above the rows and moves them.
  await site.page.getByRole("region", { name: "Channel created" }).waitFor();
  const channel = await only();
  expect(channel).toMatchObject({
    name: "main lane",
    type: 1,
    base_url: upstream.url,
    models: "gpt-4o,gpt-4.1,gpt-4o-mini",
    group: "default",
    auto_ban: 1,
    priority: 0,
    weight: 0,
  });
  expect(await site.page.content()).not.toContain(KEY);
});

testInAll("the switch turns it off and on, and goes back with a message where the server does not answer")(async () => {
  await openWith("main lane");
  await site.page.getByRole("switch", { name: "Disable main lane" }).click({ force: true });
  await site.page.getByRole("button", { name: "Disable anyway" }).click();
  await expect.poll(async () => (await only()).status).toBe(2);
  await site.page.route("**/api/channel", (route) =>
    route.request().method() === "PUT" ? route.abort() : route.continue(),
  );
  await site.page.getByRole("switch", { name: "Enable main lane" }).click({ force: true });
  await site.page.getByText("main lane could not be changed").waitFor();
  await site.page.getByRole("switch", { name: "Enable main lane" }).waitFor({ state: "attached" });
  await site.page.unroute("**/api/channel");
  await site.page.getByRole("switch", { name: "Enable main lane" }).click({ force: true });
  await expect.poll(async () => (await only()).status).toBe(1);
});

test("priority is edited in its cell, and an edit in the drawer sends only what changed", async () => {
  await openWith("main lane");
  await site.page.getByRole("button", { name: "Priority of main lane: 0" }).click();
  await site.page.getByRole("textbox", { name: "Priority of main lane" }).fill("7");
  await site.page.keyboard.press("Enter");
  await expect.poll(async () => (await only()).priority).toBe(7);

  await site.page.getByRole("link", { name: "main lane" }).click();
  await site.page.waitForURL("**/channel/edit/*");
  await drawer()
    .getByText(/^sk-ups/)
    .waitFor();
  await drawer().getByLabel("Name").fill("fast lane");
  await drawer().getByText("Unsaved: name").waitFor();
  const sent = site.page.waitForRequest(
    (request) => request.method() === "PUT" && request.url().endsWith("/api/channel"),
  );
  await save();
  expect((await sent).postDataJSON()).toEqual({
    id: (await only()).id,
    name: "fast lane",
    revision: expect.any(Number) as number,
  });
  await drawerClosed();
  await row("fast lane").waitFor();
});

testInAll("the switches of the answers' form are set, found again and taken back, and the other settings stay")(
  async () => {
    const { id } = await openWith("main lane");
    await site.root.put("/api/channel/", { id, setting: '{"max_concurrency":9}' });
    const change = async (names: readonly string[]): Promise<unknown> => {
      await site.page.goto(`${site.server.app.url}/channel/edit/${id}`);
      await drawer()
        .getByText(/^sk-ups/)
        .waitFor();
      const opener = drawer().getByRole("button", { name: "Advanced", exact: true });
      if ((await opener.getAttribute("aria-expanded")) === "false") await opener.click();
      for (const name of names) await drawer().getByText(name, { exact: true }).click();
      await save();
      await drawerClosed();
      return JSON.parse((await only()).setting) as unknown;
    };
    const both = { force_format: true, thinking_to_content: true, max_concurrency: 9 };
    expect(await change(["Thinking in the answer text", "Strip unknown fields"])).toEqual(both);
    expect(await change(["Strip unknown fields"])).toEqual({ thinking_to_content: true, max_concurrency: 9 });
    expect(await change(["Thinking in the answer text"])).toEqual({ max_concurrency: 9 });
  },
);

test("deleting asks once, naming the channel, and selected channels go together", async () => {
  const { id } = await openWith("fast lane");
  // In the short form pages.test.ts looks at this page.
  if (!IS_SHORT) expect(await seriousFindings(site.page)).toEqual([]);
  await site.root.post(`/api/channel/copy/${id}`);
  await site.page.getByRole("button", { name: "Refresh" }).click();
  await pickFromMenu("fast lane copy", "Delete");
  await site.page.getByRole("dialog", { name: "Delete the channel fast lane copy?" }).waitFor();
  await site.page.getByRole("button", { name: "Keep it" }).click();
  expect(await stored()).toHaveLength(2);
  await site.page.getByRole("checkbox", { name: "Select all rows" }).click();
  await site.page.getByRole("button", { name: "Delete", exact: true }).click();
  await site.page.getByRole("button", { name: "Delete 2 channels" }).click();
  await site.page.getByText("Connect your first upstream").waitFor();
  expect(await stored()).toEqual([]);
  expect(site.tab.complaints.filter((complaint) => complaint.startsWith("uncaught"))).toEqual([]);
});
