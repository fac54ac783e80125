/** A console with a fake upstream behind it and its playground open in a tab, for the tests of chats. */
import type { BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../../fake-upstream/fake-upstream.ts";
import type { Plan } from "../../fake-upstream/plan.ts";
import {
  keepPicture,
  logInOn,
  type Look,
  openContext,
  openPage,
  startBrowser,
  WEB_DIRECTORY,
  type WatchedPage,
} from "../systems/browser.ts";
import { ROOT_PASSWORD, setUp, startTestServer, type TestClient, type TestServer } from "../systems/server.ts";

const MODELS = ["gpt-4o", "gpt-4o-mini", "deepseek-chat"] as const;

export interface PlaygroundSite {
  server: TestServer;
  upstream: FakeUpstream;
  root: TestClient;
  /** The tab of the test that runs, in the file's window, which begins each test as the login left it. */
  tab: WatchedPage;
  page: Page;
  /** A window in another look, with the playground open. */
  open(look?: Partial<Look>, address?: string): Promise<WatchedPage>;
  /** Bodies that reached the upstream, in order. */
  asked(): Readonly<Record<string, unknown>>[];
}

/** Call it once at the top of a file. Every test begins on /playground with nothing stored but the login. */
export function playgroundSite(plan: Plan = { text: "An answer." }): PlaygroundSite {
  const site = {} as PlaygroundSite;
  const others: BrowserContext[] = [];
  let window: BrowserContext;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  let state: Awaited<ReturnType<BrowserContext["storageState"]>>;
  beforeAll(async () => {
    site.upstream = await startFakeUpstream({ plan });
    site.server = await startTestServer({ ALLOW_PRIVATE_UPSTREAMS: "1" }, { webDirectory: WEB_DIRECTORY });
    site.root = await setUp(site.server);
    const channel = {
      type: 1,
      name: "main",
      key: "sk-a",
      base_url: site.upstream.url,
      models: MODELS.join(),
      groups: ["default"],
    };
    await site.root.post("/api/channel/", { ...channel, auto_ban: 0 });
    await site.root.put("/api/option/", { key: "RetryTimes", value: "0" });
    browser = await startBrowser();
    window = await openContext(browser);
    const { page } = await openPage(window);
    await logInOn(page, site.server.app.url, "root", ROOT_PASSWORD);
    state = await window.storageState();
    await page.close();
  });
  const playgroundIn = async (context: BrowserContext, address: string): Promise<WatchedPage> => {
    const tab = await openPage(context);
    await tab.page.goto(site.server.app.url + address);
    await tab.page.locator("textarea").last().waitFor();
    return tab;
  };
  site.asked = () => site.upstream.requests.map(({ json }) => json ?? {});
  site.open = async (look = {}, address = "/playground") => {
    const context = await openContext(browser, look, { storageState: state });
    others.push(context);
    return playgroundIn(context, address);
  };
  beforeEach(async () => {
    site.upstream.reset();
    site.tab = await playgroundIn(window, "/playground");
    site.page = site.tab.page;
  });
  afterEach(async ({ task }) => {
    await keepPicture(site.page, task);
    for (const context of others.splice(0)) await context.close();
    // It keeps the scripts that it has compiled, which a new window would compile again.
    await Promise.all(window.pages().map((page) => page.close()));
    await window.setStorageState(state);
  });
  afterAll(async () => {
    await browser?.close();
    await site.server?.stop();
    await site.upstream?.close();
  });
  return site;
}

/** Writes a prompt and sends it by Enter. */
export async function say(page: Page, text: string): Promise<void> {
  const box = page.getByRole("textbox", { name: /^(?:Message|消息)$/ });
  await box.fill(text);
  // Enter sends only where the button would.
  await page
    .getByRole("button", { name: /^(?:Send|发送)$/, disabled: false })
    .first()
    .waitFor();
  await box.press("Enter");
}

/** Replies in a state. */
export const replies = (page: Page, status = "complete"): Locator => page.locator(`article[data-status="${status}"]`);

/** The last reply, once so many of this state are there. */
export async function reply(page: Page, count = 1, status = "complete"): Promise<Locator> {
  const last = replies(page, status).nth(count - 1);
  await last.waitFor();
  return last;
}
