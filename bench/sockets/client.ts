/**
 * The load client of `npm run bench -- sockets`, a process of its own: holds sockets of /v1/responses open, and asks over them and over plain HTTP in
 * turn. Takes orders (`ClientOrder`) one after the other and answers each.
 */
import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";

/** `open` opens so many sockets, `ask` begins so many calls of each kind, one pair every `everyMs`, and no more once `withinMs` are over. */
export type ClientOrder =
  | { kind: "open"; url: string; key: string; model: string; sockets: number }
  | { kind: "ask"; calls: number; everyMs: number; withinMs: number }
  | { kind: "close" };

/** Milliseconds from a call to its first event, by kind, and calls without an end. */
export interface ClientAnswer {
  readonly socketMs: number[];
  readonly httpMs: number[];
  /** How often a call was not answered to its end, by what came instead. */
  readonly failures: Readonly<Record<string, number>>;
}

/** Sockets whose handshakes are under way at a time. */
const HANDSHAKES = 20;
const CALL_TIMEOUT_MS = 60_000;
const QUESTION = "What is a turnpike, and why would somebody name a gateway after one?";

/** Neither kind makes connections while it is measured. */
const agent = new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: 4096 });
let target = { url: "", key: "", model: "" };
let sockets: WebSocket[] = [];
let failures: Record<string, number> = {};

/** Counts a call without an end; gives what stands for its time. */
function failed(reason: string): number {
  failures[reason] = (failures[reason] ?? 0) + 1;
  return Number.NaN;
}

/** The code of an error in an answer or an event. */
const codeIn = (text: string): string => /"code":"(\w+)"/.exec(text)?.[1] ?? text.slice(0, 80);

async function open(count: number): Promise<void> {
  const headers = { authorization: `Bearer ${target.key}` };
  const openOne = (): Promise<WebSocket> =>
    new Promise((resolve, reject) => {
      const url = `${target.url.replace("http", "ws")}/v1/responses`;
      const socket = new WebSocket(url, { headers, perMessageDeflate: false });
      socket.once("open", () => resolve(socket)).once("error", reject);
    });
  while (sockets.length < count) {
    const size = Math.min(HANDSHAKES, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: size }, openOne))));
  }
}

/** Milliseconds to the first event; NaN where the answer has no end in time. */
function askSocket(socket: WebSocket): Promise<number> {
  const begin = performance.now();
  const { promise, resolve } = Promise.withResolvers<number>();
  let firstMs = Number.NaN;
  const over = (ms: number): void => {
    clearTimeout(timer);
    socket.off("message", read);
    resolve(ms);
  };
  const read = (data: Buffer): void => {
    if (Number.isNaN(firstMs)) firstMs = performance.now() - begin;
    const text = data.toString("latin1");
    if (text.includes('"type":"response.completed"')) over(firstMs);
    else if (text.startsWith('{"type":"error"') || text.includes('"type":"response.failed"'))
      over(failed(codeIn(text)));
  };
  const timer = setTimeout(() => over(failed("no end in time")), CALL_TIMEOUT_MS);
  socket.on("message", read);
  socket.send(JSON.stringify({ type: "response.create", model: target.model, input: QUESTION, store: false }));
  return promise;
}

/** The same over HTTP. */
function askHttp(): Promise<number> {
  const begin = performance.now();
  const body = JSON.stringify({ model: target.model, input: QUESTION, store: false, stream: true });
  const headers = {
    authorization: `Bearer ${target.key}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  };
  const options = { method: "POST", agent, headers, timeout: CALL_TIMEOUT_MS };
  return new Promise((resolve) => {
    const asked = request(`${target.url}/v1/responses`, options, (answer) => {
      let firstMs = Number.NaN;
      let tail = "";
      answer.on("data", (piece: Buffer) => {
        if (Number.isNaN(firstMs)) firstMs = performance.now() - begin;
        tail = tail.slice(-4_096) + piece.toString("latin1");
      });
      answer.on("end", () => resolve(tail.includes("event: response.completed") ? firstMs : failed(codeIn(tail))));
      answer.on("error", ({ message }) => resolve(failed(message)));
    });
    asked.on("timeout", () => asked.destroy());
    asked.on("error", ({ message }) => resolve(failed(message)));
    asked.end(body);
  });
}

/** One call of each kind every `everyMs`, the one first in turn; a machine that stood still is not made up for, since a burst would measure the queue. */
async function ask({ calls, everyMs, withinMs }: ClientOrder & { kind: "ask" }): Promise<ClientAnswer> {
  const socketTimes: Promise<number>[] = [];
  const httpTimes: Promise<number>[] = [];
  failures = {};
  const endMs = performance.now() + withinMs;
  const overSocket = (index: number): void => {
    const socket = sockets[index % sockets.length];
    if (socket !== undefined) socketTimes.push(askSocket(socket));
  };
  for (let index = 0; index < calls && performance.now() < endMs; index += 1) {
    await delay(everyMs);
    if (index % 2 === 0) overSocket(index);
    httpTimes.push(askHttp());
    if (index % 2 === 1) overSocket(index);
  }
  const [socketMs, httpMs] = await Promise.all([Promise.all(socketTimes), Promise.all(httpTimes)]);
  const isEnded = (ms: number): boolean => !Number.isNaN(ms);
  return { socketMs: socketMs.filter(isEnded), httpMs: httpMs.filter(isEnded), failures };
}

async function close(): Promise<void> {
  const closed = sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
  for (const socket of sockets) socket.close();
  await Promise.all(closed);
  sockets = [];
  agent.destroy();
}

async function obey(order: ClientOrder): Promise<ClientAnswer> {
  if (order.kind === "ask") return ask(order);
  if (order.kind === "close") await close();
  else {
    target = order;
    await open(order.sockets);
  }
  return { socketMs: [], httpMs: [], failures };
}

process.on("message", (order: ClientOrder) => {
  obey(order).then(
    (answer) => process.send?.(answer),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
process.on("disconnect", () => process.exit(0));
