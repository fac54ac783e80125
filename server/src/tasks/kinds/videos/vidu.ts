/** Videos by Vidu's API (platform.vidu.com/docs/text-to-video, image-to-video, start-end-to-video, reference-to-video). */
import type { TaskStatus } from "../../../../../contract/src/tasks.ts";
import { listOf, objectOf, ownOf, textOf } from "../../../dialects/json/fields.ts";
import type { JsonObject } from "../../../dialects/neutral/neutral.ts";
import { type TaskEvent, TaskRefusal } from "../kind.ts";
import {
  MAX_SECONDS,
  type VideoImage,
  type VideoRequest,
  aspectRatioOf,
  imageUrl,
  isEmpty,
  knownFields,
  oneOf,
  resolutionOf,
  wholeNumber,
} from "./request.ts";
import { type VideoTask, type VideoVendor, refuseUnable, rowFor, thousandthsOf } from "./vendor.ts";

/** Fields of a submission whose price is known: off-peak tasks may take longer than they are waited for, and recommended prompts cost more. */
const FIELDS = [
  "model",
  "prompt",
  "images",
  "duration",
  "resolution",
  "aspect_ratio",
  "seed",
  "style",
  "movement_amplitude",
  "bgm",
  "audio",
  "watermark",
] as const;

interface Model {
  /** Lengths, the first of which is the default. */
  seconds: readonly number[];
  /** Credits of a second by resolution, the listed one first, which is also the default. */
  credits: Readonly<Record<string, number>>;
  /** Credits of all of a video by `length resolution`, where a second costs more in longer ones. */
  whole?: Readonly<Record<string, number>>;
  /** True where it can be asked for a video with sound. */
  hasSound?: true;
}

const upTo = (most: number): number[] => [
  5,
  ...Array.from({ length: most }, (_, at) => at + 1).filter((each) => each !== 5),
];

/**
 * Credits of USD 0.005 (platform.vidu.com/docs/pricing). A resolution whose credits are not published costs what the listed one does. Short
 * videos of viduq2 cost more a second than long ones, and every one its listed price here.
 */
const MODELS: readonly (readonly [model: RegExp, facts: Model])[] = [
  [/^viduq3-turbo/, { seconds: upTo(16), credits: { "720p": 12, "540p": 8, "1080p": 16 }, hasSound: true }],
  [/^viduq3/, { seconds: upTo(16), credits: { "720p": 30, "540p": 14, "1080p": 32 }, hasSound: true }],
  [/^viduq2-pro/, { seconds: upTo(8), credits: { "720p": 20, "540p": 20, "1080p": 40 } }],
  [/^viduq2-turbo/, { seconds: upTo(8), credits: { "720p": 10, "540p": 10, "1080p": 20 } }],
  [/^viduq2/, { seconds: upTo(10), credits: { "720p": 10, "360p": 10, "540p": 10, "1080p": 20 } }],
  [/^viduq1/, { seconds: [5], credits: { "1080p": 16 } }],
  [
    /^vidu2\.0/,
    {
      seconds: [4, 8],
      credits: { "720p": 10, "360p": 5, "1080p": 25 },
      whole: { "4 360p": 20, "4 720p": 40, "4 1080p": 100, "8 720p": 100 },
    },
  ],
];

const UNKNOWN: Model = { seconds: upTo(16), credits: { "720p": 10, "360p": 10, "540p": 10, "1080p": 20 } };
const modelOf = (model: string): Model => rowFor(MODELS, model) ?? UNKNOWN;

/** The images in the order that their task wants, and the task. Throws TaskRefusal where roles are mixed. */
function imagesOf({ images }: VideoRequest, model: string): readonly VideoImage[] {
  const of = (role: VideoImage["role"]) => images.filter((each) => each.role === role);
  const [first, last, references] = [of("first"), of("last"), of("reference")];
  if (references.length > 0 && references.length < images.length)
    throw new TaskRefusal("unsupported_field", `${model} takes 'reference_images' alone.`, "reference_images");
  if (last.length > first.length)
    throw new TaskRefusal("unsupported_field", `${model} takes a last frame beside a first one alone.`, "image_tail");
  return references.length > 0 ? references : [...first, ...last];
}

/** Kept in the fields until the address is known, since lists of images do not say what they are for. */
const taskOf = (images: readonly VideoImage[]): string => {
  if (images.length === 0) return "text2video";
  if (images[0]?.role === "reference") return "reference2video";
  return images.length === 1 ? "img2video" : "start-end2video";
};

function write(request: VideoRequest, model: string): JsonObject {
  refuseUnable(request, ["negativePrompt", "mode", "count"], model);
  const images = imagesOf(request, model);
  const { prompt, seconds, seed, sound } = request;
  if (sound !== undefined && modelOf(model).hasSound !== true) refuseUnable(request, ["sound"], model);
  const resolution = resolutionOf(request);
  const aspectRatio = aspectRatioOf(request);
  return {
    model,
    ...(prompt === "" ? {} : { prompt }),
    ...(images.length === 0 ? {} : { images: images.map(imageUrl) }),
    ...(seconds === undefined ? {} : { duration: seconds }),
    ...(resolution === undefined ? {} : { resolution }),
    ...(aspectRatio === undefined ? {} : { aspect_ratio: aspectRatio }),
    ...(seed === undefined ? {} : { seed }),
    ...(sound === undefined ? {} : { audio: sound }),
  };
}

function charge(given: JsonObject, model: string) {
  const fields = knownFields(given, FIELDS, "Vidu's API");
  const { seconds: lengths, credits, whole } = modelOf(model);
  const [resolutions, [defaultLength = 5]] = [Object.keys(credits), lengths];
  const seconds = wholeNumber(fields["duration"], "duration", defaultLength, MAX_SECONDS);
  oneOf(seconds, lengths, "duration", model);
  const [listed = ""] = resolutions;
  const resolution = textOf(fields["resolution"]) || listed;
  oneOf(resolution, resolutions, "resolution", model);
  const perSecond = credits[listed] ?? 1;
  const size = [textOf(fields["aspect_ratio"]), resolution].filter((part) => part !== "").join(" ");
  if (whole === undefined)
    return { seconds, size, thousandths: thousandthsOf(seconds, ownOf(credits, resolution) ?? perSecond, perSecond) };
  const all = ownOf(whole, `${seconds} ${resolution}`);
  if (all === undefined)
    throw new TaskRefusal("invalid_value", `${model} makes no ${seconds} seconds of ${resolution}.`, "resolution");
  return { seconds, size, thousandths: thousandthsOf(1, all, perSecond) };
}

const STATUSES: Readonly<Record<string, TaskStatus>> = {
  created: "QUEUED",
  queueing: "QUEUED",
  processing: "IN_PROGRESS",
  success: "SUCCESS",
  failed: "FAILURE",
};

function event(body: JsonObject, { task_id: taskId }: Pick<VideoTask, "task_id">): TaskEvent | undefined {
  const status = ownOf(STATUSES, textOf(body["state"]));
  if (status === undefined) return undefined;
  if (status === "FAILURE") return { taskId, status, failReason: textOf(body["err_code"]) };
  if (status !== "SUCCESS") return { taskId, status };
  const resultUrl = textOf(objectOf(listOf(body["creations"])[0])["url"]);
  return resultUrl === "" ? { taskId, status: "FAILURE" } : { taskId, status, resultUrl };
}

const poll = ({ task_id }: VideoTask) => ({
  method: "GET" as const,
  path: `/ent/v2/tasks/${encodeURIComponent(task_id)}/creations`,
});

export const viduVideos: VideoVendor = {
  format: "vidu",
  channelTypes: [52],
  title: "Vidu's API",
  modelField: "model",
  write,
  address: (_fields, request) => ({ path: `/ent/v2/${taskOf(request?.images ?? [])}` }),
  charge,
  answer(body) {
    const taskId = textOf(body["task_id"]);
    if (isEmpty(taskId)) return undefined;
    const taken = event(body, { task_id: taskId });
    return taken === undefined ? undefined : { isAccepted: true, event: taken };
  },
  poll,
  event,
  // An address is good for a day, and each question brings a new one (platform.vidu.com/docs/get-generation).
  source: (task) => ({ from: "question", question: poll(task) }),
  givesAddress: true,
};
