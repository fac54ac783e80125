/** OpenAI's form of videos (developers.openai.com/api/reference/resources/videos), also to channels of other vendors. */
import { parseObject, textOf } from "../../../dialects/json/fields.ts";
import { type ClientVideo, type VideoForm, errorOf, metadataOf, secondsOf, without } from "./form.ts";
import { openAiStatus } from "./openai.ts";
import { MAX_SECONDS, type VideoRequest, imageOf, knownFields, pixelsOf, wholeNumber } from "./request.ts";

const OPENAI_FIELDS = ["model", "prompt", "seconds", "size", "input_reference", "metadata"] as const;

function readOpenAi({ fields: given }: ClientVideo): VideoRequest {
  const fields = knownFields(given, OPENAI_FIELDS, "OpenAI's API");
  const { input_reference: image } = fields;
  return without({
    model: textOf(fields["model"]),
    prompt: textOf(fields["prompt"]),
    images: image === undefined ? [] : [imageOf(image, "first", "input_reference")],
    seconds: wholeNumber(fields["seconds"], "seconds", undefined, MAX_SECONDS),
    pixels: pixelsOf(fields["size"], "size"),
    metadata: metadataOf(fields["metadata"]),
  });
}

export const openAiForm: VideoForm = {
  ownOf: ["openai"],
  read: readOpenAi,
  taken: ({ taskId, model, prompt, seconds, size, createdAt }) => ({
    id: taskId,
    object: "video",
    model,
    prompt,
    status: "queued",
    progress: 0,
    created_at: createdAt,
    completed_at: null,
    expires_at: null,
    seconds: String(seconds),
    size,
    remixed_from_video_id: null,
    error: null,
  }),
  view(task, url, { format, seconds, size }) {
    const isFailed = task.status === "FAILURE";
    const isDone = task.status === "SUCCESS";
    return {
      seconds: String(seconds),
      size,
      expires_at: null,
      remixed_from_video_id: null,
      ...(format === "openai" ? (parseObject(task.data) ?? {}) : {}),
      id: task.task_id,
      object: "video",
      created_at: Math.floor(task.submit_time_ms / 1_000),
      completed_at: isDone ? secondsOf(task.finish_time_ms) : null,
      model: task.model,
      prompt: task.prompt,
      status: openAiStatus(task.status),
      progress: isFailed ? 0 : task.progress,
      error: errorOf(task),
      // What clients of gateways of this kind read, since not every vendor's video is behind the content call there.
      ...(isDone && format !== "openai" && format !== "gemini" ? { metadata: { url } } : {}),
    };
  },
};
