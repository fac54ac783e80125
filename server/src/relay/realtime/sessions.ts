/** The realtime sessions of this process, so that a server that stops can end them and wait for their books. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { RelayContext } from "./exchange.ts";
import type { CallPath } from "./paths.ts";
import type { RealtimeSession } from "./realtime-session.ts";
import { runRealtime } from "./realtime.ts";

interface Running {
  socket: Duplex;
  /** Undefined until both sides are open. */
  session: RealtimeSession | undefined;
  over: Promise<void>;
}

export class RealtimeSessions {
  readonly #running = new Set<Running>();
  #isEnding = false;

  /** Lets a session in and follows it to its end. */
  run(context: RelayContext, request: IncomingMessage, asked: CallPath, socket: Duplex, head: Buffer): void {
    const running: Running = { socket, session: undefined, over: Promise.resolve() };
    const onSession = (session: RealtimeSession): void => {
      running.session = session;
      if (this.#isEnding) session.finish();
    };
    this.#running.add(running);
    running.over = runRealtime(context, request, asked, {
      socket,
      head,
      onSession,
      isStopping: this.#isEnding,
    }).finally(() => void this.#running.delete(running));
  }

  /** Lets answers under way end for `graceSeconds` at most; resolves when every session is over and booked. */
  async end(graceSeconds: number): Promise<void> {
    this.#isEnding = true;
    for (const { session } of this.#running) session?.finish();
    const timer = setTimeout(() => this.#stop(), graceSeconds * 1000);
    await Promise.all([...this.#running].map(({ over }) => over));
    clearTimeout(timer);
  }

  /** Handshakes that are not through are given up. */
  #stop(): void {
    for (const { session, socket } of this.#running) {
      if (session === undefined) socket.destroy();
      else session.stop();
    }
  }
}
