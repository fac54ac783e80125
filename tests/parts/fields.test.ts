/** Fields of forms by keyboard, and the ring around whatever has the focus. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { clipboardOf, overflow, PHONE, seriousFindings } from "../support/systems/browser.ts";
import { focused, scenes } from "../support/systems/scenes.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

const show = scenes();
const told = (page: Page) => page.getByRole("status").first().textContent();

/** Where the focus is, with room for a ring. */
const placeOfFocus = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    // What is drawn for a bare input is the label or the frame it stands in.
    const drawn = element.closest(".mantine-Switch-root, .mantine-Checkbox-root, .mantine-Input-wrapper") ?? element;
    const { x, y, width, height } = drawn.getBoundingClientRect();
    return { x: x - 8, y: y - 8, width: width + 16, height: height + 16 };
  });

test.each(["light", "dark"] as const)(
  "whatever has the focus looks different from what has not (%s)",
  async (theme) => {
    const { page } = await show("fields/All", { theme, size: { width: 1440, height: 1600 } as never });
    await page.locator(".cm-content").waitFor();
    const unseen: string[] = [];
    const seen = new Set<string>();
    for (let stop = 0; stop < 40; stop++) {
      await page.keyboard.press("Tab");
      const name = await focused(page);
      if (name === "nothing" || seen.has(name)) break;
      seen.add(name);
      const clip = await placeOfFocus(page);
      const withFocus = await page.screenshot({ clip });
      await page.evaluate(() => {
        const element = document.activeElement as HTMLElement;
        element.blur();
        Object.assign(globalThis, { lastFocus: element });
      });
      const without = await page.screenshot({ clip });
      await page.evaluate(() => (globalThis as unknown as { lastFocus: HTMLElement }).lastFocus.focus());
      if (withFocus.equals(without)) unseen.push(name);
    }
    expect(unseen).toEqual([]);
    expect(seen.size).toBeGreaterThan(22);
    expect(await seriousFindings(page)).toEqual([]);
  },
);

test("arrow keys move the segments and their ring stands out from the frame of the chosen one", async () => {
  const { page } = await show("fields/Periods");
  const chosen = page.getByRole("radio", { name: "week" });
  const shadow = () => page.locator("[role=radio][aria-checked=true]").evaluate((it) => getComputedStyle(it).boxShadow);
  const without = await shadow();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  expect(await chosen.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await shadow()).not.toBe(without);
  await page.keyboard.press("ArrowRight");
  expect([await told(page), await focused(page)]).toEqual(["month", "radio month"]);
  await page.keyboard.press("ArrowRight");
  expect([await told(page), await focused(page)]).toEqual(["day", "radio day"]);
  await page.keyboard.press("End");
  expect([await told(page), await focused(page)]).toEqual(["month", "radio month"]);
  await page.keyboard.press("Home");
  expect([await told(page), await focused(page)]).toEqual(["day", "radio day"]);
});

test("a choice is searched, chosen and left by keyboard, and the focus comes back to it", async () => {
  const { page } = await show("fields/Groups");
  await page.keyboard.press("Tab");
  expect(await focused(page)).toBe("button Group default");
  await page.keyboard.press("ArrowDown");
  await page.getByRole("listbox").waitFor();
  await expect.poll(() => focused(page)).toBe("input Search");
  await page.keyboard.type("nig");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect.poll(() => told(page)).toBe("night vip");
  await expect.poll(() => focused(page)).toBe("button Group night");
  await page.keyboard.press("Enter");
  await page.getByRole("listbox").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("listbox").waitFor({ state: "hidden" });
  await expect.poll(() => focused(page)).toBe("button Group night");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("listbox").waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect.poll(() => told(page)).toBe("night svip");
});

test("copying says that it is done, fetches first where it must, and tells what could not be fetched", async () => {
  const { page } = await show("fields/Copies");
  await page.getByRole("button", { name: "sk-pl…" }).click();
  await expect.poll(() => clipboardOf(page)).toBe("sk-plain");
  await page.getByText("Copied").first().waitFor();
  await page.getByRole("button", { name: "Copy fetched" }).focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => clipboardOf(page)).toBe("sk-fetched");
  await page.getByRole("button", { name: "Copy missing" }).click();
  await page.getByRole("alert").getByText("The key could not be fetched.").waitFor();
  expect(await clipboardOf(page)).toBe("sk-fetched");
});

test("the JSON editor says where it breaks, formats, is filled, can be left by keyboard and undone", async () => {
  const { page } = await show("fields/Json");
  const editor = page.locator(".cm-content");
  await editor.waitFor();
  await page.getByRole("button", { name: "Format" }).click();
  await expect.poll(() => told(page)).toBe('{\n  "a": 1\n}');
  await editor.click();
  expect(await editor.evaluate((element) => getComputedStyle(element).boxShadow)).toBe("none");
  await page.keyboard.press("Control+End");
  await page.keyboard.type(",");
  await page.getByText("Line 3, column 2: nothing may follow the end of the JSON.").waitFor();
  await expect.poll(() => editor.getAttribute("aria-invalid")).toBe("true");
  await page.keyboard.press("Control+z");
  await expect.poll(() => told(page)).toBe('{\n  "a": 1\n}');
  await page.keyboard.press("Tab");
  expect(await focused(page)).toBe("button After");
  await page.getByRole("button", { name: "Fill template" }).click();
  await expect.poll(() => told(page)).toContain("gpt-4o-mini");
});

testInAll(
  "an editor that loads on use has its height from the start, takes what is typed meanwhile, and keeps caret and focus",
)(async () => {
  const { page } = await show("fields/JsonOnUse");
  const scripts: string[] = [];
  page.on("request", (request) => scripts.push(request.url()));
  const box = page.locator("[data-box]");
  const plain = page.getByRole("textbox", { name: "Words" });
  await page.getByRole("button", { name: "Break it" }).click();
  await box.locator("[data-is-wrong]").waitFor();
  const height = async () => (await box.boundingBox())?.height;
  const plainHeight = await height();
  expect(scripts.filter((url) => url.includes("code-mirror"))).toEqual([]);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route(/json-code-mirror/, async (route) => {
    await held;
    await route.continue();
  });
  await plain.focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Home");
  await page.keyboard.type(" ");
  await expect.poll(() => told(page)).toContain("\n }");
  release();
  await box.locator(".cm-content").waitFor();
  await expect.poll(height).toBe(plainHeight);
  const top = (part: string) => box.locator(part).evaluate((element) => element.getBoundingClientRect().top);
  expect(await top(".cm-lineNumbers > :nth-child(2)")).toBe(await top(".cm-line:first-child"));
  await expect.poll(() => focused(page)).toContain("Words");
  await page.keyboard.type(" ");
  await expect.poll(() => told(page)).toContain("\n  }");
  expect(await seriousFindings(page)).toEqual([]);
});

test("a number steps by keys and buttons and keeps to its limits", async () => {
  const { page } = await show("fields/Count");
  await page.getByLabel("Count").focus();
  for (let count = 0; count < 3; count++) await page.keyboard.press("ArrowUp");
  expect(await told(page)).toBe("100");
  await page.getByRole("button", { name: "Decrease" }).click();
  expect(await told(page)).toBe("99");
  await page.getByLabel("Count").fill("");
  expect(await told(page)).toBe("none");
  await page.getByRole("button", { name: "Decrease" }).click();
  expect(await told(page)).toBe("1");
});

testInAll("choices that are too long for a phone go on in the next line, each whole")(async () => {
  const { page } = await show("fields/LongChoices", { size: PHONE });
  expect(await overflow(page)).toBe(0);
  const boxes = await page
    .getByRole("radio")
    .evaluateAll((radios) => radios.map((radio) => radio.getBoundingClientRect().toJSON() as DOMRect));
  expect(new Set(boxes.map(({ y }) => y)).size).toBeGreaterThan(1);
  for (const { right } of boxes) expect(right).toBeLessThanOrEqual(PHONE.width - 16);
});

testInAll("a rule of a new password that is broken is said to be so and stands in red, and no more once it is met")(
  async () => {
    const { page } = await show("fields/NewPassword");
    const field = page.getByLabel("Password", { exact: true });
    const rule = (text: string) => page.getByRole("listitem").filter({ hasText: text });
    const inRed = (text: string) =>
      rule(text).evaluate((line) => {
        const probe = line.appendChild(document.createElement("i"));
        probe.style.color = "var(--red-text)";
        const red = getComputedStyle(probe).color;
        probe.remove();
        return getComputedStyle(line).color === red;
      });
    await rule("Not a common password").getByLabel("Open:").waitFor();
    for (const [password, broken] of [
      ["password", "Not a common password"],
      ["maria2026", "More than the name of the site or the account"],
      ["x y ".repeat(33), "8 to 128 characters"],
    ] as const) {
      await field.fill(password);
      await rule(broken).getByLabel("Not met:").waitFor();
      await expect.poll(() => inRed(broken)).toBe(true);
    }
    await field.fill("correct horse battery staple");
    await expect.poll(() => page.getByLabel("Met:").count()).toBe(3);
    expect(await inRed("Not a common password")).toBe(false);
  },
);
