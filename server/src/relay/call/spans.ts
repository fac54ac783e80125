/**
 * The spans of one call, for a collector of traces: one of kind server, and one of kind client for each attempt, by the conventions of
 * OpenTelemetry for HTTP and for generative AI (docs/monitoring.md names their version). No words of requests, answers or errors, no
 * secrets and no persons are in them.
 */
import type { IncomingMessage } from "node:http";
import type { Usage } from "../../../../contract/src/pricing/usage.ts";
import type { Attributes } from "../../observe/otlp/attributes.ts";
import type { Span, SpanEvent } from "../../observe/tracing/span.ts";
import { newSpanId, traceparentOf } from "../../observe/tracing/trace-context.ts";
import type { CallContext, Tracer } from "../../observe/tracing/tracer.ts";
import type { Operation } from "../../providers/provider.ts";
import { type SendResult, isAnswer } from "./answer.ts";
import type { Target } from "./target.ts";

/** Providers that the conventions have a name of their own for (gen_ai.provider.name). */
const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  aws: "aws.bedrock",
  azure: "azure.ai.openai",
  gemini: "gcp.gemini",
  vertex: "gcp.vertex_ai",
  mistral: "mistral_ai",
  moonshot: "moonshot_ai",
  xai: "x_ai",
};

/** Operations that the conventions call otherwise (gen_ai.operation.name). */
const OPERATION_NAMES: Partial<Record<Operation, string>> = { completions: "text_completion" };

/** A call for which nothing answered, in its client's own time. */
const ABORTED = "aborted";

/** One request to an upstream. What is kept of it is small: the request itself is not. */
export class AttemptSpan {
  readonly spanId = newSpanId();
  /** Clock in milliseconds (`performance.now`). */
  readonly startMs = performance.now();
  readonly channelId: number;
  readonly provider: string;
  readonly model: string;
  readonly url: string;
  firstByteMs = 0;
  endMs = 0;
  status = 0;
  /** Kind of the failure; empty for an answer that came whole. */
  errorType = "";

  constructor({ channel, provider, upstreamModel, url }: Target) {
    this.channelId = channel.id;
    this.provider = provider.manifest.slug;
    this.model = upstreamModel;
    this.url = url;
  }

  /** The head of an answer came. */
  answered(): void {
    if (this.firstByteMs === 0) this.firstByteMs = performance.now();
  }

  end(result: SendResult): void {
    this.endMs = performance.now();
    this.status = result.status;
    if (!isAnswer(result)) this.errorType = result.code === ABORTED ? ABORTED : result.kind;
    else if (result.end === "upstream_broke") this.errorType = "broken_off";
  }
}

/** The outcome of a call. */
export interface CallOutcome {
  operation: Operation;
  /** The client's format. */
  dialect: string;
  requestId: string;
  /** 499 where the client left. */
  status: number;
  /** Code of the error that the client read, or why its answer broke off; empty where it was answered. */
  errorCode: string;
  /** As the metrics name it. */
  model: string;
  isStream: boolean;
  group: string;
  usage: Usage;
  quota: number;
}

const SERVER_ERROR = 500;
/** Kinds of failures that are the client's own doing. */
const OF_CLIENT: ReadonlySet<string> = new Set([ABORTED, "invalid", "content"]);
const isFault = (errorType: string): boolean => errorType !== "" && !OF_CLIENT.has(errorType);

export class CallSpans {
  readonly #tracer: Tracer;
  readonly #context: CallContext;
  readonly #method: string;
  readonly #route: string;
  readonly #startMs: number;
  /** What makes Unix milliseconds of the clock: the same for all spans of the call. */
  readonly #epochMs = Date.now() - performance.now();
  readonly #attempts: AttemptSpan[] = [];

  /** `startMs` by the clock of `performance.now`. */
  constructor(tracer: Tracer, { method, headers }: IncomingMessage, route: string, startMs: number) {
    const { traceparent } = headers;
    this.#tracer = tracer;
    this.#context = tracer.begin(typeof traceparent === "string" ? traceparent : undefined);
    this.#method = method ?? "GET";
    this.#route = route;
    this.#startMs = startMs;
  }

  get logFields(): { trace_id: string; span_id: string } {
    return { trace_id: this.#context.traceId, span_id: this.#context.spanId };
  }

  /** An attempt that begins now. */
  attempt(target: Target): AttemptSpan {
    const span = new AttemptSpan(target);
    this.#attempts.push(span);
    return span;
  }

  /** The header that continues the trace at the upstream of an attempt. */
  traceparentFor({ spanId }: AttemptSpan): string {
    return traceparentOf({ ...this.#context, spanId });
  }

  /** The call is over. Its spans are sent where it was sampled, and where it failed in any case. */
  end(outcome: CallOutcome): void {
    const { isSampled } = this.#context;
    const last = this.#attempts.at(-1);
    const isError = outcome.status >= SERVER_ERROR || (outcome.errorCode !== "" && isFault(last?.errorType ?? ""));
    if (!isSampled && !isError) return;
    const attempts = this.#attempts.map((attempt) => this.#attemptSpan(attempt, outcome, attempt === last));
    this.#tracer.add([this.#callSpan(outcome, isError, last), ...attempts]);
  }

  #callSpan(outcome: CallOutcome, isError: boolean, last: AttemptSpan | undefined): Span {
    const { traceId, spanId, parentSpanId } = this.#context;
    const { operation, status } = outcome;
    return {
      traceId,
      spanId,
      parentSpanId,
      name: `${this.#method} ${this.#route === "" ? operation : this.#route}`,
      kind: "server",
      startMs: this.#epochMs + this.#startMs,
      endMs: this.#epochMs + performance.now(),
      isError,
      events: this.#retries(),
      attributes: {
        "http.request.method": this.#method,
        "http.route": this.#route || undefined,
        "http.response.status_code": status,
        "error.type": isError ? this.#errorType(outcome, last) : undefined,
        "turnpike.request_id": outcome.requestId,
        "turnpike.operation": operation,
        "turnpike.dialect": outcome.dialect,
        "turnpike.model": outcome.model || undefined,
        "turnpike.group": outcome.group || undefined,
        "turnpike.channel.id": last?.channelId,
        "turnpike.attempts": this.#attempts.length,
        "turnpike.charge": outcome.quota,
      },
    };
  }

  /** The code of a call that was tried somewhere may be an upstream's own words. */
  #errorType({ errorCode, status }: CallOutcome, last: AttemptSpan | undefined): string {
    if (last !== undefined) return last.errorType || String(status);
    return errorCode || String(status);
  }

  /** Each attempt behind a failed one is a retry. */
  #retries(): SpanEvent[] {
    return this.#attempts.slice(1).map(({ startMs }, index) => ({
      name: "retry",
      timeMs: this.#epochMs + startMs,
      attributes: {
        "error.type": this.#attempts[index]?.errorType || undefined,
        "turnpike.channel.id": this.#attempts[index]?.channelId,
      },
    }));
  }

  #attemptSpan(attempt: AttemptSpan, outcome: CallOutcome, isLast: boolean): Span {
    const { spanId, model, startMs, firstByteMs, errorType } = attempt;
    const operation = OPERATION_NAMES[outcome.operation] ?? outcome.operation;
    const firstByte = { name: "first_byte", timeMs: this.#epochMs + firstByteMs, attributes: {} };
    return {
      traceId: this.#context.traceId,
      spanId,
      parentSpanId: this.#context.spanId,
      name: `${operation} ${model}`,
      kind: "client",
      startMs: this.#epochMs + startMs,
      endMs: this.#epochMs + (attempt.endMs || performance.now()),
      isError: errorType !== "" && errorType !== ABORTED,
      events: firstByteMs === 0 ? [] : [firstByte],
      attributes: {
        "gen_ai.operation.name": operation,
        ...attributesOf(attempt, outcome.isStream),
        ...(isLast && errorType === "" ? usageOf(outcome.usage) : {}),
      },
    };
  }
}

function attributesOf(attempt: AttemptSpan, isStream: boolean): Attributes {
  const { provider, model, channelId, status, errorType, startMs, firstByteMs, url } = attempt;
  const at = URL.parse(url);
  return {
    "gen_ai.provider.name": PROVIDER_NAMES[provider] ?? provider,
    "gen_ai.request.model": model,
    "gen_ai.request.stream": isStream,
    "gen_ai.response.time_to_first_chunk": isStream && firstByteMs > 0 ? (firstByteMs - startMs) / 1000 : undefined,
    "server.address": at?.hostname,
    "server.port": at === null ? undefined : Number(at.port) || (/^(?:https|wss):$/.test(at.protocol) ? 443 : 80),
    "http.response.status_code": status || undefined,
    "error.type": errorType || undefined,
    "turnpike.channel.id": channelId,
  };
}

/** A part that is none is left out. */
const usageOf = (usage: Usage): Attributes => ({
  "gen_ai.usage.input_tokens": usage.inputTokens || undefined,
  "gen_ai.usage.output_tokens": usage.outputTokens || undefined,
  "gen_ai.usage.cache_read.input_tokens": usage.cacheReadTokens || undefined,
  "gen_ai.usage.cache_write.input_tokens": usage.cacheWriteTokens + usage.cacheWriteLongTokens || undefined,
  "gen_ai.usage.reasoning.output_tokens": usage.reasoningTokens || undefined,
});
