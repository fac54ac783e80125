/** The image task log and the task log in a real browser: queries and columns by viewer, pictures and players that wait for a click, and refreshing. */
import type { Insertable } from "kysely";
import type { Page } from "playwright-core";
import { afterAll, beforeEach, expect, onTestFinished, test } from "vitest";
import type { TaskTable } from "../../server/src/db/task-table.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { newTask } from "../support/databases/tasks.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import {
  clipboardOf,
  findingsOfAnotherLook,
  logInOn,
  openContext,
  openPage,
  seriousFindings,
} from "../support/systems/browser.ts";

const HOUR_MS = 3_600_000;

let upstream: FakeUpstream;
/** The window that the test looks at. */
let page: Page;

const add = (fields: Partial<Insertable<TaskTable>>) =>
  site.server.app.foundation.database.kysely
    .insertInto("tasks")
    .values({ ...newTask(1), submit_time_ms: Date.now() - HOUR_MS / 2, ...fields })
    .execute();

async function plant(): Promise<void> {
  const picture = { result_url: `${upstream.url}/media/grid-1.png`, channel_id: 1, model: "mj_imagine" };
  const submit = Date.now() - 5 * HOUR_MS;
  await add({
    ...picture,
    task_id: "first",
    submit_time_ms: submit,
    finish_time_ms: submit + 60_000,
    prompt: "一只猫",
  });
  await add({
    ...picture,
    task_id: "second",
    action: "UPSCALE",
    result_url: `${upstream.url}/media/picture-2.png`,
    submit_time_ms: submit - 1,
    finish_time_ms: submit + 61_000,
    code: 22,
  });
  await add({
    task_id: "refused",
    status: "FAILURE",
    fail_code: "timed_out",
    fail_reason: "No upstream\nanswered",
    submit_time_ms: submit - 2,
  });
  await add({ task_id: "long ago", submit_time_ms: Date.now() - 31 * 24 * HOUR_MS });
  const songs = [{ id: "s", title: "Ferry", audio_url: `${upstream.url}/media/tune-1.wav`, metadata: { duration: 4 } }];
  await add({
    platform: "suno",
    action: "MUSIC",
    task_id: "song",
    data: JSON.stringify(songs),
    submit_time_ms: Date.now(),
  });
}

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill({ root }) {
    upstream = await startFakeUpstream();
    await root.post("/api/channel/", {
      name: "pictures",
      type: 2,
      key: "secret",
      base_url: upstream.url,
      models: "mj_imagine",
      group: "default",
    });
    // Pictures are the upstream's own then: whatever loads by itself would reach it.
    await root.put("/api/option/", { key: "MjForwardUrlEnabled", value: "false" });
    await plant();
  },
});
afterAll(() => upstream?.close());
beforeEach(() => {
  page = site.page;
  site.tab.complaints.length = 0;
  upstream.reset();
});

const setOption = (key: string, value: string) => site.root.put("/api/option/", { key, value });
const row = (name: string) => page.getByRole("row", { name: new RegExp(name) });
const headers = () => page.getByRole("columnheader").allTextContents();

async function open(address: string): Promise<URLSearchParams> {
  const asked = page.waitForRequest(/\/api\/(?:mj|task)(?:\/self)?\?/);
  await page.goto(site.server.app.url + address);
  const { searchParams } = new URL((await asked).url());
  await page.locator("tbody tr").first().waitFor();
  return searchParams;
}

testInAll("the drawing log asks for 30 days back to one hour ahead, and shows nothing of before")(async () => {
  const asked = await open("/midjourney");
  const now = Date.now() / 1000;
  expect(Math.abs(Number(asked.get("start_timestamp")) - (now - 30 * 86_400))).toBeLessThan(60);
  expect(Math.abs(Number(asked.get("end_timestamp")) - (now + 3600))).toBeLessThan(60);
  expect(asked.get("p")).toBe("1");
  await page.getByText("3 drawings").waitFor();
  await expect.poll(() => page.locator("tbody tr").count()).toBe(3);
  expect(await findingsOfAnotherLook(page)).toEqual([]);
});

test("a row has its time in red above a minute, a channel that a click copies, and the reason of a failure behind a click", async () => {
  await open("/midjourney");
  await expect.poll(() => row("Imagine.*60.0 s").locator('[data-tone="green"]', { hasText: "60.0 s" }).count()).toBe(1);
  await expect.poll(() => row("Upscale.*61.0 s").locator('[data-tone="red"]', { hasText: "61.0 s" }).count()).toBe(1);
  await expect.poll(() => row("Failure").textContent()).toContain("N/A");
  await row("Upscale").getByRole("button", { name: /#1/ }).click();
  await expect.poll(() => clipboardOf(page)).toBe("1");
  await expect.poll(() => row("Failure").getByRole("progressbar").locator('[data-tone="fault"]').count()).toBe(1);
  await row("Failure")
    .getByRole("button", { name: /The upstream did not finish/ })
    .click();
  const dialog = page.getByRole("dialog");
  await expect
    .poll(() => dialog.locator("pre").textContent())
    .toBe("The upstream did not finish it in time. No upstream\nanswered");
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
});

test("no picture is fetched before somebody asks for it; then keys go on, zoom and close", async () => {
  await open("/midjourney");
  expect(upstream.requests.filter(({ path }) => path.startsWith("/media"))).toEqual([]);
  await row("Imagine.*60.0 s").getByRole("button", { name: "View" }).click();
  const viewer = page.getByRole("dialog", { name: "Picture" });
  await viewer.locator('img[data-state="shown"]').waitFor();
  await viewer.getByText("1 of 2").waitFor();
  expect(upstream.requests.map(({ path }) => path)).toEqual(["/media/grid-1.png"]);
  expect(upstream.requests[0]?.headers["referer"]).toBeUndefined();
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press("+");
  await viewer.getByText("150%").waitFor();
  await page.keyboard.press("ArrowRight");
  await viewer.getByText("2 of 2").waitFor();
  await viewer.getByText("100%").waitFor();
  await viewer.locator('img[src$="picture-2.png"][data-state="shown"]').waitFor();
  await expect
    .poll(() => viewer.getByRole("link", { name: "Download" }).getAttribute("href"))
    .toContain("picture-2.png");
  await page.keyboard.press("Escape");
  await viewer.waitFor({ state: "hidden" });
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("View");
});

testInAll("filters stand in the address, and the task's id alone finds one of any time")(async () => {
  await open("/midjourney");
  await page.getByRole("button", { name: "Status" }).click();
  await page.getByRole("menuitem", { name: "Failure" }).click();
  await page.getByText("1 drawing", { exact: true }).waitFor();
  expect(new URL(page.url()).search).toContain("status=FAILURE");
  const asked = await open("/midjourney?mj_id=long%20ago");
  expect([...asked.keys()].toSorted()).toEqual(["mj_id", "p", "page_size"]);
  await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
});

testInAll("administrators are told while callbacks are off, with the way to the setting")(async () => {
  await open("/midjourney");
  await page.getByRole("note").getByRole("link", { name: "Open the setting" }).click();
  await page.waitForURL(/setting\?.*MjNotifyEnabled/);
  onTestFinished(async () => void (await setOption("MjNotifyEnabled", "false")));
  await setOption("MjNotifyEnabled", "true");
  await open("/midjourney");
  await page.getByRole("note").waitFor({ state: "detached" });
});

test("the task log asks from midnight on; a song is fetched once play is pressed; its record is there as JSON, its charge in the usage log under the same id", async () => {
  const asked = await open("/task");
  expect(Number(asked.get("start_timestamp"))).toBe(await page.evaluate(() => new Date().setHours(0, 0, 0, 0) / 1000));
  await row("Music")
    .getByRole("button", { name: /Details of/ })
    .click();
  const player = page.locator("audio");
  await player.waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  expect(upstream.count).toBe(0);
  await player.evaluate((audio: HTMLAudioElement) => audio.play());
  await expect.poll(() => upstream.requests.map(({ path }) => path)).toContain("/media/tune-1.wav");
  expect(await player.evaluate((audio: HTMLAudioElement) => audio.duration)).toBeCloseTo(4, 1);
  await page.locator("main").getByRole("button", { name: "Full record" }).click();
  const text = await page.getByRole("dialog").locator("pre").innerText();
  expect(text).toContain('"task_id": "song"');
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Open in the usage log" }).click();
  await page.waitForURL(/\/log\?.*request_id=/);
});

testInAll("a video is fetched once play is pressed")(async () => {
  await site.root.post("/api/channel/", {
    name: "videos",
    type: 1,
    key: "sk-videos",
    base_url: upstream.url,
    models: "sora-2",
    group: "default",
  });
  const made = { platform: "video", action: "GENERATE", model: "sora-2", channel_id: 2 };
  await add({ ...made, task_id: "v", submit_time_ms: Date.now() });
  await open("/task?platform=video");
  await row("Generate")
    .getByRole("button", { name: /Details of/ })
    .click();
  const player = page.locator("video");
  await player.waitFor();
  expect(await findingsOfAnotherLook(page)).toEqual([]);
  expect(upstream.count).toBe(0);
  await player.evaluate((video: HTMLVideoElement) => video.play());
  await expect.poll(() => upstream.requests.map(({ path }) => path)).toContain("/v1/videos/v/content");
  expect(await player.evaluate((video: HTMLVideoElement) => video.videoWidth)).toBe(320);
});

testInAll("the list refreshes while something runs, and only then")(async () => {
  const { kysely } = site.server.app.foundation.database;
  const running = { status: "IN_PROGRESS", progress: 50, submit_time_ms: Date.now() };
  await add({ ...running, platform: "suno", action: "LYRICS", task_id: "soon" });
  const timed = await openContext(site.browser, {}, { storageState: await site.context.storageState() });
  await timed.clock.install();
  ({ page } = await openPage(timed));
  let count = 0;
  page.on("request", (request) => void (count += Number(request.url().includes("/api/task?"))));
  await open("/task");
  await row("In progress").waitFor();
  const ended = { status: "SUCCESS", progress: 100, finish_time_ms: Date.now() };
  await kysely.updateTable("tasks").set(ended).where("task_id", "=", "soon").execute();
  expect(count).toBe(1);
  await timed.clock.runFor(6000);
  await page.getByRole("row", { name: /Lyrics.*Success/ }).waitFor();
  expect(count).toBe(2);
  await timed.clock.runFor(60_000);
  expect(count).toBe(2);
  await timed.close();
});

test("a plain user sees own tasks without channel, person, status or the upstream's answer", async () => {
  const user = await site.root.post("/api/user/", { username: "lin", password: "a-password" });
  expect(user.body.success).toBe(true);
  const { id } = await site.server.app.foundation.database.kysely
    .selectFrom("users")
    .select("id")
    .where("username", "=", "lin")
    .executeTakeFirstOrThrow();
  const own = await openContext(site.browser);
  ({ page } = await openPage(own));
  await logInOn(page, site.server.app.url, "lin", "a-password");
  await page.goto(`${site.server.app.url}/midjourney`);
  await page.getByRole("heading", { name: "No drawings yet" }).waitFor();
  expect(await page.getByRole("note").count()).toBe(0);
  onTestFinished(async () => {
    await site.server.app.foundation.database.kysely.deleteFrom("tasks").where("task_id", "=", "mine").execute();
  });
  await add({ user_id: id, task_id: "mine", channel_id: 1, code: 22, status: "IN_PROGRESS", progress: 20 });
  await open("/midjourney");
  await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
  const shown = await headers();
  for (const hidden of ["Channel", "User", "Status", "Submit result"]) expect(shown).not.toContain(hidden);
  await row("Imagine")
    .getByRole("button", { name: /Details of/ })
    .click();
  expect(await page.locator("main").innerText()).not.toContain("Submit result");
  await own.close();
});

testInAll("the entries stand in the side bar while the site draws and makes, and not otherwise")(async () => {
  const entries = page.getByRole("navigation", { name: "Console" });
  await page.goto(`${site.server.app.url}/token`);
  await entries.getByRole("link", { name: "Drawing log" }).waitFor();
  await entries.getByRole("link", { name: "Task log" }).waitFor();
  onTestFinished(async () => {
    for (const key of ["DrawingEnabled", "TaskEnabled"]) await setOption(key, "true");
  });
  for (const key of ["DrawingEnabled", "TaskEnabled"]) await setOption(key, "false");
  await page.goto(`${site.server.app.url}/token`);
  await entries.getByRole("link", { name: "Drawing log" }).waitFor({ state: "detached" });
  await entries.getByRole("link", { name: "Task log" }).waitFor({ state: "detached" });
  expect(site.tab.complaints).toEqual([]);
});
