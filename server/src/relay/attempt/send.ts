/** Step 6: one attempt at one channel; its end is a failure to decide on, or an answer whose closing frames wait. */
import type { UpstreamFailure } from "../providers/provider.ts";
import type { ResponseHeaders, UpstreamSink } from "../upstream/client.ts";
import { withoutKey } from "../upstream/conceal.ts";
import { type FaultKind, type UpstreamFault, newFault } from "../upstream/fault.ts";
import { type Exchange, type Target, known } from "./exchange.ts";
import { withHops } from "./hops.ts";
import { type Reply, startReply } from "./reply.ts";

/** What is read of a failed answer's body: its status has said enough where more comes, or where it takes longer. */
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_ERROR_MS = 5_000;

type FaultReading = Pick<UpstreamFailure, "kind" | "code" | "isRetryable">;

/** Before anything was sent another channel may be tried; after that the upstream may have done the work already. */
const FAULTS: Readonly<Record<FaultKind, FaultReading>> = {
  address: { kind: "network", code: "upstream_address", isRetryable: true },
  connect: { kind: "network", code: "upstream_unreachable", isRetryable: true },
  connect_timeout: { kind: "network", code: "upstream_timeout", isRetryable: true },
  first_byte_timeout: { kind: "timeout", code: "upstream_timeout", isRetryable: false },
  idle_timeout: { kind: "timeout", code: "upstream_timeout", isRetryable: false },
  reset: { kind: "network", code: "upstream_broken", isRetryable: false },
  aborted: { kind: "network", code: "aborted", isRetryable: false },
  decode: { kind: "network", code: "upstream_broken", isRetryable: false },
};

/** What a fault between us and an upstream means for the next attempt. */
export function failureOf(fault: UpstreamFault, retriesTimeouts: boolean): UpstreamFailure {
  const reading = FAULTS[fault.kind];
  const isRetryable = reading.isRetryable || (fault.kind === "first_byte_timeout" && retriesTimeouts);
  return { ...reading, isRetryable, status: 0, message: fault.message, type: "upstream_error" };
}

/**
 * Listens to one attempt. Resolves with the failure, or with undefined once an answer has come to its end; rejects with a fault of this
 * program. Nothing is thrown at whoever tells it of bytes: no call would end then, and with a decoder between, no process would live on.
 */
class Attempt implements UpstreamSink {
  readonly #exchange: Exchange;
  readonly #target: Target;
  readonly #startMs: number;
  readonly #resolve: (failure: UpstreamFailure | undefined) => void;
  readonly #reject: (fault: unknown) => void;
  #reply: Reply | undefined;
  #status = 0;
  #errorParts: Buffer[] = [];
  #errorBytes = 0;
  #errorTimer: NodeJS.Timeout | undefined = undefined;
  #isEnded = false;

  constructor(
    exchange: Exchange,
    target: Target,
    resolve: (failure: UpstreamFailure | undefined) => void,
    reject: (fault: unknown) => void,
  ) {
    this.#exchange = exchange;
    this.#target = target;
    this.#startMs = exchange.elapsedMs;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Notes the try for the receipt, then tells the line; once, for a call that is given up then says so too. */
  readonly #end = (failure: UpstreamFailure | undefined): void => {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const exchange = this.#exchange;
    const { id, name } = this.#target.channel;
    const status = failure === undefined ? known(exchange.answer, "answer").status : failure.status;
    const reason = failure === undefined ? "" : `${failure.kind}: ${failure.message}`;
    exchange.tried.push({
      id,
      name,
      start_ms: this.#startMs,
      ms: exchange.elapsedMs - this.#startMs,
      status,
      reason,
    });
    this.#resolve(failure);
  };

  /** What came could not be taken here: the client is told that its answer broke off, and what it was given is owed. */
  #broke(error: unknown): void {
    const { context, requestId, call } = this.#exchange;
    context.logger.error({ requestId, err: error }, "an upstream's answer could not be read");
    try {
      this.#reply?.failed(newFault("decode"));
    } catch (second) {
      this.#reject(second);
    }
    // Says nothing more where the reply has told its end.
    this.#reject(error);
    call?.abort();
  }

  started(status: number, headers: ResponseHeaders): void {
    try {
      this.#start(status, headers);
    } catch (error) {
      this.#broke(error);
    }
  }

  #start(status: number, headers: ResponseHeaders): void {
    this.#status = status;
    if (status >= 200 && status < 300)
      this.#reply = startReply(this.#exchange, this.#target, status, headers, this.#end);
    else {
      this.#exchange.failureHeaders = headers;
      this.#errorTimer = setTimeout(
        () => this.#cutError(),
        Math.min(MAX_ERROR_MS, this.#exchange.context.timeouts.idleMs),
      );
    }
  }

  #cutError(): void {
    this.ended();
    this.#exchange.call?.abort();
  }

  data(chunk: Buffer): void {
    try {
      if (this.#reply === undefined) this.#takeError(chunk);
      else this.#reply.data(chunk);
    } catch (error) {
      this.#broke(error);
    }
  }

  #takeError(chunk: Buffer): void {
    if (this.#errorBytes >= MAX_ERROR_BYTES) return;
    this.#errorBytes += chunk.length;
    this.#errorParts.push(chunk);
    if (this.#errorBytes >= MAX_ERROR_BYTES) this.#cutError();
  }

  ended(): void {
    try {
      if (this.#reply === undefined) this.#endError();
      else this.#reply.ended();
    } catch (error) {
      this.#broke(error);
    }
  }

  #endError(): void {
    clearTimeout(this.#errorTimer);
    const body = Buffer.concat(this.#errorParts).toString("utf8", 0, MAX_ERROR_BYTES);
    const { provider, channel } = this.#target;
    this.#end(provider.failure(this.#status, withoutKey(body, channel.key)));
  }

  failed(fault: UpstreamFault): void {
    try {
      if (this.#reply === undefined) this.#failBefore(fault);
      else this.#reply.failed(fault);
    } catch (error) {
      this.#broke(error);
    }
  }

  #failBefore(fault: UpstreamFault): void {
    clearTimeout(this.#errorTimer);
    // The head of an error came and its body did not.
    if (this.#status !== 0 && fault.kind !== "aborted") return this.#endError();
    this.#end(failureOf(fault, this.#exchange.context.snapshot.options.RetryAfterTimeoutEnabled));
  }
}

/** Sends to the target; the answer, if there is one, flows to the client meanwhile. Rejects with faults of this program alone. */
export function send(exchange: Exchange, target: Target): Promise<UpstreamFailure | undefined> {
  const { context } = exchange;
  exchange.target = target;
  exchange.listener = undefined;
  return new Promise((resolve, reject) => {
    const attempt = new Attempt(exchange, target, resolve, reject);
    if (exchange.isClientGone) return attempt.failed(CLIENT_LEFT);
    exchange.call = context.upstream.send(
      {
        method: "POST",
        url: target.url,
        headers: withHops(exchange, target.headers),
        body: target.body,
        proxy: target.channel.setting.proxy ?? "",
        firstByteTimeoutMs: exchange.isStream ? context.timeouts.firstByteStreamMs : context.timeouts.firstByteMs,
        idleTimeoutMs: context.timeouts.idleMs,
      },
      attempt,
    );
  });
}

const CLIENT_LEFT: UpstreamFault = Object.assign(new Error("the client left"), { kind: "aborted" as const });
