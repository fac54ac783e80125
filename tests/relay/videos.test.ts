/** Videos: OpenAI's official library, Gemini's long-running operations, prices by the second, and ownership. */
import { sql } from "kysely";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeVideos, VIDEO_BYTES, VIDEO_KEY, startFakeVideos } from "../fake-upstream/tasks/video-api.ts";
import { videoAddress } from "../../server/src/tasks/result-address.ts";
import { type TaskPerson, type TaskSite, startTaskSite } from "../support/tasks/task-site.ts";

const VEO = "veo-3.0-generate-001";
const VEO_31 = ["veo-3.1-generate-preview", "veo-3.1-fast-generate-preview", "veo-3.1-lite-generate-preview"] as const;
/** USD 0.10 a second. */
const SECOND = 50_000;
let videos: FakeVideos;
let site: TaskSite;
let ada: TaskPerson;
let openai: OpenAI;

beforeAll(async () => {
  videos = await startFakeVideos();
  const at = { url: videos.url, key: VIDEO_KEY };
  site = await startTaskSite([
    { ...at, type: 1, models: ["sora-2", "sora-2-pro"] },
    { ...at, type: 24, models: [VEO, ...VEO_31] },
  ]);
  await site.option("ServerAddress", site.app.url);
  ada = await site.person({ quota: 100_000_000, tokenQuota: 50_000_000 });
  openai = clientOf(ada);
});
afterAll(async () => {
  await site.audited();
  await site.close();
  await videos.close();
});

const clientOf = ({ headers }: TaskPerson): OpenAI =>
  new OpenAI({
    apiKey: headers["authorization"]?.slice("Bearer ".length) ?? "",
    baseURL: `${site.app.url}/v1`,
    maxRetries: 0,
  });

async function spentBy(work: () => Promise<unknown>): Promise<number> {
  const before = await site.left(ada);
  await work();
  const after = await site.left(ada);
  expect(before.token - after.token).toBe(before.quota - after.quota);
  return before.quota - after.quota;
}

test("the official library makes, reads, lists, downloads and deletes a video, charged by its seconds", async () => {
  let id = "";
  const spent = await spentBy(async () => {
    const made = await openai.videos.create({ model: "sora-2", prompt: "a cat", seconds: "8", size: "1280x720" });
    expect(made).toMatchObject({ object: "video", status: "queued", model: "sora-2", seconds: "8" });
    id = made.id;
  });
  expect(spent).toBe(8 * SECOND);
  await expect(openai.videos.delete(id)).rejects.toMatchObject({ status: 409 });
  await expect(openai.videos.downloadContent(id)).rejects.toMatchObject({ status: 400 });
  videos.finish(id, { status: "in_progress", progress: 40 });
  await site.poll();
  expect(await openai.videos.retrieve(id)).toMatchObject({ id, status: "in_progress", progress: 40, prompt: "a cat" });
  videos.finish(id, { status: "completed", progress: 100, completed_at: 1_760_000_100 });
  await site.poll();
  expect(await openai.videos.retrieve(id)).toMatchObject({
    status: "completed",
    completed_at: 1_760_000_100,
    error: null,
  });
  const bytes = await (await openai.videos.downloadContent(id)).arrayBuffer();
  expect(Buffer.from(bytes).equals(VIDEO_BYTES)).toBe(true);
  const second = await openai.videos.create({ prompt: "another" });
  const listed: string[] = [];
  for await (const each of openai.videos.list({ limit: 1 })) listed.push(each.id);
  expect(listed).toEqual([second.id, id]);
  expect(await openai.videos.delete(id)).toMatchObject({ id, deleted: true });
  await expect(openai.videos.retrieve(id)).rejects.toMatchObject({ status: 404 });
});

test("a rule of the channel that makes a video longer is charged by the seconds that are sent, and one that refuses it costs nothing", async () => {
  const [id] = site.channelIds;
  const rules = (...operations: object[]) =>
    site.root.put("/api/channel", { id, param_override: JSON.stringify({ operations }) });
  const make = () => site.post("/v1/videos", ada, { model: "sora-2", prompt: "a cat", seconds: "4" });
  const longer = { mode: "set", path: "seconds", value: "12" };
  const when = { conditions: [{ path: "prompt", mode: "contains", value: "cat" }] };
  await rules({ ...longer, ...when });
  await site.app.foundation.snapshot.refresh();
  const made: unknown[] = [];
  expect(await spentBy(async () => made.push(await (await make()).json()))).toBe(12 * SECOND);
  expect(made).toMatchObject([{ object: "video" }]);
  await rules({ mode: "return_error", value: { message: "no cats", status_code: 403 }, ...when });
  await site.app.foundation.snapshot.refresh();
  expect(await spentBy(async () => expect((await make()).status).toBe(403))).toBe(0);
  await site.root.put("/api/channel", { id, param_override: "" });
  await site.app.foundation.snapshot.refresh();
});

test("sizes of sora-2-pro have prices of their own; as JSON and as a form it is the same; bad lengths are refused", async () => {
  const json = (body: object): Promise<Response> =>
    site.post("/v1/videos", ada, { model: "sora-2-pro", prompt: "x", ...body });
  const cost = (body: object) => spentBy(async () => expect((await json(body)).status).toBe(200));
  expect(await cost({ size: "1280x720", seconds: "4" })).toBe(4 * 3 * SECOND);
  expect(await cost({ size: "1792x1024", seconds: 12 })).toBe(12 * 5 * SECOND);
  expect(await cost({ size: "1920x1080", seconds: "4" })).toBe(4 * 7 * SECOND);
  for (const bad of [{ seconds: "0" }, { seconds: 1.5 }, { seconds: "9999" }, { prompt: "" }])
    expect((await json(bad)).status).toBe(400);
});

test("a video that fails is given back; a stranger finds none of it", async () => {
  const eve = await site.person();
  const { id } = await openai.videos.create({ prompt: "x" });
  const strange = clientOf(eve);
  for (const ask of [
    () => strange.videos.retrieve(id),
    () => strange.videos.downloadContent(id),
    () => strange.videos.delete(id),
  ])
    await expect(ask()).rejects.toMatchObject({ status: 404 });
  expect((await strange.videos.list()).data).toEqual([]);
  const failure = { status: "failed", error: { code: "moderation_blocked", message: "not this" } };
  const back = await spentBy(async () => {
    videos.finish(id, failure);
    await Promise.all([site.poll(), site.poll()]);
  });
  expect(back).toBe(-4 * SECOND);
  expect(await openai.videos.retrieve(id)).toMatchObject({ status: "failed", error: { message: "not this" } });
  videos.next = { status: 400, body: { error: { message: "no", type: "invalid_request_error", code: "bad" } } };
  const nothing = await spentBy(() =>
    expect(openai.videos.create({ prompt: "x" })).rejects.toMatchObject({ status: 400 }),
  );
  expect(nothing).toBe(0);
});

test("Gemini's operations are made, polled and their videos fetched here, at 0.40 USD a second", async () => {
  const path = `/v1beta/models/${VEO}:predictLongRunning`;
  const body = { instances: [{ prompt: "a dog" }], parameters: { durationSeconds: 6, sampleCount: 1 } };
  let name = "";
  const spent = await spentBy(async () => {
    const answer = await site.post(path, ada, body);
    ({ name } = (await answer.json()) as { name: string });
  });
  expect(spent).toBe(6 * 4 * SECOND);
  const operation = async (person = ada): Promise<unknown> => (await site.get(`/v1beta/${name}`, person)).json();
  expect(await operation()).toEqual({ name });
  expect(await operation(await site.person())).toMatchObject({ error: { code: 404 } });
  const uri = `${videos.url}/v1beta/files/f1:download?alt=media`;
  const response = { generateVideoResponse: { generatedSamples: [{ video: { uri } }] } };
  videos.finish(name, { done: true, response });
  await site.poll();
  const done = (await operation()) as { done: boolean; response: typeof response };
  expect(done.done).toBe(true);
  const own = done.response.generateVideoResponse.generatedSamples[0]?.video.uri ?? "";
  expect(own.startsWith(`${site.app.url}/v1/videos/`)).toBe(true);
  const key = { "x-goog-api-key": ada.headers["authorization"]?.slice("Bearer ".length) ?? "" };
  const fetched = await fetch(own, { headers: key });
  expect(Buffer.from(await fetched.arrayBuffer()).equals(VIDEO_BYTES)).toBe(true);
  expect((await fetch(own)).status).toBe(401);
  // A filter that keeps all back is a failure.
  const { name: second } = (await (await site.post(path, ada, body)).json()) as { name: string };
  videos.finish(second, { done: true, response: { generateVideoResponse: { raiMediaFilteredReasons: ["blocked"] } } });
  await site.poll();
  expect((await site.tasks()).at(-1)).toMatchObject({ status: "FAILURE", fail_reason: "blocked", charge: "refunded" });
  // One without a reason is reported as such, in the reader's language.
  const { name: third } = (await (await site.post(path, ada, body)).json()) as { name: string };
  videos.finish(third, { done: true, response: {} });
  await site.poll();
  expect((await site.tasks()).at(-1)).toMatchObject({ fail_reason: "", fail_code: "unexplained", charge: "refunded" });
});

test("a signed address plays a finished video without a key; another sign, and none, do not", async () => {
  const { id } = await openai.videos.create({ model: "sora-2", prompt: "waves", seconds: "4" });
  const { database, snapshot, secrets } = site.app.foundation;
  const address = async () => {
    const row = await database.kysely
      .selectFrom("tasks")
      .selectAll()
      .where("task_id", "=", id)
      .executeTakeFirstOrThrow();
    return videoAddress(snapshot.options, secrets, row);
  };
  expect(await address()).toBe("");
  videos.finish(id, { status: "completed", progress: 100 });
  await site.poll();
  const signed = await address();
  const answer = await fetch(signed);
  expect([answer.status, Buffer.from(await answer.arrayBuffer()).equals(VIDEO_BYTES)]).toEqual([200, true]);
  expect((await fetch(`${signed}x`)).status).toBe(404);
  expect((await fetch(signed.replace(/sign=.*/, "sign="))).status).toBe(404);
  expect((await fetch(signed.replace(/\?.*/, ""))).status).toBe(401);
});

test("a second of Veo costs what it does in its resolution, for each of the videos that are asked for", async () => {
  const [standard, fast, light] = VEO_31;
  const cases: readonly (readonly [model: string, parameters: object, usd: number])[] = [
    [standard, {}, 3.2],
    [standard, { resolution: "1080p" }, 3.2],
    [standard, { resolution: "4k" }, 4.8],
    [standard, { resolution: "4K", durationSeconds: "4", sampleCount: 2 }, 4.8],
    [fast, { resolution: "720p" }, 0.8],
    [fast, { resolution: "1080p", durationSeconds: 6 }, 0.72],
    [fast, { resolution: "4k", durationSeconds: 8 }, 2.4],
    [light, { resolution: "1080p" }, 0.64],
  ];
  for (const [model, parameters, usd] of cases) {
    const body = { instances: [{ prompt: "a dog" }], parameters: { aspectRatio: "16:9", ...parameters } };
    const spent = await spentBy(() => site.post(`/v1beta/models/${model}:predictLongRunning`, ada, body));
    expect([model, parameters, spent]).toEqual([model, parameters, Math.round(usd * 500_000)]);
  }
  expect((await site.tasks()).at(-1)?.properties).toContain('"size":"16:9 1080p"');
});

test("a remix goes to the channel of its video, by its prompt alone, at the price of that video's seconds and size", async () => {
  const wish = { model: "sora-2-pro", prompt: "a cat", seconds: "8", size: "1280x720" } as const;
  const { id } = await openai.videos.create(wish);
  const early = openai.videos.remix(id, { prompt: "a dog" });
  await expect(early).rejects.toMatchObject({ status: 400, code: "task_unfinished" });
  videos.finish(id, { status: "completed", progress: 100 });
  await site.poll();
  let remixed = "";
  const spent = await spentBy(async () => {
    const asked = { prompt: "a dog", seconds: "12", size: "1920x1080", model: "sora-2" };
    const made = await openai.videos.remix(id, asked);
    expect(made).toMatchObject({ status: "queued", model: "sora-2-pro", remixed_from_video_id: id });
    remixed = made.id;
  });
  expect(spent).toBe(8 * 3 * SECOND);
  const sent = videos.requests.findLast(({ method }) => method === "POST");
  expect([sent?.path, sent?.fields]).toEqual([`/v1/videos/${id}/remix`, { prompt: "a dog" }]);
  expect((await site.tasks()).at(-1)).toMatchObject({ action: "REMIX", model: "sora-2-pro", prompt: "a dog" });
  const form = new FormData();
  form.set("prompt", "a bird");
  const asForm = await fetch(`${site.app.url}/v1/videos/${id}/remix`, {
    method: "POST",
    headers: ada.headers,
    body: form,
  });
  expect([asForm.status, videos.requests.at(-1)?.fields]).toEqual([200, { prompt: "a bird" }]);
  const back = await spentBy(async () => {
    videos.finish(remixed, { status: "failed", error: { message: "no" } });
    await site.poll();
  });
  expect(back).toBe(-8 * 3 * SECOND);
  expect(await openai.videos.retrieve(remixed)).toMatchObject({ status: "failed", remixed_from_video_id: id });

  const posts = videos.requests.filter(({ method }) => method === "POST").length;
  const strange = clientOf(await site.person({ quota: 100_000_000 }));
  await expect(strange.videos.remix(id, { prompt: "x" })).rejects.toMatchObject({ status: 404 });
  await expect(openai.videos.remix("video_none", { prompt: "x" })).rejects.toMatchObject({ status: 404 });
  await expect(openai.videos.remix(id, { prompt: " " })).rejects.toMatchObject({ status: 400, code: "prompt_missing" });
  const narrow = await site.person({ limits: "sora-2" });
  await expect(clientOf(narrow).videos.create(wish)).rejects.toMatchObject({ status: 403, code: "model_not_allowed" });
  const operation = (await site.tasks()).find(({ model, status }) => model === VEO && status === "SUCCESS")?.task_id;
  const ofGemini = openai.videos.remix(operation ?? "", { prompt: "x" });
  await expect(ofGemini).rejects.toMatchObject({ status: 400, code: "video_not_remixable" });
  expect(videos.requests.filter(({ method }) => method === "POST").length).toBe(posts);
  for (const other of ["/v1/videos/edits", "/v1/videos/extensions", "/v1/videos/characters"])
    expect((await site.post(other, ada, { prompt: "x", video: { id } })).status).toBe(501);
});

test("a video that is charged is answered with its id, although its row could not note the charge; the poller does", async () => {
  const { kysely } = site.app.foundation.database;
  const refuse = sql`create trigger refuse_note before update of charge on tasks when new.charge = 'charged' begin select raise(abort, 'no'); end`;
  await refuse.execute(kysely);
  const made = { id: "" };
  const spent = await spentBy(async () => {
    made.id = (await openai.videos.create({ model: "sora-2", prompt: "noted later" })).id;
  });
  await sql`drop trigger refuse_note`.execute(kysely);
  expect(spent).toBe(4 * SECOND);
  const rowOf = async () => (await site.tasks()).find(({ task_id }) => task_id === made.id);
  expect(await rowOf()).toMatchObject({ charge: "pending" });
  videos.finish(made.id, { status: "completed", progress: 100, completed_at: 1_760_000_100 });
  for (const seconds of [100, 4_000]) await site.poll(seconds);
  expect(await rowOf()).toMatchObject({ status: "SUCCESS", charge: "charged", quota: 4 * SECOND });
});

test("a token's addresses hold for every call of videos", async () => {
  const away = clientOf(await site.person({ allowIps: "203.0.113.0/24" }));
  for (const ask of [
    () => away.videos.create({ prompt: "x" }),
    () => away.videos.remix("video_1", { prompt: "x" }),
    () => away.videos.retrieve("video_1"),
    () => away.videos.list(),
    () => away.videos.downloadContent("video_1"),
    () => away.videos.delete("video_1"),
  ])
    await expect(ask()).rejects.toMatchObject({ status: 403, code: "address_not_allowed" });
});
