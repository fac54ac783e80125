/** Songs and lyrics of Suno, by the API of the servers that operators run for it (github.com/Suno-API/Suno-API). */
import { SONG_MODELS, type SongAction, taskStatus } from "../../../../contract/src/tasks.ts";
import { defined, isObject, listOf, ownOf, textOf } from "../../dialects/json/fields.ts";
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
  refuseOtherSpellings,
} from "./kind.ts";

const DEFAULT_VERSION = "chirp-v3-0";
/** Fields that say what is made, and from which song. */
const FIELDS = ["prompt", "gpt_description_prompt", "mv", "continue_clip_id", "task_id"] as const;

/** Throws TaskRefusal. */
function submission({ verb, fields }: TaskRequest): Submission {
  refuseOtherSpellings(fields, FIELDS);
  const action = verb.replace(/^submit\//, "").toUpperCase();
  const model = ownOf<string>(SONG_MODELS, action);
  if (model === undefined) throw new TaskRefusal("invalid_action", "The action is not MUSIC or LYRICS.");
  if (action === "LYRICS" && textOf(fields["prompt"]).trim() === "")
    throw new TaskRefusal("prompt_empty", "The request has no 'prompt'.", "prompt");
  const goesOn = textOf(fields["continue_clip_id"]) !== "";
  const taskId = textOf(fields["task_id"]);
  if (goesOn && taskId === "")
    throw new TaskRefusal("task_id_empty", "'continue_clip_id' needs the 'task_id' of its song.", "task_id");
  const input = textOf(fields["gpt_description_prompt"]) || textOf(fields["prompt"]);
  const isMusic = (action as SongAction) === "MUSIC"; // one of SONG_MODELS
  return {
    action,
    model,
    path: `/suno/submit/${action}`,
    fields: isMusic && textOf(fields["mv"]) === "" ? { ...fields, mv: DEFAULT_VERSION } : fields,
    prompt: input,
    properties: { input },
    data: null,
    notifyUrl: "",
    acceptsNotifications: false,
    ...(goesOn ? { origin: { taskId, mustHaveSucceeded: false } } : {}),
    callFactor: "1",
  };
}

function answer(_submission: Submission, body: JsonObject): SubmissionAnswer | undefined {
  const code = textOf(body["code"]);
  if (code === "") return undefined;
  const message = textOf(body["message"]);
  if (code !== "success") return { isAccepted: false, code: 0, message: message || code, isBusy: false, reply: body };
  const taskId = textOf(body["data"]);
  return taskId === "" ? undefined : { isAccepted: true, code: 1, event: { taskId, status: "NOT_START" }, reply: body };
}

const polls = (tasks: readonly StoredTask[]): Poll[] =>
  batchesOf(tasks).map((batch) => ({
    method: "POST",
    path: "/suno/fetch",
    fields: { ids: batch.map(({ task_id }) => task_id) },
    tasks: batch,
  }));

/** The address of the first song that has audio; lyrics have none. */
const audioOf = (data: unknown): string =>
  listOf(data)
    .map((each) => (isObject(each) ? textOf(each["audio_url"]) : ""))
    .find((url) => url !== "") ?? "";

function eventOf(value: unknown): TaskEvent | undefined {
  if (!isObject(value)) return undefined;
  const taskId = textOf(value["task_id"]);
  if (taskId === "") return undefined;
  const failReason = textOf(value["fail_reason"]);
  const reported = value["status"] === undefined ? undefined : taskStatus(value["status"]);
  // A reason is given for nothing but a failure, whatever the status says.
  const status = failReason === "" ? reported : "FAILURE";
  const { data } = value;
  return {
    taskId,
    ...defined({
      status,
      progress: status === "SUCCESS" ? 100 : undefined,
      failReason: failReason || undefined,
      startMs: milliseconds(value["start_time"]) || undefined,
      finishMs: milliseconds(value["finish_time"]) || undefined,
      resultUrl: audioOf(data) || undefined,
      data: data === null ? undefined : data,
    }),
  };
}

function events(_poll: Poll, status: number, body: unknown): TaskEvent[] | undefined {
  if (status !== 200 || !isObject(body) || body["code"] !== "success" || !Array.isArray(body["data"])) return undefined;
  return body["data"].flatMap((each) => eventOf(each) ?? []);
}

const seconds = (timeMs: number): number => Math.floor(timeMs / 1000);

function view(task: StoredTask): JsonObject {
  return {
    task_id: task.task_id,
    action: task.action,
    status: task.status,
    fail_reason: failText(task),
    submit_time: seconds(task.submit_time_ms),
    start_time: seconds(task.start_time_ms),
    finish_time: seconds(task.finish_time_ms),
    progress: `${task.progress}%`,
    data: JSON.parse(task.data) as JsonObject, // written as JSON
  };
}

export const song: TaskKind = {
  platform: "suno",
  operation: "songs",
  silenceSeconds: 3_600,
  submission,
  answer,
  polls,
  events,
  view,
};
