/** Passes an answer through unread, whole or as events: requests about a stored response have no charge. */
import { withoutUpstreamKey, type UpstreamFault } from "../../upstream/fault.ts";
import type { ResponseHeaders, UpstreamCall, UpstreamSink } from "../../upstream/client.ts";
import { isObject, parseObject } from "../../dialects/json/fields.ts";
import type { Call } from "../call/call.ts";
import { RelayError } from "../call/relay-error.ts";
import { baseHeaders, guardSlowReader } from "../call/respond.ts";

/** What an API of this format answers with. */
const PASSED_TYPES = /^(?:application\/json|text\/event-stream)\b/i;
/** More of an error is not read. */
const MAX_ERROR_BYTES = 65_536;
/** Statuses at which the upstream speaks of its own account, and not of the client's. */
const OF_THE_ACCOUNT: ReadonlySet<number> = new Set([401, 402, 403]);

export class PassedAnswer implements UpstreamSink {
  readonly #call: Call;
  readonly #upstreamKey: string;
  readonly #settled = Promise.withResolvers<void>();
  #upstream: UpstreamCall | undefined = undefined;
  #errorStatus = 0;
  #parts: Buffer[] = [];
  #size = 0;

  private constructor(call: Call, upstreamKey: string) {
    this.#call = call;
    this.#upstreamKey = upstreamKey;
  }

  /** Sends and passes on. Rejects with RelayError or UpstreamFault where nothing of an answer went out. */
  static async of(call: Call, upstreamKey: string, send: (sink: UpstreamSink) => UpstreamCall): Promise<void> {
    const sink = new PassedAnswer(call, upstreamKey);
    const upstream = (sink.#upstream = send(sink));
    const end = (): void => upstream.abort();
    call.listener = { clientGone: end, serverStops: end };
    if (call.isClientGone) end();
    await sink.#settled.promise.finally(() => (call.listener = undefined));
  }

  started(status: number, headers: ResponseHeaders): void {
    const type = String(headers["content-type"] ?? "");
    if (status < 200 || status >= 300 || !PASSED_TYPES.test(type)) return void (this.#errorStatus = status);
    const { response, requestId } = this.#call;
    this.#call.status = status;
    response.writeHead(status, [...baseHeaders(requestId), "Content-Type", type, "Cache-Control", "no-store"]);
    response.flushHeaders();
    response.on("drain", () => {
      response.setTimeout(0);
      this.#upstream?.resume();
    });
  }

  data(chunk: Buffer): void {
    const { response } = this.#call;
    if (this.#errorStatus !== 0) {
      this.#size += chunk.length;
      if (this.#size <= MAX_ERROR_BYTES) this.#parts.push(chunk);
      return;
    }
    if (response.destroyed || response.write(chunk)) return;
    this.#upstream?.pause();
    guardSlowReader(this.#call);
  }

  ended(): void {
    if (this.#errorStatus !== 0) return this.#settled.reject(this.#refusal());
    this.#call.response.end();
    this.#settled.resolve();
  }

  failed(fault: UpstreamFault): void {
    if (!this.#call.response.headersSent) return this.#settled.reject(fault);
    // Half an answer must not look like a whole one.
    this.#call.response.destroy();
    this.#settled.resolve();
  }

  /** What the upstream refused, in its own words where they are for the client. */
  #refusal(): RelayError {
    const status = this.#errorStatus;
    if (OF_THE_ACCOUNT.has(status)) return new RelayError("channel_key_refused");
    const text = withoutUpstreamKey(Buffer.concat(this.#parts).toString("utf8"), this.#upstreamKey);
    const error = parseObject(text)?.["error"];
    const message = isObject(error) && typeof error["message"] === "string" ? error["message"] : undefined;
    const words = message === undefined ? {} : { message };
    if (status === 404) return new RelayError("response_not_found", words);
    if (status === 429) return new RelayError("upstream_saturated");
    if (status < 400 || status >= 500) return new RelayError("upstream_failed");
    const code = isObject(error) && typeof error["code"] === "string" ? { code: error["code"] } : {};
    return new RelayError("not_served", { status, ...words, ...code });
  }
}
