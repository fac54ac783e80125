/** Sends one request with a small response that is read at once, for requests to upstreams outside of calls. */
import type { ResponseHeaders, UpstreamClient, UpstreamRequest } from "./client.ts";
import { newFault } from "./fault.ts";

export interface WholeAnswer {
  status: number;
  headers: ResponseHeaders;
  body: string;
}

interface AskLimits {
  /** The longest answer that is read; a longer one ends as a fault `decode`. */
  bytes: number;
  /** For everything, in milliseconds; for ever where absent, but for the request's own timers. */
  totalMs?: number;
  signal?: AbortSignal | undefined;
}

/** Sends and reads the whole answer. Rejects with UpstreamFault. */
export function askUpstream(
  upstream: UpstreamClient,
  request: UpstreamRequest,
  { bytes: limitBytes, totalMs, signal }: AskLimits,
): Promise<WholeAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<WholeAnswer>();
  const parts: Buffer[] = [];
  let bytes = 0;
  let head: Pick<WholeAnswer, "status" | "headers"> = { status: 0, headers: {} };
  const call = upstream.send(request, {
    started: (status, headers) => void (head = { status, headers }),
    data(chunk) {
      bytes += chunk.length;
      if (bytes <= limitBytes) return void parts.push(chunk);
      reject(newFault("decode"));
      call.abort();
    },
    ended: () => resolve({ ...head, body: Buffer.concat(parts).toString("utf8") }),
    failed: reject,
  });
  const giveUp = (kind: "aborted" | "first_byte_timeout"): void => {
    reject(newFault(kind));
    call.abort();
  };
  const onAbort = (): void => giveUp("aborted");
  signal?.addEventListener("abort", onAbort, { once: true });
  const timer = totalMs === undefined ? undefined : setTimeout(() => giveUp("first_byte_timeout"), totalMs);
  return promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  });
}
