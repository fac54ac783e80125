/** A stream for a client that asked for none: its events are aggregated into one answer. */
import { AnswerAggregator } from "../../dialects/stream/aggregate.ts";
import { TokenEstimate } from "../../dialects/neutral/token-estimate.ts";
import type { NeutralAnswer, NeutralEvent } from "../../dialects/neutral/neutral.ts";
import { readEvent } from "../../dialects/stream/sse-event.ts";
import { noteToolCall } from "../../dialects/neutral/usage-counts.ts";
import type { StreamDecoder } from "../../dialects/stream/stream.ts";
import type { ToolCalls, Usage } from "../../../../contract/src/pricing/usage.ts";
import type { ResponseHeaders } from "../../upstream/client.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import { SseSplitter } from "../../upstream/sse.ts";
import { answerTransform } from "./response-transform.ts";
import type { Target } from "../call/target.ts";
import { type Delivery, MAX_ANSWER_BYTES, type Reply, type ReplyDone, TOO_LONG } from "./delivery.ts";
import { END_WAIT_MS } from "./stream.ts";
import { readUpstreamFailure } from "./upstream-failure.ts";
import { type ReportedTier, reportedTier } from "../metering/reported-usage.ts";

export class AggregatedReply implements Reply {
  readonly #delivery: Delivery;
  readonly #target: Target;
  readonly #headers: ResponseHeaders;
  readonly #done: ReplyDone;
  readonly #splitter: SseSplitter;
  readonly #decoder: StreamDecoder;
  readonly #reportedTier: ReportedTier | undefined;
  readonly #aggregator = new AnswerAggregator();
  readonly #toolCalls: ToolCalls[] = [];
  readonly #words = new TokenEstimate();
  #finished = 0;
  #endTimer: NodeJS.Timeout | undefined = undefined;
  #size = 0;
  #isOver = false;

  constructor(delivery: Delivery, target: Target, headers: ResponseHeaders, done: ReplyDone) {
    this.#delivery = delivery;
    this.#target = target;
    this.#headers = headers;
    this.#done = done;
    this.#splitter = new SseSplitter(delivery.call.context.limits.sseLineBytes, delivery.call.context.budget);
    this.#decoder = target.dialect.createDecoder();
    this.#reportedTier = reportedTier(target, headers);
  }

  data(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#size += chunk.length;
    if (this.#size > MAX_ANSWER_BYTES) return this.#give("network", "upstream_broken", TOO_LONG);
    if (!this.#delivery.call.context.budget.take(chunk.length))
      return this.#give("overloaded", "over_capacity", "the gateway has no memory left for this answer");
    this.#delivery.call.budgetedBytes += chunk.length;
    try {
      this.#splitter.push(chunk, (bytes, text) => this.#event(bytes, text));
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error;
      if (error.kind === "no_memory") this.#give("overloaded", "over_capacity", error.message);
      else this.#give("network", "upstream_broken", error.message);
    }
  }

  #event(bytes: Buffer, text: string): void {
    if (this.#isOver) return;
    const { event, data } = readEvent(bytes, text);
    if (event === "" && data === "") return;
    if (this.#target.provider.isFailure?.(text) === true) return this.#refuse(data);
    this.#reportedTier?.read(text, true);
    for (const each of this.#decoder.push(event, data)) this.#take(each);
  }

  #take(event: NeutralEvent): void {
    if (this.#isOver) return;
    if (event.kind === "error") return this.#refuse(event.text);
    if (event.kind === "finish") this.#finished += 1;
    if (event.kind === "priced_call") noteToolCall(this.#toolCalls, event.tool, event.variant);
    if ("text" in event) this.#words.addText(event.text);
    this.#aggregator.take(event);
    if (event.kind === "end") this.#awaitEnd();
  }

  /** Some vendors keep the connection open behind their last event. */
  #awaitEnd(): void {
    this.#endTimer ??= setTimeout(() => {
      // What is not whole by now was nothing of the answer.
      this.#splitter.discard();
      this.ended();
      this.#delivery.upstream?.abort();
    }, END_WAIT_MS);
  }

  /** Nothing went to the client: another channel may do better. */
  #refuse(text: string): void {
    this.#stop();
    this.#delivery.upstream?.abort();
    this.#done(readUpstreamFailure(this.#target, this.#delivery.accepted, { status: 200, body: text }));
  }

  #give(kind: "overloaded" | "network" | "timeout", code: string, message: string): void {
    if (this.#isOver) return;
    this.#stop();
    this.#delivery.upstream?.abort();
    this.#done({ kind, code, message, status: 0, isRetryable: false, type: "upstream_error" });
  }

  #stop(): void {
    this.#isOver = true;
    this.#splitter.discard();
    clearTimeout(this.#endTimer);
  }

  #answered(): void {
    this.#stop();
    const { answer } = this.#aggregator;
    this.#target.searches?.heard(answer);
    this.#done({
      target: this.#target,
      end: "complete",
      status: 200,
      rawUsage: answer.rawUsage,
      tier: this.#reportedTier?.tier,
      toolCalls: this.#toolCalls,
      wordTokens: this.#words.tokens,
      isDelivered: true,
      complete: (usage) => this.#complete(answer, usage),
    });
  }

  #complete(last: NeutralAnswer, usage: Usage): void {
    const { accepted, info } = this.#delivery;
    const answer = this.#target.searches?.whole(last) ?? last;
    const transform = answerTransform(accepted, this.#target);
    const fields = accepted.dialect.encodeAnswer(answer, usage, info);
    this.#delivery.writeText(200, this.#headers, JSON.stringify(transform?.(fields) ?? fields));
  }

  get #isWhole(): boolean {
    return this.#endTimer !== undefined || this.#finished >= this.#delivery.accepted.info.choices;
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
    if (this.#isWhole && !this.#delivery.call.isClientGone) return this.#answered();
    if (fault.kind === "aborted") return this.#give("network", "aborted", fault.message);
    const isTimeout = fault.kind === "idle_timeout";
    this.#give(isTimeout ? "timeout" : "network", isTimeout ? "upstream_timeout" : "upstream_broken", fault.message);
  }
}
