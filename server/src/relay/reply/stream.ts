/** An answer that comes in events: each goes on in the tick it came, the closing ones wait for the charge. */
import { quotaForTokens, estimateTokens } from "../../../contract/src/pricing.ts";
import type { Usage } from "../../../contract/src/usage.ts";
import type { StreamPipe } from "../dialects/dialect.ts";
import { isJson, parseObject } from "../dialects/json-fields.ts";
import { TranslatePipe } from "../dialects/pipe.ts";
import { PING_FRAME, readEvent } from "../dialects/sse-event.ts";
import type { ResponseHeaders } from "../upstream/client.ts";
import { withoutKey } from "../upstream/conceal.ts";
import type { UpstreamFault } from "../upstream/fault.ts";
import { SseOverflow, SseSplitter } from "../upstream/sse.ts";
import { formedPipe } from "./answer-form.ts";
import type { AnswerEnd, Exchange, Target } from "./exchange.ts";
import { awaitedShortageOf, shortageOf } from "./hold-shortage.ts";
import { OperationPass } from "./operation-pass.ts";
import { OPERATIONS } from "./operations.ts";
import { Refusal } from "./refusal.ts";
import type { Reply, ReplyDone } from "./reply.ts";
import { answerFacts, beginStream, endWithError } from "./respond.ts";
import { waitForReader } from "./slow-reader.ts";
import { type ToldTier, toldTier } from "./told-tier.ts";

/** How long a client that left after the finish is survived, for the usage frame to come. */
const USAGE_WAIT_MS = 500;
/** How long an upstream may keep its connection open behind the mark of a whole stream; usage may still come. */
export const END_WAIT_MS = 2_000;

/** Streams with something to write; all are written once at the end of the tick. */
let waiting: StreamReply[] = [];

function flushAll(): void {
  const streams = waiting;
  waiting = [];
  for (const stream of streams) stream.flush();
}

export class StreamReply implements Reply {
  readonly #exchange: Exchange;
  readonly #target: Target;
  readonly #headers: ResponseHeaders;
  readonly #done: ReplyDone;
  readonly #splitter: SseSplitter;
  readonly #pipe: StreamPipe;
  readonly #told: ToldTier | undefined;
  readonly #onEvent = (bytes: Buffer, text: string): void => this.#event(bytes, text);
  /** To be written at the end of this tick; as everything here that goes out, bytes as Latin-1. */
  #outgoing = "";
  /** Closing frames, kept until the charge is committed. */
  #held = "";
  #isFlushDue = false;
  #isPaused = false;
  #isOver = false;
  #isDelivered = false;
  /** Some event of the answer has reached the client; comments do not count. */
  #hasWritten = false;
  #isExtending = false;
  #endTimer: NodeJS.Timeout | undefined = undefined;
  /** Tokens of the answer up to which quota is held. */
  #coveredTokens: number;

  constructor(exchange: Exchange, target: Target, headers: ResponseHeaders, done: ReplyDone) {
    this.#exchange = exchange;
    this.#target = target;
    this.#headers = headers;
    this.#done = done;
    this.#splitter = new SseSplitter(exchange.context.limits.sseLineBytes, exchange.context.budget);
    this.#coveredTokens = exchange.heldOutputTokens;
    this.#pipe = formedPipe(exchange, target, pipeFor(exchange, target));
    this.#told = toldTier(target, headers);
    exchange.pipe = this.#pipe;
    exchange.listener = this;
  }

  data(chunk: Buffer): void {
    if (this.#isOver) return;
    try {
      this.#splitter.push(chunk, this.#onEvent);
    } catch (error) {
      if (!(error instanceof SseOverflow)) throw error;
      this.#broken(error.message, error.isOfMemory ? "overloaded" : "network");
      this.#exchange.call?.abort();
    }
    // Ended by one of the events in it: the bytes behind that are nobody's.
    if (this.#isOver) this.#splitter.discard();
  }

  #event(bytes: Buffer, text: string): void {
    if (this.#isOver) return;
    if (!mayBeRead(bytes, text)) return this.#upstreamError(UNREADABLE_EVENT);
    this.#told?.read(text, true);
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
    const { context, call } = this.#exchange;
    if (context.budget.take(piece.length)) {
      this.#exchange.budgetedBytes += piece.length;
      this.#held += piece;
      return;
    }
    this.#broken("the gateway has no memory left for this answer", "overloaded");
    call?.abort();
  }

  /** Hands a piece to the client at the end of this tick; what was held for closing turns out to be in the middle. */
  #pass(piece: string): void {
    this.#outgoing += this.#held + piece;
    this.#held = "";
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    if (waiting.push(this) === 1) setImmediate(flushAll);
  }

  flush(): void {
    this.#isFlushDue = false;
    const text = this.#outgoing;
    if (text === "" || this.#exchange.response.destroyed) return;
    this.#outgoing = "";
    this.#hasWritten = true;
    const isTaken = beginStream(this.#exchange, this.#headers).write(text);
    if (!isTaken && !this.#isOver && !this.#isPaused) this.#pauseUntilDrained();
  }

  #pauseUntilDrained(): void {
    this.#isPaused = true;
    waitForReader(this.#exchange, () => {
      this.#isPaused = false;
      if (!this.#isExtending) this.#exchange.call?.resume();
    });
  }

  /** Tokens of the answer so far, on the high side as everything that is held. */
  #deliveredTokens(): number {
    return estimateTokens(this.#pipe.asciiBytes, this.#pipe.otherBytes);
  }

  #extendIfDue(): void {
    if (this.#isExtending || this.#deliveredTokens() <= this.#coveredTokens) return;
    const { context, hold, price, groupRatio, quotaPerUnit, promptEstimate, heldPremiums, heldQuota } = this.#exchange;
    if (hold === undefined || price === undefined) return;
    const step = Math.max(1, context.snapshot.options.PreConsumedQuota) * (this.#exchange.facts?.choices ?? 1);
    const covered = Math.max(this.#coveredTokens, this.#deliveredTokens()) + step;
    const whole = quotaForTokens(promptEstimate, covered, price, groupRatio, quotaPerUnit, heldPremiums);
    const more = whole - heldQuota;
    this.#coveredTokens = covered;
    if (more <= 0) return;
    const extended = context.billing.extend(hold, more);
    if (!(extended instanceof Promise)) return this.#extended(more, extended ? undefined : shortageOf(this.#exchange));
    this.#isExtending = true;
    this.#exchange.call?.pause();
    void extended
      .catch(() => false)
      .then((isExtended) => (isExtended ? undefined : awaitedShortageOf(this.#exchange)))
      .then((shortage) => {
        this.#isExtending = false;
        this.#extended(more, shortage);
        if (!this.#isPaused) this.#exchange.call?.resume();
      });
  }

  #extended(more: number, shortage: Refusal | undefined): void {
    if (shortage === undefined) this.#exchange.heldQuota += more;
    else if (!this.#isOver) {
      this.#exchange.isOwnFault = shortage.code === "books_unavailable";
      this.#finish(this.#exchange.isOwnFault ? "upstream_broke" : "quota_reached", shortage);
      this.#exchange.call?.abort();
    }
  }

  /** The vendor said that this is all, and some leave the connection open behind it: the client is not to wait for that. */
  #awaitEnd(): void {
    this.#endTimer ??= setTimeout(() => {
      // What is not whole by now was nothing of the answer.
      this.#splitter.discard();
      this.ended();
      this.#exchange.call?.abort();
    }, END_WAIT_MS);
  }

  #upstreamError(text: string): void {
    const { provider, channel } = this.#target;
    const failure = provider.failure(200, withoutKey(text, channel.key));
    const { message, type, code } = failure;
    // Nothing of an answer was handed on: another channel may be tried.
    if (!this.#hasWritten) this.#giveBack(failure);
    else this.#finish("upstream_broke", new Refusal("upstream_failed", { message, type, code }));
    // Only now: a call that is given up says so at once, and what it says must not stand for the vendor's words.
    this.#exchange.call?.abort();
  }

  /** Takes nothing more; what is kept of an unfinished event goes. */
  #stop(): void {
    this.#isOver = true;
    this.#splitter.discard();
    clearTimeout(this.#endTimer);
  }

  #giveBack(failure: Parameters<ReplyDone>[0]): void {
    this.#stop();
    this.#outgoing = "";
    // What it was fed has reached nobody: an error of our own is not to close any of it.
    this.#exchange.pipe = undefined;
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
    if (this.#pipe.hasFinish && !this.#exchange.isClientGone) return this.#finish("complete", undefined);
    if (this.#exchange.isClientGone) return this.#finish("client_left", undefined);
    this.#broken(fault.message, fault.kind === "idle_timeout" ? "timeout" : "network");
  }

  /** Behind words every fault of the upstream is the same to the client: the answer broke off. */
  #broken(message: string, kind: keyof typeof BREAKS = "network"): void {
    if (this.#hasWritten) {
      this.#exchange.isOwnFault = kind === "overloaded";
      return this.#finish("upstream_broke", new Refusal(BREAKS[kind].behindWords, { message: `${message}.` }));
    }
    this.#giveBack({ kind, code: BREAKS[kind].before, message, status: 0, isRetryable: false, type: "upstream_error" });
  }

  clientGone(): void {
    if (this.#isOver) return;
    if (!this.#pipe.hasFinish || this.#pipe.rawUsage !== undefined) {
      this.#finish("client_left", undefined);
      this.#exchange.call?.abort();
      return;
    }
    setTimeout(() => {
      if (this.#isOver) return;
      this.#finish("client_left", undefined);
      this.#exchange.call?.abort();
    }, USAGE_WAIT_MS).unref();
  }

  /** The answer is over: tells the line, which settles and then calls complete(). */
  #finish(end: AnswerEnd, refusal: Refusal | undefined): void {
    this.#stop();
    this.flush();
    this.#exchange.answer = {
      end,
      status: 200,
      rawUsage: this.#pipe.rawUsage,
      tier: this.#told?.tier,
      asciiBytes: this.#pipe.asciiBytes,
      otherBytes: this.#pipe.otherBytes,
      ...(this.#pipe.pictures === undefined ? {} : { pictures: this.#pipe.pictures }),
      ...(this.#pipe.toolCalls === undefined ? {} : { toolCalls: this.#pipe.toolCalls }),
      isDelivered: this.#isDelivered || end === "complete",
      complete: (usage) => this.#complete(usage, refusal),
    };
    this.#done(undefined);
  }

  #complete(usage: Usage, refusal: Refusal | undefined): void {
    if (this.#exchange.response.destroyed) return;
    const body = beginStream(this.#exchange, this.#headers);
    if (refusal !== undefined) return endWithError(this.#exchange, refusal);
    body.end(this.#held + Buffer.concat(this.#pipe.closing(usage)).toString("latin1"));
  }
}

/** How a break is told, before anything reached the client and behind it. */
const BREAKS = {
  network: { before: "upstream_broken", behindWords: "upstream_broken" },
  timeout: { before: "upstream_timeout", behindWords: "upstream_broken" },
  overloaded: { before: "over_capacity", behindWords: "over_capacity" },
} as const;

/** In place of the vendor's own error, which it would have sent instead of such an event. */
const UNREADABLE_EVENT = JSON.stringify({
  error: { message: "the upstream sent an event that is not JSON", type: "upstream_error", code: "bad_stream_event" },
});

/** False for an event that no client could read. Almost all end with the brace of their object, and are not looked at further. */
function mayBeRead(bytes: Buffer, text: string): boolean {
  let last = text.length - 1;
  for (let code = text.charCodeAt(last); code === 10 || code === 13 || code === 32;)
    code = text.charCodeAt((last -= 1));
  return text.charCodeAt(last) === 125 || isReadable(readEvent(bytes, text).data);
}

/** Comments and events without data say nothing, and nobody fails over them. */
const isReadable = (data: string): boolean => data === "" || data.startsWith("[DONE]") || isJson(data);

const BLANK_LINE = Buffer.from("\n\n");

/** An event that only lacks the blank line behind it, with one; undefined for what was cut inside its words. */
function lastEvent(rest: Buffer): Buffer | undefined {
  if (rest.length === 0) return undefined;
  const { data } = readEvent(rest, rest.toString("latin1"));
  return data === "[DONE]" || parseObject(data) !== undefined ? Buffer.concat([rest, BLANK_LINE]) : undefined;
}

/** The upstream's own bytes where it speaks the client's format, else decoded and encoded. */
function pipeFor(exchange: Exchange, target: Target): StreamPipe {
  if (!OPERATIONS[exchange.operation].countsOutput) return new OperationPass();
  const facts = answerFacts(exchange);
  const choices = exchange.facts?.choices ?? 1;
  if (target.dialect !== exchange.dialect)
    return new TranslatePipe(target.dialect.createDecoder(), exchange.dialect.createEncoder(facts), choices);
  const hidesUsage = !facts.asksUsage && target.provider.manifest.supportsStreamUsage;
  return exchange.dialect.createPassPipe(facts, { hidesUsage, isChat: exchange.operation === "chat", choices });
}

/** Keeps a waiting client's connection open with comments while ping_interval_enabled; gives the function that ends it. */
export function startPings(exchange: Exchange): (() => void) | undefined {
  const { options } = exchange.context.snapshot;
  if (!exchange.isStream || !options["general_setting.ping_interval_enabled"]) return undefined;
  // Asked for events, some vendors of speech send bytes, among which a comment has no place.
  if (exchange.operation === "speech") return undefined;
  const { response } = exchange;
  const timer = setInterval(() => {
    if (response.destroyed || response.writableEnded || response.writableNeedDrain) return;
    // Blanks between the elements of an array mean as little as comments between events.
    beginStream(exchange, {}).write(exchange.asked.isArray ? "\n" : PING_FRAME);
  }, options["general_setting.ping_interval_seconds"] * 1000);
  return () => clearInterval(timer);
}
