/** The one way out: undici pools for each origin and proxy, own timers, and the address check on every connected socket. */
import type { Dispatcher } from "undici";
import type { WebSocket } from "ws";
import { type Decoder, createDecoder } from "./decode.ts";
import { type UpstreamFault, faultOf, newFault } from "./fault.ts";
import { type ConnectorOptions, checkTarget } from "./guarded-connector.ts";
import { Pools } from "./pools.ts";
import { proxyRefused } from "./proxy.ts";
import { type SocketRequest, dial } from "./web-socket.ts";

export interface UpstreamRequest {
  method: "GET" | "POST";
  /** http or https; redirects are answers like any other and never followed. */
  url: string;
  /** Flat list of names and values. */
  headers: string[];
  body: Buffer | null;
  /** http, https or socks5 URL of a proxy; empty for none. */
  proxy: string;
  firstByteTimeoutMs: number;
  idleTimeoutMs: number;
  /** True where a request's own words named the URL: what an operator may reach, users may not. */
  isForUser?: boolean;
}

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Called synchronously as bytes come; exactly one of `ended` and `failed` comes last. */
export interface UpstreamSink {
  started(status: number, headers: ResponseHeaders): void;
  data(chunk: Buffer): void;
  ended(): void;
  failed(fault: UpstreamFault): void;
}

/** The hand a caller keeps on a running call. */
export interface UpstreamCall {
  /** Ends it at once; the sink hears failed("aborted") unless it was over. */
  abort(): void;
  pause(): void;
  resume(): void;
}

export interface UpstreamClientOptions extends ConnectorOptions {
  /** `allowsPrivate` for URLs that users name; never, unless a test says so. */
  allowsPrivateForUsers?: () => boolean;
}

export interface UpstreamClient {
  send(request: UpstreamRequest, sink: UpstreamSink): UpstreamCall;
  /** Begins a WebSocket. Throws where the URL is none, and an UpstreamFault where its address or the proxy's is not allowed. */
  openSocket(request: SocketRequest): WebSocket;
  /**
   * Looks whether a URL that a user named may be handed to a worker, which connects in our place. Throws UpstreamFault address, or connect
   * where its host has no address.
   */
  checkForUser(url: string): Promise<void>;
  close(): Promise<void>;
}

/** One call: undici's handler on one side, the caller's sink on the other. */
class Flight implements Dispatcher.DispatchHandler, UpstreamCall {
  readonly #sink: UpstreamSink;
  #controller: Dispatcher.DispatchController | undefined;
  #decoder: Decoder | undefined;
  #isAborted = false;
  #isOver = false;
  /** Everything has come; some of it may still be decoded. */
  #isReceived = false;
  /** The caller wants nothing more for now; the decoder wants no more to decode. */
  #isPaused = false;
  #isDecoderBehind = false;

  constructor(sink: UpstreamSink) {
    this.#sink = sink;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isAborted) controller.abort(newFault("aborted"));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (status < 200) return;
    // Only a proxy asks for its login; the upstream has not heard of the call.
    if (status === 407) return this.#controller?.abort(proxyRefused(status));
    const encoding = headers["content-encoding"];
    if (encoding !== undefined) this.#decoder = this.#createDecoder(String(encoding));
    this.#sink.started(status, headers);
  }

  #createDecoder(encoding: string): Decoder | undefined {
    return createDecoder(encoding, {
      data: (chunk) => this.#isOver || this.#sink.data(chunk),
      ended: () => this.#end(),
      failed: () => this.#fail(newFault("decode")),
      isBehind: (isBehind) => {
        this.#isDecoderBehind = isBehind;
        this.#pace();
      },
    });
  }

  /** Bytes are taken from the connection while both caller and decoder want some. */
  #pace(): void {
    if (this.#isPaused || this.#isDecoderBehind) this.#controller?.pause();
    else if (!this.#isOver) this.#controller?.resume();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isAborted) return;
    if (this.#decoder === undefined) this.#sink.data(chunk);
    else this.#decoder.write(chunk);
  }

  onResponseEnd(): void {
    this.#isReceived = true;
    if (this.#decoder === undefined) this.#end();
    else this.#decoder.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#fail(this.#isAborted ? newFault("aborted") : faultOf(error, this.#controller !== undefined));
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sink.ended();
  }

  #fail(fault: UpstreamFault): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#decoder?.destroy();
    this.#sink.failed(fault);
    this.#controller?.abort(fault);
  }

  abort(): void {
    if (this.#isAborted || this.#isOver) return;
    this.#isAborted = true;
    this.#controller?.abort(newFault("aborted"));
    // Still waiting for a connection, or only decoding: undici has nothing to tell.
    if (this.#controller === undefined || this.#isReceived) this.#fail(newFault("aborted"));
  }

  pause(): void {
    this.#isPaused = true;
    this.#decoder?.pause();
    this.#pace();
  }

  resume(): void {
    this.#isPaused = false;
    this.#decoder?.resume();
    this.#pace();
  }
}

/** Creates the client; nothing is connected until the first call. */
export function createUpstreamClient(options: UpstreamClientOptions): UpstreamClient {
  const pools = new Pools(options);
  const forUsers = { ...options, allowsPrivate: options.allowsPrivateForUsers ?? (() => false) };
  const userPools = new Pools(forUsers);
  return {
    checkForUser: (url) => checkTarget(forUsers, url),
    openSocket: (request) => dial(pools.connector(pools.parse(request.url).origin, request.proxy), request),
    send(request, sink) {
      const flight = new Flight(sink);
      try {
        const { origin, path } = pools.parse(request.url);
        const { method, headers, body } = request;
        const timers = { headersTimeout: request.firstByteTimeoutMs, bodyTimeout: request.idleTimeoutMs };
        const allowed = request.isForUser === true ? userPools : pools;
        allowed.for(origin, request.proxy).dispatch({ origin, path, method, headers, body, ...timers }, flight);
      } catch (error) {
        queueMicrotask(() =>
          flight.onResponseError(undefined, error instanceof Error ? error : new Error(String(error))),
        );
      }
      return flight;
    },
    close: async () => {
      await Promise.all([pools.close(), userPools.close()]);
    },
  };
}
