/** Image tasks of a Midjourney proxy: what clients ask for, what the proxy answers and reports, and what its clients read (github.com/novicezk/midjourney-proxy, docs/api.md). */
import {
  ACCEPTED_CODES,
  IMAGE_MODELS,
  type ImageAction,
  type ImageTaskData,
  SUBMIT_CODE,
} from "../../../../contract/src/tasks/kinds.ts";
import { taskStatus } from "../../../../contract/src/tasks/task.ts";
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
  type TaskNews,
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

/** `MJ::JOB::upsample::1::<uuid>`, `MJ::Inpaint::1::<uuid>::SOLO`. Throws TaskRefusal. */
function buttonAction(customId: string): ImageAction {
  const id = customId.toLowerCase();
  const found = id.startsWith("mj::") ? BUTTONS.find(([part]) => id.includes(part)) : undefined;
  if (found === undefined) throw unknownAction(`'customId' names no action that is known here`);
  return found[1];
}

const LETTERS: Readonly<Record<string, ImageAction>> = { u: "UPSCALE", v: "VARIATION", r: "REROLL" };
const SIMPLE_CHANGE = /^(\S+)\s+(?:([uv])([1-4])|(r))$/i;

/** `<task id> u1`, `v3` or `r`. Throws TaskRefusal. */
function simpleChange(content: string): { taskId: string; action: ImageAction } {
  const match = SIMPLE_CHANGE.exec(content.trim());
  const action = ownOf(LETTERS, (match?.[2] ?? match?.[4] ?? "").toLowerCase());
  if (match?.[1] === undefined || action === undefined)
    throw unknownAction("'content' is not written as a task id and u1 to u4, v1 to v4 or r");
  return { taskId: match[1], action };
}

/** Actions that `submit/change` takes, and whether they name one of four pictures. */
const CHANGES: Readonly<Record<string, boolean>> = { UPSCALE: true, VARIATION: true, REROLL: false };

/** Throws TaskRefusal. */
function changeAction({ action, index }: JsonObject): ImageAction {
  const name = textOf(action).toUpperCase();
  const needsIndex = ownOf(CHANGES, name);
  if (needsIndex === undefined) throw unknownAction("'action' is not UPSCALE, VARIATION or REROLL");
  if (needsIndex && !(Number.isInteger(index) && Number(index) >= 1 && Number(index) <= 4))
    throw new TaskRefusal("index_invalid", "'index' is not 1 to 4", "index");
  return name as ImageAction; // one of CHANGES
}

/** Throws TaskRefusal where a text is missing or empty. */
function neededText(fields: JsonObject, name: string, code = `${name}_required`): string {
  const text = textOf(fields[name]);
  if (text.trim() === "") throw new TaskRefusal(code, `The request has no '${name}'.`, name);
  return text;
}

/** Throws TaskRefusal where there are fewer. */
function neededTexts(fields: JsonObject, name: string, least: number): void {
  const texts = listOf(fields[name]).filter((each) => typeof each === "string" && each !== "");
  if (texts.length < least)
    throw new TaskRefusal(`${name}_required`, `The request has fewer than ${least} in '${name}'.`, name);
}

interface Asked {
  action: ImageAction;
  /** The task it goes on from. */
  origin?: { taskId: string; mustHaveSucceeded: boolean };
}

/** Reads what a path asks for. Throws TaskRefusal. */
type Reader = (fields: JsonObject, checksOrigin: boolean) => Asked;

const origin = (fields: JsonObject, mustHaveSucceeded: boolean) => ({
  origin: { taskId: neededText(fields, "taskId"), mustHaveSucceeded },
});

function needsPicture(fields: JsonObject): void {
  if (textOf(fields["base64"]) === "" && textOf(fields["link"]) === "") neededText(fields, "base64");
}

const READERS: Readonly<Record<string, Reader>> = {
  "submit/imagine": (fields) => (neededText(fields, "prompt", "prompt_empty"), { action: "IMAGINE" }),
  "submit/shorten": (fields) => (neededText(fields, "prompt", "prompt_empty"), { action: "SHORTEN" }),
  "submit/describe": (fields) => (needsPicture(fields), { action: "DESCRIBE" }),
  "submit/blend": (fields) => (neededTexts(fields, "base64Array", 2), { action: "BLEND" }),
  "submit/upload-discord-images": (fields) => (neededTexts(fields, "base64Array", 1), { action: "UPLOAD" }),
  "submit/change": (fields, checks) => ({ action: changeAction(fields), ...origin(fields, checks) }),
  "submit/simple-change": (fields, checks) => {
    const { taskId, action } = simpleChange(neededText(fields, "content"));
    return { action, origin: { taskId, mustHaveSucceeded: checks } };
  },
  "submit/action": (fields, checks) => ({
    action: buttonAction(neededText(fields, "customId")),
    ...origin(fields, checks),
  }),
  // The window belongs to a task that waits for just this.
  "submit/modal": (fields) => ({ action: "MODAL", ...origin(fields, false) }),
  "insight-face/swap": (fields) => {
    neededText(fields, "sourceBase64");
    neededText(fields, "targetBase64");
    return { action: "SWAP_FACE" };
  },
};

/** Paths behind `/mj/` at which work is handed over. */
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

/** Fields that say what is drawn and which price it has, or are taken out here. */
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
    properties: {},
  };
}

/** Throws TaskRefusal. */
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
    takesNotices: options.MjNotifyEnabled,
    callFactor: "1",
  };
}

/** Codes that say that the proxy is busy, not what it thinks of the request. */
const BUSY_CODES: readonly number[] = [SUBMIT_CODE.noInstance, SUBMIT_CODE.queueFull, SUBMIT_CODE.busy];
/** These wait for a window: their clients have to know. */
const WINDOWED: readonly string[] = ["INPAINT", "CUSTOM_ZOOM"];

const idOf = (value: unknown): string => (typeof value === "number" ? String(value) : textOf(value));

/** The task of an accepted submission as it stands at once. */
function firstNews({ action }: Submission, code: number, { result, properties }: JsonObject): TaskNews | undefined {
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
  const news = firstNews(submission, code, body);
  if (news === undefined) return undefined;
  const keepsCode = code === SUBMIT_CODE.waiting && WINDOWED.includes(submission.action);
  return { isAccepted: true, code, news, reply: keepsCode ? body : { ...body, code: SUBMIT_CODE.submitted } };
}

const polls = (tasks: readonly StoredTask[]): Poll[] =>
  batchesOf(tasks).map((batch) => ({
    method: "POST",
    path: "/mj/task/list-by-condition",
    fields: { ids: [...new Set(batch.map(({ task_id }) => task_id))] },
    tasks: batch,
  }));

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** A task as a proxy tells of it, in an answer or in a notice; undefined for what is none. */
export function imageNews(value: unknown): TaskNews | undefined {
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

function news(_poll: Poll, status: number, body: unknown): TaskNews[] | undefined {
  if (status !== 200 || !Array.isArray(body)) return undefined;
  return body.flatMap((each) => imageNews(each) ?? []);
}

function view(task: StoredTask, pictureUrl: string): JsonObject {
  const data = parseObject(task.data) ?? {};
  const properties = objectOf(data["properties"]);
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
    imageUrl: pictureUrl,
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

export const drawing: TaskKind = {
  platform: "mj",
  operation: "drawings",
  silenceSeconds: 3_600,
  submission,
  answer,
  polls,
  news,
  view,
};
