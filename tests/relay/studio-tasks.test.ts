/** Tasks submitted by the console's studio with a user's session: paid without a token, continued by their owner alone. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeProxy, PROXY_SECRET, startFakeProxy } from "../fake-upstream/tasks/midjourney-proxy.ts";
import { type TaskSite, startTaskSite } from "../support/tasks/task-site.ts";

const TENTH = 50_000;
let proxy: FakeProxy;
let site: TaskSite;

beforeAll(async () => {
  proxy = await startFakeProxy();
  site = await startTaskSite([{ type: 2, url: proxy.url, key: PROXY_SECRET, models: ["mj_imagine", "mj_upscale"] }]);
});
afterAll(async () => {
  await site.audited();
  await site.close();
  await proxy.close();
});

test("a person draws from the console by their session, goes on from that drawing alone, and pays for both without a token", async () => {
  const bob = await site.person();
  const eve = await site.person();
  const before = await site.left(bob);
  const { status, body } = await bob.client.post("/pg/mj/submit/imagine", { prompt: "a cat", group: "default" });
  expect([status, body]).toMatchObject([200, { code: 1 }]);
  const id = String((body as unknown as { result: string }).result);
  expect(proxy.requests.at(-1)?.fields).not.toHaveProperty("group");
  proxy.change(id, { status: "SUCCESS", progress: "100%", imageUrl: "https://cdn.example.com/a.png" });
  await site.poll();
  const change = { taskId: id, action: "UPSCALE", index: 2 };
  expect((await eve.client.post("/pg/mj/submit/change", change)).status).toBe(400);
  expect((await bob.client.post("/pg/mj/submit/change", change)).body).toMatchObject({ code: 1 });
  const after = await site.left(bob);
  expect(before.quota - after.quota).toBe(TENTH + TENTH / 2);
  expect(after.used).toBe(0);
  await site.audited();
});
