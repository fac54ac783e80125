/** What passes through a realtime session, and the upstream's side of it once that is open. */
import type { WebSocket } from "ws";

export interface Frame {
  data: Buffer;
  isBinary: boolean;
}

/** An upstream that is open, and what it has said already. */
export interface OpenUpstream {
  socket: WebSocket;
  frames: readonly Frame[];
}
