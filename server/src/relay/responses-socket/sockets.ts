/** The sockets of /v1/responses of one process: their admission, their limits in number and time, and their end when the server stops. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { authenticate } from "../admission/authenticate.ts";
import { checkAddress } from "../admission/caller.ts";
import { shareOfUser } from "../admission/limits.ts";
import type { Call } from "../call/call.ts";
import { RelayError } from "../call/relay-error.ts";
import { writeRelayError } from "../call/respond.ts";
import { checkHandshake, handshakeCall } from "../realtime/realtime.ts";
import { harmlessProtocol } from "../request/paths.ts";
import { CLOSE, ResponsesSocket, type SocketRelay } from "./socket.ts";

/** Beyond these a client is sent to HTTP, which serves the same. */
const MAX_SOCKETS = 8_192;
const BOUNDS = {
  ofUser: 1_024,
  /** As OpenAI ends them (developers.openai.com/api/docs/guides/websocket-mode). */
  lifetimeMs: 60 * 60_000,
};
/** A socket that has not answered one ping at the next one is gone. */
const PING_MS = 30_000;

interface Open {
  userId: number;
  client: WebSocket;
  socket: ResponsesSocket;
  openedMs: number;
  isAlive: boolean;
}

export class ResponsesSockets {
  readonly #relay: SocketRelay;
  readonly #server: WebSocketServer;
  readonly #open = new Set<Open>();
  readonly #ofUsers = new Map<number, number>();
  readonly #bounds: typeof BOUNDS;
  #pings: NodeJS.Timeout | undefined = undefined;
  #isEnding = false;

  constructor(relay: SocketRelay) {
    this.#relay = relay;
    this.#bounds = relay.context.socketBounds ?? BOUNDS;
    this.#server = new WebSocketServer({
      noServer: true,
      maxPayload: relay.context.limits.bodyBytes,
      perMessageDeflate: false,
      clientTracking: false,
      handleProtocols: harmlessProtocol,
    });
  }

  /** Lets a client in whose key is good; what is refused is answered in HTTP. */
  async admit(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { context, endpoint } = this.#relay;
    const onSession = (): void => undefined;
    const handshake = { socket, head, onSession, isStopping: this.#isEnding };
    const { call, upgrade } = handshakeCall(context, request, endpoint, handshake);
    try {
      checkHandshake(call, handshake);
      const { user, token, address } = await authenticate(call, endpoint);
      checkAddress(token, address);
      this.#checkRoom(user.id);
      if (socket.destroyed) return;
      call.response.detachSocket(socket as never);
      this.#server.handleUpgrade(request, socket, upgrade.takeSocket(), (client) =>
        this.#opened(request, client, user.id),
      );
      socket.resume();
    } catch (error) {
      this.#refuse(call, error);
    }
  }

  #refuse({ requestId, response, dialect, context }: Call, error: unknown): void {
    if (!(error instanceof RelayError)) context.logger.error({ requestId, err: error }, "a handshake failed");
    const refusal = error instanceof RelayError ? error : new RelayError("internal_error");
    writeRelayError(response, requestId, refusal, true, dialect);
  }

  /** Throws RelayError 426, at which clients continue over HTTP at once. */
  #checkRoom(userId: number): void {
    const { ofUser } = this.#bounds;
    if (this.#open.size < MAX_SOCKETS && (this.#ofUsers.get(userId) ?? 0) < ofUser) return;
    throw new RelayError("upgrade_required", {
      message: `At most ${ofUser} sockets of a user may be open. Go on over HTTP.`,
    });
  }

  #opened(request: IncomingMessage, client: WebSocket, userId: number): void {
    const { context } = this.#relay;
    const share = { shares: context.requestShares, userId, shareBytes: shareOfUser(context) };
    const socket = new ResponsesSocket(this.#relay, request, client, share);
    const open: Open = { userId, client, socket, openedMs: performance.now(), isAlive: true };
    this.#open.add(open);
    this.#ofUsers.set(userId, (this.#ofUsers.get(userId) ?? 0) + 1);
    this.#pings ??= setInterval(() => this.#look(), Math.min(PING_MS, this.#bounds.lifetimeMs)).unref();
    client.on("pong", () => (open.isAlive = true));
    client.on("close", () => this.#closed(open));
    if (this.#isEnding) socket.finish(CLOSE.goingAway, new RelayError("server_stopping"));
  }

  #closed(open: Open): void {
    this.#open.delete(open);
    const left = (this.#ofUsers.get(open.userId) ?? 1) - 1;
    if (left > 0) this.#ofUsers.set(open.userId, left);
    else this.#ofUsers.delete(open.userId);
    if (this.#open.size > 0) return;
    clearInterval(this.#pings);
    this.#pings = undefined;
  }

  /** Ends what has gone without a word or is an hour old; answers under way end first. */
  #look(): void {
    const nowMs = performance.now();
    for (const open of this.#open) {
      if (!open.isAlive) {
        open.client.terminate();
        continue;
      }
      open.isAlive = false;
      open.client.ping();
      if (nowMs - open.openedMs >= this.#bounds.lifetimeMs)
        open.socket.finish(CLOSE.normal, new RelayError("websocket_connection_limit_reached"));
    }
  }

  /** Lets answers under way end for `graceSeconds` at most; resolves when every socket is closed. */
  async end(graceSeconds: number): Promise<void> {
    this.#isEnding = true;
    const closed = [...this.#open].map(({ client }) => new Promise((resolve) => client.once("close", resolve)));
    for (const { socket } of this.#open) socket.finish(CLOSE.goingAway, new RelayError("server_stopping"));
    // Calls that are stopped then still end their answers with an event.
    const timer = setTimeout(
      () => {
        for (const { client } of this.#open) client.terminate();
      },
      graceSeconds * 1000 + END_MS,
    );
    await Promise.all(closed);
    clearTimeout(timer);
  }
}

/** What the last events and the closing handshake may take behind the grace. */
const END_MS = 2_000;
