/** Addresses of pictures and videos on this site: whoever was given one may fetch what is there, and nobody can guess one. */
import { timingSafeEqual } from "node:crypto";
import type { OptionValues } from "../../../contract/src/options/options.ts";
import type { TaskTable } from "../db/task-table.ts";
import type { Secrets } from "../db/secrets.ts";

type Picture = Pick<TaskTable, "result_url" | "task_id" | "progress" | "request_id">;

/** Shorter than a hash, and still 132 bits. */
const SIGN_CHARACTERS = 22;
const FINISHED = 100;

const signOf = (secrets: Pick<Secrets, "hash">, { request_id }: Pick<Picture, "request_id">): string =>
  secrets.hash("task_picture", request_id).slice(0, SIGN_CHARACTERS);

/** True for the sign of this task's picture or video. */
export function isResultSignature(
  secrets: Pick<Secrets, "hash">,
  task: Pick<Picture, "request_id">,
  sign: string,
): boolean {
  const [expected, given] = [Buffer.from(signOf(secrets, task)), Buffer.from(sign)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/**
 * Where a picture is fetched: the upstream's own address, or this site's, which has another end with each step of a picture that still
 * grows, so that none is shown from a cache. Empty where there is none.
 */
export function imageAddress(
  options: Pick<OptionValues, "MjForwardUrlEnabled" | "ServerAddress">,
  secrets: Pick<Secrets, "hash">,
  task: Picture,
): string {
  if (task.result_url === "" || !options.MjForwardUrlEnabled) return task.result_url;
  const base = `${options.ServerAddress.replace(/\/+$/, "")}/mj/image/${encodeURIComponent(task.task_id)}`;
  const step = task.progress === FINISHED ? "" : `&progress=${task.progress}`;
  return `${base}?sign=${signOf(secrets, task)}${step}`;
}

/** Where a browser without a key fetches a video: its bytes pass through this site with the channel's key. Empty where there is none. */
export function videoAddress(
  options: Pick<OptionValues, "ServerAddress">,
  secrets: Pick<Secrets, "hash">,
  task: Pick<TaskTable, "status" | "task_id" | "request_id">,
): string {
  if (task.status !== "SUCCESS") return "";
  const site = options.ServerAddress.replace(/\/+$/, "");
  return `${site}/v1/videos/${encodeURIComponent(task.task_id)}/content?sign=${signOf(secrets, task)}`;
}
