/**
 * Drawings, songs and videos as matrix.test.ts requests them of each vendor, by the libraries if those have them; a part of docs/compatibility.md.
 */
import OpenAI from "openai";
import { expect } from "vitest";
import { type FakeProxy, PROXY_SECRET, startFakeProxy } from "../fake-upstream/tasks/midjourney-proxy.ts";
import { type FakeSuno, SUNO_KEY, startFakeSuno } from "../fake-upstream/tasks/suno-api.ts";
import { type FakeVideos, VIDEO_KEY, startFakeVideos } from "../fake-upstream/tasks/video-api.ts";
import { dataOf } from "../support/systems/site.ts";
import { type TaskSite, startTaskSite } from "../support/tasks/task-site.ts";
import { table } from "./matrix.ts";

const MODELS = ["sora-2", "veo-3.0-generate-001", "mj_imagine", "suno_music"] as const;
/** In the order of the channels. */
export const TASK_VENDORS = ["OpenAI", "Gemini", "Midjourney proxy", "Suno API"] as const;
type TaskVendor = (typeof TASK_VENDORS)[number];

export type TaskOutcome = "works" | "absent";

/** A site whose channels all say that they have all the models. */
export interface TaskScene {
  site: TaskSite;
  videos: FakeVideos;
  proxy: FakeProxy;
  suno: FakeSuno;
  /** An administrator's key, behind which a channel may be named. */
  key: string;
  close(): Promise<void>;
}

export async function openTaskScene(): Promise<TaskScene> {
  const [videos, proxy, suno] = await Promise.all([startFakeVideos(), startFakeProxy(), startFakeSuno()]);
  const site = await startTaskSite([
    { type: 1, url: videos.url, key: VIDEO_KEY, models: MODELS },
    { type: 24, url: videos.url, key: VIDEO_KEY, models: MODELS },
    { type: 2, url: proxy.url, key: PROXY_SECRET, models: MODELS },
    { type: 36, url: suno.url, key: SUNO_KEY, models: MODELS },
  ]);
  const token = { name: "matrix", unlimited_quota: true, expired_time: -1 };
  const { key } = await dataOf<{ key: string }>(site.root.post("/api/token", token));
  const close = async (): Promise<void> => {
    await site.close();
    await Promise.all([videos, proxy, suno].map((upstream) => upstream.close()));
  };
  return { site, videos, proxy, suno, key: `sk-${key}`, close };
}

export interface TaskCase {
  client: string;
  name: string;
  /** Who have it; all others have not. */
  vendors: readonly TaskVendor[];
  /** Makes the task that `run` works on, and returns its id. */
  prepare?(scene: TaskScene, key: string): Promise<string>;
  run(scene: TaskScene, key: string, prepared: string): Promise<void>;
}

const openAi = ({ site }: TaskScene, apiKey: string): OpenAI =>
  new OpenAI({ apiKey, baseURL: `${site.app.url}/v1`, maxRetries: 0 });

/** A video that is done, whichever of the two vendors makes it. */
async function madeVideo(scene: TaskScene, key: string): Promise<string> {
  const { id } = await openAi(scene, key).videos.create({ model: "sora-2", prompt: "a cat" });
  const video = { uri: `${scene.videos.url}/v1beta/files/f1:download?alt=media` };
  const response = { generateVideoResponse: { generatedSamples: [{ video }] } };
  scene.videos.finish(id, { status: "completed", progress: 100, done: true, response });
  await scene.site.poll();
  return id;
}

/** Posts to a path that no library has; throws an answer that is no success, as libraries do. */
async function post({ site }: TaskScene, key: string, path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(site.app.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw Object.assign(new Error(JSON.stringify(answer)), { status: response.status });
  return answer;
}

export const TASK_CASES: readonly TaskCase[] = [
  {
    client: "openai",
    name: "videos.create, retrieve, list, downloadContent, delete",
    vendors: ["OpenAI", "Gemini"],
    async run(scene, key) {
      const { videos } = openAi(scene, key);
      const id = await madeVideo(scene, key);
      expect(await videos.retrieve(id)).toMatchObject({ status: "completed", model: "sora-2" });
      expect((await videos.list()).data.map((video) => video.id)).toContain(id);
      expect((await (await videos.downloadContent(id)).arrayBuffer()).byteLength).toBeGreaterThan(0);
      expect(await videos.delete(id)).toMatchObject({ id, deleted: true });
    },
  },
  {
    client: "openai",
    name: "videos.remix",
    vendors: ["OpenAI"],
    prepare: madeVideo,
    async run(scene, key, id) {
      const remix = await openAi(scene, key).videos.remix(id, { prompt: "a dog" });
      expect(remix.remixed_from_video_id).toBe(id);
    },
  },
  {
    client: "of Gemini's API",
    name: "models/{model}:predictLongRunning, operations",
    vendors: ["Gemini"],
    async run(scene, key) {
      const path = "/v1beta/models/veo-3.0-generate-001:predictLongRunning";
      const { name } = await post(scene, key, path, { instances: [{ prompt: "a dog" }] });
      const headers = { authorization: `Bearer ${key}` };
      const operation = await fetch(`${scene.site.app.url}/v1beta/${String(name)}`, { headers });
      expect(await operation.json()).toEqual({ name });
    },
  },
  {
    client: "of Midjourney proxies",
    name: "/mj/submit/imagine, /mj/task/list-by-condition",
    vendors: ["Midjourney proxy"],
    async run(scene, key) {
      const { result } = await post(scene, key, "/mj/submit/imagine", { prompt: "a cat" });
      const tasks = await post(scene, key, "/mj/task/list-by-condition", { ids: [result] });
      expect(tasks).toMatchObject([{ id: result, status: "SUBMITTED" }]);
    },
  },
  {
    client: "of Suno API",
    name: "/suno/submit/music, /suno/fetch",
    vendors: ["Suno API"],
    async run(scene, key) {
      const { data } = await post(scene, key, "/suno/submit/music", { prompt: "a song" });
      expect((await post(scene, key, "/suno/fetch", { ids: [data] }))["data"]).toMatchObject([{ status: "NOT_START" }]);
    },
  },
];

const handedOver = ({ videos, proxy, suno }: TaskScene): number =>
  [videos, proxy, suno].flatMap(({ requests }) => requests.filter(({ method }) => method === "POST")).length;

/** Requests one thing of one vendor and returns whether it has it; what it lacks is refused before anything is sent. */
export async function tryTask(scene: TaskScene, each: TaskCase, vendor: TaskVendor): Promise<TaskOutcome> {
  const key = `${scene.key}-${scene.site.channelIds[TASK_VENDORS.indexOf(vendor)]}`;
  let before = handedOver(scene);
  try {
    const prepared = (await each.prepare?.(scene, key)) ?? "";
    before = handedOver(scene);
    await each.run(scene, key, prepared);
    return "works";
  } catch (error) {
    if ((error as { status?: unknown }).status !== 400 || handedOver(scene) > before) throw error;
    return "absent";
  }
}

export const taskKey = ({ client, name }: TaskCase, vendor: string): string => `${client} ${name} ${vendor}`;

/** The part of the document, made from what was seen. */
export function tasksPart(seen: ReadonlyMap<string, TaskOutcome>): string[] {
  const rows = TASK_CASES.map((each) => [
    each.client,
    each.name,
    ...TASK_VENDORS.map((vendor) => (seen.get(taskKey(each, vendor)) === "works" ? "yes" : "-")),
  ]);
  return [
    "## Drawings, songs and videos",
    "",
    "Videos have one form for every vendor; other tasks are not translated, so each vendor's are asked for in its own format.",
    "`docs/tasks.md` says what becomes of them.",
    "",
    ...table([["client", "calls", ...TASK_VENDORS], ...rows]),
    "",
    "The present library of Google asks for videos at the paths of its enterprise platform alone, which are not served for them.",
  ];
}
