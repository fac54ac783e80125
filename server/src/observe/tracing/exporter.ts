/** Sends spans to a collector by OTLP over HTTP: from a bounded queue, one request at a time, so that a collector which is slow or dead costs no call anything. */
import { endsWithin } from "../../util/deadline.ts";
import type { Attributes } from "../otlp/attributes.ts";
import { Collector, type Outcome } from "../otlp/collector.ts";
import { type Span, otlpBody } from "./span.ts";

/** Spans that wait at most; what comes beyond is dropped and counted. */
export const QUEUE_SPANS = 2_048;
const BATCH_SPANS = 512;
/** A batch that is not full waits so long for more spans. */
const EVERY_MS = 5_000;
/** For one request with its answer. */
const REQUEST_TIMEOUT_MS = 10_000;
/** After a failure, doubled with each that follows. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;

export interface ExporterOptions {
  url: string;
  headers: Readonly<Record<string, string>>;
  resource: Attributes;
  /** Where absent 5 s. */
  everyMs?: number;
  /** After a first failure; where absent 5 s. */
  firstPauseMs?: number;
  onSent(spans: number): void;
  onDropped(spans: number): void;
  /** Called once when the collector stops taking spans, and once when it takes them again (`reason` is empty then). */
  onChange(reason: string): void;
}

export class OtlpExporter {
  readonly #options: ExporterOptions;
  readonly #collector: Collector;
  readonly #firstPauseMs: number;
  #queue: Span[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #pauseMs = 0;
  #isClosed = false;
  readonly #end = new AbortController();

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#firstPauseMs = options.firstPauseMs ?? FIRST_PAUSE_MS;
    this.#collector = new Collector(options.url, options.headers);
  }

  /** Spans that wait now. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Never waits and never throws. */
  add(spans: readonly Span[]): void {
    const room = this.#isClosed ? 0 : QUEUE_SPANS - this.#queue.length;
    const kept = Math.min(room, spans.length);
    for (const span of spans.slice(0, kept)) this.#queue.push(span);
    if (kept < spans.length) this.#options.onDropped(spans.length - kept);
    if (kept > 0) this.#plan();
  }

  /** Has the next batch sent in time; a full one at once, unless the collector failed before. */
  #plan(): void {
    if (this.#sending !== undefined || this.#isClosed || this.#queue.length === 0) return;
    const isFull = this.#queue.length >= BATCH_SPANS && this.#pauseMs === 0;
    if (isFull) return this.#send();
    this.#timer ??= setTimeout(() => this.#send(), this.#pauseMs || (this.#options.everyMs ?? EVERY_MS)).unref();
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#queue.slice(0, BATCH_SPANS);
    this.#sending = this.#post(batch).then((outcome) => {
      this.#sending = undefined;
      this.#settle(batch.length, outcome);
      this.#plan();
    });
  }

  #settle(count: number, { isRetryable, reason, rejected }: Outcome): void {
    const { onSent, onDropped, onChange } = this.#options;
    const wasFailing = this.#pauseMs > 0;
    const isFailing = reason !== "";
    // A batch that is to be sent again stays where it is: the queue bounds it too.
    if (!isRetryable) this.#queue.splice(0, count);
    const dropped = isFailing && !isRetryable ? count : Math.min(rejected, count);
    if (dropped > 0) onDropped(dropped);
    if (!isFailing) onSent(count - dropped);
    this.#pauseMs = isFailing ? Math.min(LONGEST_PAUSE_MS, Math.max(this.#firstPauseMs, this.#pauseMs * 2)) : 0;
    if (isFailing !== wasFailing) onChange(reason);
  }

  /** Resolves with what became of a batch, whatever it was. */
  #post(batch: readonly Span[]): Promise<Outcome> {
    const signal = AbortSignal.any([this.#end.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
    return this.#collector.post(otlpBody(this.#options.resource, batch), signal);
  }

  /** Sends what waits for at most `limitMs`, then gives up; what is left is dropped and counted. Never rejects. */
  async close(limitMs: number): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await endsWithin(this.#flush(), limitMs);
    this.#end.abort();
    await this.#sending;
    if (this.#queue.length > 0) this.#options.onDropped(this.#queue.length);
    this.#queue = [];
    this.#collector.close();
  }

  async #flush(): Promise<void> {
    await this.#sending;
    while (this.#queue.length > 0 && this.#pauseMs === 0 && !this.#end.signal.aborted) {
      this.#send();
      await this.#sending;
    }
  }
}
