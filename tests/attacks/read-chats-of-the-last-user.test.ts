/** Attack: the next user of a browser reads the last one's playground chats, on the pages or in the browser's storage. */
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { atLogin, enterPlayground, keptChats, leave, startLeaving } from "../support/checks/leaving.ts";
import { playgroundSite, reply, say } from "../support/checks/playground-site.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";

const PASSWORD = "long enough 47";
const SECRET = "My diagnosis is private.";
const site = playgroundSite({ text: "Your answer is private too." });
const SECRETS = /is private/;

beforeAll(() => site.root.post("/api/user/", { username: "next", display_name: "Next", password: PASSWORD }));

const enter = (page: Page, username: string, password: string): Promise<void> =>
  enterPlayground(page, site.server.app.url, username, password);

/** Everything that the browser stores for this site: databases, storages and cached responses, but no cookies. */
const allKept = async (page: Page): Promise<string> =>
  (await keptChats(page)) +
  (await page.evaluate(async () => {
    const names = await caches.keys();
    const entries = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    const databases = (await indexedDB.databases()).map(({ name }) => name);
    const addresses = entries.flat().map(({ url }) => url);
    return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, databases, addresses]);
  }));

/** What the pages show: the list of chats, a search in it, and the chat's own address. */
async function shown(page: Page, address: string): Promise<string> {
  const texts = [await page.locator("body").innerText()];
  await page.goto(address);
  await page.locator("textarea").last().waitFor();
  texts.push(await page.locator("body").innerText());
  await page.goBack();
  texts.push(await page.locator("body").innerText());
  return texts.join("\n");
}

test("no page shows the next user a remaining chat, and what was removed at log-out is nowhere in the browser", async () => {
  const { page } = site;
  await say(page, SECRET);
  await reply(page);
  await expect.poll(() => keptChats(page)).toMatch(SECRETS);
  const address = page.url();
  await startLeaving(page);
  await page.getByRole("dialog").getByText("keeps 1 chat of yours").waitFor();
  await leave(page);
  await atLogin(page);
  expect(await page.locator("body").innerText()).not.toMatch(SECRETS);
  await enter(page, "next", PASSWORD);
  expect(await shown(page, address)).not.toMatch(SECRETS);
  await startLeaving(page);
  await atLogin(page);

  await enter(page, "root", ROOT_PASSWORD);
  await page.getByText(SECRET).first().waitFor();
  await startLeaving(page);
  await page.getByRole("checkbox", { name: "Remove my chats from this browser" }).check();
  await leave(page);
  await atLogin(page);
  expect(await allKept(page)).not.toMatch(SECRETS);
  await enter(page, "next", PASSWORD);
  expect(await shown(page, address)).not.toMatch(SECRETS);
  expect(await allKept(page)).not.toMatch(SECRETS);
});
