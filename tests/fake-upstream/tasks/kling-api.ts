/** Kling's API as its documentation has it (app.klingai.com/global/dev/document-api): tokens that a secret signs, videos by the kind of their task. */
import { jwtVerify } from "jose";
import { type GivenAnswer, type JsonServer, type SeenRequest, startJsonServer } from "./json-server.ts";
import { FILM, FILM_PATH } from "./video-api.ts";

const [ACCESS, SECRET] = ["kling-access-0123456789", "kling-secret-0123456789abcdef"];
export const KLING_KEY = `${ACCESS}|${SECRET}`;
/** The longest token that it takes, and what clocks may differ by. */
const LONGEST_SECONDS = 1_800 + 30;

interface KlingTask {
  kind: string;
  task_id: string;
  task_status: string;
  task_status_msg?: string;
  created_at: number;
  updated_at: number;
  task_result?: unknown;
}

export interface FakeKling extends JsonServer {
  tasks: Map<string, KlingTask>;
  /** The answer to the next request, in place of its own. */
  next: GivenAnswer | undefined;
  /** Number of next submissions that are taken and never answered. */
  unanswered: number;
  /** The outcome of the task: a video at this address, or a failure for this reason. */
  finish(id: string, how: { url: string } | { reason: string }): void;
}

async function isSigned({ headers }: SeenRequest): Promise<boolean> {
  const token = /^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
  try {
    const { payload } = await jwtVerify(token, new TextEncoder().encode(SECRET), { algorithms: ["HS256"] });
    const life = (payload.exp ?? Number.POSITIVE_INFINITY) - Date.now() / 1_000;
    return payload.iss === ACCESS && life <= LONGEST_SECONDS && payload.nbf !== undefined;
  } catch {
    return false;
  }
}

const fault = (status: number, code: number, message: string): GivenAnswer => ({
  status,
  body: { code, message, request_id: "r1" },
});

export async function startFakeKling(): Promise<FakeKling> {
  const tasks = new Map<string, KlingTask>();
  const shown = ({ kind: _kind, ...task }: KlingTask): GivenAnswer => ({
    body: { code: 0, message: "SUCCEED", request_id: "r1", data: { task_info: {}, ...task } },
  });
  const server = await startJsonServer(async (request) => {
    if (request.path === FILM_PATH) return FILM;
    if (!(await isSigned(request))) return fault(401, 1000, "Authentication failed");
    const own = fake.next;
    fake.next = undefined;
    if (own !== undefined) return own;
    const [, kind = "", id] = /^\/v1\/videos\/(text2video|image2video)(?:\/(\w+))?$/.exec(request.path) ?? [];
    if (request.method === "GET") {
      const task = tasks.get(id ?? "");
      return task?.kind === kind ? shown(task) : fault(404, 1203, "no such task");
    }
    if (kind === "" || id !== undefined) return fault(404, 1203, "no such path");
    if ((kind === "image2video") === (request.fields["image"] === undefined))
      return fault(400, 1201, "image is invalid");
    const now = Date.now();
    const task_id = `8${String(tasks.size + 1).padStart(17, "0")}`;
    const task = { kind, task_id, task_status: "submitted", created_at: now, updated_at: now };
    tasks.set(task_id, task);
    if (fake.unanswered === 0) return shown(task);
    fake.unanswered -= 1;
    return undefined;
  });
  const fake: FakeKling = {
    ...server,
    tasks,
    next: undefined,
    unanswered: 0,
    finish(id, how) {
      const ended =
        "url" in how
          ? { task_status: "succeed", task_result: { videos: [{ id: "v1", url: how.url, duration: "5.1" }] } }
          : { task_status: "failed", task_status_msg: how.reason };
      Object.assign(tasks.get(id) ?? {}, ended, { updated_at: Date.now() });
    },
  };
  return fake;
}
