/** A stream for a client that asked for none: its events are put together, and the client gets the whole answer it can read. */
import { AnswerGatherer } from "../dialects/gather.ts";
import { countBytes } from "../dialects/pipe.ts";
import type { NeutralEvent } from "../dialects/neutral.ts";
import { readEvent } from "../dialects/sse-event.ts";
import { noteToolCall } from "../dialects/usage-counts.ts";
import type { StreamDecoder } from "../dialects/dialect.ts";
import type { ToolCalls } from "../../../contract/src/usage.ts";
import type { ResponseHeaders } from "../upstream/client.ts";
import { withoutKey } from "../upstream/conceal.ts";
import type { UpstreamFault } from "../upstream/fault.ts";
import { SseOverflow, SseSplitter } from "../upstream/sse.ts";
import { answerForm } from "./answer-form.ts";
import type { Exchange, Target } from "./exchange.ts";
import type { Reply, ReplyDone } from "./reply.ts";
import { END_WAIT_MS } from "./reply-stream.ts";
import { answerFacts, writeText } from "./respond.ts";
import { type ToldTier, toldTier } from "./told-tier.ts";

export class GatheredReply implements Reply {
  readonly #exchange: Exchange;
  readonly #target: Target;
  readonly #headers: ResponseHeaders;
  readonly #done: ReplyDone;
  readonly #splitter: SseSplitter;
  readonly #decoder: StreamDecoder;
  readonly #told: ToldTier | undefined;
  readonly #gatherer = new AnswerGatherer();
  readonly #toolCalls: ToolCalls[] = [];
  readonly #words = { asciiBytes: 0, otherBytes: 0 };
  #finished = 0;
  #endTimer: NodeJS.Timeout | undefined = undefined;
  #isOver = false;

  constructor(exchange: Exchange, target: Target, headers: ResponseHeaders, done: ReplyDone) {
    this.#exchange = exchange;
    this.#target = target;
    this.#headers = headers;
    this.#done = done;
    this.#splitter = new SseSplitter(exchange.context.limits.sseLineBytes, exchange.context.budget);
    this.#decoder = target.dialect.createDecoder();
    this.#told = toldTier(target, headers);
  }

  data(chunk: Buffer): void {
    if (this.#isOver) return;
    if (!this.#exchange.context.budget.take(chunk.length))
      return this.#give("overloaded", "over_capacity", "the gateway has no memory left for this answer");
    this.#exchange.budgetedBytes += chunk.length;
    try {
      this.#splitter.push(chunk, (bytes, text) => this.#event(bytes, text));
    } catch (error) {
      if (!(error instanceof SseOverflow)) throw error;
      if (error.isOfMemory) this.#give("overloaded", "over_capacity", error.message);
      else this.#give("network", "upstream_broken", error.message);
    }
  }

  #event(bytes: Buffer, text: string): void {
    if (this.#isOver) return;
    const { event, data } = readEvent(bytes, text);
    if (event === "" && data === "") return;
    this.#told?.read(text, true);
    for (const each of this.#decoder.push(event, data)) this.#take(each);
  }

  #take(event: NeutralEvent): void {
    if (this.#isOver) return;
    if (event.kind === "error") return this.#refuse(event.text);
    if (event.kind === "finish") this.#finished += 1;
    if (event.kind === "priced_call") noteToolCall(this.#toolCalls, event.tool, event.variant);
    if ("text" in event) {
      const { asciiBytes, otherBytes } = countBytes(event.text);
      this.#words.asciiBytes += asciiBytes;
      this.#words.otherBytes += otherBytes;
    }
    this.#gatherer.take(event);
    if (event.kind === "end") this.#awaitEnd();
  }

  /** Some vendors leave the connection open behind their last event. */
  #awaitEnd(): void {
    this.#endTimer ??= setTimeout(() => {
      // What is not whole by now was nothing of the answer.
      this.#splitter.discard();
      this.ended();
      this.#exchange.call?.abort();
    }, END_WAIT_MS);
  }

  /** Nothing went to the client: another channel may do better. */
  #refuse(text: string): void {
    const { provider, channel } = this.#target;
    this.#stop();
    this.#exchange.call?.abort();
    this.#done(provider.failure(200, withoutKey(text, channel.key)));
  }

  #give(kind: "overloaded" | "network" | "timeout", code: string, message: string): void {
    if (this.#isOver) return;
    this.#stop();
    this.#exchange.call?.abort();
    this.#done({ kind, code, message, status: 0, isRetryable: false, type: "upstream_error" });
  }

  #stop(): void {
    this.#isOver = true;
    this.#splitter.discard();
    clearTimeout(this.#endTimer);
  }

  #answered(): void {
    this.#stop();
    const [exchange, headers] = [this.#exchange, this.#headers];
    const { answer } = this.#gatherer;
    const form = answerForm(exchange, this.#target);
    exchange.answer = {
      end: "complete",
      status: 200,
      rawUsage: answer.rawUsage,
      tier: this.#told?.tier,
      toolCalls: this.#toolCalls,
      ...this.#words,
      isDelivered: true,
      complete: (usage) => {
        const fields = exchange.dialect.encodeAnswer(answer, usage, answerFacts(exchange));
        writeText(exchange, 200, headers, JSON.stringify(form?.(fields) ?? fields));
      },
    };
    this.#done(undefined);
  }

  get #isWhole(): boolean {
    return this.#endTimer !== undefined || this.#finished >= (this.#exchange.facts?.choices ?? 1);
  }

  ended(): void {
    if (this.#isOver) return;
    const rest = this.#splitter.close();
    if (rest.length > 0) this.#event(rest, rest.toString("latin1"));
    if (this.#isOver) return;
    if (this.#isWhole) return this.#answered();
    this.#give("network", "upstream_broken", "the upstream ended its stream without finishing the answer");
  }

  failed(fault: UpstreamFault): void {
    if (this.#isOver) return;
    if (this.#isWhole && !this.#exchange.isClientGone) return this.#answered();
    if (fault.kind === "aborted") return this.#give("network", "aborted", fault.message);
    const isTimeout = fault.kind === "idle_timeout";
    this.#give(isTimeout ? "timeout" : "network", isTimeout ? "upstream_timeout" : "upstream_broken", fault.message);
  }
}
