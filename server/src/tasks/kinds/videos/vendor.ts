/** The interface of a vendor of videos: its wire format and its steps of prices as data and pure functions, one file each; vendors.ts lists them. */
import type { VideoFormat, VideoProperties } from "../../../../../contract/src/tasks.ts";
import { ownOf } from "../../../dialects/json/fields.ts";
import type { JsonObject } from "../../../dialects/neutral/neutral.ts";
import { type StoredTask, type TaskEvent, TaskRefusal } from "../kind.ts";
import type { VideoRequest } from "./request.ts";

/** Where a submission goes: always a POST with a JSON body, to which the channel's provider adds the key or a signature. */
export interface VendorAddress {
  /** Behind the base URL; `{model}` in it is the model's name at the vendor. */
  path: string;
  /** More headers, as a flat list of names and values. */
  headers?: readonly string[];
  /** Data for polls beside the id; kept in the row's `properties.poll`. */
  poll?: Readonly<Record<string, string>>;
}

/** Price steps of a submission: read from the fields that are sent, so that a channel's rules count too. */
export interface VideoCharge {
  /** Of all videos together, or of the one. */
  seconds: number;
  /** As the row and the log show it: `1280x720`, `720p`, `16:9 1080p`. */
  size: string;
  mode?: string;
  /** Thousandths of the listed price, which is that of one second of the model in its listed size and mode: 5 seconds of it are 5000. */
  thousandths: number;
}

/** A vendor's answer to a submission with a status of success. */
export type VendorAnswer =
  | { isAccepted: true; event: TaskEvent }
  /** `isBusy` where another channel may take it. */
  | { isAccepted: false; code: number; message: string; isBusy: boolean };

/** A stored task as its vendor sees it. */
export interface VideoTask extends Pick<StoredTask, "task_id" | "model" | "result_url" | "data"> {
  properties: VideoProperties;
}

/** A question to the vendor. */
export interface VideoQuestion {
  method: "GET" | "POST";
  /** Behind the base URL. */
  path: string;
  fields?: JsonObject;
  /** How long the answer may be, where it may have a video in it: few such questions are concurrent. */
  mostAnswerBytes?: number;
}

/** Where the bytes of a finished video come from. */
export type VideoSource =
  /** An address that the vendor gave; the channel's key goes along only where it is on the channel's own host. */
  | { from: "address"; url: string }
  /** The vendor's own address, which wants the key. `takesVariant` where `?variant=` of the client means something there. */
  | { from: "path"; path: string; takesVariant?: true }
  /** An address that the vendor gives anew with each question, because those it gave die. */
  | { from: "question"; question: VideoQuestion }
  /** An answer that has the video in it; `read` gives undefined for one without. */
  | { from: "bytes"; question: VideoQuestion; read(body: JsonObject): VideoBytes | undefined };

export interface VideoBytes {
  mimeType: string;
  base64: string;
}

export interface VideoVendor {
  /** Stored in the row's properties. */
  format: VideoFormat;
  /** Channel types of its API; their providers have the operation "videos". */
  channelTypes: readonly number[];
  /** Its API in a message for people: "Kling's API". */
  title: string;
  /** Field of a submission that has the model's name; empty where the path has it. */
  modelField: string;
  /**
   * The body of a submission in the vendor's words, without `metadata`, which is laid over it. `model` is the model's name at the vendor.
   * Throws TaskRefusal naming a field that it cannot do.
   */
  write(request: VideoRequest, model: string): JsonObject;
  /** The fields of a client that speaks the vendor's own form, with the model's name at the vendor; in `modelField` where absent. */
  own?(fields: JsonObject, model: string): JsonObject;
  /** Where a submission with these fields goes; `request` is what they were written of, absent for fields of the vendor's own form. */
  address(fields: JsonObject, request?: VideoRequest): VendorAddress;
  /**
   * What a submission with these fields is charged. `model` is the model's name at the vendor. Throws TaskRefusal for a length, size or
   * field that the model does not have, and for fields that would change the price unread: use `knownFields`.
   */
  charge(fields: JsonObject, model: string): VideoCharge;
  /** Reads an answer with a status of success; undefined for what is no such answer. */
  answer(body: JsonObject): VendorAnswer | undefined;
  /** The question about a task. What an earlier answer gave is in the task's `data`. */
  poll(task: VideoTask): VideoQuestion;
  /** Statuses beside 200 whose body says how a task is; 404 says that the vendor does not know it, and any other is no answer. */
  reportStatuses?: readonly number[];
  /** The event in the answer to a poll; undefined for what is no such answer, null where it says that it does not know the task. */
  event(body: JsonObject, task: VideoTask): TaskEvent | null | undefined;
  /** Where a finished video is fetched by this gateway. */
  source(task: VideoTask): VideoSource;
  /**
   * True where the address of the result is given to clients as it is: it is public and stands for a day or longer. Else they get an address
   * here, through which the bytes pass.
   */
  givesAddress: boolean;
}

const THOUSAND = 1_000;

/** Thousandths as the decimal text that multiplies a price: 12600 is "12.6". */
export function factorText(thousandths: number): string {
  const whole = Math.round(thousandths);
  const fraction = String(whole % THOUSAND).padStart(3, "0");
  return `${Math.floor(whole / THOUSAND)}.${fraction}`.replace(/\.?0+$/, "");
}

/** The rate of a second by mode, as a model has it, beside the listed one: all in the same small unit of the vendor's price. */
export interface Rates {
  listed: number;
  byMode: Readonly<Record<string, number>>;
}

/** Thousandths of the listed second that so many seconds cost at a rate. */
export const thousandthsOf = (seconds: number, rate: number, listed: number): number =>
  Math.round((seconds * rate * THOUSAND) / listed);

/** The first row whose pattern fits the model. */
export const rowFor = <Row>(rows: readonly (readonly [model: RegExp, row: Row])[], model: string): Row | undefined =>
  rows.find(([pattern]) => pattern.test(model))?.[1];

/** Fields of a request that a vendor cannot do, as the client of the common form names them. */
const NAMES = {
  negativePrompt: "negative_prompt",
  seconds: "duration",
  pixels: "size",
  resolution: "resolution",
  aspectRatio: "aspect_ratio",
  mode: "mode",
  count: "n",
  seed: "seed",
  sound: "sound",
} as const satisfies Readonly<Partial<Record<keyof VideoRequest, string>>>;

/** Throws TaskRefusal where a request has one of these: nothing that was asked for is dropped silently. */
export function refuseUnable(request: VideoRequest, names: readonly (keyof typeof NAMES)[], model: string): void {
  for (const name of names) {
    if (request[name] === undefined || (name === "count" && request.count === 1)) continue;
    const field = ownOf<string>(NAMES, name) ?? name;
    throw new TaskRefusal("unsupported_field", `${model} has no '${field}'.`, field);
  }
}

/** Throws TaskRefusal where there are images of a role that the model does not take. */
export function refuseImages(
  request: VideoRequest,
  roles: readonly VideoRequest["images"][number]["role"][],
  model: string,
): void {
  const fields = { first: "image", last: "image_tail", reference: "reference_images" } as const;
  const role = roles.find((each) => request.images.some((image) => image.role === each));
  if (role === undefined) return;
  throw new TaskRefusal("unsupported_field", `${model} takes no '${fields[role]}'.`, fields[role]);
}
