/** Chat applications of the settings in a frame and by the address that leads there, in a real browser. */
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { rootSite } from "../support/checks/root-site.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import { openContext, openPage, PHONE, seriousFindings, type WatchedPage } from "../support/systems/browser.ts";
import { itemsOf } from "../support/systems/site.ts";

const CHATS = [
  { Framed: 'https://chat.example.test/#/?settings={"key":"{key}","url":"{address}"}' },
  { App: "deskchat://add?url={address}&key={key}" },
  { Open: "https://open.example.test/hello" },
];

let tab: WatchedPage;
let tokenId = 0;

const setChats = (chats: readonly object[]) =>
  site.root.put("/api/option/", { key: "Chats", value: JSON.stringify(chats) });
const site = rootSite({
  async fill({ root }) {
    await root.put("/api/option/", { key: "Chats", value: JSON.stringify(CHATS) });
    await root.post("/api/token/", { name: "laptop", unlimited_quota: true, expired_time: -1 });
    tokenId = (await itemsOf<{ id: number }>(root.get("/api/token/?p=1&size=10")))[0]?.id ?? 0;
  },
});

async function open(address: string, options: { isGuest?: boolean; look?: object } = {}): Promise<WatchedPage> {
  const state = options.isGuest === true ? {} : { storageState: await site.context.storageState() };
  const context = await openContext(site.browser, options.look, state);
  await context.route(/example\.test/, (route) =>
    route.fulfill({ contentType: "text/html", body: "<title>a chat</title>hello" }),
  );
  const opened = await openPage(context);
  await opened.page.goto(site.server.app.url + address);
  return opened;
}
beforeEach(() => () => tab?.page.context().close());

const allow = () =>
  tab.page
    .getByRole("dialog", { name: "chat.example.test receives the key of your token laptop" })
    .getByRole("button", { name: "Open" });
const KEY_IN_SETTINGS = /settings=(?:\{|%7B)(?:"|%22)key(?:"|%22):(?:"|%22)sk-\w{48}/;

test("a saved chat is framed with the key once that is allowed, and may use camera and microphone", async () => {
  tab = await open("/chat/0");
  await allow().click();
  const frame = tab.page.locator("iframe");
  await frame.waitFor();
  await expect.poll(() => frame.getAttribute("src")).toMatch(KEY_IN_SETTINGS);
  await expect.poll(() => frame.getAttribute("src")).toContain(encodeURIComponent(site.server.app.url));
  await expect.poll(() => frame.getAttribute("allow")).toContain("camera; microphone");
  await tab.page.frameLocator("iframe").getByText("hello").waitFor();
  const box = await frame.boundingBox();
  expect(box?.width).toBe(1440);
  expect(box?.height).toBeGreaterThan(780);
  // What the settings do not name is not framed.
  const blocked = await tab.page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => resolve(effectiveDirective));
        const other = document.createElement("iframe");
        other.src = "https://other.example.test/";
        document.body.append(other);
      }),
  );
  expect(blocked).toBe("frame-src");
});

testInAll("without a link it says that it redirects; an app is opened by its link; a damaged list is told")(
  async () => {
    tab = await open("/chat/7");
    await tab.page.getByText("Redirecting").waitFor();
    expect(await tab.page.locator("iframe").count()).toBe(0);
    expect(await seriousFindings(tab.page)).toEqual([]);
    await tab.page.goto(`${site.server.app.url}/chat`);
    await tab.page.getByText("Redirecting").waitFor();
    await tab.page.goto(`${site.server.app.url}/chat/1`);
    await tab.page.getByRole("dialog").getByRole("button", { name: "Open" }).click();
    await expect
      .poll(() => tab.page.getByRole("link", { name: "Open the app" }).getAttribute("href"))
      .toMatch(/^deskchat:\/\/add\?url=.*sk-\w{48}$/);
    await tab.page.evaluate(() => localStorage.setItem("chats", "[{"));
    await tab.page.goto(`${site.server.app.url}/chat/9`);
    await tab.page.getByText("Chat data parse failed").waitFor();
  },
);

test("a visitor sees chats that need no key, and is led to the login for the others", async () => {
  tab = await open("/chat/2", { isGuest: true, look: { size: PHONE, language: "zh", theme: "dark" } });
  await tab.page.frameLocator("iframe").getByText("hello").waitFor();
  await tab.page.goto(`${site.server.app.url}/chat/0`);
  await tab.page.getByText("您没有可用的令牌").waitFor();
  await tab.page.waitForURL(/\/login/);
});

testInAll("/chat2link leads to the chat with key and address in its settings")(async () => {
  tab = await open("/chat2link");
  await tab.page.getByText("Loading, taking you to the chat").waitFor();
  await allow().click();
  await tab.page.waitForURL(/^https:\/\/chat\.example\.test/);
  expect(tab.page.url()).toMatch(KEY_IN_SETTINGS);
});

testInAll(
  "without a usable token it says so and goes to the tokens after 1.5 s; without a link it names the administrator",
)(async () => {
  const setStatus = (status: number) => site.root.put("/api/token/?status_only=true", { id: tokenId, status });
  onTestFinished(async () => {
    await setStatus(1);
    await setChats(CHATS);
  });
  await setStatus(2);
  tab = await open("/chat2link");
  await tab.page.getByText("You have no token that can be used").waitFor();
  await tab.page.waitForURL(/\/token$/);
  await setChats([]);
  await tab.page.goto(`${site.server.app.url}/chat2link`);
  await tab.page.getByText("The chat link is not configured correctly, contact the administrator").waitFor();
});
