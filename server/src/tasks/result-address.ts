/** Signed URLs of images and videos on this site: a holder needs no key, and the signature cannot be guessed. */
import { timingSafeEqual } from "node:crypto";
import type { OptionValues } from "../../../contract/src/options/options.ts";
import type { TaskTable } from "../db/task-table.ts";
import type { Secrets } from "../db/secrets.ts";
import type { StoredTask } from "./kinds/kind.ts";
import { ofVendor } from "./kinds/videos/vendors.ts";

type Result = Pick<TaskTable, "result_url" | "task_id" | "progress" | "request_id">;

/** Shorter than a hash, and still 132 bits. */
const SIGNATURE_CHARACTERS = 22;
const FINISHED = 100;

const signatureOf = (secrets: Pick<Secrets, "hash">, { request_id }: Pick<Result, "request_id">): string =>
  secrets.hash("task_picture", request_id).slice(0, SIGNATURE_CHARACTERS);

/** True for the signature of this task's image or video, compared in constant time. */
export function isResultSignature(
  secrets: Pick<Secrets, "hash">,
  task: Pick<Result, "request_id">,
  signature: string,
): boolean {
  const [expected, given] = [Buffer.from(signatureOf(secrets, task)), Buffer.from(signature)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/**
 * Where an image is fetched: the upstream's own address, or this site's, which differs with the progress of an unfinished image, so that
 * no browser shows an older one from its cache. Empty where there is none.
 */
export function imageAddress(
  options: Pick<OptionValues, "MjForwardUrlEnabled" | "ServerAddress">,
  secrets: Pick<Secrets, "hash">,
  task: Result,
): string {
  if (task.result_url === "" || !options.MjForwardUrlEnabled) return task.result_url;
  const base = `${options.ServerAddress.replace(/\/+$/, "")}/mj/image/${encodeURIComponent(task.task_id)}`;
  const step = task.progress === FINISHED ? "" : `&progress=${task.progress}`;
  return `${base}?sign=${signatureOf(secrets, task)}${step}`;
}

/** Where a browser without a key fetches a video: its bytes pass through this site with the channel's key. Empty where there is none. */
export function videoAddress(
  options: Pick<OptionValues, "ServerAddress">,
  secrets: Pick<Secrets, "hash">,
  task: Pick<TaskTable, "status" | "task_id" | "request_id">,
): string {
  if (task.status !== "SUCCESS") return "";
  const site = options.ServerAddress.replace(/\/+$/, "");
  return `${site}/v1/videos/${encodeURIComponent(task.task_id)}/content?sign=${signatureOf(secrets, task)}`;
}

/**
 * Where a client of the relay reads the result of a task: an image as above; a video at the vendor's own address where that is public and
 * lasts, else at its signed address here.
 */
export function resultAddress(
  options: Pick<OptionValues, "MjForwardUrlEnabled" | "ServerAddress">,
  secrets: Pick<Secrets, "hash">,
  task: StoredTask,
): string {
  if (task.platform !== "video") return imageAddress(options, secrets, task);
  const { vendor } = ofVendor(task);
  if (task.status === "SUCCESS" && vendor.givesAddress && task.result_url !== "") return task.result_url;
  return videoAddress(options, secrets, task);
}
