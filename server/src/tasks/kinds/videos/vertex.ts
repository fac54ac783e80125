/** Veo on Vertex AI (cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo-video-generation): operations, and films as bytes or in Cloud Storage. */
import { isObject, listOf, objectOf, textOf } from "../../../dialects/json/fields.ts";
import type { JsonObject } from "../../../dialects/neutral/neutral.ts";
import { type TaskEvent, TaskRefusal } from "../kind.ts";
import { geminiCharge, geminiVideos } from "./gemini.ts";
import { type VideoRequest, knownFields } from "./request.ts";
import type { VideoQuestion, VideoTask, VideoVendor } from "./vendor.ts";

/** An answer has the film in it where no bucket is named: 8 s of 4K stay below, as base64 text. */
const MOST_ANSWER_BYTES = 64 * 1_048_576;
const FIELDS = ["instances", "parameters"] as const;
const INSTANCE = ["prompt", "image", "lastFrame", "referenceImages"] as const;
const PARAMETERS = [
  "aspectRatio",
  "durationSeconds",
  "enhancePrompt",
  "generateAudio",
  "negativePrompt",
  "personGeneration",
  "resizeMode",
  "resolution",
  "sampleCount",
  "seed",
  "storageUri",
] as const;

/** Throws TaskRefusal where the caller names a bucket: the project's account would write there. */
function refuseBucket({ metadata }: VideoRequest): void {
  const named = Object.keys(objectOf(metadata["parameters"])).find((name) => /storage/i.test(name));
  if (named === undefined) return;
  const message = "The bucket of a project is named by its channel alone, by an override of 'parameters.storageUri'.";
  throw new TaskRefusal("unsupported_field", message, `metadata.parameters.${named}`);
}

/** Price steps of the fields. Throws TaskRefusal for several videos in one answer. */
function charge(given: JsonObject, model: string) {
  const fields = knownFields(given, FIELDS, "Vertex AI's API");
  for (const instance of listOf(fields["instances"]).map(objectOf)) knownFields(instance, INSTANCE, "an instance");
  const parameters = knownFields(objectOf(fields["parameters"]), PARAMETERS, "Vertex AI's 'parameters'");
  const { sampleCount, storageUri, ...rest } = parameters;
  const several = sampleCount !== undefined && sampleCount !== 1;
  if (several && storageUri === undefined)
    throw new TaskRefusal("unsupported_field", "Vertex AI makes one film at a time here.", "n");
  const counted = sampleCount === undefined ? {} : { sampleCount };
  return geminiCharge({ instances: fields["instances"], parameters: { ...counted, ...rest } }, model);
}

/** The event in an operation; undefined where it has no name. Bytes are not kept: they are asked for again when they are fetched. */
function operationEvent(operation: JsonObject): TaskEvent | undefined {
  const taskId = textOf(operation["name"]);
  if (taskId === "") return undefined;
  if (operation["done"] !== true) return { taskId, status: "IN_PROGRESS" };
  const { error, response } = operation;
  if (isObject(error)) return { taskId, status: "FAILURE", failReason: textOf(error["message"]) };
  const { videos, raiMediaFilteredReasons } = objectOf(response);
  const [film] = listOf(videos).map(objectOf);
  if (film === undefined) return { taskId, status: "FAILURE", failReason: textOf(listOf(raiMediaFilteredReasons)[0]) };
  const { gcsUri, bytesBase64Encoded, mimeType } = film;
  const hasFilm = textOf(gcsUri) !== "" || textOf(bytesBase64Encoded) !== "";
  const status = hasFilm ? "SUCCESS" : "FAILURE";
  return { taskId, status, progress: 100, resultUrl: textOf(gcsUri), data: { mimeType: textOf(mimeType) } };
}

function poll({ task_id }: Pick<VideoTask, "task_id">): VideoQuestion {
  const path = `/v1/${task_id.replace(/\/operations\/.*$/, "")}:fetchPredictOperation`;
  return { method: "POST", path, fields: { operationName: task_id }, mostAnswerBytes: MOST_ANSWER_BYTES };
}

/** Where an object of Cloud Storage is read (cloud.google.com/storage/docs/json_api/v1/objects/get); undefined for what is no such name. */
function objectPath(uri: string): string | undefined {
  const [, bucket = "", name = ""] = /^gs:\/\/([a-z0-9][\w.-]{1,220})\/(.+)$/.exec(uri) ?? [];
  return bucket === "" ? undefined : `/storage/v1/b/${bucket}/o/${encodeURIComponent(name)}?alt=media`;
}

/** The first film of an operation that has its bytes. */
function bytesOf(operation: JsonObject): { mimeType: string; base64: string } | undefined {
  const [film] = listOf(objectOf(operation["response"])["videos"]).map(objectOf);
  const base64 = textOf(film?.["bytesBase64Encoded"]);
  return base64 === "" ? undefined : { mimeType: textOf(film?.["mimeType"]) || "video/mp4", base64 };
}

export const vertexVideos: VideoVendor = {
  ...geminiVideos,
  format: "vertex",
  channelTypes: [41],
  title: "Vertex AI's API",
  write(request, model) {
    refuseBucket(request);
    const { sound = true, ...rest } = request;
    const { instances, parameters } = geminiVideos.write(rest, model);
    return { instances, parameters: { ...objectOf(parameters), generateAudio: sound } };
  },
  address: () => ({ path: "/v1/publishers/google/models/{model}:predictLongRunning" }),
  charge,
  answer(body) {
    const event = operationEvent(body);
    return event === undefined ? undefined : { isAccepted: true, event };
  },
  poll,
  event: operationEvent,
  source(task) {
    const path = objectPath(task.result_url);
    return path === undefined ? { from: "bytes", question: poll(task), read: bytesOf } : { from: "path", path };
  },
  givesAddress: false,
};
