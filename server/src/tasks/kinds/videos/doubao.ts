/**
 * Seedance, by the video tasks of Volcengine's Ark (volcengine.com/docs/82379/1520757, /1521309) and of BytePlus ModelArk, which has the same
 * API (docs.byteplus.com/en/docs/ModelArk/1520757).
 */
import type { TaskStatus } from "../../../../../contract/src/tasks.ts";
import { isObject, listOf, objectOf, ownOf, textOf } from "../../../dialects/json/fields.ts";
import type { JsonObject } from "../../../dialects/neutral/neutral.ts";
import { type TaskEvent, TaskRefusal, milliseconds } from "../kind.ts";
import {
  type VideoImage,
  type VideoRequest,
  aspectRatioOf,
  imageUrl,
  knownFields,
  oneOf,
  resolutionOf,
  wholeNumber,
} from "./request.ts";
import { shapeOf, sizeText } from "./shape.ts";
import { type VideoVendor, refuseImages, refuseUnable, rowFor } from "./vendor.ts";

interface Seedance {
  /** Least and most seconds of a film. */
  seconds: readonly [least: number, most: number];
  /** Thousandths of the price of a second of 720 lines, which is the listed one. */
  resolutions: Readonly<Record<string, number>>;
  /** What the vendor takes where none is named. */
  resolution: string;
  /** Roles of images that it does not take. */
  without: readonly VideoImage["role"][];
  /** Thousandths of the price where there is no sound; absent where it costs the same, 0 where the model makes none. */
  silent?: number;
}

/**
 * The vendor charges tokens: width x height x 24 frames x seconds / 1024, so a second costs by its pixels, which are about the same in every
 * aspect ratio: 864x496, 1280x720 and 1920x1080 from 1.5 on; 864x480, 1248x704 and 1920x1088 before. 1080 lines have a token price of their
 * own from 2.0 on, and films without sound half of it in 1.5 (volcengine.com/docs/82379/1544106). 4K of 2.0 is 3840x2160 at 26/46 of the token
 * price (Volcengine), or 4.0/7.0 of it (BytePlus), of which the dearer counts.
 */
const AREAS = { "480p": 470, "720p": 1_000 } as const;
const OLDER_AREAS = { "480p": 475, "720p": 1_000, "1080p": 2_380 } as const;

const MODELS: readonly (readonly [model: RegExp, row: Seedance])[] = [
  [/seedance-2[-.]5/, { seconds: [4, 30], resolutions: { ...AREAS, "1080p": 2_480 }, resolution: "720p", without: [] }],
  [/seedance-2[-.]0-(?:fast|mini)/, { seconds: [4, 15], resolutions: AREAS, resolution: "720p", without: [] }],
  [
    /seedance-2[-.]0/,
    { seconds: [4, 15], resolutions: { ...AREAS, "1080p": 2_500, "4k": 5_150 }, resolution: "720p", without: [] },
  ],
  [
    /seedance-1[-.]5/,
    {
      seconds: [4, 12],
      resolutions: { ...AREAS, "1080p": 2_250 },
      resolution: "720p",
      without: ["reference"],
      silent: 500,
    },
  ],
  [
    /seedance-1[-.]0-pro-fast/,
    { seconds: [2, 12], resolutions: OLDER_AREAS, resolution: "1080p", without: ["last", "reference"], silent: 0 },
  ],
  [
    /seedance-1[-.]0-pro/,
    { seconds: [2, 12], resolutions: OLDER_AREAS, resolution: "1080p", without: ["reference"], silent: 0 },
  ],
  [/seedance-1[-.]0-lite/, { seconds: [2, 12], resolutions: OLDER_AREAS, resolution: "720p", without: [], silent: 0 }],
];

/** Names of endpoints that operators give say nothing of the model: the vendor refuses what it does not have. */
const UNKNOWN: Seedance = {
  seconds: [2, 30],
  resolutions: { ...AREAS, "1080p": 2_500 },
  resolution: "1080p",
  without: [],
};

const seedanceOf = (model: string): Seedance => rowFor(MODELS, model) ?? UNKNOWN;

const DEFAULT_SECONDS = 5;
const FIELDS = [
  "model",
  "content",
  "resolution",
  "ratio",
  "duration",
  "seed",
  "generate_audio",
  "camera_fixed",
  "watermark",
  "return_last_frame",
  "safety_identifier",
] as const;
const ROLES = { first: "first_frame", last: "last_frame", reference: "reference_image" } as const;

/** Parameters that older models read at the end of a prompt, and that change what the film costs. */
const IN_PROMPT = /(?:^|\s)--(?:rs|resolution|dur|duration|frames|fps|framespersecond)(?=\s|=|$)/i;

/** Throws TaskRefusal for content with a price of its own, and for a prompt that would change length or lines. */
function checkContent(content: unknown): void {
  for (const part of listOf(content).map(objectOf)) {
    const { type, text } = part;
    if (type !== "text" && type !== "image_url") {
      const message = "'content' takes texts and images here: films, sounds and drafts change what the film costs.";
      throw new TaskRefusal("unsupported_field", message, "content");
    }
    if (type === "text" && IN_PROMPT.test(textOf(text))) {
      const message = "The prompt says '--dur' or '--rs' and the like: use 'duration' and 'resolution'.";
      throw new TaskRefusal("ambiguous_field", message, "prompt");
    }
  }
}

function secondsOf(duration: unknown, { seconds: [least, most] }: Seedance, model: string): number {
  const seconds = wholeNumber(duration, "duration", DEFAULT_SECONDS, most);
  if (seconds >= least) return seconds;
  throw new TaskRefusal("invalid_value", `'duration' of ${model} is ${least} to ${most} seconds.`, "duration");
}

/** 3840x2160 is called 4k by the vendor. */
function named4K(request: VideoRequest): VideoRequest {
  const aspectRatio = aspectRatioOf(request);
  const { pixels, ...named } = request;
  // Pixels of no usual aspect ratio are refused as they came.
  if (resolutionOf(request) !== "2160p" || (pixels !== undefined && aspectRatio === undefined)) return request;
  return { ...named, resolution: "4k", ...(aspectRatio === undefined ? {} : { aspectRatio }) };
}

function write(request: VideoRequest, model: string): JsonObject {
  const row = seedanceOf(model);
  const { prompt, images, seconds, seed, sound } = request;
  refuseUnable(request, ["negativePrompt", "mode", "count", ...(row.silent === 0 ? (["sound"] as const) : [])], model);
  refuseImages(request, row.without, model);
  const { resolution, ratio } = shapeOf(named4K(request), Object.keys(row.resolutions), row.resolution, model);
  const text = prompt.trim() === "" ? [] : [{ type: "text", text: prompt }];
  const pictures = images.map((image) => ({
    type: "image_url",
    image_url: { url: imageUrl(image) },
    role: ROLES[image.role],
  }));
  return {
    model,
    content: [...text, ...pictures],
    resolution,
    ...(ratio === undefined ? {} : { ratio }),
    duration: seconds ?? DEFAULT_SECONDS,
    ...(seed === undefined ? {} : { seed }),
    ...(sound === undefined ? {} : { generate_audio: sound }),
  };
}

const STATUSES: Readonly<Record<string, TaskStatus>> = {
  queued: "QUEUED",
  running: "IN_PROGRESS",
  succeeded: "SUCCESS",
  failed: "FAILURE",
  cancelled: "FAILURE",
  expired: "FAILURE",
};

/** The event in a task of Ark's. */
function event(body: JsonObject): TaskEvent | undefined {
  const { id, status, error, content, updated_at } = body;
  const [taskId, state] = [textOf(id), ownOf(STATUSES, textOf(status))];
  if (taskId === "" || state === undefined) return undefined;
  const resultUrl = textOf(objectOf(content)["video_url"]);
  if (state === "SUCCESS" && resultUrl === "") return { taskId, status: "FAILURE", data: body };
  if (state === "SUCCESS")
    return { taskId, status: state, progress: 100, resultUrl, finishMs: milliseconds(updated_at), data: body };
  if (state !== "FAILURE") return { taskId, status: state };
  const failReason = isObject(error) ? textOf(error["message"]) : `The vendor says that it is ${textOf(status)}.`;
  return { taskId, status: state, failReason, data: body };
}

const TASKS = "/v1/contents/generations/tasks";

export const doubaoVideos: VideoVendor = {
  format: "doubao",
  channelTypes: [45, 54],
  title: "Ark's API",
  modelField: "model",
  write,
  address: () => ({ path: TASKS }),
  charge(given, model) {
    const row = seedanceOf(model);
    const { content, resolution, ratio, duration, generate_audio } = knownFields(given, FIELDS, "Ark's API");
    checkContent(content);
    const lines = textOf(resolution).toLowerCase() || undefined;
    const size = oneOf(lines, Object.keys(row.resolutions), "resolution", model) ?? row.resolution;
    const seconds = secondsOf(duration, row, model);
    const sound = generate_audio === false && row.silent ? row.silent / 1_000 : 1;
    const perSecond = ownOf(row.resolutions, size) ?? 1_000;
    return { seconds, size: sizeText(ratio, size), thousandths: Math.ceil(seconds * perSecond * sound) };
  },
  answer({ id }) {
    const taskId = textOf(id);
    return taskId === "" ? undefined : { isAccepted: true, event: { taskId, status: "QUEUED" } };
  },
  poll: ({ task_id }) => ({ method: "GET", path: `${TASKS}/${encodeURIComponent(task_id)}` }),
  event,
  source: ({ result_url }) => ({ from: "address", url: result_url }),
  // Public and signed, for 24 hours.
  givesAddress: true,
};
