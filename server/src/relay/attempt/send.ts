/** Step 6: one attempt at one channel; it ends with a failure to decide on, or an answer whose closing frames are held. */
import { wordsForOperator } from "../../dialects/neutral/failure.ts";
import type { UpstreamFailure } from "../../providers/provider.ts";
import type { ResponseHeaders, UpstreamSink } from "../../upstream/client.ts";
import { newFault, UpstreamFault } from "../../upstream/fault.ts";
import { type Framer, framerFor } from "../../upstream/framing.ts";
import { type SendResult, isAnswer } from "../call/answer.ts";
import type { AttemptSpan } from "../call/spans.ts";
import type { Target } from "../call/target.ts";
import { CLOCK_SKEW } from "../../channels/auto-disable.ts";
import { triedKey } from "../call/trace.ts";
import { holdForSent, SENT_DEPTH } from "../metering/sent-request.ts";
import { dropConversation } from "../request/release-conversation.ts";
import type { Delivery, Reply } from "../reply/delivery.ts";
import { startReply } from "../reply/start-reply.ts";
import { readUpstreamFailure } from "../reply/upstream-failure.ts";
import { withAdded, withTrace } from "./added-headers.ts";
import type { Attempt } from "./attempts.ts";
import { failureOf, withClockSkew } from "./failures.ts";
import { dispatch } from "./dispatch.ts";
import { PictureSink } from "./inline-images.ts";
import { type SignedRequest, signRequest } from "./sign-request.ts";
import { upstreamRequestId } from "./upstream-request-id.ts";

/** What is read of a failed answer's body: its status has said enough where more comes, or where it takes longer. */
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_ERROR_MS = 5_000;

/**
 * Listens to one target. Resolves with the failure, or with the answer once it has come to its end; rejects with a fault of this program.
 * Nothing is thrown into the client of upstreams: no call would end then, and with a decoder between, no process would live on.
 */
class AnswerSink implements UpstreamSink {
  readonly #attempt: Attempt;
  readonly #delivery: Delivery;
  readonly #target: Target;
  readonly #startMs: number;
  /** Clock in milliseconds. */
  readonly #sentMs: number;
  readonly #resolve: (result: SendResult) => void;
  readonly #reject: (fault: unknown) => void;
  #reply: Reply | undefined;
  #framer: Framer | undefined = undefined;
  #status = 0;
  #errorParts: Buffer[] = [];
  #errorBytes = 0;
  #requestId: ReturnType<typeof upstreamRequestId> = {};
  #errorTimer: NodeJS.Timeout | undefined = undefined;
  #isEnded = false;
  readonly #span: AttemptSpan | undefined;

  constructor(
    attempt: Attempt,
    delivery: Delivery,
    target: Target,
    span: AttemptSpan | undefined,
    resolve: (result: SendResult) => void,
    reject: (fault: unknown) => void,
  ) {
    this.#attempt = attempt;
    this.#delivery = delivery;
    this.#target = target;
    this.#span = span;
    this.#startMs = delivery.call.elapsedMs;
    this.#sentMs = performance.now();
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Notes the try for the receipt, then resolves; once, for a call that is given up then says so too. */
  readonly #end = (result: SendResult): void => {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const { call } = this.#delivery;
    const { channel } = this.#target;
    const { id, name } = channel;
    const startMs = this.#startMs;
    const reason = isAnswer(result) ? "" : `${result.kind}: ${wordsForOperator(result)}`;
    const times = { start_ms: startMs, ms: call.elapsedMs - startMs };
    call.outsideMs += performance.now() - this.#sentMs;
    const named = { ...times, status: result.status, reason, ...this.#requestId };
    call.trace.tried.push({ id, name, ...triedKey(channel), ...named });
    this.#span?.end(result);
    this.#resolve(result);
  };

  /** What came could not be taken here: the client reads that its answer broke off, and what it was given is owed. */
  #broke(error: unknown): void {
    const { call, upstream } = this.#delivery;
    call.context.logger.error({ ...call.logFields, err: error }, "an upstream's answer could not be read");
    try {
      this.#reply?.failed(newFault("decode"));
    } catch (second) {
      this.#reject(second);
    }
    // Says nothing more where the reply has ended.
    this.#reject(error);
    upstream?.abort();
  }

  /** The client has some of the answer: no other channel will be asked, so the request is not needed any more. */
  answerBegun(): void {
    // Where searches are made here another round may be asked with it.
    if (this.#target.searches !== undefined) return;
    const { call, accepted } = this.#delivery;
    const { attempts } = this.#attempt;
    attempts.untried = undefined;
    attempts.neutral = undefined;
    attempts.fetchedMedia = undefined;
    this.#target.body = NO_BYTES;
    dropConversation(accepted, call.context.limits.jsonDepth);
    const { sent } = this.#delivery.admission;
    if (sent !== undefined) dropConversation(sent.accepted, SENT_DEPTH);
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
    this.#requestId = upstreamRequestId(headers, this.#target.channel.key);
    if (status >= 200 && status < 300) {
      this.#span?.answered();
      this.#framer = framerFor(headers["content-type"], this.#delivery.call.context.limits.sseLineBytes);
      const heard = this.#framer === undefined ? headers : { ...headers, "content-type": "text/event-stream" };
      this.#reply = startReply(this.#delivery, this.#target, status, heard, this.#end);
    } else {
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
      else if (this.#framer === undefined) this.#reply.data(chunk);
      else this.#takeFramed(this.#reply, this.#framer, chunk);
    } catch (error) {
      this.#broke(error);
    }
  }

  #takeFramed(reply: Reply, framer: Framer, chunk: Buffer): void {
    try {
      const events = framer.push(chunk);
      if (events.length > 0) reply.data(events);
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error;
      reply.failed(newFault("decode"));
      this.#delivery.upstream?.abort();
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
      if (this.#reply === undefined) return this.#endError();
      const rest = this.#framer?.end();
      if (rest !== undefined && rest.length > 0) this.#reply.data(rest);
      this.#reply.ended();
    } catch (error) {
      this.#broke(error);
    }
  }

  #endError(): void {
    clearTimeout(this.#errorTimer);
    const body = Buffer.concat(this.#errorParts).toString("utf8", 0, MAX_ERROR_BYTES);
    const headers = this.#attempt.failureHeaders;
    const read = { status: this.#status, body, headers };
    const failure = readUpstreamFailure(this.#target, this.#delivery.accepted, read);
    const isSigned = this.#target.provider.beforeSend !== undefined;
    this.#end(isSigned ? withClockSkew(failure, headers, Date.now()) : failure);
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
    const { call, accepted } = this.#delivery;
    this.#end(failureOf(fault, call.context.snapshot.options.RetryAfterTimeoutEnabled, accepted.operation));
  }
}

/**
 * Sends to the target; the answer, if there is one, flows to the client meanwhile. What an override made dearer is held for before. Rejects
 * with faults of this program, and with RelayError where the balance does not reach.
 */
export function send(attempt: Attempt, target: Target, delivery: Delivery): Promise<SendResult> {
  const { call, accepted, admission } = delivery;
  admission.sent = undefined;
  if (target.overrides === undefined || target.isVerbatim === true) return sendHeld(attempt, target, delivery);
  return holdForSent(call, admission, accepted, target).then((sent) => {
    admission.sent = sent;
    return sendHeld(attempt, target, delivery);
  });
}

/** Sends what is held for. */
function sendHeld(attempt: Attempt, target: Target, delivery: Delivery): Promise<SendResult> {
  const { call, accepted } = delivery;
  call.trace.target = target;
  call.listener = delivery;
  if (target.body !== accepted.body) call.requestMemory.takeCopy(target.body.length);
  if (target.provider.beforeSend !== undefined) return sendSigned(attempt, delivery, target);
  return exchange(attempt, delivery, target, { method: "POST", ...target });
}

/** The same for a provider with a last step. Where the upstream refuses a token of ours the call is sent once more with a new one. */
async function sendSigned(attempt: Attempt, delivery: Delivery, target: Target): Promise<SendResult> {
  const outcome = async (): Promise<[SendResult, SignedRequest["forgetToken"]]> => {
    const made = await signRequest(delivery.call.context, target);
    if ("kind" in made) return [noteFailure(delivery, target, made), undefined];
    if (made.warnings !== undefined) target.warnings = [...new Set([...target.warnings, ...made.warnings])];
    return [await exchange(attempt, delivery, target, made), made.forgetToken];
  };
  const [first, forgetToken] = await outcome();
  const isRefused = !isAnswer(first) && first.kind === "auth" && first.code !== CLOCK_SKEW;
  if (!isRefused || forgetToken === undefined || delivery.call.isClientGone) return first;
  await forgetToken();
  attempt.attempts.retries.uncount();
  const [second] = await outcome();
  return second;
}

/** A request that could not be prepared is a try of the channel, though nothing of the call was sent. */
function noteFailure({ call }: Delivery, { channel }: Target, failure: UpstreamFailure): UpstreamFailure {
  const { id, name } = channel;
  const [start_ms, reason] = [call.elapsedMs, `${failure.kind}: ${wordsForOperator(failure)}`];
  call.trace.tried.push({ id, name, ...triedKey(channel), start_ms, ms: 0, status: failure.status, reason });
  return failure;
}

function exchange(
  attempt: Attempt,
  delivery: Delivery,
  target: Target,
  { method, url, headers, body }: SignedRequest,
): Promise<SendResult> {
  const { call, accepted } = delivery;
  const { context } = call;
  const { timeouts } = context;
  const { setting } = target.channel;
  const span = call.spans?.attempt(target);
  return new Promise((resolve, reject) => {
    const sink = new AnswerSink(attempt, delivery, target, span, resolve, reject);
    if (call.isClientGone) return sink.failed(CLIENT_LEFT);
    delivery.begins = sink;
    const request = {
      method,
      url,
      headers: withTrace(call, target, span, withAdded(headers, target.addedHeaders)),
      body,
      proxy: setting.proxy ?? "",
      http2: setting.http2,
      firstByteTimeoutMs: accepted.isStream
        ? (setting.firstByteStreamMs ?? timeouts.firstByteStreamMs)
        : timeouts.firstByteMs,
      idleTimeoutMs: timeouts.idleMs,
    };
    const { pictures } = target;
    if (pictures === undefined) return void (delivery.upstream = dispatch(context, target, request, sink, reject));
    const fetching = new PictureSink(call, pictures, sink, reject);
    delivery.upstream = fetching.around(dispatch(context, target, request, fetching, reject));
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
