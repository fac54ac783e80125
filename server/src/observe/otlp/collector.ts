/** The connection to a collector: one request at a time with JSON, bounded in its time and in what is read of the answer. */
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

/** What is read of an answer. */
const MAX_ANSWER_BYTES = 65_536;
/** Answers after which the same data may be sent again (opentelemetry.io/docs/specs/otlp, "Retryable Response Codes"). */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** What became of one request. */
export interface Outcome {
  isRetryable: boolean;
  /** Empty where the collector took it. */
  reason: string;
  /** Spans or points of it that the collector refused all the same. */
  rejected: number;
}

const failed = (reason: string, isRetryable: boolean): Outcome => ({ isRetryable, reason, rejected: 0 });

/** How much of what was taken the collector says it refused; the field is named by what was sent. */
function rejectedIn(answer: string): number {
  try {
    const { partialSuccess } = JSON.parse(answer) as { partialSuccess?: Record<string, unknown> };
    const count = Number(partialSuccess?.["rejectedSpans"] ?? partialSuccess?.["rejectedDataPoints"] ?? 0);
    return Number.isSafeInteger(count) && count > 0 ? count : 0;
  } catch {
    return 0; // A collector may answer without a body, or in another form.
  }
}

export class Collector {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #agent: HttpAgent | HttpsAgent;

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.#url = url;
    this.#headers = headers;
    this.#agent = new (this.#isSecure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: 1 });
  }

  get #isSecure(): boolean {
    return this.#url.startsWith("https:");
  }

  /** Resolves with what became of a body, whatever it was; `signal` ends the request. */
  post(text: string, signal: AbortSignal): Promise<Outcome> {
    const body = Buffer.from(text);
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const fail = (error: Error): void => resolve(failed(signal.aborted ? "no answer in time" : error.message, true));
    const ask = this.#isSecure ? httpsRequest : httpRequest;
    const headers = { ...this.#headers, "content-type": "application/json", "content-length": body.length };
    const asked = ask(this.#url, { method: "POST", agent: this.#agent, headers, signal }, (response) => {
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
        const isTaken = status >= 200 && status < 300;
        if (!isTaken) return resolve(failed(`status ${status}`, RETRYABLE.has(status)));
        resolve({ isRetryable: false, reason: "", rejected: rejectedIn(Buffer.concat(parts).toString("utf8")) });
      });
    });
    asked.on("error", fail);
    asked.on("close", () => resolve(failed("the connection was closed", true)));
    asked.end(body);
    return promise;
  }

  close(): void {
    this.#agent.destroy();
  }
}
