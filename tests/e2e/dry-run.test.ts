/** The dry run on the settings page in a real browser: rules, progress, result, what is refused, and what stays when the page is left. */
import { readFile } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { chargeQuota } from "../../contract/src/pricing/pricing.ts";
import { NO_USAGE } from "../../contract/src/pricing/usage.ts";
import { chargeDetail } from "../../server/src/billing/charge-detail.ts";
import { settlementOf } from "../../server/src/billing/testing.ts";
import { type RootSite, rootSite } from "../support/checks/root-site.ts";
import { IS_SHORT } from "../support/soak/short-or-long.ts";
import {
  type Look,
  LOOKS,
  openContext,
  openPage,
  overflow,
  seriousFindings,
  type WatchedPage,
} from "../support/systems/browser.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

const PATH = "/setting?tab=operation&section=dry_run";
const GROUP_RATIOS = { default: "1", vip: "0.5" } as const;

const site = rootSite({ fill });

async function addCall(
  userId: number,
  model: string,
  group: keyof typeof GROUP_RATIOS,
  inputTokens: number,
  ageS: number,
) {
  const { snapshot, billing } = site.server.app.foundation;
  const price = snapshot.priceOf(model);
  if (price === undefined) throw new Error(`no price of ${model}`);
  const requestId = randomUUID();
  const usage = { ...NO_USAGE, inputTokens, outputTokens: 100 };
  const terms = { usage, price, groupRatio: GROUP_RATIOS[group], quotaPerUnit: "500000", priceVersion: 1 };
  const charge = chargeQuota(usage, price, terms.groupRatio, terms.quotaPerUnit);
  const at = Math.floor(Date.now() / 1000) - ageS;
  const hold = await billing.hold({ requestId, userId, tokenId: 0, isTokenLimited: false, amount: 0 });
  const { log: _log, ...row } = settlementOf({ userId, tokenId: 0, channelId: 0 }, requestId, charge, at);
  const detail = chargeDetail({ ...terms, model, namedModel: model });
  await billing.settle(hold, { ...row, model, groupName: group, isTokenLimited: false, detail });
}

const HOUR_S = 3600;

async function fill({ root }: Pick<RootSite, "root">): Promise<void> {
  const { userId } = root;
  await root.put("/api/option/", { key: "GroupRatio", value: '{"default": 1, "vip": 0.5}' });
  await root.put("/api/option/", { key: "ModelPrice", value: '{"picture": 0.04}' });
  await root.put("/api/option/", { key: "ModelRatio", value: '{"words": 1}' });
  for (let call = 0; call < 20; call += 1) {
    await addCall(userId, "words", call % 2 === 0 ? "default" : "vip", 100_000, HOUR_S * (2 + call));
    await addCall(userId, "picture", "default", 1, HOUR_S * 3);
  }
}

/** The section in a new tab, or in a window that looks otherwise. */
async function open(path = PATH, look?: Look): Promise<WatchedPage & { close: () => Promise<void> }> {
  const { context, server } = site;
  const state = () => context.storageState();
  const window = look === undefined ? context : await openContext(site.browser, look, { storageState: await state() });
  const tab = await openPage(window);
  await tab.page.goto(server.app.url + path);
  return { ...tab, close: () => (look === undefined ? tab.page.close() : window.close()) };
}

const rowText = (page: Page, name: string): Promise<string> =>
  page
    .getByRole("row")
    .filter({ has: page.getByRole("rowheader", { name, exact: true }) })
    .innerText();

test("rules that say nothing are told so before anything is sent; a factor is tried, and the sums are those of the ledger and the draft", async () => {
  const { page, complaints, close } = await open();
  const sent: string[] = [];
  page.on("request", (request) => sent.push(new URL(request.url()).pathname));
  await page.getByRole("button", { name: "Add a change" }).click();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByText("Enter a model name or a pattern").waitFor();
  await page.getByLabel("Models", { exact: true }).fill("nobody*");
  await page.getByText("No priced model matches this").waitFor();
  await page.getByLabel("Models", { exact: true }).fill("*");
  await page.getByLabel("Factor").fill("-1");
  await page.getByText("Enter a number of at least 0").waitFor();
  expect(sent).not.toContain("/api/prices/dry_run");
  await page.getByLabel("Models", { exact: true }).fill("word*");
  await page.getByText("1 model", { exact: true }).waitFor();
  await page.getByLabel("Factor").fill("2");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const result = page.getByRole("region", { name: "Result" });
  await result.waitFor();
  // 10 x 100,100 at ratio 1 and 10 at half of it are 3.003 USD, which double; 20 pictures stay 0.80 USD.
  expect(await rowText(page, "words")).toMatch(/20\s+\$3\.00\s+\$6\.01\s+\+\$3\.00 \+100%/);
  expect(await rowText(page, "picture")).toMatch(/20\s+\$0\.8000\s+\$0\.8000\s+no change/);
  await page.getByRole("radio", { name: "By group" }).click();
  expect(await rowText(page, "vip")).toMatch(/\+\$1\.00 \+100%/);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download CSV" }).click(),
  ]);
  const csv = await readFile(await download.path(), "utf8");
  expect(csv).toContain("model,,words,20,1501500,3003000,1501500");
  expect(await seriousFindings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

testInAll("a model's price and groups' ratios are tried where they are edited, before they are saved")(async () => {
  const { page, complaints, close } = await open("/setting?tab=operation&section=prices&model=words");
  const tryIt = page.getByRole("button", { name: "Try on past calls" });
  const result = page.getByRole("region", { name: "Dry run of this draft" }).getByRole("region", { name: "Result" });
  const input = page.getByRole("dialog").getByLabel("Input", { exact: true });
  await input.waitFor();
  // What changes nothing has nothing to try.
  expect(await tryIt.count()).toBe(0);
  await input.fill("4");
  await tryIt.click();
  await result.waitFor();
  await expect.poll(() => result.innerText()).toMatch(/words[\s\S]*\$3\.00[\s\S]*\$6\.01/);
  await input.fill("wrong");
  await expect.poll(() => tryIt.count()).toBe(0);
  await input.fill("2");
  await page.goto(`${site.server.app.url}/setting?tab=operation&section=groups`);
  await page.getByLabel("Ratio of vip", { exact: true }).fill("1");
  await tryIt.click();
  await result.waitFor();
  await expect.poll(() => result.innerText()).toMatch(/words[\s\S]*\$3\.00[\s\S]*\$4\.00/);
  // In the short form groups.test.ts looks at the groups, and the first test at a result.
  if (!IS_SHORT) expect(await seriousFindings(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
});

testInAll(
  "a run that fails says why and begins again on demand; one that is slow can be cancelled; run and rules are there again for whoever comes back",
)(async () => {
  const { page, close } = await open();
  const line = (value: object) => `${JSON.stringify(value)}\n`;
  await page.route("**/api/prices/dry_run", (route) =>
    route.fulfill({ contentType: "application/x-ndjson", body: line({ kind: "failure", code: "dry_run_running" }) }),
  );
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByText("Another dry run is under way.").waitFor();
  await page.unroute("**/api/prices/dry_run");
  await page.route("**/api/prices/dry_run", () => undefined);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Counting the calls…").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Counting the calls…").waitFor({ state: "detached" });
  await page.unroute("**/api/prices/dry_run");
  await page.getByRole("button", { name: "Add a change" }).click();
  await page.getByLabel("Models", { exact: true }).fill("picture");
  await page.getByRole("radio", { name: "Last 30 days" }).click();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByText("Calls of the last 30 days").waitFor();
  await page.getByRole("region", { name: "Result" }).waitFor();
  await page.getByRole("navigation", { name: "Settings" }).getByRole("button", { name: "Operation" }).click();
  await page.getByRole("region", { name: "Result" }).waitFor({ state: "detached" });
  await page.goBack();
  await page.getByRole("region", { name: "Result" }).waitFor();
  await expect.poll(() => page.getByLabel("Models", { exact: true }).inputValue()).toBe("picture");
  await close();
});

// In the short form pages.test.ts looks at the section, and the first test at its result.
test.each(IS_SHORT ? [] : LOOKS)("accessible and no wider than its window: %j", async (look) => {
  const { page, complaints, close } = await open(PATH, look);
  const words = look.language === "en" ? { add: "Add a change", run: "Run" } : { add: "添加调整", run: "开始试算" };
  await page.getByRole("button", { name: words.add }).click();
  await page.getByPlaceholder("gpt-4o*").fill("*");
  await page.getByRole("button", { name: words.run, exact: true }).click();
  await page.getByRole("table").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  expect(await overflow(page)).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});
