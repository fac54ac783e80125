/** The form drawer by keyboard: where the focus goes, what becomes of unsaved input, and what is told when saving fails. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { focused, scenes } from "../support/systems/scenes.ts";

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

test("a reload with unsaved input is asked about by the browser, without it is not", async () => {
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

test("a refused field gets the focus, and a fault of the page itself is told and keeps what was typed", async () => {
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
  await page.getByRole("alert").getByText("Something went wrong on this page.").waitFor();
  await expect.poll(() => submit.getAttribute("aria-busy")).toBe("false");
  await expect.poll(() => name(page).inputValue()).toBe("broken");
});
