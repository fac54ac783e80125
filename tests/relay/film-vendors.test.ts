/** Videos of Seedance, Hailuo and Wan in the common form: the request to each vendor, its price, and its end. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ARK_KEY, startFakeArk } from "../fake-upstream/tasks/ark-videos.ts";
import { FILM_BYTES, type FakeFilms } from "../fake-upstream/tasks/film-server.ts";
import { HAILUO_KEY, startFakeHailuo } from "../fake-upstream/tasks/hailuo.ts";
import { WAN_KEY, startFakeWan } from "../fake-upstream/tasks/wan.ts";
import { type FilmCalls, bytesAt, filmCalls } from "../support/tasks/film-calls.ts";
import { type TaskSite, startTaskSite } from "../support/tasks/task-site.ts";

const FIRST = "https://pictures.example/first.png";
const LAST = "https://pictures.example/last.png";

let ark: FakeFilms;
let hailuo: FakeFilms;
let wan: FakeFilms;
let site: TaskSite;
let calls: FilmCalls;

beforeAll(async () => {
  [ark, hailuo, wan] = await Promise.all([startFakeArk(), startFakeHailuo(), startFakeWan()]);
  const seedance = ["doubao-seedance-2-0-260128", "doubao-seedance-1-5-pro-251215"];
  site = await startTaskSite([
    { type: 54, url: ark.url, key: ARK_KEY, models: seedance },
    { type: 45, url: `${ark.url}/api/v3`, key: ARK_KEY, models: ["doubao-seedance-1-0-pro-250528"] },
    { type: 35, url: hailuo.url, key: HAILUO_KEY, models: ["MiniMax-Hailuo-2.3", "MiniMax-Hailuo-02", "MiniMax-H3"] },
    {
      type: 17,
      url: wan.url,
      key: WAN_KEY,
      models: ["wan2.7-i2v", "wan2.6-t2v", "wan2.6-i2v-flash", "wan2.2-kf2v-flash"],
    },
  ]);
  await site.option("ServerAddress", site.app.url);
  calls = filmCalls(site, await site.person({ quota: 100_000_000, tokenQuota: 50_000_000 }));
});
afterAll(async () => {
  await site.audited();
  await site.close();
  await Promise.all([ark, hailuo, wan].map((each) => each.close()));
});

describe("Seedance", () => {
  const model = "doubao-seedance-2-0-260128";

  test("is asked for a film by content with roles, and charged by its seconds and lines", async () => {
    const asked = {
      model,
      prompt: "a fox",
      images: [FIRST, LAST],
      resolution: "1080p",
      duration: 6,
      seed: 7,
      sound: false,
    };
    const { id, usd, path, fields } = await calls.made(ark, asked);
    expect(usd).toBeCloseTo(6 * 2.5 * 0.144, 5);
    expect([path, fields]).toEqual([
      "/api/v3/contents/generations/tasks",
      {
        model,
        content: [
          { type: "text", text: "a fox" },
          { type: "image_url", image_url: { url: FIRST }, role: "first_frame" },
          { type: "image_url", image_url: { url: LAST }, role: "last_frame" },
        ],
        resolution: "1080p",
        duration: 6,
        seed: 7,
        generate_audio: false,
      },
    ]);
    ark.change(id, { status: "running" });
    await site.poll();
    expect(await calls.film(id)).toMatchObject({ status: "in_progress", url: "" });
    const video_url = ark.fileOf(id);
    ark.change(id, { status: "succeeded", content: { video_url }, usage: { completion_tokens: 294_000 } });
    await site.poll();
    expect(await calls.film(id)).toMatchObject({
      status: "completed",
      url: video_url,
      metadata: { duration: 6, size: "1080p" },
    });
    expect((await calls.content(id)).equals(FILM_BYTES)).toBe(true);
  });

  test("of Ark's own channel type is the same, with the lines that the vendor takes where none are named", async () => {
    const { usd, path, fields } = await calls.made(ark, {
      model: "doubao-seedance-1-0-pro-250528",
      prompt: "x",
      size: "1920x1080",
    });
    expect(usd).toBeCloseTo(5 * 2.38 * 0.045, 5);
    expect([path, fields]).toMatchObject([
      "/api/v3/contents/generations/tasks",
      { resolution: "1080p", ratio: "16:9", duration: 5 },
    ]);
  });

  test("costs half without sound in 1.5, and goes back where it fails", async () => {
    const { id, usd } = await calls.made(ark, {
      model: "doubao-seedance-1-5-pro-251215",
      prompt: "x",
      duration: 4,
      sound: false,
    });
    expect(usd).toBeCloseTo(4 * 0.5 * 0.05, 5);
    const error = { code: "OutputVideoSensitiveContentDetected", message: "sensitive" };
    ark.change(id, { status: "failed", error });
    expect(await calls.spentBy(() => Promise.all([site.poll(), site.poll()]))).toBeCloseTo(-usd, 5);
    expect(await calls.film(id)).toMatchObject({ status: "failed", error: { message: "sensitive" } });
  });

  test.each([
    ["duration", { duration: 3 }, "invalid_value"],
    ["duration", { duration: 16 }, "invalid_value"],
    ["resolution", { resolution: "8k" }, "invalid_value"],
    ["size", { size: "1000x720" }, "invalid_value"],
    ["n", { n: 2 }, "unsupported_field"],
    ["negative_prompt", { negative_prompt: "rain" }, "unsupported_field"],
    ["prompt", { prompt: "a fox --dur 15" }, "ambiguous_field"],
    ["frames", { metadata: { frames: 289 } }, "unknown_field"],
    ["callback_url", { metadata: { callback_url: "https://caller.example" } }, "unknown_field"],
    ["content", { metadata: { content: [{ type: "video_url", video_url: { url: FIRST } }] } }, "unsupported_field"],
  ])("that it cannot make, or that would cost more than is charged, is refused by '%s'", async (param, more, code) => {
    expect(await calls.refused(ark, { model, prompt: "a fox", ...more })).toMatchObject({ code, param });
  });
});

describe("Hailuo", () => {
  const model = "MiniMax-Hailuo-02";

  test("is asked for a film between two frames, at the price of its lines and length, and its file is asked for when it is fetched", async () => {
    const { id, usd, path, fields } = await calls.made(hailuo, {
      model,
      prompt: "a fox",
      images: [FIRST, LAST],
      duration: 10,
    });
    expect(usd).toBeCloseTo(12 * 0.0467, 5);
    expect([path, fields]).toEqual([
      "/v1/video_generation",
      {
        model,
        prompt: "a fox",
        first_frame_image: FIRST,
        last_frame_image: LAST,
        duration: 10,
        resolution: "768P",
      },
    ]);
    hailuo.change(id, { status: "Processing" });
    await site.poll();
    expect(await calls.film(id)).toMatchObject({ status: "in_progress" });
    hailuo.change(id, { status: "Success", file_id: "176844028768320", video_width: 1366, video_height: 768 });
    await site.poll();
    const { url } = await calls.film(id);
    expect(url.startsWith(`${site.app.url}/v1/videos/${id}/content?sign=`)).toBe(true);
    for (const bytes of [await bytesAt(url), await calls.content(id)]) expect(bytes.equals(FILM_BYTES)).toBe(true);
    expect(hailuo.requests.filter((each) => each.path.startsWith("/v1/files/retrieve"))).toHaveLength(2);
  });

  test("H3 has an API of its own, and its seconds", async () => {
    const { id, usd, path, fields } = await calls.made(hailuo, {
      model: "MiniMax-H3",
      prompt: "x",
      resolution: "2K",
      duration: 4,
    });
    expect(usd).toBeCloseTo(4 * 0.13, 5);
    expect([path, fields]).toEqual([
      "/v2/video_generation",
      { model: "MiniMax-H3", content: [{ type: "text", text: "x" }], resolution: "2K", duration: 4, ratio: "16:9" },
    ]);
    hailuo.change(id, { status: "succeeded", content: { url: hailuo.fileOf(id) } });
    await site.poll();
    expect(await calls.film(id)).toMatchObject({ status: "completed", metadata: { duration: 4, size: "16:9 2k" } });
    expect((await calls.content(id)).equals(FILM_BYTES)).toBe(true);
  });

  test("that fails goes back, and what it does not take costs nothing although it answers with 200", async () => {
    const { id, usd } = await calls.made(hailuo, { model, prompt: "x", resolution: "512p", image: FIRST });
    expect(usd).toBeCloseTo(2.143 * 0.0467, 5);
    hailuo.change(id, { status: "Fail", base_resp: { status_code: 1027, status_msg: "video sensitive" } });
    expect(await calls.spentBy(() => site.poll())).toBeCloseTo(-usd, 5);
    expect(await calls.film(id)).toMatchObject({ status: "failed" });
    hailuo.next = { body: { task_id: "", base_resp: { status_code: 1026, status_msg: "input sensitive" } } };
    const nothing = await calls.spentBy(async () => {
      const answer = await calls.ask({ model, prompt: "x" });
      expect([answer.status, await answer.json()]).toMatchObject([
        400,
        { error: { message: expect.stringContaining("input sensitive") } },
      ]);
    });
    expect(nothing).toBe(0);
  });

  test.each([
    ["duration", { duration: 5 }, "invalid_value"],
    ["duration", { duration: 10, resolution: "1080p" }, "invalid_value"],
    ["aspect_ratio", { aspect_ratio: "9:16" }, "unsupported_field"],
    ["size", { size: "1024x768" }, "unsupported_field"],
    ["seed", { seed: 1 }, "unsupported_field"],
    ["reference_images", { reference_images: [FIRST] }, "unsupported_field"],
    ["callback_url", { metadata: { callback_url: "https://caller.example" } }, "unknown_field"],
  ])("that it cannot make is refused by '%s'", async (param, more, code) => {
    expect(await calls.refused(hailuo, { model, prompt: "a fox", ...more })).toMatchObject({ code, param });
  });
});

describe("Wan", () => {
  const model = "wan2.6-t2v";

  test("is asked for a task with a size in pixels, and charged by its seconds and lines", async () => {
    const asked = { model, prompt: "a fox", negative_prompt: "rain", aspect_ratio: "9:16", duration: 10 };
    const { id, usd, path, fields, headers } = await calls.made(wan, {
      ...asked,
      metadata: { parameters: { shot_type: "multi" } },
    });
    expect(usd).toBeCloseTo(10 * 1.5 * 0.1, 5);
    expect([path, headers["x-dashscope-async"], fields]).toEqual([
      "/api/v1/services/aigc/video-generation/video-synthesis",
      "enable",
      {
        model,
        input: { prompt: "a fox", negative_prompt: "rain" },
        parameters: { size: "1080*1920", duration: 10, shot_type: "multi" },
      },
    ]);
    wan.change(id, { task_status: "RUNNING" });
    await site.poll();
    expect(await calls.film(id)).toMatchObject({ status: "in_progress" });
    wan.change(id, { task_status: "SUCCEEDED", video_url: wan.fileOf(id) });
    await site.poll();
    expect(await calls.film(id)).toMatchObject({
      status: "completed",
      url: wan.fileOf(id),
      metadata: { size: "9:16 1080p" },
    });
    expect((await calls.content(id)).equals(FILM_BYTES)).toBe(true);
  });

  test.each([
    [
      "wan2.7-i2v",
      [FIRST, LAST],
      "video-generation",
      5 * 1.5 * 0.1,
      {
        media: [
          { type: "first_frame", url: FIRST },
          { type: "last_frame", url: LAST },
        ],
      },
    ],
    ["wan2.6-i2v-flash", [FIRST], "video-generation", 5 * 1.5 * 0.05, { img_url: FIRST }],
    ["wan2.2-kf2v-flash", [FIRST, LAST], "image2video", 5 * 0.036, { first_frame_url: FIRST, last_frame_url: LAST }],
  ])("%s takes its images in its own way", async (name, images, room, price, input) => {
    const { usd, path, fields } = await calls.made(wan, { model: name, prompt: "x", images });
    expect(usd).toBeCloseTo(price, 5);
    expect([path, fields["input"]]).toEqual([
      `/api/v1/services/aigc/${room}/video-synthesis`,
      { prompt: "x", ...input },
    ]);
  });

  test("that fails goes back with its reason", async () => {
    const { id, usd } = await calls.made(wan, { model, prompt: "x" });
    wan.change(id, { task_status: "FAILED", code: "DataInspectionFailed", message: "inappropriate content" });
    expect(await calls.spentBy(() => site.poll())).toBeCloseTo(-usd, 5);
    expect(await calls.film(id)).toMatchObject({ status: "failed", error: { message: "inappropriate content" } });
  });

  test.each([
    ["duration", { duration: 16 }, "invalid_value"],
    ["resolution", { resolution: "480p" }, "invalid_value"],
    ["image", { image: FIRST }, "unsupported_field"],
    ["sound", { sound: false }, "unsupported_field"],
    ["template", { metadata: { input: { template: "flying" } } }, "unknown_field"],
    ["size", { metadata: { parameters: { size: "4000*4000" } } }, "invalid_value"],
  ])("that it cannot make is refused by '%s'", async (param, more, code) => {
    expect(await calls.refused(wan, { model, prompt: "a fox", ...more })).toMatchObject({ code, param });
  });
});
