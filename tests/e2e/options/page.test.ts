/** The settings page in a real browser: saving in order and in part, two administrators, secrets, search, keys, and that nothing typed is lost. */
import type { Locator, Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { OptionRow } from "../../../contract/src/features/options.ts";
import { OPTION_NAMES, optionDefinition } from "../../../contract/src/options/options.ts";
import { OPTION_PAGES, type OptionSection, pageOfSection } from "../../../contract/src/options/sections.ts";
import { rootSite } from "../../support/checks/root-site.ts";
import { IS_SHORT, oneInShort } from "../../support/soak/short-or-long.ts";
import { settingTexts } from "../../support/operators/texts.ts";
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

/** Their options have an editor of their own, into which catalogue.test.ts types. */
const PANELS: readonly OptionSection[] = ["price_tables", "groups", "price_list"];
const TEXTS = settingTexts("en");

test("every option but those of the panels has its field on its tab", async () => {
  const listed = OPTION_NAMES.filter((name) => !PANELS.includes(optionDefinition(name).section));
  const shown: string[] = [];
  await open("");
  for (const tab of OPTION_PAGES) {
    const tabs = page.getByRole("navigation", { name: TEXTS.tabs, exact: true });
    await tabs.getByRole("button", { name: TEXTS.page[tab], exact: true }).click();
    const first = listed.find((name) => pageOfSection(optionDefinition(name).section) === tab);
    await rowOf(first ?? "").waitFor();
    const rows = page.locator("[data-option]");
    shown.push(...(await rows.evaluateAll((each) => each.map((row) => row.getAttribute("data-option") ?? ""))));
  }
  expect(shown.toSorted()).toEqual(listed.toSorted());
});

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

testInAll("who saves after somebody else sees both values, and keeps one's own or takes the other")(async () => {
  await set("PreConsumedQuota", "500");
  await open("?tab=operation");
  await control("PreConsumedQuota").fill("600");
  await set("PreConsumedQuota", "700");
  await page.keyboard.press("Enter");
  const conflict = rowOf("PreConsumedQuota").getByRole("alert");
  await conflict.waitFor();
  const text = await conflict.innerText();
  expect(text).toContain("root changed this option while you were editing it ·");
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

testInAll("a secret is never shown: it says since when it is set, can be replaced, and is removed with the save")(
  async () => {
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
  },
);

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

testInAll(
  "the list of sections marks the one to which the address or a press led, also where it is not at the top of the window",
)(async () => {
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

testInAll("what scrolls passes below the tabs unseen, and a notice keeps its distance from the row below it")(
  async () => {
    await open("?option=PayAddress");
    await expect.poll(focusedId).toBe("option-PayAddress-control");
    const note = page.getByRole("note").filter({ hasText: "Please fill in the server address first" }).first();
    const [above, below] = [await note.boundingBox(), await rowOf("PayAddress").boundingBox()];
    expect((below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0)).toBeGreaterThanOrEqual(8);
    const bar = page.getByRole("navigation", { name: TEXTS.tabs, exact: true }).locator("..");
    const { x, y: top, width, height } = (await bar.boundingBox()) ?? expect.fail("the bar has no place");
    // Its lower half: at the round corners above something of what is behind may be seen.
    const clip = { x, y: top + height / 2, width, height: height / 2 };
    const before = await page.screenshot({ clip });
    const next = rowOf("EpayId");
    const place = async () => (await next.boundingBox())?.y ?? 0;
    await next.hover();
    // The words of the row come to stand across the lower edge of the bar.
    await page.mouse.wheel(0, (await place()) + 20 - top - height);
    await expect.poll(place).toBeLessThan(top + height - 10);
    expect((await page.screenshot({ clip })).equals(before)).toBe(true);
  },
);
