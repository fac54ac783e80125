/**
 * The model provider of the benchmark: a bare TCP server that speaks just enough HTTP/1.1 to answer chat completions
 * with bytes prepared beforehand, so that it costs far less than any gateway before it. Runs as its own process; the
 * message `{chunks, paceMs}` sets how streams are paced.
 */
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { chunkFrame, closingFrames, completionResponse, streamHead } from "./answers.ts";

/** How the next streams run: number of content chunks and time between two of them. */
export interface StreamPace {
  readonly chunks: number;
  readonly paceMs: number;
}

const HEAD_END = Buffer.from("\r\n\r\n");
const LAST_CHUNK = Buffer.from("\r\n0\r\n\r\n");
const STREAM_MARK = Buffer.from('"stream":true');
let pace: StreamPace = { chunks: 20, paceMs: 50 };

/** Byte length of the first whole request in the bytes, or 0 when more has to come. */
function requestLength(bytes: Buffer): number {
  const headLength = bytes.indexOf(HEAD_END) + HEAD_END.length;
  if (headLength < HEAD_END.length) return 0;
  const head = bytes.toString("latin1", 0, headLength);
  const declared = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (declared === undefined) return chunkedLength(bytes, head, headLength);
  const length = headLength + Number(declared);
  return bytes.length >= length ? length : 0;
}

function chunkedLength(bytes: Buffer, head: string, headLength: number): number {
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) return headLength;
  const end = bytes.indexOf(LAST_CHUNK, headLength);
  return end < 0 ? 0 : end + LAST_CHUNK.length;
}

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

function serve(socket: Socket): void {
  let pending: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on("error", () => socket.destroy()); // a load generator resets its connections when its time is up
  socket.on("data", (data: Buffer) => {
    pending = pending.length === 0 ? data : Buffer.concat([pending, data]);
    for (let length = requestLength(pending); length > 0; length = requestLength(pending)) {
      answer(socket, pending.subarray(0, length));
      pending = pending.subarray(length);
    }
  });
}

process.on("message", (message: StreamPace) => {
  pace = message;
  process.send?.("paced");
});
process.on("disconnect", () => process.exit(0));

const server = createServer(serve);
server.listen({ port: 0, host: "127.0.0.1", backlog: 2048 }, () => {
  const { port } = server.address() as AddressInfo;
  process.send?.(port);
});
