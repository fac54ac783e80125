/** The realtime sessions of this process, so that a server that stops can end them and wait for their settlements. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { RelayContext } from "../call/context.ts";
import type { Endpoint } from "../request/paths.ts";
import type { RealtimeSession } from "./session.ts";
import type { Handshake } from "./realtime.ts";

interface Running {
  socket: Duplex;
  /** Undefined until both sides are open. */
  session: RealtimeSession | undefined;
  over: Promise<void>;
}

/** Runs one session to its end; never rejects. */
type RunSession = (
  context: RelayContext,
  request: IncomingMessage,
  endpoint: Endpoint,
  handshake: Handshake,
) => Promise<void>;

export class RealtimeSessions {
  readonly #runSession: RunSession;
  readonly #running = new Set<Running>();
  #isEnding = false;

  constructor(runSession: RunSession) {
    this.#runSession = runSession;
  }

  /** Lets a session in and follows it to its end. */
  run(context: RelayContext, request: IncomingMessage, endpoint: Endpoint, socket: Duplex, head: Buffer): void {
    const running: Running = { socket, session: undefined, over: Promise.resolve() };
    const onSession = (session: RealtimeSession): void => {
      running.session = session;
      if (this.#isEnding) session.finish();
    };
    this.#running.add(running);
    running.over = this.#runSession(context, request, endpoint, {
      socket,
      head,
      onSession,
      isStopping: this.#isEnding,
    }).finally(() => void this.#running.delete(running));
  }

  /** Lets answers under way end for `graceSeconds` at most; resolves when every session is over and posted. */
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
