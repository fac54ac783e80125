/**
 * How the connection of a large request ends that was answered before its body was read. Closed at once, the unread bytes would make the
 * kernel send a reset, which takes the answer with it (RFC 9112, 9.6): so nothing more is written, and the rest is read and dropped up
 * to a bound.
 */
import type { IncomingMessage, ServerResponse } from "node:http";

export interface LingerBounds {
  bytes: number;
  durationMs: number;
}

/** Twice the largest body that is taken by default. */
const BOUNDS: LingerBounds = { bytes: 64 * 1024 * 1024, durationMs: 10_000 };
/** What is left of a smaller body is read without closing: less work than a new connection. */
const SMALL_BYTES = 64 * 1024;

function isSmall({ headers }: IncomingMessage): boolean {
  if (headers["transfer-encoding"] !== undefined) return false;
  return Number(headers["content-length"] ?? 0) <= SMALL_BYTES;
}

/** Reads and drops what still comes, then closes. */
function linger(request: IncomingMessage, bounds: LingerBounds): void {
  const { socket } = request;
  const startBytes = socket.bytesRead;
  const timer = setTimeout(() => socket.destroy(), bounds.durationMs);
  socket.once("close", () => clearTimeout(timer));
  // What node calls when an answer with `Connection: close` is out: our end is closed, theirs is read on.
  socket.destroySoon = () => socket.end();
  request.removeAllListeners("data");
  request.on("data", () => {
    if (socket.bytesRead - startBytes > bounds.bytes) socket.destroy();
  });
  request.once("end", () => socket.destroy());
  request.resume();
  request.read(0); // or node would take the body for unread, and drop it without telling how much it was
}

/** Called before a request is handled: an answer that goes out before the whole body was read is the connection's last one. */
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
  // Before node's own, which ends the connection.
  response.prependListener("finish", () => {
    if (!request.complete) linger(request, bounds);
  });
}
