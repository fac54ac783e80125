/** Small HTTP requests of the console to addresses from options and settings, under the address policy. */
import { AppError } from "../../../contract/src/errors.ts";
import type { GuardedAnswer, GuardedRequest } from "../console/relay-tools.ts";
import type { UpstreamClient } from "../upstream/client.ts";
import { UpstreamFault } from "../upstream/fault.ts";

const LIMITS = { bytes: 256 * 1024, timeoutMs: 10_000 } as const;

const failed = (message: string, cause?: unknown): AppError => new AppError("upstream_failed", { message, cause });

/** By the reason a test of settings chooses its sentence and repair. */
const timedOut = (cause?: unknown): AppError =>
  new AppError("upstream_failed", {
    message: "The other site took too long",
    values: { reason: "timed_out" },
    cause,
  });

const TIMEOUTS: ReadonlySet<string> = new Set(["connect_timeout", "first_byte_timeout", "idle_timeout"]);

/** The policy's message is shown to operators: it names the switch, and no secret. */
function asAppError(fault: unknown): AppError {
  const kind = fault instanceof UpstreamFault ? fault.kind : "";
  if (fault instanceof UpstreamFault && kind === "address")
    return new AppError("address_refused", { message: fault.message, cause: fault });
  return TIMEOUTS.has(kind) ? timedOut(fault) : failed("The other site did not answer", fault);
}

const firstValues = (headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, (Array.isArray(value) ? value[0] : value) ?? ""]),
  );

/** Throws AppError address_refused, or upstream_failed beyond its limits of time and response size (default 10 s and 256 KB). */
export async function fetchGuarded(upstream: UpstreamClient, request: GuardedRequest): Promise<GuardedAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<GuardedAnswer>();
  const { method, url, headers, body, limits = LIMITS } = request;
  const parts: Buffer[] = [];
  let bytes = 0;
  let head: Omit<GuardedAnswer, "body"> = { status: 0, headers: {} };
  const giveUp = (error: AppError): void => {
    reject(error);
    call.abort();
  };
  const call = upstream.send(
    {
      method,
      url,
      headers: Object.entries({ "user-agent": "Turnpike", ...headers }).flat(),
      body: body === undefined ? null : Buffer.from(body),
      proxy: "",
      firstByteTimeoutMs: limits.timeoutMs,
      idleTimeoutMs: limits.timeoutMs,
    },
    {
      started: (status, received) => void (head = { status, headers: firstValues(received) }),
      data(chunk) {
        bytes += chunk.length;
        if (bytes > limits.bytes) giveUp(failed("The other site's answer is too large"));
        else parts.push(chunk);
      },
      ended: () => resolve({ ...head, body: Buffer.concat(parts).toString("utf8") }),
      failed: (fault) => reject(asAppError(fault)),
    },
  );
  const timer = setTimeout(() => giveUp(timedOut()), limits.timeoutMs);
  return promise.finally(() => clearTimeout(timer));
}
