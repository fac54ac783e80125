/** Acts on many channels in a real browser: all that the filters match, on every page; what changed meanwhile; and tests from the palette. */
import type { Page } from "playwright-core";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { ChannelRow } from "../../contract/src/features/channels.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { oneInShort } from "../support/soak/short-or-long.ts";
import { type Language, logInOn, openContext, seriousFindings } from "../support/systems/browser.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";
import { itemsOf } from "../support/systems/site.ts";

/** More than a page of ten. */
const SPARES = 23;
/** The discard port: nothing answers there. */
const DEAD = "http://127.0.0.1:9";

let upstream: FakeUpstream;

const make = (name: string, count: number, base_url: string) =>
  site.root.post("/api/channel/", {
    type: 1,
    name,
    key: Array.from({ length: count }, (_, index) => `sk-${name}-${index}-aaaaaaaaaaaa`).join("\n"),
    models: "gpt-4o",
    groups: ["default"],
    base_url,
  });

async function signedIn(language: Language): Promise<Page> {
  const opened = await (await openContext(site.browser, { language })).newPage();
  await logInOn(opened, site.server.app.url, "root", ROOT_PASSWORD);
  return opened;
}

const site = rootSite({
  async fill({ root }) {
    upstream = await startFakeUpstream({ models: ["gpt-4o"] });
    await root.put("/api/option/", { key: "AllowPrivateUpstreamsEnabled", value: "true" });
  },
});
afterAll(() => upstream?.close());

const spares = async (): Promise<ChannelRow[]> =>
  await itemsOf<ChannelRow>(site.root.get("/api/channel/?page_size=100&keyword=spare&sort=id"));
const open = async (query: string) => {
  await site.page.goto(`${site.server.app.url}/channel${query}`);
  // While it loads there are rows without a word.
  await site.page.locator("tbody tr").filter({ hasText: /\w/ }).first().waitFor();
};
const bar = () => site.page.getByRole("toolbar");
const act = (name: string) => bar().getByRole("button", { name, exact: true }).click();
const takeAll = async () => {
  await site.page.locator("thead").getByRole("checkbox").click();
  await site.page.getByRole("button", { name: `Select all ${SPARES} that match` }).click();
};

beforeEach(async () => {
  const { body } = await site.root.get("/api/channel/?page_size=100");
  await site.root.post("/api/channel/batch", { ids: (body.data as { items: ChannelRow[] }).items.map(({ id }) => id) });
  await make("spare", SPARES, upstream.url);
  await make("dead", 1, DEAD);
  upstream.reset();
});

test("all that match are disabled in one call, but for one that was taken out", async () => {
  await open("?size=10&keyword=spare");
  await takeAll();
  expect(await seriousFindings(site.page)).toEqual([]);
  await site.page.locator("tbody").getByRole("checkbox").nth(1).click();
  const sent: string[] = [];
  site.page.on("request", (request) => request.method() !== "GET" && sent.push(new URL(request.url()).pathname));
  await act("Disable");
  await expect.poll(async () => (await spares()).filter(({ status }) => status === 1).length).toBe(1);
  // What the browser reports may come after what the server says.
  await expect.poll(() => sent).toEqual(["/api/impact", "/api/channel/batch/status"]);
  expect(await itemsOf(site.root.get("/api/channel/?keyword=dead"))).toMatchObject([{ status: 1 }]);
  // What matched may match no more: nothing stays selected.
  await expect.poll(() => bar().count()).toBe(0);
});

test("all that match are put under a tag, and tested", async () => {
  await open("?size=10&keyword=spare");
  await takeAll();
  await act("Set tag");
  await site.page.getByRole("dialog", { name: `Tag ${SPARES} channels` }).waitFor();
  await site.page.getByRole("dialog").getByLabel("Tag").fill("reserve");
  await site.page.getByRole("dialog").getByRole("button", { name: "Set tag" }).click();
  await expect.poll(async () => (await spares()).every(({ tag }) => tag === "reserve")).toBe(true);
  await expect.poll(() => bar().count()).toBe(0);

  await takeAll();
  await act("Test");
  await expect.poll(() => upstream.requests.length).toBe(SPARES);
  await expect.poll(async () => (await spares()).every(({ test_result }) => test_result === 1)).toBe(true);
  await site.page.getByRole("button", { name: "Clear selection" }).click();
});

test("a model is taken off all that match, and who has no other keeps it", async () => {
  await open("?size=10&keyword=spare");
  await takeAll();
  await act("Take model off");
  const dialog = site.page.getByRole("dialog", { name: `Take a model off ${SPARES} channels` });
  await dialog.getByRole("button", { name: "Take off" }).click();
  await dialog.getByText("Please name a model").waitFor();
  await dialog.getByLabel("Model").fill("gpt-4o");
  const asked = site.page.waitForRequest((request) => request.url().endsWith("/api/impact"));
  await dialog.getByRole("button", { name: "Take off" }).click();
  expect((await asked).postDataJSON()).toMatchObject({ act: "take_model", model: "gpt-4o" });
  await site.page
    .getByText(`gpt-4o taken off 0 channels. ${SPARES} channels have no other model and keep it`)
    .waitFor();
  await expect.poll(() => bar().count()).toBe(0);
  expect((await spares()).every(({ models }) => models === "gpt-4o")).toBe(true);
});

test("where the list has changed meanwhile nothing is done, and the reader is told how many match now", async () => {
  await open("?size=10&keyword=spare");
  await takeAll();
  await act("Delete");
  await site.page.getByRole("dialog", { name: `Delete ${SPARES} channels?` }).waitFor();
  await make("spare", 1, upstream.url);
  await site.page.getByRole("button", { name: `Delete ${SPARES} channels` }).click();
  await site.page.getByText(`${SPARES + 1} items match now, not ${SPARES}`).waitFor();
  expect(await spares()).toHaveLength(SPARES + 1);
  await bar()
    .getByText(`All ${SPARES + 1} that match are selected`)
    .waitFor();
  await act("Delete");
  await site.page.getByRole("button", { name: `Delete ${SPARES + 1} channels` }).click();
  await expect.poll(spares).toEqual([]);
});

test("under their tags only what is in view is selected", async () => {
  await open("?size=10&tags=1");
  await site.page.locator("thead").getByRole("checkbox").click();
  expect(await site.page.getByRole("button", { name: /that match/ }).count()).toBe(0);
});

test.each(oneInShort("/channel, narrow", ["", "&tags=1"]))(
  "on a narrow window no column runs under the acts of its row (%s)",
  async (mode) => {
    await site.page.setViewportSize({ width: 768, height: 900 });
    await open(`?size=10${mode}`);
    const table = site.page.locator("table").first();
    const hidden = () => table.evaluate((element) => element.clientWidth - (element.parentElement?.clientWidth ?? 0));
    await expect.poll(hidden).toBeLessThanOrEqual(0);
    await site.page.setViewportSize({ width: 1440, height: 900 });
  },
);

const TESTS_BY_PALETTE = [
  ["en", "Test channel dead", "Nothing accepts connections at the upstream’s address (ECONNREFUSED)", "Show log entry"],
  ["zh", "测试渠道 dead", "上游地址拒绝连接（ECONNREFUSED）", "查看日志条目"],
] as const;

test.each(oneInShort("/channel, palette", TESTS_BY_PALETTE))(
  "a test from the palette of another page tells why it failed, and leads to its log entry (%s)",
  async (language, action, reason, link) => {
    const reader = await signedIn(language);
    await reader.goto(`${site.server.app.url}/token`);
    await reader.locator("h1").waitFor();
    await reader.keyboard.press("Control+k");
    await reader.getByRole("combobox").fill(action);
    await reader.getByRole("option", { name: action, selected: true }).waitFor();
    await reader.keyboard.press("Enter");
    await reader.getByText(reason).waitFor();
    await reader.getByRole("button", { name: link }).click();
    await expect.poll(() => new URL(reader.url()).searchParams.get("request_id")).toMatch(/^\d{17}/);
    await reader.locator("tbody tr").filter({ hasText: "dead" }).first().waitFor();
    await reader.context().close();
  },
);

test("the failed test of a row leads to its log entry; a test that was refused leads nowhere", async () => {
  await open("?keyword=dead");
  await site.page.getByRole("button", { name: "Test dead" }).click();
  await site.page.getByRole("button", { name: "Show log entry" }).click();
  await site.page.waitForURL(/request_id=/);
  await site.page.locator("tbody tr").filter({ hasText: "ECONNREFUSED" }).first().waitFor();
  await make("gone", 1, DEAD);
  await open("?keyword=gone");
  const [gone] = await itemsOf<ChannelRow>(site.root.get("/api/channel/?keyword=gone"));
  await site.root.post("/api/channel/batch", { ids: [gone?.id] });
  await site.page.getByRole("button", { name: "Test gone" }).click();
  await site.page.getByRole("alert").getByText("refresh the page").waitFor();
  expect(await site.page.getByRole("button", { name: "Show log entry" }).count()).toBe(0);
});
