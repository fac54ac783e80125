/** The logs of tasks as their owner sees them: small pictures, songs and videos that play in place, readable times and failures, and the way to the studio. */
import type { Insertable } from "kysely";
import type { Page } from "playwright-core";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { TaskTable } from "../../server/src/db/task-table.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { newTask } from "../support/databases/tasks.ts";
import { overflow, PHONE, seriousFindings } from "../support/systems/browser.ts";

const PASSWORD = "long enough 47";
const HOUR_MS = 3_600_000;
/** The member's id, after root's. */
const MEMBER = 2;
let upstream: FakeUpstream;
let page: Page;

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  as: { username: "ada", password: PASSWORD },
  async fill({ root, server }) {
    upstream = await startFakeUpstream();
    await root.post("/api/user/", { username: "ada", display_name: "Ada", password: PASSWORD });
    await root.put("/api/option/", { key: "MjForwardUrlEnabled", value: "false" });
    const submit = Date.now() - 2 * HOUR_MS;
    const add = (fields: Partial<Insertable<TaskTable>>) =>
      server.app.foundation.database.kysely
        .insertInto("tasks")
        .values({ ...newTask(MEMBER), submit_time_ms: submit, ...fields })
        .execute();
    const picture = { result_url: `${upstream.url}/media/grid-1.png`, prompt: "Hills", quota: 50_000 };
    await add({ ...picture, task_id: "slow", finish_time_ms: submit + HOUR_MS });
    await add({ task_id: "no", status: "FAILURE", fail_reason: "Not allowed", finish_time_ms: submit + 200 });
    const songs = [{ id: "s", title: "Ferry", audio_url: `${upstream.url}/media/tune-1.wav` }];
    await add({
      platform: "suno",
      action: "MUSIC",
      task_id: "song",
      prompt: "A ferry",
      data: JSON.stringify(songs),
      submit_time_ms: Date.now(),
    });
    const words = { title: "Late", text: "The ferry is late" };
    await add({ platform: "suno", action: "LYRICS", task_id: "words", data: JSON.stringify(words) });
  },
});
afterAll(() => upstream?.close());
beforeEach(() => {
  page = site.page;
});

const open = async (address: string) => {
  await page.goto(site.server.app.url + address);
  await page.locator("main tbody tr, main li").first().waitFor();
};
const row = (name: RegExp) => page.getByRole("row", { name });

test("own drawings have small pictures, and the large one fills its place", async () => {
  await open("/midjourney");
  const small = row(/Imagine.*\b1 h\b/).locator("img");
  await expect.poll(() => small.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(1);
  await row(/Imagine.*\b1 h\b/)
    .getByRole("button", { name: "View" })
    .click();
  const viewer = page.getByRole("dialog", { name: "Picture" });
  const large = viewer.locator('img[data-state="shown"]');
  await large.waitFor();
  const fill = await large.evaluate((image) => image.clientHeight / (image.parentElement?.clientHeight ?? 1));
  expect(fill).toBeGreaterThan(0.98);
  await page.keyboard.press("Escape");
});

test("an hour is an hour, a quick failure is nothing green and nothing complete, and costs read down one column", async () => {
  await open("/midjourney");
  const failed = row(/Not allowed/);
  await failed.getByText("0.2 s").waitFor();
  expect(await failed.locator('[data-tone="green"]').count()).toBe(0);
  expect(await failed.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("0");
  await failed.getByText("$0.0000").waitFor();
  await row(/\b1 h\b/)
    .getByText("$0.1000")
    .waitFor();
  expect(await seriousFindings(page)).toEqual([]);
});

test("a song plays where it stands, and its prompt is used again in the studio", async () => {
  await open("/task");
  await row(/Music/).getByRole("button", { name: "Play" }).click();
  const audio = page.getByRole("region", { name: "Player" }).locator("audio");
  await expect.poll(() => audio.evaluate((each: HTMLAudioElement) => each.duration)).toBeCloseTo(4, 1);
  await row(/Music/)
    .getByRole("button", { name: /^Actions for/ })
    .click();
  await page.getByRole("menuitem", { name: "Use again in the studio" }).click();
  await page.waitForURL(/\/studio\?.*prompt=A(?:\+|%20)ferry/);
});

test("lyrics are read where they stand", async () => {
  await open("/task");
  await row(/Lyrics/)
    .getByRole("button", { name: "Read" })
    .click();
  await page.getByRole("dialog", { name: "Late" }).getByText("The ferry is late").waitFor();
  await page.keyboard.press("Escape");
});

test("on a phone an opened drawing has its picture once", async () => {
  await page.setViewportSize(PHONE);
  await open("/midjourney");
  const card = page.getByRole("listitem").filter({ hasText: "Hills" });
  await card.getByRole("button", { name: /^Details of/ }).click();
  await page.getByText("Hills").first().waitFor();
  await expect.poll(() => page.getByRole("button", { name: "View" }).count()).toBe(1);
  expect(await overflow(page)).toBe(0);
  await page.setViewportSize({ width: 1440, height: 900 });
});
