/**
 * Wan by Alibaba's Model Studio (alibabacloud.com/help/en/model-studio/text-to-video-api-reference and legacy-wan-text-to-video-api-reference,
 * image-to-video-general-api-reference and legacy-image-to-video-api-reference, image-to-video-by-first-and-last-frame-api-reference,
 * wan-video-to-video-api-reference). Wan 3.0's media and lengths also stand in docs.comfy.org/development/comfy-router/models/wan/wan2-6-r2v/code.
 */
import type { TaskStatus } from "../../../../../contract/src/tasks.ts";
import { isObject, listOf, objectOf, ownOf, textOf } from "../../../dialects/json/fields.ts";
import type { JsonObject } from "../../../dialects/neutral/neutral.ts";
import { type TaskEvent, TaskRefusal } from "../kind.ts";
import { type VideoImage, type VideoRequest, imageUrl, knownFields, oneOf, promptOf, wholeNumber } from "./request.ts";
import { type VideoShape, shapeOf, sizeText } from "./shape.ts";
import { type VideoCharge, type VideoTask, type VideoVendor, refuseImages, refuseUnable, rowFor } from "./vendor.ts";

/** How a model is asked: by a size in pixels, by an image, by a first and a last one, or by lines and a list of media. */
type Way = "size" | "image" | "frames" | "media";

interface Wan {
  way: Way;
  /** Thousandths of the listed price of a second, by lines. */
  resolutions: Readonly<Record<string, number>>;
  /** The vendor's own where none is named. */
  resolution: string;
  /** Lengths that there are, the vendor's own first. */
  seconds: readonly number[];
  /** Images in a list of media: which ones there may be, and the one without which there is no film. */
  media?: { takes: readonly VideoImage["role"][]; wants?: VideoImage["role"] };
  /** True where sound can be switched; a number where a film without it costs so many thousandths. */
  sound?: true | number;
}

const range = (least: number, most: number): number[] =>
  Array.from({ length: most - least + 1 }, (_, index) => least + index);

/** 5 first. */
const ANY = [5, ...range(2, 15).filter((each) => each !== 5)];
const FIVE = [5];
/** Wan 3.0 makes up to half a minute. */
const LONG = [5, ...range(2, 30).filter((each) => each !== 5)];

/** USD 0.05, 0.10 and 0.15 with 480, 720 and 1080 lines: 720 is listed (alibabacloud.com/help/en/model-studio/model-pricing). */
const LATER = { "720p": 1_000, "1080p": 1_500 } as const;
const OF_2_5 = { "480p": 500, ...LATER } as const;
/** USD 0.02 and 0.10: 1080 is listed. */
const OF_2_2_PLUS = { "480p": 200, "1080p": 1_000 } as const;

/** Half and twice the price of 720 lines, at every seller that lists all three (docs.venice.ai/models/wan-3-0.md, docs.apiyi.com/api-capabilities/wan3/overview.md). */
const OF_3 = { "480p": 500, "720p": 1_000, "1080p": 2_000 } as const;

const FRAMES = { takes: ["first", "last"], wants: "first" } as const;
const REFERENCES = { takes: ["reference", "first"], wants: "reference" } as const;
const ALL_IMAGES = { takes: ["first", "last", "reference"] } as const;

const MODELS: readonly (readonly [model: RegExp, row: Wan])[] = [
  [
    /^wan3\.0-video(?:-prime)?(?:-\d|$)/,
    { way: "media", resolutions: OF_3, resolution: "1080p", seconds: LONG, media: ALL_IMAGES, sound: true },
  ],
  [/^wan2\.7-i2v/, { way: "media", resolutions: LATER, resolution: "1080p", seconds: ANY, media: FRAMES }],
  [/^wan2\.7-r2v/, { way: "media", resolutions: LATER, resolution: "1080p", seconds: ANY, media: REFERENCES }],
  [/^wan2\.7-t2v/, { way: "media", resolutions: LATER, resolution: "1080p", seconds: ANY, media: { takes: [] } }],
  [/^wan2\.6-i2v-flash/, { way: "image", resolutions: LATER, resolution: "1080p", seconds: ANY, sound: 500 }],
  [/^wan2\.6-i2v/, { way: "image", resolutions: LATER, resolution: "1080p", seconds: ANY }],
  [/^wan2\.6-t2v/, { way: "size", resolutions: LATER, resolution: "1080p", seconds: ANY }],
  [/^wan2\.5-i2v/, { way: "image", resolutions: OF_2_5, resolution: "1080p", seconds: [5, 10], sound: true }],
  [/^wan2\.5-t2v/, { way: "size", resolutions: OF_2_5, resolution: "1080p", seconds: [5, 10] }],
  [/^wan2\.2-t2v-plus/, { way: "size", resolutions: OF_2_2_PLUS, resolution: "1080p", seconds: FIVE }],
  [/^wan2\.2-i2v-plus/, { way: "image", resolutions: OF_2_2_PLUS, resolution: "1080p", seconds: FIVE }],
  // USD 0.015 and 0.036.
  [
    /^wan2\.2-i2v-flash/,
    { way: "image", resolutions: { "480p": 417, "720p": 1_000 }, resolution: "720p", seconds: FIVE },
  ],
  // USD 0.015, 0.036 and 0.07.
  [
    /^wan2\.2-kf2v-flash/,
    { way: "frames", resolutions: { "480p": 417, "720p": 1_000, "1080p": 1_945 }, resolution: "720p", seconds: FIVE },
  ],
  [/^wanx?2\.1-kf2v/, { way: "frames", resolutions: { "720p": 1_000 }, resolution: "720p", seconds: FIVE }],
  [/^wanx?2\.1-t2v-plus/, { way: "size", resolutions: { "720p": 1_000 }, resolution: "720p", seconds: FIVE }],
  [/^wanx?2\.1-i2v-plus/, { way: "image", resolutions: { "720p": 1_000 }, resolution: "720p", seconds: FIVE }],
  [
    /^wanx?2\.1-t2v-turbo/,
    { way: "size", resolutions: { "480p": 1_000, "720p": 1_000 }, resolution: "720p", seconds: FIVE },
  ],
  [
    /^wanx?2\.1-i2v-turbo/,
    { way: "image", resolutions: { "480p": 1_000, "720p": 1_000 }, resolution: "720p", seconds: [5, 3, 4] },
  ],
];

/** Throws TaskRefusal for a model whose lengths and prices are not known. */
function wanOf(model: string): Wan {
  const row = rowFor(MODELS, model);
  if (row !== undefined) return row;
  throw new TaskRefusal(
    "unknown_model",
    `'${model}' is none of the films of Wan 2.1 to 3.0 that are known here.`,
    "model",
  );
}

/** Sizes in pixels, by lines and aspect ratio; the first of each is the vendor's own. */
const SIZES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "480p": { "16:9": "832*480", "9:16": "480*832", "1:1": "624*624" },
  "720p": { "16:9": "1280*720", "9:16": "720*1280", "1:1": "960*960", "4:3": "1088*832", "3:4": "832*1088" },
  "1080p": { "16:9": "1920*1080", "9:16": "1080*1920", "1:1": "1440*1440", "4:3": "1632*1248", "3:4": "1248*1632" },
};

function pixelsOf({ resolution, ratio = "16:9" }: VideoShape, model: string): string {
  const sizes = SIZES[resolution] ?? {};
  const known = oneOf(ratio, Object.keys(sizes), "aspect_ratio", model) ?? "16:9";
  return sizes[known] ?? "";
}

/** The lines of a size in pixels. Throws TaskRefusal for one that is none of the vendor's. */
function linesOfSize(size: string, model: string): { resolution: string; ratio: string } {
  for (const [resolution, sizes] of Object.entries(SIZES)) {
    const ratio = Object.entries(sizes).find(([, each]) => each === size)?.[0];
    if (ratio !== undefined) return { resolution, ratio };
  }
  throw new TaskRefusal(
    "invalid_value",
    `'parameters.size' of ${model} is none of its sizes, such as 1280*720.`,
    "size",
  );
}

const imageOf = ({ images }: VideoRequest, role: string): string | undefined => {
  const image = images.find((each) => each.role === role);
  return image === undefined ? undefined : imageUrl(image);
};

const ROLES = ["first", "last", "reference"] as const;
const FIELD_OF_ROLE = { first: "image", last: "image_tail", reference: "reference_images" } as const;
const MEDIA_OF_ROLE = { first: "first_frame", last: "last_frame", reference: "reference_image" } as const;

const missing = (role: VideoImage["role"], model: string): TaskRefusal =>
  new TaskRefusal("invalid_value", `${model} wants '${FIELD_OF_ROLE[role]}'.`, FIELD_OF_ROLE[role]);

/** The list of media of a model that is asked so. Throws TaskRefusal naming an image that it wants, does not take, or does not mix with others. */
function mediaOf(request: VideoRequest, { takes, wants }: NonNullable<Wan["media"]>, model: string): JsonObject[] {
  refuseImages(
    request,
    ROLES.filter((role) => !takes.includes(role)),
    model,
  );
  const has = (role: VideoImage["role"]) => request.images.some((image) => image.role === role);
  if (wants !== undefined && !has(wants)) throw missing(wants, model);
  if (has("last") && !has("first")) throw missing("first", model);
  if (takes === ALL_IMAGES.takes && has("reference") && has("first"))
    throw new TaskRefusal("invalid_value", `${model} takes either frames or reference images.`, "reference_images");
  const inOrder = ROLES.flatMap((role) => request.images.filter((image) => image.role === role));
  return inOrder.map((image) => ({ type: MEDIA_OF_ROLE[image.role], url: imageUrl(image) }));
}

/** Throws TaskRefusal naming an image that the model wants, or does not take. */
function inputOf(request: VideoRequest, { way, media }: Wan, model: string): JsonObject {
  const { prompt, negativePrompt: negative_prompt } = request;
  const said = {
    ...(prompt.trim() === "" ? {} : { prompt }),
    ...(negative_prompt === undefined ? {} : { negative_prompt }),
  };
  if (media !== undefined) {
    const list = mediaOf(request, media, model);
    return list.length === 0 ? { ...said, prompt: promptOf(prompt) } : { ...said, media: list };
  }
  const [first, last] = [imageOf(request, "first"), imageOf(request, "last")];
  if (way === "size") refuseImages(request, ROLES, model);
  if (way === "size") return { ...said, prompt: promptOf(prompt) };
  refuseImages(request, way === "image" ? ["last", "reference"] : ["reference"], model);
  const wanted = way === "frames" && first !== undefined ? last : first;
  if (wanted === undefined) throw missing(first === undefined ? "first" : "last", model);
  return way === "image" ? { ...said, img_url: first } : { ...said, first_frame_url: first, last_frame_url: last };
}

function write(request: VideoRequest, model: string): JsonObject {
  const row = wanOf(model);
  const noSound = row.sound === undefined ? (["sound"] as const) : [];
  refuseUnable(request, ["mode", "count", ...noSound], model);
  const shape = shapeOf(request, Object.keys(row.resolutions), row.resolution, model);
  if (shape.ratio !== undefined && (row.way === "image" || row.way === "frames" || model.includes("-i2v"))) {
    const name = request.pixels === undefined ? "aspect_ratio" : "size";
    throw new TaskRefusal(
      "unsupported_field",
      `A film of ${model} has the shape of its image: send 'resolution'.`,
      name,
    );
  }
  const { seconds = row.seconds[0], seed, sound } = request;
  const lines = {
    resolution: shape.resolution.toUpperCase(),
    ...(shape.ratio === undefined ? {} : { ratio: shape.ratio }),
  };
  return {
    model,
    input: inputOf(request, row, model),
    parameters: {
      ...(row.way === "size" ? { size: pixelsOf(shape, model) } : lines),
      // Models of one length take none.
      ...(row.seconds.length > 1 || seconds !== row.seconds[0] ? { duration: seconds } : {}),
      ...(seed === undefined ? {} : { seed }),
      ...(sound === undefined ? {} : { audio: sound }),
    },
  };
}

const FIELDS = ["model", "input", "parameters"] as const;
const INPUT = [
  "prompt",
  "negative_prompt",
  "img_url",
  "first_frame_url",
  "last_frame_url",
  "media",
  "audio_url",
] as const;
const PARAMETERS = [
  "size",
  "resolution",
  "ratio",
  "duration",
  "seed",
  "prompt_extend",
  "shot_type",
  "watermark",
  "audio",
] as const;
const MEDIA = new Set(["first_frame", "last_frame", "driving_audio", "reference_image"]);

function charge(given: JsonObject, model: string): VideoCharge {
  const row = wanOf(model);
  const fields = knownFields(given, FIELDS, "Model Studio's API");
  const { media } = knownFields(objectOf(fields["input"]), INPUT, "Model Studio's 'input'");
  // A film that is continued counts with its own seconds.
  if (listOf(media).some((each) => !MEDIA.has(textOf(objectOf(each)["type"]))))
    throw new TaskRefusal("unsupported_field", "'input.media' takes images and sound here, and no films.", "media");
  const { size, resolution, ratio, duration, audio } = knownFields(
    objectOf(fields["parameters"]),
    PARAMETERS,
    "Model Studio's 'parameters'",
  );
  const asked =
    textOf(size) === "" ? { resolution: textOf(resolution).toLowerCase(), ratio } : linesOfSize(textOf(size), model);
  const known = Object.keys(row.resolutions);
  const lines = oneOf(asked.resolution || undefined, known, "resolution", model) ?? row.resolution;
  const [otherwise = 5] = row.seconds;
  const most = Math.max(...row.seconds);
  const seconds =
    oneOf(wholeNumber(duration, "duration", otherwise, most), row.seconds, "duration", model) ?? otherwise;
  const silent = audio === false && typeof row.sound === "number" ? row.sound / 1_000 : 1;
  const thousandths = Math.ceil(seconds * (row.resolutions[lines] ?? 1_000) * silent);
  return { seconds, size: sizeText(asked.ratio, lines), thousandths };
}

const STATUSES: Readonly<Record<string, TaskStatus>> = {
  PENDING: "QUEUED",
  SUSPENDED: "QUEUED",
  RUNNING: "IN_PROGRESS",
  SUCCEEDED: "SUCCESS",
  FAILED: "FAILURE",
  CANCELED: "FAILURE",
};

/** The event in a report; null for a task that the vendor does not know, which it does after 24 hours. */
function event({ output }: JsonObject, { task_id: taskId }: Pick<VideoTask, "task_id">): TaskEvent | null | undefined {
  if (!isObject(output)) return undefined;
  const { task_status, video_url, message } = output;
  if (task_status === "UNKNOWN") return null;
  const status = ownOf(STATUSES, textOf(task_status));
  if (status === undefined) return undefined;
  if (status === "FAILURE") return { taskId, status, failReason: textOf(message), data: output };
  if (status !== "SUCCESS") return { taskId, status };
  const resultUrl = textOf(video_url);
  return { taskId, status: resultUrl === "" ? "FAILURE" : status, progress: 100, resultUrl, data: output };
}

const SERVICES = "/api/v1/services/aigc";

export const wanVideos: VideoVendor = {
  format: "wan",
  channelTypes: [17],
  title: "Model Studio's API",
  modelField: "model",
  write,
  address({ input }) {
    const room = objectOf(input)["first_frame_url"] === undefined ? "video-generation" : "image2video";
    return { path: `${SERVICES}/${room}/video-synthesis`, headers: ["x-dashscope-async", "enable"] };
  },
  charge,
  answer({ output }) {
    const taskId = textOf(objectOf(output)["task_id"]);
    return taskId === "" ? undefined : { isAccepted: true, event: { taskId, status: "QUEUED" } };
  },
  poll: ({ task_id }) => ({ method: "GET", path: `/api/v1/tasks/${encodeURIComponent(task_id)}` }),
  event,
  source: ({ result_url }) => ({ from: "address", url: result_url }),
  // Public and signed, for 24 hours.
  givesAddress: true,
};
