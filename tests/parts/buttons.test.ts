/** Buttons of the kit: their looks while they load, and props from outside that are added to their own. */
import { expect, test } from "vitest";
import { PHONE } from "../support/systems/browser.ts";
import { answerCalls, focused, scenes } from "../support/systems/scenes.ts";

const show = scenes();

test.each([{ theme: "light" }, { theme: "dark" }, { theme: "dark", size: PHONE }] as const)(
  "a button that loads keeps its ground, its word and its width, and shows a spinner (%o)",
  async (look) => {
    const { page } = await show("buttons/Loading", look);
    for (const name of ["Save token", "Delete token", "Test channel", "Check again", "Log in"]) {
      const button = page.getByRole("button", { name });
      const looks = () =>
        button.evaluate((element) => {
          const { backgroundColor, width } = getComputedStyle(element);
          const label = element.querySelector(".mantine-Button-label") ?? element;
          return { backgroundColor, width, opacity: getComputedStyle(label).opacity !== "0" };
        });
      await page.evaluate(() => document.fonts.ready);
      const before = await looks();
      await page.getByRole("button", { name: "Start" }).click();
      await expect.poll(() => button.getAttribute("aria-busy")).toBe("true");
      expect(await looks()).toEqual(before);
      const spinner = button.locator("[data-spinner]");
      expect((await spinner.boundingBox())?.width).toBeGreaterThan(8);
      await page.getByRole("button", { name: "Start" }).click();
      await expect.poll(() => spinner.count()).toBe(0);
    }
  },
);

test("a button that loads keeps the focus and cannot be pressed again", async () => {
  const { page } = await show("buttons/Pressed");
  for (const name of ["Save token", "Log in"]) {
    const button = page.getByRole("button", { name });
    await button.focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => button.getAttribute("aria-busy")).toBe("true");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Space");
    expect(await focused(page)).toBe(`button ${name}`);
  }
  await expect.poll(() => page.getByRole("status").textContent()).toBe("2 presses");
});

test("a control that its own press turns off keeps the focus, is told as off, and is not pressed twice", async () => {
  const { page } = await show("buttons/TurnedOff");
  for (const name of ["Try again", "Discard"]) {
    const button = page.getByRole("button", { name });
    await button.focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => button.getAttribute("aria-disabled")).toBe("true");
    await page.keyboard.press("Enter");
    expect(await focused(page)).toBe(`button ${name}`);
  }
  await expect.poll(() => page.getByRole("status").textContent()).toBe("2 presses");
});

test("a class handed to a plain button adds to its own, and refs reach the elements", async () => {
  const { page } = await show("buttons/Plain");
  for (const name of ["Language", "Outline"]) {
    const button = page.getByRole("button", { name, exact: true });
    const { height, borderRadius } = await button.evaluate((element) => getComputedStyle(element));
    expect({ height, borderRadius }).toEqual({ height: "32px", borderRadius: "8px" });
    await expect.poll(() => button.getAttribute("class")).toContain("from-outside");
  }
  const field = page.getByLabel("Password", { exact: true });
  expect(await field.evaluate((element) => getComputedStyle(element).height)).toBe("38px");
  await page.getByRole("button", { name: "Tell the refs" }).click();
  expect(await page.title()).toBe("BUTTON BUTTON INPUT");
});

test("the act that a row has as a button is not in its menu again, each act there has its icon, and a card's menu has all", async () => {
  const items = [{ id: 1, name: "row 01", used_quota: 0, group: "default", created_time: 1_700_000_000 }];
  for (const [look, acts] of [
    [{}, ["Edit"]],
    [{ size: PHONE }, ["Connect", "Edit"]],
  ] as const) {
    const answer = { body: { data: { items, total: 1, page: 1, page_size: 10 } } };
    const { page } = await show("tables/List", look, (fresh) => answerCalls(fresh, "/api/token", answer));
    await page.getByRole("button", { name: "Actions for row 01" }).click();
    const menu = page.getByRole("menuitem");
    await expect.poll(() => menu.allTextContents()).toEqual(acts);
    expect(await menu.locator("svg").count()).toBe(acts.length);
    expect(await page.getByRole("button", { name: "Connect" }).count()).toBe(2 - acts.length);
  }
});
