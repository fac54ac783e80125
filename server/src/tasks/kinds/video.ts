/** Videos by OpenAI's API (developers.openai.com/api/reference/resources/videos) and by Gemini's long-running operations (ai.google.dev/gemini-api/docs/video). */
import type { VideoProperties } from "../../../../contract/src/tasks/song-and-video.ts";
import type { TaskStatus } from "../../../../contract/src/tasks/task.ts";
import { isObject, listOf, objectOf, ownOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { failText } from "./fail-text.ts";
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
import { remixOf, videoSubmission } from "./video-request.ts";

const STATUSES: Readonly<Record<string, TaskStatus>> = {
  queued: "QUEUED",
  in_progress: "IN_PROGRESS",
  completed: "SUCCESS",
  failed: "FAILURE",
};

/** The same the other way round, as OpenAI's clients read it. */
const statusOf = (status: string): string =>
  Object.entries(STATUSES).find(([, each]) => each === status)?.[0] ?? (status === "FAILURE" ? "failed" : "queued");

const isOpenAi = ({ properties }: Pick<Submission, "properties">): boolean => properties["format"] === "openai";

/** What a task keeps of its request. */
export function videoProperties(task: Pick<StoredTask, "properties">): VideoProperties {
  const { format, seconds, size } = parseObject(task.properties) ?? {};
  return {
    format: format === "gemini" ? "gemini" : "openai",
    seconds: typeof seconds === "number" ? seconds : 0,
    size: textOf(size),
  };
}

/** A video object of OpenAI's. */
function videoNews(video: JsonObject): TaskNews | undefined {
  const taskId = textOf(video["id"]);
  if (taskId === "") return undefined;
  const status = ownOf(STATUSES, textOf(video["status"])) ?? "UNKNOWN";
  const progress = percent(video["progress"]);
  const failReason = textOf(objectOf(video["error"])["message"]);
  const finishMs = milliseconds(video["completed_at"]);
  return {
    taskId,
    status,
    data: video,
    ...(progress === undefined ? {} : { progress }),
    ...(failReason === "" ? {} : { failReason }),
    ...(finishMs === 0 ? {} : { finishMs }),
  };
}

/** Samples of an operation that is done; a filter may have kept all of them back. */
function samplesOf(response: JsonObject): { uri: string; filtered: string } {
  const made = objectOf(response["generateVideoResponse"]);
  const samples = listOf(made["generatedSamples"]).map((each) => textOf(objectOf(objectOf(each)["video"])["uri"]));
  return { uri: samples.find((uri) => uri !== "") ?? "", filtered: textOf(listOf(made["raiMediaFilteredReasons"])[0]) };
}

/** An operation of Gemini's. */
function operationNews(operation: JsonObject): TaskNews | undefined {
  const taskId = textOf(operation["name"]);
  if (taskId === "") return undefined;
  if (operation["done"] !== true) return { taskId, status: "IN_PROGRESS" };
  const { error, response } = operation;
  if (isObject(error)) return { taskId, status: "FAILURE", failReason: textOf(error["message"]) };
  const { uri, filtered } = samplesOf(objectOf(response));
  if (uri === "") return { taskId, status: "FAILURE", failReason: filtered };
  return { taskId, status: "SUCCESS", resultUrl: uri, data: response };
}

function answer(submission: Submission, body: JsonObject): SubmissionAnswer | undefined {
  const news = isOpenAi(submission) ? videoNews(body) : operationNews(body);
  if (news === undefined) return undefined;
  const reply = isOpenAi(submission) ? { ...body, model: submission.model } : { name: news.taskId };
  return { isAccepted: true, code: 1, news, reply };
}

/** Each has a question of its own. */
function polls(tasks: readonly StoredTask[]): Poll[] {
  return tasks.map((task) => {
    const id = task.task_id;
    const path = videoProperties(task).format === "gemini" ? `/v1beta/${id}` : `/v1/videos/${encodeURIComponent(id)}`;
    return { method: "GET", path, tasks: [task] };
  });
}

function news({ tasks: [task] }: Poll, status: number, body: unknown): TaskNews[] | undefined {
  // It is known that it is not known.
  if (status === 404) return [];
  if (status !== 200 || !isObject(body) || task === undefined) return undefined;
  const told = videoProperties(task).format === "gemini" ? operationNews(body) : videoNews(body);
  return told === undefined ? undefined : [told];
}

const seconds = (timeMs: number): number | null => (timeMs === 0 ? null : Math.floor(timeMs / 1000));

/** As a video object of OpenAI's, whoever makes it. */
function view(task: StoredTask): JsonObject {
  const { format, seconds: length, size } = videoProperties(task);
  const told = format === "openai" ? (parseObject(task.data) ?? {}) : {};
  const isFailed = task.status === "FAILURE";
  return {
    seconds: String(length),
    size,
    expires_at: null,
    remixed_from_video_id: null,
    ...told,
    id: task.task_id,
    object: "video",
    created_at: Math.floor(task.submit_time_ms / 1000),
    completed_at: task.status === "SUCCESS" ? seconds(task.finish_time_ms) : null,
    model: task.model,
    prompt: task.prompt,
    status: statusOf(task.status),
    progress: isFailed ? 0 : task.progress,
    error: isFailed ? { code: task.fail_code || "video_generation_failed", message: failText(task) } : null,
  };
}

/** As an operation of Gemini's; the video is fetched at `contentUrl`, with the caller's own key. */
export function operationView(task: StoredTask, contentUrl: string): JsonObject {
  const name = task.task_id;
  if (task.status === "FAILURE") return { name, done: true, error: { code: 13, message: failText(task) } };
  if (task.status !== "SUCCESS") return { name };
  const response = {
    "@type": "type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse",
    generateVideoResponse: { generatedSamples: [{ video: { uri: contentUrl } }] },
  };
  return { name, done: true, response };
}

export const video: TaskKind = {
  platform: "video",
  operation: "videos",
  silenceSeconds: 7_200,
  submission: videoSubmission,
  goingOn: (submission, origin) => remixOf(submission, origin, videoProperties(origin)),
  answer,
  polls,
  news,
  view,
};
