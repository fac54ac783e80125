/** Videos in the common form at Kling, Jimeng and Vidu: each vendor's request, holds and charges, results, failures and refusals. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { JIMENG_KEY, startFakeJimeng } from "../fake-upstream/tasks/jimeng-api.ts";
import { KLING_KEY, startFakeKling } from "../fake-upstream/tasks/kling-api.ts";
import { type GivenAnswer, type JsonServer, startJsonServer } from "../fake-upstream/tasks/json-server.ts";
import { FILM, FILM_PATH, VIDEO_BYTES, VIDEO_KEY, startFakeVideos } from "../fake-upstream/tasks/video-api.ts";
import { VIDU_KEY, startFakeVidu } from "../fake-upstream/tasks/vidu-api.ts";
import { type TaskPerson, type TaskSite, startTaskSite } from "../support/tasks/task-site.ts";

/** USD 0.02 for a listed second of each model. */
const SECOND = 10_000;
const IMAGE = "https://images.example/first.png";
const TAIL = "https://images.example/last.png";
const DATA = `data:image/png;base64,${"iVBORw0KGgo".padEnd(80, "A")}`;

type FakeVendor = JsonServer & {
  next: GivenAnswer | undefined;
  finish(id: string, how: { url: string } | { reason: string }): void;
};

let fakes: Readonly<Record<string, FakeVendor>>;
let openai: Awaited<ReturnType<typeof startFakeVideos>>;
let files: JsonServer;
let site: TaskSite;
let ada: TaskPerson;

const MODELS = {
  kling: ["kling-v1", "kling-v1-6", "kling-v2-6", "kling-v3"],
  jimeng: ["jimeng_v30", "jimeng_v30_pro"],
  vidu: ["viduq3-pro", "viduq2-turbo", "vidu2.0"],
} as const;

beforeAll(async () => {
  const [kling, jimeng, vidu] = await Promise.all([startFakeKling(), startFakeJimeng(), startFakeVidu()]);
  fakes = { kling, jimeng, vidu };
  openai = await startFakeVideos();
  files = await startJsonServer(() => FILM);
  site = await startTaskSite([
    { type: 50, url: kling.url, key: KLING_KEY, models: MODELS.kling },
    { type: 51, url: jimeng.url, key: JIMENG_KEY, models: MODELS.jimeng },
    { type: 52, url: vidu.url, key: VIDU_KEY, models: MODELS.vidu },
    { type: 1, url: openai.url, key: VIDEO_KEY, models: ["sora-2"] },
    { type: 24, url: openai.url, key: VIDEO_KEY, models: ["veo-3.0-generate-001"] },
  ]);
  const prices = Object.fromEntries(Object.values(MODELS).flatMap((models) => models.map((model) => [model, 0.02])));
  await site.option("ModelPrice", JSON.stringify({ ...prices, "sora-2": 0.1, "veo-3.0-generate-001": 0.4 }));
  await site.option("ServerAddress", site.app.url);
  await site.app.foundation.snapshot.refresh();
  ada = await site.person({ quota: 100_000_000, tokenQuota: 50_000_000 });
});
afterAll(async () => {
  await site.audited();
  await site.close();
  await Promise.all([...Object.values(fakes), openai, files].map((each) => each.close()));
});

const PATH = "/v1/video/generations";

/** The answer to a submission, with what it cost and what the vendor was sent. */
async function submit(vendor: string, body: object, person = ada) {
  const before = await site.left(person);
  const fake = fakes[vendor] ?? openai;
  const seen = fake.requests.length;
  const answer = await site.post(PATH, person, body);
  const after = await site.left(person);
  expect(after.token - before.token).toBe(after.quota - before.quota);
  const sent = fake.requests.slice(seen).find(({ method }) => method === "POST");
  const read = (await answer.json()) as Record<string, unknown> & { error?: { code: string; param: string } };
  return { status: answer.status, read, id: String(read["task_id"]), paid: before.quota - after.quota, sent };
}

const stateOf = async (id: string, person = ada) =>
  (await (await site.get(`${PATH}/${encodeURIComponent(id)}`, person)).json()) as Record<string, unknown>;

/** A wish, where it goes at the vendor, what is sent there, and the listed seconds that it costs. */
type Case = readonly [vendor: string, wish: object, path: string, sent: object, seconds: number];

const CASES: readonly Case[] = [
  [
    "kling",
    { model: "kling-v1", prompt: "a cat" },
    "/v1/videos/text2video",
    { model_name: "kling-v1", prompt: "a cat" },
    5,
  ],
  [
    "kling",
    { model: "kling-v1-6", prompt: "x", image: IMAGE, image_tail: DATA, duration: 10, mode: "pro" },
    "/v1/videos/image2video",
    {
      model_name: "kling-v1-6",
      prompt: "x",
      image: IMAGE,
      image_tail: DATA.split(",")[1],
      duration: "10",
      mode: "pro",
    },
    17.5,
  ],
  [
    "kling",
    { model: "kling-v3", prompt: "x", duration: 3, size: "1920x1080", sound: true, negative_prompt: "rain" },
    "/v1/videos/text2video",
    {
      model_name: "kling-v3",
      prompt: "x",
      negative_prompt: "rain",
      duration: "3",
      mode: "pro",
      aspect_ratio: "16:9",
      sound: "on",
    },
    6,
  ],
  [
    "jimeng",
    { model: "jimeng_v30", prompt: "x", duration: 10, aspect_ratio: "9:16", seed: 7 },
    "/?Action=CVSync2AsyncSubmitTask&Version=2022-08-31",
    { req_key: "jimeng_t2v_v30", prompt: "x", seed: 7, frames: 241, aspect_ratio: "9:16" },
    10,
  ],
  [
    "jimeng",
    { model: "jimeng_v30", prompt: "x", images: [IMAGE, TAIL] },
    "/?Action=CVSync2AsyncSubmitTask&Version=2022-08-31",
    { req_key: "jimeng_i2v_first_tail_v30", prompt: "x", image_urls: [IMAGE, TAIL] },
    5,
  ],
  [
    "vidu",
    { model: "viduq3-pro", prompt: "x", duration: 2, resolution: "540p", sound: false },
    "/ent/v2/text2video",
    { model: "viduq3-pro", prompt: "x", duration: 2, resolution: "540p", audio: false },
    0.933,
  ],
  [
    "vidu",
    { model: "vidu2.0", images: [IMAGE, DATA], duration: 8, metadata: { movement_amplitude: "small" } },
    "/ent/v2/start-end2video",
    { model: "vidu2.0", images: [IMAGE, DATA], duration: 8, movement_amplitude: "small" },
    10,
  ],
  [
    "vidu",
    { model: "viduq2-turbo", prompt: "x", reference_images: [IMAGE], width: 1080, height: 1080 },
    "/ent/v2/reference2video",
    { model: "viduq2-turbo", prompt: "x", images: [IMAGE], resolution: "1080p", aspect_ratio: "1:1" },
    10,
  ],
];

test.each(CASES)(
  "%s writes %o in its own words, and charges its seconds",
  async (vendor, wish, path, sent, seconds) => {
    const made = await submit(vendor, wish);
    expect(made.read).toMatchObject({
      object: "video",
      status: "queued",
      progress: 0,
      model: (wish as { model: string }).model,
    });
    expect(made.read["id"]).toBe(made.id);
    expect([made.sent?.path, made.sent?.fields]).toEqual([path, sent]);
    expect(made.paid).toBe(Math.round(seconds * SECOND));
  },
);

describe.each(["kling", "jimeng", "vidu"] as const)("%s", (vendor) => {
  const wish = { model: MODELS[vendor][0], prompt: "a cat" };

  test("a video is polled until it is done, shown with its address, and its bytes pass through here", async () => {
    const { id, paid } = await submit(vendor, wish);
    expect(paid).toBe(5 * SECOND);
    await site.poll();
    expect(await stateOf(id)).toMatchObject({ task_id: id, status: "queued", url: "", error: null });
    const url = `${fakes[vendor]?.url}${FILM_PATH}`;
    fakes[vendor]?.finish(id, { url });
    await site.poll();
    const done = await stateOf(id);
    expect(done).toMatchObject({
      status: "completed",
      progress: 100,
      format: "mp4",
      metadata: { duration: 5 },
      error: null,
    });
    // Addresses that die within the hour are not given away.
    const shown = String(done["url"]);
    if (vendor === "jimeng") expect(shown).toContain(`/v1/videos/${id}/content?sign=`);
    else expect(shown).toBe(url);
    expect(Buffer.from(await (await fetch(shown)).arrayBuffer()).equals(VIDEO_BYTES)).toBe(true);
    const passed = await site.get(`/v1/videos/${id}/content`, ada);
    expect(Buffer.from(await passed.arrayBuffer()).equals(VIDEO_BYTES)).toBe(true);
    // An address elsewhere is fetched if it is public, whatever channels may reach; nothing is given away for one that is not.
    const { kysely } = site.app.foundation.database;
    for (const result_url of [`${files.url}/other.mp4`, "file:///etc/passwd", "nonsense"]) {
      fakes[vendor]?.finish(id, { url: result_url });
      await kysely.updateTable("tasks").set({ result_url }).where("task_id", "=", id).execute();
      expect((await site.get(`/v1/videos/${id}/content`, ada)).status).toBe(502);
    }
    expect(files.requests).toEqual([]);
    expect((await site.get(`${PATH}/${id}`, await site.person())).status).toBe(404);
    expect(await (await site.get(`/v1/videos/${id}`, ada)).json()).toMatchObject({ status: "completed", seconds: "5" });
    expect((await site.tasks()).find(({ task_id }) => task_id === id)?.properties).toContain(`"format":"${vendor}"`);
  });

  test("one that fails is given back once, with the vendor's reason", async () => {
    const { id } = await submit(vendor, wish);
    const before = await site.left(ada);
    fakes[vendor]?.finish(id, { reason: "risk control" });
    await Promise.all([site.poll(), site.poll()]);
    await site.poll();
    expect((await site.left(ada)).quota - before.quota).toBe(5 * SECOND);
    expect(await stateOf(id)).toMatchObject({ status: "failed", url: "", error: { message: "risk control" } });
  });

  test("what the vendor refuses costs nothing", async () => {
    const fake = fakes[vendor];
    if (fake === undefined) throw new Error("no such fake");
    fake.next = { status: 400, body: { code: 1201, message: "the prompt is too long" } };
    const refused = await submit(vendor, wish);
    expect(refused).toMatchObject({ status: 400, paid: 0 });
    expect(JSON.stringify(refused.read)).toContain("the prompt is too long");
    expect((await site.tasks()).at(-1)).toMatchObject({ status: "FAILURE", charge: "uncharged" });
  });

  test("a balance below the whole price reaches no vendor", async () => {
    const poor = await site.person({ quota: 5 * SECOND - 1, tokenQuota: 50_000_000 });
    expect(await submit(vendor, wish, poor)).toMatchObject({ status: 403, paid: 0, sent: undefined });
  });
});

const BAD: readonly (readonly [wish: object, param: string])[] = [
  [{ model: "kling-v1", duration: 7 }, "duration"],
  [{ model: "kling-v1", seconds: 5 }, "seconds"],
  [{ model: "kling-v1", Duration: 5 }, "Duration"],
  [{ model: "kling-v1", seed: 1 }, "seed"],
  [{ model: "kling-v1", sound: true, mode: "4k" }, "mode"],
  [{ model: "kling-v1", resolution: "480p" }, "resolution"],
  [{ model: "kling-v1", resolution: "720p", mode: "pro" }, "mode"],
  [{ model: "kling-v1", reference_images: [IMAGE] }, "reference_images"],
  [{ model: "kling-v1", image: "nonsense" }, "image"],
  [{ model: "kling-v1", size: "big" }, "size"],
  [{ model: "kling-v1", fps: 60 }, "fps"],
  [{ model: "kling-v1", metadata: { model_name: "kling-v3" } }, "metadata.model_name"],
  [{ model: "kling-v1", metadata: { Mode: "pro" } }, "Mode"],
  [{ model: "kling-v1", metadata: { multi_shot: true } }, "multi_shot"],
  [{ model: "kling-v1", metadata: { callback_url: "http://10.0.0.1/" } }, "callback_url"],
  [{ model: "jimeng_v30", duration: 6 }, "frames"],
  [{ model: "jimeng_v30", negative_prompt: "rain" }, "negative_prompt"],
  [{ model: "jimeng_v30_pro", images: [IMAGE, TAIL] }, "image_tail"],
  [{ model: "viduq3-pro", duration: 17 }, "duration"],
  [{ model: "viduq2-turbo", sound: true }, "sound"],
  [{ model: "vidu2.0", duration: 8, resolution: "1080p" }, "resolution"],
  [{ model: "viduq3-pro", metadata: { is_rec: true } }, "is_rec"],
];

test.each(BAD)("%o is refused by the name of the field, and no vendor is asked", async (wish, param) => {
  const counts = () => Object.values(fakes).reduce((sum, { requests }) => sum + requests.length, 0);
  const before = counts();
  const refused = await submit("kling", { prompt: "x", ...wish });
  expect([refused.status, refused.read.error?.param, refused.paid, counts() - before]).toEqual([400, param, 0, 0]);
});

test("a rule of the channel that makes it longer is charged by what is sent, and metadata by what it changes", async () => {
  const [id] = site.channelIds;
  const operations = [{ mode: "set", path: "duration", value: "10" }];
  await site.root.put("/api/channel", { id, param_override: JSON.stringify({ operations }) });
  await site.app.foundation.snapshot.refresh();
  expect((await submit("kling", { model: "kling-v1", prompt: "x" })).paid).toBe(10 * SECOND);
  await site.root.put("/api/channel", { id, param_override: JSON.stringify({ mode: "pro" }) });
  await site.app.foundation.snapshot.refresh();
  expect((await submit("kling", { model: "kling-v1", prompt: "x" })).paid).toBe(17.5 * SECOND);
  await site.root.put("/api/channel", { id, param_override: "" });
  await site.app.foundation.snapshot.refresh();
  expect((await submit("kling", { model: "kling-v1", prompt: "x", metadata: { mode: "pro" } })).paid).toBe(
    17.5 * SECOND,
  );
});

test("the common form reaches OpenAI's API and Gemini's, and OpenAI's form reaches other vendors, also with a file", async () => {
  const sora = await submit("", { model: "sora-2", prompt: "x", duration: 8, size: "1280x720" });
  expect(sora.sent?.fields).toEqual({ model: "sora-2", prompt: "x", seconds: "8", size: "1280x720" });
  expect(sora.paid).toBe(8 * 50_000);
  openai.finish(sora.id, { status: "completed", progress: 100 });
  const veo = await submit("", {
    model: "veo-3.0-generate-001",
    prompt: "x",
    duration: 4,
    aspect_ratio: "16:9",
    image: DATA,
  });
  expect(veo.sent?.fields).toEqual({
    instances: [{ prompt: "x", image: { bytesBase64Encoded: DATA.split(",")[1], mimeType: "image/png" } }],
    parameters: { durationSeconds: 4, aspectRatio: "16:9" },
  });
  expect(veo.paid).toBe(4 * 200_000);
  await site.poll();
  expect(await stateOf(sora.id)).toMatchObject({ status: "completed", url: expect.stringContaining("/content?sign=") });
  expect(await stateOf(veo.id)).toMatchObject({ status: "in_progress", task_id: veo.id });

  const form = new FormData();
  for (const [name, value] of [
    ["model", "kling-v1"],
    ["prompt", "x"],
    ["seconds", "10"],
  ] as const)
    form.set(name, value);
  form.set("input_reference", new Blob([Buffer.from("89504e470d0a1a0a", "hex")], { type: "image/png" }), "a.png");
  const asForm = await fetch(`${site.app.url}/v1/videos`, { method: "POST", headers: ada.headers, body: form });
  expect(await asForm.json()).toMatchObject({ object: "video", status: "queued", model: "kling-v1", seconds: "10" });
  expect(fakes["kling"]?.requests.findLast(({ method }) => method === "POST")?.fields).toEqual({
    model_name: "kling-v1",
    prompt: "x",
    duration: "10",
    image: "iVBORw0KGgo=",
  });
});
