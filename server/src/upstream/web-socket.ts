/** WebSockets to upstreams, over connections that the same address check has passed as every other call's. */
import type { Socket } from "node:net";
import { WebSocket } from "ws";
import type { Connector } from "./proxy.ts";

export interface SocketRequest {
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
 * so whoever wants it listens from the start. No subprotocol is offered: headers say everything, and an upstream that selects none of
 * those offered would have failed the handshake. Throws where the URL is none.
 */
export function dial(connect: Connector, request: SocketRequest): WebSocket {
  const url = new URL(request.url.replace(/^http/, "ws"));
  const protocol = url.protocol === "wss:" ? "https:" : "http:";
  const target = { hostname: url.hostname, host: url.host, port: url.port, protocol };
  const createConnection = (_options: unknown, onCreate: (error: Error | null, socket: unknown) => void): undefined => {
    connect(target, (...[error, socket]) => {
      // A request takes its time from whoever connects for it; the open socket has none any more.
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
