/** The prices page in a real browser: from a dry run to prices in force, a date, its cancelling, the way back, and prices of other sites. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Locator, Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import type { PriceRow } from "../../contract/src/features/prices.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { findingsOfAnotherLook, openContext, overflow, PHONE } from "../support/systems/browser.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

let other: Server;
let address = "";

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill({ root }) {
    await root.put("/api/option/", { key: "ModelRatio", value: JSON.stringify({ "gpt-a": 1, "gpt-b": 2 }) });
    other = createServer((_, response) => {
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({ success: true, data: { model_ratio: { "gpt-a": 5 }, completion_ratio: {}, model_price: {} } }),
      );
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    address = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    await root.post("/api/channel/", {
      type: 1,
      key: "sk-upstream-0123456789",
      groups: ["default"],
      auto_ban: 0,
      name: "Only lane",
      base_url: address,
      models: "gpt-a,gpt-b",
    });
  },
});
afterAll(() => void other?.close());

async function openPrices(path: string) {
  const context = await openContext(site.browser, {}, { storageState: await site.context.storageState() });
  const page = await context.newPage();
  await page.goto(site.server.app.url + path);
  return { page, context };
}

const ratioOf = async (model: string): Promise<string | undefined> => {
  const rows = (await site.root.get(`/api/prices?model=${model}`)).body.data as PriceRow[];
  return rows[0]?.own.ratios.ModelRatio;
};

async function tryRule(page: Page, pattern: string, factor: string): Promise<void> {
  await page.getByRole("button", { name: "Add a change" }).click();
  await page.getByRole("textbox", { name: "Models" }).fill(pattern);
  await page.getByRole("textbox", { name: "Factor" }).fill(factor);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "Apply these prices" }).waitFor();
}

const sure = (page: Page, name: string) => page.getByRole("dialog").getByRole("button", { name }).click();

testInAll("the side bar leads to the prices, whose parts stand in tabs with an address each")(async () => {
  const { page, context } = await openPrices("/log");
  await page.getByRole("navigation").getByRole("link", { name: "Prices", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Prices" }).waitFor();
  await page.getByText("gpt-a", { exact: true }).first().waitFor();
  await page.getByRole("radio", { name: "Changes" }).click();
  await page.getByRole("heading", { name: "Earlier prices" }).waitFor();
  expect(new URL(page.url()).searchParams.get("tab")).toBe("changes");
  expect(await findingsOfAnotherLook(page)).toEqual([]);
  await context.close();
});

testInAll("every part begins where the title does, below the tabs")(async () => {
  const { page, context } = await openPrices("/prices");
  const left = async (target: Locator) => Math.round((await target.boundingBox())?.x ?? 0);
  const title = page.getByRole("heading", { level: 1, name: "Prices" });
  const purpose = page.locator("header p").last();
  const tabs = page.getByRole("radiogroup", { name: "Parts of the prices" });
  const search = page.getByRole("searchbox", { name: "Search models" });
  await search.waitFor();
  expect(await left(search)).toBe(await left(title));
  const part = tabs.locator("xpath=../following-sibling::*[1]/*[1]");
  for (const name of ["Groups", "Dry run", "Changes", "Price list", "Other sites"]) {
    await tabs.getByRole("radio", { name, exact: true }).click();
    await page.waitForURL(/[?&]tab=/);
    await part.and(page.locator(":not([aria-busy])")).waitFor();
    for (const shown of [tabs, part]) expect([name, await left(shown)]).toEqual([name, await left(title)]);
    const above = await purpose.boundingBox();
    const below = await tabs.boundingBox();
    expect((below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0)).toBeGreaterThanOrEqual(8);
  }
  await context.close();
});

test("the parts of the prices stand in one row at any width, and the open one is in sight", async () => {
  const { page, context } = await openPrices("/prices?tab=sites");
  for (const width of [1440, 1024, PHONE.width]) {
    await page.setViewportSize({ width, height: 900 });
    await page.reload();
    const tabs = page.getByRole("radiogroup", { name: "Parts of the prices" });
    const places = await tabs.evaluate((group) => {
      const tops = [...group.querySelectorAll("[role=radio]")].map((tab) => tab.getBoundingClientRect().top);
      const chosen = group.querySelector("[aria-checked=true]")?.getBoundingClientRect().right ?? 0;
      return { rows: new Set(tops).size, isSeen: chosen > 0 && chosen <= window.innerWidth };
    });
    expect([width, places]).toEqual([width, { rows: 1, isSeen: true }]);
    expect(await overflow(page)).toBe(0);
  }
  await context.close();
});

test("what was tried is applied by one button, and taken back from the list of earlier prices", async () => {
  const { page, context } = await openPrices("/prices?tab=dry_run");
  await tryRule(page, "gpt-a", "3");
  await page.getByRole("button", { name: "Apply these prices" }).click();
  await sure(page, "Apply these prices");
  await page.getByText("The new prices are in force.").waitFor();
  expect([await ratioOf("gpt-a"), await ratioOf("gpt-b")]).toEqual(["3", "2"]);
  await page.getByRole("link", { name: "See the changes" }).click();
  await page.getByText("Applied", { exact: true }).waitFor();
  const earlier = page.getByRole("listitem").filter({ hasText: "1 model differs" }).first();
  await earlier.getByRole("button", { name: "Go back" }).click();
  await sure(page, "Go back");
  await expect.poll(() => ratioOf("gpt-a")).toBe("1");
  await context.close();
});

test("prices from a date wait, are seen to wait, and can be cancelled; a time that is past is refused at its field", async () => {
  const { page, context } = await openPrices("/prices?tab=dry_run");
  await tryRule(page, "gpt-b", "4");
  await page.getByRole("radio", { name: "From a date" }).click();
  const field = page.getByLabel("In force from");
  const usual = await field.inputValue();
  await field.fill("2020-01-01T00:00");
  await page.getByRole("button", { name: "Apply these prices" }).click();
  await sure(page, "Apply these prices");
  await page.getByText(/choose a time between now and a year from now/i).waitFor();
  expect(await field.getAttribute("aria-invalid")).toBe("true");
  await field.fill(usual);
  await page.getByRole("button", { name: "Apply these prices" }).click();
  await sure(page, "Apply these prices");
  await page.getByText("The new prices wait for their date.").waitFor();
  expect(await ratioOf("gpt-b")).toBe("2");
  await page.getByRole("link", { name: "See the changes" }).click();
  await page.getByRole("button", { name: "Cancel the change" }).click();
  await sure(page, "Cancel the change");
  await page.getByText("Cancelled", { exact: true }).waitFor();
  expect(await page.evaluate(() => document.activeElement === document.body)).toBe(false);
  await context.close();
});

testInAll(
  "the question of applying says how many people may be notified; ticked it is asked for, and the list says so",
)(async () => {
  const { page, context } = await openPrices("/prices?tab=dry_run");
  await tryRule(page, "gpt-b", "3");
  await page.getByRole("radio", { name: "From a date" }).click();
  await page.getByRole("button", { name: "Apply these prices" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/In this dry run 0 people pay another amount; at most 10,000 are notified/).waitFor();
  await dialog.getByRole("checkbox", { name: /Notify the people concerned/ }).check();
  expect(await findingsOfAnotherLook(page)).toEqual([]);
  await sure(page, "Apply these prices");
  await page.getByText("The people concerned are notified in the background.").waitFor();
  await page.getByRole("link", { name: "See the changes" }).click();
  await page.getByText("· 0 people notified").first().waitFor();
  await page.getByRole("button", { name: "Cancel the change" }).click();
  await sure(page, "Cancel the change");
  await page.getByText("Cancelled", { exact: true }).first().waitFor();
  await context.close();
});

testInAll("prices of another site are compared and one is taken")(async () => {
  const { page, context } = await openPrices("/prices?tab=sites");
  await page.getByLabel("Addresses of other sites").fill(address);
  await page.getByRole("button", { name: "Compare prices" }).click();
  await page.getByRole("list", { name: "What the sites answered" }).getByText("1 model").waitFor();
  const offer = page.getByRole("checkbox", { name: /Take the price of gpt-a/ });
  await offer.check();
  expect(await findingsOfAnotherLook(page)).toEqual([]);
  await page.getByRole("button", { name: "Take 1 price" }).click();
  await sure(page, "Take prices");
  await expect.poll(() => ratioOf("gpt-a")).toBe("5");
  await page.getByText("None of these sites has a price that differs from yours.").waitFor();
  expect(await page.evaluate(() => document.activeElement === document.body)).toBe(false);
  await context.close();
});
