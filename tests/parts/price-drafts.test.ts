/** The button that tries an editor's draft on past calls: what it sends, what it shows, and what ends it. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { DryRunResult } from "../../contract/src/pricing/dry-run.ts";
import { seriousFindings } from "../support/systems/browser.ts";
import { focused, scenes } from "../support/systems/scenes.ts";

const show = scenes();

const CHEAPER = { calls: 3, old: 1_000_000, new: 250_000 };
const DEARER = { calls: 1, old: 500_000, new: 1_500_000 };
const RESULT: DryRunResult = {
  kind: "result",
  from: 1_790_000_000,
  to: 1_790_600_000,
  totals: { calls: 4, old: 1_500_000, new: 1_750_000 },
  charged: 1_400_000,
  free_calls: 1,
  models: [
    { name: "dearer", is_unpriced: true, ...DEARER },
    { name: "cheaper", is_unpriced: false, ...CHEAPER },
  ],
  groups: [{ name: "default", calls: 4, old: 1_500_000, new: 1_750_000 }],
  users: [
    { id: 1, name: "alice", ...DEARER },
    { id: 7, name: "", ...CHEAPER },
  ],
  others: {},
  running_out: {
    count: 2,
    people: [
      { id: 7, name: "", balance: 1_000, days_before: 3, days_left: 0 },
      { id: 1, name: "alice", balance: 900_000, days_before: 12.5, days_left: 4.1 },
    ],
  },
  notes: [{ code: "tools_kept", calls: 1, latest: 1_790_000_000 }],
};

const PATH = "**/api/prices/dry_run";
const answerWith =
  (sent: unknown[], ...lines: object[]) =>
  (page: Page) =>
    page.route(PATH, (route) => {
      sent.push(route.request().postDataJSON());
      const body = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
      return route.fulfill({ contentType: "application/x-ndjson", body });
    });

test("the draft is tried on the last seven days, and on others as chosen", async () => {
  const sent: unknown[] = [];
  const { page } = await show("price-drafts/Drafted", {}, answerWith(sent, RESULT));
  await page.getByRole("button", { name: "Try on past calls" }).click();
  const drawer = page.getByRole("region", { name: "Dry run of this draft" });
  await drawer.getByRole("region", { name: "Result" }).waitFor();
  await expect.poll(() => drawer.getByRole("rowheader").allTextContents()).toEqual(["dearerno price", "cheaper"]);
  await drawer.getByText("1 call from before the ledger kept").waitFor();
  await drawer.getByText("2 people would run out within a week").click();
  await drawer.getByText("lasts 4.1 days instead of 12.5").waitFor();
  await drawer.getByText("lasts <0.1 days instead of 3.0").waitFor();
  const people = drawer.getByRole("region", { name: "2 people would run out within a week" });
  // A list that is longer than its frame is scrolled by keys.
  expect(await people.getAttribute("tabindex")).toBe("0");
  await drawer.getByRole("radio", { name: "Last 30 days" }).click();
  await drawer.getByText("Calls of the last 30 days").waitFor();
  const draft = { options: { GroupRatio: '{"default": 2}' } };
  /** As the dashboard has it: today is the last of the days. */
  const startOf = (days: number) =>
    page.evaluate(
      (back) => new Date(new Date().setHours(0, 0, 0, 0)).setDate(new Date().getDate() - back) / 1000,
      days - 1,
    );
  // A component in strict mode is mounted twice.
  expect(sent.slice(-2)).toEqual([
    { ...draft, days: 7, start_timestamp: await startOf(7) },
    { ...draft, days: 30, start_timestamp: await startOf(30) },
  ]);
  expect(await seriousFindings(page)).toEqual([]);
});

test("each column sorts, by the size of the difference at first", async () => {
  const { page } = await show("price-drafts/Drafted", {}, answerWith([], RESULT));
  await page.getByRole("button", { name: "Try on past calls" }).click();
  const names = () => page.getByRole("rowheader").allInnerTexts();
  await page.getByRole("radio", { name: "By user" }).click();
  expect(await names()).toEqual(["alice", "Deleted user 7"]);
  const header = page.getByRole("columnheader", { name: "Calls" });
  await header.getByRole("button").focus();
  await page.keyboard.press("Enter");
  expect(await names()).toEqual(["Deleted user 7", "alice"]);
  await expect.poll(() => header.getAttribute("aria-sort")).toBe("descending");
  await page.keyboard.press("Enter");
  expect(await names()).toEqual(["alice", "Deleted user 7"]);
  await expect.poll(() => header.getAttribute("aria-sort")).toBe("ascending");
});

test("dearer and cheaper differ by sign and by colour", async () => {
  const { page } = await show("price-drafts/Drafted", {}, answerWith([], RESULT));
  await page.getByRole("button", { name: "Try on past calls" }).click();
  const cell = (name: string) => page.getByRole("row").filter({ hasText: name }).locator("[data-tone]").first();
  await expect.poll(() => cell("cheaper").innerText()).toBe("−$1.50");
  const colours = await Promise.all(
    ["dearer", "cheaper"].map((name) =>
      page
        .getByRole("row")
        .filter({ hasText: name })
        .locator("td [data-tone]")
        .first()
        .evaluate((each) => getComputedStyle(each).color),
    ),
  );
  expect(new Set(colours).size).toBe(2);
});

test("no calls at all is said so", async () => {
  const none = { calls: 0, old: 0, new: 0 };
  const result = { ...RESULT, totals: none, models: [], groups: [], users: [], notes: [], free_calls: 0 };
  const { page } = await show("price-drafts/Drafted", {}, answerWith([], result));
  await page.getByRole("button", { name: "Try on past calls" }).click();
  await page.getByText("No calls in the last 7 days").waitFor();
  expect(await page.getByRole("table").count()).toBe(0);
});

test("cancelling ends the run and gives the focus back", async () => {
  const { page } = await show("price-drafts/Drafted", {}, (fresh) => fresh.route(PATH, () => undefined));
  await page.getByRole("button", { name: "Try on past calls" }).click();
  await page.getByText("Counting the calls…").waitFor();
  const ended = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/dry_run"));
  await page.getByRole("button", { name: "Cancel" }).click();
  expect((await ended).failure()?.errorText).toBe("net::ERR_ABORTED");
  await page.getByText("Counting the calls…").waitFor({ state: "detached" });
  expect(await focused(page)).toBe("button Try on past calls");
});

test("what was found goes when the draft changes, and the new one is tried on demand", async () => {
  const sent: { options?: { GroupRatio?: string } }[] = [];
  const { page } = await show("price-drafts/Drafted", {}, answerWith(sent, RESULT));
  await page.getByRole("button", { name: "Try on past calls" }).click();
  await page.getByRole("table").waitFor();
  await page.getByRole("button", { name: "Change the draft" }).click();
  await page.getByRole("table").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Try on past calls" }).click();
  await page.getByRole("table").waitFor();
  expect(sent.at(-1)?.options?.GroupRatio).toBe('{"default": 3}');
});
