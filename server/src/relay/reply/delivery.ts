/** The response to the client of one call (step 7): heads, whole answers, and the stream once it has begun, whichever channels are tried; its last part is held until the charge is committed. */
import type { ServerResponse } from "node:http";
import type { Usage } from "../../../../contract/src/pricing/usage.ts";
import type { AnswerInfo } from "../../dialects/neutral/info.ts";
import { type NeutralAnswer, eventsOf } from "../../dialects/neutral/neutral.ts";
import { PING_FRAME, latin1Of } from "../../dialects/stream/sse-event.ts";
import type { StreamPipe } from "../../dialects/stream/stream.ts";
import type { ResponseHeaders, UpstreamCall } from "../../upstream/client.ts";
import { type UpstreamFault, withoutUpstreamKey } from "../../upstream/fault.ts";
import type { Admission } from "../admission/admit.ts";
import type { SendResult } from "../call/answer.ts";
import type { BegunAnswer, Call, CallEnd, CallListener } from "../call/call.ts";
import type { RelayError } from "../call/relay-error.ts";
import { baseHeaders, errorInfo } from "../call/respond.ts";
import type { SearchRounds, Target } from "../call/target.ts";
import type { Accepted } from "../request/accepted.ts";
import { settingsOf } from "../request/release-conversation.ts";
import { transformedFrames } from "./response-transform.ts";

/** What one answer may have in memory, unpacked: the largest are pictures. */
export const MAX_ANSWER_BYTES = 64 * 1_048_576;
export const TOO_LONG = "the upstream's answer is longer than this gateway takes";

/** Takes the answer as it comes; exactly one of `ended` and `failed` comes last. */
export interface Reply {
  data(chunk: Buffer): void;
  ended(): void;
  failed(fault: UpstreamFault): void;
}

/** Called once: with a failure while nothing was handed to the client, or with the answer. */
export type ReplyDone = (result: SendResult) => void;

const LAST_CHUNK = "0\r\n\r\n";

const chunkOf = (text: string): string => (text === "" ? "" : `${text.length.toString(16)}\r\n${text}\r\n`);

/** Node keeps a head that was sent as the tree of pieces that it was joined from, 2 kB a stream; from then on it asks only whether there is one. */
function forgetHead(response: ServerResponse & { _header?: string | null }): void {
  response._header = "sent";
}

/**
 * The body of a streamed answer: every piece is one write, where node would hand its length, its bytes and its line end to the system one
 * by one. Texts are bytes as Latin-1, one character a byte.
 */
export class StreamBody {
  readonly #response: ServerResponse;
  /** False for clients of HTTP/1.0, whose answer ends with the connection. */
  readonly #isChunked: boolean;
  /** Something was written, and the head before it. */
  #hasBegun = false;

  /** Takes the framing over from node; call right after writeHead. */
  constructor(response: ServerResponse) {
    this.#response = response;
    this.#isChunked = response.chunkedEncoding;
    response.chunkedEncoding = false;
  }

  /** False where the client is behind: wait for `drain`. */
  write(text: string): boolean {
    const piece = this.#isChunked ? chunkOf(text) : text;
    const { socket } = this.#response;
    // Behind the head node's response has nothing to add, but would take two ticks for each piece. Where the client is
    // behind it says so, and when it is not any more.
    if (
      this.#hasBegun &&
      socket?.writable === true &&
      piece.length < socket.writableHighWaterMark - socket.writableLength
    )
      return socket.write(piece, "latin1");
    if (this.#hasBegun) return this.#response.write(piece, "latin1");
    this.#hasBegun = true;
    const isTaken = this.#response.write(piece, "latin1");
    forgetHead(this.#response);
    return isTaken;
  }

  end(text: string): void {
    this.#response.end(this.#isChunked ? chunkOf(text) + LAST_CHUNK : text, "latin1");
  }
}

/** Headers of an upstream that clients may see: no cookies, no organisations, no limits of the operator's account. Codex sends `x-codex-turn-state` back (openai/codex). */
const PASSED_HEADERS = [
  "openai-processing-ms",
  "openai-version",
  "retry-after",
  "x-codex-turn-state",
  "x-reasoning-included",
] as const;

/** Printable ASCII for a header; the log has the whole text. */
const headerText = (text: string): string => text.replace(/[^\x20-\x7e]/g, "?").slice(0, 1000);

/** `upstream` is the head of the answer of the target that was asked last. */
function answerHeaders(
  { requestId, trace: { target } }: Call,
  upstream: ResponseHeaders,
  ownWarnings: readonly string[] = [],
): string[] {
  const headers = baseHeaders(requestId);
  for (const name of PASSED_HEADERS) {
    const value = upstream[name];
    if (typeof value === "string") headers.push(name, withoutUpstreamKey(headerText(value), target?.channel.key ?? ""));
  }
  const warnings = [...(target?.warnings ?? []), ...ownWarnings];
  if (warnings.length > 0) headers.push("Turnpike-Warnings", headerText(warnings.join("; ")));
  return headers;
}

/** Up to this size head and body go out in one piece of text, which is one write; above it the body is not copied. */
const MAX_TEXT_BYTES = 65_536;

const PLAIN_PASSTHROUGH = { hidesUsage: false, isChat: true, choices: 1 } as const;

/** Before an upstream has answered there is nothing to take over of its head. */
export const NO_HEADERS: ResponseHeaders = Object.freeze({});

export class Delivery implements BegunAnswer, CallEnd, CallListener {
  readonly call: Call;
  readonly accepted: Accepted;
  readonly admission: Admission;
  /** Hears when the client has the first of the answer. */
  begins: { answerBegun(): void } | undefined = undefined;
  /** The upstream that is called now. */
  upstream: UpstreamCall | undefined = undefined;
  /** The stream on its way through: it knows how an error closes what it began. */
  pipe: StreamPipe | undefined = undefined;
  #stream: StreamBody | undefined = undefined;
  #pings: NodeJS.Timeout | undefined = undefined;

  constructor(call: Call, accepted: Accepted, admission: Admission) {
    this.call = call;
    this.accepted = accepted;
    this.admission = admission;
    call.atEnd(this);
    this.#startPings();
  }

  /** What the envelope of an answer needs of the call. */
  get info(): AnswerInfo {
    const { requestId, createdAt } = this.call;
    const { model, info, endpoint, fields } = this.accepted;
    return {
      model,
      requestId,
      createdAt,
      asksUsage: info.asksUsage,
      isArray: endpoint.isArray,
      inputTokens: this.admission.quote.promptTokens,
      ...(fields === undefined ? {} : { request: settingsOf(fields) }),
    };
  }

  /** True once the server stops and what is open has had its time. */
  isStopping = false;

  /** The upstream's call ends; its sink gives the client the reason. */
  serverStops(): void {
    this.isStopping = true;
    this.upstream?.abort();
  }

  /** A client that left ends the upstream's call, unless the reply under way knows better. */
  clientGone(): void {
    this.upstream?.abort();
  }

  /** Keeps a waiting client's connection open with comments while ping_interval_enabled. */
  #startPings(): void {
    const { options } = this.call.context.snapshot;
    const { isStream, operation, endpoint } = this.accepted;
    // Asked for events, some vendors of speech send bytes, among which a comment has no place.
    if (!isStream || operation === "speech" || !options["general_setting.ping_interval_enabled"]) return;
    const { response } = this.call;
    this.#pings = setInterval(() => {
      if (response.destroyed || response.writableEnded || response.writableNeedDrain) return;
      // Blanks between the elements of an array mean as little as comments between events.
      this.beginStream(NO_HEADERS).write(endpoint.isArray ? "\n" : PING_FRAME);
    }, options["general_setting.ping_interval_seconds"] * 1000);
  }

  /** An error has a status of its own where no comment went out, so none may go out while it waits to be sent. */
  ended(isSuccess: boolean): void {
    clearInterval(this.#pings);
    if (!isSuccess) this.upstream?.abort();
  }

  /** Begins a streamed answer; where it has begun before, gives what takes its pieces. */
  beginStream(upstream: ResponseHeaders): StreamBody {
    return (this.#stream ??= this.#writeStreamHead(upstream));
  }

  #writeStreamHead(upstream: ResponseHeaders): StreamBody {
    const { call, accepted } = this;
    const headers = answerHeaders(call, upstream);
    headers.push(
      "Content-Type",
      accepted.endpoint.isArray ? "application/json; charset=utf-8" : "text/event-stream; charset=utf-8",
      "Cache-Control",
      "no-cache",
      "X-Accel-Buffering",
      "no",
    );
    call.status = 200;
    call.begun = this;
    call.response.writeHead(200, headers);
    return new StreamBody(call.response);
  }

  /** Begins an answer of bytes that are neither text nor events; its length is kept where the upstream gave one. */
  writeBinaryHead(status: number, upstream: ResponseHeaders): void {
    const { call } = this;
    const headers = answerHeaders(call, upstream);
    const { "content-type": type, "content-length": length, "content-encoding": encoding } = upstream;
    headers.push("Content-Type", typeof type === "string" ? type : "application/octet-stream");
    if (typeof length === "string" && encoding === undefined) headers.push("Content-Length", length);
    call.status = status;
    call.response.writeHead(status, headers);
  }

  /** Sends an answer in one piece; `text` is the body as Latin-1 where it has that form already. A call that holds a key has it kept first. */
  #send(status: number, headers: string[], body: Buffer, text?: string): void {
    const { call } = this;
    call.status = status;
    const send = (): void => {
      call.response.writeHead(status, headers);
      if (text !== undefined && body.length <= MAX_TEXT_BYTES) call.response.end(text, "latin1");
      else call.response.end(body);
    };
    if (call.keeper === undefined) return send();
    const contentType = headers[headers.indexOf("Content-Type") + 1] ?? "";
    void call.keeper.keepThen({ status, contentType, body }, send);
  }

  /** A client that waits for events was sent comments already, or knows how to read a whole answer as one event. */
  get #isStreamOpen(): boolean {
    const { isStream, operation } = this.accepted;
    return this.#stream !== undefined || (isStream && operation === "completions");
  }

  /** Ends a stream with a whole answer as its only event. */
  #endWithEvent(body: Buffer): void {
    const lines = body
      .toString("utf8")
      .trim()
      .split(/\r\n|\r|\n/);
    const event = lines.map((line) => `data: ${line}\n`).join("");
    this.beginStream(NO_HEADERS).end(latin1Of(`${event}\ndata: [DONE]\n\n`));
  }

  /** Sends an answer in one piece as the upstream sent it. `text` is the body as Latin-1, one character a byte. */
  writeBuffered(status: number, upstream: ResponseHeaders, body: Buffer, text: string): void {
    if (this.#isStreamOpen) return this.#endWithEvent(body);
    const headers = answerHeaders(this.call, upstream);
    const type = upstream["content-type"];
    headers.push("Content-Type", typeof type === "string" ? type : "application/json");
    headers.push("Content-Length", String(body.length));
    this.#send(status, headers, body, text);
  }

  /** Sends an answer that was encoded for the client. */
  writeText(status: number, upstream: ResponseHeaders, text: string, warnings: readonly string[] = []): void {
    const body = Buffer.from(text);
    const headers = answerHeaders(this.call, upstream, warnings);
    headers.push("Content-Type", "application/json", "Content-Length", String(body.length));
    this.#send(status, headers, body);
  }

  /** Sends a buffered answer as the stream that the client asked for and the upstream did not send. */
  writeAsStream(target: Target, upstream: ResponseHeaders, answer: NeutralAnswer, usage: Usage): void {
    const encoder = this.accepted.dialect.createEncoder(this.info);
    let frames = "";
    for (const event of eventsOf(answer)) frames += encoder.push(event);
    const transformed = transformedFrames(this.accepted, target, latin1Of(frames));
    this.beginStream(upstream).end(transformed + latin1Of(encoder.close(usage)));
  }

  /** Ends a stream whose words have gone out already. */
  endLive({ live }: SearchRounds, upstream: ResponseHeaders, usage: Usage): void {
    if (live === undefined) return;
    const { thinking } = live;
    this.beginStream(upstream).end(thinking.closingOf(thinking.open) + latin1Of(live.close(usage)));
  }

  /** To be called once some of the answer has gone out, so that it can no longer be asked for elsewhere. */
  answerBegun(): void {
    this.begins?.answerBegun();
    this.begins = undefined;
  }

  /** Ends the stream with an error event, and without the mark of a complete one. */
  fail(error: RelayError): void {
    const { response, requestId } = this.call;
    if (response.destroyed) return;
    if (this.#stream === undefined) return void response.destroy();
    // Only comments went out so far: a plain pipe of the client's format knows how to fail.
    const pipe = this.pipe ?? this.accepted.dialect.createPassthrough(this.info, PLAIN_PASSTHROUGH);
    const { verbatim, ...info } = errorInfo(error, requestId);
    // Between the strings of JSON a line break says nothing, and would end the line of an event.
    const oneLine = verbatim === undefined ? {} : { verbatim: verbatim.replaceAll(/[\r\n]+/g, "") };
    this.#stream.end(pipe.failing({ ...info, ...oneLine }).toString("latin1"));
  }
}
