/** Videos by Gemini's long-running operations (ai.google.dev/gemini-api/docs/video): Veo. */
import { isObject, listOf, objectOf, ownOf, textOf } from "../../../dialects/json/fields.ts";
import type { JsonObject } from "../../../dialects/neutral/neutral.ts";
import { type StoredTask, type TaskEvent, TaskRefusal, failText } from "../kind.ts";
import {
  MAX_SECONDS,
  MAX_VIDEOS,
  type VideoImage,
  aspectRatioOf,
  promptOf,
  refuseUncharged,
  resolutionOf,
  wholeNumber,
} from "./request.ts";
import { type VideoVendor, refuseUnable, rowFor } from "./vendor.ts";

/** What Gemini takes where nothing is said. */
const DEFAULT_SECONDS = 8;
const FIELDS = ["instances", "parameters"] as const;
const PARAMETERS = ["durationSeconds", "sampleCount", "numberOfVideos", "aspectRatio", "resolution"] as const;
const INSTANCE = ["prompt"] as const;

/**
 * Thousandths of its listed price that a second costs in a resolution; all of it in others. Listed is for Veo the price of 720 lines, of USD
 * 0.40, 0.40 and 0.60 with 1080 lines and in 4K, 0.10, 0.12 and 0.30 for the fast one, 0.05 and 0.08 for the light one
 * (ai.google.dev/gemini-api/docs/pricing).
 */
const RESOLUTIONS: readonly (readonly [model: RegExp, thousandths: Readonly<Record<string, number>>])[] = [
  [/^veo-3\.1-fast/, { "1080p": 1_200, "4k": 3_000 }],
  [/^veo-3\.1-lite/, { "1080p": 1_600 }],
  [/^veo-3\.1/, { "4k": 1_500 }],
];

/** Length, number, size and price that the fields of an operation come to. Throws TaskRefusal for what cannot be charged. */
export function geminiCharge(fields: JsonObject, model: string) {
  refuseUncharged(fields, FIELDS, "'parameters'");
  const instances = listOf(fields["instances"]).map(objectOf);
  for (const instance of instances) refuseUncharged(instance, INSTANCE, "'parameters'");
  const parameters = objectOf(fields["parameters"]);
  refuseUncharged(parameters, PARAMETERS, "'durationSeconds' and 'sampleCount'");
  const { durationSeconds, sampleCount, numberOfVideos, aspectRatio, resolution } = parameters;
  if (sampleCount !== undefined && numberOfVideos !== undefined)
    throw new TaskRefusal(
      "ambiguous_field",
      "'sampleCount' and 'numberOfVideos' are the same: send one.",
      "sampleCount",
    );
  const seconds = wholeNumber(durationSeconds, "durationSeconds", DEFAULT_SECONDS, MAX_SECONDS);
  const samples = wholeNumber(sampleCount ?? numberOfVideos, "sampleCount", 1, MAX_VIDEOS);
  const videos = instances.length * samples;
  if (videos > MAX_VIDEOS)
    throw new TaskRefusal("invalid_value", `'instances' ask for more than ${MAX_VIDEOS} videos.`, "instances");
  const lines = textOf(resolution).trim().toLowerCase();
  const size = [textOf(aspectRatio), lines].filter((part) => part !== "").join(" ");
  const perSecond = ownOf(rowFor(RESOLUTIONS, model) ?? {}, lines) ?? 1_000;
  return { seconds, size, thousandths: seconds * videos * perSecond };
}

/** Samples of an operation that is done; a filter may have kept all of them back. */
function samplesOf(response: JsonObject): { uri: string; filtered: string } {
  const made = objectOf(response["generateVideoResponse"]);
  const samples = listOf(made["generatedSamples"]).map((each) => textOf(objectOf(objectOf(each)["video"])["uri"]));
  return { uri: samples.find((uri) => uri !== "") ?? "", filtered: textOf(listOf(made["raiMediaFilteredReasons"])[0]) };
}

/** The event in an operation of Gemini's; undefined where it has no name. */
export function operationEvent(operation: JsonObject): TaskEvent | undefined {
  const taskId = textOf(operation["name"]);
  if (taskId === "") return undefined;
  if (operation["done"] !== true) return { taskId, status: "IN_PROGRESS" };
  const { error, response } = operation;
  if (isObject(error)) return { taskId, status: "FAILURE", failReason: textOf(error["message"]) };
  const { uri, filtered } = samplesOf(objectOf(response));
  if (uri === "") return { taskId, status: "FAILURE", failReason: filtered };
  return { taskId, status: "SUCCESS", resultUrl: uri, data: response };
}

/** As an operation of Gemini's; the video is fetched at `contentUrl`, with the caller's own key. */
export function operationView(task: StoredTask, contentUrl: string): JsonObject {
  const name = task.task_id;
  if (task.status === "FAILURE") return { name, done: true, error: { code: 13, message: failText(task) } };
  if (task.status !== "SUCCESS") return { name };
  const response = {
    "@type": "type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse",
    generateVideoResponse: { generatedSamples: [{ video: { uri: contentUrl } }] },
  };
  return { name, done: true, response };
}

/** Operations take bytes alone. Throws TaskRefusal for an address. */
function bytesOf(image: VideoImage) {
  if ("base64" in image) return { bytesBase64Encoded: image.base64, mimeType: image.mimeType };
  throw new TaskRefusal("unsupported_field", "Veo takes images as data URLs or base64 text alone.", "image");
}

export const geminiVideos: VideoVendor = {
  format: "gemini",
  channelTypes: [24],
  title: "Gemini's API",
  modelField: "",
  write(request, model) {
    refuseUnable(request, ["mode", "sound"], model);
    const { images, seconds, count, seed, negativePrompt } = request;
    const of = (role: VideoImage["role"]) => images.filter((each) => each.role === role).map(bytesOf);
    const [[first], [last], references] = [of("first"), of("last"), of("reference")];
    const resolution = resolutionOf(request);
    const aspectRatio = aspectRatioOf(request);
    return {
      instances: [
        {
          prompt: promptOf(request.prompt),
          ...(first === undefined ? {} : { image: first }),
          ...(last === undefined ? {} : { lastFrame: last }),
          ...(references.length === 0
            ? {}
            : { referenceImages: references.map((image) => ({ image, referenceType: "asset" })) }),
        },
      ],
      parameters: {
        ...(seconds === undefined ? {} : { durationSeconds: seconds }),
        ...(count === undefined ? {} : { sampleCount: count }),
        ...(resolution === undefined ? {} : { resolution }),
        ...(aspectRatio === undefined ? {} : { aspectRatio }),
        ...(seed === undefined ? {} : { seed }),
        ...(negativePrompt === undefined ? {} : { negativePrompt }),
      },
    };
  },
  address: () => ({ path: "/v1beta/models/{model}:predictLongRunning" }),
  charge: geminiCharge,
  answer(body) {
    const event = operationEvent(body);
    return event === undefined ? undefined : { isAccepted: true, event };
  },
  poll: ({ task_id }) => ({ method: "GET", path: `/v1beta/${task_id}` }),
  event: operationEvent,
  source: ({ result_url }) => ({ from: "address", url: result_url }),
  givesAddress: false,
};
