/** Step 6: one attempt at one channel; its end is a failure to decide on, or an answer whose closing frames wait. */
import type { UpstreamFailure } from "../../providers/provider.ts";
import type { ResponseHeaders, UpstreamSink } from "../../upstream/client.ts";
import { withoutUpstreamKey } from "../../upstream/redact.ts";
import { type FaultKind, UpstreamFault, newFault } from "../../upstream/fault.ts";
import { type SendResult, isAnswer } from "../call/answer.ts";
import type { Target } from "../call/target.ts";
import { dropConversation } from "../request/afterwards.ts";
import { withHops } from "../admission/hops.ts";
import type { Delivery } from "../reply/delivery.ts";
import type { Reply } from "../reply/reply.ts";
import { startReply } from "../reply/start-reply.ts";
import type { Attempt } from "./attempts.ts";

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
 * Listens to one target. Resolves with the failure, or with the answer once it has come to its end; rejects with a fault of this program.
 * Nothing is thrown at whoever tells it of bytes: no call would end then, and with a decoder between, no process would live on.
 */
class AnswerSink implements UpstreamSink {
  readonly #attempt: Attempt;
  readonly #delivery: Delivery;
  readonly #target: Target;
  readonly #startMs: number;
  readonly #resolve: (result: SendResult) => void;
  readonly #reject: (fault: unknown) => void;
  #reply: Reply | undefined;
  #status = 0;
  #errorParts: Buffer[] = [];
  #errorBytes = 0;
  #errorTimer: NodeJS.Timeout | undefined = undefined;
  #isEnded = false;

  constructor(
    attempt: Attempt,
    delivery: Delivery,
    target: Target,
    resolve: (result: SendResult) => void,
    reject: (fault: unknown) => void,
  ) {
    this.#attempt = attempt;
    this.#delivery = delivery;
    this.#target = target;
    this.#startMs = delivery.call.elapsedMs;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Notes the try for the receipt, then tells the pipeline; once, for a call that is given up then says so too. */
  readonly #end = (result: SendResult): void => {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const { call } = this.#delivery;
    const { id, name } = this.#target.channel;
    const startMs = this.#startMs;
    const reason = isAnswer(result) ? "" : `${result.kind}: ${result.message}`;
    call.trace.tried.push({ id, name, start_ms: startMs, ms: call.elapsedMs - startMs, status: result.status, reason });
    this.#resolve(result);
  };

  /** What came could not be taken here: the client is told that its answer broke off, and what it was given is owed. */
  #broke(error: unknown): void {
    const { call, upstream } = this.#delivery;
    const { context, requestId } = call;
    context.logger.error({ requestId, err: error }, "an upstream's answer could not be read");
    try {
      this.#reply?.failed(newFault("decode"));
    } catch (second) {
      this.#reject(second);
    }
    // Says nothing more where the reply has told its end.
    this.#reject(error);
    upstream?.abort();
  }

  /** The client has some of the answer: no other channel will be asked, so nobody needs the request. */
  answerBegun(): void {
    const { call, accepted } = this.#delivery;
    const { attempts } = this.#attempt;
    attempts.neutral = undefined;
    attempts.fetchedMedia = undefined;
    this.#target.body = NO_BYTES;
    dropConversation(accepted, call.context.limits.jsonDepth);
    call.requestMemory.release();
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
      this.#reply = startReply(this.#delivery, this.#target, status, headers, this.#end);
    else {
      this.#attempt.failureHeaders = headers;
      this.#errorTimer = setTimeout(
        () => this.#cutError(),
        Math.min(MAX_ERROR_MS, this.#delivery.call.context.timeouts.idleMs),
      );
    }
  }

  #cutError(): void {
    this.ended();
    this.#delivery.upstream?.abort();
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
    this.#end(provider.failure(this.#status, withoutUpstreamKey(body, channel.key)));
  }

  failed(fault: UpstreamFault): void {
    const { isStopping, call } = this.#delivery;
    if (isStopping && !call.response.headersSent) return this.#end(STOPPING);
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
    this.#end(failureOf(fault, this.#delivery.call.context.snapshot.options.RetryAfterTimeoutEnabled));
  }
}

/** Sends to the target; the answer, if there is one, flows to the client meanwhile. Rejects with faults of this program alone. */
export function send(attempt: Attempt, delivery: Delivery, target: Target): Promise<SendResult> {
  const { call, accepted } = delivery;
  const { upstream, timeouts } = call.context;
  call.trace.target = target;
  call.listener = delivery;
  if (target.body !== accepted.body) call.requestMemory.takeCopy(target.body.length);
  return new Promise((resolve, reject) => {
    const sink = new AnswerSink(attempt, delivery, target, resolve, reject);
    if (call.isClientGone) return sink.failed(CLIENT_LEFT);
    delivery.begins = sink;
    delivery.upstream = upstream.send(
      {
        method: "POST",
        url: target.url,
        headers: withHops(call, target.headers),
        body: target.body,
        proxy: target.channel.setting.proxy ?? "",
        firstByteTimeoutMs: accepted.isStream ? timeouts.firstByteStreamMs : timeouts.firstByteMs,
        idleTimeoutMs: timeouts.idleMs,
      },
      sink,
    );
  });
}

const STOPPING: UpstreamFailure = {
  kind: "network",
  code: "server_stopping",
  status: 0,
  isRetryable: false,
  message: "the gateway is stopping",
  type: "server_error",
};

const NO_BYTES = Buffer.alloc(0);

const CLIENT_LEFT = new UpstreamFault("aborted", "the client left");
