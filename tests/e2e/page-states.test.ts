/** The states of pages of single things that the gallery shows: late, failed, refused, absent, empty and huge. Each says so in its place, is accessible and keeps to its window. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Camera, photograph } from "../../tools/gallery/camera.ts";
import type { GalleryPage } from "../../tools/gallery/gallery-page.ts";
import { PAGE_STATES } from "../../tools/gallery/page-states.ts";
import { PEOPLE_STATES } from "../../tools/gallery/people-states.ts";
import { REQUIRED_STATES } from "../../tools/gallery/required-states.ts";
import { fill, newPassword } from "../../tools/seed/fill.ts";
import { SCENARIOS } from "../../tools/seed/scenarios.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { someInShort } from "../support/soak/short-or-long.ts";
import { logInOn, looksOf, openContext, openPage, startBrowser, WEB_DIRECTORY } from "../support/systems/browser.ts";
import { startTestServer, type TestServer } from "../support/systems/server.ts";

let server: TestServer;
let upstream: FakeUpstream;
let browser: Browser;
const cameras = new Map<string, Camera>();

beforeAll(async () => {
  upstream = await startFakeUpstream({ records: false });
  server = await startTestServer({ ALLOW_PRIVATE_UPSTREAMS: "1" }, { webDirectory: WEB_DIRECTORY });
  const { admin, people, client } = await fill(
    server.app,
    SCENARIOS["busy-day"],
    { username: "root", password: newPassword() },
    upstream.url,
  );
  await client.call("PUT", "/api/option", { key: "StatusPageEnabled", value: "true" });
  browser = await startBrowser();
  const [look] = looksOf("tests/e2e/page-states.test.ts");
  const [plain = admin] = people.filter(({ username }) => username !== admin.username);
  for (const [as, { username, password }] of [
    ["root", admin],
    ["user", plain],
  ] as const) {
    const tab = await openPage(await openContext(browser, look));
    await logInOn(tab.page, server.app.url, username, password);
    cameras.set(as, { tab, url: server.app.url });
  }
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await upstream?.close();
});

test.each(someInShort(PAGE_STATES))("$name", async (state) => {
  const camera = cameras.get(state.as) ?? expect.fail(`nobody is logged in as ${state.as}`);
  expect(await photograph(camera, state, { isStrict: true })).toEqual([]);
});

test("a state that is not asked for, or stands outside of the window, is complained of", async () => {
  const camera = cameras.get("root") ?? expect.fail("nobody is logged in as root");
  const bars = '[data-option="SidebarModulesAdmin"]';
  const state: GalleryPage = {
    name: "setting-bars-failed",
    path: "/setting?tab=other",
    as: "root",
    steps: [{ wait: bars }],
    shows: bars,
    answers: [{ url: "**/api/never/asked", answer: "fails" }],
  };
  expect(await photograph(camera, state, { isStrict: false })).toEqual([
    "did not ask for **/api/never/asked",
    `does not show ${bars}`,
  ]);
  const shown: GalleryPage = { ...state, answers: [], steps: [{ scrollTo: bars }] };
  expect(await photograph(camera, shown, { isStrict: false })).toEqual([]);
});

test("a picture begins with the site as it is, not with what the picture before it answered in its place", async () => {
  const [look] = looksOf("tests/e2e/page-states.test.ts");
  const camera: Camera = { tab: await openPage(await openContext(browser, look)), url: server.app.url };
  const named = (name: string): GalleryPage =>
    [...PEOPLE_STATES, ...REQUIRED_STATES].find((state) => state.name === name) ?? expect.fail(`no state ${name}`);
  for (const name of ["login-ways", "login-passkey-step"])
    expect(await photograph(camera, named(name), { isStrict: false })).toEqual([]);
});
