/** One direction of a realtime session: messages in their order, with back-pressure, and close codes that may be sent. */
import { WebSocket } from "ws";

/** Above this the source is paused until the target has sent what it was given. */
const HIGH_BYTES = 1_048_576;
const LOW_BYTES = 262_144;

/** Codes that stand for something that happened and may not be sent (RFC 6455 section 7.4.1). */
const UNSENDABLE: Readonly<Record<number, number>> = { 1004: 1000, 1005: 1000, 1006: 1011, 1015: 1011 };

/** A code that may be sent in place of the one that was seen. */
export function sendableCode(code: number): number {
  const other = UNSENDABLE[code];
  if (other !== undefined) return other;
  return (code >= 1000 && code <= 1014) || (code >= 3000 && code <= 4999) ? code : 1000;
}

/** Longest reason a close frame has room for. */
const REASON_BYTES = 123;
/** For the other side to take what is still on its way to it, and to answer. */
const CLOSE_WAIT_MS = 5_000;

/** Closes, and cuts the connection where the other side does not answer that. */
export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  if (socket.readyState === WebSocket.CLOSED) return;
  if (socket.isPaused) socket.resume();
  const bytes = Buffer.from(reason);
  socket.close(sendableCode(code), bytes.length > REASON_BYTES ? "" : bytes);
  const timer = setTimeout(() => socket.terminate(), CLOSE_WAIT_MS);
  socket.once("close", () => clearTimeout(timer));
}

/** Hands messages to `to`; `pause` is called with whether the source should pause. */
export class Outlet {
  readonly #to: WebSocket;
  readonly #pause: (shouldPause: boolean) => void;
  #isResting = false;
  #hasMoved = false;

  constructor(to: WebSocket, pause: (shouldPause: boolean) => void) {
    this.#to = to;
    this.#pause = pause;
  }

  send(data: Buffer, isBinary: boolean): void {
    if (this.#to.readyState !== WebSocket.OPEN) return;
    this.#to.send(data, { binary: isBinary }, () => this.#sent());
    if (this.#isResting || this.#to.bufferedAmount <= HIGH_BYTES) return;
    this.#isResting = true;
    this.#pause(true);
  }

  #sent(): void {
    if (!this.#isResting) return;
    this.#hasMoved = true;
    if (this.#to.bufferedAmount > LOW_BYTES) return;
    this.#isResting = false;
    this.#pause(false);
  }

  /** True where a target that is behind has taken something since this was asked last: it is slow, not gone. */
  takeMoved(): boolean {
    const hasMoved = this.#hasMoved;
    this.#hasMoved = false;
    return hasMoved;
  }
}

/** A side that is not heard for so long after a ping is gone. */
const PING_MS = 30_000;

/** Looks whether both sides of a session still live, and cuts the connection of one that does not. */
export class Heartbeat {
  readonly #sides: readonly { socket: WebSocket; outlet: Outlet; isHeard: boolean }[];
  readonly #timer: NodeJS.Timeout;

  constructor(sides: readonly { socket: WebSocket; outlet: Outlet }[], everyMs = PING_MS) {
    this.#sides = sides.map((side) => ({ ...side, isHeard: true }));
    for (const side of this.#sides) {
      const heard = (): void => void (side.isHeard = true);
      side.socket.on("pong", heard).on("message", heard);
    }
    this.#timer = setInterval(() => this.beat(), everyMs);
  }

  /** Looks once; its own timer calls it. */
  beat(): void {
    for (const side of this.#sides) {
      const { socket, outlet } = side;
      // A side that is paused cannot be heard, and one that is behind has not come to the ping yet.
      const isExcused = outlet.takeMoved() || socket.isPaused;
      if (!side.isHeard && !isExcused) socket.terminate();
      side.isHeard = isExcused;
      if (socket.readyState === WebSocket.OPEN && !socket.isPaused) socket.ping();
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
