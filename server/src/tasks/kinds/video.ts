/** Videos by OpenAI's API (developers.openai.com/api/reference/resources/videos) and by Gemini's long-running operations (ai.google.dev/gemini-api/docs/video). */
import type { TaskStatus, VideoProperties } from "../../../../contract/src/tasks.ts";
import { isObject, listOf, numberOf, objectOf, ownOf, parseObject, textOf } from "../../dialects/json/fields.ts";
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
  failText,
  foldedName,
  milliseconds,
  percent,
  refuseOtherSpellings,
} from "./kind.ts";

/** What OpenAI takes where nothing is said, and Gemini. */
const OPENAI_SECONDS = 4;
const GEMINI_SECONDS = 8;
const DEFAULT_SIZE = "720x1280";
const DEFAULT_MODEL = "sora-2";
/** Longer videos and more of them are a mistake. */
const MAX_SECONDS = 120;
const MAX_SAMPLES = 4;

/**
 * Tenths of its listed price that a model's second costs in a size; all of it in others. The first that fits. Listed is for sora-2-pro the
 * price of 1024 lines, of USD 0.30, 0.50 and 0.70 (developers.openai.com/api/docs/pricing); for Veo that of 720 lines, of USD 0.40, 0.40
 * and 0.60 with 1080 lines and in 4K, 0.10, 0.12 and 0.30 for the fast one, 0.05 and 0.08 for the light one (ai.google.dev/gemini-api/docs/pricing).
 */
const SIZE_TENTHS: readonly (readonly [model: RegExp, tenths: Readonly<Record<string, number>>])[] = [
  [/^sora-2-pro/, { "720x1280": 6, "1280x720": 6, "1080x1920": 14, "1920x1080": 14 }],
  [/^veo-3\.1-fast/, { "1080p": 12, "4k": 30 }],
  [/^veo-3\.1-lite/, { "1080p": 16 }],
  [/^veo-3\.1/, { "4k": 15 }],
];
const TENTHS = 10;

/** Seconds times the factor of the size, as decimal text. */
function factorOf(model: string, seconds: number, size: string): string {
  const sizes = SIZE_TENTHS.find(([name]) => name.test(model))?.[1] ?? {};
  const tenths = seconds * (ownOf(sizes, size) ?? TENTHS);
  return `${Math.floor(tenths / TENTHS)}.${tenths % TENTHS}`.replace(/\.0$/, "");
}

/** Fields that say what a video is and costs, as each API writes them. */
const OPENAI_FIELDS = ["model", "prompt", "seconds", "size"] as const;
const GEMINI_FIELDS = ["instances", "parameters"] as const;
const PARAMETERS = ["durationSeconds", "sampleCount", "numberOfVideos", "aspectRatio", "resolution"] as const;
const INSTANCE = ["prompt"] as const;
/** Names of a length, a number or a size that compatible servers read, without case and marks: they would go on uncharged. */
const UNREAD: ReadonlySet<string> = new Set([
  "seconds",
  "duration",
  "durationseconds",
  "videolength",
  "n",
  "samplecount",
  "numberofvideos",
  "numvideos",
  "resolution",
]);

/** Throws TaskRefusal naming a field that would make more or longer videos than are charged. */
function refuseUncharged(fields: JsonObject, read: readonly string[], charged: string): void {
  refuseOtherSpellings(fields, read);
  const name = Object.keys(fields).find((each) => !read.includes(each) && UNREAD.has(foldedName(each)));
  if (name === undefined) return;
  const message = `The field '${name}' would change what the video costs and is not read here: use ${charged}.`;
  throw new TaskRefusal("ambiguous_field", message, name);
}

/** A whole number from 1 on, also as text. Throws TaskRefusal. */
function wholeNumber(value: unknown, name: string, otherwise: number, most: number): number {
  if (value === undefined || value === null || value === "") return otherwise;
  const number = typeof value === "string" ? (/^\d+$/.test(value) ? Number(value) : undefined) : numberOf(value);
  if (number === undefined || !Number.isInteger(number) || number < 1 || number > most)
    throw new TaskRefusal("invalid_value", `'${name}' must be a whole number from 1 to ${most}.`, name);
  return number;
}

/** Throws TaskRefusal. */
function promptOf(prompt: unknown): string {
  const text = textOf(prompt);
  if (text.trim() === "") throw new TaskRefusal("prompt_missing", "The request has no 'prompt'.", "prompt");
  return text;
}

const generation = (
  made: Pick<Submission, "model" | "path" | "fields" | "prompt" | "callFactor"> & { properties: VideoProperties },
): Submission => ({
  action: "GENERATE",
  data: null,
  notifyUrl: "",
  acceptsNotifications: false,
  ...made,
  properties: { ...made.properties },
});

function openAi(fields: JsonObject): Submission {
  refuseUncharged(fields, OPENAI_FIELDS, "'seconds' and 'size'");
  const prompt = promptOf(fields["prompt"]);
  const model = textOf(fields["model"]) || DEFAULT_MODEL;
  const seconds = wholeNumber(fields["seconds"], "seconds", OPENAI_SECONDS, MAX_SECONDS);
  const size = textOf(fields["size"]).trim().toLowerCase() || DEFAULT_SIZE;
  const properties = { format: "openai", seconds, size } as const;
  const callFactor = factorOf(model, seconds, size);
  return { ...generation({ model, path: "/v1/videos", fields, prompt, callFactor, properties }), namesModel: true };
}

function gemini(fields: JsonObject, model: string): Submission {
  refuseUncharged(fields, GEMINI_FIELDS, "'parameters'");
  const instances = listOf(fields["instances"]).map(objectOf);
  for (const instance of instances) refuseUncharged(instance, INSTANCE, "'parameters'");
  const prompt = promptOf(instances[0]?.["prompt"]);
  const parameters = objectOf(fields["parameters"]);
  refuseUncharged(parameters, PARAMETERS, "'durationSeconds' and 'sampleCount'");
  const { durationSeconds, sampleCount, numberOfVideos, aspectRatio, resolution } = parameters;
  if (sampleCount !== undefined && numberOfVideos !== undefined)
    throw new TaskRefusal(
      "ambiguous_field",
      "'sampleCount' and 'numberOfVideos' are the same: send one.",
      "sampleCount",
    );
  const seconds = wholeNumber(durationSeconds, "durationSeconds", GEMINI_SECONDS, MAX_SECONDS);
  const samples = wholeNumber(sampleCount ?? numberOfVideos, "sampleCount", 1, MAX_SAMPLES);
  const videos = instances.length * samples;
  if (videos > MAX_SAMPLES)
    throw new TaskRefusal("invalid_value", `'instances' ask for more than ${MAX_SAMPLES} videos.`, "instances");
  const lines = textOf(resolution).trim().toLowerCase();
  const size = [textOf(aspectRatio), lines].filter((part) => part !== "").join(" ");
  const properties = { format: "gemini", seconds, size } as const;
  const path = "/v1beta/models/{model}:predictLongRunning";
  return generation({ model, path, fields, prompt, callFactor: factorOf(model, seconds * videos, lines), properties });
}

/** What a task keeps of its request. */
export function videoProperties(task: Pick<StoredTask, "properties">): VideoProperties {
  const { format, seconds, size } = parseObject(task.properties) ?? {};
  return {
    format: format === "gemini" ? "gemini" : "openai",
    seconds: typeof seconds === "number" ? seconds : 0,
    size: textOf(size),
  };
}

/** The same video by another prompt. Nothing else goes on, so that length and size, and with them the price, are those of the original. */
function remix(fields: JsonObject, taskId: string): Submission {
  const prompt = promptOf(fields["prompt"]);
  const path = `/v1/videos/${encodeURIComponent(taskId)}/remix`;
  const properties = { format: "openai", seconds: 0, size: "" } as const;
  const made = generation({ model: "", path, fields: { prompt }, prompt, callFactor: "1", properties });
  return { ...made, action: "REMIX", origin: { taskId, mustHaveSucceeded: true } };
}

/** A remix with model, length, size and price of its original. Throws TaskRefusal for one that is no video of OpenAI's API. */
function remixOf(asked: Submission, origin: StoredTask): Submission {
  const properties = videoProperties(origin);
  const { format, seconds, size } = properties;
  if (format !== "openai")
    throw new TaskRefusal("video_not_remixable", "Its upstream makes no new video of another one.", "video_id");
  const { model } = origin;
  return { ...asked, model, callFactor: factorOf(model, seconds, size), properties: { ...properties } };
}

/** `verb` is the model for Gemini, which its path names; `id` the video that a remix is of. Throws TaskRefusal. */
function submission({ verb, id, fields }: TaskRequest): Submission {
  if (id !== "") return remix(fields, id);
  return verb === "" ? openAi(fields) : gemini(fields, verb);
}

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

/** A video object of OpenAI's. */
function videoEvent(video: JsonObject): TaskEvent | undefined {
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
function operationEvent(operation: JsonObject): TaskEvent | undefined {
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
  const event = isOpenAi(submission) ? videoEvent(body) : operationEvent(body);
  if (event === undefined) return undefined;
  const reply = isOpenAi(submission) ? { ...body, model: submission.model } : { name: event.taskId };
  return { isAccepted: true, code: 1, event, reply };
}

/** One for each task: neither API reports several videos at once. */
function polls(tasks: readonly StoredTask[]): Poll[] {
  return tasks.map((task) => {
    const id = task.task_id;
    const path = videoProperties(task).format === "gemini" ? `/v1beta/${id}` : `/v1/videos/${encodeURIComponent(id)}`;
    return { method: "GET", path, tasks: [task] };
  });
}

function events({ tasks: [task] }: Poll, status: number, body: unknown): TaskEvent[] | undefined {
  // An answer: the upstream does not know the task.
  if (status === 404) return [];
  if (status !== 200 || !isObject(body) || task === undefined) return undefined;
  const event = videoProperties(task).format === "gemini" ? operationEvent(body) : videoEvent(body);
  return event === undefined ? undefined : [event];
}

const seconds = (timeMs: number): number | null => (timeMs === 0 ? null : Math.floor(timeMs / 1000));

/** As a video object of OpenAI's API, also where the upstream has another API. */
function view(task: StoredTask): JsonObject {
  const { format, seconds: length, size } = videoProperties(task);
  const reported = format === "openai" ? (parseObject(task.data) ?? {}) : {};
  const isFailed = task.status === "FAILURE";
  return {
    seconds: String(length),
    size,
    expires_at: null,
    remixed_from_video_id: null,
    ...reported,
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
  submission,
  continued: remixOf,
  answer,
  polls,
  events,
  view,
};
