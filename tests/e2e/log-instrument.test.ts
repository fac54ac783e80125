/** The log as an instrument in a real browser: the bars above the list, groups, and what a failed receipt advises. */
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { findingsOfAnotherLook, openContext } from "../support/systems/browser.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

let upstream: FakeUpstream;
let key = "";

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill({ server, root }) {
    upstream = await startFakeUpstream();
    await root.put("/api/option/", { key: "ModelRatio", value: JSON.stringify({ "gpt-a": 1, "gpt-b": 1 }) });
    await root.post("/api/channel/", {
      type: 1,
      key: "sk-upstream-0123456789",
      groups: ["default"],
      auto_ban: 0,
      name: "Only lane",
      base_url: upstream.url,
      models: "gpt-a,gpt-b",
    });
    const { body } = await root.post("/api/token/", { name: "nightly", unlimited_quota: true });
    key = `sk-${(body.data as { key: string }).key}`;
    const call = async (model: string): Promise<void> => {
      const answer = await fetch(`${server.app.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
      });
      await answer.text();
    };
    await call("gpt-a");
    await call("gpt-a");
    upstream.plan({ status: 401, error: { message: "no such key", type: "invalid_request_error" } });
    await call("gpt-b");
    await call("gpt-b");
    upstream.plan({});
  },
});
afterAll(() => upstream?.close());

async function openLog(path: string) {
  const context = await openContext(site.browser, {}, { storageState: await site.context.storageState() });
  const page = await context.newPage();
  await page.goto(site.server.app.url + path);
  return { page, context };
}

const search = (page: Page): URLSearchParams => new URL(page.url()).searchParams;
const plot = (page: Page) => page.getByRole("group", { name: /^Bars over time/ });
const bars = (page: Page, tone: string) =>
  plot(page)
    .locator(`[data-tone="${tone}"]`)
    .evaluateAll((all) => all.filter((bar) => bar.clientHeight > 0).length);

test("bars stand above the list, and a drag over them zooms in and out again", async () => {
  const { page, context } = await openLog("/log?range=day");
  await expect.poll(() => bars(page, "accent")).toBeGreaterThan(0);
  expect(await bars(page, "red")).toBeGreaterThan(0);
  const box = await plot(page).boundingBox();
  if (box === null) throw new Error("the plot has no place");
  await page.mouse.move(box.x + box.width * 0.5, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, box.y + 20, { steps: 4 });
  await page.getByText(/4 calls, 2 failed/).waitFor();
  await page.mouse.up();
  await expect.poll(() => Number(search(page).get("end_timestamp"))).toBeGreaterThan(0);
  const length = () => Number(search(page).get("end_timestamp")) - Number(search(page).get("start_timestamp"));
  const zoomed = length();
  expect(zoomed).toBeLessThan(15 * 3600);
  await page.getByText("4 entries", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Zoom out" }).click();
  await expect.poll(length).toBeGreaterThan(zoomed);
  await context.close();
});

testInAll("the keyboard alone chooses bars and zooms, and Escape gives the choice up")(async () => {
  const { page, context } = await openLog("/log?range=day");
  await expect.poll(() => bars(page, "accent")).toBeGreaterThan(0);
  await plot(page).focus();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Shift+ArrowLeft");
  await expect.poll(() => plot(page).locator("[data-is-chosen]").count()).toBe(2);
  await page.keyboard.press("Escape");
  await expect.poll(() => plot(page).locator("[data-is-chosen]").count()).toBe(0);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await expect.poll(() => search(page).has("start_timestamp")).toBe(true);
  await context.close();
});

testInAll("with failures alone no figure above the list says that something was spent")(async () => {
  const { page, context } = await openLog("/log?range=day");
  const head = page.locator("header").filter({ hasText: "Usage log" });
  await expect.poll(() => head.innerText()).toMatch(/Spend\s*\$0\.0*[1-9]/);
  await page.goto(`${site.server.app.url}/log?range=day&type=5`);
  await page.getByText("2 entries", { exact: true }).waitFor();
  await expect.poll(() => head.innerText()).toMatch(/Spend\s*\$0\.0+\s/);
  expect(await bars(page, "accent")).toBe(0);
  await context.close();
});

test("entries are grouped by a field, sorted by failures, and a group leads to its entries", async () => {
  const { page, context } = await openLog("/log?range=day");
  await page.getByRole("button", { name: "Group by" }).click();
  await page.getByRole("menuitem", { name: "Model" }).click();
  const table = page.getByRole("table", { name: "Log by Model" });
  const names = () => table.getByRole("rowheader").allInnerTexts();
  await expect.poll(names).toEqual(["gpt-a", "gpt-b"]);
  const spends = await table.getByRole("cell").filter({ hasText: "$" }).allInnerTexts();
  expect(new Set(spends.map((text) => text.split(".")[1]?.length)).size).toBe(1);
  await table.getByRole("button", { name: "Failed", exact: true }).click();
  await expect.poll(names).toEqual(["gpt-b", "gpt-a"]);
  expect(search(page).get("group_order")).toBe("errors");
  expect(await findingsOfAnotherLook(page)).toEqual([]);
  await table.getByRole("link", { name: "gpt-b" }).click();
  await page.getByText("2 entries", { exact: true }).waitFor();
  expect(search(page).get("model_name")).toBe("gpt-b");
  await context.close();
});

test("entries are grouped by program, with the share of cached tokens", async () => {
  const { page, context } = await openLog("/log?range=day&group_by=client");
  const table = page.getByRole("table", { name: "Log by Program" });
  await table.getByRole("columnheader", { name: "Cached, %" }).waitFor();
  await table.getByRole("rowheader", { name: "Other" }).waitFor();
  await context.close();
});

testInAll("a failed receipt says what to do, leads there, and counts failures like it")(async () => {
  const { page, context } = await openLog("/log?range=day&type=5");
  await page.getByRole("button", { name: "Details" }).first().click();
  await page.getByText("The upstream refused the key: replace it.").waitFor();
  await page.getByRole("link", { name: "Similar failures (1)" }).waitFor();
  await page.getByRole("link", { name: "Replace the key" }).click();
  await page.waitForURL(/\/channel\/edit\/\d+$/);
  await context.close();
});
