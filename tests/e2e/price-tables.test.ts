/** Price tables in a real browser: another site's tables pasted whole, looked at before they are stored, refused with the place, and reset. */
import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import type { OptionRow } from "../../contract/src/features/options.ts";
import { logInOn, openContext, openPage, overflow, PHONE, seriousFindings } from "../support/systems/browser.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";
import { dataOf } from "../support/systems/site.ts";
import { IS_SHORT } from "../support/soak/short-or-long.ts";
import { rootSite } from "../support/checks/root-site.ts";

const site = rootSite();
beforeEach(async () => {
  await site.root.post("/api/option/rest_model_ratio");
});

const priceOf = (model: string) => site.server.app.foundation.snapshot.priceOf(model);
const set = (key: string, value: string) => dataOf(site.root.put("/api/option/", { key, value }));
const textOf = async (key: string) =>
  (await dataOf<OptionRow[]>(site.root.get("/api/option/"))).find((row) => row.key === key)?.value;

async function open(option = "ModelRatio"): Promise<void> {
  await site.page.goto(`${site.server.app.url}/setting?section=price_tables&option=${option}`);
  await site.page.locator(".cm-content").waitFor();
  await site.tab.settled();
}

/** Puts a text in place of all there is, as a paste does. */
async function paste(on: Page, text: string): Promise<void> {
  const editor = on.locator(".cm-content");
  await editor.click();
  await on.keyboard.press("ControlOrMeta+a");
  await editor.evaluate((element, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pasted);
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}
const type = (text: string) => paste(site.page, text);
const button = (name: string | RegExp) => site.page.getByRole("button", { name });
const drawer = () => site.page.getByRole("dialog");

test("a paste of another site's options is put into its tables, compared, made lean and stored", async () => {
  await set("ModelRatio", '{"old": 3, "kept": 1}');
  await open();
  await type(
    '{"ModelRatio": {"gpt-4o": 1.25, "kept": 2, "new": 0.10}, "CompletionRatio": "{\\"gpt-4o\\": 4}", "GroupRatio": {"vip": 1}}',
  );
  await site.page.getByText("This text holds 2 price tables").waitFor();
  await button("Put into tables").click();
  await button("Review changes").click();
  await drawer().getByText("What changes").waitFor();
  await expect.poll(() => drawer().getByText("2 added · 1 changed · 1 removed").count()).toBe(1);
  const text = await drawer().innerText();
  expect(text).toMatch(/kept[\s\S]*Input[\s\S]*\$2\.00[\s\S]*\$4\.00[\s\S]*per 1M tokens/);
  expect(text).toMatch(/old[\s\S]*\$6\.00[\s\S]*no price/);
  await drawer().getByText("2 entries say the same as the price list").waitFor();
  expect(await seriousFindings(site.page)).toEqual([]);
  await button("Leave out what equals the list").click();
  await drawer().getByText("1 added · 1 changed · 1 removed").waitFor();
  await button("Save 1 table").click();
  await site.page.getByText("Price tables saved").waitFor();
  expect(priceOf("new")).toMatchObject({ ratio: "0.1" });
  expect(priceOf("old")).toBeUndefined();
  expect(await textOf("ModelRatio")).not.toContain("gpt-4o");
  expect(await textOf("CompletionRatio")).toBe("{}");
});

test("an impossible value is refused with its place before anything is stored, and the draft stays", async () => {
  await open();
  await type('{\n  "fine": 1,\n  "gpt-4o": -2\n}');
  await button("Review changes").click();
  await site.page.getByText("gpt-4o: The smallest value is 0 (line 3, column 13)").waitFor();
  await expect.poll(() => site.page.locator(".cm-error-line").innerText()).toContain("gpt-4o");
  await expect.poll(() => site.page.locator(".cm-content").innerText()).toContain("-2");
  expect(await textOf("ModelRatio")).toBe("{}");
  await type('{"a": 1, "a": 2}');
  await site.page.getByText("“a” appears twice").waitFor();
  await button("Discard").click();
  expect(await button("Review changes").count()).toBe(0);
});

test("who is overtaken sees whose table it is and chooses, and leaving with a draft asks", async () => {
  await open();
  await type('{"mine": 1}');
  await set("ModelRatio", '{"theirs": 5}');
  await button("Review changes").click();
  await drawer().getByText("What changes").waitFor();
  await button("Save 1 table").click();
  await site.page.getByText("root changed this table after you began").waitFor();
  expect(await textOf("ModelRatio")).toBe('{"theirs": 5}');
  await site.page.getByRole("button", { name: "Quota", exact: true }).click();
  await button("Keep editing").click();
  await button("Keep mine").click();
  await button("Review changes").click();
  await button("Save 1 table").click();
  await site.page.getByText("Price tables saved").waitFor();
  expect(await textOf("ModelRatio")).toBe('{"mine": 1}');
});

test("the rule for broken answers is chosen, and the tables by model are emptied after a question", async () => {
  await set("CacheRatio", '{"m": 0.5}');
  await open();
  await site.page.getByRole("tab", { name: "Broken answers" }).click();
  await site.page.getByRole("radio", { name: "Input only" }).click();
  await button("Review changes").click();
  await drawer().getByText("Input only").waitFor();
  await button("Save 1 table").click();
  await site.page.getByText("Price tables saved").waitFor();
  expect(await textOf("BrokenStreamBilling")).toBe("input_only");
  await button("Reset model ratios").click();
  await site.page.getByRole("dialog").getByRole("button", { name: "Reset model ratios" }).click();
  await site.page.getByText("Your own prices are removed").waitFor();
  expect(await textOf("CacheRatio")).toBe("{}");
});

test("thousands of models are pasted and compared", async () => {
  const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`model-${index}`, 0.5]));
  await open();
  await type(JSON.stringify(many, null, 1));
  await button("Review changes").click();
  await drawer().getByText("3,000 models").waitFor();
  await drawer().getByText("2,000 more models are not listed").waitFor();
});

test("the tabs of the tables are one row at any width, and the open one is in sight", async () => {
  const size = site.page.viewportSize();
  for (const width of [1440, 1024, PHONE.width]) {
    await site.page.setViewportSize({ width, height: 900 });
    await open("PremiumRatios");
    const tabs = site.page.getByRole("tablist", { name: "Price tables" });
    const places = await tabs.evaluate((row) => {
      const frame = row.getBoundingClientRect();
      const tops = [...row.querySelectorAll("[role=tab]")].map((tab) => tab.getBoundingClientRect().top);
      const chosen = row.querySelector("[aria-selected=true]")?.getBoundingClientRect() ?? new DOMRect();
      const isSeen = chosen.left >= frame.left - 1 && chosen.right <= frame.right + 1;
      return { rows: new Set(tops).size, isSeen, hidden: row.scrollHeight - row.clientHeight };
    });
    expect([width, places]).toEqual([width, { rows: 1, isSeen: true, hidden: 0 }]);
    expect(await overflow(site.page)).toBe(0);
  }
  if (size !== null) await site.page.setViewportSize(size);
});

test.each(IS_SHORT ? [] : [PHONE])("a phone, the dark scheme and Chinese show the panel whole: %o", async (size) => {
  const phone = await openContext(site.browser, { size, language: "zh", theme: "dark" });
  const small = await openPage(phone);
  await logInOn(small.page, site.server.app.url, "root", ROOT_PASSWORD);
  await small.page.goto(`${site.server.app.url}/setting?section=price_tables&option=ModelRatio`);
  await paste(small.page, '{"ModelRatio": {"a": 1}}');
  await small.page.getByRole("button", { name: "分别填入各表" }).click();
  await small.page.getByRole("button", { name: "查看变更" }).click();
  await small.page.getByText("变更内容").waitFor();
  expect(await overflow(small.page)).toBe(0);
  expect(await seriousFindings(small.page)).toEqual([]);
  await phone.close();
});
