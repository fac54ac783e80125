/** Finding entries of the log in a real browser: by request id, by views with a name, and as they come. */
import type { Locator, Page, Request } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import type { AdminLog } from "../../contract/src/features/logs.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { clipboardOf, findingsOfAnotherLook, openContext } from "../support/systems/browser.ts";

/** How often Live asks. */
const LIVE_EVERY_MS = 5000;

let upstream: FakeUpstream;
let key = "";

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill({ server, root }) {
    upstream = await startFakeUpstream();
    await root.put("/api/option/", { key: "ModelRatio", value: JSON.stringify({ "gpt-a": 1, "gpt-b": 1 }) });
    await root.post("/api/channel/", {
      type: 1,
      key: "sk-upstream-0123456789",
      groups: ["default"],
      auto_ban: 0,
      name: "Only lane",
      base_url: upstream.url,
      models: "gpt-a,gpt-b",
    });
    const { body } = await root.post("/api/token/", { name: "nightly", unlimited_quota: true });
    key = `sk-${(body.data as { key: string }).key}`;
    await call("gpt-a", server);
    upstream.plan({ status: 500, error: { message: "broken", type: "server_error" } });
    await call("gpt-b", server);
    upstream.plan({});
  },
});
afterAll(() => upstream?.close());

async function call(model: string, server = site.server): Promise<void> {
  const answer = await fetch(`${server.app.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  });
  await answer.text();
}

/** What each window has asked the server and has no answer to. */
const questionsOf = new WeakMap<Page, Set<Request>>();

function watchQuestions(page: Page): void {
  const questions = new Set<Request>();
  questionsOf.set(page, questions);
  const isQuestion = (request: Request) => new URL(request.url()).pathname.startsWith("/api/");
  page.on("request", (request) => isQuestion(request) && questions.add(request));
  page.on("requestfinished", (request) => questions.delete(request));
  page.on("requestfailed", (request) => questions.delete(request));
}

const answered = (page: Page): Promise<void> => expect.poll(() => questionsOf.get(page)?.size).toBe(0);

/** A window on the log, whose clock goes on by itself and can be moved on. */
async function openLog(path: string) {
  const context = await openContext(site.browser, {}, { storageState: await site.context.storageState() });
  const page = await context.newPage();
  watchQuestions(page);
  await page.clock.install();
  await page.goto(site.server.app.url + path);
  return { page, context };
}

/** Seconds of the window's clock pass, until the condition holds; a minute at most. It stands while an answer is waited for, which takes its real time. */
async function passUntil(page: Page, condition: () => Promise<boolean>): Promise<void> {
  for (let second = 0; !(await condition()); second++) {
    if (second === 60) throw new Error("a minute has passed in vain");
    await page.clock.runFor(1_000);
    await answered(page);
  }
}

const rows = (page: Page): Locator =>
  page.locator("tbody > tr").filter({ has: page.getByRole("button", { name: "Details" }) });
const search = (page: Page): URLSearchParams => new URL(page.url()).searchParams;

/** Switches Live off. The list is asked for once more then: a call that is made before the answer would stand in it, and would not be new. */
async function endLive(page: Page): Promise<void> {
  const asked = page.waitForRequest((request) => /\/api\/log\/?$/.test(new URL(request.url()).pathname));
  await page.getByRole("switch", { name: "Live" }).uncheck({ force: true });
  await asked;
  await answered(page);
}

test("an id that was pasted shows its entry with the receipt open, and a link with it does so too", async () => {
  const { page, context } = await openLog("/log?range=day");
  const { items } = (await site.root.get("/api/log/?type=2")).body.data as { items: AdminLog[] };
  const id = items[0]?.request_id ?? "";
  await page.getByRole("searchbox", { name: "Request ID" }).fill(`  ${id.slice(0, 5)} ${id.slice(5)} `);
  await page.getByText("1 entry", { exact: true }).waitFor();
  await page.getByRole("heading", { name: "Cost breakdown" }).waitFor();
  expect(search(page).get("request_id")).toBe(id);
  await page.getByRole("button", { name: "Copy as curl" }).click();
  await expect.poll(() => clipboardOf(page)).toContain("/v1/chat/completions");
  expect(await clipboardOf(page)).toMatch(/\$TURNPIKE_KEY[^]*gpt-a/);
  await page.getByRole("button", { name: "Details" }).click();
  await page.getByRole("heading", { name: "Cost breakdown" }).waitFor({ state: "detached" });
  await page.goto(`${site.server.app.url}/log?range=yesterday&request_id=${id}`);
  await page.getByRole("heading", { name: "Cost breakdown" }).waitFor();
  await page.goto(`${site.server.app.url}/log?request_id=nothing-of-that-id`);
  await page.getByText("No row matches all filters.").waitFor();
  await context.close();
});

test("the head says how many failed and how long calls took; what is new is counted, loaded, and comes by itself with Live", async () => {
  const { page, context } = await openLog("/log?range=day");
  await rows(page).first().waitFor();
  const head = page.locator("header").filter({ hasText: "Usage log" });
  await expect.poll(() => head.innerText()).toMatch(/Errors\s*1\s*Time p50 \/ p95\s*[\d.]+ m?s \/ [\d.]+ m?s/);
  const before = await rows(page).count();
  await page.getByRole("switch", { name: "Live" }).check({ force: true });
  await call("gpt-a");
  await passUntil(page, async () => (await rows(page).count()) === before + 1);
  await endLive(page);
  await call("gpt-a");
  const fresh = page.getByRole("button", { name: "1 new entry" });
  await passUntil(page, () => fresh.isVisible());
  await fresh.click();
  await expect.poll(() => rows(page).count()).toBe(before + 2);
  await context.close();
});

/** Switches Live on and gives how often the list was asked for since. */
async function goLive(page: Page): Promise<() => number> {
  let asked = 0;
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === "/api/log" || new URL(request.url()).pathname === "/api/log/") asked += 1;
  });
  await page.getByRole("switch", { name: "Live" }).check({ force: true });
  await passUntil(page, () => Promise.resolve(asked > 1));
  return () => asked;
}

const setVisibility = (page: Page, state: DocumentVisibilityState): Promise<void> =>
  page.evaluate((now) => {
    Object.defineProperty(document, "visibilityState", { value: now, configurable: true });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  }, state);

test("Live asks nothing while its tab is hidden, and goes on when it is seen again", async () => {
  const { page, context } = await openLog("/log?range=day");
  await rows(page).first().waitFor();
  const before = await rows(page).count();
  const asked = await goLive(page);
  await setVisibility(page, "hidden");
  await page.waitForLoadState("networkidle");
  const askedBefore = asked();
  await call("gpt-a");
  await page.clock.runFor(LIVE_EVERY_MS * 2 + 1000);
  await page.waitForLoadState("networkidle");
  expect([asked(), await rows(page).count()]).toEqual([askedBefore, before]);
  await setVisibility(page, "visible");
  await passUntil(page, async () => (await rows(page).count()) === before + 1);
  await expect.poll(() => page.getByRole("switch", { name: "Live" }).isChecked()).toBe(true);
  await context.close();
});

test("Live ends with a note when the log cannot be loaded, asks no more, and can be switched on again", async () => {
  const { page, context } = await openLog("/log?range=day");
  await rows(page).first().waitFor();
  const before = await rows(page).count();
  const asked = await goLive(page);
  const list = /\/api\/log\/?\?/;
  await page.route(list, (route) => route.fulfill({ status: 500, body: "{}" }));
  const note = page.getByRole("status").filter({ hasText: "Live stopped: the log could not be loaded." });
  await passUntil(page, () => note.isVisible());
  expect(await page.getByRole("switch", { name: "Live" }).isChecked()).toBe(false);
  await expect.poll(() => rows(page).count()).toBe(before);
  await page.waitForLoadState("networkidle");
  const askedBefore = asked();
  await page.clock.runFor(LIVE_EVERY_MS * 2 + 1000);
  await page.waitForLoadState("networkidle");
  expect(asked()).toBe(askedBefore);
  await page.unroute(list);
  await call("gpt-a");
  await page.getByRole("switch", { name: "Live" }).check({ force: true });
  await note.waitFor({ state: "detached" });
  await passUntil(page, async () => (await rows(page).count()) === before + 1);
  await context.close();
});

const views = (page: Page) => page.getByRole("navigation", { name: "Views" });
const tab = (page: Page, name: string) => views(page).getByRole("button", { name, exact: true });

test("a view is a tab of the account in every browser, Back leads to what was shown before, and it can be removed", async () => {
  const { page, context } = await openLog("/log?range=day&model_name=gpt-b");
  await page.getByText("1 entry", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Save view" }).click();
  await page.getByRole("textbox", { name: "Name of this view" }).fill("Only B");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await tab(page, "Only B").and(page.locator("[aria-current]")).waitFor();
  await tab(page, "Errors").click();
  await expect.poll(() => page.url()).toMatch(/\/log\?type=5$/);
  await context.close();
  const other = await openLog("/log?type=5");
  await tab(other.page, "Only B").click();
  await expect.poll(() => search(other.page).get("model_name")).toBe("gpt-b");
  expect(await findingsOfAnotherLook(other.page)).toEqual([]);
  await other.page.getByRole("button", { name: "Remove the view Only B" }).click();
  await tab(other.page, "Only B").waitFor({ state: "detached" });
  await other.page.getByRole("button", { name: "Save view" }).and(other.page.locator(":focus")).waitFor();
  await other.page.goBack();
  await expect.poll(() => search(other.page).get("type")).toBe("5");
  await tab(other.page, "Errors").and(other.page.locator("[aria-current]")).waitFor();
  await other.context.close();
});

test("views that an earlier version kept in the browser are moved into the account when asked, and leave the browser", async () => {
  const { page, context } = await openLog("/log?range=day");
  const stored = { version: 1, views: [{ name: "From this browser", search: { model_name: "gpt-a" } }] };
  await page.evaluate((text) => localStorage.setItem("log_views", text), JSON.stringify(stored));
  await page.reload();
  await page.getByRole("button", { name: "Move 1 view from this browser into the account" }).click();
  await tab(page, "From this browser").waitFor();
  await page.getByRole("button", { name: "Move 1 view" }).waitFor({ state: "detached" });
  expect(await page.evaluate(() => localStorage.getItem("log_views"))).toBeNull();
  await tab(page, "From this browser").click();
  await page.getByRole("button", { name: "Remove the view From this browser" }).click();
  await tab(page, "From this browser").waitFor({ state: "detached" });
  await context.close();
});
