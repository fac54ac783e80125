/** A streamed answer: each event is sent in the tick it came, the closing ones wait for the charge. */
import type { Usage } from "../../../../contract/src/pricing/usage.ts";
import type { StreamPipe } from "../../dialects/stream/stream.ts";
import { isJson, parseObject } from "../../dialects/json/fields.ts";
import { TranslatePipe } from "../../dialects/stream/pipe.ts";
import { readEvent } from "../../dialects/stream/sse-event.ts";
import type { ResponseHeaders } from "../../upstream/client.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import { SseSplitter } from "../../upstream/sse.ts";
import { transformedPipe } from "./response-transform.ts";
import type { AnswerEnd } from "../call/answer.ts";
import type { Target } from "../call/target.ts";
import { type Delivery, MAX_ANSWER_BYTES, NO_HEADERS, type Reply, type ReplyDone, TOO_LONG } from "./delivery.ts";
import { quotaForAnswer } from "../metering/hold-estimate.ts";
import { awaitedInsufficientQuota, insufficientQuota } from "../metering/held-quota.ts";
import { OperationPass } from "./operation-passthrough.ts";
import { OPERATIONS } from "../request/operations.ts";
import { RepeatedEvent } from "./repeated-event.ts";
import { errorInStream, readUpstreamFailure } from "./upstream-failure.ts";
import { RelayError } from "../call/relay-error.ts";
import type { Flushable } from "../call/queues.ts";
import { waitForReader } from "../call/respond.ts";
import { type ReportedTier, reportedTier } from "../metering/reported-usage.ts";

/** How long a client that left after the finish is survived, for the usage frame to come. */
const USAGE_WAIT_MS = 500;
/** How long an upstream may keep its connection open behind the mark of a whole stream; usage may still come. */
export const END_WAIT_MS = 2_000;

/** Characters of a stream that may wait for its first token: some vendors open with an echo of the whole request. */
const MAX_OPENING_CHARACTERS = 65_536;

export class StreamReply implements Reply, Flushable {
  readonly #delivery: Delivery;
  readonly #target: Target;
  /** Of the upstream's answer; dropped once the head for the client is made of them. */
  #headers: ResponseHeaders;
  readonly #done: ReplyDone;
  readonly #splitter: SseSplitter;
  readonly #pipe: StreamPipe;
  readonly #reportedTier: ReportedTier | undefined;
  readonly #known = new RepeatedEvent();
  readonly #onEvent = (bytes: Buffer, text: string): void => this.#event(bytes, text);
  /** To be written at the end of this tick; as everything here that goes out, bytes as Latin-1. */
  #outgoing = "";
  /** What came before the first word: kept back, so that a stream that dies without one can still go to another channel. */
  #opening = "";
  #isOpen = false;
  /** Closing frames, kept until the charge is committed. */
  #held = "";
  #isFlushDue = false;
  #isPaused = false;
  #isOver = false;
  #isDelivered = false;
  /** Some event of the answer has reached the client; comments do not count. */
  #hasWritten = false;
  #isExtending = false;
  #keptBytes = 0;
  #endTimer: NodeJS.Timeout | undefined = undefined;
  /** Tokens of the answer up to which quota is held. */
  #coveredTokens: number;

  constructor(delivery: Delivery, target: Target, headers: ResponseHeaders, done: ReplyDone) {
    this.#delivery = delivery;
    this.#target = target;
    this.#headers = headers;
    this.#done = done;
    this.#splitter = new SseSplitter(delivery.call.context.limits.sseLineBytes, delivery.call.context.budget);
    this.#coveredTokens = delivery.admission.hold.tokens.outputTokens;
    this.#pipe = transformedPipe(delivery.accepted, target, pipeFor(delivery, target));
    this.#reportedTier = reportedTier(target, headers);
    delivery.pipe = this.#pipe;
    delivery.call.listener = this;
  }

  data(chunk: Buffer): void {
    if (this.#isOver) return;
    // A round is kept to its end, since the next request contains it.
    if (this.#target.searches !== undefined && !this.#keep(chunk.length)) return;
    try {
      this.#splitter.push(chunk, this.#onEvent);
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error;
      this.#broken(error.message, error.kind === "no_memory" ? "overloaded" : "network");
      this.#delivery.upstream?.abort();
    }
    // Ended by one of the events in it: the bytes behind that belong to no answer.
    if (this.#isOver) this.#splitter.discard();
  }

  /** Counts what is kept of the answer besides; false, and the answer is broken off, where there is no room. */
  #keep(bytes: number): boolean {
    const { call, upstream } = this.#delivery;
    this.#keptBytes += bytes;
    if (this.#keptBytes > MAX_ANSWER_BYTES) this.#broken(TOO_LONG);
    else if (call.context.budget.take(bytes)) {
      call.budgetedBytes += bytes;
      return true;
    } else this.#broken("the gateway has no memory left for this answer", "overloaded");
    upstream?.abort();
    return false;
  }

  #event(bytes: Buffer, text: string): void {
    if (this.#isOver) return;
    if (!this.#known.isKnown(text) && !mayBeRead(bytes, text, this.#known))
      return this.#upstreamError(UNREADABLE_EVENT);
    this.#reportedTier?.read(text, true);
    const { trace } = this.#delivery.call;
    if (trace.wantsAnswerId) trace.readAnswerId(text);
    if (this.#target.provider.isFailure?.(text) === true) return this.#upstreamError(readEvent(bytes, text).data);
    const kind = this.#pipe.push(bytes, text);
    if (this.#pipe.hasDone) this.#awaitEnd();
    const piece = this.#pipe.out;
    switch (kind) {
      case "delta":
        if (piece !== "") this.#pass(piece);
        if (!this.#isDelivered && this.#pipe.deltas > 0) this.#isDelivered = true;
        return this.#extendIfDue();
      case "closing":
        return this.#hold(piece);
      case "error":
        return this.#upstreamError(this.#pipe.errorText);
      default:
        if (this.#held !== "") this.#hold(piece);
        else if (piece !== "") this.#pass(piece);
    }
  }

  /** Keeps a piece until the charge is committed, in the memory that all calls share: whole pictures close their answers. */
  #hold(piece: string): void {
    const { call, upstream } = this.#delivery;
    if (this.#held.length + piece.length > MAX_ANSWER_BYTES) {
      this.#broken(TOO_LONG);
      return upstream?.abort();
    }
    if (call.context.budget.take(piece.length)) {
      call.budgetedBytes += piece.length;
      this.#held += piece;
      return;
    }
    this.#broken("the gateway has no memory left for this answer", "overloaded");
    upstream?.abort();
  }

  /** Hands a piece to the client at the end of this tick; what was held for closing turns out to be in the middle. */
  #pass(piece: string): void {
    const text = this.#held + piece;
    this.#held = "";
    if (!this.#isOpen) {
      this.#opening += text;
      if (this.#pipe.deltas === 0 && this.#opening.length <= MAX_OPENING_CHARACTERS) return;
      this.#open();
    } else this.#outgoing += text;
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    this.#delivery.call.context.flushQueue.add(this);
  }

  #open(): void {
    this.#isOpen = true;
    this.#outgoing += this.#opening;
    this.#opening = "";
  }

  flush(): void {
    this.#isFlushDue = false;
    const text = this.#outgoing;
    if (text === "" || this.#delivery.call.response.destroyed) return;
    this.#outgoing = "";
    const isTaken = this.#delivery.beginStream(this.#headers).write(text);
    if (!this.#hasWritten) this.#begun();
    if (!isTaken && !this.#isOver && !this.#isPaused) this.#pauseUntilDrained();
  }

  #begun(): void {
    this.#hasWritten = true;
    this.#headers = NO_HEADERS;
    this.#delivery.answerBegun();
  }

  #pauseUntilDrained(): void {
    this.#isPaused = true;
    waitForReader(this.#delivery.call, this.#delivery.upstream, () => {
      this.#isPaused = false;
      if (!this.#isExtending) this.#delivery.upstream?.resume();
    });
  }

  /** Tokens of the answer so far, on the high side as everything that is held. */
  #deliveredTokens(): number {
    return this.#pipe.words.cautiousTokens;
  }

  #extendIfDue(): void {
    if (this.#isExtending || this.#deliveredTokens() <= this.#coveredTokens) return;
    const { call, accepted, admission } = this.#delivery;
    const { hold, sent } = admission;
    const quote = sent?.quote ?? admission.quote;
    const { choices } = (sent?.accepted ?? accepted).info;
    const step = Math.max(1, call.context.snapshot.options.PreConsumedQuota) * choices;
    const covered = Math.max(this.#coveredTokens, this.#deliveredTokens()) + step;
    const more = quotaForAnswer(quote, { ...hold.tokens, outputTokens: covered }) - hold.answerQuota;
    this.#coveredTokens = covered;
    if (more <= 0) return;
    const extended = hold.extend(more);
    if (!(extended instanceof Promise))
      return this.#extended(more, extended ? undefined : insufficientQuota(call.context));
    this.#isExtending = true;
    this.#delivery.upstream?.pause();
    void extended
      .catch(() => false)
      .then((isExtended) => (isExtended ? undefined : awaitedInsufficientQuota(call.context, admission.caller.user.id)))
      .then((shortage) => {
        this.#isExtending = false;
        this.#extended(more, shortage);
        if (!this.#isPaused) this.#delivery.upstream?.resume();
      });
  }

  #extended(more: number, shortage: RelayError | undefined): void {
    if (shortage === undefined) this.#delivery.admission.hold.answerQuota += more;
    else if (!this.#isOver) {
      const isOwnFault = shortage.code === "books_unavailable";
      this.#finish(isOwnFault ? "upstream_broke" : "quota_reached", shortage, isOwnFault);
      this.#delivery.upstream?.abort();
    }
  }

  /** The vendor said that this is all, and some keep the connection open behind it: the client is not to wait for that. */
  #awaitEnd(): void {
    this.#endTimer ??= setTimeout(() => {
      // What is not whole by now was nothing of the answer.
      this.#splitter.discard();
      this.ended();
      this.#delivery.upstream?.abort();
    }, END_WAIT_MS);
  }

  #upstreamError(text: string): void {
    const failure = readUpstreamFailure(this.#target, this.#delivery.accepted, { status: 200, body: text });
    // Nothing of an answer was sent: another channel may be tried.
    if (!this.#hasWritten) this.#failBefore(failure);
    else this.#finish("upstream_broke", errorInStream(failure, this.#target, this.#delivery.accepted));
    // Only now: a call that is given up says so at once, and what it says must not stand for the vendor's words.
    this.#delivery.upstream?.abort();
  }

  /** Takes nothing more; what is kept of an unfinished event goes. */
  #stop(): void {
    this.#isOver = true;
    this.#splitter.discard();
    clearTimeout(this.#endTimer);
  }

  #failBefore(failure: Parameters<ReplyDone>[0]): void {
    this.#stop();
    this.#outgoing = "";
    this.#opening = "";
    // What it was fed has not reached the client: an error of our own is not to close any of it.
    this.#delivery.pipe = undefined;
    this.#done(failure);
  }

  ended(): void {
    if (this.#isOver) return;
    const last = lastEvent(this.#splitter.close());
    if (last !== undefined) this.#event(last, last.toString("latin1"));
    if (this.#isOver) return;
    const isWhole = this.#pipe.hasDone || this.#pipe.hasFinish;
    if (isWhole) return this.#finish("complete", undefined);
    this.#broken("the upstream ended its stream without finishing the answer");
  }

  failed(fault: UpstreamFault): void {
    if (this.#isOver) return;
    // The finish was seen, and what is missing is only the end: the answer is whole.
    if (this.#pipe.hasFinish && !this.#delivery.call.isClientGone) return this.#finish("complete", undefined);
    if (this.#delivery.call.isClientGone) return this.#finish("client_left", undefined);
    this.#broken(fault.message, fault.kind === "idle_timeout" ? "timeout" : "network");
  }

  /** Behind words every fault of the upstream is the same to the client: the answer broke off. */
  #broken(message: string, kind: keyof typeof BREAKS = "network"): void {
    if (this.#hasWritten) {
      const error = new RelayError(BREAKS[kind].behindWords, { message: `${message}.` });
      return this.#finish("upstream_broke", error, BREAKS[kind].isOwnFault);
    }
    this.#failBefore({
      kind: kind === "stopping" ? "network" : kind,
      code: BREAKS[kind].before,
      message,
      status: 0,
      // The client has read no word of it, and its vendor has no more to give: what is not of the channel may be asked of another.
      isRetryable: kind === "network",
      type: "upstream_error",
    });
  }

  serverStops(): void {
    if (this.#isOver) return;
    if (this.#pipe.hasFinish) this.#finish("complete", undefined);
    else this.#broken("the gateway is stopping", "stopping");
    this.#delivery.upstream?.abort();
  }

  clientGone(): void {
    if (this.#isOver) return;
    if (!this.#pipe.hasFinish || this.#pipe.rawUsage !== undefined) {
      this.#finish("client_left", undefined);
      this.#delivery.upstream?.abort();
      return;
    }
    setTimeout(() => {
      if (this.#isOver) return;
      this.#finish("client_left", undefined);
      this.#delivery.upstream?.abort();
    }, USAGE_WAIT_MS).unref();
  }

  /** The answer is over: hands it to the pipeline, which settles and then calls complete(). */
  #finish(end: AnswerEnd, error: RelayError | undefined, isOwnFault = false): void {
    this.#stop();
    this.#open();
    this.flush();
    this.#done({
      target: this.#target,
      end,
      status: 200,
      rawUsage: this.#pipe.rawUsage,
      tier: this.#reportedTier?.tier,
      wordTokens: this.#pipe.words.tokens,
      ...(this.#pipe.pictures === undefined ? {} : { pictures: this.#pipe.pictures }),
      ...(this.#pipe.toolCalls === undefined ? {} : { toolCalls: this.#pipe.toolCalls }),
      hasFinish: this.#pipe.hasFinish,
      isOwnFault,
      isDelivered: this.#isDelivered || end === "complete",
      ...(error === undefined ? {} : { error }),
      complete: (usage) => this.#complete(usage, error),
    });
  }

  #complete(usage: Usage, error: RelayError | undefined): void {
    if (this.#delivery.call.response.destroyed) return;
    const body = this.#delivery.beginStream(this.#headers);
    if (error !== undefined) return this.#delivery.fail(error);
    body.end(this.#held + Buffer.concat(this.#pipe.closing(usage)).toString("latin1"));
  }
}

/** The error of a stream that breaks off, before and after words have reached the client. */
const BREAKS = {
  network: { before: "upstream_broken", behindWords: "upstream_broken", isOwnFault: false },
  timeout: { before: "upstream_timeout", behindWords: "upstream_broken", isOwnFault: false },
  overloaded: { before: "over_capacity", behindWords: "over_capacity", isOwnFault: true },
  stopping: { before: "server_stopping", behindWords: "server_stopping", isOwnFault: true },
} as const;

/** In place of the vendor's own error, which it would have sent instead of such an event. */
const UNREADABLE_EVENT = JSON.stringify({
  error: { message: "the upstream sent an event that is not JSON", type: "upstream_error", code: "bad_stream_event" },
});

/** False for an event that no client could read. Almost all are one line of JSON at their end, which is parsed as it lies there. */
function mayBeRead(bytes: Buffer, text: string, known: RepeatedEvent): boolean {
  const from = text.startsWith("data:") ? 0 : text.indexOf("\ndata:") + 1;
  if (from === 0 && !text.startsWith("data:")) return true;
  if (!isJson(text.slice(from + DATA_LENGTH))) return isReadable(readEvent(bytes, text).data);
  known.note(text, from + DATA_LENGTH);
  return true;
}

const DATA_LENGTH = "data:".length;

/** Comments and events without data say nothing, and no client fails over them. */
const isReadable = (data: string): boolean => data === "" || data.startsWith("[DONE]") || isJson(data);

const BLANK_LINE = Buffer.from("\n\n");

/** An event that only lacks the blank line behind it, with one; undefined for what was cut inside its words. */
function lastEvent(rest: Buffer): Buffer | undefined {
  if (rest.length === 0) return undefined;
  const { data } = readEvent(rest, rest.toString("latin1"));
  return data === "[DONE]" || parseObject(data) !== undefined ? Buffer.concat([rest, BLANK_LINE]) : undefined;
}

/** The upstream's own bytes where it speaks the client's format, else decoded and encoded. */
function pipeFor({ info, accepted }: Delivery, { dialect, provider, searches }: Target): StreamPipe {
  const { operation } = accepted;
  if (!OPERATIONS[operation].countsOutput) return new OperationPass();
  if (searches?.live !== undefined) return searches.live.pipe(dialect.createDecoder());
  const { choices } = accepted.info;
  if (dialect !== accepted.dialect)
    return new TranslatePipe(dialect.createDecoder(), accepted.dialect.createEncoder(info), choices);
  const hidesUsage = !info.asksUsage && provider.manifest.supportsStreamUsage;
  return accepted.dialect.createPassthrough(info, { hidesUsage, isChat: operation === "chat", choices });
}
