/** Dialogs of the kit by keyboard: where the focus goes, what Escape and Enter do, and what a refusal says. */
import { expect, test } from "vitest";
import { answerCalls, focused, scenes } from "../support/systems/scenes.ts";

const show = scenes();
const PATH = "/api/user/confirm";

test("the password dialog focuses its field, says a refusal beside it, and asks again by Enter", async () => {
  let calls = () => 0;
  const { page, complaints } = await show("dialogs/Password", {}, async (fresh) => {
    calls = await answerCalls(
      fresh,
      PATH,
      { status: 403, body: { message: "The password is not right." } },
      { body: { data: { confirmed_until: 1 } } },
    );
  });
  await page.getByRole("button", { name: "Show the key" }).focus();
  await page.keyboard.press("Enter");
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
