/** A call over a WebSocket: its body is sent as one message, and the received messages are the events of a stream. */
import type { IncomingMessage } from "node:http";
import type { WebSocket } from "ws";
import type { UpstreamCall, UpstreamClient, UpstreamRequest, UpstreamSink } from "./client.ts";
import { type UpstreamFault, faultOf, newFault } from "./fault.ts";

const EVENT_STREAM = { "content-type": "text/event-stream" };
const NORMAL_END = 1000;

export interface SocketExchangeOptions {
  /** A larger message ends the connection. */
  maxMessageBytes: number;
  /** True for the message behind which nothing comes. */
  isLast(text: string): boolean;
}

class SocketExchange implements UpstreamCall {
  readonly #request: UpstreamRequest;
  readonly #sink: UpstreamSink;
  readonly #isLast: (text: string) => boolean;
  readonly #socket: WebSocket;
  #timer: NodeJS.Timeout | undefined = undefined;
  #isOpen = false;
  #isOver = false;

  constructor(socket: WebSocket, request: UpstreamRequest, sink: UpstreamSink, isLast: (text: string) => boolean) {
    this.#socket = socket;
    this.#request = request;
    this.#sink = sink;
    this.#isLast = isLast;
    socket.on("open", () => this.#opened());
    socket.on("message", (data: Buffer) => this.#message(data.toString("utf8")));
    socket.on("unexpected-response", (_request, response: IncomingMessage) => this.#refused(response));
    socket.on("close", () => this.#end());
    socket.on("error", (error) => this.#fail(faultOf(error, this.#isOpen)));
    this.#wait(request.firstByteTimeoutMs, "first_byte_timeout");
  }

  #wait(ms: number, kind: "first_byte_timeout" | "idle_timeout"): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fail(newFault(kind)), ms);
  }

  #opened(): void {
    if (this.#isOver) return;
    this.#isOpen = true;
    this.#sink.started(200, EVENT_STREAM);
    this.#socket.send((this.#request.body ?? Buffer.alloc(0)).toString("utf8"));
  }

  #message(text: string): void {
    if (this.#isOver) return;
    this.#wait(this.#request.idleTimeoutMs, "idle_timeout");
    const lines = text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
    this.#sink.data(Buffer.from(`${lines.join("")}\n`));
    if (this.#isLast(text)) this.#end();
  }

  /** The handshake was answered with an error, which is read as that of any request. */
  #refused(response: IncomingMessage): void {
    if (this.#isOver) return;
    const { statusCode = 502, headers } = response;
    this.#sink.started(statusCode < 400 ? 502 : statusCode, headers);
    response.on("data", (chunk: Buffer) => this.#isOver || this.#sink.data(chunk));
    response.on("end", () => this.#end());
    response.on("error", (error) => this.#fail(faultOf(error, true)));
  }

  #end(): void {
    if (this.#isOver) return;
    this.#stop();
    this.#sink.ended();
    this.#socket.close(NORMAL_END);
  }

  #fail(fault: UpstreamFault): void {
    if (this.#isOver) return;
    this.#stop();
    this.#sink.failed(fault);
    this.#socket.terminate();
  }

  #stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  abort(): void {
    this.#fail(newFault("aborted"));
  }

  pause(): void {
    if (this.#isOpen && !this.#isOver) this.#socket.pause();
  }

  resume(): void {
    if (this.#isOpen && !this.#isOver) this.#socket.resume();
  }
}

/** Sends a request whose URL begins with `ws`; the sink gets an event stream. */
export function sendOverSocket(
  upstream: UpstreamClient,
  request: UpstreamRequest,
  sink: UpstreamSink,
  { maxMessageBytes, isLast }: SocketExchangeOptions,
): UpstreamCall {
  const { url, headers, proxy, firstByteTimeoutMs: handshakeTimeoutMs } = request;
  try {
    const socket = upstream.openSocket({
      url: url.replace(/^ws/, "http"),
      headers,
      proxy,
      handshakeTimeoutMs,
      maxMessageBytes,
    });
    return new SocketExchange(socket, request, sink, isLast);
  } catch (error) {
    queueMicrotask(() => sink.failed(faultOf(error, false)));
    return { abort: () => undefined, pause: () => undefined, resume: () => undefined };
  }
}
