/** The playground's chats in a browser that two people use: neither sees the other's, and logging out removes them where that is wanted. */
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { atLogin, enterPlayground, keptChats, leave, startLeaving } from "../support/checks/leaving.ts";
import { playgroundSite, reply, say } from "../support/checks/playground-site.ts";
import { overflow, PHONE, seriousFindings } from "../support/systems/browser.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";

const PASSWORD = "long enough 47";
const SECRET = "My diagnosis is private.";
const site = playgroundSite();

beforeAll(() => site.root.post("/api/user/", { username: "ada", display_name: "Ada", password: PASSWORD }));

const enter = (page: Page, username: string, password: string): Promise<void> =>
  enterPlayground(page, site.server.app.url, username, password);

test("chats stay for their owner alone, until logging out removes them", async () => {
  const { page } = site;
  await say(page, SECRET);
  await reply(page);
  await expect.poll(() => keptChats(page)).toContain(SECRET);

  await startLeaving(page);
  await page.getByRole("dialog").getByText("keeps 1 chat of yours").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.setViewportSize(PHONE);
  expect(await overflow(page)).toBe(0);
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await startLeaving(page);
  await leave(page);
  await atLogin(page);
  expect(await keptChats(page)).toContain(SECRET);

  await enter(page, "ada", PASSWORD);
  expect(await page.getByText(SECRET).count()).toBe(0);
  await startLeaving(page);
  await atLogin(page);

  await enter(page, "root", ROOT_PASSWORD);
  await page.getByText(SECRET).first().waitFor();
  await startLeaving(page);
  await page.getByRole("checkbox", { name: "Remove my chats from this browser" }).check();
  await leave(page);
  await atLogin(page);
  expect(await keptChats(page)).toBe("[]");
});
