/** The HTTP server: routes requests to console or relay, limits their size and time, closes connections of half-read requests, and drains them when it stops. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Config } from "../config.ts";
import { listenFailure } from "./listen-failure.ts";

export interface LingerBounds {
  bytes: number;
  durationMs: number;
}

/** Twice the largest body that is accepted by default. */
const BOUNDS: LingerBounds = { bytes: 64 * 1024 * 1024, durationMs: 10_000 };
/** The rest of a smaller body is read without closing: less work than a new connection. */
const SMALL_BYTES = 64 * 1024;

function isSmall({ headers }: IncomingMessage): boolean {
  if (headers["transfer-encoding"] !== undefined) return false;
  return Number(headers["content-length"] ?? 0) <= SMALL_BYTES;
}

/** Reads and discards further bytes, then closes. */
function linger(request: IncomingMessage, bounds: LingerBounds): void {
  const { socket } = request;
  const startBytes = socket.bytesRead;
  const timer = setTimeout(() => socket.destroy(), bounds.durationMs);
  socket.once("close", () => clearTimeout(timer));
  // Called by node when a response with `Connection: close` was sent: our end is closed, the client's is still read.
  socket.destroySoon = () => socket.end();
  request.removeAllListeners("data");
  request.on("data", () => {
    if (socket.bytesRead - startBytes > bounds.bytes) socket.destroy();
  });
  request.once("end", () => socket.destroy());
  request.resume();
  request.read(0); // or node would consider the body unread, and discard it without its size
}

/**
 * Called before a request is handled: a response sent before the whole body was read is the connection's last one. If it were closed at
 * once, the unread bytes would make the kernel send a reset, which can destroy the response (RFC 9112, 9.6): so nothing more is written,
 * and further bytes are read and discarded up to a bound.
 */
export function closeUnlessRead(
  request: IncomingMessage,
  response: ServerResponse,
  bounds: LingerBounds = BOUNDS,
): void {
  if (isSmall(request)) return;
  const staysOpen = response.shouldKeepAlive;
  response.shouldKeepAlive = false;
  request.once("end", () => {
    response.shouldKeepAlive = staysOpen;
  });
  // Before node's own listener, which ends the connection.
  response.prependListener("finish", () => {
    if (!request.complete) linger(request, bounds);
  });
}

export interface Listener {
  /** `http://address:port` as a browser on this machine reaches it. */
  readonly url: string;
  readonly port: number;
  /** True as soon as its end is announced. */
  readonly isDraining: boolean;
  /** Goes on accepting, but asks each client for a new connection next time: what sends calls here may find another process then. */
  announceEnd(): void;
  /** Accepts no new connections, waits `graceSeconds` for open requests, then closes the others. */
  drain(graceSeconds: number): Promise<void>;
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Handles connections that are upgraded from HTTP. */
export interface UpgradeHandler {
  /** False handles the request like any other: servers may ignore an upgrade. */
  upgrades(request: IncomingMessage): boolean;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

const HEADERS_TIMEOUT_MS = 15_000;
/** Timeout for receiving a whole request; responses have no limit of their own. */
const REQUEST_TIMEOUT_MS = 300_000;
/** Longer than the 60 s of common proxies, so that the proxy closes idle connections first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const CHECK_INTERVAL_MS = 1_000;
/** The listen backlog. With the usual 511 a thousand concurrent clients would wait seconds for TCP retransmissions. */
const BACKLOG = 4096;

const REFUSALS: Readonly<Record<string, { status: string; message: string }>> = {
  HPE_HEADER_OVERFLOW: { status: "431 Request Header Fields Too Large", message: "The request header is too large" },
  ERR_HTTP_REQUEST_TIMEOUT: { status: "408 Request Timeout", message: "The request took too long to arrive" },
};
const MALFORMED = { status: "400 Bad Request", message: "The request is not well formed" };

/** The client is not known yet, so the response has both the console's envelope and the error that SDKs of model APIs parse. */
const envelope = (message: string): string => {
  const error = { message, type: "invalid_request_error", param: null, code: "malformed" };
  return JSON.stringify({ success: false, message, code: "malformed", error });
};

/** Responds to bytes that are no valid request. */
function refuseClient(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const { status, message } = REFUSALS[error.code ?? ""] ?? MALFORMED;
  const body = envelope(message);
  const head = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close`;
  socket.end(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`);
}

function refuseRequest(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "Content-Type": "application/json", Connection: "close" }).end(envelope(message));
}

/** Proxies differ in which of two Host headers they use (RFC 9112, 3.2). Node itself refuses a request without one. */
function hasSecondHost({ rawHeaders }: IncomingMessage): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === "host") count += 1;
  }
  return count > 1;
}

/** The address in the form that a browser on this machine accepts. */
function urlOf(config: Config, server: Server): string {
  const { port, address, family } = server.address() as AddressInfo;
  const isEverywhere = address === "0.0.0.0" || address === "::";
  const host = isEverywhere ? "127.0.0.1" : family === "IPv6" ? `[${address}]` : address;
  return `http://${config.host === "localhost" ? "localhost" : host}:${port}`;
}

/** Starts listening. Throws an Error of one line if the address is taken or not available. */
export async function listen(config: Config, handle: RequestHandler, upgrades?: UpgradeHandler): Promise<Listener> {
  let isDraining = false;
  const options = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    maxHeaderSize: config.limits.headerBytes,
    shouldUpgradeCallback: (request: IncomingMessage) =>
      !hasSecondHost(request) && upgrades?.upgrades(request) === true,
  };
  const server = createServer(options, (request, response) => {
    if (isDraining) response.setHeader("Connection", "close");
    closeUnlessRead(request, response);
    if ((request.url?.length ?? 0) > config.limits.urlBytes)
      return refuseRequest(response, 414, "The address is too long");
    // A base URL that ends with a slash, in front of a path that begins with one.
    if (request.url?.startsWith("//") === true) request.url = request.url.replace(/^\/+/, "/");
    if (hasSecondHost(request)) return refuseRequest(response, 400, "The request has more than one Host header");
    return handle(request, response);
  });
  server.on("clientError", refuseClient);
  server.on("upgrade", (request, socket, head) => upgrades?.upgrade(request, socket, head));
  await bind(server, config);
  return {
    url: urlOf(config, server),
    port: (server.address() as AddressInfo).port,
    get isDraining() {
      return isDraining;
    },
    announceEnd() {
      isDraining = true;
    },
    drain(graceSeconds) {
      isDraining = true;
      return drainServer(server, graceSeconds);
    },
  };
}

function bind(server: Server, config: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    const { host, port } = config;
    const fail = (error: Error) => reject(listenFailure(error, { host, port, portVariable: "PORT" }));
    server.once("error", fail);
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off("error", fail);
      resolve();
    });
  });
}

async function drainServer(server: Server, graceSeconds: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // A keep-alive connection becomes idle when its request ends, which `close` alone does not check again.
  const idleTimer = setInterval(() => server.closeIdleConnections(), 50);
  const graceTimer = setTimeout(() => server.closeAllConnections(), graceSeconds * 1000);
  await closed;
  clearInterval(idleTimer);
  clearTimeout(graceTimer);
}
