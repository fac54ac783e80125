/**
 * The benchmark's own load client, a process of its own: starts calls at a fixed rate regardless of the answers, and reports how long each took and
 * how late each streamed chunk came. One message in (`Load`), one message out (`LoadResult`).
 */
import { Agent, request } from "node:http";
import type { IncomingMessage } from "node:http";
import { STAMP_CARRY_BYTES, eachStamp, monotonicMicroseconds, requestBody } from "../provider/answers.ts";
import { CHAT_PATH } from "../gateways/gateway.ts";
import type { Load, LoadResult, Spread } from "./load.ts";
import { quantile } from "../run/statistics.ts";

const DONE = "data: [DONE]";
/** Longer than the longest run, so that a hanging gateway ends as a failure and not as a hanging benchmark. */
const CALL_TIMEOUT_MS = 60_000;

interface Tally {
  failures: number;
  chunks: number;
  readonly firstMs: number[];
  readonly lastMs: number[];
  readonly delayMs: number[];
}

/** Starts every call when its time comes, counted from the beginning, and resolves when all have ended. */
async function run(load: Load): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: 4096 });
  const tally: Tally = { failures: 0, chunks: 0, firstMs: [], lastMs: [], delayMs: [] };
  const body = requestBody(load.stream);
  const calls: Promise<void>[] = [];
  const begin = performance.now();
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(load.calls, Math.floor((performance.now() - begin) / load.intervalMs) + 1);
      while (calls.length < due) calls.push(call(load, agent, body, tally));
      if (calls.length < load.calls) return;
      clearInterval(timer);
      resolve();
    }, 1);
  });
  await Promise.all(calls);
  agent.destroy();
  return summary(tally);
}

/** One call; never rejects, a failure is counted. */
function call(load: Load, agent: Agent, body: string, tally: Tally): Promise<void> {
  const headers = { ...load.headers, "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const begin = monotonicMicroseconds();
  return new Promise((resolve) => {
    const fail = (): void => {
      tally.failures += 1;
      resolve();
    };
    const options = {
      host: "127.0.0.1",
      port: load.port,
      path: CHAT_PATH,
      method: "POST",
      agent,
      headers,
      timeout: CALL_TIMEOUT_MS,
    };
    const sent = request(options, (answer) => receive(answer, load.stream, begin, tally, resolve, fail));
    sent.on("timeout", () => sent.destroy(new Error("no answer in time")));
    sent.on("error", fail);
    sent.end(body);
  });
}

/** A chunk may be cut anywhere on its way, so the end of each piece is looked at again together with the next one. */
function receive(
  answer: IncomingMessage,
  stream: boolean,
  begin: number,
  tally: Tally,
  resolve: () => void,
  fail: () => void,
): void {
  let tail: Buffer = Buffer.alloc(0);
  let firstAt = 0;
  answer.on("data", (piece: Buffer) => {
    const now = monotonicMicroseconds();
    const bytes = tail.length === 0 ? piece : Buffer.concat([tail, piece]);
    if (stream) {
      eachStamp(bytes, (sentAt) => {
        if (firstAt === 0) firstAt = now;
        tally.delayMs.push((now - sentAt) / 1000);
        tally.chunks += 1;
      });
    }
    tail = bytes.subarray(Math.max(0, bytes.length - STAMP_CARRY_BYTES));
  });
  answer.on("error", fail);
  answer.on("end", () => {
    const complete = answer.statusCode === 200 && answer.complete && (!stream || tail.includes(DONE));
    if (!complete) return fail();
    const end = monotonicMicroseconds();
    tally.firstMs.push(((firstAt || end) - begin) / 1000);
    tally.lastMs.push((end - begin) / 1000);
    resolve();
  });
}

function summary(tally: Tally): LoadResult {
  const { failures, chunks, firstMs, lastMs, delayMs } = tally;
  return { failures, chunks, first: spread(firstMs), last: spread(lastMs), chunkDelay: spread(delayMs) };
}

function spread(milliseconds: readonly number[]): Spread {
  if (milliseconds.length === 0) return { p50: Number.NaN, p99: Number.NaN, max: Number.NaN };
  return { p50: quantile(milliseconds, 0.5), p99: quantile(milliseconds, 0.99), max: quantile(milliseconds, 1) };
}

process.once("message", (load: Load) => {
  run(load).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
