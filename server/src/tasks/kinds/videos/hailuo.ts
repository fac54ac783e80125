/**
 * Hailuo by MiniMax's video tasks (platform.minimax.io/docs/api-reference/video-generation-t2v, -i2v, -fl2v, -query and -download), and
 * MiniMax-H3 by the newer API (video-generation-v2-create and -v2-query).
 */
import type { TaskStatus } from "../../../../../contract/src/tasks.ts";
import { isObject, listOf, numberOf, objectOf, ownOf, parseObject, textOf } from "../../../dialects/json/fields.ts";
import type { JsonObject } from "../../../dialects/neutral/neutral.ts";
import { type TaskEvent, TaskRefusal, milliseconds } from "../kind.ts";
import { type VideoRequest, imageUrl, knownFields, oneOf, promptOf, wholeNumber } from "./request.ts";
import { shapeOf, sizeText } from "./shape.ts";
import { type VideoCharge, type VideoQuestion, type VideoTask, type VideoVendor } from "./vendor.ts";
import { refuseImages, refuseUnable, rowFor } from "./vendor.ts";

/** Thousandths of the listed price, which is that of one second of the shortest film with 768 lines, by lines and seconds. */
type Films = Readonly<Record<string, Readonly<Record<number, number>>>>;

interface Hailuo {
  films: Films;
  /** True where a film may end with an image. */
  takesLast?: true;
}

/**
 * Films have prices by lines and length, which are no multiple of seconds: USD 0.28 and 0.56 for 6 and 10 s of 768 lines, 0.49 for 6 s of
 * 1080, 0.10 and 0.15 for 512; 0.19, 0.32 and 0.33 for the fast one (platform.minimax.io/docs/guides/pricing-paygo).
 */
const MODELS: readonly (readonly [model: RegExp, row: Hailuo])[] = [
  [/Hailuo-2\.3-Fast/i, { films: { "768p": { 6: 6_000, 10: 10_106 }, "1080p": { 6: 10_422 } } }],
  [/Hailuo-2\.3/i, { films: { "768p": { 6: 6_000, 10: 12_000 }, "1080p": { 6: 10_500 } } }],
  [
    /Hailuo-02/i,
    {
      films: { "512p": { 6: 2_143, 10: 3_215 }, "768p": { 6: 6_000, 10: 12_000 }, "1080p": { 6: 10_500 } },
      takesLast: true,
    },
  ],
];
/** Models of the first series: one length and one size. */
const FIRST: Hailuo = { films: { "720p": { 6: 6_000 } } };

const DEFAULT_SECONDS = 6;
const FIELDS = [
  "model",
  "prompt",
  "first_frame_image",
  "last_frame_image",
  "duration",
  "resolution",
  "prompt_optimizer",
  "fast_pretreatment",
  "aigc_watermark",
] as const;

const hailuoOf = (model: string): Hailuo => rowFor(MODELS, model) ?? FIRST;

/** The vendor's own where none is named. */
const linesOf = ({ films }: Hailuo): string => ("768p" in films ? "768p" : "720p");

function writeFirst(request: VideoRequest, model: string): JsonObject {
  const row = hailuoOf(model);
  refuseUnable(request, ["negativePrompt", "mode", "count", "seed", "sound", "aspectRatio"], model);
  refuseImages(request, row.takesLast === true ? ["reference"] : ["last", "reference"], model);
  const { resolution, ratio = "16:9" } = shapeOf(request, Object.keys(row.films), linesOf(row), model);
  if (ratio !== "16:9")
    throw new TaskRefusal("unsupported_field", `Films of ${model} are 16:9, or have the shape of their image.`, "size");
  const of = (role: string) => request.images.find((image) => image.role === role);
  const [first, last] = [of("first"), of("last")];
  return {
    model,
    ...(request.prompt.trim() === "" ? {} : { prompt: request.prompt }),
    ...(first === undefined ? {} : { first_frame_image: imageUrl(first) }),
    ...(last === undefined ? {} : { last_frame_image: imageUrl(last) }),
    duration: request.seconds ?? DEFAULT_SECONDS,
    resolution: resolution.toUpperCase(),
  };
}

function chargeFirst(given: JsonObject, model: string): VideoCharge {
  const { films, ...row } = hailuoOf(model);
  const { resolution, duration } = knownFields(given, FIELDS, "MiniMax's API");
  const lines = textOf(resolution).toLowerCase() || undefined;
  const size = oneOf(lines, Object.keys(films), "resolution", model) ?? linesOf({ films, ...row });
  const lengths = ownOf(films, size) ?? {};
  const known = Object.keys(lengths).map(Number);
  const seconds = oneOf(
    wholeNumber(duration, "duration", DEFAULT_SECONDS, 10),
    known,
    "duration",
    `${model} with ${size}`,
  );
  return { seconds: seconds ?? DEFAULT_SECONDS, size, thousandths: lengths[seconds ?? DEFAULT_SECONDS] ?? 0 };
}

// MiniMax-H3: USD 0.08 a second with 768 lines and 0.13 in 2K; images from the sixth on and films of the caller's cost more, so they are refused.

const H3 = /^MiniMax-H3/i;
const H3_RESOLUTIONS: Readonly<Record<string, number>> = { "768p": 1_000, "2k": 1_625 };
const H3_FIELDS = ["model", "content", "resolution", "duration", "ratio", "aigc_watermark"] as const;
const [H3_LEAST, H3_SECONDS, H3_MOST] = [4, 5, 15];
const H3_IMAGES = 5;
const ROLES = { first: "first_frame", last: "last_frame", reference: "reference_image" } as const;

function writeH3(request: VideoRequest, model: string): JsonObject {
  refuseUnable(request, ["negativePrompt", "mode", "count", "seed", "sound"], model);
  const { resolution, ratio } = shapeOf(request, Object.keys(H3_RESOLUTIONS), "768p", model);
  const { images, seconds } = request;
  const pictures = images.map((image) => ({
    type: "image_url",
    image_url: { url: imageUrl(image) },
    role: ROLES[image.role],
  }));
  // Without an image nothing but the request can say it.
  const shown = ratio ?? (images.length === 0 ? "16:9" : undefined);
  return {
    model,
    content: [{ type: "text", text: promptOf(request.prompt) }, ...pictures],
    resolution: resolution.toUpperCase(),
    duration: seconds ?? H3_SECONDS,
    ...(shown === undefined ? {} : { ratio: shown }),
  };
}

function chargeH3(given: JsonObject, model: string): VideoCharge {
  const { content, resolution, duration, ratio } = knownFields(given, H3_FIELDS, "MiniMax's API");
  const types = listOf(content).map((part) => textOf(objectOf(part)["type"]));
  if (types.some((type) => type !== "text" && type !== "image_url"))
    throw new TaskRefusal("unsupported_field", "'content' takes a text and images here.", "content");
  if (types.filter((type) => type === "image_url").length > H3_IMAGES)
    throw new TaskRefusal("invalid_value", `${model} takes at most ${H3_IMAGES} images here.`, "images");
  const lines = textOf(resolution).toLowerCase() || undefined;
  const size = oneOf(lines, Object.keys(H3_RESOLUTIONS), "resolution", model) ?? "2k";
  const seconds = wholeNumber(duration, "duration", H3_SECONDS, H3_MOST);
  if (seconds < H3_LEAST) {
    const message = `'duration' of ${model} is ${H3_LEAST} to ${H3_MOST} seconds.`;
    throw new TaskRefusal("invalid_value", message, "duration");
  }
  return { seconds, size: sizeText(ratio, size), thousandths: seconds * (H3_RESOLUTIONS[size] ?? 1_000) };
}

// Reports of both.

const STATUSES: Readonly<Record<string, TaskStatus>> = {
  Preparing: "QUEUED",
  Queueing: "QUEUED",
  Processing: "IN_PROGRESS",
  Success: "SUCCESS",
  Fail: "FAILURE",
  queued: "QUEUED",
  running: "IN_PROGRESS",
  succeeded: "SUCCESS",
  failed: "FAILURE",
  cancelled: "FAILURE",
};
/** Of a task that the vendor does not know. */
const INVALID_PARAMETERS = 2013;

const isNewer = ({ properties }: Pick<VideoTask, "properties">): boolean => properties.poll?.["api"] === "v2";

/** Files are numbers in places. */
const idOf = (value: unknown): string => (typeof value === "number" ? String(value) : textOf(value));

/** The event in a report of a task, or in what the vendor says of the task's file. */
function event(body: JsonObject, { task_id: taskId }: VideoTask): TaskEvent | null | undefined {
  const { file, base_resp } = body;
  if (isObject(file)) return { taskId, status: "SUCCESS", resultUrl: textOf(file["download_url"]) };
  const { status_code, status_msg } = objectOf(base_resp);
  const report = isObject(body["task"]) ? body["task"] : body;
  const status = ownOf(STATUSES, textOf(report["status"]));
  if (status === undefined) return numberOf(status_code) === INVALID_PARAMETERS ? null : undefined;
  if (status === "FAILURE") {
    const said = textOf(objectOf(report["error"])["message"]);
    return {
      taskId,
      status,
      failReason: said || (numberOf(status_code) === 0 ? "" : textOf(status_msg)),
      data: report,
    };
  }
  if (status !== "SUCCESS") return { taskId, status };
  const resultUrl = textOf(objectOf(report["content"])["url"]);
  const hasResult = resultUrl !== "" || idOf(report["file_id"]) !== "";
  const finishMs = milliseconds(report["updated_at"]);
  const times = finishMs === 0 ? {} : { finishMs };
  return { taskId, status: hasResult ? status : "FAILURE", progress: 100, resultUrl, data: report, ...times };
}

function poll(task: VideoTask): VideoQuestion {
  const id = encodeURIComponent(task.task_id);
  const path = isNewer(task) ? `/v2/query/video_generation/${id}` : `/v1/query/video_generation?task_id=${id}`;
  return { method: "GET", path };
}

/** Addresses of files die within the hour, and are given anew for the file of the task. */
function fileQuestion(task: VideoTask): VideoQuestion {
  const file = idOf(parseObject(task.data)?.["file_id"]);
  return { method: "GET", path: `/v1/files/retrieve?file_id=${encodeURIComponent(file)}` };
}

const isH3 = ({ model }: JsonObject): boolean => H3.test(textOf(model));

export const hailuoVideos: VideoVendor = {
  format: "hailuo",
  channelTypes: [35],
  title: "MiniMax's API",
  modelField: "model",
  write: (request, model) => (H3.test(model) ? writeH3(request, model) : writeFirst(request, model)),
  address: (fields) =>
    isH3(fields) ? { path: "/v2/video_generation", poll: { api: "v2" } } : { path: "/v1/video_generation" },
  charge: (fields, model) => (H3.test(model) ? chargeH3(fields, model) : chargeFirst(fields, model)),
  answer({ task_id }) {
    const taskId = idOf(task_id);
    return taskId === "" ? undefined : { isAccepted: true, event: { taskId, status: "QUEUED" } };
  },
  poll,
  event,
  source: (task) => ({ from: "question", question: isNewer(task) ? poll(task) : fileQuestion(task) }),
  givesAddress: false,
};
