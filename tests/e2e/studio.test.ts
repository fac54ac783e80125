/** The studio in a real browser: requests with their price, results that are seen, heard, continued, used again, and stored. */
import type { Insertable } from "kysely";
import type { Page } from "playwright-core";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { TaskTable } from "../../server/src/db/task-table.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { rootSite } from "../support/checks/root-site.ts";
import { newTask } from "../support/databases/tasks.ts";
import { IS_LONG } from "../support/soak/short-or-long.ts";
import { overflow, PHONE, seriousFindings } from "../support/systems/browser.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

const MINUTE_MS = 60_000;
let upstream: FakeUpstream;
let page: Page;

const add = (fields: Partial<Insertable<TaskTable>>) =>
  site.server.app.foundation.database.kysely
    .insertInto("tasks")
    .values({ ...newTask(1), submit_time_ms: Date.now() - MINUTE_MS, ...fields })
    .execute();

const channel = (type: number, models: string) => ({
  name: models,
  type,
  key: "sk-secret",
  base_url: upstream.url,
  models,
  group: "default",
  auto_ban: 0,
});

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill({ root }) {
    upstream = await startFakeUpstream({ plan: { hasRealMedia: true } });
    await root.post("/api/channel/", channel(2, "mj_imagine,mj_upscale,mj_variation"));
    await root.post("/api/channel/", channel(36, "suno_music"));
    await root.post("/api/channel/", channel(1, "dall-e-3,tts-1,sora-2,gpt-4o-mini"));
    await root.put("/api/option/", { key: "MjForwardUrlEnabled", value: "false" });
    const drawing = { prompt: "Hills at dusk", result_url: `${upstream.url}/media/grid-1.png`, model: "mj_imagine" };
    await add({ ...drawing, task_id: "made-1-1-IMAGINE", channel_id: 1, quota: 50_000 });
    const songs = ["First", "Second"].map((title, index) => ({
      id: title,
      title,
      audio_url: `${upstream.url}/media/tune-${index + 1}.wav`,
      metadata: { duration: 4 },
    }));
    await add({ platform: "suno", action: "MUSIC", task_id: "song", prompt: "Ferry", data: JSON.stringify(songs) });
    await add({ task_id: "window", action: "CUSTOM_ZOOM", status: "MODAL", prompt: "Wider" });
    const words = { title: "Ferry", text: "The ferry is late\nand so am I" };
    await add({ platform: "suno", action: "LYRICS", task_id: "words", prompt: "Verses", data: JSON.stringify(words) });
    await add({ task_id: "no", status: "FAILURE", fail_reason: "The prompt is not allowed", prompt: "Bad" });
  },
});
afterAll(() => upstream?.close());
beforeEach(async () => {
  page = site.page;
  upstream.reset();
  await page.goto(`${site.server.app.url}/studio`);
  await gallery().getByRole("listitem").first().waitFor();
});

/** What was asked of models. */
const asked = () => upstream.requests.filter(({ method, path }) => method === "POST" && path.startsWith("/v1/"));
const gallery = () => page.getByRole("list", { name: "What was made" });
const card = (name: string) => gallery().getByRole("listitem").filter({ hasText: name });
const maker = () => page.getByRole("region", { name: "Make something" });
const choose = async (kind: string, prompt: string) => {
  await maker().getByRole("radio", { name: kind }).click();
  await maker().getByRole("textbox", { name: "Prompt" }).fill(prompt);
};

test("a picture has its price before it is sent, is charged by the session alone, and stays in this browser", async () => {
  await choose("Picture", "A lighthouse");
  await maker().getByText("$0.0400").waitFor();
  await maker().getByRole("button", { name: "Size" }).click();
  await page.getByRole("option", { name: "1792 × 1024" }).click();
  await maker().getByText("$0.0800").waitFor();
  await maker().getByRole("button", { name: "Draw" }).click();
  const made = card("A lighthouse").getByRole("img");
  await expect.poll(() => made.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(1);
  expect(asked().map(({ path, json }) => [path, json])).toEqual([
    ["/v1/images/generations", { model: "dall-e-3", prompt: "A lighthouse", n: 1, size: "1792x1024" }],
  ]);
  await page.reload();
  await card("A lighthouse").getByRole("img").waitFor();
  await card("A lighthouse").getByRole("button", { name: "Open A lighthouse" }).click();
  const box = page.getByRole("dialog", { name: "What was made" });
  await box.getByRole("button", { name: "Remove" }).click();
  await card("A lighthouse").waitFor({ state: "detached" });
});

test("nothing is sent without a prompt, and a refusal stands in the form with what was written", async () => {
  await maker().getByRole("button", { name: "Draw" }).click();
  await maker().getByText("Write what is to be made.").waitFor();
  expect(asked()).toEqual([]);
  upstream.next({ status: 400, error: { message: "The word is not allowed" } });
  await choose("Picture", "A word");
  await maker().getByRole("button", { name: "Draw" }).click();
  await maker()
    .getByRole("alert")
    .getByText(/The word is not allowed/)
    .waitFor();
  expect(await maker().getByRole("textbox", { name: "Prompt" }).inputValue()).toBe("A word");
});

testInAll("a drawing and a film are taken on and shown while they are made; speech is heard at once")(async () => {
  await choose("Picture", "A harbour");
  await maker().getByRole("button", { name: "Model dall-e-3" }).click();
  await page.getByRole("option", { name: "mj_imagine" }).click();
  await maker().getByRole("button", { name: "Draw" }).click();
  await card("A harbour").getByRole("status").waitFor();
  await choose("Video", "A wave");
  await maker().getByText("about $0.4000").waitFor();
  await maker().getByRole("button", { name: "Film" }).click();
  await card("A wave").getByRole("status").waitFor();
  await choose("Speech", "Good morning.");
  await maker().getByRole("button", { name: "Speak" }).click();
  await card("Good morning.").getByRole("button", { name: "Play Good morning." }).click();
  const audio = page.getByRole("region", { name: "Player" }).locator("audio");
  await expect.poll(() => audio.evaluate((each: HTMLAudioElement) => each.duration)).toBeCloseTo(3, 1);
});

test("a card without a picture says what it waits for, and lyrics are read on theirs", async () => {
  await card("Wider").getByText("Waits for a description in Midjourney's window").waitFor();
  await card("Verses").getByText("The ferry is late").waitFor();
  await card("Verses").getByRole("button", { name: "Open Verses" }).click();
  await page.getByRole("dialog", { name: "What was made" }).getByText("and so am I").waitFor();
});

test("models that cannot be loaded keep their room: the gallery stays where it is", async () => {
  const top = async () => (await page.getByRole("radiogroup", { name: "Show" }).boundingBox())?.y;
  for (const size of [{ width: 1440, height: 900 }, PHONE]) {
    await page.setViewportSize(size);
    // Loaded in this size: what a page moves when its window changes is over.
    await page.reload();
    await maker().getByRole("radio", { name: "Speech" }).waitFor();
    const usual = await top();
    await page.route("**/api/pricing*", (route) => route.fulfill({ status: 500, json: { success: false } }));
    await page.reload();
    await page.getByRole("alert").getByText("The models could not be loaded").waitFor();
    expect(await top()).toBe(usual);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.getByRole("button", { name: "Try again" }).click();
    await maker().waitFor();
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  site.tab.complaints.splice(0);
});

testInAll("the player plays, and goes on with the next sound")(async () => {
  await card("Ferry").getByRole("button", { name: "Play First" }).click();
  const player = page.getByRole("region", { name: "Player" });
  const audio = player.locator("audio");
  await expect.poll(() => audio.evaluate((each: HTMLAudioElement) => each.paused || each.duration)).toBeCloseTo(4, 1);
  await player.getByRole("button", { name: "Next" }).click();
  await player.getByText("Second").waitFor();
  await expect.poll(() => audio.getAttribute("src")).toMatch(/tune-2\.wav$/);
  await player.getByRole("button", { name: "Close the player" }).click();
  await player.waitFor({ state: "detached" });
});

testInAll(
  "a drawing is opened with what was asked, enlarged one by one, and its prompt used again; the focus comes back",
)(async () => {
  const open = card("Hills at dusk")
    .filter({ has: page.getByRole("img") })
    .getByRole("button", { name: /^Open/ });
  await open.click();
  const box = page.getByRole("dialog", { name: "What was made" });
  await expect
    .poll(() =>
      box.getByRole("img", { name: "Hills at dusk" }).evaluate((image: HTMLImageElement) => image.naturalWidth),
    )
    .toBeGreaterThan(1);
  expect(await seriousFindings(page)).toEqual([]);
  await box.getByRole("button", { name: "Enlarge picture 2" }).click();
  await expect
    .poll(() => upstream.requests.find(({ path }) => path.endsWith("/submit/change"))?.json)
    .toMatchObject({ taskId: "made-1-1-IMAGINE", action: "UPSCALE", index: 2 });
  await page.keyboard.press("Escape");
  await box.waitFor({ state: "detached" });
  expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Open Hills at dusk");
  await open.click();
  await box.getByRole("button", { name: "Use again" }).click();
  await expect.poll(() => maker().getByRole("textbox", { name: "Prompt" }).inputValue()).toBe("Hills at dusk");
});

testInAll("a failure says why, kinds are shown apart, the logs are one press away, and a phone has it whole")(
  async () => {
    await card("Bad").getByText("The prompt is not allowed").waitFor();
    await page.getByRole("radiogroup", { name: "Show" }).getByRole("radio", { name: "Songs" }).click();
    await expect.poll(() => gallery().getByRole("listitem").count()).toBe(2);
    await page.setViewportSize(PHONE);
    expect(await overflow(page)).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole("link", { name: "Drawing log" }).first().click();
    await page.waitForURL(/\/midjourney/);
  },
);

/** Scrolls the page to its end; gives its longest task in milliseconds, and how many nodes of the gallery React changed meanwhile. */
const scrolled = () =>
  page.evaluate(async () => {
    let longestMs = 0;
    let changes = 0;
    const tasks = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longestMs = Math.max(longestMs, duration);
    });
    tasks.observe({ type: "longtask" });
    const nodes = new MutationObserver((records) => (changes += records.length));
    const list = document.querySelector("[role=listitem], li")?.parentElement ?? document.body;
    nodes.observe(list, { subtree: true, childList: true, characterData: true });
    const place = [...document.querySelectorAll("*")].findLast(
      (each) => each.scrollHeight > each.clientHeight + 500 && getComputedStyle(each).overflowY !== "visible",
    );
    const box = place ?? document.documentElement;
    for (let top = 0; top < box.scrollHeight; top += 220) {
      box.scrollTop = top;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    tasks.disconnect();
    nodes.disconnect();
    return { longestMs, changes };
  });

/** How many cards the browser lays out and paints. */
const rendered = () =>
  gallery()
    .getByRole("listitem")
    .evaluateAll(
      (cards) =>
        cards.filter((card) => card.firstElementChild?.checkVisibility({ contentVisibilityAuto: true })).length,
    );

testInAll("of two hundred cards those in sight alone are rendered, and scrolling changes none")(async () => {
  for (let index = 0; index < 200; index += 1)
    await add({
      task_id: `many-${index}`,
      prompt: `Many ${index}`,
      result_url: `${upstream.url}/media/grid-${index % 9}.png`,
    });
  await page.reload();
  await gallery().getByRole("listitem").first().waitFor();
  const older = page.getByRole("button", { name: "Show older ones" });
  while ((await older.count()) > 0) {
    const count = await gallery().getByRole("listitem").count();
    await older.click();
    await expect.poll(async () => (await gallery().getByRole("listitem").count()) > count).toBe(true);
  }
  await expect.poll(() => gallery().getByRole("listitem").count()).toBeGreaterThan(200);
  expect(await rendered()).toBeLessThan(60);
  const passes = [await scrolled(), await scrolled(), await scrolled()];
  expect(passes.map(({ changes }) => changes)).toEqual([0, 0, 0]);
  // A time is measured on a quiet machine alone; of three passes the calmest counts.
  if (IS_LONG) expect(Math.min(...passes.map(({ longestMs }) => longestMs))).toBeLessThanOrEqual(50);
});

test("logging out says what the studio keeps in this browser, and removes it where that is wanted", async () => {
  await choose("Speech", "Good night.");
  await maker().getByRole("button", { name: "Speak" }).click();
  await card("Good night.").waitFor();
  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("menuitem", { name: "Log out" }).click();
  const question = page.getByRole("dialog");
  await question
    .getByText(/The studio keeps \d+ pictures? (?:or|and) recordings? of yours in this browser\./)
    .waitFor();
  await question.getByRole("checkbox", { name: /Remove my chats, pictures and recordings/ }).check();
  await question.getByRole("button", { name: "Log out" }).click();
  await page.waitForURL(/\/login/);
  const left = await page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const opening = indexedDB.open("turnpike_studio");
        opening.addEventListener("error", () => reject(new Error("the database cannot be opened")));
        opening.addEventListener("success", () => {
          const counting = opening.result.transaction("kept").objectStore("kept").count();
          counting.addEventListener("success", () => resolve(counting.result));
        });
      }),
  );
  expect(left).toBe(0);
});
