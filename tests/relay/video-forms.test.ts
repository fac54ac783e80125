/** Kling's and Jimeng's own forms of videos: to their own channels and to others, their answers, and their words for errors. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeJimeng, JIMENG_KEY, startFakeJimeng } from "../fake-upstream/tasks/jimeng-api.ts";
import { type FakeKling, KLING_KEY, startFakeKling } from "../fake-upstream/tasks/kling-api.ts";
import { FILM_PATH, VIDEO_BYTES } from "../fake-upstream/tasks/video-api.ts";
import { type FakeVidu, VIDU_KEY, startFakeVidu } from "../fake-upstream/tasks/vidu-api.ts";
import { type TaskPerson, type TaskSite, startTaskSite } from "../support/tasks/task-site.ts";

const SECOND = 10_000;
const IMAGE = "https://images.example/first.png";
const RESULT = "https://films.example/1.mp4";
const [SUBMIT, RESULT_OF] = ["CVSync2AsyncSubmitTask", "CVSync2AsyncGetResult"].map(
  (action) => `/jimeng?Action=${action}&Version=2022-08-31`,
) as [string, string];

let kling: FakeKling;
let jimeng: FakeJimeng;
let vidu: FakeVidu;
let site: TaskSite;
let ada: TaskPerson;

beforeAll(async () => {
  [kling, jimeng, vidu] = await Promise.all([startFakeKling(), startFakeJimeng(), startFakeVidu()]);
  site = await startTaskSite([
    { type: 50, url: kling.url, key: KLING_KEY, models: ["kling-v1", "kling-v1-6"] },
    { type: 51, url: jimeng.url, key: JIMENG_KEY, models: ["jimeng_v30", "jimeng_t2v_v30"] },
    { type: 52, url: vidu.url, key: VIDU_KEY, models: ["viduq3-pro"] },
  ]);
  const models = ["kling-v1", "kling-v1-6", "jimeng_v30", "jimeng_t2v_v30", "viduq3-pro"];
  await site.option("ModelPrice", JSON.stringify(Object.fromEntries(models.map((model) => [model, 0.02]))));
  await site.option("ServerAddress", site.app.url);
  await site.app.foundation.snapshot.refresh();
  ada = await site.person({ quota: 100_000_000 });
});
afterAll(async () => {
  await site.audited();
  await site.close();
  await Promise.all([kling, jimeng, vidu].map((each) => each.close()));
});

async function ask(path: string, body: object, person = ada) {
  const before = await site.left(person);
  const answer = await site.post(path, person, body);
  const { quota } = await site.left(person);
  return { status: answer.status, read: (await answer.json()) as Record<string, unknown>, paid: before.quota - quota };
}

interface KlingAnswer {
  code: number;
  data: { task_id: string };
}

test("Kling's form goes to Kling as it is, with fields of its own, and reads its tasks as there", async () => {
  const body = {
    model_name: "kling-v1-6",
    prompt: "x",
    image: IMAGE,
    cfg_scale: 0.7,
    duration: "10",
    mode: "pro",
    callback_url: "",
  };
  const made = await ask("/kling/v1/videos/image2video", body);
  expect(made.read).toMatchObject({ code: 0, message: "SUCCEED", data: { task_status: "submitted" } });
  expect(made.paid).toBe(17.5 * SECOND);
  const { callback_url: _empty, ...sent } = body;
  expect(kling.requests.at(-1)).toMatchObject({ path: "/v1/videos/image2video", fields: sent });
  const { task_id: id } = (made.read as unknown as KlingAnswer).data;
  const state = async () => (await site.get(`/kling/v1/videos/image2video/${id}`, ada)).json();
  expect(await state()).toMatchObject({ code: 0, data: { task_id: id, task_status: "submitted", task_result: {} } });
  kling.finish(id, { url: RESULT });
  await site.poll();
  expect(kling.requests.at(-1)?.path).toBe(`/v1/videos/image2video/${id}`);
  expect(await state()).toMatchObject({
    data: { task_status: "succeed", task_result: { videos: [{ url: RESULT, duration: "10" }] } },
  });
});

test("Kling's form names a model of another vendor; its errors have Kling's codes", async () => {
  const other = await ask("/kling/v1/videos/text2video", { model: "viduq3-pro", prompt: "x", duration: 4 });
  expect(other.read).toMatchObject({ code: 0, data: { task_status: "submitted" } });
  expect(vidu.requests.at(-1)?.fields).toEqual({ model: "viduq3-pro", prompt: "x", duration: 4 });
  const bad = [
    [{ model_name: "viduq3-pro", prompt: "x", cfg_scale: 0.5 }, 400, 1200, "cfg_scale"],
    [{ model_name: "kling-v1", prompt: "x", voice_list: [{ voice_id: "1" }] }, 400, 1200, "voice_list"],
    [{ model_name: "kling-v1", model: "kling-v1-6", prompt: "x" }, 400, 1200, "model"],
    [{ model_name: "kling-v1", prompt: "x", image: IMAGE }, 400, 1200, "image"],
    [{ model_name: "kling-v1", prompt: "x", duration: "7" }, 400, 1200, "duration"],
    [{ model_name: "none", prompt: "x" }, 404, 1203, "model"],
  ] as const;
  for (const [body, status, code, param] of bad) {
    const refused = await ask("/kling/v1/videos/text2video", body);
    expect([refused.status, refused.read["code"], refused.paid]).toEqual([status, code, 0]);
    expect(refused.read["error"]).toMatchObject({ param });
  }
  expect((await fetch(`${site.app.url}/kling/v1/videos/text2video/1`)).status).toBe(401);
  expect((await site.get("/kling/v1/videos/lip-sync", ada)).status).toBe(404);
});

test("Jimeng's form goes to Jimeng, is polled by the key it was sent with, and its address is taken anew for each viewer", async () => {
  const made = await ask(SUBMIT, { req_key: "jimeng_v30", prompt: "x", image_urls: [IMAGE], frames: 241, seed: -1 });
  expect(made.read).toMatchObject({ code: 10_000, message: "Success", data: { task_id: expect.any(String) } });
  expect(made.paid).toBe(10 * SECOND);
  expect(jimeng.requests.at(-1)?.fields).toMatchObject({ req_key: "jimeng_i2v_first_v30", frames: 241, seed: -1 });
  const { task_id: id } = made.read["data"] as { task_id: string };
  const state = () => ask(RESULT_OF, { req_key: "jimeng_v30", task_id: id });
  expect((await state()).read).toMatchObject({ code: 10_000, data: { status: "in_queue" } });
  jimeng.finish(id, { url: `${jimeng.url}${FILM_PATH}` });
  await site.poll();
  expect(jimeng.requests.at(-1)?.fields).toEqual({ req_key: "jimeng_i2v_first_v30", task_id: id });
  const done = (await state()).read["data"] as { status: string; video_url: string };
  expect(done.status).toBe("done");
  expect(done.video_url).toContain("/content?sign=");
  const polled = jimeng.requests.length;
  const film = await fetch(done.video_url);
  expect(Buffer.from(await film.arrayBuffer()).equals(VIDEO_BYTES)).toBe(true);
  expect(jimeng.requests.slice(polled).map(({ path }) => path.split("&")[0])).toEqual([
    "/?Action=CVSync2AsyncGetResult",
    FILM_PATH,
  ]);
  const stranger = await site.person();
  expect(await ask(RESULT_OF, { req_key: "jimeng_v30", task_id: id }, stranger)).toMatchObject({ status: 404 });
});

test("Jimeng's form names a model of another vendor, and says a failure in Jimeng's words", async () => {
  const made = await ask(SUBMIT, { req_key: "kling-v1", prompt: "x", aspect_ratio: "16:9" });
  expect(kling.requests.at(-1)?.fields).toEqual({
    model_name: "kling-v1",
    prompt: "x",
    duration: "5",
    aspect_ratio: "16:9",
  });
  const { task_id: id } = made.read["data"] as { task_id: string };
  kling.finish(id, { reason: "risk control" });
  await site.poll();
  const state = await ask(RESULT_OF, { req_key: "kling-v1", task_id: id });
  expect(state.read).toMatchObject({ code: 50_500, message: "risk control", data: null });
  expect(state.paid).toBe(0);
  const refused = await ask(SUBMIT, { req_key: "jimeng_t2v_v30", prompt: "x", frames: 122 });
  expect([refused.status, refused.read["code"], refused.paid]).toEqual([400, 50_200, 0]);
  expect((await ask("/jimeng?Action=Other", {})).status).toBe(404);
});
