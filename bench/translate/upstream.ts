/**
 * The provider of `npm run bench -- translate`, a process of its own: streams in two formats that start, pause and finish on order. Each message
 * (`UpstreamOrder`) is answered with the number of tokens sent so far.
 */
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { streamHead } from "../provider/answers.ts";
import { eachRequest } from "../provider/requests.ts";
import type { StreamShape, UpstreamOrder } from "./processes.ts";
import { httpChunk, scriptFor, wordFrame } from "./wire.ts";
import { freePort } from "../machine/children.ts";

interface Stream {
  write(): void;
  finish(): void;
}

let shape: StreamShape = { paceMs: 100, eventsPerWrite: 1 };
let sent = 0;
const streams = new Set<Stream>();
/** Streams by the millisecond of the pace in which they write: a place at random, as callers come. */
let places: Set<Stream>[] = [];

function answer(socket: Socket, request: Buffer): void {
  const script = scriptFor(request);
  let words = 0;
  const nextWords = (count: number): string => {
    let frames = "";
    for (let made = 0; made < count; made += 1) frames += wordFrame(script, words++);
    sent += count;
    return frames;
  };
  const stream: Stream = {
    write: () => void socket.write(httpChunk(nextWords(shape.eventsPerWrite))),
    finish() {
      leave();
      socket.write(`${script.closing.map(httpChunk).join("")}0\r\n\r\n`);
    },
  };
  const place = places[Math.floor(Math.random() * places.length)];
  const leave = (): void => {
    streams.delete(stream);
    place?.delete(stream);
    socket.off("close", leave);
  };
  socket.once("close", leave);
  streams.add(stream);
  place?.add(stream);
  socket.write(streamHead + script.opening.map(httpChunk).join("") + httpChunk(nextWords(1)));
}

let clock: NodeJS.Timeout | undefined;

/** Every millisecond, those whose place has come; a late timer makes up for what it missed, up to one write of each stream. */
function go(): void {
  let next = Math.floor(performance.now());
  clock ??= setInterval(() => {
    const now = Math.floor(performance.now());
    next = Math.max(next, now - places.length + 1);
    for (; next <= now; next += 1) for (const stream of places[next % places.length] ?? []) stream.write();
  }, 1);
}

function pause(): void {
  clearInterval(clock);
  clock = undefined;
}

function obey(order: UpstreamOrder): void {
  if (order === "go") go();
  else if (order === "pause") pause();
  else if (order === "finish") for (const stream of streams) stream.finish();
  else if (order !== "count") {
    shape = order;
    places = Array.from({ length: order.paceMs }, () => new Set());
  }
}

process.on("message", (order: UpstreamOrder) => {
  obey(order);
  process.send?.(sent);
});
process.on("disconnect", () => process.exit(0));

const server = createServer((socket) => eachRequest(socket, answer));
server.listen({ port: await freePort(), host: "127.0.0.1", backlog: 2048 }, () => {
  const { port } = server.address() as AddressInfo;
  process.send?.(port);
});
