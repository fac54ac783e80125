/** Attack: get both a finished video and its refund, after the gateway was down and the first poll afterwards failed. */
import { expect, test } from "vitest";
import { type FakeVideos, VIDEO_KEY, startFakeVideos } from "../fake-upstream/tasks/video-api.ts";
import { engines } from "../support/databases/databases.ts";
import { startTaskSite } from "../support/tasks/task-site.ts";

const TASKS = 6;
const AWAY_SECONDS = 30 * 3_600;

test.each(await engines())("on %s a task that its upstream finished stays paid", async (engine) => {
  const videos: FakeVideos = await startFakeVideos();
  const site = await startTaskSite([{ type: 1, url: videos.url, key: VIDEO_KEY, models: ["sora-2"] }], engine);
  try {
    const eve = await site.person();
    for (let made = 0; made < TASKS; made += 1)
      expect((await site.post("/v1/videos", eve, { model: "sora-2", prompt: "x" })).status).toBe(200);
    const paid = await site.left(eve);
    for (const id of videos.videos.keys())
      videos.finish(id, { status: "completed", progress: 100, completed_at: 1_760_000_100 });
    videos.next = { status: 502, body: {} };
    await site.poll(AWAY_SECONDS);
    for (let at = 1; at <= 3; at += 1) await site.poll(AWAY_SECONDS + 60 * at);
    const ended = (await site.tasks()).map(({ status, charge }) => `${status} ${charge}`);
    expect(ended).toEqual(Array.from({ length: TASKS }, () => "SUCCESS charged"));
    expect(await site.left(eve)).toEqual(paid);
    await site.audited();
  } finally {
    await site.close();
    await videos.close();
  }
});
