/** Jimeng's own form of videos (volcengine.com/docs/85621), also to channels of other vendors: one path, whose query names what is asked for. */
import { listOf, numberOf, textOf } from "../../../dialects/json/fields.ts";
import type { JsonObject } from "../../../dialects/neutral/neutral.ts";
import { TaskRefusal, failText } from "../kind.ts";
import { type ClientVideo, type VideoForm, optionalText, seedOf, without } from "./form.ts";
import { JIMENG_FIELDS, framesOf } from "./jimeng.ts";
import { type VideoRequest, imageOf, knownFields } from "./request.ts";

const LENGTHS = [5, 10] as const;

/** The fields that have a value. Throws TaskRefusal. */
function own({ fields: given }: ClientVideo): JsonObject {
  const fields = knownFields(given, JIMENG_FIELDS, "Jimeng's API");
  if (textOf(fields["req_key"]) === "")
    throw new TaskRefusal("model_missing", "The request has no 'req_key'.", "req_key");
  const hasImages = listOf(fields["image_urls"]).length + listOf(fields["binary_data_base64"]).length > 0;
  if (textOf(fields["prompt"]).trim() === "" && !hasImages)
    throw new TaskRefusal("prompt_missing", "The request has no 'prompt'.", "prompt");
  return fields;
}

function secondsOf(frames: unknown): number {
  if (frames === undefined) return LENGTHS[0];
  const seconds = LENGTHS.find((each) => framesOf(each) === numberOf(frames));
  if (seconds === undefined)
    throw new TaskRefusal("invalid_value", `'frames' is ${LENGTHS.map(framesOf).join(" or ")}.`, "frames");
  return seconds;
}

function read(asked: ClientVideo): VideoRequest {
  const fields = own(asked);
  const names = ["image_urls", "binary_data_base64"] as const;
  const images = names.flatMap((name) => listOf(fields[name]).map((value) => ({ name, value })));
  if (images.length > 2) throw new TaskRefusal("invalid_value", "A video starts from 2 images at most.", "image_urls");
  return without({
    model: textOf(fields["req_key"]),
    prompt: textOf(fields["prompt"]),
    images: images.map(({ name, value }, at) => imageOf(value, at === 0 ? "first" : "last", name)),
    seconds: secondsOf(fields["frames"]),
    aspectRatio: optionalText(fields["aspect_ratio"]),
    seed: fields["seed"] === -1 ? undefined : seedOf(fields["seed"]),
    metadata: {},
  });
}

const SUCCESS = 10_000;
/** The code of a task that failed for a reason which is in the message. */
const FAILED = 50_500;
const STATES: Readonly<Record<string, string>> = { SUCCESS: "done", IN_PROGRESS: "generating" };

const answered = (code: number, message: string, requestId: string, data: JsonObject | null): JsonObject => ({
  code,
  data,
  message,
  request_id: requestId,
  status: code,
});

export const jimengForm: VideoForm = {
  ownOf: ["jimeng"],
  read,
  own,
  taken: ({ taskId, requestId }) => answered(SUCCESS, "Success", requestId, { task_id: taskId }),
  view(task, url) {
    if (task.status === "FAILURE") return answered(FAILED, failText(task), task.request_id, null);
    const video_url = task.status === "SUCCESS" ? url : "";
    return answered(SUCCESS, "Success", task.request_id, { status: STATES[task.status] ?? "in_queue", video_url });
  },
};
