/** The upstream HTTP client: undici pools for each origin and proxy, timeouts, and the address check on every connected socket. */
import { isIP, type Socket } from "node:net";
import type { Dispatcher } from "undici";
import { WebSocket } from "ws";
import { addressRefusal, isAddressAllowed } from "./address.ts";
import { bodyOnce } from "./body-once.ts";
import { createDecoder, type Decoder } from "./decode.ts";
import { faultOf, newFault, UpstreamFault } from "./fault.ts";
import { checkTarget, type ConnectorOptions, guardedConnector, type HttpVersion } from "./guarded-connector.ts";
import {
  bareHost,
  type Connector,
  forwarding,
  parseProxy,
  type ProxyAddress,
  proxyRefused,
  tunnelling,
} from "./proxy.ts";
import { Pool } from "./undici.ts";

// Connection pools, one for each origin and proxy.

/** Idle sockets are kept this long; a shorter Keep-Alive hint of the upstream goes before it. */
const KEEP_ALIVE_MS = 30_000;
const MAX_KEEP_ALIVE_MS = 600_000;
/** Pools kept; the oldest goes first. */
const MAX_POOLS = 512;
const MAX_PARSED_URLS = 4096;

const POOL_OPTIONS = {
  // No bound on sockets: a thousand open streams to one vendor need a thousand.
  connections: null,
  pipelining: 1,
  allowH2: false,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
} as const;

/** Streams of one connection at a time; an upstream that allows fewer is obeyed, and further calls open another connection. */
const HTTP2_STREAMS = 100;

/** HTTP/2 for a call: how many connections its calls take turns on, and whether an upstream without it is not called. */
export interface Http2Use {
  readonly isRequired: boolean;
  readonly connections: number;
}

interface ParsedUrl {
  origin: string;
  path: string;
}

/** Pools by origin and proxy, the oldest dropped first. */
class Pools {
  readonly #options: ConnectorOptions;
  readonly #connect: Connector;
  readonly #pools = new Map<string, Dispatcher>();
  readonly #urls = new Map<string, ParsedUrl>();
  readonly #connectHttp2 = new Map<HttpVersion, Connector>();
  #allowedPrivate: boolean;
  /** Which of several connections of HTTP/2 is next. */
  #taken = 0;

  constructor(options: ConnectorOptions) {
    this.#options = options;
    this.#allowedPrivate = options.allowsPrivate();
    this.#connect = guardedConnector(options);
  }

  parse(url: string): ParsedUrl {
    let parsed = this.#urls.get(url);
    if (parsed === undefined) {
      const { origin, pathname, search } = new URL(url);
      parsed = { origin, path: pathname + search };
      if (this.#urls.size >= MAX_PARSED_URLS) this.#urls.clear();
      this.#urls.set(url, parsed);
    }
    return parsed;
  }

  /** An idle socket must not outlive the permission it was connected under: new calls connect, and are checked, again. */
  #followPolicy(): void {
    const allowed = this.#options.allowsPrivate();
    if (allowed === this.#allowedPrivate) return;
    this.#allowedPrivate = allowed;
    while (this.#pools.size > 0) this.#dropOldest();
  }

  /** Throws an UpstreamFault where an address is not allowed, the proxy's URL is none, or HTTP/2 is wanted at an address without TLS. */
  for(origin: string, proxy: string, http2: Http2Use | undefined): Dispatcher {
    this.#followPolicy();
    const parsed = proxy === "" ? undefined : this.#checkedProxy(origin, proxy);
    const own = proxy === "" ? origin : `${proxy} ${origin}`;
    const isSecure = origin.startsWith("https:");
    if (http2?.isRequired === true && !isSecure)
      throw new UpstreamFault("connect", "HTTP/2 is spoken to https addresses alone");
    const version = http2 === undefined || !isSecure ? "http1" : http2.isRequired ? "http2_only" : "http2_preferred";
    const key = http2 === undefined || !isSecure ? own : `${own} ${version} ${this.#taken++ % http2.connections}`;
    const known = this.#pools.get(key);
    if (known !== undefined) return known;
    if (this.#pools.size >= MAX_POOLS) this.#dropOldest();
    const created =
      parsed?.kind === "http" && !isSecure
        ? forwarding(this.#connect, parsed, POOL_OPTIONS)
        : new Pool(origin, { ...this.#poolOptions(version), connect: this.#connectorThrough(parsed, version) });
    this.#pools.set(key, created);
    return created;
  }

  #poolOptions(version: HttpVersion) {
    if (version === "http1") return POOL_OPTIONS;
    return { ...POOL_OPTIONS, allowH2: true, h2Options: { maxConcurrentStreams: HTTP2_STREAMS } };
  }

  #connectorOf(version: HttpVersion): Connector {
    if (version === "http1") return this.#connect;
    const connect = this.#connectHttp2.get(version) ?? guardedConnector(this.#options, version);
    this.#connectHttp2.set(version, connect);
    return connect;
  }

  /** How a socket to the origin comes about. Throws an UpstreamFault where an address is not allowed or the proxy's URL is none. */
  connector(origin: string, proxy: string): Connector {
    return this.#connectorThrough(proxy === "" ? undefined : this.#checkedProxy(origin, proxy));
  }

  #connectorThrough(proxy: ProxyAddress | undefined, version: HttpVersion = "http1"): Connector {
    const connect = this.#connectorOf(version);
    return proxy === undefined ? connect : tunnelling(this.#connect, proxy, this.#options.connectTimeoutMs, connect);
  }

  /** Behind a proxy the target is resolved by the proxy: what we can see of either address is checked for each call. */
  #checkedProxy(origin: string, proxy: string): ProxyAddress {
    const parsed = parseProxy(proxy);
    for (const host of [new URL(origin).hostname, parsed.hostname].map(bareHost)) {
      if (isIP(host) !== 0 && !isAddressAllowed(host, this.#options.allowsPrivate()))
        throw new UpstreamFault("address", addressRefusal(host));
    }
    return parsed;
  }

  #dropOldest(): void {
    const [oldest] = this.#pools;
    if (oldest === undefined) return;
    this.#pools.delete(oldest[0]);
    // Running calls finish; new ones open a new pool.
    void oldest[1].close();
  }

  async close(): Promise<void> {
    const all = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(all.map((pool) => pool.destroy()));
  }
}

// WebSockets to upstreams, over connections that the same address check has passed as every other call's.

interface SocketRequest {
  /** http or https, as providers give it: a WebSocket begins as a request. Redirects are not followed. */
  url: string;
  /** Flat list of names and values. */
  headers: readonly string[];
  /** http, https or socks5 URL of a proxy; empty for none. */
  proxy: string;
  handshakeTimeoutMs: number;
  /** A larger message ends the connection with code 1009. */
  maxMessageBytes: number;
}

function headerObject(flat: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let index = 0; index + 1 < flat.length; index += 2) headers[flat[index] ?? ""] = flat[index + 1] ?? "";
  return headers;
}

/**
 * Begins the handshake; the socket's own events say what comes of it. Its first message may come in the same turn as `open`,
 * so listeners must be attached at once. No subprotocol is offered: headers carry everything, and an upstream that selects none of
 * those offered would have failed the handshake. Throws where the URL is none.
 */
function dial(connect: Connector, request: SocketRequest): WebSocket {
  const url = new URL(request.url.replace(/^http/, "ws"));
  const protocol = url.protocol === "wss:" ? "https:" : "http:";
  const target = { hostname: url.hostname, host: url.host, port: url.port, protocol };
  const createConnection = (_options: unknown, onCreate: (error: Error | null, socket: unknown) => void): undefined => {
    connect(target, (...[error, socket]) => {
      // The HTTP client sets the timeouts of requests; this socket has none, so that of the handshake is set here.
      (socket as Socket | null)?.setTimeout(request.handshakeTimeoutMs);
      onCreate(error, socket);
    });
  };
  return new WebSocket(url, {
    headers: headerObject(request.headers),
    handshakeTimeout: request.handshakeTimeoutMs,
    maxPayload: request.maxMessageBytes,
    perMessageDeflate: false,
    followRedirects: false,
    createConnection: createConnection as never,
  });
}

export interface UpstreamRequest {
  method: "GET" | "POST" | "DELETE";
  /** http or https; redirects are answers like any other and never followed. */
  url: string;
  /** Flat list of names and values. */
  headers: string[];
  body: Buffer | null;
  /** http, https or socks5 URL of a proxy; empty for none. */
  proxy: string;
  /** Undefined for HTTP/1.1. */
  http2?: Http2Use | undefined;
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
  /** Ends it at once; the sink gets failed("aborted") unless it was over. */
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

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    // Two buffers a header, of whose parsed form alone something is read; the controller would keep them to the answer's end.
    controller.rawHeaders = null;
    if (status < 200) return;
    // Only a proxy asks for its login; the upstream has not seen the call.
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
        const { method, http2 } = request;
        const timers = { headersTimeout: request.firstByteTimeoutMs, bodyTimeout: request.idleTimeoutMs };
        const allowed = request.isForUser === true ? userPools : pools;
        allowed
          .for(origin, request.proxy, http2)
          .dispatch({ origin, path, method, ...bodyOnce(request, http2 !== undefined), ...timers }, flight);
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
