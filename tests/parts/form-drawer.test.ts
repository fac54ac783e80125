/** The form drawer by keyboard: where the focus goes, what becomes of unsaved input, and the errors of a failed save. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { focused, scenes } from "../support/systems/scenes.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

const show = scenes();
const dialog = (page: Page) => page.getByRole("dialog", { name: "Create token" });
const question = (page: Page) => page.getByRole("dialog", { name: "Discard unsaved changes?" });
const name = (page: Page) => page.getByLabel("Name");
const press = (page: Page, button: string) => page.getByRole("button", { name: button, exact: true }).click();
const isOpenInAddress = (page: Page) => new URL(page.url()).searchParams.has("open");

async function openAndType(page: Page): Promise<void> {
  await press(page, "Create");
  await name(page).waitFor();
  await page.keyboard.type("ci-evals");
  await expect.poll(() => name(page).inputValue()).toBe("ci-evals");
}

test("a drawer opened by a link has the focus on its first field, once that is there, and not on the close button", async () => {
  const { page } = await show("form-drawer/Editor?open=1");
  await name(page).waitFor();
  await expect.poll(() => focused(page)).toBe("input Name");
});

test("Back with unsaved input asks; keeping stays with what was typed, discarding goes back", async () => {
  const { page } = await show("form-drawer/Editor");
  await openAndType(page);
  await page.evaluate(() => history.back());
  await question(page).waitFor();
  await press(page, "Keep editing");
  await question(page).waitFor({ state: "hidden" });
  await expect.poll(() => name(page).inputValue()).toBe("ci-evals");
  expect(isOpenInAddress(page)).toBe(true);

  await page.evaluate(() => history.back());
  await question(page).waitFor();
  await press(page, "Discard");
  await dialog(page).waitFor({ state: "hidden" });
  expect(isOpenInAddress(page)).toBe(false);
});

testInAll("a reload with unsaved input is asked about by the browser, without it is not")(async () => {
  const { page } = await show("form-drawer/Editor");
  const asked: string[] = [];
  page.on("dialog", (browserDialog) => {
    asked.push(browserDialog.type());
    void browserDialog.accept();
  });
  await page.reload();
  expect(asked).toEqual([]);
  await openAndType(page);
  await page.reload();
  expect(asked).toEqual(["beforeunload"]);
});

test("Escape and Cancel ask once, saving and leaving an untouched form do not ask at all", async () => {
  const { page } = await show("form-drawer/Editor");
  await openAndType(page);
  await page.keyboard.press("Escape");
  await question(page).waitFor();
  expect(await focused(page)).toBe("button Keep editing");
  await press(page, "Discard");
  await dialog(page).waitFor({ state: "hidden" });
  expect(await question(page).count()).toBe(0);

  await openAndType(page);
  await page.keyboard.press("Control+Enter");
  await page.getByText("Saved ci-evals").waitFor();
  await dialog(page).waitFor({ state: "hidden" });
  expect(await question(page).count()).toBe(0);

  await press(page, "Create");
  await name(page).waitFor();
  await page.keyboard.press("Escape");
  await dialog(page).waitFor({ state: "hidden" });
  await expect.poll(() => focused(page)).toBe("button Create");
});

test("a refused field gets the focus, and a fault of the page itself is told, keeps what was typed, and is closed with the form", async () => {
  const { page } = await show("form-drawer/Editor");
  await press(page, "Create");
  await page.getByLabel("Note").click();
  await page.keyboard.press("Control+Enter");
  await page.getByText("Enter a name").waitFor();
  await expect.poll(() => focused(page)).toBe("input Name");
  await page.keyboard.type("broken");
  await page.keyboard.press("Control+Enter");
  const submit = dialog(page).getByRole("button", { name: "Create token" });
  await expect.poll(() => submit.getAttribute("aria-busy")).toBe("true");
  const failure = dialog(page).getByRole("alert").filter({ hasText: "Something went wrong on this page." });
  await failure.waitFor();
  await expect.poll(() => submit.getAttribute("aria-busy")).toBe("false");
  await expect.poll(() => name(page).inputValue()).toBe("broken");
  // It is a part of the form: above its buttons, over no field, and there until the form is sent again.
  const [box, foot, field] = await Promise.all(
    [failure, submit, page.getByLabel("Note")].map((part) =>
      part.evaluate((it) => it.getBoundingClientRect().toJSON()),
    ),
  );
  expect(box.bottom).toBeLessThanOrEqual(foot.top);
  expect(box.top).toBeGreaterThanOrEqual(field.bottom);
  await name(page).fill("whole");
  await page.keyboard.press("Control+Enter");
  await expect.poll(() => failure.count()).toBe(0);
  await page.getByText("Saved whole").waitFor();
  await dialog(page).waitFor({ state: "hidden" });

  // What a form could not do is closed with the form.
  await press(page, "Create");
  await name(page).fill("broken");
  await page.keyboard.press("Control+Enter");
  await dialog(page).getByRole("alert").waitFor();
  await page.keyboard.press("Escape");
  await question(page).waitFor();
  await press(page, "Discard");
  await dialog(page).waitFor({ state: "hidden" });
  expect(await page.getByRole("alert").count()).toBe(0);
});

test("Escape in the question about unsaved changes gives the focus back to the field", async () => {
  const { page } = await show("form-drawer/Editor");
  await openAndType(page);
  await page.keyboard.press("Escape");
  await question(page).waitFor();
  await expect.poll(() => focused(page)).toBe("button Keep editing");
  await page.keyboard.press("Escape");
  await question(page).waitFor({ state: "hidden" });
  await expect.poll(() => focused(page)).toBe("input Name");
  await page.keyboard.type("!");
  expect(await name(page).inputValue()).toBe("ci-evals!");
});

test("unsaved input outlasts any number of Escapes, slow and fast, with no other key and no click between them", async () => {
  const { page } = await show("form-drawer/Editor");
  // On a slow machine React draws the question between two listeners of the press that opens it.
  const developerTools = await page.context().newCDPSession(page);
  await developerTools.send("Emulation.setCPUThrottlingRate", { rate: 6 });
  await openAndType(page);
  // A browser lets a page keep something open against only so many Escapes in a row, where the page closes it by `cancel` or CloseWatcher.
  for (let pair = 0; pair < 3; pair += 1) {
    await page.keyboard.press("Escape");
    await question(page).waitFor();
    await page.keyboard.press("Escape");
    await question(page).waitFor({ state: "hidden" });
  }
  for (let press = 0; press < 7; press += 1) await page.keyboard.press("Escape");
  expect(isOpenInAddress(page)).toBe(true);
  expect(await name(page).inputValue()).toBe("ci-evals");

  // Each question had its answer: the last one is the only one that is open.
  if (!(await question(page).isVisible())) await page.keyboard.press("Escape");
  await press(page, "Discard");
  await dialog(page).waitFor({ state: "hidden" });
  expect(await question(page).count()).toBe(0);
});

const sent = (page: Page) => page.getByText(/^Sent: /).textContent();

test("Enter in a box of names takes the first suggestion and sends nothing; text that was not added stops the form", async () => {
  const { page } = await show("form-drawer/Boxes");
  const box = page.getByRole("combobox", { name: "Allowed" });
  await box.fill("haiku");
  await page.getByRole("option", { name: "claude-haiku-4-5" }).waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(() => box.inputValue()).toBe("");
  // Nothing is typed now: Enter adds nothing and sends nothing.
  await page.keyboard.press("Enter");
  await box.fill("gpt-4o");
  await page.getByRole("option", { name: "gpt-4o-audio" }).waitFor();
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText('"gpt-4o" was not added').waitFor();
  expect(await sent(page)).toBe("Sent: nothing");
  await expect.poll(() => box.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await box.inputValue()).toBe("gpt-4o");
  await page.keyboard.press("Control+Enter");
  expect(await sent(page)).toBe("Sent: nothing");
  await box.fill("");
  expect(await page.getByText("was not added").count()).toBe(0);
  await page.keyboard.press("Control+Enter");
  await expect.poll(() => sent(page)).toBe('Sent: {"chosen":["claude-haiku-4-5"],"models":[]}');
});

testInAll(
  "Enter in a box of any text takes the first suggestion, adds the text where none fits, and Escape closes the drawer once the list is closed",
)(async () => {
  const { page } = await show("form-drawer/Boxes");
  const box = page.getByPlaceholder("Add a model");
  await box.fill("gpt-4o-m");
  await page.getByRole("option", { name: "gpt-4o-mini" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Remove gpt-4o-mini" }).waitFor();
  await box.fill("house-model");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Remove house-model" }).waitFor();
  await box.fill("gpt-4o");
  await page.getByRole("option", { name: 'Add "gpt-4o" as typed' }).click();
  await page.getByRole("button", { name: "Remove gpt-4o", exact: true }).waitFor();
  await box.fill("left-over");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText('"left-over" was not added').waitFor();
  expect(await sent(page)).toBe("Sent: nothing");
  // No list is open for a text that fits nothing, so that the first Escape is the drawer's.
  await box.fill("left-over-too");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Create token" }).waitFor({ state: "hidden" });
});

test("Enter in a field sends a drawer that has no other, and none that has", async () => {
  const short = await show("form-drawer/Short");
  await short.page.getByLabel("Code").press("Enter");
  await short.page.getByText("Sent 1").waitFor();
  const { page } = await show("form-drawer/Boxes");
  await page.getByLabel("Name").press("Enter");
  expect(await sent(page)).toBe("Sent: nothing");
  await page.getByLabel("Name").press("Control+Enter");
  await expect.poll(() => sent(page)).toBe('Sent: {"chosen":[],"models":[]}');
  expect(await page.getByText(/^Times: /).textContent()).toBe("Times: 1");
  expect(await page.getByLabel("Name").evaluate((element) => element === document.activeElement)).toBe(true);
});

testInAll(
  "a locked drawer can be read to its end by keyboard, has nothing that changes or saves, and closes without a question",
)(async () => {
  const { page } = await show("form-drawer/Locked");
  const drawer = page.getByRole("dialog", { name: "Locked" });
  await drawer.getByText("A file manages it.").waitFor();
  const controls = drawer.locator("fieldset").locator("input, textarea, button, [contenteditable]");
  expect(await controls.count()).toBeGreaterThan(5);
  expect(await controls.evaluateAll((all) => all.filter((control) => !control.matches(":disabled")).length)).toBe(0);
  expect(await drawer.getByRole("button").filter({ visible: true }).count()).toBe(2);
  await drawer.getByRole("button", { name: "Close" }).waitFor();
  for (const name of ["gpt-4o-audio", "gpt-5"]) await drawer.getByText(name, { exact: true }).waitFor();
  const group = drawer.getByRole("group").first();
  expect(await group.getAttribute("aria-describedby")).toBe("why");
  // Where no field of the drawer takes the focus, its scrolled body does.
  expect(await drawer.locator("[data-autofocus]").first().getAttribute("tabindex")).toBe("0");
  // A press on the box of chips opens no list, and keys reach what is longer than its box.
  await drawer.getByText("gpt-5", { exact: true }).click();
  expect(await page.getByRole("listbox").count()).toBe(0);
  const mapping = drawer.getByRole("textbox", { name: /Mapping/ });
  await mapping.focus();
  expect(await focused(page)).toContain("textbox Mapping");
  await page.keyboard.type("x");
  await page.keyboard.press("Control+Enter");
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "hidden" });
  expect(await question(page).count()).toBe(0);
  await page.getByText("Changes: 0").waitFor();
});
