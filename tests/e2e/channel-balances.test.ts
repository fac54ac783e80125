/** Balances in a real browser: refreshed one by one and all together, in their own currencies, and what is shown where one cannot be read. */
import type { Page } from "playwright-core";
import { afterAll, expect, onTestFinished, test } from "vitest";
import type { ChannelRow } from "../../contract/src/features/channels.ts";
import { ACCOUNT_KEY, type AccountServer, startAccounts } from "../support/providers/accounts.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { openContext, seriousFindings } from "../support/systems/browser.ts";
import { dataOf, itemsOf } from "../support/systems/site.ts";

/** The discard port: nothing answers there. */
const DEAD = "http://127.0.0.1:9";
const FAILED_MARK = "!";

let accounts: AccountServer;

const site = rootSite({
  async fill({ root }) {
    accounts = await startAccounts();
    await root.put("/api/option/", { key: "AllowPrivateUpstreamsEnabled", value: "true" });
    const make = (name: string, type: number, base_url: string, tag = "") =>
      root.post("/api/channel/", { type, name, key: ACCOUNT_KEY, models: "m", groups: ["default"], base_url, tag });
    await make("deep", 43, accounts.url, "vendors");
    await make("gateway", 1, accounts.url, "vendors");
    await make("dead", 25, DEAD);
    await make("silent", 14, accounts.url);
  },
});
afterAll(() => accounts?.close());

/** The list of channels in a window of its own. */
async function openList(): Promise<Page> {
  const context = await openContext(site.browser, {}, { storageState: await site.context.storageState() });
  const page = await context.newPage();
  await page.goto(`${site.server.app.url}/channel`);
  return page;
}

const rowOf = (page: Page, name: string) => page.locator("tbody tr", { hasText: name });
const menuOf = async (page: Page, name: string, about: string) => {
  await page.getByRole("button", { name: about }).click();
  return page.getByRole("menuitem", { name, exact: true });
};
const stored = async (name: string): Promise<ChannelRow | undefined> =>
  (await itemsOf<ChannelRow>(site.root.get(`/api/channel/?keyword=${name}`)))[0];

test("one is refreshed from its row, shown in its own currency, and offered only where a provider tells one", async () => {
  const page = await openList();
  await (await menuOf(page, "Refresh balance", "Actions for deep")).click();
  await page.getByText("deep has ¥110.35").waitFor();
  await rowOf(page, "deep").getByText("¥110.35").waitFor();
  expect(await stored("deep")).toMatchObject({ balance: 110.35, balance_currency: "CNY" });
  const item = await menuOf(page, "Refresh balance", "Actions for silent");
  await page.getByRole("menuitem", { name: "Copy channel" }).waitFor();
  expect(await item.count()).toBe(0);
  await page.context().close();
});

test("all are refreshed with their progress; the one that failed is named, and says why to the keyboard too", async () => {
  const page = await openList();
  await rowOf(page, "deep").waitFor();
  await (await menuOf(page, "Refresh all balances", "More")).click();
  await page.getByText("Balances that could not be read").waitFor();
  await page.getByRole("alert").getByText("dead").waitFor();
  await rowOf(page, "gateway").getByText("$108.15").waitFor();
  const failed = rowOf(page, "dead").getByRole("note", { name: /^Failed: Nothing accepts connections/ });
  await failed.waitFor();
  await rowOf(page, "dead").getByRole("link", { name: "dead" }).focus();
  await page.keyboard.press("Tab");
  await page
    .getByRole("tooltip")
    .getByText("Nothing accepts connections at the upstream’s address (ECONNREFUSED)")
    .waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  expect(await rowOf(page, "silent").getByText("Failed").count()).toBe(0);
  await page.context().close();
});

test("a balance that cannot be read any more stays as it was, marked; currencies are sorted and summed apart", async () => {
  for (const name of ["deep", "gateway"])
    await dataOf(site.root.post(`/api/channel/update_balance/${(await stored(name))?.id}`, {}));
  onTestFinished(() => accounts.answer("/user/balance", undefined));
  const page = await openList();
  accounts.answer("/user/balance", { status: 402, body: '{"error":{"message":"gone for good"}}' });
  await (await menuOf(page, "Refresh balance", "Actions for deep")).click();
  await page.getByText("The balance of deep could not be read").waitFor();
  await page.getByText("The upstream answered 402: gone for good").first().waitFor();
  const cell = rowOf(page, "deep").getByRole("note", { name: /¥110\.35.*Failed: The upstream answered 402/ });
  await cell.getByText(FAILED_MARK).waitFor();
  const order = async () =>
    (await page.locator("tbody tr").allInnerTexts()).map((row) => /deep|gateway|dead|silent/.exec(row)?.[0]);
  const known = async () => (await order()).slice(0, 2).join(" ");
  await page.goto(`${site.server.app.url}/channel?sort=-balance`);
  await expect.poll(known).toBe("gateway deep");
  await page.getByRole("button", { name: "Balance", exact: true }).click();
  await expect.poll(known).toBe("deep gateway");
  await page.goto(`${site.server.app.url}/channel?tags=1`);
  const sums = page.locator("tbody tr", { hasText: "vendors" }).first().getByRole("note", { name: "¥110.35, $108.15" });
  await sums.waitFor();
  await page.context().close();
});
