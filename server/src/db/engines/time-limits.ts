/** Timeouts of database drivers, for both that connect to a server: a frozen server must not block a caller forever. */
import type { Duplex } from "node:stream";
import { Socket } from "node:net";
import { endsWithin } from "../../util/deadline.ts";

export interface TimeLimits {
  /** Longest wait for a connection, new or pooled. */
  connectMs: number;
  /** Longest silence of a connection in use. */
  answerMs: number;
  /** Timeout of statements of user queries (questions.ts). */
  questionMs: number;
}

/** Longer than the servers' own statement timeouts: only a frozen server reaches it. */
export const TIME_LIMITS: TimeLimits = Object.freeze({ connectMs: 5_000, answerMs: 35_000, questionMs: 5_000 });
/** For closing every connection. */
const CLOSE_TIMEOUT_MS = 500;

/** With a code that marks the error as retryable (isRetryable). */
export function timeoutError(message: string): Error {
  return Object.assign(new Error(message), { code: "ETIMEDOUT" });
}

const watched = new WeakSet<Socket>();

/**
 * Limits the silence of a connection in use: it is destroyed, and everything that waits on it fails at once. `timeoutMs` 0
 * removes the limit, for a connection that is idle in the pool.
 */
export function limitSilence(stream: Duplex, timeoutMs: number): void {
  if (!(stream instanceof Socket)) return;
  stream.setTimeout(timeoutMs);
  if (watched.has(stream)) return;
  watched.add(stream);
  stream.once("timeout", () => stream.destroy(timeoutError("The database does not answer")));
}

/**
 * Ends a pool; if its server does not respond, its connections stay open until the process ends. For a connection that is lost already
 * nothing is left to close, and `onLost` is called.
 */
export async function closeInTime(close: Promise<unknown>, onLost: (error: Error) => void): Promise<void> {
  await endsWithin(close.catch(onLost), CLOSE_TIMEOUT_MS);
}
