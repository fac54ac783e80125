/** Videos by Jimeng's API at Volcano Engine (volcengine.com/docs/85621): models 3.0, 3.0 Pro and S2.0 Pro. */
import type { TaskStatus } from "../../../../../contract/src/tasks.ts";
import { listOf, numberOf, objectOf, ownOf, textOf } from "../../../dialects/json/fields.ts";
import type { JsonObject } from "../../../dialects/neutral/neutral.ts";
import { type TaskEvent, TaskRefusal } from "../kind.ts";
import { type VideoRequest, aspectRatioOf, knownFields, oneOf } from "./request.ts";
import { type VideoTask, type VideoVendor, refuseUnable } from "./vendor.ts";

export const JIMENG_FIELDS = [
  "req_key",
  "prompt",
  "image_urls",
  "binary_data_base64",
  "seed",
  "frames",
  "aspect_ratio",
] as const;
const RATIOS = ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"] as const;

/** What a model is called by the number of images that it starts from: none, the first frame, the first and the last. */
interface Keys {
  text: string;
  first?: string;
  last?: string;
}

/** Models by one name for all their keys; a key of its own stands for itself (volcengine.com/docs/85621/1792702, /1785204, /1777001). */
const MODELS: Readonly<Record<string, Keys>> = {
  jimeng_v30: { text: "jimeng_t2v_v30", first: "jimeng_i2v_first_v30", last: "jimeng_i2v_first_tail_v30" },
  jimeng_v30_1080p: {
    text: "jimeng_t2v_v30_1080p",
    first: "jimeng_i2v_first_v30_1080",
    last: "jimeng_i2v_first_tail_v30_1080",
  },
  jimeng_v30_pro: { text: "jimeng_ti2v_v30_pro", first: "jimeng_ti2v_v30_pro" },
  jimeng_vgfm: { text: "jimeng_vgfm_t2v_l20", first: "jimeng_vgfm_i2v_l20" },
};

/** Frames of a video of so many seconds: 24 a second, and one. */
const FRAMES_A_SECOND = 24;
const LENGTHS = [5, 10] as const;
export const framesOf = (seconds: number): number => seconds * FRAMES_A_SECOND + 1;
/** S2.0 Pro makes 5 seconds and has no field for them. */
const hasOneLength = (key: string): boolean => key.startsWith("jimeng_vgfm_");

/** The key for a model and a number of images. Throws TaskRefusal where the model takes no such number. */
function keyFor(model: string, images: number): string {
  const keys = ownOf(MODELS, model);
  if (keys === undefined) return model;
  const key = images === 0 ? keys.text : images === 1 ? keys.first : keys.last;
  if (key !== undefined && images <= 2) return key;
  throw new TaskRefusal(
    "unsupported_field",
    `${model} takes no ${images} images.`,
    images === 2 ? "image_tail" : "images",
  );
}

const imageCount = (fields: JsonObject): number =>
  listOf(fields["image_urls"]).length + listOf(fields["binary_data_base64"]).length;

function write(request: VideoRequest, model: string): JsonObject {
  refuseUnable(request, ["negativePrompt", "mode", "count", "resolution", "sound"], model);
  const { prompt, seconds, seed, images } = request;
  const inOrder = (["first", "last"] as const).flatMap((role) => images.filter((each) => each.role === role));
  if (inOrder.length !== images.length)
    throw new TaskRefusal("unsupported_field", `${model} takes no 'reference_images'.`, "reference_images");
  if (inOrder.length === 1 && inOrder[0]?.role === "last")
    throw new TaskRefusal("unsupported_field", `${model} takes a last frame beside a first one alone.`, "image_tail");
  const urls = inOrder.flatMap((image) => ("url" in image ? [image.url] : []));
  const bytes = inOrder.flatMap((image) => ("url" in image ? [] : [image.base64]));
  if (urls.length > 0 && bytes.length > 0)
    throw new TaskRefusal("unsupported_field", `${model} takes two addresses or the bytes of two images.`, "images");
  const key = keyFor(model, inOrder.length);
  const aspectRatio = aspectRatioOf(request);
  if (request.pixels !== undefined && aspectRatio === undefined) refuseUnable(request, ["pixels"], model);
  return {
    req_key: key,
    ...(prompt === "" ? {} : { prompt }),
    ...(urls.length === 0 ? {} : { image_urls: urls }),
    ...(bytes.length === 0 ? {} : { binary_data_base64: bytes }),
    ...(seed === undefined ? {} : { seed }),
    ...(seconds === undefined || (hasOneLength(key) && seconds === LENGTHS[0]) ? {} : { frames: framesOf(seconds) }),
    ...(aspectRatio === undefined ? {} : { aspect_ratio: aspectRatio }),
  };
}

function charge(given: JsonObject, model: string) {
  const fields = knownFields(given, JIMENG_FIELDS, "Jimeng's API");
  const key = textOf(fields["req_key"]);
  const { frames = framesOf(LENGTHS[0]) } = fields;
  const seconds = ((numberOf(frames) ?? 0) - 1) / FRAMES_A_SECOND;
  const lengths = hasOneLength(key) ? LENGTHS.slice(0, 1) : [...LENGTHS];
  if (!lengths.some((each) => each === seconds)) {
    const all = lengths.map((each) => `${framesOf(each)} (${each} s)`).join(" or ");
    throw new TaskRefusal("invalid_value", `'frames' of ${model} is ${all}.`, "frames");
  }
  const size = textOf(fields["aspect_ratio"]);
  oneOf(size === "" ? undefined : size, RATIOS, "aspect_ratio", model);
  // One model has one size, and one price a second.
  return { seconds, size, thousandths: seconds * 1_000 };
}

const STATUSES: Readonly<Record<string, TaskStatus>> = {
  in_queue: "QUEUED",
  generating: "IN_PROGRESS",
  done: "SUCCESS",
};
/** Codes by which a task has failed; any other but success says nothing of it. */
const FAILURES = [
  50_411, 50_412, 50_413, 50_511, 50_512, 50_514, 50_516, 50_517, 50_518, 50_519, 50_520, 50_521, 50_522,
];
/** Too many requests, or as many tasks at once as the account may have. */
const BUSY = [50_429, 50_430];
const SUCCESS = 10_000;

function event(body: JsonObject, { task_id: taskId }: VideoTask): TaskEvent | null | undefined {
  const { code, message } = body;
  if (typeof code === "number" && FAILURES.includes(code))
    return { taskId, status: "FAILURE", failReason: textOf(message) };
  if (code !== SUCCESS) return undefined;
  const data = objectOf(body["data"]);
  const state = textOf(data["status"]);
  if (state === "not_found" || state === "expired") return null;
  const status = ownOf(STATUSES, state) ?? "UNKNOWN";
  if (status !== "SUCCESS") return { taskId, status };
  const resultUrl = textOf(data["video_url"]);
  return resultUrl === "" ? { taskId, status: "FAILURE" } : { taskId, status, resultUrl };
}

const pathFor = (action: string): string => `/?Action=${action}&Version=2022-08-31`;

const poll = ({ task_id, model, properties }: VideoTask) => ({
  method: "POST" as const,
  path: pathFor("CVSync2AsyncGetResult"),
  fields: { req_key: properties.poll?.["req_key"] ?? model, task_id },
});

export const jimengVideos: VideoVendor = {
  format: "jimeng",
  channelTypes: [51],
  title: "Jimeng's API",
  modelField: "req_key",
  write,
  own: (fields, model) => ({ ...fields, req_key: keyFor(model, imageCount(fields)) }),
  address: (fields) => ({
    path: pathFor("CVSync2AsyncSubmitTask"),
    poll: { req_key: textOf(fields["req_key"]) },
  }),
  charge,
  answer(body) {
    const taskId = textOf(objectOf(body["data"])["task_id"]);
    if (body["code"] === SUCCESS && taskId !== "") return { isAccepted: true, event: { taskId, status: "QUEUED" } };
    const { code, message } = body;
    if (typeof code !== "number" || code === SUCCESS) return undefined;
    return { isAccepted: false, code, message: textOf(message), isBusy: BUSY.includes(code) };
  },
  poll,
  reportStatuses: [400, 500],
  event,
  // Its addresses are good for an hour, and each question brings a new one.
  source: (task) => ({ from: "question", question: poll(task) }),
  givesAddress: false,
};
