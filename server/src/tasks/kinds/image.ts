/** Image tasks of a Midjourney proxy: requests of clients, responses and reports of the proxy, and responses to clients (github.com/novicezk/midjourney-proxy, docs/api.md). */
import {
  ACCEPTED_CODES,
  IMAGE_MODELS,
  type ImageAction,
  type ImageTaskData,
  SUBMIT_CODE,
  taskStatus,
} from "../../../../contract/src/tasks.ts";
import {
  defined,
  isObject,
  listOf,
  numberOf,
  objectOf,
  ownOf,
  parseObject,
  textOf,
} from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import {
  type Poll,
  type StoredTask,
  type Submission,
  type SubmissionAnswer,
  type TaskKind,
  type TaskEvent,
  TaskRefusal,
  type TaskRequest,
  batchesOf,
  failText,
  milliseconds,
  percent,
  refuseOtherSpellings,
} from "./kind.ts";

/** First match wins: the longer names contain the shorter ones. */
const BUTTONS: readonly (readonly [part: string, action: ImageAction])[] = [
  ["high_variation", "HIGH_VARIATION"],
  ["low_variation", "LOW_VARIATION"],
  ["variation", "VARIATION"],
  ["upsample", "UPSCALE"],
  ["upscale", "UPSCALE"],
  ["reroll", "REROLL"],
  ["customzoom", "CUSTOM_ZOOM"],
  ["outpaint", "ZOOM"],
  ["inpaint", "INPAINT"],
  ["::pan_", "PAN"],
  ["pan_", "PAN"],
];

const unknownAction = (message: string): TaskRefusal => new TaskRefusal("unknown_action", message);

/** The action of a button's id, such as `MJ::JOB::upsample::1::<uuid>` or `MJ::Inpaint::1::<uuid>::SOLO`. Throws TaskRefusal. */
function buttonAction(customId: string): ImageAction {
  const id = customId.toLowerCase();
  const found = id.startsWith("mj::") ? BUTTONS.find(([part]) => id.includes(part)) : undefined;
  if (found === undefined) throw unknownAction(`'customId' names no action that is known here`);
  return found[1];
}

const LETTERS: Readonly<Record<string, ImageAction>> = { u: "UPSCALE", v: "VARIATION", r: "REROLL" };
const SIMPLE_CHANGE = /^(\S+)\s+(?:([uv])([1-4])|(r))$/i;

/** The task and action of a short text: a task id and `u1`, `v3` or `r`. Throws TaskRefusal. */
function simpleChange(content: string): { taskId: string; action: ImageAction } {
  const match = SIMPLE_CHANGE.exec(content.trim());
  const action = ownOf(LETTERS, (match?.[2] ?? match?.[4] ?? "").toLowerCase());
  if (match?.[1] === undefined || action === undefined)
    throw unknownAction("'content' is not written as a task id and u1 to u4, v1 to v4 or r");
  return { taskId: match[1], action };
}

/** Actions that `submit/change` takes, and whether they name one of four images. */
const CHANGES: Readonly<Record<string, boolean>> = { UPSCALE: true, VARIATION: true, REROLL: false };

/** The action of `submit/change`. Throws TaskRefusal. */
function changeAction({ action, index }: JsonObject): ImageAction {
  const name = textOf(action).toUpperCase();
  const needsIndex = ownOf(CHANGES, name);
  if (needsIndex === undefined) throw unknownAction("'action' is not UPSCALE, VARIATION or REROLL");
  if (needsIndex && !(Number.isInteger(index) && Number(index) >= 1 && Number(index) <= 4))
    throw new TaskRefusal("index_invalid", "'index' is not 1 to 4", "index");
  return name as ImageAction; // one of CHANGES
}

/** The text of a field. Throws TaskRefusal where it is missing or empty. */
function requiredText(fields: JsonObject, name: string, code = `${name}_required`): string {
  const text = textOf(fields[name]);
  if (text.trim() === "") throw new TaskRefusal(code, `The request has no '${name}'.`, name);
  return text;
}

/** Throws TaskRefusal where a field has fewer texts than `least`. */
function requireTexts(fields: JsonObject, name: string, least: number): void {
  const texts = listOf(fields[name]).filter((each) => typeof each === "string" && each !== "");
  if (texts.length < least)
    throw new TaskRefusal(`${name}_required`, `The request has fewer than ${least} in '${name}'.`, name);
}

interface Asked {
  action: ImageAction;
  /** The task that it continues. */
  origin?: { taskId: string; mustHaveSucceeded: boolean };
}

/** Addresses of one task that are kept, and characters of each. */
const MAX_VIDEOS = 8;
const MAX_VIDEO_URL = 2_048;

/** Reads the action from the fields of a request. Throws TaskRefusal. */
type Reader = (fields: JsonObject, checksOrigin: boolean) => Asked;

const origin = (fields: JsonObject, mustHaveSucceeded: boolean) => ({
  origin: { taskId: requiredText(fields, "taskId"), mustHaveSucceeded },
});

function requireImage(fields: JsonObject): void {
  if (textOf(fields["base64"]) === "" && textOf(fields["link"]) === "") requiredText(fields, "base64");
}

/** A film begins with a picture that is sent, or with one of a task. Throws TaskRefusal. */
function videoAsked(fields: JsonObject, checksOrigin: boolean): Asked {
  if (textOf(fields["taskId"]) !== "") return { action: "VIDEO", ...origin(fields, checksOrigin) };
  requiredText(fields, "image");
  return { action: "VIDEO" };
}

const READERS: Readonly<Record<string, Reader>> = {
  "submit/imagine": (fields) => (requiredText(fields, "prompt", "prompt_empty"), { action: "IMAGINE" }),
  "submit/shorten": (fields) => (requiredText(fields, "prompt", "prompt_empty"), { action: "SHORTEN" }),
  "submit/describe": (fields) => (requireImage(fields), { action: "DESCRIBE" }),
  "submit/blend": (fields) => (requireTexts(fields, "base64Array", 2), { action: "BLEND" }),
  "submit/upload-discord-images": (fields) => (requireTexts(fields, "base64Array", 1), { action: "UPLOAD" }),
  "submit/change": (fields, checks) => ({ action: changeAction(fields), ...origin(fields, checks) }),
  "submit/simple-change": (fields, checks) => {
    const { taskId, action } = simpleChange(requiredText(fields, "content"));
    return { action, origin: { taskId, mustHaveSucceeded: checks } };
  },
  "submit/action": (fields, checks) => ({
    action: buttonAction(requiredText(fields, "customId")),
    ...origin(fields, checks),
  }),
  // The window belongs to a task that waits for exactly this.
  "submit/modal": (fields) => ({ action: "MODAL", ...origin(fields, false) }),
  "submit/edits": (fields) => {
    requiredText(fields, "prompt", "prompt_empty");
    requiredText(fields, "image");
    return { action: "EDITS" };
  },
  "submit/video": videoAsked,
  "insight-face/swap": (fields) => {
    requiredText(fields, "sourceBase64");
    requiredText(fields, "targetBase64");
    return { action: "SWAP_FACE" };
  },
};

/** Paths behind `/mj/` that submit a task. */
export const IMAGE_VERBS: ReadonlySet<string> = new Set(Object.keys(READERS));

const MODE_FLAGS = /(?:^|\s)--(?:fast|relax|turbo)(?=\s|$)/gi;
const MAX_NOTIFY_URL = 2_048;

function notifyUrl(fields: JsonObject): string {
  const hook = textOf(fields["notifyHook"]);
  if (hook === "") return "";
  const url = hook.length > MAX_NOTIFY_URL ? null : URL.parse(hook);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new TaskRefusal("notify_hook_invalid", "'notifyHook' is not an http or https address.", "notifyHook");
  return url.href;
}

/** Fields that say what is made and what it costs, or are taken out here. */
const FIELDS = [
  "action",
  "taskId",
  "index",
  "customId",
  "content",
  "prompt",
  "state",
  "botType",
  "link",
  "base64",
  "base64Array",
  "sourceBase64",
  "targetBase64",
  "image",
  "motion",
  "batchSize",
  "accountFilter",
  "notifyHook",
] as const;

/** The client's fields as far as the options let them through. */
function sentFields({ fields, options }: TaskRequest): JsonObject {
  const { accountFilter, notifyHook: _hook, prompt, ...rest } = fields;
  return {
    ...rest,
    ...(prompt === undefined
      ? {}
      : { prompt: options.MjModeClearEnabled ? textOf(prompt).replace(MODE_FLAGS, "").trim() : prompt }),
    ...(options.MjAccountFilterEnabled && isObject(accountFilter) ? { accountFilter } : {}),
  };
}

function imageData(fields: JsonObject): ImageTaskData {
  return {
    prompt_en: "",
    description: "",
    state: textOf(fields["state"]),
    custom_id: textOf(fields["customId"]),
    bot_type: textOf(fields["botType"]),
    buttons: [],
    mask_base64: "",
    video_urls: [],
    properties: {},
  };
}

/** The submission by which a request goes to a proxy. Throws TaskRefusal. */
function submission(request: TaskRequest): Submission {
  const { verb, fields, options } = request;
  refuseOtherSpellings(fields, FIELDS);
  const asked = READERS[verb]?.(fields, options.MjActionCheckSuccessEnabled);
  if (asked === undefined) throw new TaskRefusal("unknown_action", "There is no such action.");
  const sent = sentFields(request);
  return {
    ...asked,
    model: IMAGE_MODELS[asked.action],
    path: `/mj/${verb}`,
    fields: sent,
    prompt: textOf(sent["prompt"]),
    properties: {},
    data: { ...imageData(fields) },
    notifyUrl: options.MjNotifyEnabled ? notifyUrl(fields) : "",
    acceptsNotifications: options.MjNotifyEnabled,
    callFactor: "1",
  };
}

/** Codes of a proxy that is busy; they are no verdict on the request. */
const BUSY_CODES: readonly number[] = [SUBMIT_CODE.noInstance, SUBMIT_CODE.queueFull, SUBMIT_CODE.busy];
/** Actions that wait for a window, which clients have to know. */
const WINDOWED: readonly string[] = ["INPAINT", "CUSTOM_ZOOM"];

const idOf = (value: unknown): string => (typeof value === "number" ? String(value) : textOf(value));

/** The first event of a task whose submission was accepted. */
function firstEvent({ action }: Submission, code: number, { result, properties }: JsonObject): TaskEvent | undefined {
  if (action === "UPLOAD") {
    const urls = listOf(result).map(textOf);
    return { taskId: "", status: "SUCCESS", progress: 100, resultUrl: urls[0] ?? "", data: { properties: { urls } } };
  }
  const taskId = idOf(result);
  if (taskId === "") return undefined;
  if (code === SUBMIT_CODE.waiting && WINDOWED.includes(action)) return { taskId, status: "MODAL" };
  const { status, imageUrl } = objectOf(properties);
  if (code !== SUBMIT_CODE.waiting || status === undefined) return { taskId, status: "SUBMITTED" };
  const isDone = taskStatus(status) === "SUCCESS";
  return { taskId, status: taskStatus(status), ...(isDone ? { progress: 100, resultUrl: textOf(imageUrl) } : {}) };
}

function answer(submission: Submission, body: JsonObject): SubmissionAnswer | undefined {
  const code = numberOf(body["code"]);
  if (code === undefined) return undefined;
  if (!ACCEPTED_CODES.includes(code))
    return {
      isAccepted: false,
      code,
      message: textOf(body["description"]),
      isBusy: BUSY_CODES.includes(code),
      reply: body,
    };
  const event = firstEvent(submission, code, body);
  if (event === undefined) return undefined;
  const keepsCode = code === SUBMIT_CODE.waiting && WINDOWED.includes(submission.action);
  return { isAccepted: true, code, event, reply: keepsCode ? body : { ...body, code: SUBMIT_CODE.submitted } };
}

const polls = (tasks: readonly StoredTask[]): Poll[] =>
  batchesOf(tasks).map((batch) => ({
    method: "POST",
    path: "/mj/task/list-by-condition",
    fields: { ids: [...new Set(batch.map(({ task_id }) => task_id))] },
    tasks: batch,
  }));

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Addresses of films in a task object of a proxy, the first one first; undefined where it names none. */
function videoUrls({ videoUrl, videoUrls: several }: JsonObject): string[] | undefined {
  const named = [textOf(videoUrl), ...listOf(several).map((each) => textOf(objectOf(each)["url"]))];
  const urls = [...new Set(named)].filter((url) => /^https?:/.test(url) && url.length <= MAX_VIDEO_URL);
  return urls.length === 0 ? undefined : urls.slice(0, MAX_VIDEOS);
}

/** The event in a task object of a proxy, from an answer or a notification; undefined for what is none. */
export function imageEvent(value: unknown): TaskEvent | undefined {
  if (!isObject(value)) return undefined;
  const taskId = idOf(value["id"]);
  if (taskId === "") return undefined;
  const status = value["status"] === undefined || value["status"] === null ? undefined : taskStatus(value["status"]);
  const { promptEn, description, state, buttons, maskBase64, properties } = value;
  const data = defined({
    prompt_en: text(promptEn),
    description: text(description),
    state: text(state) || undefined,
    buttons: Array.isArray(buttons) ? buttons : undefined,
    mask_base64: text(maskBase64),
    video_urls: videoUrls(value),
    properties: isObject(properties) ? properties : undefined,
  });
  return {
    taskId,
    data,
    ...defined({
      status,
      progress: status === "SUCCESS" ? 100 : percent(value["progress"]),
      resultUrl: text(value["imageUrl"]) || undefined,
      failReason: text(value["failReason"]) || undefined,
      startMs: milliseconds(value["startTime"]) || undefined,
      finishMs: milliseconds(value["finishTime"]) || undefined,
    }),
  };
}

function events(_poll: Poll, status: number, body: unknown): TaskEvent[] | undefined {
  if (status !== 200 || !Array.isArray(body)) return undefined;
  return body.flatMap((each) => imageEvent(each) ?? []);
}

function view(task: StoredTask, imageUrl: string): JsonObject {
  const data = parseObject(task.data) ?? {};
  const properties = objectOf(data["properties"]);
  const videos = listOf(data["video_urls"]).map(textOf);
  return {
    id: task.task_id,
    action: task.action,
    customId: textOf(data["custom_id"]),
    botType: textOf(data["bot_type"]),
    prompt: task.prompt,
    promptEn: textOf(data["prompt_en"]),
    description: textOf(data["description"]),
    state: textOf(data["state"]),
    submitTime: task.submit_time_ms,
    startTime: task.start_time_ms,
    finishTime: task.finish_time_ms,
    imageUrl: imageUrl,
    ...(videos[0] === undefined ? {} : { videoUrl: videos[0], videoUrls: videos.map((url) => ({ url })) }),
    status: task.status,
    progress: `${task.progress}%`,
    failReason: failText(task),
    buttons: listOf(data["buttons"]) as JsonObject[],
    maskBase64: textOf(data["mask_base64"]),
    properties: {
      finalPrompt: textOf(properties["finalPrompt"]),
      finalZhPrompt: textOf(properties["finalZhPrompt"]),
    },
  };
}

export const image: TaskKind = {
  platform: "mj",
  operation: "drawings",
  silenceSeconds: 3_600,
  submission,
  answer,
  polls,
  events,
  view,
};
