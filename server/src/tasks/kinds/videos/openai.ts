/** Videos by OpenAI's API (developers.openai.com/api/reference/resources/videos): Sora, and compatible services. */
import type { TaskStatus } from "../../../../../contract/src/tasks.ts";
import { objectOf, ownOf, textOf } from "../../../dialects/json/fields.ts";
import type { JsonObject } from "../../../dialects/neutral/neutral.ts";
import { type TaskEvent, milliseconds, percent } from "../kind.ts";
import { MAX_SECONDS, type VideoRequest, imageUrl, knownFields, promptOf, wholeNumber } from "./request.ts";
import { type VideoVendor, refuseImages, refuseUnable, rowFor } from "./vendor.ts";

/** What OpenAI takes where nothing is said. */
const DEFAULT_SECONDS = 4;
const DEFAULT_SIZE = "720x1280";
const FIELDS = ["model", "prompt", "seconds", "size", "input_reference"] as const;

/**
 * Thousandths of its listed price that a model's second costs in a size; all of it in others. Listed is for sora-2-pro the price of 1024
 * lines, of USD 0.30, 0.50 and 0.70 (developers.openai.com/api/docs/pricing).
 */
const SIZES: readonly (readonly [model: RegExp, thousandths: Readonly<Record<string, number>>])[] = [
  [/^sora-2-pro/, { "720x1280": 600, "1280x720": 600, "1080x1920": 1_400, "1920x1080": 1_400 }],
];

/** Length, size and price that OpenAI's fields come to. Throws TaskRefusal for a bad length. */
export function openAiCharge(fields: JsonObject, model: string) {
  const seconds = wholeNumber(fields["seconds"], "seconds", DEFAULT_SECONDS, MAX_SECONDS);
  const size = textOf(fields["size"]).trim().toLowerCase() || DEFAULT_SIZE;
  return { seconds, size, thousandths: seconds * (ownOf(rowFor(SIZES, model) ?? {}, size) ?? 1_000) };
}

/** Sizes by lines and aspect ratio, for requests that give no pixels. */
const PIXELS: Readonly<Record<string, string>> = {
  "720p 16:9": "1280x720",
  "720p 9:16": "720x1280",
  "1080p 16:9": "1920x1080",
  "1080p 9:16": "1080x1920",
};

function sizeOf(request: VideoRequest, model: string): string | undefined {
  const { pixels, resolution, aspectRatio } = request;
  if (pixels !== undefined) return `${pixels.width}x${pixels.height}`;
  if (resolution === undefined && aspectRatio === undefined) return undefined;
  const size = ownOf(PIXELS, `${resolution ?? "720p"} ${aspectRatio ?? "9:16"}`);
  if (size === undefined) refuseUnable(request, ["resolution", "aspectRatio"], model);
  return size;
}

const STATUSES: Readonly<Record<string, TaskStatus>> = {
  queued: "QUEUED",
  in_progress: "IN_PROGRESS",
  completed: "SUCCESS",
  failed: "FAILURE",
};

/** The same the other way round, as OpenAI's clients read it. */
export const openAiStatus = (status: string): string =>
  Object.entries(STATUSES).find(([, each]) => each === status)?.[0] ?? (status === "FAILURE" ? "failed" : "queued");

/** The event in a video object of OpenAI's; undefined where it has no id. */
export function videoEvent(video: JsonObject): TaskEvent | undefined {
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

const pathOf = (taskId: string): string => `/v1/videos/${encodeURIComponent(taskId)}`;

export const openAiVideos: VideoVendor = {
  format: "openai",
  channelTypes: [1, 3, 55, 60],
  title: "OpenAI's API",
  modelField: "model",
  write(request, model) {
    refuseUnable(request, ["negativePrompt", "mode", "count", "seed", "sound"], model);
    refuseImages(request, ["last", "reference"], model);
    const [image] = request.images;
    const { seconds } = request;
    const size = sizeOf(request, model);
    return {
      model,
      prompt: promptOf(request.prompt),
      ...(seconds === undefined ? {} : { seconds: String(seconds) }),
      ...(size === undefined ? {} : { size }),
      ...(image === undefined ? {} : { input_reference: { image_url: imageUrl(image) } }),
    };
  },
  address: () => ({ path: "/v1/videos" }),
  charge: (fields, model) => openAiCharge(knownFields(fields, FIELDS, "OpenAI's API"), model),
  answer(body) {
    const event = videoEvent(body);
    return event === undefined ? undefined : { isAccepted: true, event };
  },
  poll: ({ task_id }) => ({ method: "GET", path: pathOf(task_id) }),
  event: videoEvent,
  source: ({ task_id }) => ({ from: "path", path: `${pathOf(task_id)}/content`, takesVariant: true }),
  givesAddress: false,
};
