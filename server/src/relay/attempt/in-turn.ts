/** Large pieces of work that nothing can interrupt: one after the other, with pauses in which all other calls go on. */
import { setTimeout as delay } from "node:timers/promises";

/** Work on less than this is done at once. */
const LARGE_BYTES = 262_144;

let line: Promise<unknown> = Promise.resolve();

/**
 * Does `work` on so many bytes; on many of them when those before it are done, and after it the process has as long for everything else
 * as it took: at most half of the time is spent so, however many ask. Rejects with what `work` throws.
 */
export function inTurn<T>(bytes: number, work: () => T): Promise<T> | T {
  if (bytes < LARGE_BYTES) return work();
  let tookMs = 0;
  const done = line.then(() => {
    const startMs = performance.now();
    try {
      return work();
    } finally {
      tookMs = performance.now() - startMs;
    }
  });
  const pause = (): Promise<unknown> => delay(tookMs);
  line = done.then(pause, pause);
  return done;
}
