/** One attempt at one channel for a realtime session: the upstream opens first, then the client is accepted, and the session runs. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { UpstreamFailure } from "../providers/provider.ts";
import { newFault } from "../upstream/fault.ts";
import { type AnswerEnd, type Exchange, type Target, known } from "./exchange.ts";
import { MAX_MESSAGE_BYTES, Opening, aborted, openUpstream } from "./realtime-opening.ts";
import { closeSocket } from "./realtime-pump.ts";
import { type OpenUpstream, RealtimeSession } from "./realtime-session.ts";
import { failureOf } from "./send.ts";

/** Subprotocol of the API itself; the other items of the list are keys and versions. */
const PROTOCOL = "realtime";
const NORMAL = 1000;

/** Ids of the calls whose handshakes are accepted now, for the heads of the answers. */
const requestIds = new WeakMap<IncomingMessage, string>();

const handshakes = new WebSocketServer({
  noServer: true,
  maxPayload: MAX_MESSAGE_BYTES,
  perMessageDeflate: false,
  clientTracking: false,
  handleProtocols: (offered) => (offered.has(PROTOCOL) ? PROTOCOL : false),
});
handshakes.on("headers", (headers, request) => {
  const id = requestIds.get(request) ?? "";
  headers.push(`X-Request-Id: ${id}`, `X-Oneapi-Request-Id: ${id}`);
});

/** What a client's upgrade needs until it is accepted. */
export interface Upgrade {
  socket: Duplex;
  /** Gives what the client has sent already and leaves the socket to the caller. */
  takeSocket(): Buffer;
  /** Told of the session once it runs. */
  onSession(session: RealtimeSession): void;
}

/** Accepts the client's handshake; undefined where its connection is gone by now. */
function acceptClient(
  { request, response, requestId, isClientGone }: Exchange,
  upgrade: Upgrade,
): WebSocket | undefined {
  const { socket } = upgrade;
  if (isClientGone || socket.destroyed || !socket.writable) return undefined;
  requestIds.set(request, requestId);
  response.detachSocket(socket as never);
  const accepted: WebSocket[] = [];
  handshakes.handleUpgrade(request, socket, upgrade.takeSocket(), (client) => accepted.push(client));
  socket.resume();
  return accepted[0];
}

function runSession(exchange: Exchange, client: WebSocket, upstream: OpenUpstream): Promise<AnswerEnd> {
  return new Promise((resolve) =>
    known(exchange.upgrade, "upgrade").onSession(new RealtimeSession(exchange, client, upstream, resolve)),
  );
}

/** Notes how the opening went, for the receipt. */
function noteTried(
  exchange: Exchange,
  { channel: { id, name } }: Target,
  startMs: number,
  failure?: UpstreamFailure,
): void {
  const reason = failure === undefined ? "" : `${failure.kind}: ${failure.message}`;
  const status = failure?.status ?? 101;
  exchange.tried.push({ id, name, start_ms: startMs, ms: exchange.elapsedMs - startMs, status, reason });
}

/** Both sides are there: runs the session; the failure where one of them has gone meanwhile. */
async function join(exchange: Exchange, target: Target, opening: Opening): Promise<UpstreamFailure | undefined> {
  const upstream = opening.take();
  if (upstream === undefined) return failureOf(newFault("connect"), false);
  const client = acceptClient(exchange, known(exchange.upgrade, "upgrade"));
  if (client === undefined) {
    closeSocket(upstream.socket, NORMAL, "");
    return aborted();
  }
  // An hour of talking is no longer a probe.
  exchange.context.health.succeeded(target.channel.id);
  exchange.status = 101;
  const end = await runSession(exchange, client, upstream);
  const nothing = { rawUsage: undefined, asciiBytes: 0, otherBytes: 0, isDelivered: true };
  exchange.answer = { end, status: 101, ...nothing, complete: () => undefined };
  return undefined;
}

/** One attempt at one channel: resolves with the failure, or with undefined once the session it became is over and booked. */
export async function attemptRealtime(exchange: Exchange, target: Target): Promise<UpstreamFailure | undefined> {
  const startMs = exchange.elapsedMs;
  exchange.target = target;
  const opened = await openUpstream(exchange, target);
  const isOpen = opened instanceof Opening;
  noteTried(exchange, target, startMs, isOpen ? undefined : opened);
  return isOpen ? join(exchange, target, opened) : opened;
}
