/** Vidu's API as its documentation has it (platform.vidu.com/docs): a path for each kind of task, and one for all that was made. */
import { type GivenAnswer, type JsonServer, startJsonServer } from "./json-server.ts";
import { FILM, FILM_PATH } from "./video-api.ts";

export const VIDU_KEY = "vda_0123456789abcdef0123";

export interface FakeVidu extends JsonServer {
  tasks: Map<string, Record<string, unknown>>;
  next: GivenAnswer | undefined;
  finish(id: string, how: { url: string } | { reason: string }): void;
}

const IMAGES: Readonly<Record<string, (count: number) => boolean>> = {
  text2video: (count) => count === 0,
  img2video: (count) => count === 1,
  "start-end2video": (count) => count === 2,
  reference2video: (count) => count >= 1 && count <= 7,
};

const fault = (status: number, reason: string): GivenAnswer => ({
  status,
  body: { code: status, reason, message: reason, metadata: {} },
});

export async function startFakeVidu(): Promise<FakeVidu> {
  const tasks: FakeVidu["tasks"] = new Map();
  const server = await startJsonServer(({ method, path, headers, fields }) => {
    if (path === FILM_PATH) return FILM;
    if (headers.authorization !== `Token ${VIDU_KEY}`) return fault(401, "Unauthorized");
    const own = fake.next;
    fake.next = undefined;
    if (own !== undefined) return own;
    const id = /^\/ent\/v2\/tasks\/(\w+)\/creations$/.exec(path)?.[1];
    if (method === "GET") {
      const task = tasks.get(id ?? "");
      return task === undefined ? fault(404, "TaskNotFound") : { body: task };
    }
    const { images = [], model } = fields;
    const takes = IMAGES[path.replace("/ent/v2/", "")];
    if (takes?.((images as unknown[]).length) !== true) return fault(400, "FieldInvalid");
    const task_id = `9${String(tasks.size + 1).padStart(17, "0")}`;
    tasks.set(task_id, { state: "queueing", err_code: "", credits: 0, creations: [] });
    return { body: { task_id, state: "created", model, images, credits: 20 } };
  });
  const fake: FakeVidu = {
    ...server,
    tasks,
    next: undefined,
    finish(id, how) {
      const ended =
        "url" in how
          ? { state: "success", creations: [{ id: "c1", url: how.url, cover_url: "" }] }
          : { state: "failed", err_code: how.reason };
      Object.assign(tasks.get(id) ?? {}, ended);
    },
  };
  return fake;
}
