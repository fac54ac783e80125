/** Fake image, song and video tasks for the demonstration, by the APIs of a Midjourney proxy, of Suno and of OpenAI: each is done some seconds later. */
import { openAiChatVendor } from "../openai/chat.ts";
import type { SeenRequest } from "../plan.ts";
import type { Vendor } from "../vendor.ts";

export const STUDIO_PATHS =
  /^\/(?:mj\/(?:submit\/[\w-]+|task\/list-by-condition)|suno\/(?:submit\/\w+|fetch)|v1\/videos(?:\/[^/]+)?)$/;

/** How long each thing takes. */
const MAKING_MS = 6_000;
const FILES = 60;

/** Its id says when it was begun and which file it becomes, so that nothing has to be kept. */
const ID = /^made-([0-9a-z]+)-(\d+)-(\w+)$/;

interface Made {
  id: string;
  beganMs: number;
  file: number;
  action: string;
  /** 0 to 100. */
  percent: number;
  isDone: boolean;
}

const pathOf = ({ path }: SeenRequest): string => path.split("?")[0] ?? "";
const fieldOf = (seen: SeenRequest, name: string): string => String(seen.json?.[name] ?? "");

/** The same words make the same picture. */
function fileOf(seen: SeenRequest): number {
  let sum = 0;
  for (const byte of seen.body) sum = (sum * 31 + byte) % 9973;
  return 1 + (sum % FILES);
}

let last = 0;
/** Two submissions of one moment have ids of their own. */
function newId(seen: SeenRequest, action: string): string {
  last = Math.max(Date.now(), last + 1);
  return `made-${last.toString(36)}-${fileOf(seen)}-${action}`;
}

/** What an id stands for by now; undefined for ids of others. */
function madeOf(id: string): Made | undefined {
  const [, began = "", file = "", action = ""] = ID.exec(id) ?? [];
  if (began === "") return undefined;
  const beganMs = Number.parseInt(began, 36);
  const percent = Math.min(100, Math.floor(((Date.now() - beganMs) / MAKING_MS) * 100));
  return { id, beganMs, file: Number(file), action, percent, isDone: percent >= 100 };
}

const mediaOf = ({ headers }: SeenRequest): string => `http://${String(headers["host"])}/media`;

/** One of four is a picture of its own. */
function drawing(seen: SeenRequest, { id, beganMs, file, action, percent, isDone }: Made): object {
  const kind = action === "UPSCALE" ? "picture" : "grid";
  const labels = kind === "grid" ? ["U1", "U2", "U3", "U4", "V1", "V2", "V3", "V4"] : [];
  return {
    id,
    action,
    status: isDone ? "SUCCESS" : "IN_PROGRESS",
    progress: `${percent}%`,
    startTime: beganMs,
    finishTime: isDone ? beganMs + MAKING_MS : 0,
    imageUrl: isDone ? `${mediaOf(seen)}/${kind}-${file}.png` : "",
    buttons: labels.map((label) => ({ customId: `MJ::JOB::${label}::${id}`, emoji: "", label, type: 2, style: 2 })),
  };
}

function song(seen: SeenRequest, { id, beganMs, file, percent, isDone }: Made): object {
  const audio_url = isDone ? `${mediaOf(seen)}/tune-${file}.wav` : "";
  const clip = { id: `${id}-1`, title: `Tune ${file}`, audio_url, status: isDone ? "complete" : "streaming" };
  const startS = Math.floor(beganMs / 1000);
  return {
    task_id: id,
    action: "MUSIC",
    status: isDone ? "SUCCESS" : "IN_PROGRESS",
    fail_reason: "",
    progress: `${percent}%`,
    submit_time: startS,
    start_time: startS,
    finish_time: isDone ? startS + MAKING_MS / 1000 : 0,
    data: [{ ...clip, metadata: { tags: "plucked, calm", ...(isDone ? { duration: 4 } : {}) } }],
  };
}

const film = (made: Made, fields: Record<string, unknown> = {}): object => ({
  object: "video",
  model: "sora-2",
  seconds: "4",
  size: "1280x720",
  ...fields,
  id: made.id,
  status: made.isDone ? "completed" : "in_progress",
  progress: made.percent,
  created_at: Math.floor(made.beganMs / 1000),
  completed_at: made.isDone ? Math.floor((made.beganMs + MAKING_MS) / 1000) : null,
  error: null,
});

/** Those of the ids asked for that were made here. */
const askedFor = (seen: SeenRequest): Made[] =>
  ((seen.json?.["ids"] as unknown[] | undefined) ?? []).flatMap((id) => madeOf(String(id)) ?? []);

function answer(seen: SeenRequest): object {
  const path = pathOf(seen);
  if (path === "/mj/task/list-by-condition") return askedFor(seen).map((made) => drawing(seen, made));
  if (path === "/suno/fetch")
    return { code: "success", message: "", data: askedFor(seen).map((made) => song(seen, made)) };
  if (path.startsWith("/suno/")) return { code: "success", message: "", data: newId(seen, "MUSIC") };
  if (!path.startsWith("/mj/")) return film(madeOf(newId(seen, "FILM")) as Made, { ...seen.json });
  const action = fieldOf(seen, "action").toUpperCase() || "IMAGINE";
  return { code: 1, description: "Submit success", result: newId(seen, action), properties: {} };
}

export const studioVendor: Vendor = {
  ...openAiChatVendor,
  refuseKey: () => undefined,
  // Seeded rows belong to no process here: they stay as they were seeded.
  refuse(seen) {
    const ids = seen.json?.["ids"];
    const film = seen.method === "GET" ? pathOf(seen).split("/").at(-1) : undefined;
    const isUnknown = (Array.isArray(ids) && askedFor(seen).length === 0) || (film !== undefined && !ID.test(film));
    const message = "There is no such task.";
    return isUnknown ? { status: 404, message, type: "invalid_request_error", code: null, param: null } : undefined;
  },
  isStream: () => false,
  whole: (seen) => JSON.stringify(answer(seen)),
  page: (seen) => JSON.stringify(film(madeOf(pathOf(seen).split("/").at(-1) ?? "") as Made)),
};
