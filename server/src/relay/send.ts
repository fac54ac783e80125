/** Step 6: one attempt at one channel; its end is a failure to decide on, or an answer whose closing frames wait. */
import type { UpstreamFailure } from "../providers/provider.ts";
import type { ResponseHeaders, UpstreamSink } from "../upstream/client.ts";
import { withoutKey } from "../upstream/conceal.ts";
import type { FaultKind, UpstreamFault } from "../upstream/fault.ts";
import { type Exchange, type Target, known } from "./exchange.ts";
import { type Reply, startReply } from "./reply.ts";

/** What is kept of a failed answer's body. */
const MAX_ERROR_BYTES = 64 * 1024;

type FaultReading = Pick<UpstreamFailure, "kind" | "code" | "isRetryable">;

/** Before anything was sent another channel may be tried; after that the upstream may have done the work already. */
const FAULTS: Readonly<Record<FaultKind, FaultReading>> = {
  address: { kind: "network", code: "upstream_address", isRetryable: true },
  connect: { kind: "network", code: "upstream_unreachable", isRetryable: true },
  connect_timeout: { kind: "network", code: "upstream_unreachable", isRetryable: true },
  first_byte_timeout: { kind: "timeout", code: "upstream_timeout", isRetryable: false },
  idle_timeout: { kind: "timeout", code: "upstream_timeout", isRetryable: false },
  reset: { kind: "network", code: "upstream_broken", isRetryable: false },
  aborted: { kind: "network", code: "aborted", isRetryable: false },
  decode: { kind: "network", code: "upstream_broken", isRetryable: false },
};

function failureOf(fault: UpstreamFault, retriesTimeouts: boolean): UpstreamFailure {
  const reading = FAULTS[fault.kind];
  const isRetryable = reading.isRetryable || (fault.kind === "first_byte_timeout" && retriesTimeouts);
  return { ...reading, isRetryable, status: 0, message: fault.message, type: "upstream_error" };
}

/** Listens to one attempt. Resolves with the failure, or with undefined once an answer has come to its end. */
class Attempt implements UpstreamSink {
  readonly #exchange: Exchange;
  readonly #target: Target;
  readonly #resolve: (failure: UpstreamFailure | undefined) => void;
  #reply: Reply | undefined;
  #status = 0;
  #errorParts: Buffer[] = [];
  #errorBytes = 0;

  constructor(exchange: Exchange, target: Target, resolve: (failure: UpstreamFailure | undefined) => void) {
    this.#exchange = exchange;
    this.#target = target;
    this.#resolve = resolve;
  }

  started(status: number, headers: ResponseHeaders): void {
    this.#status = status;
    if (status >= 200 && status < 300)
      this.#reply = startReply(this.#exchange, this.#target, status, headers, this.#resolve);
    else this.#exchange.failureHeaders = headers;
  }

  data(chunk: Buffer): void {
    if (this.#reply !== undefined) return this.#reply.data(chunk);
    if (this.#errorBytes >= MAX_ERROR_BYTES) return;
    this.#errorBytes += chunk.length;
    this.#errorParts.push(chunk);
  }

  ended(): void {
    if (this.#reply !== undefined) return this.#reply.ended();
    const body = Buffer.concat(this.#errorParts).toString("utf8", 0, MAX_ERROR_BYTES);
    const { provider, channel } = this.#target;
    this.#resolve(provider.failure(this.#status, withoutKey(body, channel.key)));
  }

  failed(fault: UpstreamFault): void {
    if (this.#reply !== undefined) return this.#reply.failed(fault);
    // The head of an error came and its body did not: the status says enough.
    if (this.#status !== 0 && fault.kind !== "aborted") return this.ended();
    this.#resolve(failureOf(fault, this.#exchange.context.snapshot.options.RetryAfterTimeoutEnabled));
  }
}

/** Sends to the target; the answer, if there is one, flows to the client meanwhile. */
export async function send(exchange: Exchange, target: Target): Promise<UpstreamFailure | undefined> {
  const { context } = exchange;
  const startMs = exchange.elapsedMs;
  exchange.target = target;
  exchange.listener = undefined;
  if (context.health.hasRecords) context.health.started(target.channel.id, performance.now());
  const failure = await new Promise<UpstreamFailure | undefined>((resolve) => {
    if (exchange.isClientGone) return resolve(failureOf(CLIENT_LEFT, false));
    exchange.call = context.upstream.send(
      {
        method: "POST",
        url: target.url,
        headers: target.headers,
        body: target.body,
        proxy: target.channel.setting.proxy ?? "",
        firstByteTimeoutMs: exchange.isStream ? context.timeouts.firstByteStreamMs : context.timeouts.firstByteMs,
        idleTimeoutMs: context.timeouts.idleMs,
      },
      new Attempt(exchange, target, resolve),
    );
  });
  const { id, name } = target.channel;
  const status = failure === undefined ? known(exchange.answer, "answer").status : failure.status;
  const reason = failure === undefined ? "" : `${failure.kind}: ${failure.message}`;
  exchange.tried.push({ id, name, start_ms: startMs, ms: exchange.elapsedMs - startMs, status, reason });
  return failure;
}

const CLIENT_LEFT: UpstreamFault = Object.assign(new Error("the client left"), { kind: "aborted" as const });
