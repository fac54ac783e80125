/** Queues that the calls of one relay share: writes at the end of a tick, large pieces of work, and places of bounded number. */
import { setTimeout as delay } from "node:timers/promises";

/** Something with text for its client that is to be written. */
export interface Flushable {
  flush(): void;
}

/** Streams with something to write; all are written once at the end of the tick. */
export class FlushQueue {
  #waiting: Flushable[] = [];
  readonly #flushAll = (): void => {
    const streams = this.#waiting;
    this.#waiting = [];
    for (const stream of streams) stream.flush();
  };

  /** Has a stream flushed once; it adds itself again for what comes after that. */
  add(stream: Flushable): void {
    if (this.#waiting.push(stream) === 1) setImmediate(this.#flushAll);
  }
}

/** Work on less than this is done at once. */
const LARGE_BYTES = 262_144;

/** Large pieces of work that nothing can interrupt: one after the other, with pauses in which all other calls go on. */
export class PacedWork {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Does `work` on so many bytes; on many of them when those before it are done, and after it the process has as long for everything else
   * as it took: at most half of the time is spent so, however many ask. Rejects with what `work` throws.
   */
  run<Result>(bytes: number, work: () => Result): Promise<Result> | Result {
    if (bytes < LARGE_BYTES) return work();
    let tookMs = 0;
    const done = this.#last.then(() => {
      const startMs = performance.now();
      try {
        return work();
      } finally {
        tookMs = performance.now() - startMs;
      }
    });
    const pause = (): Promise<unknown> => delay(tookMs);
    this.#last = done.then(pause, pause);
    return done;
  }
}

/** Places for work of which only so much may be under way. */
export class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** @param count places, 1 or more. */
  constructor(count: number) {
    this.#free = count;
  }

  /** Does `work` where a place is free; undefined where none is. Rejects with what `work` rejects with. */
  now<Result>(work: () => Promise<Result>): Promise<Result> | undefined {
    if (this.#free === 0) return undefined;
    this.#free -= 1;
    return this.#held(work);
  }

  /**
   * Waits for a place, and does `work` in what is left of `limitMs` milliseconds by then; undefined where nothing is. Places are given in
   * the order of asking, so no wait is longer than the limit of those before. Rejects with what `work` rejects with.
   */
  async within<Result>(limitMs: number, work: (leftMs: number) => Promise<Result>): Promise<Result | undefined> {
    const endMs = performance.now() + limitMs;
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#held(async () => {
      const leftMs = endMs - performance.now();
      return leftMs > 0 ? work(leftMs) : undefined;
    });
  }

  /** Work that has its place; the place goes to the one that waits longest. */
  async #held<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
