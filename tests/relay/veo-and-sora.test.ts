/** Videos of Google's Veo on Vertex AI, as bytes and in a bucket, and of services with OpenAI's API, in the common form. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FILM_BYTES, type FakeFilms } from "../fake-upstream/tasks/film-server.ts";
import { startFakeVeo } from "../fake-upstream/tasks/vertex-videos.ts";
import { type FakeVideos, VIDEO_BYTES, VIDEO_KEY, startFakeVideos } from "../fake-upstream/tasks/video-api.ts";
import { accountKey } from "../support/providers/google-account.ts";
import { type FilmCalls, bytesAt, filmCalls } from "../support/tasks/film-calls.ts";
import { type TaskPerson, type TaskSite, startTaskSite } from "../support/tasks/task-site.ts";

const FIRST = "https://pictures.example/first.png";

let veo: FakeFilms;
let sora: FakeVideos;
let site: TaskSite;
let ada: TaskPerson;
let calls: FilmCalls;

beforeAll(async () => {
  [veo, sora] = await Promise.all([startFakeVeo(), startFakeVideos()]);
  const google = { type: 41, url: veo.url, key: accountKey(), other: "us-central1" };
  const bucket = { operations: [{ mode: "set", path: "parameters.storageUri", value: "gs://films/out" }] };
  site = await startTaskSite([
    { ...google, models: ["veo-3.1-fast-generate-001"] },
    { ...google, models: ["veo-3.1-generate-001"], override: JSON.stringify(bucket) },
    { type: 55, url: sora.url, key: VIDEO_KEY, models: ["sora-2"] },
    { type: 60, url: `${sora.url}/v1`, key: VIDEO_KEY, models: ["sora-2-pro"] },
  ]);
  await site.option("ServerAddress", site.app.url);
  ada = await site.person({ quota: 100_000_000, tokenQuota: 50_000_000 });
  calls = filmCalls(site, ada);
});
afterAll(async () => {
  await site.audited();
  await site.close();
  await Promise.all([veo, sora].map((each) => each.close()));
});

describe("Veo on Vertex AI", () => {
  const model = "veo-3.1-fast-generate-001";
  const at = `/v1/projects/my-project/locations/us-central1/publishers/google/models/${model}`;
  const picture = `data:image/png;base64,${Buffer.alloc(60, 1).toString("base64")}`;

  test("is asked for an operation with the account's token, polled by its name, and its bytes are fetched once more for their owner", async () => {
    const asked = { model, prompt: "a fox", image: picture, resolution: "1080p", aspect_ratio: "9:16", duration: 8 };
    const { id, usd, path, fields } = await calls.made(veo, asked);
    expect(usd).toBeCloseTo(8 * 1.2 * 0.1, 5);
    expect([path, fields]).toEqual([
      `${at}:predictLongRunning`,
      {
        instances: [{ prompt: "a fox", image: { mimeType: "image/png", bytesBase64Encoded: picture.split(",")[1] } }],
        parameters: { durationSeconds: 8, resolution: "1080p", aspectRatio: "9:16", generateAudio: true },
      },
    ]);
    await site.poll();
    expect(veo.requests.at(-1)).toMatchObject({ path: `${at}:fetchPredictOperation`, fields: { operationName: id } });
    const bytesBase64Encoded = FILM_BYTES.toString("base64");
    veo.change(id, { done: true, response: { videos: [{ bytesBase64Encoded, mimeType: "video/mp4" }] } });
    await site.poll();
    const row = (await site.tasks()).find(({ task_id }) => task_id === id);
    expect([row?.status, row?.data, row?.result_url]).toEqual(["SUCCESS", '{"mimeType":"video/mp4"}', ""]);
    const { url } = await calls.film(id);
    for (const bytes of [await bytesAt(url), await calls.content(id)]) expect(bytes.equals(FILM_BYTES)).toBe(true);
  });

  test("into the bucket that its channel names is read from there with the account's token", async () => {
    const { id, fields } = await calls.made(veo, { model: "veo-3.1-generate-001", prompt: "a fox", duration: 4 });
    expect(fields).toMatchObject({ parameters: { storageUri: "gs://films/out", durationSeconds: 4 } });
    veo.change(id, {
      done: true,
      response: { videos: [{ gcsUri: "gs://films/out/1/sample_0.mp4", mimeType: "video/mp4" }] },
    });
    await site.poll();
    expect((await calls.content(id)).equals(FILM_BYTES)).toBe(true);
    expect(veo.requests.at(-1)?.path).toBe("/storage/v1/b/films/o/out%2F1%2Fsample_0.mp4?alt=media");
  });

  test("that a filter keeps back goes back with its reason", async () => {
    const { id, usd } = await calls.made(veo, { model, prompt: "x" });
    veo.change(id, { done: true, response: { raiMediaFilteredCount: 1, raiMediaFilteredReasons: ["blocked"] } });
    expect(await calls.spentBy(() => site.poll())).toBeCloseTo(-usd, 5);
    expect(await calls.film(id)).toMatchObject({ status: "failed", error: { message: "blocked" } });
  });

  test.each([
    [
      "metadata.parameters.storageUri",
      { metadata: { parameters: { storageUri: "gs://callers/own" } } },
      "unsupported_field",
    ],
    ["image", { image: FIRST }, "unsupported_field"],
    ["n", { n: 2 }, "unsupported_field"],
    ["mode", { mode: "pro" }, "unsupported_field"],
  ])("that it cannot make is refused by '%s'", async (param, more, code) => {
    expect(await calls.refused(veo, { model, prompt: "a fox", ...more })).toMatchObject({ code, param });
  });
});

describe("Another gateway of the API family", () => {
  test("is asked for a video, polled and read as OpenAI is, and charged by length and size", async () => {
    const asked = { model: "sora-2-pro", prompt: "a fox", duration: 4, size: "1280x720" };
    const { id, usd, path, fields } = await calls.made(sora, asked);
    expect(usd).toBeCloseTo(4 * 0.3, 5);
    expect([path, fields]).toEqual([
      "/v1/videos",
      { model: "sora-2-pro", prompt: "a fox", seconds: "4", size: "1280x720" },
    ]);
    sora.finish(id, { status: "completed", progress: 100 });
    await site.poll();
    expect(await calls.film(id)).toMatchObject({ status: "completed" });
    expect((await calls.content(id)).equals(VIDEO_BYTES)).toBe(true);
  });
});

describe("Sora", () => {
  test("of a service with OpenAI's API is asked for in the common form, and read in OpenAI's too", async () => {
    const asked = { model: "sora-2", prompt: "a fox", duration: 8, size: "1280x720" };
    const { id, usd, path, fields } = await calls.made(sora, asked);
    expect(usd).toBeCloseTo(0.8, 5);
    expect([path, fields]).toEqual([
      "/v1/videos",
      { model: "sora-2", prompt: "a fox", seconds: "8", size: "1280x720" },
    ]);
    sora.finish(id, { status: "completed", progress: 100 });
    await site.poll();
    expect(await calls.film(id)).toMatchObject({ status: "completed", metadata: { duration: 8, size: "1280x720" } });
    expect(await (await site.get(`/v1/videos/${id}`, ada)).json()).toMatchObject({ object: "video", seconds: "8" });
    expect((await calls.content(id)).equals(VIDEO_BYTES)).toBe(true);
  });
});
