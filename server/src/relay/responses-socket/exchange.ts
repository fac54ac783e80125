/** One answer on a socket of /v1/responses as a call of the pipeline: a request whose body is there already, and a response whose events are sent as frames. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Readable, Writable } from "node:stream";
import { parseObject } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { readEvent } from "../../dialects/stream/sse-event.ts";
import { SseSplitter } from "../../upstream/sse.ts";
import { protocolKey } from "../request/paths.ts";

/** Headers that are of the handshake, or would make every answer of the socket the same call. */
const OF_THE_HANDSHAKE =
  /^(?:connection|upgrade|sec-websocket-.*|content-length|content-encoding|transfer-encoding|accept|openai-beta|idempotency-key)$/;

/** What the pipeline reads of a request: that of the handshake, with the body of a frame. */
class FrameRequest extends Readable {
  readonly method = "POST";
  readonly url: string;
  readonly httpVersion = "1.1";
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: string[];
  readonly socket: Socket;
  readonly complete = true;
  #body: Buffer | undefined;

  constructor(handshake: IncomingMessage, body: Buffer, url: string) {
    super();
    this.url = url;
    this.socket = handshake.socket;
    const kept = Object.entries(handshake.headers).filter(([name]) => !OF_THE_HANDSHAKE.test(name));
    const key = protocolKey(handshake);
    this.headers = {
      ...Object.fromEntries(kept),
      // The list of subprotocols is the handshake's; what it says beside the name of a protocol is whose call this is.
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      accept: "text/event-stream",
      "content-type": "application/json",
      "content-length": String(body.length),
    };
    this.rawHeaders = Object.entries(this.headers).flatMap(([name, value]) => [name, String(value)]);
    this.#body = body;
  }

  override _read(): void {
    if (this.#body !== undefined) this.push(this.#body);
    this.#body = undefined;
    this.push(null);
  }
}

/** Takes what is for the client; each gives what to call once it has gone out. */
export interface FrameSink {
  /** One event's data, a JSON text; `sent` is called once it has gone out. */
  event(data: string, sent?: () => void): void;
  /** The call was refused with this status and error envelope. */
  refused(status: number, error: JsonObject, headers: JsonObject): void;
}

/** Headers of a refusal that say what a client has to do. */
const SHOWN_HEADERS = ["x-request-id", "retry-after", "x-should-retry"];

/** What the pipeline writes a response to: events of a stream are handed on one by one, an error with its status. */
class FrameResponse extends Writable {
  readonly #sink: FrameSink;
  readonly #splitter: SseSplitter;
  #status = 0;
  #headers: readonly string[] = [];
  #parts: Buffer[] = [];
  #timer: NodeJS.Timeout | undefined = undefined;
  headersSent = false;
  /** Asked for by StreamBody: a frame has no framing of HTTP. */
  chunkedEncoding = false;

  constructor(sink: FrameSink, maxEventBytes: number) {
    super();
    this.#sink = sink;
    this.#splitter = new SseSplitter(maxEventBytes);
  }

  writeHead(status: number, headers: readonly string[]): this {
    this.#status = status;
    this.#headers = headers;
    this.headersSent = true;
    return this;
  }

  /** A frame has no head: what every answer over HTTP says besides is left out. */
  setHeader(): this {
    return this;
  }

  /** As of a connection: `timeout` is emitted where nothing goes out for so long; 0 ends the watch. */
  setTimeout(ms: number): this {
    clearTimeout(this.#timer);
    this.#timer = ms === 0 ? undefined : setTimeout(() => this.emit("timeout"), ms);
    return this;
  }

  get #isStream(): boolean {
    return this.#header("content-type").startsWith("text/event-stream");
  }

  #header(name: string): string {
    const at = this.#headers.findIndex((each, index) => index % 2 === 0 && each.toLowerCase() === name);
    return at < 0 ? "" : (this.#headers[at + 1] ?? "");
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (!this.#isStream) {
      this.#parts.push(chunk);
      return done();
    }
    const events: string[] = [];
    try {
      this.#splitter.push(chunk, (bytes, text) => {
        const { data } = readEvent(bytes, text);
        if (data !== "" && data !== "[DONE]") events.push(data);
      });
    } catch (error) {
      return done(error as Error);
    }
    const sent = (): void => {
      this.#timer?.refresh();
      done();
    };
    if (events.length === 0) return sent();
    // Frames go out in their order, so the last one's way out is that of all.
    events.forEach((data, index) => this.#sink.event(data, index === events.length - 1 ? sent : undefined));
  }

  override _final(done: (error?: Error | null) => void): void {
    if (!this.#isStream) this.#handOver();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer);
    this.#splitter.discard();
    this.#parts = [];
    done(error);
  }

  /** An answer in one piece: a refusal, or one that was not streamed and is its own last event. */
  #handOver(): void {
    const body = parseObject(Buffer.concat(this.#parts).toString("utf8")) ?? {};
    if (this.#status < 400)
      return this.#sink.event(JSON.stringify({ type: "response.completed", sequence_number: 0, response: body }));
    const { error } = body;
    const shown = SHOWN_HEADERS.map((name) => [name, this.#header(name)] as const).filter(([, value]) => value !== "");
    this.#sink.refused(this.#status, (error ?? body) as JsonObject, Object.fromEntries(shown));
  }
}

/**
 * A request and a response for one frame, or for another call that one over HTTP takes (`url` is its address then). The pipeline uses of both what the two classes have; `end` is called once nothing more will go
 * out. Destroy the response where the client has gone.
 */
export function exchangeOf(
  handshake: IncomingMessage,
  body: Buffer,
  sink: FrameSink,
  maxEventBytes: number,
  url: string = handshake.url ?? "/",
): { request: IncomingMessage; response: ServerResponse } {
  const response = new FrameResponse(sink, maxEventBytes);
  // A response is destroyed once its client has gone, and its call has ended by then.
  response.on("error", () => undefined);
  return {
    request: new FrameRequest(handshake, body, url) as unknown as IncomingMessage,
    response: response as unknown as ServerResponse,
  };
}
