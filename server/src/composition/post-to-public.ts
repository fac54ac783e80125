/** Calls the address of a user's notices under the address policy for users' addresses, so private and reserved addresses are refused; through the worker proxy if one is configured. */
import { DeliveryFault } from "../notify/delivery-fault.ts";
import type { PostToPublic, PushAnswer, PushRequest } from "../notify/ways/way.ts";
import type { UpstreamClient, UpstreamRequest } from "../upstream/client.ts";
import { UpstreamFault } from "../upstream/fault.ts";
import { type WorkerProxy, workerRequest } from "../upstream/worker.ts";

const TIMEOUT_MS = 10_000;
const READ_BYTES = 64 * 1024;

type Upstream = Pick<UpstreamClient, "send" | "checkForUser">;
type Sent = Pick<UpstreamRequest, "method" | "url" | "headers" | "body" | "isForUser">;

const ofReceiver = (fault: UpstreamFault): DeliveryFault =>
  fault.kind === "address"
    ? new DeliveryFault("address_refused", "The address is private or reserved", { isFinal: true, cause: fault })
    : new DeliveryFault("webhook_unreachable", fault.kind, { cause: fault });

const ofWorker = (fault: UpstreamFault): DeliveryFault =>
  new DeliveryFault("worker_unreachable", fault.message, { cause: fault });

/** Throws DeliveryFault if the worker must not be sent to this address. */
async function byWorker(upstream: Upstream, worker: WorkerProxy, request: PushRequest): Promise<Sent> {
  const { method = "POST", url, headers, body } = request;
  await upstream.checkForUser(url).catch((error: unknown) => {
    throw error instanceof UpstreamFault ? ofReceiver(error) : error;
  });
  // The body is the message's own JSON: the worker expects it as a value.
  const task = { url, method, headers, ...(body === "" ? {} : { body: JSON.parse(body) as unknown }) };
  return { ...workerRequest(worker, task), isForUser: false };
}

const direct = ({ method = "POST", url, headers, body }: PushRequest): Sent => ({
  method,
  url,
  headers: Object.entries({ ...headers, "user-agent": "Turnpike" }).flat(),
  body: body === "" ? null : Buffer.from(body),
  isForUser: true,
});

/** Sends the request and reads the beginning of the response. */
function post(upstream: Upstream, sent: Sent, asFault: (fault: UpstreamFault) => DeliveryFault): Promise<PushAnswer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    let status = 0;
    // Set before sending: a refused address fails while `send` still runs.
    const timer = setTimeout(() => call.abort(), TIMEOUT_MS);
    const finish = (): void => {
      clearTimeout(timer);
      resolve({ status, text: Buffer.concat(parts).subarray(0, READ_BYTES).toString("utf8") });
    };
    const timers = { firstByteTimeoutMs: TIMEOUT_MS, idleTimeoutMs: TIMEOUT_MS };
    const call = upstream.send(
      { ...sent, proxy: "", ...timers },
      {
        started: (answered) => void (status = answered),
        data(chunk) {
          parts.push(chunk);
          bytes += chunk.length;
          if (bytes >= READ_BYTES) call.abort();
        },
        ended: finish,
        // The beginning of a long response is enough: the rest is dropped.
        failed: (fault) => {
          if (bytes >= READ_BYTES) return finish();
          clearTimeout(timer);
          return reject(asFault(fault));
        },
      },
    );
  });
}

/**
 * @param upstream refuses addresses that a user may not name, whatever the options allow for channels.
 * @param workerNow the worker proxy of the options in force, if any.
 */
export function createPostToPublic(upstream: Upstream, workerNow: () => WorkerProxy | undefined): PostToPublic {
  return async (request) => {
    const worker = workerNow();
    if (worker === undefined) return post(upstream, direct(request), ofReceiver);
    const answer = await post(upstream, await byWorker(upstream, worker, request), ofWorker);
    // Only the text shows whether the worker or the receiver refused.
    const isGood = answer.status >= 200 && answer.status <= 299;
    return isGood ? answer : { ...answer, text: `(through the worker) ${answer.text}` };
  };
}
