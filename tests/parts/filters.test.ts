/** The filter row's parts and the range picker by keyboard: the values they report and when, what is refused, and where the focus goes. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { PHONE, seriousFindings } from "../support/systems/browser.ts";
import { answerCalls, focused, scenes } from "../support/systems/scenes.ts";

const show = scenes();
const asked = async (page: Page) =>
  JSON.parse(((await page.getByText(/^Asked: /).textContent()) ?? "").slice("Asked: ".length)) as object;
const steps = (page: Page) => page.getByText(/^Steps:/).textContent();

test("a choice is made, changed and taken off by keyboard alone", async () => {
  const { page } = await show("filters/Filters");
  const chip = page.getByRole("button", { name: "Status", exact: true });
  await chip.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Enabled" }).waitFor();
  await expect.poll(() => focused(page)).toBe("menuitem Enabled");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect.poll(() => asked(page)).toEqual({ keyword: "", status: "disabled" });
  await expect.poll(() => focused(page)).toBe("button Status Disabled");
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await page.getByRole("menu").waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => focused(page)).toBe("button Status Disabled");
  expect(await asked(page)).toEqual({ keyword: "", status: "disabled" });
  await page.keyboard.press("Tab");
  expect(await focused(page)).toBe("button Remove the filter Status");
  await page.keyboard.press("Enter");
  await expect.poll(() => asked(page)).toEqual({ keyword: "" });
});

test("a free text is trimmed, nothing but blanks takes the filter off, and Escape leaves it as it was", async () => {
  const { page } = await show("filters/Filters", { theme: "dark", language: "zh" });
  const chip = page.getByRole("button", { name: /^Model/ });
  const field = page.getByRole("dialog").getByRole("combobox", { name: "Model" });
  await chip.click();
  await page.getByText("A part of the name is enough.").waitFor();
  await expect.poll(() => focused(page)).toContain("Model");
  expect(await seriousFindings(page)).toEqual([]);
  await field.fill("  gpt-4o ");
  await page.keyboard.press("Enter");
  await expect.poll(() => asked(page)).toEqual({ keyword: "", model: "gpt-4o" });
  await chip.click();
  await field.fill("claude");
  await page.keyboard.press("Escape");
  await field.waitFor({ state: "detached" });
  expect(await asked(page)).toEqual({ keyword: "", model: "gpt-4o" });
  await chip.click();
  await expect.poll(() => field.inputValue()).toBe("gpt-4o");
  await field.fill("   ");
  await page.keyboard.press("Enter");
  await expect.poll(() => asked(page)).toEqual({ keyword: "" });
});

test("a search is handed on after a pause, by Enter at once, and cleared as a step of its own", async () => {
  const { page } = await show("filters/Filters");
  const field = page.getByRole("searchbox", { name: "Name" });
  await field.pressSequentially("team");
  await expect.poll(() => steps(page)).toBe("Steps: replace:team");
  await field.pressSequentially(" 07");
  await page.keyboard.press("Enter");
  expect(await steps(page)).toBe("Steps: replace:team replace:team 07");
  await page.getByRole("button", { name: "Clear search" }).click();
  await expect.poll(() => steps(page)).toBe("Steps: replace:team replace:team 07 push:");
  await expect.poll(() => field.inputValue()).toBe("");
});

test("a period is picked by keyboard; its panel closes and gives the focus back", async () => {
  const { page } = await show("filters/Range");
  const button = page.getByRole("button", { name: /^Period:/ });
  await button.focus();
  await page.keyboard.press("Enter");
  const pressed = page.getByRole("group", { name: "Periods" }).getByRole("button", { pressed: true });
  await expect.poll(() => pressed.textContent()).toBe("7 days");
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "30 days" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Chosen: 30 days").waitFor();
  await expect.poll(() => focused(page)).toMatch(/^button Period: /);
  await page.keyboard.press("Enter");
  await expect.poll(() => pressed.textContent()).toBe("30 days");
  await expect.poll(() => focused(page)).not.toMatch(/^button Period: /);
  await page.keyboard.press("Escape");
  await pressed.waitFor({ state: "detached" });
  await expect.poll(() => focused(page)).toMatch(/^button Period: /);
});

test("two days the wrong way round are refused beside their fields, and the panel stays", async () => {
  const { page } = await show("filters/Range", { theme: "dark", size: { width: 390, height: 844 } });
  await page.getByRole("button", { name: /^Period:/ }).click();
  await page.getByLabel("To").fill("2026-10-01");
  await page.keyboard.press("Enter");
  await page.getByText("The end lies before the beginning.").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByText("Chosen: 7 days").waitFor();
  await page.getByLabel("To").fill("2026-11-30");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByText("Chosen: 2026-11-01 to 2026-11-30").waitFor();
  await expect.poll(() => focused(page)).toMatch(/^button Period: /);
});

test("days are typed in ISO form in both languages, stepped by arrow keys, and what is none is said and not applied", async () => {
  const { page } = await show("filters/Range", { language: "zh" });
  await page.getByRole("button", { name: /^Period:/ }).click();
  const from = page.getByRole("textbox", { name: "From" });
  await expect.poll(() => from.inputValue()).toBe("2026-11-01");
  // Its script comes with the first use; until then a field that is disabled stands in its place.
  await expect.poll(() => from.isEnabled()).toBe(true);
  // The browser's own field would follow its region, with AM and PM beside a 24-hour clock.
  expect(await from.evaluate((field: HTMLInputElement) => field.type)).toBe("text");
  // Opened, the panel takes the focus a moment later.
  await page.waitForFunction(() => document.activeElement?.closest("[role=dialog]") !== null);
  await from.press("End");
  await from.press("ArrowDown");
  await expect.poll(() => from.inputValue()).toBe("2026-10-31");
  await from.press("ArrowUp");
  await from.press("ArrowUp");
  await expect.poll(() => from.inputValue()).toBe("2026-11-02");
  await from.fill("2026/11/5");
  await page.getByRole("textbox", { name: "To" }).focus();
  await expect.poll(() => from.inputValue()).toBe("2026-11-05");
  await from.fill("soon");
  await page.getByRole("textbox", { name: "To" }).focus();
  await page.getByText("请按 2026-11-21 的格式填写日期。").waitFor();
  await expect.poll(() => from.inputValue()).toBe("soon");
  expect(await seriousFindings(page)).toEqual([]);
});

test("on a phone the search has its room beside any tools, and the other filters wait behind a button; one that is set stays", async () => {
  const items = [{ id: 1, name: "row 01", used_quota: 0, group: "default", created_time: 1_700_000_000 }];
  const answer = { body: { data: { items, total: 1, page: 1, page_size: 10 } } };
  const { page } = await show("tables/List", { size: PHONE }, (fresh) => answerCalls(fresh, "/api/token", answer));
  const search = page.getByRole("searchbox", { name: "Search" });
  await search.waitFor();
  expect((await search.boundingBox())?.width).toBeGreaterThan(180);
  const filter = (name: string) => page.getByRole("button", { name, exact: true });
  expect([await filter("Status").isVisible(), await filter("Group").isVisible()]).toEqual([false, false]);
  await filter("Filters").click();
  await filter("Status").click();
  await page.getByRole("menuitem", { name: "On" }).click();
  await filter("Group").waitFor();
  await filter("Filters").click();
  await filter("Group").waitFor({ state: "hidden" });
  await filter("Status On").waitFor();
});
