/** The interface of a client's form of videos, and what several forms read alike. Pure; forms.ts lists them. */
import type { VideoFormat, VideoProperties } from "../../../../../contract/src/tasks.ts";
import { isObject, numberOf, objectOf, parseObject, textOf } from "../../../dialects/json/fields.ts";
import type { JsonObject } from "../../../dialects/neutral/neutral.ts";
import { type StoredTask, TaskRefusal, failText } from "../kind.ts";
import { type VideoRequest, isEmpty } from "./request.ts";

/** A request in a client's words. */
export interface ClientVideo {
  /** What the path says: Gemini's model, Kling's kind of task. */
  verb: string;
  fields: JsonObject;
}

/** A task that was just taken, as its first answer shows it. */
export interface NewVideo {
  taskId: string;
  model: string;
  prompt: string;
  seconds: number;
  size: string;
  /** Unix seconds. */
  createdAt: number;
  requestId: string;
}

export interface VideoForm {
  /** Vendors whose own form it is: their channels get the client's fields as they are. */
  ownOf: readonly VideoFormat[];
  /** The request in no vendor's words; absent where the form goes to its own vendors alone. Throws TaskRefusal. */
  read?(asked: ClientVideo): VideoRequest;
  /** The fields known before a channel is chosen, where its own vendors take more than `read` does. Throws TaskRefusal. */
  outline?(asked: ClientVideo): Pick<VideoRequest, "model" | "prompt" | "seconds" | "count">;
  /** The fields as its own vendors take them; as they are where absent. Throws TaskRefusal. */
  own?(asked: ClientVideo): JsonObject;
  /** The answer to a submission. */
  taken(video: NewVideo): JsonObject;
  /** The answer about a task; the finished video is at `url`. */
  view(task: StoredTask, url: string, properties: VideoProperties): JsonObject;
}

export const optionalText = (value: unknown): string | undefined => textOf(value).trim() || undefined;

/** A whole number that may be 0 or below. Throws TaskRefusal. */
export function seedOf(value: unknown): number | undefined {
  const seed = typeof value === "string" ? Number(value) : numberOf(value);
  if (isEmpty(value)) return undefined;
  if (seed === undefined || !Number.isSafeInteger(seed))
    throw new TaskRefusal("invalid_value", "'seed' is no whole number.", "seed");
  return seed;
}

export function switchOf(value: unknown, name: string): boolean | undefined {
  if (isEmpty(value)) return undefined;
  if (value === true || value === "on" || value === "true") return true;
  if (value === false || value === "off" || value === "false") return false;
  throw new TaskRefusal("invalid_value", `'${name}' is true or false.`, name);
}

export const metadataOf = (value: unknown): JsonObject => {
  if (isEmpty(value) || isObject(value)) return objectOf(value);
  const parsed = parseObject(textOf(value));
  if (parsed === undefined) throw new TaskRefusal("invalid_value", "'metadata' is no JSON object.", "metadata");
  return parsed;
};

type Loose = { [Key in keyof VideoRequest]?: VideoRequest[Key] | undefined } & Pick<
  VideoRequest,
  "model" | "prompt" | "images" | "metadata"
>;

/** The request without what is absent. */
export const without = (request: Loose): VideoRequest =>
  Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined)) as unknown as VideoRequest; // the same fields

/** The error of a task that failed; null for any other. */
export const errorOf = (task: StoredTask): JsonObject | null =>
  task.status === "FAILURE" ? { code: task.fail_code || "video_generation_failed", message: failText(task) } : null;

/** Unix seconds of a time in milliseconds; null for none. */
export const secondsOf = (timeMs: number): number | null => (timeMs === 0 ? null : Math.floor(timeMs / 1_000));
