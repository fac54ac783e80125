/** The side bar's chat applications in a real browser: one entry with a menu, and a question before a site gets a key. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PROGRAM } from "../../server/src/composition/program.ts";
import { DESK, openContext, PHONE, startBrowser } from "../support/systems/browser.ts";
import { ROOT_PASSWORD, setUp, startTestServer, type TestServer } from "../support/systems/server.ts";
import { itemsOf } from "../support/systems/site.ts";

const SITE = "https://chat.example.test";
const CHATS = [
  { "Site Chat": `${SITE}/#/?base={address}&key={key}` },
  { "Plain Chat": "https://plain.example.test/hello" },
];
/** Newest last; the list has them the other way round, so that the first usable one is "laptop". */
const TOKENS = ["oldest", "laptop", "switched off"];

let server: TestServer;
let browser: Browser;

beforeAll(async () => {
  server = await startTestServer({}, { webDirectory: PROGRAM.webDirectory });
  const root = await setUp(server);
  await root.put("/api/option/", { key: "Chats", value: JSON.stringify(CHATS) });
  for (const name of TOKENS) await root.post("/api/token/", { name, unlimited_quota: true, expired_time: -1 });
  const [newest] = await itemsOf<{ id: number }>(root.get("/api/token/?p=1&size=10"));
  await root.put("/api/token/?status_only=true", { id: newest?.id, status: 2 });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

async function logIn(context: BrowserContext): Promise<Page> {
  await context.route(/example\.test/, (route) => route.fulfill({ contentType: "text/html", body: "a chat" }));
  const page = await context.newPage();
  await page.goto(`${server.app.url}/login?next=/token`);
  await page.locator('input[type="password"]').fill(ROOT_PASSWORD);
  await page.locator('input:not([type="password"]):not([type="checkbox"])').first().fill("root");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/token");
  return page;
}

const apps = (page: Page) => page.getByRole("button", { name: "Chat apps" });
const item = (page: Page, name: string) => page.getByRole("menuitem", { name: `Open ${name} in a new window` });
const question = (page: Page) =>
  page.getByRole("dialog", { name: "chat.example.test receives the key of your token laptop" });
/** The window that an act opens, once it is where it leads. */
async function opened(page: Page, act: () => Promise<void>): Promise<string> {
  const [popup] = await Promise.all([page.context().waitForEvent("page"), act()]);
  await popup.waitForURL(/example\.test/);
  const address = popup.url();
  await popup.close();
  return address;
}

test("one entry stands below the playground, its menu opens, closes and gives the focus back by keyboard", async () => {
  const page = await logIn(await openContext(browser, { size: DESK }));
  const entries = page.getByRole("navigation", { name: "Console" }).locator("a, button");
  await apps(page).waitFor();
  expect((await entries.allTextContents()).slice(0, 3)).toEqual(["Playground", "Studio", "Chat apps"]);
  await apps(page).focus();
  await page.keyboard.press("Enter");
  await item(page, "Site Chat").waitFor();
  await expect.poll(() => item(page, "Site Chat").evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press("ArrowDown");
  await expect
    .poll(() => item(page, "Plain Chat").evaluate((element) => element === document.activeElement))
    .toBe(true);
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  await expect.poll(() => apps(page).evaluate((element) => element === document.activeElement)).toBe(true);
  await page.getByRole("button", { name: "Collapse" }).click();
  await apps(page).focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => item(page, "Site Chat").evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press("ArrowDown");
  expect(await opened(page, () => page.keyboard.press("Enter"))).toBe("https://plain.example.test/hello");
  await page.context().close();
});

test("a site is named with the token before it gets the key, every time until it need not be", async () => {
  const page = await logIn(await openContext(browser, { size: DESK }));
  const pick = async () => {
    await apps(page).click();
    await item(page, "Site Chat").click();
  };
  await pick();
  await question(page).getByRole("button", { name: "Cancel" }).click();
  await question(page).waitFor({ state: "detached" });
  expect(page.context().pages()).toHaveLength(1);

  await pick();
  const first = await opened(page, () => question(page).getByRole("button", { name: "Open" }).click());
  expect(first).toMatch(/^https:\/\/chat\.example\.test\/#\/\?base=.+&key=sk-\w{48}$/);

  await pick(); // Not ticked: asked again.
  await question(page).getByLabel("Do not ask again for this site").check();
  expect(await opened(page, () => question(page).getByRole("button", { name: "Open" }).click())).toBe(first);
  expect(await opened(page, pick)).toBe(first);

  await page.evaluate(() => localStorage.setItem("chat_keys_allowed", '["chat.example.test 999"]'));
  await pick(); // Another token's leave is not this one's.
  await question(page).getByRole("button", { name: "Cancel" }).click();
  await page.context().close();
});

test("on a phone they are a list in the drawer, which closes for the question", async () => {
  const page = await logIn(await openContext(browser, { size: PHONE }));
  await page.getByRole("button", { name: "Menu", exact: true }).click();
  await apps(page).click();
  await expect.poll(() => apps(page).getAttribute("aria-expanded")).toBe("true");
  await page.getByRole("button", { name: "Open Site Chat in a new window" }).click();
  await question(page).waitFor();
  const address = await opened(page, () => question(page).getByRole("button", { name: "Open" }).click());
  expect(new URL(address).host).toBe("chat.example.test");
  await page.context().close();
});
