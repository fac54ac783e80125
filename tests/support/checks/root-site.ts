/** A whole site of its own for the tests of a file, with its super administrator logged in in one tab of a browser. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import {
  keepPicture,
  logInOn,
  openContext,
  openPage,
  startBrowser,
  WEB_DIRECTORY,
  type WatchedPage,
} from "../systems/browser.ts";
import { ROOT_PASSWORD, setUp, startTestServer, type TestClient, type TestServer } from "../systems/server.ts";

export interface RootSite {
  server: TestServer;
  root: TestClient;
  browser: Browser;
  context: BrowserContext;
  tab: WatchedPage;
  page: Page;
}

/** Call it once at the top of a file; what it gives can be used from the first test on. A failed test leaves a picture. */
export function rootSite(): RootSite {
  const site = {} as RootSite;
  beforeAll(async () => {
    site.server = await startTestServer({}, { webDirectory: WEB_DIRECTORY });
    site.root = await setUp(site.server);
    site.browser = await startBrowser();
    site.context = await openContext(site.browser);
    site.tab = await openPage(site.context);
    site.page = site.tab.page;
    await logInOn(site.page, site.server.app.url, "root", ROOT_PASSWORD);
  });
  afterAll(async () => {
    await site.browser?.close();
    await site.server?.stop();
  });
  afterEach(({ task }) => keepPicture(site.page, task));
  return site;
}
