/** A whole site for the tests of one file, with a logged-in user, by default the super administrator, in one browser tab. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import type { StartOptions } from "../../../server/src/app.ts";
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

export interface RootSiteOptions {
  environment?: Record<string, string>;
  /** Starts servers whose addresses the server needs. */
  before?: () => Promise<StartOptions>;
  /** Fills the site before the login in the browser. */
  fill?: (site: Pick<RootSite, "server" | "root">) => Promise<unknown>;
  /** Who logs in there; the super administrator where absent. */
  as?: { username: string; password: string };
}

const ROOT = { username: "root", password: ROOT_PASSWORD } as const;

/** Call it once at the top of a file; what it gives can be used from the first test on. A failed test saves a screenshot. */
export function rootSite({ environment = {}, before, fill, as = ROOT }: RootSiteOptions = {}): RootSite {
  const site = {} as RootSite;
  beforeAll(async () => {
    const told = await before?.();
    site.server = await startTestServer(environment, { webDirectory: WEB_DIRECTORY, ...told });
    site.root = await setUp(site.server);
    await fill?.(site);
    site.browser = await startBrowser();
    site.context = await openContext(site.browser);
    site.tab = await openPage(site.context);
    site.page = site.tab.page;
    await logInOn(site.page, site.server.app.url, as.username, as.password);
  });
  afterAll(async () => {
    await site.browser?.close();
    await site.server?.stop();
  });
  afterEach(({ task }) => keepPicture(site.page, task));
  return site;
}
