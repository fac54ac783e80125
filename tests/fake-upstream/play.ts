/** Plays one answer of the fake upstream: which bytes a plan means, and how they go out. */
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { Answer, wait } from "./answer-writer.ts";
import type { Plan, SeenRequest } from "./plan.ts";
import type { VendorError, Vendor } from "./vendor.ts";

async function sendWhole(
  plan: Plan,
  response: ServerResponse,
  status: number,
  text: string | Buffer,
  contentType = "application/json",
): Promise<void> {
  const plain = Buffer.from(text);
  const bytes = plan.isGzipped === true ? gzipSync(plain) : plain;
  const answer = new Answer(plan, response);
  answer.head(status, contentType, bytes.length);
  if (!(await answer.write(bytes))) return;
  if (plan.endDelayMs !== undefined) await wait(plan.endDelayMs);
  response.end();
}

async function sendStream(plan: Plan, seen: SeenRequest, response: ServerResponse, vendor: Vendor): Promise<void> {
  const answer = new Answer(plan, response);
  answer.head(200, vendor.streamContentType?.(seen) ?? "text/event-stream; charset=utf-8");
  for (const text of vendor.frames(seen, plan)) {
    if (plan.chunkDelayMs !== undefined) await wait(plan.chunkDelayMs);
    if (plan.beforeFrame !== undefined) await plan.beforeFrame(text);
    if (response.destroyed || !(await answer.write(Buffer.from(text)))) return;
  }
  if (plan.endDelayMs !== undefined) await wait(plan.endDelayMs);
  if (plan.sendsDone !== false && !(await answer.write(Buffer.from(vendor.done(seen, plan))))) return;
  response.end();
}

async function sendPieces(plan: Plan, response: ServerResponse, pieces: readonly string[]): Promise<void> {
  const answer = new Answer(plan, response);
  answer.head(plan.status ?? 200, "text/event-stream");
  for (const piece of pieces) {
    if (plan.beforeFrame !== undefined) await plan.beforeFrame(piece);
    if (response.destroyed || !(await answer.write(Buffer.from(piece)))) return;
    await wait(plan.chunkDelayMs ?? 10);
  }
  response.end();
}

/** Writes past the HTTP server, which would not let an answer be malformed. */
function sendRaw({ rawHttp = "", cutBy }: Plan, { socket }: ServerResponse): void {
  if (cutBy === undefined) socket?.end(rawHttp);
  else
    socket?.write(rawHttp, () => cutBy === "halt" || (cutBy === "reset" ? socket.resetAndDestroy() : socket.destroy()));
}

/** Answers one request as its plan says; `refusal` is what the vendor would say to the request itself. */
export async function play(
  plan: Plan,
  seen: SeenRequest,
  response: ServerResponse,
  vendor: Vendor,
  { models, refusal }: { models: readonly string[]; refusal: VendorError | undefined },
): Promise<void> {
  if (plan.dropsRequest === "destroy") return void response.socket?.destroy();
  if (plan.dropsRequest === "reset") return void response.socket?.resetAndDestroy();
  if (plan.neverAnswers === true) return;
  if (plan.headerDelayMs !== undefined) await wait(plan.headerDelayMs);
  if (plan.beforeHead !== undefined) await plan.beforeHead;
  const status = plan.status ?? 200;
  if (plan.rawHttp !== undefined) return sendRaw(plan, response);
  if (Array.isArray(plan.rawBody)) return sendPieces(plan, response, plan.rawBody as readonly string[]);
  if (plan.rawBody !== undefined) return sendWhole(plan, response, status, plan.rawBody as string | Buffer);
  if (plan.error !== undefined) return sendWhole(plan, response, status, vendor.error({ status, ...plan.error }));
  if (status >= 300) return sendWhole(plan, response, status, vendor.error({ status, message: `status ${status}` }));
  if (refusal !== undefined) return sendWhole(plan, response, refusal.status, vendor.error(refusal));
  if (seen.method === "GET") {
    const page = vendor.page?.(seen);
    if (page !== undefined) return sendWhole(plan, response, 200, page, vendor.contentType?.(seen));
    return sendWhole(plan, response, 200, vendor.models(models));
  }
  if (!vendor.isStream(seen))
    return sendWhole(plan, response, 200, vendor.whole(seen, plan), vendor.contentType?.(seen));
  return sendStream(plan, seen, response, vendor);
}
