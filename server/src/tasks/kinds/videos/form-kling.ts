/** Kling's own form of videos (app.klingai.com/global/dev/document-api), also to channels of other vendors. */
import { numberOf, textOf } from "../../../dialects/json/fields.ts";
import type { JsonObject } from "../../../dialects/neutral/neutral.ts";
import { type StoredTask, TaskRefusal, failText } from "../kind.ts";
import { type ClientVideo, type VideoForm, optionalText, switchOf, without } from "./form.ts";
import { DEFAULT_KLING_MODEL, KLING_FIELDS } from "./kling.ts";
import { MAX_SECONDS, type VideoRequest, imageOf, knownFields, promptOf, wholeNumber } from "./request.ts";

const IMAGES = ["image", "image_tail"] as const;
/** What only Kling's models can do. */
const KLINGS_OWN = ["cfg_scale", "camera_control", "static_mask", "dynamic_masks", "watermark_info"] as const;

/** The fields that have a value, with the model under its one name. Throws TaskRefusal. */
function own({ verb, fields: { model, ...given } }: ClientVideo): JsonObject {
  if (model !== undefined && given["model_name"] !== undefined && model !== given["model_name"])
    throw new TaskRefusal("ambiguous_field", "'model' and 'model_name' name two models: send one.", "model");
  const fields = knownFields(given, KLING_FIELDS, "Kling's API");
  const hasImage = IMAGES.some((name) => fields[name] !== undefined);
  const image = IMAGES.find((name) => fields[name] !== undefined) ?? "image";
  if (hasImage !== (verb === "image2video"))
    throw new TaskRefusal("invalid_value", `'${image}' goes to image2video, and what has none to text2video.`, image);
  const cfg = fields["cfg_scale"];
  if (cfg !== undefined && (numberOf(cfg) === undefined || Number(cfg) < 0 || Number(cfg) > 1))
    throw new TaskRefusal("invalid_value", "'cfg_scale' is a number from 0 to 1.", "cfg_scale");
  return { ...fields, model_name: textOf(fields["model_name"]) || textOf(model) || DEFAULT_KLING_MODEL };
}

function outline(asked: ClientVideo) {
  const fields = own(asked);
  const prompt = asked.verb === "image2video" ? textOf(fields["prompt"]) : promptOf(fields["prompt"]);
  const seconds = wholeNumber(fields["duration"], "duration", 5, MAX_SECONDS);
  return { model: textOf(fields["model_name"]), prompt, seconds };
}

function read(asked: ClientVideo): VideoRequest {
  const fields = own(asked);
  const special = KLINGS_OWN.find((name) => fields[name] !== undefined);
  if (special !== undefined)
    throw new TaskRefusal("unsupported_field", `Only Kling's own models have '${special}'.`, special);
  return without({
    ...outline(asked),
    negativePrompt: optionalText(fields["negative_prompt"]),
    images: IMAGES.flatMap((name) =>
      fields[name] === undefined ? [] : [imageOf(fields[name], name === "image" ? "first" : "last", name)],
    ),
    aspectRatio: optionalText(fields["aspect_ratio"]),
    mode: optionalText(fields["mode"]),
    sound: switchOf(fields["sound"], "sound"),
    metadata: {},
  });
}

const STATUSES: Readonly<Record<string, string>> = { IN_PROGRESS: "processing", SUCCESS: "succeed", FAILURE: "failed" };

const succeeded = (requestId: string, data: JsonObject): JsonObject => ({
  code: 0,
  message: "SUCCEED",
  request_id: requestId,
  data,
});

function view(task: StoredTask, url: string, seconds: number): JsonObject {
  const isDone = task.status === "SUCCESS";
  return succeeded(task.request_id, {
    task_id: task.task_id,
    task_status: STATUSES[task.status] ?? "submitted",
    task_status_msg: task.status === "FAILURE" ? failText(task) : "",
    task_info: {},
    created_at: task.submit_time_ms,
    updated_at: task.finish_time_ms || task.updated_at * 1_000,
    task_result: isDone ? { videos: [{ id: task.task_id, url, duration: String(seconds) }] } : {},
  });
}

export const klingForm: VideoForm = {
  ownOf: ["kling"],
  read,
  outline,
  own,
  taken: ({ taskId, createdAt, requestId }) =>
    succeeded(requestId, {
      task_id: taskId,
      task_status: "submitted",
      task_info: {},
      created_at: createdAt * 1_000,
      updated_at: createdAt * 1_000,
    }),
  view: (task, url, { seconds }) => view(task, url, seconds),
};
