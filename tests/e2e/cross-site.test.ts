/** Another site in the browser of a logged-in user: no request it makes the browser send to the console, by GET or POST, changes anything. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { API, FEATURE_NAMES } from "../../contract/src/api.ts";
import type { Endpoint } from "../../contract/src/endpoint.ts";
import { someInShort } from "../support/soak/short-or-long.ts";
import { logInOn, openContext, openPage, startBrowser, WEB_DIRECTORY } from "../support/systems/browser.ts";
import { ROOT_PASSWORD, setUp, startTestServer, type TestClient, type TestServer } from "../support/systems/server.ts";
import { dataOf } from "../support/systems/site.ts";

/**
 * What changes something, but for the callbacks that a state proves (identities/attacks.test.ts holds that) or a signature, which comes from
 * another site by its nature.
 */
const ENDPOINTS = FEATURE_NAMES.flatMap((feature): Endpoint[] => Object.values(API[feature])).filter(
  ({ method, changesState, isProvenByState, access }) =>
    isProvenByState !== true && access !== "signed" && (method !== "GET" || changesState === true),
);
const GETS = ENDPOINTS.filter(({ method }) => method === "GET");
const POSTS = ENDPOINTS.filter(({ method }) => method === "POST");

/** Those that the whole window is led to; scripts and pictures call each of all. */
const LED_TO = { get: someInShort(GETS), post: someInShort(POSTS) } as const;

const TABLES = [
  "users",
  "tokens",
  "channels",
  "options",
  "identities",
  "identity_providers",
  "totp_factors",
  "passkeys",
  "one_time_codes",
  "outbox",
  "ledger",
] as const;

/** The body that would do the most harm, whichever endpoint it is sent to. */
const BODY = JSON.stringify({
  id: 2,
  action: "delete",
  key: "RegisterEnabled",
  value: "false",
  quota: 500_000,
  username: "evil",
  password: "evil-password",
  email: "evil@example.org",
  name: "evil",
});

let server: TestServer;
let root: TestClient;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let foreign: Server;
let foreignUrl: string;

const urlOf = ({ path }: Endpoint): string => server.app.url + path.replaceAll(/\{\w+\}/g, "2");

async function startForeign(): Promise<void> {
  foreign = createServer((_request, response) => {
    response.writeHead(200, { "Content-Type": "text/html" });
    response.end("<!doctype html><title>another site</title><h1>another site</h1>");
  });
  await new Promise<void>((resolve) => foreign.listen(0, "localhost", resolve));
  // A site of its own to the browser: the console is at 127.0.0.1.
  foreignUrl = `http://localhost:${(foreign.address() as AddressInfo).port}/`;
}

async function everything(): Promise<unknown> {
  const { kysely } = server.app.foundation.database;
  const rows = await Promise.all(TABLES.map((table) => kysely.selectFrom(table).selectAll().execute()));
  const sessions = await kysely.selectFrom("sessions").select("id").orderBy("id").execute();
  return [rows, sessions];
}

beforeAll(async () => {
  server = await startTestServer({}, { webDirectory: WEB_DIRECTORY });
  root = await setUp(server);
  await dataOf(root.post("/api/user/", { username: "ada", password: "a-good-one", display_name: "" }));
  await startForeign();
  browser = await startBrowser();
  context = await openContext(browser);
  ({ page } = await openPage(context));
  await logInOn(page, server.app.url, "root", ROOT_PASSWORD);
  await page.goto(foreignUrl);
});
afterAll(async () => {
  await browser?.close();
  foreign?.close();
  await server?.stop();
});

/** Statuses of what the console answered to another site meanwhile. */
function watchAnswers(): number[] {
  const statuses: number[] = [];
  page.on("response", (response) => {
    if (response.url().startsWith(`${server.app.url}/api/`)) statuses.push(response.status());
  });
  return statuses;
}

test("scripts and pictures of another site: every call is refused, and nothing has changed", async () => {
  await page.goto(foreignUrl);
  const before = await everything();
  const statuses = watchAnswers();
  await page.evaluate(
    async ({ gets, posts, body }) => {
      const send = (url: string, init: RequestInit) =>
        fetch(url, { mode: "no-cors", credentials: "include", ...init }).catch(() => undefined);
      for (const url of gets) {
        await send(url, {});
        const picture = new Image();
        await new Promise((resolve) => {
          picture.onload = picture.onerror = resolve;
          picture.src = url;
        });
      }
      for (const url of posts) await send(url, { method: "POST", body });
    },
    { gets: GETS.map(urlOf), posts: POSTS.map(urlOf), body: BODY },
  );
  // What is answered to a picture is kept from the page and from its tools.
  expect(statuses.length).toBeGreaterThanOrEqual(GETS.length + POSTS.length);
  expect([...new Set(statuses)]).toEqual([403]);
  expect(await everything()).toEqual(before);
});

test("links of another site, which take the session's cookie along, change nothing either", async () => {
  const before = await everything();
  const statuses = watchAnswers();
  for (const url of LED_TO.get.map(urlOf)) {
    await page.goto(foreignUrl);
    await Promise.all([
      page.waitForURL(url),
      page.evaluate((address) => {
        location.href = address;
      }, url),
    ]);
  }
  expect(statuses).toEqual(LED_TO.get.map(() => 403));
  expect(await everything()).toEqual(before);
});

test("a form that another site sends at the top of the window changes nothing", async () => {
  const before = await everything();
  const statuses = watchAnswers();
  for (const url of LED_TO.post.map(urlOf)) {
    await page.goto(foreignUrl);
    await Promise.all([
      page.waitForURL(url),
      page.evaluate(
        ({ action, body }) => {
          const form = Object.assign(document.createElement("form"), { action, method: "POST", enctype: "text/plain" });
          // text/plain joins name and value with "=": the name is all of the JSON but its end.
          form.append(Object.assign(document.createElement("input"), { name: body.slice(0, -1), value: "}" }));
          document.body.append(form);
          form.submit();
        },
        { action: url, body: BODY },
      ),
    ]);
  }
  expect(statuses).toEqual(LED_TO.post.map(() => 403));
  expect(await everything()).toEqual(before);
});
