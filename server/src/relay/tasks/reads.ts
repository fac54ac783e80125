/** Requests about submitted tasks, each for the owner of the key alone, and notices of their upstreams. */
import { isObject, listOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import { parseExactObject } from "../../dialects/json/exact.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { imageEvent } from "../../tasks/kinds/image.ts";
import type { StoredTask } from "../../tasks/kinds/kind.ts";
import { TASK_KINDS } from "../../tasks/kinds/registry.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import { authenticate } from "../admission/authenticate.ts";
import { admitBody } from "../admission/limits.ts";
import { type Caller, checkAddress } from "../admission/caller.ts";
import type { Call } from "../call/call.ts";
import { RelayError } from "../call/relay-error.ts";
import { writeJson } from "../call/respond.ts";
import { accept } from "../request/accept.ts";
import type { Endpoint } from "../request/paths.ts";
import type { TaskPath } from "../request/task-paths.ts";
import { askOfTask } from "./ask.ts";
import { originChannel } from "./handover.ts";
import {
  answerPicture,
  answerSignedVideo,
  answerVideo,
  deleteVideo,
  listVideos,
  operationOf,
  signIn,
} from "./media.ts";

/** A task's endpoint. */
export type TaskEndpoint = Endpoint & { task: TaskPath };

/** More ids in one question are a mistake. */
const MAX_IDS = 1_000;
const MAX_NOTICE_BYTES = 1_048_576;
const SEED_MS = 30_000;

type Reader = (call: Call, endpoint: TaskEndpoint, caller: Caller) => Promise<unknown>;

async function bodyOf(call: Call, endpoint: TaskEndpoint): Promise<JsonObject> {
  const { body } = await accept(call, endpoint);
  return objectOf(parseExactObject(body.toString("utf8")));
}

const viewOf = ({ context: { tasks } }: Call, task: StoredTask, { platform, form }: TaskPath): JsonObject =>
  TASK_KINDS[platform].view(task, tasks.resultUrl(task), form);

/** The caller's own task; one of another user is as if it were not there. Rejects with RelayError 400. */
async function ownTask({ context }: Call, { platform, id }: TaskPath, { user }: Caller): Promise<StoredTask> {
  const [task] = await context.tasks.find(user.id, platform, [id]);
  if (task === undefined) throw new RelayError("task_not_found", NOT_FOUND[platform]);
  return task;
}

/** How each API says that there is no such task. */
const NOT_FOUND = { mj: { code: "task_no_found" }, suno: {}, video: { status: 404 } } as const;

/** Suno's answers are wrapped, those of a drawing are not. */
const wrapped = ({ platform }: TaskPath, data: unknown): unknown =>
  platform === "suno" ? { code: "success", message: "", data } : data;

const fetchOne: Reader = async (call, { task: path }, caller) =>
  wrapped(path, viewOf(call, await ownTask(call, path, caller), path));

/** The task that the body names. */
const fetchNamed: Reader = async (call, endpoint, caller) => {
  const id = textOf((await bodyOf(call, endpoint))["task_id"]);
  const path = { ...endpoint.task, id };
  return viewOf(call, await ownTask(call, path, caller), path);
};

const fetchMany: Reader = async (call, endpoint, caller) => {
  const { task: path } = endpoint;
  const ids = listOf((await bodyOf(call, endpoint))["ids"]).map((id) =>
    typeof id === "number" ? String(id) : textOf(id),
  );
  if (ids.length > MAX_IDS)
    throw new RelayError("task_request_invalid", { message: `At most ${MAX_IDS} ids may be asked for.`, param: "ids" });
  const found = await call.context.tasks.find(caller.user.id, path.platform, [...new Set(ids)]);
  const newest = new Map(found.toReversed().map((task) => [task.task_id, task]));
  const views = [...newest.values()].toReversed().map((task) => viewOf(call, task, path));
  return wrapped(path, views);
};

/** The seed of a picture, which its proxy alone knows. */
const seed: Reader = async (call, { task: path }, caller) => {
  const task = await ownTask(call, path, caller);
  const channel = originChannel(call, task);
  const question = { operation: "drawings", model: task.model, method: "GET", limitMs: SEED_MS } as const;
  const at = `/mj/task/${encodeURIComponent(task.task_id)}/image-seed`;
  try {
    const { body } = await askOfTask(call.context, channel, { ...question, path: at });
    if (isObject(body)) return body;
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
  }
  throw new RelayError("upstream_failed");
};

/** A notice from a key's owner is trusted only as a hint: the task's upstream is polled. */
const notify: Reader = async (call, endpoint, caller) => {
  const { id } = await bodyOf(call, endpoint);
  const path = { ...endpoint.task, id: typeof id === "number" ? String(id) : textOf(id) };
  await call.context.tasks.wake(await ownTask(call, path, caller));
  return { code: 1, description: "success" };
};

const list: Reader = (call, _endpoint, caller) => listVideos(call, caller);
const remove: Reader = async (call, { task }, caller) => deleteVideo(call, await ownTask(call, task, caller));
const operation: Reader = async (call, { task }, caller) => operationOf(call, await ownTask(call, task, caller));

const READERS: Readonly<Partial<Record<TaskPath["request"], Reader>>> = {
  fetch: fetchOne,
  fetch_named: fetchNamed,
  fetch_many: fetchMany,
  seed,
  notify,
  list,
  delete: remove,
  operation,
};

/** An update that a proxy sends to the address of this one task, which only it knows. Rejects with RelayError 400 or 404. */
async function takeNotice(call: Call, endpoint: TaskEndpoint): Promise<unknown> {
  const { context, request, requestMemory } = call;
  const { platform, id: secret } = endpoint.task;
  if (!context.snapshot.options.MjNotifyEnabled) throw new RelayError("invalid_url");
  const declared = Number(request.headers["content-length"] ?? Number.NaN);
  if (!(declared <= MAX_NOTICE_BYTES) || request.headers["content-encoding"] !== undefined)
    throw new RelayError("body_too_large");
  requestMemory.allow(0, MAX_NOTICE_BYTES * 16);
  const event = imageEvent(await bodyOf(call, endpoint));
  if (event === undefined || !(await context.tasks.notified(platform, secret, event)))
    throw new RelayError("task_not_found");
  return { code: 1, description: "success" };
}

/** Answers requests about tasks. Rejects with RelayError. */
export async function answerTask(call: Call, endpoint: TaskEndpoint): Promise<void> {
  const { request } = endpoint.task;
  if (request === "picture") return answerPicture(call, endpoint.task.id);
  if (request === "notice") return answer(call, await takeNotice(call, endpoint));
  if (request === "content" && signIn(call) !== null) return answerSignedVideo(call, endpoint.task.id);
  const caller = await authenticate(call, endpoint);
  checkAddress(caller.token, caller.address);
  await admitBody(call, caller);
  if (request === "content") return answerVideo(call, await ownTask(call, endpoint.task, caller));
  const reader = READERS[request];
  if (reader === undefined) throw new RelayError("invalid_url");
  answer(call, await reader(call, endpoint, caller));
}

function answer(call: Call, value: unknown): void {
  call.status = 200;
  writeJson(call.response, call.requestId, value);
}
