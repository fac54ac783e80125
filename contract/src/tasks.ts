/** Tasks, which an upstream accepts and finishes later: what all kinds have in common, then what each of them has. Pure. */

/** Kinds of tasks by the name that rows and clients have for them: image tasks of a Midjourney proxy, songs and lyrics of Suno, videos. */
export const TASK_PLATFORMS = ["mj", "suno", "video"] as const;
export type TaskPlatform = (typeof TASK_PLATFORMS)[number];

/** The state of a task; empty while it is submitted to an upstream. MODAL waits for the caller's words in a window of Midjourney. */
export const TASK_STATUSES = [
  "",
  "NOT_START",
  "SUBMITTED",
  "QUEUED",
  "IN_PROGRESS",
  "MODAL",
  "SUCCESS",
  "FAILURE",
  "UNKNOWN",
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** A task of these never changes again. */
export const FINISHED_STATUSES = ["SUCCESS", "FAILURE"] as const satisfies readonly TaskStatus[];

/**
 * The state of a task's charge. `pending`: not charged yet. `refund_due`: it failed, and what was charged for it goes back as soon as the
 * ledger has the charge. `uncharged`: it failed before anything was charged.
 */
export const TASK_CHARGES = ["pending", "charged", "refund_due", "refunded", "uncharged"] as const;
export type TaskCharge = (typeof TASK_CHARGES)[number];

/** Why this gateway gave a task up; an upstream's own words stand in the fail reason. */
export const TASK_FAIL_CODES = [
  /** No event for as long as its kind may take. */
  "timed_out",
  /** Its channel was deleted, so that no upstream can be polled. */
  "channel_deleted",
  /** The upstream does not know it any more. */
  "lost_upstream",
  /** The upstream did not take it. */
  "not_accepted",
  /** The gateway was stopped while it was submitted. */
  "interrupted",
  /** The upstream reported a failure without a reason. */
  "unexplained",
] as const;
export type TaskFailCode = (typeof TASK_FAIL_CODES)[number];

const STATUSES: ReadonlySet<string> = new Set(TASK_STATUSES);

/** A status as upstreams spell it; what is none of them is UNKNOWN. */
export function taskStatus(value: unknown): TaskStatus {
  const name = typeof value === "string" ? value.toUpperCase() : "";
  return STATUSES.has(name) && name !== "" ? (name as TaskStatus) : "UNKNOWN"; // one of the set
}

/** True for a status that never changes again. */
export const isFinished = (status: string): boolean => (FINISHED_STATUSES as readonly string[]).includes(status);

// What each kind of task can be asked for, by which model it is priced, and what its row keeps: image tasks of a Midjourney proxy, songs and lyrics of Suno, videos.

/** Actions of a Midjourney proxy (github.com/novicezk/midjourney-proxy), and the model by which each is priced and routed. */
export const IMAGE_MODELS = {
  IMAGINE: "mj_imagine",
  UPSCALE: "mj_upscale",
  VARIATION: "mj_variation",
  HIGH_VARIATION: "mj_high_variation",
  LOW_VARIATION: "mj_low_variation",
  PAN: "mj_pan",
  DESCRIBE: "mj_describe",
  BLEND: "mj_blend",
  UPLOAD: "mj_upload",
  SHORTEN: "mj_shorten",
  REROLL: "mj_reroll",
  INPAINT: "mj_inpaint",
  ZOOM: "mj_zoom",
  CUSTOM_ZOOM: "mj_custom_zoom",
  MODAL: "mj_modal",
  SWAP_FACE: "swap_face",
  VIDEO: "mj_video",
  EDITS: "mj_edits",
} as const;
export type ImageAction = keyof typeof IMAGE_MODELS;
/** Every action, in the order above. */
export const IMAGE_ACTIONS = Object.keys(IMAGE_MODELS) as ImageAction[]; // its own keys

/** `code` of an answer to a submission. */
export const SUBMIT_CODE = {
  notSubmitted: 0,
  submitted: 1,
  noInstance: 3,
  badRequest: 4,
  waiting: 21,
  duplicate: 22,
  queueFull: 23,
  bannedPrompt: 24,
  busy: 30,
} as const;

/** Codes of submissions that the upstream took, and that are charged. */
export const ACCEPTED_CODES: readonly number[] = [SUBMIT_CODE.submitted, SUBMIT_CODE.waiting, SUBMIT_CODE.duplicate];

/** A button of an image; `customId` names its action. */
export interface ImageButton {
  customId: string;
  emoji: string;
  label: string;
  type: number;
  style: number;
}

/** What an image task has beside what every task has: JSON in the column `data`. */
export interface ImageTaskData {
  prompt_en: string;
  description: string;
  /** What the caller sent along to recognise its task. */
  state: string;
  custom_id: string;
  bot_type: string;
  buttons: readonly ImageButton[];
  mask_base64: string;
  /** Addresses of films at the upstream; only tasks of the action VIDEO have some. */
  video_urls: readonly string[];
  /** As the upstream has it: finalPrompt, finalZhPrompt, bannedWord. */
  properties: Readonly<Record<string, unknown>>;
}

/** Actions of Suno (github.com/Suno-API/Suno-API), and the model by which each is priced and routed. */
export const SONG_MODELS = { MUSIC: "suno_music", LYRICS: "suno_lyrics" } as const;
export type SongAction = keyof typeof SONG_MODELS;
/** Every action of Suno. */
export const SONG_ACTIONS = Object.keys(SONG_MODELS) as SongAction[]; // its own keys

/** Requests to a model that makes videos; by which API is in the task's properties. */
export const VIDEO_ACTIONS = ["GENERATE", "REMIX"] as const;

/** APIs of vendors by which videos are made (server/src/tasks/kinds/videos has one file each). */
export const VIDEO_FORMATS = [
  "openai",
  "gemini",
  "kling",
  "jimeng",
  "vidu",
  "doubao",
  "hailuo",
  "wan",
  "vertex",
] as const;
export type VideoFormat = (typeof VIDEO_FORMATS)[number];

/** What a video's task keeps of the request: JSON in the column `properties`. */
export interface VideoProperties {
  /** Wire format of the upstream. */
  format: VideoFormat;
  /** Length in seconds as it was asked for and charged. */
  seconds: number;
  /** Such as 1280x720, 720p or 16:9; empty where none was asked for. */
  size: string;
  /** The vendor's quality, such as std or pro; absent where it has none. */
  mode?: string;
  /** What the vendor wants to be asked by later, such as the kind of the task. */
  poll?: Readonly<Record<string, string>>;
}
