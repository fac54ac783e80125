/** The currency that a site shows, in a real browser: chosen in the settings, seen and typed everywhere, and no balance changes with it. */
import { expect, test } from "vitest";
import { rootSite } from "../support/checks/root-site.ts";
import { overflow, PHONE } from "../support/systems/browser.ts";
import { dataOf } from "../support/systems/site.ts";

const site = rootSite({
  fill: ({ root }) =>
    dataOf(
      root.post("/api/token/", { name: "first", remain_quota: 500_000, unlimited_quota: false, expired_time: -1 }),
    ),
});
interface Tokens {
  items: { name: string; remain_quota: number }[];
}
const tokens = async () => (await dataOf<Tokens>(site.root.send("GET", "/api/token/?page_size=100"))).items;

test("an operator chooses yuan; amounts are shown and typed in it, and the quota behind them stays", async () => {
  const { page, server } = site;
  await page.goto(`${server.app.url}/setting?tab=operation&section=general`);
  const name = "general_setting.quota_display_type";
  const list = page.locator(`[id="option-${name}-control"]`);
  await page.locator(`[id="option-${name}"]`).waitFor();
  if ((await list.count()) > 0) {
    await list.click();
    await page.getByRole("option", { name: "Yuan" }).click();
  } else await page.locator(`[id="option-${name}"]`).getByText("Yuan", { exact: true }).click();
  await page.getByRole("button", { name: "Save 1 change" }).click();
  await page.getByText("Settings saved").waitFor();

  await page.goto(`${server.app.url}/token`);
  await page.getByText("¥7.30").first().waitFor();
  await page.keyboard.press("n");
  const drawer = page.getByRole("dialog");
  await drawer.getByLabel("Name").first().fill("second");
  await drawer.getByLabel("Quota", { exact: true }).first().fill("0.5");
  await drawer.getByText("≈ 34,247 quota").waitFor();
  await drawer.getByRole("button", { name: /^Create/ }).click();
  await drawer.waitFor({ state: "hidden" });
  expect((await tokens()).map(({ name, remain_quota: quota }) => [name, quota]).toSorted()).toEqual([
    ["first", 500_000],
    ["second", 34_247],
  ]);

  await page.setViewportSize(PHONE);
  await page.goto(`${server.app.url}/topup`);
  await page.getByText(/¥\d/).first().waitFor();
  expect(await overflow(page)).toBe(0);
  expect(await page.getByText(/(?<![A-Z])\$\d/).count()).toBe(0);
});
