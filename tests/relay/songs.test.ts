/** Songs and lyrics through a Suno API: submissions, answers, ownership, and charges. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeSuno, SUNO_KEY, startFakeSuno } from "../fake-upstream/tasks/suno-api.ts";
import { type TaskPerson, type TaskSite, startTaskSite } from "../support/tasks/task-site.ts";

const MUSIC = 50_000;
const QUOTA = 10_000_000;
let suno: FakeSuno;
let site: TaskSite;
let ada: TaskPerson;

beforeAll(async () => {
  suno = await startFakeSuno();
  site = await startTaskSite([{ type: 36, url: suno.url, key: SUNO_KEY, models: ["suno_music", "suno_lyrics"] }]);
  ada = await site.person({ tokenQuota: 1_000_000 });
});
afterAll(async () => {
  await site.audited();
  await site.close();
  await suno.close();
});

type Answer = { http: number; code?: string; data?: unknown } & Record<string, unknown>;
const read = async (answer: Promise<Response>): Promise<Answer> => {
  const response = await answer;
  return { ...((await response.json()) as Record<string, unknown>), http: response.status };
};
const submit = (action: string, body: unknown, person = ada): Promise<Answer> =>
  read(site.post(`/suno/submit/${action}`, person, body));
const fetched = (id: unknown, person = ada): Promise<Answer> => read(site.get(`/suno/fetch/${String(id)}`, person));

test("music and lyrics are submitted unchanged, charged by their models, and answered verbatim", async () => {
  const music = await submit("music", { gpt_description_prompt: "a song about rain", make_instrumental: false });
  expect(music).toMatchObject({ http: 200, code: "success", data: expect.stringMatching(/^2f2b1c1e-/) });
  expect(suno.requests.at(-1)).toMatchObject({
    path: "/suno/submit/MUSIC",
    fields: { gpt_description_prompt: "a song about rain", mv: "chirp-v3-0", make_instrumental: false },
  });
  expect(await site.left(ada)).toEqual({ quota: 10_000_000 - MUSIC, token: 1_000_000 - MUSIC, used: MUSIC });
  const lyrics = await submit("LYRICS", { prompt: "rain" });
  expect(await site.left(ada)).toMatchObject({ used: MUSIC + MUSIC / 10 });
  expect(await fetched(lyrics.data)).toMatchObject({
    code: "success",
    data: { action: "LYRICS", status: "NOT_START", progress: "0%" },
  });
  suno.change(String(lyrics.data), {
    status: "SUCCESS",
    data: { id: "1", status: "complete", title: "Rain", text: "la" },
  });
  const clips = [{ id: "c1", title: "Rain", audio_url: "https://cdn.example.com/1.mp3", status: "complete" }];
  suno.change(String(music.data), {
    status: "SUCCESS",
    start_time: 1_760_000_005,
    finish_time: 1_760_000_065,
    data: clips,
  });
  await site.poll();
  const both = await read(site.post("/suno/fetch", ada, { ids: [music.data, lyrics.data, "nobody's"] }));
  expect(both.data).toMatchObject([
    { task_id: lyrics.data, status: "SUCCESS", data: { text: "la" } },
    {
      task_id: music.data,
      status: "SUCCESS",
      progress: "100%",
      start_time: 1_760_000_005,
      finish_time: 1_760_000_065,
      data: clips,
    },
  ]);
  expect(await site.tasks()).toMatchObject([
    { platform: "suno", result_url: "https://cdn.example.com/1.mp3", prompt: "a song about rain" },
    { platform: "suno", model: "suno_lyrics" },
  ]);
});

test("every status is passed on; a failure refunds balance and token once, with a row in the log", async () => {
  const { data } = await submit("MUSIC", { prompt: "x" });
  const before = await site.left(ada);
  for (const status of ["SUBMITTED", "QUEUED", "IN_PROGRESS", "UNKNOWN"]) {
    suno.change(String(data), { status });
    await site.poll();
    expect(await fetched(data)).toMatchObject({ data: { status } });
  }
  suno.change(String(data), { status: "IN_PROGRESS", fail_reason: "lyrics are too long" });
  await Promise.all([site.poll(), site.poll(), site.poll()]);
  await site.poll();
  expect(await fetched(data)).toMatchObject({
    data: { status: "FAILURE", fail_reason: "lyrics are too long", progress: "100%" },
  });
  const after = await site.left(ada);
  expect(after).toEqual({ quota: before.quota + MUSIC, token: before.token + MUSIC, used: before.used - MUSIC });
  const logs = await site.app.foundation.database.kysely.selectFrom("logs").selectAll().where("type", "=", 4).execute();
  const event = { code: "task_refunded", values: { quota: MUSIC, platform: "suno", action: "MUSIC", task: data } };
  expect(logs.map(({ other, user_id }) => [user_id, JSON.parse(other) as object])).toEqual([[ada.userId, { event }]]);
});

test("invalid submissions, others' songs and a site without tasks are refused in the API's own format", async () => {
  const eve = await site.person();
  const { data } = await submit("MUSIC", { prompt: "x" });
  expect(await submit("dance", {})).toMatchObject({ http: 400, code: "invalid_action" });
  expect(await submit("lyrics", { prompt: "" })).toMatchObject({ http: 400, code: "prompt_empty" });
  expect(await submit("music", { continue_clip_id: "c1" })).toMatchObject({ http: 400, code: "task_id_empty" });
  const goesOn = { continue_clip_id: "c1", task_id: data, continue_at: 60 };
  expect(await submit("music", goesOn)).toMatchObject({ code: "success" });
  expect(await submit("music", goesOn, eve)).toMatchObject({ http: 400, code: "task_not_exist", data: null });
  const bare = ({ message, ...rest }: Answer) => [String(message).replace(/request id: [^)]+/, ""), rest];
  expect(bare(await fetched(data, eve))).toEqual(bare(await fetched("nothing", eve)));
  expect((await read(site.post("/suno/fetch", eve, { ids: [data] }))).data).toEqual([]);
  suno.next = { body: { code: "bad_prompt", message: "no", data: null } };
  expect(await submit("music", { prompt: "x" })).toMatchObject({ http: 200, code: "bad_prompt" });
  expect((await site.tasks()).at(-1)).toMatchObject({ status: "FAILURE", charge: "uncharged", fail_reason: "no" });
  const channel = { id: site.channelIds[0], status: 2 };
  expect((await site.root.put("/api/channel", channel)).body).toMatchObject({ success: true });
  expect(await submit("music", goesOn)).toMatchObject({ http: 400, code: "task_channel_disable" });
  await site.root.put("/api/channel", { ...channel, status: 1 });
  await site.option("TaskEnabled", "false");
  expect(await submit("music", { prompt: "x" })).toMatchObject({ http: 403, code: "tasks_disabled" });
  await site.option("TaskEnabled", "true");
});

test("the group's ratio multiplies the price, and the refund equals the charge, at any later ratio", async () => {
  const bob = await site.person({ quota: QUOTA, tokenQuota: QUOTA });
  await site.option("GroupRatio", JSON.stringify({ default: 1.5, vip: 1, svip: 1 }));
  const { data } = await submit("music", { prompt: "x" }, bob);
  expect(await site.left(bob)).toEqual({ quota: QUOTA - MUSIC * 1.5, token: QUOTA - MUSIC * 1.5, used: MUSIC * 1.5 });
  await site.option("GroupRatio", JSON.stringify({ default: 1, vip: 1, svip: 1 }));
  suno.change(String(data), { status: "FAILURE", fail_reason: "no" });
  await site.poll();
  expect(await site.left(bob)).toEqual({ quota: QUOTA, token: QUOTA, used: 0 });
});

test("a token's addresses hold for what is asked of songs too, its models and the limit of calls for what is handed over", async () => {
  const [away, narrow, hasty] = await Promise.all([
    site.person({ allowIps: "203.0.113.0/24" }),
    site.person({ limits: "suno_lyrics" }),
    site.person(),
  ]);
  const asked = suno.requests.length;
  for (const answer of [
    await submit("music", { prompt: "x" }, away),
    await fetched("nothing", away),
    await read(site.post("/suno/fetch", away, { ids: [] })),
  ])
    expect(answer).toMatchObject({ http: 403, code: "address_not_allowed", data: null });
  expect(await submit("music", { prompt: "x" }, narrow)).toMatchObject({ http: 403, code: "model_not_allowed" });
  expect(suno.requests.length).toBe(asked);
  expect(await submit("lyrics", { prompt: "x" }, narrow)).toMatchObject({ code: "success" });

  await site.option("ModelRequestRateLimitSuccessCount", "1");
  await site.option("ModelRequestRateLimitEnabled", "true");
  // What was not taken counts for nothing.
  suno.next = { body: { code: "bad_prompt", message: "no", data: null } };
  expect(await submit("music", { prompt: "x" }, hasty)).toMatchObject({ code: "bad_prompt" });
  const { data } = await submit("music", { prompt: "x" }, hasty);
  const taken = suno.requests.length;
  expect(await submit("music", { prompt: "x" }, hasty)).toMatchObject({ http: 429, code: "rate_limit_exceeded" });
  expect(suno.requests.length).toBe(taken);
  for (let look = 0; look < 3; look += 1) expect(await fetched(data, hasty)).toMatchObject({ code: "success" });
  await site.option("ModelRequestRateLimitEnabled", "false");
});
