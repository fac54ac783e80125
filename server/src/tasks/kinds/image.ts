/** Drawings: what a Midjourney proxy answers and tells, and what its clients read (github.com/novicezk/midjourney-proxy, docs/api.md). */
import { ACCEPTED_CODES, SUBMIT_CODE } from "../../../../contract/src/tasks/image.ts";
import { taskStatus } from "../../../../contract/src/tasks/task.ts";
import { defined, isObject, listOf, numberOf, objectOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import {
  type Poll,
  type StoredTask,
  type Submission,
  type SubmissionAnswer,
  type TaskKind,
  type TaskNews,
  milliseconds,
  percent,
} from "./kind.ts";
import { failText } from "./fail-text.ts";
import { drawingSubmission } from "./image-request.ts";

/** Codes that say that the proxy is busy, not what it thinks of the request. */
const BUSY_CODES: readonly number[] = [SUBMIT_CODE.noInstance, SUBMIT_CODE.queueFull, SUBMIT_CODE.busy];
/** These wait for a window: their clients have to know. */
const WINDOWED: readonly string[] = ["INPAINT", "CUSTOM_ZOOM"];
const IDS_PER_POLL = 100;

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

function polls(tasks: readonly StoredTask[]): Poll[] {
  const batches = Array.from({ length: Math.ceil(tasks.length / IDS_PER_POLL) }, (_, index) =>
    tasks.slice(index * IDS_PER_POLL, (index + 1) * IDS_PER_POLL),
  );
  return batches.map((batch) => ({
    method: "POST",
    path: "/mj/task/list-by-condition",
    fields: { ids: [...new Set(batch.map(({ task_id }) => task_id))] },
    tasks: batch,
  }));
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** A task as a proxy tells of it, in an answer or in a notice; undefined for what is none. */
export function drawingNews(value: unknown): TaskNews | undefined {
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
  return body.flatMap((each) => drawingNews(each) ?? []);
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
  submission: drawingSubmission,
  answer,
  polls,
  news,
  view,
};
