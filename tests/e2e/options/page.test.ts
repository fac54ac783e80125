/** The settings page in a real browser: saving in order and in part, two administrators, secrets, search, keys, and that nothing typed is lost. */
import type { Locator, Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { OptionRow } from "../../../contract/src/features/options.ts";
import { rootSite } from "../../support/checks/root-site.ts";
import { IS_SHORT, oneInShort } from "../../support/soak/short-or-long.ts";
import { testInAll } from "../../support/soak/test-in-all.ts";
import { keepPicture, openContext, openPage, overflow, PHONE } from "../../support/systems/browser.ts";
import { dataOf } from "../../support/systems/site.ts";

/** The tab that is measured stands last; what is on the others, pages.test.ts looks at too. */
const TABS = [...(IS_SHORT ? [] : ["ratelimit", "models", "system", "other"]), "operation"];

const site = rootSite();
let page: Page;
let settled: () => Promise<void>;

beforeEach(async () => {
  ({ page, settled } = await openPage(site.context));
});
afterEach(async ({ task }) => {
  await keepPicture(page, task);
  await page.close();
});

const set = (key: string, value: string) => dataOf(site.root.put("/api/option", { key, value }));
const stored = async (key: string): Promise<string | undefined> =>
  (await dataOf<OptionRow[]>(site.root.get("/api/option"))).find((row) => row.key === key)?.value;
const rowOf = (name: string): Locator => page.locator(`[data-option="${name}"]`);
const control = (name: string): Locator => page.locator(`[id="option-${name}-control"]`);
const bar = (): Locator => page.getByRole("region", { name: "Unsaved changes" });
const save = (): Promise<void> => page.getByRole("button", { name: /^Save \d+ change/ }).click();
const saved = (): Promise<void> => bar().waitFor({ state: "detached" });
const focusedId = (): Promise<string | undefined> => page.evaluate(() => document.activeElement?.id);

async function open(address: string): Promise<void> {
  await page.goto(`${site.server.app.url}/setting${address}`);
  await page.locator("[data-option]").first().waitFor();
  await settled();
}

/** Everything that the page sends to change options, in order, with whether others were under way. */
function watchSaves(): { key: string; besides: number }[] {
  const sent: { key: string; besides: number }[] = [];
  const underWay = new Set<object>();
  page.on("request", (request) => {
    if (request.method() !== "PUT" || !request.url().endsWith("/api/option")) return;
    sent.push({ key: (request.postDataJSON() as { key: string }).key, besides: underWay.size });
    underWay.add(request);
  });
  page.on("response", (response) => underWay.delete(response.request()));
  return sent;
}

test("the bar says what will change; only that is sent, texts side by side before the switches, which go in turn", async () => {
  await open("?tab=operation");
  const sent = watchSaves();
  await control("LogConsumeEnabled").focus();
  await page.keyboard.press("Space");
  await control("QuotaForNewUser").fill("200000");
  await control("AutomaticDisableChannelEnabled").focus();
  await page.keyboard.press("Space");
  await control("ChannelDisableThreshold").fill("30");
  await expect.poll(() => bar().innerText()).toMatch(/Quota for a new user\s+0 quota\s+200,000 quota/);
  await expect.poll(() => bar().innerText()).toMatch(/Log every charged call\s+on\s+off/);
  await page.getByRole("button", { name: "Save 4 changes" }).click();
  await saved();
  await page.getByText("Settings saved").waitFor();
  expect(
    sent
      .map(({ key }) => key)
      .slice(0, 2)
      .toSorted(),
  ).toEqual(["ChannelDisableThreshold", "QuotaForNewUser"]);
  expect(sent.map(({ key }) => key).slice(2)).toEqual(["AutomaticDisableChannelEnabled", "LogConsumeEnabled"]);
  expect(sent.map(({ besides }) => besides).slice(2)).toEqual([0, 0]);
  expect(await stored("QuotaForNewUser")).toBe("200000");
});

test("a value that cannot be is refused at its field before anything is sent, the first one has the focus, and drafts stay, also over a look at another tab; leaving the page asks, and discarding ends it", async () => {
  await open("?tab=operation");
  const sent = watchSaves();
  await control("RetryTimes").fill("-1");
  await control("QuotaForInviter").fill("7");
  await page.keyboard.press("Enter");
  await rowOf("RetryTimes").getByRole("alert").waitFor();
  await expect.poll(() => rowOf("RetryTimes").getByRole("alert").innerText()).toBe("The smallest value is 0");
  await expect.poll(focusedId).toBe("option-RetryTimes-control");
  expect(sent).toEqual([]);
  await expect.poll(() => control("QuotaForInviter").inputValue()).toBe("7");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("2");
  await page.keyboard.press("ControlOrMeta+s");
  await saved();
  expect(await stored("RetryTimes")).toBe("2");
  await control("RetryTimes").fill("9");
  await page.getByRole("navigation", { name: "Settings" }).getByRole("button", { name: "Models" }).click();
  await rowOf("claude.default_max_tokens").waitFor();
  await expect.poll(() => bar().innerText()).toContain("Retries");
  await bar().getByRole("button", { name: "Retries" }).click();
  await expect.poll(focusedId).toBe("option-RetryTimes-control");
  await expect.poll(() => control("RetryTimes").inputValue()).toBe("9");
  await page.getByRole("link", { name: "Tokens" }).first().click();
  await page.getByRole("dialog").getByRole("button").first().waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(page.url()).toContain("/setting");
  await page.getByRole("button", { name: "Discard" }).click();
  await saved();
  await page.keyboard.press("ControlOrMeta+s");
  await page.getByText("You don't seem to have changed anything").waitFor();
});

testInAll(
  "where the server refuses one, the rest is saved, the switches wait, and what was not saved is named and kept",
)(async () => {
  await open("?tab=models");
  await control("claude.thinking_adapter_budget_tokens_percentage").fill("0.7");
  const editor = control("claude.default_max_tokens");
  await editor.fill('{"default": 0}');
  await rowOf("claude.default_max_tokens").locator(".cm-content").waitFor();
  await control("global.pass_through_request_enabled").focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("ControlOrMeta+s");
  await page.getByText("Only some changes were saved, please retry").waitFor();
  await page.getByText("Not saved: Claude default max tokens, Pass requests through.").waitFor();
  await expect.poll(() => rowOf("claude.default_max_tokens").getByRole("alert").innerText()).toContain("default");
  expect(await stored("claude.thinking_adapter_budget_tokens_percentage")).toBe("0.7");
  expect(await stored("global.pass_through_request_enabled")).toBe("false");
  await expect.poll(() => bar().innerText()).toContain("2 changes");
  await expect.poll(() => editor.innerText()).toBe('{"default": 0}');
});

test("who saves after somebody else sees both values, and keeps one's own or takes the other", async () => {
  await set("PreConsumedQuota", "500");
  await open("?tab=operation");
  await control("PreConsumedQuota").fill("600");
  await set("PreConsumedQuota", "700");
  await page.keyboard.press("Enter");
  const conflict = rowOf("PreConsumedQuota").getByRole("alert");
  await conflict.waitFor();
  const text = await conflict.innerText();
  expect(text).toContain("root changed this option while you were editing it");
  expect(text).toMatch(/700 tokens[\s\S]+600 tokens/);
  // No retry solves it, so none is asked for.
  expect(await page.getByText(/retry/).count()).toBe(0);
  expect(await stored("PreConsumedQuota")).toBe("700");
  await rowOf("PreConsumedQuota").getByRole("button", { name: "Keep mine" }).click();
  await save();
  await saved();
  expect(await stored("PreConsumedQuota")).toBe("600");
  await control("PreConsumedQuota").fill("601");
  await set("PreConsumedQuota", "800");
  await page.keyboard.press("Enter");
  await rowOf("PreConsumedQuota").getByRole("button", { name: "Take theirs" }).click();
  await saved();
  await expect.poll(() => control("PreConsumedQuota").inputValue()).toBe("800");
});

test("a secret is never shown: it says since when it is set, can be replaced, and is removed with the save", async () => {
  await open("?option=SMTPToken");
  await control("SMTPToken").fill("first-secret");
  await page.keyboard.press("Enter");
  await saved();
  await rowOf("SMTPToken")
    .getByText(/^Set on /)
    .waitFor();
  expect(await page.content()).not.toContain("first-secret");
  // Saved by key: the focus is where the secret can be replaced, also after that was begun and given up.
  await expect.poll(focusedId).toBe("option-SMTPToken-control");
  await page.keyboard.press("Enter");
  await control("SMTPToken").and(page.locator("input")).waitFor();
  await rowOf("SMTPToken").getByRole("button", { name: "Cancel" }).click();
  await expect.poll(focusedId).toBe("option-SMTPToken-control");
  await rowOf("SMTPToken").getByRole("button", { name: "Replace" }).click();
  await control("SMTPToken").fill("second-secret");
  await expect.poll(() => bar().innerText()).toMatch(/SMTP password\s+replaced/);
  await save();
  await saved();
  expect(site.server.app.foundation.snapshot.options.SMTPToken).toBe("second-secret");
  await rowOf("SMTPToken").getByRole("button", { name: "Remove" }).click();
  await save();
  await saved();
  expect(site.server.app.foundation.snapshot.options.SMTPToken).toBe("");
});

testInAll(
  "the site's name follows a save at once; a setting is found by a word of the other language, and its field has the focus",
)(async () => {
  await open("?option=SystemName");
  await control("SystemName").fill("Harbour");
  await page.keyboard.press("Enter");
  await saved();
  await expect.poll(() => page.title()).toBe("Settings · Harbour");
  await page.getByRole("searchbox", { name: "Search settings" }).fill("失败重试");
  await page.getByRole("option", { name: /Retries/ }).waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(focusedId).toBe("option-RetryTimes-control");
  expect(page.url()).toContain("option=RetryTimes");
});

testInAll("what else there is to know of an option: default and the way back, who changed it, and its history")(
  async () => {
    await set("RetryTimes", "4");
    await set("RetryTimes", "6");
    await open("?option=RetryTimes");
    await rowOf("RetryTimes").getByRole("button", { name: "About Retries" }).click();
    await page.getByText("4 → 6").waitFor();
    await page.getByText(/by root$/).waitFor();
    await page.getByRole("button", { name: "Use the old value" }).first().click();
    await expect.poll(() => control("RetryTimes").inputValue()).toBe("4");
    await rowOf("RetryTimes").getByRole("button", { name: "About Retries" }).click();
    await page.getByRole("button", { name: "Back to default" }).click();
    await expect.poll(() => control("RetryTimes").inputValue()).toBe("0");
  },
);

test.each(oneInShort("/setting, narrow", ["en", "zh"] as const))(
  "no tab is wider than a phone, and what is typed has the whole width there (%s)",
  async (language) => {
    const phone = await openContext(
      site.browser,
      { size: PHONE, language },
      { storageState: await site.context.storageState() },
    );
    const narrow = await openPage(phone);
    for (const tab of TABS) {
      await narrow.page.goto(`${site.server.app.url}/setting?tab=${tab}`);
      await narrow.page.locator("[data-option]").first().waitFor();
      await narrow.settled();
      expect({ tab, overflow: await overflow(narrow.page) }).toEqual({ tab, overflow: 0 });
    }
    const widths = await narrow.page.locator('[data-option="RetryTimes"]').evaluate((row) => {
      const field = row.querySelector("input")?.getBoundingClientRect();
      return { row: row.getBoundingClientRect().width, field: field?.width };
    });
    expect(widths.field).toBe(widths.row);
    // The names of the API would stand on every row where nothing hovers; the details have them.
    await narrow.page.goto(`${site.server.app.url}/setting?tab=operation`);
    await narrow.page.locator('[data-option="RetryTimes"] input').waitFor();
    expect(await narrow.page.locator("[data-option] code").filter({ visible: true }).count()).toBe(0);
    await phone.close();
  },
);

test("the list of sections marks the one to which the address or a press led, also where it is not at the top of the window", async () => {
  const marked = page.getByRole("navigation", { name: "Sections" }).locator('[aria-current="true"]');
  for (const [option, section] of [
    ["Logo", "Personalisation"],
    ["SMTPServer", "Email (SMTP)"],
    ["Price", "Payment"],
  ] as const) {
    await open(`?option=${option}`);
    await expect.poll(() => focusedId()).toBe(`option-${option}-control`);
    await expect.poll(() => marked.innerText()).toContain(section);
  }
  const last = page.getByRole("navigation", { name: "Sections" }).getByRole("button").last();
  await last.click();
  await expect.poll(() => last.getAttribute("aria-current")).toBe("true");
});
