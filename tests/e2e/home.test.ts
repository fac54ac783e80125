/** Home, about and announcement in a real browser: the site's own pages, the operator's texts, and nothing that runs in them. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { testInAll } from "../support/soak/test-in-all.ts";
import {
  seriousFindings,
  clipboardOf,
  DESK,
  layoutShift,
  logInOn,
  openContext,
  openPage,
  overflow,
  PHONE,
  startBrowser,
  WEB_DIRECTORY,
  type WatchedPage,
} from "../support/systems/browser.ts";
import { IS_SHORT } from "../support/soak/short-or-long.ts";
import { ROOT_PASSWORD, setUp, startTestServer, type TestClient, type TestServer } from "../support/systems/server.ts";

let server: TestServer;
let root: TestClient;
let browser: Browser;
let other: Server;
/** The window of visitors who have seen nothing that counts. */
let visitors: BrowserContext;

beforeAll(async () => {
  server = await startTestServer({}, { webDirectory: WEB_DIRECTORY });
  root = await setUp(server);
  await root.put("/api/option", { key: "ModelRatio", value: JSON.stringify({ "model-of-the-house": 1 }) });
  await root.post("/api/channel", {
    type: 1,
    name: "main",
    key: "sk-0123456789",
    models: "model-of-the-house",
    groups: ["default"],
  });
  other = createServer((_, response) => response.end("<p>another site</p>"));
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  browser = await startBrowser();
  visitors = await openContext(browser);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  other?.close();
});

const write = async (key: string, value: string) => (await root.put("/api/option", { key, value })).body;

beforeEach(async () => {
  for (const key of ["HomePageContent", "About", "Notice"]) await write(key, "");
});
afterEach(() => Promise.all(visitors.pages().map((page) => page.close())));

/** A visitor's window on this path, at rest. */
async function visit(path: string, context = visitors): Promise<WatchedPage> {
  const watched = await openPage(context);
  await watched.page.goto(server.app.url + path);
  await watched.page.locator("main").waitFor();
  await watched.settled();
  return watched;
}

const isHacked = (page: Page): Promise<boolean> => page.evaluate(() => "hacked" in globalThis);

test("the home page says what this is, where to call it and which models there are", async () => {
  const { page, complaints } = await visit("/");
  const main = page.locator("main");
  await main.getByText(`${server.app.url}/v1`).first().waitFor();
  await main.getByText("model-of-the-house", { exact: true }).waitFor();
  await main.getByRole("button", { name: "Copy" }).first().click();
  await expect.poll(() => clipboardOf(page)).toBe(`${server.app.url}/v1`);
  await main.getByRole("button", { name: "curl" }).click();
  await expect.poll(() => main.locator("pre").textContent()).toContain(`curl ${server.app.url}/v1/chat/completions`);
  await main.getByRole("link", { name: "Models and prices" }).click();
  await page.waitForURL("**/pricing");
  expect(complaints).toEqual([]);
});

test("the chosen client shows the ring that every button has under the keyboard", async () => {
  const { page } = await visit("/");
  // Its shadow changes over some frames: what is wanted is waited for.
  const hasRing = (name: string): Promise<boolean> =>
    page
      .getByRole("button", { name, exact: true })
      .evaluate((button) => getComputedStyle(button).boxShadow.includes("0px 0px 0px 4px"));
  await page.getByRole("button", { name: "Node", exact: true }).focus();
  await page.keyboard.press("Shift+Tab");
  await expect.poll(() => hasRing("Python")).toBe(true);
  await page.keyboard.press("Tab");
  await expect.poll(() => hasRing("Node")).toBe(true);
  await expect.poll(() => hasRing("Python")).toBe(false);
});

test("Markdown of the operator takes the place of home and about", async () => {
  const refused = await write("HomePageContent", "# Welcome\n\n- [bad](javascript&#58;alert(1))\n");
  expect(refused).toMatchObject({ success: false, field: "HomePageContent" });
  await write("HomePageContent", "# Welcome to **us**\n\n- [prices](/pricing)\n- [odd](weird:address)\n");
  await write("About", "## Who we are\n\nA small *team*.\n\n| who | what |\n| --- | ---: |\n| ada | `a \\| b` |\n");
  const home = await visit("/");
  expect(await home.page.locator("main h1").innerHTML()).toBe("Welcome to <strong>us</strong>");
  expect(
    await home.page.locator("main a").evaluateAll((links) => links.map((link) => link.getAttribute("href"))),
  ).toEqual(["/pricing", ""]);
  const about = await visit("/about");
  await expect.poll(() => about.page.locator("main h2").textContent()).toBe("Who we are");
  await expect
    .poll(() => about.page.locator("main :is(th, td)").allInnerTexts())
    .toEqual(["who", "what", "ada", "a | b"]);
  expect([...home.complaints, ...about.complaints]).toEqual([]);
});

test("what runs is refused on write, and HTML is sanitised when it is drawn", async () => {
  const refused = await write("HomePageContent", "<h1>Hi</h1><script>hacked = true</script>");
  expect(refused).toMatchObject({ success: false, field: "HomePageContent" });
  expect(refused.message).toContain("<script>");
  expect((await write("About", "<img src=x onerror=hacked=true>")).success).toBe(false);
  await write("HomePageContent", '<h1 style="position:fixed" id="top">Hello</h1><custom-thing>text</custom-thing>');
  const { page, complaints } = await visit("/");
  await page.locator("main h1").waitFor();
  expect(await page.locator("main h1").getAttribute("style")).toBeNull();
  expect(await page.locator("custom-thing").count()).toBe(0);
  expect(complaints).toEqual([]);
});

testInAll("an answer that was tampered with on the way still runs nothing")(async () => {
  const context = await openContext(browser);
  const evil =
    '<h1>Hi</h1><img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=1</script><a href="javascript:globalThis.hacked=1">a</a><form><input></form>';
  await context.route("**/api/home_page_content", (route) =>
    route.fulfill({ json: { success: true, message: "", data: evil } }),
  );
  const { page } = await visit("/", context);
  await page.locator("main h1").waitFor();
  expect(await page.locator("main script, main form, main input, main [onerror]").count()).toBe(0);
  expect(await page.locator("main a").getAttribute("href")).toBeNull();
  expect(await isHacked(page)).toBe(false);
});

test("an https page is framed in a sandbox, and the policy allows its origin and no other", async () => {
  await write("HomePageContent", "https://framed.example/welcome?a=1");
  const context = await openContext(browser);
  await context.route("https://framed.example/**", (route) =>
    route.fulfill({ contentType: "text/html", body: "<p>from there</p>" }),
  );
  const { page, complaints } = await visit("/", context);
  await page.frameLocator("main iframe").getByText("from there").waitFor();
  const sandbox = (await page.locator("main iframe").getAttribute("sandbox")) ?? "";
  expect(sandbox.split(" ").toSorted()).toEqual(["allow-forms", "allow-popups", "allow-same-origin", "allow-scripts"]);
  expect(complaints).toEqual([]);
  const foreign = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
  const violated = await page.evaluate(
    (address) =>
      new Promise<string>((resolve) => {
        document.addEventListener("securitypolicyviolation", (event) => resolve(event.violatedDirective));
        const frame = document.createElement("iframe");
        frame.src = address;
        document.body.append(frame);
      }),
    foreign,
  );
  expect(violated).toBe("frame-src");
});

testInAll("an announcement shows once for each text of it, to visitors and in the console")(async () => {
  await write("Notice", "**Maintenance** on Monday");
  const context = await openContext(browser);
  const first = await visit("/", context);
  const card = first.page.getByRole("complementary", { name: "Announcement" });
  await expect.poll(() => card.locator("strong").textContent()).toBe("Maintenance");
  expect(await seriousFindings(first.page)).toEqual([]);
  await card.getByRole("button", { name: "Got it" }).click();
  await card.waitFor({ state: "detached" });

  const second = await visit("/about", context);
  expect(await second.page.getByText("Maintenance").count()).toBe(0);
  await write("Notice", "**Maintenance** on Tuesday");
  await logInOn(second.page, server.app.url, "root", ROOT_PASSWORD);
  await second.page.goto(`${server.app.url}/token`);
  await second.page.getByText("on Tuesday").waitFor();
});

const ALL_LOOKS = [
  { size: DESK, theme: "light", language: "zh" },
  { size: DESK, theme: "dark", language: "en" },
  { size: PHONE, theme: "light", language: "en" },
  { size: PHONE, theme: "dark", language: "zh" },
] as const;

test.each(IS_SHORT ? [] : ALL_LOOKS)(
  "home and about at $size.width px, $theme, $language: sound, steady, as wide as the window",
  async (look) => {
    const context = await openContext(browser, look);
    for (const path of ["/", "/about"]) {
      const { page, complaints } = await visit(path, context);
      await expect.poll(() => page.locator("main h1").count()).toBe(1);
      expect(await seriousFindings(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
      expect(await layoutShift(page)).toBeLessThanOrEqual(0.1);
      expect(complaints).toEqual([]);
    }
    await context.close();
  },
);

testInAll("on a phone a visitor reaches every page by the menu")(async () => {
  const { page } = await visit("/", await openContext(browser, { size: PHONE }));
  await page.getByRole("button", { name: "Menu" }).click();
  const menu = page.getByRole("dialog", { name: "Menu" });
  for (const name of ["Home", "Pricing", "About", "Log in"]) await menu.getByRole("link", { name }).waitFor();
  await menu.getByRole("link", { name: "Pricing" }).click();
  await page.waitForURL("**/pricing");
  await menu.waitFor({ state: "detached" });
  // The address changes first; the page follows when its code is there.
  await page.locator("main h1", { hasText: "Models and prices" }).waitFor();
});
