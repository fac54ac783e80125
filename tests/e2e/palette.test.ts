/** The command palette in a real browser: no keystroke is lost, words are understood in any order, it acts, and it makes nothing by accident. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import {
  clipboardOf,
  keepPicture,
  logInOn,
  openContext,
  openPage,
  startBrowser,
  WEB_DIRECTORY,
} from "../support/systems/browser.ts";
import { ROOT_PASSWORD, setUp, startTestServer, type TestClient, type TestServer } from "../support/systems/server.ts";

const CHANNEL = { type: 1, key: "sk-upstream", models: "gpt-4o", groups: ["default"], base_url: "https://api.example" };

let server: TestServer;
let root: TestClient;
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  server = await startTestServer({}, { webDirectory: WEB_DIRECTORY });
  root = await setUp(server);
  for (const name of ["Anthropic main", "Spare"]) await root.post("/api/channel/", { ...CHANNEL, name });
  await root.post("/api/token/", { name: "my app", remain_quota: 0, expired_time: -1, unlimited_quota: true });
  browser = await startBrowser();
  context = await openContext(browser);
  ({ page } = await openPage(context));
  await logInOn(page, server.app.url, "root", ROOT_PASSWORD);
});

beforeEach(async () => {
  await page.goto(`${server.app.url}/token`);
  await page.locator("main#content h1").waitFor();
});

afterEach(({ task }) => keepPicture(page, task));

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const palette = () => page.getByRole("dialog", { name: "Search" }).or(page.getByRole("dialog"));
const field = () => page.getByRole("combobox");
const option = (name: string | RegExp) => page.getByRole("option", { name });
const chosen = () => page.locator('[role="option"][aria-selected="true"]');

async function search(text: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.locator("input[role=combobox]:focus").waitFor();
  await page.keyboard.type(text);
}

const channel = async (name: string) => {
  const rows = (await root.get("/api/channel/?page_size=100")).body.data as {
    id: number;
    name: string;
    status: number;
  }[];
  const found = rows.find((row) => row.name === name);
  if (found === undefined) throw new Error(`no channel ${name}`);
  return found;
};

test("what is typed before the palette is there is in its field when it comes", async () => {
  // Its code has not been loaded on this page, and is slow to come.
  await page.route(/command-palette/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 700));
    await route.continue();
  });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("usagx");
  await page.keyboard.press("Backspace");
  await page.keyboard.type("e log");
  await page.locator("input[role=combobox]:focus").waitFor();
  await expect.poll(() => field().inputValue()).toBe("usage log");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/log");
  await page.unroute(/command-palette/);
});

test("'dis anth' disables the channel, and the same words enable it again", async () => {
  await search("dis anth");
  await option(/Disable channel Anthropic main/).waitFor();
  await expect.poll(() => chosen().innerText()).toContain("Disable channel Anthropic main");
  await page.keyboard.press("Enter");
  await page.getByText("Anthropic main is disabled").waitFor();
  expect((await channel("Anthropic main")).status).toBe(2);
  await search("main enable");
  await option(/Enable channel Anthropic main/).waitFor();
  await expect.poll(() => chosen().innerText()).toContain("Enable channel Anthropic main");
  await page.keyboard.press("Enter");
  await page.getByText("Anthropic main is enabled").waitFor();
  expect((await channel("Anthropic main")).status).toBe(1);
});

test("a name that nothing has makes no token by Enter alone, and does by choice", async () => {
  await search("nothing-has-this-name");
  await option("Create token named nothing-has-this-name").waitFor();
  expect(await chosen().count()).toBe(0);
  await page.keyboard.press("Enter");
  await expect.poll(() => palette().isVisible()).toBe(true);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/open=create/);
  await expect
    .poll(() => page.getByRole("dialog").getByLabel("Name", { exact: true }).inputValue())
    .toBe("nothing-has-this-name");
});

test("the key of a token is copied", async () => {
  await search("key my app");
  await option("Copy key of my app").waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("Key of my app copied").waitFor();
  expect(await clipboardOf(page)).toMatch(/^sk-\w{48}$/);
});

test("ids of channels and of calls are recognised", async () => {
  const { id } = await channel("Spare");
  await search(`#${id}`);
  await option(/Spare/).first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/channel/edit/${id}`);
  await page.goto(`${server.app.url}/token`);
  await page.locator("main#content h1").waitFor();
  const requestId = "20261122094113123AbCd_-gh12345x";
  await search(` ${requestId}`);
  await option(/Open this call/).waitFor();
  expect(await option(/Create token named/).count()).toBe(0);
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/log?request_id=${requestId}`);
});
