/** Videos of a Midjourney proxy: their addresses, for clients and in the log. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeProxy, PROXY_SECRET, startFakeProxy } from "../fake-upstream/tasks/midjourney-proxy.ts";
import { dataOf } from "../support/systems/site.ts";
import { type TaskPerson, type TaskSite, startTaskSite } from "../support/tasks/task-site.ts";

const PICTURE = "data:image/png;base64,iVBORw0KGgo=";
const FILMS = ["https://cdn.example.com/a.mp4", "https://cdn.example.com/b.mp4"];

let proxy: FakeProxy;
let site: TaskSite;
let ada: TaskPerson;

beforeAll(async () => {
  proxy = await startFakeProxy();
  site = await startTaskSite([{ type: 2, url: proxy.url, key: PROXY_SECRET, models: ["mj_video", "mj_edits"] }]);
  ada = await site.person();
});
afterAll(async () => {
  await site.audited();
  await site.close();
  await proxy.close();
});

/** Submits, lets the proxy finish with these fields, and gives the task as its owner reads it. */
async function done(verb: string, body: object, finished: object): Promise<Record<string, unknown>> {
  const { result } = (await (await site.post(`/mj/submit/${verb}`, ada, body)).json()) as { result: string };
  proxy.change(result, { status: "SUCCESS", progress: "100%", imageUrl: "https://cdn.example.com/a.png", ...finished });
  await site.poll();
  return (await (await site.get(`/mj/task/${result}/fetch`, ada)).json()) as Record<string, unknown>;
}

test("a film has its addresses, each once; what is no address of the web is left out", async () => {
  const videoUrls = [...FILMS, "javascript:alert(1)", `https://cdn.example.com/${"x".repeat(2_048)}`].map((url) => ({
    url,
  }));
  const seen = await done("video", { image: PICTURE, prompt: "it walks" }, { videoUrl: FILMS[0], videoUrls });
  expect(seen).toMatchObject({ status: "SUCCESS", videoUrl: FILMS[0], videoUrls: FILMS.map((url) => ({ url })) });
  expect(await dataOf(ada.client.get("/api/mj/self"))).toMatchObject([{ action: "VIDEO", video_urls: FILMS }]);
});

test("a task that is no film has no field of one", async () => {
  const seen = await done("edits", { image: PICTURE, prompt: "a hat" }, {});
  expect(seen).toMatchObject({ status: "SUCCESS", action: "EDITS" });
  expect(seen).not.toHaveProperty("videoUrl");
});

test("a film of an earlier task goes to its proxy, and what names no picture is refused before anything is held", async () => {
  const { id } = await done("edits", { image: PICTURE, prompt: "a hat" }, {});
  expect(await done("video", { taskId: id, index: 1 }, {})).toMatchObject({ action: "VIDEO", status: "SUCCESS" });
  const { quota } = await site.left(ada);
  for (const [verb, body, word] of [
    ["video", { prompt: "of nothing" }, "image_required"],
    ["video", { taskId: "404" }, "task_not_found"],
    ["edits", { prompt: "of nothing" }, "image_required"],
    ["edits", { image: PICTURE }, "prompt_empty"],
  ] as const) {
    const answer = await site.post(`/mj/submit/${verb}`, ada, body);
    expect([answer.status, await answer.json()]).toMatchObject([400, { result: word }]);
  }
  expect((await site.left(ada)).quota).toBe(quota);
});
