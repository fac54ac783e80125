/** An answer that comes in events: each goes on in the tick it came, the closing ones wait for the charge. */
import { quotaForTokens, estimateTokens } from "../../../contract/src/pricing.ts";
import type { Usage } from "../../../contract/src/usage.ts";
import { StreamTap, withoutEmptyUsage } from "../dialects/openai-chat-stream.ts";
import { DONE_FRAME, PING_FRAME, usageFrame } from "../dialects/openai-chat.ts";
import type { ResponseHeaders } from "../upstream/client.ts";
import { withoutKey } from "../upstream/conceal.ts";
import type { UpstreamFault } from "../upstream/fault.ts";
import { SseOverflow, SseSplitter } from "../upstream/sse.ts";
import type { AnswerEnd, Exchange, Target } from "./exchange.ts";
import { Refusal } from "./refusal.ts";
import type { Reply, ReplyDone } from "./reply.ts";
import { endWithError, writeStreamHead } from "./respond.ts";

/** How long a client that left after the finish is survived, for the usage frame to come. */
const USAGE_WAIT_MS = 500;

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
  readonly #tap = new StreamTap();
  readonly #onEvent = (bytes: Buffer, text: string): void => this.#event(bytes, text);
  /** The client did not ask for the usage that the upstream was made to send. */
  readonly #hidesUsage: boolean;
  /** To be written at the end of this tick. */
  #outgoing: Buffer[] = [];
  /** Closing frames, kept until the charge is committed. */
  #held: Buffer[] = [];
  #isFlushDue = false;
  #isPaused = false;
  #isOver = false;
  #isDelivered = false;
  /** Some event of the answer has reached the client; comments do not count. */
  #hasWritten = false;
  #isExtending = false;
  /** Bytes of answer text up to which quota is held. */
  #coveredTokens: number;

  constructor(exchange: Exchange, target: Target, headers: ResponseHeaders, done: ReplyDone) {
    this.#exchange = exchange;
    this.#target = target;
    this.#headers = headers;
    this.#done = done;
    this.#splitter = new SseSplitter(exchange.context.limits.sseLineBytes, exchange.context.budget);
    this.#coveredTokens = exchange.heldOutputTokens;
    this.#hidesUsage = exchange.chat?.asksUsage !== true && target.provider.manifest.supportsStreamUsage;
    exchange.listener = this;
  }

  data(chunk: Buffer): void {
    if (this.#isOver) return;
    try {
      this.#splitter.push(chunk, this.#onEvent);
    } catch (error) {
      if (!(error instanceof SseOverflow)) throw error;
      this.#exchange.call?.abort();
      this.#finish("upstream_broke", new Refusal("upstream_broken", { message: `${error.message}.` }));
    }
  }

  #event(bytes: Buffer, text: string): void {
    if (this.#isOver) return;
    switch (this.#tap.push(text)) {
      case "delta":
        this.#pass(this.#hidesUsage ? withoutEmptyUsage(bytes, text) : bytes);
        if (!this.#isDelivered && this.#tap.deltas > 0) this.#isDelivered = true;
        return this.#extendIfDue();
      case "other":
        return this.#held.length > 0 ? void this.#held.push(bytes) : this.#pass(bytes);
      case "usage":
        if (this.#exchange.chat?.asksUsage === true) this.#held.push(bytes);
        return;
      case "finish":
        return void this.#held.push(this.#hidesUsage ? withoutEmptyUsage(bytes, text) : bytes);
      case "done":
        return void this.#held.push(bytes);
      case "error":
        return this.#upstreamError();
    }
  }

  /** Hands bytes to the client at the end of this tick; what was held for closing turns out to be in the middle. */
  #pass(bytes: Buffer): void {
    if (this.#held.length > 0) {
      this.#outgoing.push(...this.#held);
      this.#held = [];
    }
    this.#outgoing.push(bytes);
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    if (waiting.push(this) === 1) setImmediate(flushAll);
  }

  flush(): void {
    this.#isFlushDue = false;
    const { response } = this.#exchange;
    if (this.#outgoing.length === 0 || response.destroyed) return;
    if (!response.headersSent) writeStreamHead(this.#exchange, this.#headers);
    const [first] = this.#outgoing;
    const bytes = this.#outgoing.length === 1 && first !== undefined ? first : Buffer.concat(this.#outgoing);
    this.#outgoing = [];
    this.#hasWritten = true;
    if (!response.write(bytes) && !this.#isOver && !this.#isPaused) this.#pauseUntilDrained();
  }

  #pauseUntilDrained(): void {
    this.#isPaused = true;
    this.#exchange.call?.pause();
    this.#exchange.response.once("drain", () => {
      this.#isPaused = false;
      if (!this.#isExtending) this.#exchange.call?.resume();
    });
  }

  /** Tokens of the answer so far, on the high side as everything that is held. */
  #deliveredTokens(): number {
    return estimateTokens(this.#tap.asciiBytes, this.#tap.otherBytes);
  }

  #extendIfDue(): void {
    if (this.#isExtending || this.#deliveredTokens() <= this.#coveredTokens) return;
    const { context, hold, price, groupRatio, quotaPerUnit, promptEstimate } = this.#exchange;
    if (hold === undefined || price === undefined) return;
    const step = Math.max(1, context.snapshot.options.PreConsumedQuota) * (this.#exchange.chat?.choices ?? 1);
    const covered = Math.max(this.#coveredTokens, this.#deliveredTokens()) + step;
    const more = quotaForTokens(promptEstimate, covered, price, groupRatio, quotaPerUnit) - this.#exchange.heldQuota;
    this.#coveredTokens = covered;
    if (more <= 0) return;
    const extended = context.billing.extend(hold, more);
    if (!(extended instanceof Promise)) return this.#extended(extended, more);
    this.#isExtending = true;
    this.#exchange.call?.pause();
    void extended
      .catch(() => false)
      .then((isExtended) => {
        this.#isExtending = false;
        this.#extended(isExtended, more);
        if (!this.#isPaused) this.#exchange.call?.resume();
      });
  }

  #extended(isExtended: boolean, more: number): void {
    if (isExtended) this.#exchange.heldQuota += more;
    else if (!this.#isOver) {
      this.#finish("quota_reached", new Refusal("quota_reached"));
      this.#exchange.call?.abort();
    }
  }

  #upstreamError(): void {
    const { provider, channel } = this.#target;
    const failure = provider.failure(200, withoutKey(this.#tap.errorText, channel.key));
    this.#exchange.call?.abort();
    // Nothing of an answer was handed on: another channel may be tried.
    if (!this.#hasWritten) return this.#giveBack(failure);
    this.#finish(
      "upstream_broke",
      new Refusal("upstream_failed", { message: failure.message, type: failure.type, code: failure.code }),
    );
  }

  #giveBack(failure: Parameters<ReplyDone>[0]): void {
    this.#isOver = true;
    this.#outgoing = [];
    this.#splitter.close();
    this.#done(failure);
  }

  ended(): void {
    if (this.#isOver) return;
    const rest = this.#splitter.close();
    if (rest.length > 0) this.#event(rest, rest.toString("latin1"));
    if (this.#isOver) return;
    const isWhole = this.#tap.hasDone || this.#tap.hasFinish;
    if (isWhole) return this.#finish("complete", undefined);
    this.#broken("the upstream ended its stream without finishing the answer");
  }

  failed(fault: UpstreamFault): void {
    if (this.#isOver) return;
    this.#splitter.close();
    // The finish was seen, and what is missing is only the end: the answer is whole.
    if (this.#tap.hasFinish && !this.#exchange.isClientGone) return this.#finish("complete", undefined);
    if (this.#exchange.isClientGone) return this.#finish("client_left", undefined);
    this.#broken(fault.message);
  }

  #broken(message: string): void {
    const refusal = new Refusal("upstream_broken", { message: `${message}.` });
    if (this.#hasWritten) return this.#finish("upstream_broke", refusal);
    this.#giveBack({
      kind: "network",
      code: "upstream_broken",
      message,
      status: 0,
      isRetryable: false,
      type: "upstream_error",
    });
  }

  clientGone(): void {
    if (this.#isOver) return;
    if (!this.#tap.hasFinish || this.#tap.rawUsage !== undefined) {
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
    this.#isOver = true;
    this.flush();
    this.#exchange.answer = {
      end,
      status: 200,
      rawUsage: this.#tap.rawUsage,
      asciiBytes: this.#tap.asciiBytes,
      otherBytes: this.#tap.otherBytes,
      isDelivered: this.#isDelivered || end === "complete",
      complete: (usage) => this.#complete(usage, refusal),
    };
    this.#done(undefined);
  }

  #complete(usage: Usage, refusal: Refusal | undefined): void {
    const { response } = this.#exchange;
    if (response.destroyed) return;
    if (!response.headersSent) writeStreamHead(this.#exchange, this.#headers);
    if (refusal !== undefined) return endWithError(this.#exchange, refusal);
    response.end(Buffer.concat(this.#closingFrames(usage)));
  }

  /** The held frames; a usage frame that was asked for and never came is added, and so is `[DONE]`. */
  #closingFrames(usage: Usage): Buffer[] {
    const { chat, requestId, model, operation, createdAt } = this.#exchange;
    const frames = this.#held;
    const done = this.#tap.hasDone ? frames.pop() : undefined;
    if (chat?.asksUsage === true && this.#tap.rawUsage === undefined) {
      frames.push(Buffer.from(usageFrame(requestId, model, operation === "chat", usage, createdAt)));
    }
    frames.push(done ?? Buffer.from(DONE_FRAME));
    return frames;
  }
}

/** Keeps a waiting client's connection open with comments while ping_interval_enabled; gives the function that ends it. */
export function startPings(exchange: Exchange): (() => void) | undefined {
  const { options } = exchange.context.snapshot;
  if (!exchange.isStream || !options["general_setting.ping_interval_enabled"]) return undefined;
  const { response } = exchange;
  const timer = setInterval(() => {
    if (response.destroyed || response.writableEnded || response.writableNeedDrain) return;
    if (!response.headersSent) writeStreamHead(exchange, {});
    response.write(PING_FRAME);
  }, options["general_setting.ping_interval_seconds"] * 1000);
  return () => clearInterval(timer);
}
