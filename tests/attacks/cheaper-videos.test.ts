/** Attack: get longer or more videos, drawings and songs than are charged, by fields that the upstream reads in another spelling. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeVideos, VIDEO_KEY, startFakeVideos } from "../fake-upstream/tasks/video-api.ts";
import { type TaskPerson, type TaskSite, startTaskSite } from "../support/tasks/task-site.ts";

const VEO = "veo-3.1-generate-preview";
/** USD 0.40 a second. */
const VEO_SECOND = 200_000;
let videos: FakeVideos;
let site: TaskSite;
let eve: TaskPerson;

beforeAll(async () => {
  videos = await startFakeVideos();
  const at = { url: videos.url, key: VIDEO_KEY };
  site = await startTaskSite([
    { ...at, type: 1, models: ["sora-2"] },
    { ...at, type: 24, models: [VEO] },
    { ...at, type: 2, models: ["mj_imagine", "mj_upscale", "mj_reroll", "mj_variation"] },
    { ...at, type: 36, models: ["suno_music"] },
  ]);
  eve = await site.person({ quota: 100_000_000 });
});
afterAll(async () => {
  await site.audited();
  await site.close();
  await videos.close();
});

/** What the attacker paid, and what the upstream was asked. */
async function attack(path: string, body: unknown) {
  const before = await site.left(eve);
  const seen = videos.requests.length;
  const answer = await site.post(path, eve, body);
  const { quota } = await site.left(eve);
  return {
    status: answer.status,
    text: await answer.text(),
    paid: before.quota - quota,
    asked: videos.requests.length - seen,
  };
}

const sora = (more: object) => ["/v1/videos", { model: "sora-2", prompt: "x", seconds: "4", ...more }] as const;
const veo = (parameters: object, instances: readonly object[] = [{ prompt: "x" }]) =>
  [`/v1beta/models/${VEO}:predictLongRunning`, { instances, parameters }] as const;

describe("a field that another reader would take for a charged one is refused by name, and the upstream is not asked", () => {
  test.each([
    [...sora({ Seconds: "12" }), "Seconds"],
    [...sora({ SECONDS: "12" }), "SECONDS"],
    [...sora({ duration: 12 }), "duration"],
    [...sora({ duration_seconds: 12 }), "duration_seconds"],
    [...sora({ n: 4 }), "n"],
    [...sora({ Size: "1792x1024" }), "Size"],
    [...sora({ seconds: "0x4" }), "seconds"],
    [...veo({ duration_seconds: 60 }), "duration_seconds"],
    [...veo({ DurationSeconds: 60 }), "DurationSeconds"],
    [...veo({ sample_count: 4 }), "sample_count"],
    [...veo({ number_of_videos: 4 }), "number_of_videos"],
    [...veo({ sampleCount: 1, numberOfVideos: 4 }), "sampleCount"],
    [...veo({ Resolution: "4k" }), "Resolution"],
    [...veo({}, [{ prompt: "x", durationSeconds: 60 }]), "durationSeconds"],
    [...veo({ sampleCount: 4 }, [{ prompt: "x" }, { prompt: "y" }]), "instances"],
    [
      `/v1beta/models/${VEO}:predictLongRunning`,
      { instances: [{ prompt: "x" }], Parameters: { sampleCount: 4 } },
      "Parameters",
    ],
    ["/mj/submit/change", { action: "REROLL", Action: "UPSCALE", taskId: "1" }, "Action"],
    ["/mj/submit/imagine", { prompt: "x", AccountFilter: { modes: ["TURBO"] } }, "AccountFilter"],
    ["/mj/submit/imagine", { prompt: "x", notifyhook: "http://10.0.0.1" }, "notifyhook"],
    ["/suno/submit/music", { prompt: "x", Continue_Clip_Id: "c1" }, "Continue_Clip_Id"],
  ] as const)("%s %o", async (path, body, field) => {
    const result = await attack(path, body);
    expect(result).toMatchObject({ status: 400, paid: 0, asked: 0 });
    expect(result.text).toContain(`'${field}'`);
  });
});

test("each instance of a request is charged, and a size in capitals costs what the size costs", async () => {
  const two = await attack(...veo({ durationSeconds: 4, sampleCount: 2 }, [{ prompt: "x" }, { prompt: "y" }]));
  expect(two).toMatchObject({ status: 200, paid: 2 * 2 * 4 * VEO_SECOND, asked: 1 });
});
