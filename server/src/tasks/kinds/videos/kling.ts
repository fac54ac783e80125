/** Videos by Kling's API (app.klingai.com/global/dev/document-api): text or one image, and its last frame, to a video. */
import type { TaskStatus } from "../../../../../contract/src/tasks.ts";
import { listOf, objectOf, ownOf, textOf } from "../../../dialects/json/fields.ts";
import type { JsonObject } from "../../../dialects/neutral/neutral.ts";
import { type TaskEvent, TaskRefusal, milliseconds } from "../kind.ts";
import {
  MAX_SECONDS,
  type VideoImage,
  type VideoRequest,
  aspectRatioOf,
  knownFields,
  oneOf,
  resolutionOf,
  wholeNumber,
} from "./request.ts";
import { type Rates, type VideoVendor, refuseImages, refuseUnable, rowFor, thousandthsOf } from "./vendor.ts";

/** Fields of a submission whose price is known: stories of several shots, voices and elements are priced by what is in them. */
export const KLING_FIELDS = [
  "model_name",
  "prompt",
  "negative_prompt",
  "image",
  "image_tail",
  "duration",
  "mode",
  "sound",
  "aspect_ratio",
  "cfg_scale",
  "camera_control",
  "static_mask",
  "dynamic_masks",
  "watermark_info",
] as const;

const DEFAULT_SECONDS = 5;
const DEFAULT_MODE = "std";
/** Kling's default model. */
export const DEFAULT_KLING_MODEL = "kling-v1";

/**
 * Hundredths of a unit of USD 0.14 that a second costs by mode, with `+` for one with sound (klingai.com/global/dev/pricing). A model that
 * is not in it costs its listed price in std, and in the other modes what the dearest relation of the table is.
 */
const RATES: readonly (readonly [model: RegExp, rates: Rates])[] = [
  [/^kling-v1$/, { listed: 20, byMode: { std: 20, pro: 70 } }],
  [/^kling-v1-[56]$/, { listed: 40, byMode: { std: 40, pro: 70 } }],
  [/^kling-v2-(?:1-)?master$/, { listed: 200, byMode: { std: 200, pro: 200 } }],
  [/^kling-v2-1$/, { listed: 40, byMode: { std: 40, pro: 70 } }],
  [/^kling-v2-5-turbo$/, { listed: 30, byMode: { std: 30, pro: 50 } }],
  [/^kling-v2-6$/, { listed: 30, byMode: { std: 30, pro: 50, "pro+": 100 } }],
  [/^kling-v3$/, { listed: 60, byMode: { std: 60, "std+": 90, pro: 80, "pro+": 120, "4k": 300, "4k+": 300 } }],
];
const OTHER_RATES: Rates = { listed: 20, byMode: { std: 20, "std+": 40, pro: 70, "pro+": 140 } };

/** Lengths that a model has. */
const LENGTHS: readonly (readonly [model: RegExp, seconds: readonly number[]])[] = [
  [/^kling-v3/, [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]],
  [/./, [5, 10]],
];

/** The mode whose videos have these lines. */
const MODES: Readonly<Record<string, string>> = { "720p": "std", "1080p": "pro", "4k": "4k", "2160p": "4k" };

function modeOf(request: VideoRequest, model: string): string | undefined {
  const lines = resolutionOf(request);
  const byLines = lines === undefined ? undefined : ownOf(MODES, lines);
  if (lines !== undefined && byLines === undefined)
    throw new TaskRefusal("unsupported_field", `${model} makes no videos of ${lines}.`, "resolution");
  const { mode = byLines } = request;
  if (byLines !== undefined && mode !== byLines)
    throw new TaskRefusal("ambiguous_field", `'mode' ${mode} of ${model} does not make ${lines}.`, "mode");
  return mode;
}

/** Kling takes base64 text without a data URL around it. */
const imageText = (image: VideoImage): string => ("url" in image ? image.url : image.base64);

function write(request: VideoRequest, model: string): JsonObject {
  refuseUnable(request, ["count", "seed"], model);
  refuseImages(request, ["reference"], model);
  const { prompt, negativePrompt, seconds, sound, images } = request;
  const [first, last] = (["first", "last"] as const).map((role) => images.find((each) => each.role === role));
  const aspectRatio = oneOf(aspectRatioOf(request), ["16:9", "9:16", "1:1"], "aspect_ratio", model);
  const mode = modeOf(request, model);
  return {
    model_name: model,
    ...(prompt === "" ? {} : { prompt }),
    ...(negativePrompt === undefined ? {} : { negative_prompt: negativePrompt }),
    ...(first === undefined ? {} : { image: imageText(first) }),
    ...(last === undefined ? {} : { image_tail: imageText(last) }),
    ...(seconds === undefined ? {} : { duration: String(seconds) }),
    ...(mode === undefined ? {} : { mode }),
    ...(aspectRatio === undefined ? {} : { aspect_ratio: aspectRatio }),
    ...(sound === undefined ? {} : { sound: sound ? "on" : "off" }),
  };
}

function charge(given: JsonObject, model: string) {
  const fields = knownFields(given, KLING_FIELDS, "Kling's API");
  const lengths = rowFor(LENGTHS, model) ?? [];
  const seconds = wholeNumber(fields["duration"], "duration", DEFAULT_SECONDS, MAX_SECONDS);
  oneOf(seconds, lengths, "duration", model);
  const mode = textOf(fields["mode"]) || DEFAULT_MODE;
  const sound = textOf(fields["sound"]) || "off";
  oneOf(sound, ["on", "off"], "sound", model);
  const { listed, byMode } = rowFor(RATES, model) ?? OTHER_RATES;
  oneOf(
    mode,
    Object.keys(byMode).filter((name) => !name.endsWith("+")),
    "mode",
    model,
  );
  const rate = ownOf(byMode, sound === "on" ? `${mode}+` : mode);
  if (rate === undefined)
    throw new TaskRefusal("unsupported_field", `${model} makes no sound in mode ${mode}.`, "sound");
  const size = textOf(fields["aspect_ratio"]);
  return {
    seconds,
    size,
    mode: sound === "on" ? `${mode}, sound` : mode,
    thousandths: thousandthsOf(seconds, rate, listed),
  };
}

const hasImage = (fields: JsonObject): boolean => fields["image"] !== undefined || fields["image_tail"] !== undefined;

const STATUSES: Readonly<Record<string, TaskStatus>> = {
  submitted: "QUEUED",
  processing: "IN_PROGRESS",
  succeed: "SUCCESS",
  failed: "FAILURE",
};

/** The event in an answer to a submission or a poll. Results are kept for 30 days. */
function event(body: JsonObject): TaskEvent | undefined {
  const data = objectOf(body["data"]);
  const taskId = textOf(data["task_id"]);
  if (body["code"] !== 0 || taskId === "") return undefined;
  const status = ownOf(STATUSES, textOf(data["task_status"])) ?? "UNKNOWN";
  const url = textOf(objectOf(listOf(objectOf(data["task_result"])["videos"])[0])["url"]);
  if (status === "SUCCESS" && url === "") return { taskId, status: "FAILURE" };
  const finishMs = status === "SUCCESS" || status === "FAILURE" ? milliseconds(data["updated_at"]) : 0;
  const failReason = status === "FAILURE" ? textOf(data["task_status_msg"]) : "";
  return {
    taskId,
    status,
    data,
    ...(url === "" ? {} : { resultUrl: url }),
    ...(failReason === "" ? {} : { failReason }),
    ...(finishMs === 0 ? {} : { finishMs }),
  };
}

export const klingVideos: VideoVendor = {
  format: "kling",
  channelTypes: [50],
  title: "Kling's API",
  modelField: "model_name",
  write,
  address(fields) {
    const task = hasImage(fields) ? "image2video" : "text2video";
    return { path: `/v1/videos/${task}`, poll: { task } };
  },
  charge,
  answer(body) {
    const taken = event(body);
    if (taken !== undefined) return { isAccepted: true, event: taken };
    const { code, message } = body;
    if (typeof code !== "number" || code === 0) return undefined;
    // Too fast, or as many at once as the account may have.
    return { isAccepted: false, code, message: textOf(message), isBusy: code === 1302 || code === 1303 };
  },
  poll({ task_id, properties: { poll } }) {
    return { method: "GET", path: `/v1/videos/${poll?.["task"] ?? "text2video"}/${encodeURIComponent(task_id)}` };
  },
  event,
  source: ({ result_url }) => ({ from: "address", url: result_url }),
  givesAddress: true,
};
