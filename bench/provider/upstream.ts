/**
 * The model provider of the benchmark: a bare TCP server that speaks just enough HTTP/1.1 to answer chat completions
 * with bytes prepared beforehand, so that it costs far less than any gateway before it. Runs as its own process; the
 * message `{chunks, paceMs}` sets how streams are paced.
 */
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { chunkFrame, closingFrames, completionResponse, streamHead } from "./answers.ts";
import { eachRequest } from "./requests.ts";
import { freePort } from "../machine/children.ts";

/** How the next streams run: number of content chunks and time between two of them. */
export interface StreamPace {
  readonly chunks: number;
  readonly paceMs: number;
}

const STREAM_MARK = Buffer.from('"stream":true');
let pace: StreamPace = { chunks: 20, paceMs: 50 };

function answer(socket: Socket, request: Buffer): void {
  if (request.includes(STREAM_MARK)) answerStream(socket, pace);
  else socket.write(completionResponse);
}

/** Writes the first chunk with the head at once, then one chunk a pace, then finish, usage and [DONE] together. */
function answerStream(socket: Socket, { chunks, paceMs }: StreamPace): void {
  socket.write(streamHead + chunkFrame());
  let sent = 1;
  const step = (): void => {
    if (socket.destroyed) return clearInterval(timer);
    if (sent < chunks) socket.write(chunkFrame());
    else finish();
    sent += 1;
  };
  const finish = (): void => {
    clearInterval(timer);
    socket.write(closingFrames(chunks));
  };
  const timer = setInterval(step, paceMs);
}

process.on("message", (message: StreamPace) => {
  pace = message;
  process.send?.("paced");
});
process.on("disconnect", () => process.exit(0));

const server = createServer((socket) => eachRequest(socket, answer));
server.listen({ port: await freePort(), host: "127.0.0.1", backlog: 2048 }, () => {
  const { port } = server.address() as AddressInfo;
  process.send?.(port);
});
