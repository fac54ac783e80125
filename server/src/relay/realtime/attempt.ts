/** One attempt at one channel for a realtime session: the upstream opens first, then the client is accepted, and the session runs. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { wordsForOperator } from "../../dialects/neutral/failure.ts";
import type { UpstreamFailure } from "../../providers/provider.ts";
import { newFault } from "../../upstream/fault.ts";
import type { Admission } from "../admission/admit.ts";
import type { Attempt } from "../attempt/attempts.ts";
import type { AnswerEnd, SendResult } from "../call/answer.ts";
import type { Call } from "../call/call.ts";
import type { Target } from "../call/target.ts";
import { triedKey } from "../call/trace.ts";
import { MAX_MESSAGE_BYTES, Opening, aborted, openUpstream } from "./upstream-opening.ts";
import { closeSocket } from "./pump.ts";
import { RealtimeSession } from "./session.ts";
import { failureOf } from "../attempt/failures.ts";

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
  /** Gives what the client has sent already; the socket is the caller's from then on. */
  takeSocket(): Buffer;
  /** Called with the session once it runs. */
  onSession(session: RealtimeSession): void;
}

/** Accepts the client's handshake; undefined where its connection is gone by now. */
function acceptClient({ request, response, requestId, isClientGone }: Call, upgrade: Upgrade): WebSocket | undefined {
  const { socket } = upgrade;
  if (isClientGone || socket.destroyed || !socket.writable) return undefined;
  requestIds.set(request, requestId);
  response.detachSocket(socket as never);
  const accepted: WebSocket[] = [];
  handshakes.handleUpgrade(request, socket, upgrade.takeSocket(), (client) => accepted.push(client));
  socket.resume();
  return accepted[0];
}

/** Notes how the opening went, for the receipt. */
function noteTried(call: Call, { channel }: Target, startMs: number, failure?: UpstreamFailure): void {
  const reason = failure === undefined ? "" : `${failure.kind}: ${wordsForOperator(failure)}`;
  const status = failure?.status ?? 101;
  const { id, name } = channel;
  const times = { start_ms: startMs, ms: call.elapsedMs - startMs };
  call.trace.tried.push({ id, name, ...triedKey(channel), ...times, status, reason });
}

const NOTHING_MORE = {
  status: 101,
  rawUsage: undefined,
  wordTokens: 0,
  isDelivered: true,
  complete: (): void => undefined,
} as const;

/** Both sides are there: runs the session; the failure where one of them has gone meanwhile. */
async function join(
  { attempts: { call, accepted }, startedMs }: Attempt,
  target: Target,
  admission: Admission,
  upgrade: Upgrade,
  opening: Opening,
): Promise<SendResult> {
  const upstream = opening.take();
  if (upstream === undefined) return failureOf(newFault("connect"), false);
  const client = acceptClient(call, upgrade);
  if (client === undefined) {
    closeSocket(upstream.socket, NORMAL, "");
    return aborted();
  }
  // An hour of talking is no longer a probe.
  call.context.health.succeeded(target.channel.id, startedMs);
  call.status = 101;
  return new Promise((resolve) => {
    const done = (end: AnswerEnd, isOwnFault: boolean): void => resolve({ ...NOTHING_MORE, target, end, isOwnFault });
    upgrade.onSession(new RealtimeSession(call, accepted, admission, target, client, upstream, done));
  });
}

/** One attempt at one channel: resolves with the failure, or once the session it became is over and posted. */
export async function openSession(
  attempt: Attempt,
  target: Target,
  { admission, upgrade }: { admission: Admission; upgrade: Upgrade },
): Promise<SendResult> {
  const { attempts } = attempt;
  const { call } = attempts;
  const startMs = call.elapsedMs;
  call.trace.target = target;
  const span = call.spans?.attempt(target);
  const opened = await openUpstream(attempt, target, span);
  const isOpen = opened instanceof Opening;
  noteTried(call, target, startMs, isOpen ? undefined : opened);
  if (isOpen) span?.answered();
  const result = isOpen ? await join(attempt, target, admission, upgrade, opened) : opened;
  span?.end(result);
  return result;
}
