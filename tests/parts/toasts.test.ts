/** Toasts: how long each stays, which one makes room, the text of a failure, and how the keyboard gets there and back. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { seriousFindings } from "../support/systems/browser.ts";
import { answerCalls, focused, OWN_WINDOW, scenes } from "../support/systems/scenes.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

const show = scenes();
const withClock = (page: Page) => page.clock.install();
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const titles = (page: Page) => page.locator("[role=status], [role=alert]").allTextContents();

test("an error stays when many other toasts come, and every error stays", async () => {
  const { page } = await show("toasts/Toasts");
  await press(page, "Fail");
  await page.getByRole("alert").waitFor();
  for (let count = 0; count < 6; count++) await press(page, "Succeed");
  await expect.poll(async () => (await titles(page)).length).toBe(4);
  expect((await titles(page))[0]).toContain("Not savedThe disk is full.");
  expect((await titles(page))[3]).toContain("Saved 6");
});

test("a toast goes after three seconds, but not while it is pointed at", async () => {
  const { page } = await show("toasts/Toasts", {}, withClock, OWN_WINDOW);
  await press(page, "Succeed");
  const toast = page.getByRole("status");
  await toast.hover();
  await page.clock.runFor(10_000);
  await expect.poll(() => toast.count()).toBe(1);
  await page.mouse.move(5, 5);
  await page.clock.runFor(1_000);
  await expect.poll(() => toast.count()).toBe(1);
  await page.clock.runFor(2_500);
  await expect.poll(() => toast.count()).toBe(0);
});

testInAll("a finger holds a toast only while it is on it")(async () => {
  const { page } = await show("toasts/Toasts", {}, withClock, { hasTouch: true });
  await page.getByRole("button", { name: "Succeed", exact: true }).tap();
  await page.getByRole("status").tap();
  await page.clock.runFor(10_000);
  await expect.poll(() => page.getByRole("status").count()).toBe(0);
});

test("a toast stays while the keyboard is in it, and closing it gives the focus back", async () => {
  const { page } = await show("toasts/Toasts", {}, withClock, OWN_WINDOW);
  const button = page.getByRole("button", { name: "Call" });
  await press(page, "Succeed");
  const close = page.getByRole("status").getByRole("button", { name: "Dismiss" });
  await close.waitFor();
  await button.focus();
  await page.keyboard.press("Tab");
  expect(await focused(page)).toBe("button Dismiss");
  await page.clock.runFor(10_000);
  await expect.poll(() => close.count()).toBe(1);
  await page.keyboard.press("Enter");
  await expect.poll(() => close.count()).toBe(0);
  await expect.poll(() => focused(page)).toBe("button Call");
});

test("a sticky toast stays, and its action closes it and is taken once", async () => {
  const { page } = await show("toasts/Toasts", {}, withClock, OWN_WINDOW);
  await press(page, "Stay");
  await page.getByText("Channel disabled").waitFor();
  await page.clock.runFor(60_000);
  for (let count = 0; count < 5; count++) await press(page, "Succeed");
  await press(page, "Undo");
  await page.getByText("Taken: undo").waitFor();
  await expect.poll(() => page.getByText("Channel disabled").count()).toBe(0);
});

test("the failure of a call carries the request id the server sent, in the toast and in its details", async () => {
  const { page, complaints } = await show("toasts/Toasts", { theme: "dark", language: "zh" }, (fresh) =>
    answerCalls(fresh, "/api/setup", {
      status: 500,
      headers: { "X-Oneapi-Request-Id": "20261122094000123abcdEFGH" },
      body: { code: "internal", message: "Server internal error" },
    }),
  );
  await press(page, "Call");
  const toast = page.getByRole("alert");
  await toast.getByText("20261122094000123abcdEFGH").waitFor();
  await toast.getByRole("button", { name: "复制详情" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain("20261122094000123abcdEFGH");
  expect(await seriousFindings(page)).toEqual([]);
  expect(complaints.splice(0)).toHaveLength(2);
});

testInAll("what the JavaScript engine says of a fault of the page is no text for people")(async () => {
  const { page } = await show("toasts/Toasts");
  await press(page, "Break");
  await page.getByText("Something went wrong on this page.").waitFor();
  expect(await page.getByText("is not a function").count()).toBe(0);
});

test("a call that came too fast is made once more when its time has come, and told where that is long", async () => {
  let calls = () => 0;
  const tooFast = (seconds: string) => ({
    status: 429,
    headers: { "Retry-After": seconds },
    body: { code: "too_many_requests", message: "Too many requests" },
  });
  const data = { status: false, root_init: false, database_type: "sqlite" };
  const first = await show("toasts/Toasts", {}, async (fresh) => {
    calls = await answerCalls(fresh, "/api/setup", tooFast("1"), { body: { data } });
  });
  await press(first.page, "Call");
  await first.page.getByText("Answer: success").waitFor();
  expect(calls()).toBe(2);
  expect(first.complaints.splice(0)).toHaveLength(2);

  const second = await show("toasts/Toasts", {}, async (fresh) => {
    calls = await answerCalls(fresh, "/api/setup", tooFast("1100"), { body: { data } });
  });
  await press(second.page, "Call");
  await second.page.getByText("Too many requests. Try again in 19 minutes.").waitFor();
  expect(calls()).toBe(1);
  expect(second.complaints.splice(0)).toHaveLength(2);

  const third = await show("toasts/Toasts", {}, async (fresh) => {
    calls = await answerCalls(fresh, "/api/setup", tooFast("1"));
  });
  await press(third.page, "Call");
  await third.page.getByText("Too many requests. Try again in 1 second.").waitFor();
  expect(calls()).toBe(2);
  expect(third.complaints.splice(0)).toHaveLength(4);
});

test("an error goes after ten seconds, and with the page it belongs to", async () => {
  const { page } = await show("toasts/Toasts", {}, withClock, OWN_WINDOW);
  await press(page, "Fail");
  await page.getByRole("alert").waitFor();
  await page.clock.runFor(9_000);
  expect(await page.getByRole("alert").count()).toBe(1);
  await page.clock.runFor(1_500);
  await expect.poll(() => page.getByRole("alert").count()).toBe(0);

  await press(page, "Fail");
  await page.getByRole("alert").waitFor();
  await page.clock.runFor(2_000);
  await press(page, "Succeed");
  await press(page, "Go on");
  // Sooner than its ten seconds are over.
  await expect.poll(() => page.getByRole("alert").count(), { timeout: 4_000 }).toBe(0);
  // Toasts of a moment before are of the step that led here.
  expect(await page.getByRole("status").count()).toBe(1);
});

testInAll("a later success of the same act removes its failure")(async () => {
  const data = { status: false, root_init: false, database_type: "sqlite" };
  const { page, complaints } = await show("toasts/Toasts", {}, (fresh) =>
    answerCalls(fresh, "/api/setup", { status: 500, body: { code: "internal", message: "x" } }, { body: { data } }),
  );
  await press(page, "Fail");
  await press(page, "Call");
  await expect.poll(() => page.getByRole("alert").count()).toBe(2);
  await press(page, "Call");
  await page.getByText("Answer: success").waitFor();
  await expect.poll(() => page.getByRole("alert").count()).toBe(1);
  expect((await titles(page))[0]).toContain("Not saved");
  expect(complaints.splice(0)).toHaveLength(2);
});
