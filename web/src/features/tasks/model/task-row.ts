/** One row of either log of tasks: both API families in one shape, and what is derived from it. Pure. */
import type { ImageTask, OwnImageTask } from "../../../../../contract/src/features/drawing.ts";
import type { OwnTask, Task } from "../../../../../contract/src/features/tasks.ts";
import { isFinished, SUBMIT_CODE } from "../../../../../contract/src/tasks.ts";
import type { DotTone, TagTone } from "../../../ui/display/tags.tsx";

/** The log of image tasks, or that of songs and videos, by the names of their features. */
export type LogKind = "drawing" | "tasks";
export type SentRow = ImageTask | OwnImageTask | Task | OwnTask;

export interface TaskRow {
  id: number;
  requestId: string;
  platform: string;
  action: string;
  /** At the upstream; "" until that took it. */
  taskId: string;
  model: string;
  status: string;
  /** 0 to 100. */
  progress: number;
  failCode: string;
  failReason: string;
  quota: number;
  charge: string;
  /** Unix seconds, with their fraction where it is known; 0 where it has not come to that. */
  submitS: number;
  finishS: number;
  prompt: string;
  promptEn: string;
  /** Address of the picture, as the server gave it. */
  pictureUrl: string;
  /** Where a song or a video is fetched. */
  resultUrl: string;
  /** The result of a song or a video, as the upstream gave it. */
  data: unknown;
  properties: unknown;
  /** For administrators: the upstream's code for the submission, the owner, and the channel. */
  code: number | undefined;
  username: string;
  channelId: number;
  channelName: string;
  /** As it was sent, to be read as JSON. */
  sent: SentRow;
}

const percentOf = (progress: string): number => Math.min(100, Math.max(0, Number.parseInt(progress, 10) || 0));

const sharedOf = (sent: SentRow) => ({
  id: sent.id,
  requestId: sent.request_id,
  action: sent.action,
  model: sent.model,
  status: sent.status,
  progress: percentOf(sent.progress),
  failCode: sent.fail_code,
  failReason: sent.fail_reason,
  quota: sent.quota,
  charge: sent.charge,
  prompt: sent.prompt,
  code: "code" in sent ? sent.code : undefined,
  username: "username" in sent ? sent.username : "",
  channelId: "channel_id" in sent ? sent.channel_id : 0,
  channelName: "channel_name" in sent ? sent.channel_name : "",
  sent,
});

/** The row of an image task, whose times are milliseconds. */
export const imageRow = (sent: ImageTask | OwnImageTask): TaskRow => ({
  ...sharedOf(sent),
  platform: "mj",
  taskId: sent.mj_id,
  submitS: sent.submit_time / 1000,
  finishS: sent.finish_time / 1000,
  promptEn: sent.prompt_en,
  pictureUrl: sent.image_url,
  resultUrl: sent.video_urls[0] ?? "",
  data: null,
  properties: null,
});

/** The row of a song or a video, whose times are seconds. */
export const taskRow = (sent: Task | OwnTask): TaskRow => ({
  ...sharedOf(sent),
  platform: sent.platform,
  taskId: sent.task_id,
  submitS: sent.submit_time,
  finishS: sent.finish_time,
  promptEn: "",
  pictureUrl: "",
  resultUrl: sent.result_url,
  data: sent.data,
  properties: sent.properties,
});

/** From the submission to the end in seconds; undefined where either is missing. */
export function spentSeconds({ submitS, finishS }: Pick<TaskRow, "submitS" | "finishS">): number | undefined {
  return submitS > 0 && finishS >= submitS ? finishS - submitS : undefined;
}

/** Longer than this is slow. */
const SLOW_SECONDS = 60;
export const spentTone = (seconds: number): TagTone => (seconds > SLOW_SECONDS ? "red" : "green");

/** True while the task may change without its caller: one that waits for the caller's text in a window does not. */
export const isRunning = ({ status }: Pick<TaskRow, "status">): boolean => !isFinished(status) && status !== "MODAL";

export const hasFailed = ({ status }: Pick<TaskRow, "status">): boolean => status === "FAILURE";

interface Look<Tone> {
  tone: Tone;
  /** Of its words in the locale file. */
  key: string;
}

const STATUS_LOOKS: Readonly<Record<string, Look<DotTone>>> = {
  "": { tone: "idle", key: "submitting" },
  NOT_START: { tone: "idle", key: "notStarted" },
  SUBMITTED: { tone: "amber", key: "inQueue" },
  QUEUED: { tone: "amber", key: "queued" },
  IN_PROGRESS: { tone: "blue", key: "inProgress" },
  MODAL: { tone: "amber", key: "windowWaiting" },
  SUCCESS: { tone: "green", key: "success" },
  FAILURE: { tone: "red", key: "failure" },
};
export const statusLook = (status: string): Look<DotTone> => STATUS_LOOKS[status] ?? { tone: "idle", key: "unknown" };

const CODE_LOOKS: Readonly<Record<number, Look<TagTone>>> = {
  [SUBMIT_CODE.notSubmitted]: { tone: "amber", key: "notSubmitted" },
  [SUBMIT_CODE.submitted]: { tone: "green", key: "submitted" },
  [SUBMIT_CODE.waiting]: { tone: "lime", key: "waiting" },
  [SUBMIT_CODE.duplicate]: { tone: "orange", key: "duplicate" },
};
/** Any other number is a refusal of the upstream, shown as it is. */
export const codeLook = (code: number): Look<TagTone> => CODE_LOOKS[code] ?? { tone: "red", key: "refused" };

/** Blue makes something new, accent continues a picture, neutral gives words or only takes something in. */
const ACTION_TONES: Readonly<Record<string, TagTone>> = {
  IMAGINE: "blue",
  BLEND: "blue",
  SWAP_FACE: "blue",
  VIDEO: "accent",
  EDITS: "accent",
  UPSCALE: "accent",
  VARIATION: "accent",
  HIGH_VARIATION: "accent",
  LOW_VARIATION: "accent",
  REROLL: "accent",
  PAN: "accent",
  ZOOM: "accent",
  CUSTOM_ZOOM: "accent",
  INPAINT: "accent",
  REMIX: "accent",
  MUSIC: "blue",
  GENERATE: "blue",
};
export const actionTone = (action: string): TagTone => ACTION_TONES[action] ?? "neutral";
