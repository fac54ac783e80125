/**
 * The load client of `npm run bench -- translate`, a process of its own: opens streams and reads their text until the provider finishes them. Takes
 * orders (`ClientOrder`) one after the other and answers each.
 */
import { Agent, request } from "node:http";
import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { eachStamp, monotonicMicroseconds } from "../provider/answers.ts";
import type { ClientAnswer, ClientOrder, Opening } from "./processes.ts";
import { type ClientFormat, STAMP_MARKS, callOf, carryBytes } from "./wire.ts";

/** One stream of so many calls a tool. */
const TOOL_EVERY = 5;
/** What each format's stream ends with. */
const ENDS = {
  chat: "[DONE]",
  messages: "message_stop",
  responses: "response.completed",
  gemini: "finishReason",
} as const;

const agent = new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: 4096 });
const streams: Promise<void>[] = [];
/** Answers whose end event was seen. */
const ended = new WeakSet<IncomingMessage>();
let delaysMs: number[] = [];
let words = 0;
let failures = 0;

/** Opens the streams one after the other; resolves when each has its first token, with the times from call to token. */
async function open({ streams: count, intervalMs, ...call }: Opening): Promise<number[]> {
  const firsts: Promise<number>[] = [];
  const begin = performance.now();
  while (firsts.length < count) {
    const due = Math.min(count, Math.floor((performance.now() - begin) / intervalMs) + 1);
    while (firsts.length < due) firsts.push(openOne(call, firsts.length));
    await delay(1);
  }
  return (await Promise.all(firsts)).filter((milliseconds) => !Number.isNaN(milliseconds));
}

/** Milliseconds to the first token; NaN for a stream that failed before, which is counted. */
function openOne({ port, headers, format, model }: Omit<Opening, "streams" | "intervalMs">, index: number) {
  const { path, body } = callOf(format, model, index % TOOL_EVERY === TOOL_EVERY - 1);
  const length = Buffer.byteLength(body);
  const first = Promise.withResolvers<number>();
  const end = Promise.withResolvers<void>();
  const fail = (): void => {
    failures += 1;
    first.resolve(Number.NaN);
    end.resolve();
  };
  const begin = monotonicMicroseconds();
  const sent = request(
    {
      host: "127.0.0.1",
      port,
      path,
      method: "POST",
      agent,
      headers: { ...headers, "content-type": "application/json", "content-length": length },
    },
    (answer) => {
      receive(answer, format, (at) => first.resolve((at - begin) / 1000));
      answer.on("error", fail);
      answer.on("end", () => (answer.statusCode === 200 && ended.has(answer) ? end.resolve() : fail()));
    },
  );
  sent.on("error", fail);
  sent.end(body);
  streams.push(end.promise);
  return first.promise;
}

/** Reads a stream. A stamp or the end event may be cut, so the end of each piece is read again with the next one. */
function receive(answer: IncomingMessage, format: ClientFormat, onWord: (at: number) => void): void {
  const mark = STAMP_MARKS[format];
  let carried: Buffer = Buffer.alloc(0);
  answer.on("data", (piece: Buffer) => {
    const now = monotonicMicroseconds();
    const bytes = carried.length === 0 ? piece : Buffer.concat([carried, piece]);
    const found = (sentAt: number): void => {
      onWord(now);
      delaysMs.push((now - sentAt) / 1000);
      words += 1;
    };
    eachStamp(bytes, found, mark);
    if (bytes.includes(ENDS[format])) ended.add(answer);
    carried = bytes.subarray(Math.max(0, bytes.length - carryBytes(mark)));
  });
}

function takeDelays(): number[] {
  const taken = delaysMs;
  delaysMs = [];
  return taken;
}

async function obey(order: ClientOrder): Promise<ClientAnswer> {
  if (typeof order === "object") return { milliseconds: await open(order), words, failures };
  if (order === "close") await Promise.all(streams);
  return { milliseconds: takeDelays(), words, failures };
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
