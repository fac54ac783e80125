/** Dialogs of the kit by keyboard: where the focus goes, what Escape and Enter do, and what a refusal says. */
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { answerCalls, focused, scenes } from "../support/systems/scenes.ts";

const show = scenes();
const PATH = "/api/user/confirm";

const FACTORS = "/api/user/self/factors";
/** Opens the dialog by keyboard. The button is disabled until its texts are there, and until then it takes no focus. */
async function enterOnShowTheKey(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Show the key", disabled: false }).focus();
  await page.keyboard.press("Enter");
}

const NO_FACTORS = { has_password: true, totp_time: 0, recovery_codes: 0, passkeys: [] };

test("the step-up dialog focuses its field, says a refusal beside it, and asks again by Enter", async () => {
  let calls = () => 0;
  const { page, complaints } = await show("dialogs/StepUp", {}, async (fresh) => {
    await answerCalls(fresh, FACTORS, { body: { data: NO_FACTORS } });
    calls = await answerCalls(
      fresh,
      PATH,
      { status: 403, body: { message: "The password is not right." } },
      { body: { data: { confirmed_until: 1 } } },
    );
  });
  await enterOnShowTheKey(page);
  const field = page.getByLabel("Password", { exact: true });
  await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.type("wrong");
  await page.keyboard.press("Enter");
  await page.getByText("The password is not right.").waitFor();
  expect(complaints.splice(0)).toHaveLength(2);
  expect(await focused(page)).toContain("Password");
  await page.keyboard.type("right");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.getByRole("status").textContent()).toBe("confirmed");
  expect(calls()).toBe(2);
  await expect.poll(() => focused(page)).toBe("button Show the key");
});

test("the step-up dialog offers what the account has", async () => {
  const { page } = await show("dialogs/StepUp", {}, async (fresh) => {
    await answerCalls(fresh, FACTORS, { body: { data: { ...NO_FACTORS, totp_time: 1 } } });
    await answerCalls(fresh, PATH, { body: { data: { confirmed_until: 1 } } });
  });
  await page.getByRole("button", { name: "Show the key" }).click();
  await page.getByRole("button", { name: "Use a code of your authenticator app" }).click();
  const field = page.getByLabel("Code", { exact: true });
  await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.getByRole("button", { name: "Use your password" }).waitFor();
  await page.keyboard.type("123456");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.getByRole("status").textContent()).toBe("confirmed");
});

test("the step-up dialog says what to do where the account has nothing to confirm by", async () => {
  const { page } = await show("dialogs/StepUp", {}, async (fresh) => {
    await answerCalls(fresh, FACTORS, { body: { data: { ...NO_FACTORS, has_password: false } } });
  });
  await enterOnShowTheKey(page);
  await page.getByText("Log out and in again").waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => focused(page)).toBe("button Show the key");
});

test("recovery codes are closed by nothing but the word that they are kept, and can be downloaded and printed", async () => {
  const { page } = await show("dialogs/Codes");
  await page.getByRole("button", { name: "Make codes" }).click();
  const dialog = page.getByRole("dialog", { name: "Recovery codes" });
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.mouse.click(5, 5);
  await dialog.getByText("ABCDE-12345").waitFor();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Download" }).click(),
  ]);
  expect(await readFile(await file.path(), "utf8")).toContain("ABCDE-12345\nFGHIJ-67890\n");
  await page.evaluate(() => {
    window.print = () => void (document.title = "printed");
  });
  await dialog.getByRole("button", { name: "Print" }).click();
  await expect.poll(() => page.title()).toBe("printed");
  await dialog.getByRole("button", { name: "I have kept them" }).click();
  await dialog.waitFor({ state: "hidden" });
  await expect.poll(() => focused(page)).toBe("button Make codes");
});

test("the days of a share link are chosen from the console's own list, which is seen over the dialog and takes the first Escape", async () => {
  const made = { id: "abcdefghijklmnopqrstuv", title: "Explain it", created_time: 1, expires_time: 2_000_000_000 };
  const sent: unknown[] = [];
  const { page } = await show("dialogs/Share", {}, async (fresh) => {
    await fresh.route("**/api/chat/share", (route) => {
      const isMade = route.request().method() === "POST";
      if (isMade) sent.push(route.request().postDataJSON());
      const data = isMade ? { ...made, bytes: 1, has_system: false } : [];
      return route.fulfill({ json: { success: true, message: "", data } });
    });
  });
  await page.getByRole("button", { name: "Share", disabled: false }).click();
  const dialog = page.getByRole("dialog", { name: "Share this chat" });
  expect(await dialog.locator("select").count()).toBe(0);
  const field = dialog.getByRole("button", { name: "The link works for 30 days" });
  await field.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("option", { name: "365 days" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("listbox").waitFor({ state: "hidden" });
  expect(await dialog.isVisible()).toBe(true);
  await field.click();
  // The last of the list stands below the edge of the dialog: it is seen and pressed there all the same.
  await page.getByRole("option", { name: "365 days" }).click();
  await dialog.getByRole("button", { name: "The link works for 365 days" }).waitFor();
  await dialog.getByRole("button", { name: "Make the link" }).click();
  await dialog.getByLabel("Link", { exact: true }).waitFor();
  expect(sent).toMatchObject([{ days: 365 }]);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
});
