/** Parts of a page that do not come: after an update of the site, and without a network. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
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
