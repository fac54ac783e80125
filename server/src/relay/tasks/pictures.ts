/** Pictures of drawings through this site: to their owner, or to who has the address that this site gave; from public addresses alone. */
import { isFinished } from "../../../../contract/src/tasks/task.ts";
import type { StoredTask } from "../../tasks/kinds/kind.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import { fetchMedia } from "../../upstream/media.ts";
import { workerOf } from "../../upstream/worker.ts";
import { keyOwner } from "../admission/authenticate.ts";
import { checkAddress } from "../admission/caller.ts";
import type { Call } from "../call/call.ts";
import { RelayError } from "../call/relay-error.ts";
import { baseHeaders } from "../call/respond.ts";

/** So many are fetched at a time in one process: whoever has an address needs no key. */
const FETCHES_AT_ONCE = 32;
/** Kinds that a browser shows and does not run. */
const SHOWN = /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp)|video\/(?:mp4|webm))$/;
let fetching = 0;

/** The task with this id whose sign was given, else the one of the key's owner. Throws RelayError. */
async function pictured(call: Call, taskId: string): Promise<StoredTask> {
  const { context, request } = call;
  const sign = new URLSearchParams((request.url ?? "").split("?")[1] ?? "").get("sign");
  const tasks = await context.tasks.withId("mj", taskId);
  if (sign !== null) {
    const signed = tasks.find((task) => context.tasks.isSigned(task, sign));
    if (signed !== undefined) return signed;
    throw new RelayError("task_not_found", { code: "midjourney_task_not_found" });
  }
  const { token, user } = keyOwner(context, request);
  checkAddress(token, context.clientAddress(request));
  const own = tasks.find(({ user_id }) => user_id === user.id);
  if (own === undefined) throw new RelayError("task_not_found", { code: "midjourney_task_not_found" });
  return own;
}

async function fetched({ context }: Call, url: string) {
  if (fetching >= FETCHES_AT_ONCE) throw new RelayError("over_capacity", { retryAfterSeconds: 1 });
  fetching += 1;
  try {
    return await fetchMedia(context.upstream, url, {}, workerOf(context.snapshot.options));
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
    throw new RelayError("picture_unavailable", { message: `The picture could not be fetched: ${error.message}.` });
  } finally {
    fetching -= 1;
  }
}

/** Answers with the picture. Throws RelayError, or rejects with it. */
export async function answerPicture(call: Call, taskId: string): Promise<void> {
  const task = await pictured(call, taskId);
  if (task.result_url === "") throw new RelayError("task_not_found", { code: "midjourney_task_not_found" });
  const { mimeType, base64 } = await fetched(call, task.result_url);
  if (!SHOWN.test(mimeType))
    throw new RelayError("picture_unavailable", { message: "What stands there is no picture." });
  const body = Buffer.from(base64, "base64");
  const caching = isFinished(task.status) ? "private, max-age=86400, immutable" : "no-store";
  call.status = 200;
  const headers = baseHeaders(call.requestId);
  headers.push("Content-Type", mimeType, "Content-Length", String(body.length), "Cache-Control", caching);
  headers.push("X-Content-Type-Options", "nosniff", "Content-Security-Policy", "sandbox; default-src 'none'");
  call.response.writeHead(200, headers);
  call.response.end(body);
}
