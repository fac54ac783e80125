/** Tests of lingering close over real sockets: a client that sends more than is read still receives its response, and discarded bytes and time are bounded. */
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { type AddressInfo, type Socket, connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { closeUnlessRead, type LingerBounds } from "./listener.ts";

const MIB = 1024 * 1024;
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** A server that answers 413 without reading, or as the handler says; returns its port. */
async function start(bounds: LingerBounds, handle?: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    closeUnlessRead(request, response, bounds);
    if (handle === undefined) refuse(response);
    else handle(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return (server.address() as AddressInfo).port;
}

const refuse = (response: ServerResponse): void =>
  void response.writeHead(413, { "Content-Length": "9" }).end("too large");

interface Outcome {
  answer: string;
  sentBytes: number;
  error: string;
}

/** Sends the whole body before it looks at the answer, as simple clients do; stops where the connection is closed. */
async function upload(port: number, bytes: number, framing = `Content-Length: ${bytes}`): Promise<Outcome> {
  const socket = connect(port, "127.0.0.1");
  socket.pause();
  let error = "";
  socket.on("error", (fault: NodeJS.ErrnoException) => (error = fault.code ?? fault.message));
  socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\n${framing}\r\n\r\n`);
  const piece = Buffer.alloc(MIB, "a");
  let sentBytes = 0;
  while (sentBytes < bytes && (await written(socket, piece.subarray(0, bytes - sentBytes)))) sentBytes += piece.length;
  const answer = error === "" ? await readAll(socket) : "";
  return { answer, sentBytes, error };
}

const written = (socket: Socket, piece: Buffer): Promise<boolean> =>
  new Promise((resolve) => {
    socket.once("close", () => resolve(false));
    socket.write(piece, (fault) => resolve(fault === null || fault === undefined));
  });

function readAll(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    socket.on("data", (part: Buffer) => parts.push(part));
    socket.once("close", () => resolve(Buffer.concat(parts).toString()));
    socket.resume();
  });
}

const ROOM = { bytes: 64 * MIB, durationMs: 30_000 };

test("an upload that is refused at its head gets its answer after all was sent, and the connection ends", async () => {
  const outcome = await upload(await start(ROOM), 40 * MIB);
  expect(outcome.error).toBe("");
  expect(outcome.answer).toMatch(/^HTTP\/1\.1 413 [\s\S]*Connection: close[\s\S]*too large$/);
});

test("so does one that is refused while it is read, paused or not", async () => {
  for (const pauses of [true, false]) {
    const port = await start(ROOM, (request, response) => {
      request.once("data", () => {
        if (pauses) request.pause();
        refuse(response);
      });
    });
    const { error, answer } = await upload(port, 40 * MIB);
    expect({ pauses, error }).toEqual({ pauses, error: "" });
    expect(answer).toMatch(/^HTTP\/1\.1 413 [\s\S]*too large$/);
  }
});

test("no more is read than the bound", async () => {
  const outcome = await upload(await start({ ...ROOM, bytes: 2 * MIB }), 1024 * MIB);
  expect(outcome.error).not.toBe("");
  // What the kernel holds of both ends comes on top.
  expect(outcome.sentBytes).toBeLessThan(32 * MIB);
});

test("a sender that pauses is not waited for longer than the bound", async () => {
  const port = await start({ ...ROOM, durationMs: 50 });
  const socket = connect(port, "127.0.0.1");
  socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${MIB}\r\n\r\n`);
  expect(await readAll(socket)).toMatch(/too large$/);
});

test("a body that was read keeps its connection, and so does a small one that was not", async () => {
  const port = await start(ROOM, (request, response) => {
    const isLarge = Number(request.headers["content-length"]) > MIB;
    if (!isLarge) return void response.setHeader("Content-Length", "6").end("unread");
    request.resume();
    request.once("end", () => response.setHeader("Content-Length", "4").end("read"));
  });
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("data", (part) => (text += part.toString()));
  for (const [bytes, word] of [
    [2 * MIB, "read"],
    [1_000, "unread"],
    [2 * MIB, "read"],
  ] as const) {
    socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${bytes}\r\n\r\n`);
    socket.write(Buffer.alloc(bytes, "a"));
    await expect.poll(() => text).toMatch(new RegExp(`keep-alive[\\s\\S]*\r\n\r\n${word}$`));
    text = "";
  }
  socket.destroy();
});
