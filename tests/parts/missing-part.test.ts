/** Parts of a page that fail to load: after an update of the site, and without a network. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { seriousFindings } from "../support/systems/browser.ts";
import { scenes } from "../support/systems/scenes.ts";

const show = scenes();
const PART = "**/assets/json-code-mirror-*.js";

/** Counts how often the page itself was loaded. */
function countLoads(page: Page): () => number {
  let loads = 0;
  page.on("request", (request) => {
    if (request.isNavigationRequest()) loads += 1;
  });
  return () => loads;
}

test("a part that is gone after an update makes the page reload once by itself", async () => {
  let loads = () => 0;
  let isGone = true;
  const { page, complaints } = await show("missing-part/Page", {}, async (fresh) => {
    loads = countLoads(fresh);
    await fresh.route(PART, (route) => {
      const answer = isGone ? route.fulfill({ status: 404, body: "" }) : route.continue();
      isGone = false;
      return answer;
    });
  });
  await page.getByText("there").waitFor();
  expect(loads()).toBe(2);
  complaints.splice(0);
});

test("a part that stays away does not make the page reload for ever, and is told in words for people", async () => {
  let loads = () => 0;
  const { page, complaints } = await show("missing-part/Page", {}, async (fresh) => {
    loads = countLoads(fresh);
    await fresh.route(PART, (route) => route.fulfill({ status: 404, body: "" }));
  });
  await page.getByText("A part of the page did not load.").waitFor();
  expect(loads()).toBe(2);
  expect(await page.getByText("dynamically imported").count()).toBe(0);
  complaints.splice(0);
});

test("without a network the page says so, and goes on when it is back", async () => {
  const { page, complaints } = await show("missing-part/Page", { language: "zh" }, async (fresh) => {
    await fresh.route(PART, async (route) => {
      await fresh.context().setOffline(true);
      await route.abort("internetdisconnected");
    });
  });
  await page.getByText("您已离线").waitFor();
  await page.getByRole("button", { name: "重试" }).click();
  await page.getByText("您已离线").waitFor();
  await page.unroute(PART);
  await page.context().setOffline(false);
  await page.getByText("there").waitFor();
  complaints.splice(0);
});

const away = (file: string) => (fresh: Page) =>
  fresh.route(`**/assets/${file}-*.js`, (route) => route.fulfill({ status: 404, body: "" }));
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

test("where the toasts themselves do not load, the page stays and what happened is told without looks", async () => {
  const { page, complaints } = await show("toasts/Toasts", {}, away("toast"));
  await press(page, "Fail");
  await page.getByRole("alert").getByText("The disk is full.").waitFor();
  await expect.poll(() => page.getByRole("heading", { name: "Toasts" }).count()).toBe(1);
  await press(page, "Succeed");
  await page.getByRole("status").getByText("Saved 1").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("alert").getByRole("button", { name: "Dismiss" }).click();
  expect(await page.getByRole("alert").count()).toBe(0);
  complaints.splice(0);
});

test("a question that does not load is answered with no each time, and the reader is told", async () => {
  const { page, complaints } = await show("dialogs/Asking", {}, away("confirm-dialog"));
  for (let time = 0; time < 2; time += 1) {
    await press(page, "Delete");
    await page.getByText("Answer: kept").waitFor();
    await page.getByRole("alert").getByText("The question could not be shown, so nothing was done").waitFor();
    await press(page, "Dismiss");
    await expect.poll(() => page.getByRole("alert").count()).toBe(0);
  }
  await press(page, "Save");
  await page.getByRole("status").getByText("Saved").waitFor();
  complaints.splice(0);
});

test("where copying by hand does not load, the reader is told that nothing was copied", async () => {
  const { page, complaints } = await show("dialogs/Asking", { language: "zh" }, async (fresh) => {
    await away("copy-dialog")(fresh);
    await fresh.addInitScript(() => {
      Object.defineProperty(navigator, "clipboard", { value: undefined });
      document.execCommand = () => false;
    });
  });
  await press(page, "Copy");
  await page.getByRole("alert").getByText("未能复制").waitFor();
  await press(page, "Delete");
  await page.getByRole("dialog", { name: "Delete the token?" }).waitFor();
  complaints.splice(0);
});

test("toasts stay in sight while a question loads", async () => {
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const { page } = await show("dialogs/Asking", {}, (fresh) =>
    fresh.route("**/assets/confirm-dialog-*.js", async (route) => {
      asked.resolve();
      await held.promise;
      await route.continue();
    }),
  );
  await press(page, "Save");
  await page.getByText("Saved").waitFor();
  await press(page, "Delete");
  await asked.promise;
  expect(await page.getByText("Saved").isVisible()).toBe(true);
  held.resolve();
  await page.getByRole("dialog", { name: "Delete the token?" }).waitFor();
});
