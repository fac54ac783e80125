/** Just enough of HTTP/1.1 for the benchmark's providers: whole requests out of a socket's bytes. */
import type { Socket } from "node:net";

const HEAD_END = Buffer.from("\r\n\r\n");
const LAST_CHUNK = Buffer.from("\r\n0\r\n\r\n");

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

/** Calls `answer` with each whole request that comes on the connection, head and body together. */
export function eachRequest(socket: Socket, answer: (socket: Socket, request: Buffer) => void): void {
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
