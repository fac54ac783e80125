/** The common form of videos, for any vendor (docs.newapi.pro/en/docs/api/ai-model/videos/create-video-generation). */
import { textOf } from "../../../dialects/json/fields.ts";
import type { JsonObject } from "../../../dialects/neutral/neutral.ts";
import { TaskRefusal } from "../kind.ts";
import {
  type ClientVideo,
  type VideoForm,
  errorOf,
  metadataOf,
  optionalText,
  secondsOf,
  seedOf,
  switchOf,
  without,
} from "./form.ts";
import { openAiStatus } from "./openai.ts";
import {
  MAX_SECONDS,
  MAX_VIDEOS,
  type VideoImage,
  type VideoRequest,
  imageOf,
  imagesOf,
  knownFields,
  pixelsOf,
  wholeNumber,
} from "./request.ts";

const COMMON_FIELDS = [
  "model",
  "prompt",
  "negative_prompt",
  "image",
  "image_tail",
  "images",
  "reference_images",
  "duration",
  "width",
  "height",
  "size",
  "resolution",
  "aspect_ratio",
  "mode",
  "n",
  "seed",
  "sound",
  "metadata",
  "user",
  "response_format",
] as const;

/** The first is the first frame and the second the last one; of more, each shows what has to be in the video. */
function listedImages(value: unknown): VideoImage[] {
  const images = imagesOf(value, "reference", "images");
  return images.length > 2 ? images : images.map((image, at) => ({ ...image, role: at === 0 ? "first" : "last" }));
}

function commonImages(fields: JsonObject): VideoImage[] {
  const { image, image_tail, images, reference_images } = fields;
  if (image !== undefined && images !== undefined)
    throw new TaskRefusal("ambiguous_field", "'image' and 'images' are the same: send one.", "images");
  return [
    ...(image === undefined ? [] : [imageOf(image, "first", "image")]),
    ...listedImages(images),
    ...(image_tail === undefined ? [] : [imageOf(image_tail, "last", "image_tail")]),
    ...imagesOf(reference_images, "reference", "reference_images"),
  ];
}

function commonPixels({ size, width, height }: JsonObject): VideoRequest["pixels"] {
  if (width === undefined && height === undefined) return pixelsOf(size, "size");
  if (size !== undefined)
    throw new TaskRefusal("ambiguous_field", "'size' says the same as 'width' and 'height': send one.", "size");
  return pixelsOf(`${String(width)}x${String(height)}`, width === undefined ? "width" : "height");
}

function readCommon({ fields: given }: ClientVideo): VideoRequest {
  const duration = ["seconds", "n_seconds"].find((name) => given[name] !== undefined);
  if (duration !== undefined)
    throw new TaskRefusal("ambiguous_field", `The length is read from 'duration', not from '${duration}'.`, duration);
  const fields = knownFields(given, COMMON_FIELDS, "this call");
  const format = textOf(fields["response_format"]);
  if (format !== "" && format !== "url")
    throw new TaskRefusal(
      "invalid_value",
      "'response_format' is url: videos are fetched by their address.",
      "response_format",
    );
  const images = commonImages(fields);
  const prompt = textOf(fields["prompt"]);
  if (prompt.trim() === "" && images.length === 0)
    throw new TaskRefusal("prompt_missing", "The request has no 'prompt'.", "prompt");
  return without({
    model: textOf(fields["model"]),
    prompt,
    negativePrompt: optionalText(fields["negative_prompt"]),
    images,
    seconds: wholeNumber(fields["duration"], "duration", undefined, MAX_SECONDS),
    pixels: commonPixels(fields),
    resolution: optionalText(fields["resolution"])?.toLowerCase(),
    aspectRatio: optionalText(fields["aspect_ratio"]),
    mode: optionalText(fields["mode"])?.toLowerCase(),
    count: wholeNumber(fields["n"], "n", undefined, MAX_VIDEOS),
    seed: seedOf(fields["seed"]),
    sound: switchOf(fields["sound"], "sound"),
    metadata: metadataOf(fields["metadata"]),
  });
}

export const commonForm: VideoForm = {
  ownOf: [],
  read: readCommon,
  taken: ({ taskId, model, createdAt }) => ({
    id: taskId,
    task_id: taskId,
    object: "video",
    model,
    status: "queued",
    progress: 0,
    created_at: createdAt,
  }),
  view(task, url, { seconds, size, mode }) {
    const isDone = task.status === "SUCCESS";
    return {
      id: task.task_id,
      task_id: task.task_id,
      object: "video",
      model: task.model,
      status: openAiStatus(task.status),
      progress: task.status === "FAILURE" ? 0 : task.progress,
      created_at: Math.floor(task.submit_time_ms / 1_000),
      completed_at: isDone ? secondsOf(task.finish_time_ms) : null,
      url: isDone ? url : "",
      format: "mp4",
      metadata: { duration: seconds, size, ...(mode === undefined ? {} : { mode }), ...(isDone ? { url } : {}) },
      error: errorOf(task),
    };
  },
};
