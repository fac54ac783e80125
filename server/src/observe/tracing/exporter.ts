/** Sends spans to a collector by OTLP over HTTP: from a bounded queue, one request at a time, so that a collector which is slow or dead costs no call anything. */
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { endsWithin } from "../../util/deadline.ts";
import { type Attributes, type Span, otlpBody } from "./span.ts";

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
/** What is read of an answer. */
const MAX_ANSWER_BYTES = 65_536;
/** Answers after which the same spans may be sent again (opentelemetry.io/docs/specs/otlp, "Retryable Response Codes"). */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

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

interface Outcome {
  isRetryable: boolean;
  /** Empty where the collector took the batch. */
  reason: string;
  /** Spans of it that the collector refused all the same. */
  rejected: number;
}

const taken = (rejected: number): Outcome => ({ isRetryable: false, reason: "", rejected });
const failed = (reason: string, isRetryable: boolean): Outcome => ({ isRetryable, reason, rejected: 0 });

/** How many spans of a batch that was taken the collector says it refused. */
function rejectedIn(answer: string): number {
  try {
    const { partialSuccess } = JSON.parse(answer) as { partialSuccess?: { rejectedSpans?: unknown } };
    const count = Number(partialSuccess?.rejectedSpans ?? 0);
    return Number.isSafeInteger(count) && count > 0 ? count : 0;
  } catch {
    return 0; // A collector may answer without a body, or in another form.
  }
}

export class OtlpExporter {
  readonly #options: ExporterOptions;
  readonly #agent: HttpAgent | HttpsAgent;
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
    const isSecure = options.url.startsWith("https:");
    this.#agent = new (isSecure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: 1 });
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
    const { url, headers, resource } = this.#options;
    const body = Buffer.from(otlpBody(resource, batch));
    const signal = AbortSignal.any([this.#end.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const fail = (error: Error): void => resolve(failed(signal.aborted ? "no answer in time" : error.message, true));
    const ask = url.startsWith("https:") ? httpsRequest : httpRequest;
    const sent = { ...headers, "content-type": "application/json", "content-length": body.length };
    const asked = ask(url, { method: "POST", agent: this.#agent, headers: sent, signal }, (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      response.on("error", fail);
      response.on("data", (part: Buffer) => {
        bytes += part.length;
        // What follows is read and thrown away, as long as the time of the request allows.
        if (bytes <= MAX_ANSWER_BYTES) parts.push(part);
      });
      response.on("end", () => {
        const status = response.statusCode ?? 0;
        if (status >= 200 && status < 300) resolve(taken(rejectedIn(Buffer.concat(parts).toString("utf8"))));
        else resolve(failed(`status ${status}`, RETRYABLE.has(status)));
      });
    });
    asked.on("error", fail);
    asked.on("close", () => resolve(failed("the connection was closed", true)));
    asked.end(body);
    return promise;
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
    this.#agent.destroy();
  }

  async #flush(): Promise<void> {
    await this.#sending;
    while (this.#queue.length > 0 && this.#pauseMs === 0 && !this.#end.signal.aborted) {
      this.#send();
      await this.#sending;
    }
  }
}
