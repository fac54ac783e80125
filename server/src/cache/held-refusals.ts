/** Delays the responses of callers that are refused repeatedly (a tarpit against tight retry loops); other callers are not affected. */
import type { Clock } from "../util/clock.ts";
import { LruMap } from "../util/lru.ts";

/** Refusals in a minute that are sent at once: programs that retry a few times are no attack. */
const AT_ONCE = 20;
const MEMORY_MS = 60_000;
const PAUSE_MS = 1_000;
/** Concurrently delayed refusals of one caller; further ones are sent at once, which costs less than to hold them. */
const HELD_MOST = 32;
/** Maximum number of remembered callers; beyond it the one refused least recently is forgotten. */
const CALLERS_KEPT = 1_000;

interface Refused {
  count: number;
  sinceMs: number;
  held: number;
}

export class HeldRefusals {
  readonly #callers = new LruMap<string | number, Refused>(CALLERS_KEPT);
  readonly #clock: Clock;

  /** `clock` returns monotonic milliseconds. */
  constructor(clock: Clock = () => performance.now()) {
    this.#clock = clock;
  }

  /** The number of remembered callers. */
  get size(): number {
    return this.#callers.size;
  }

  #of(caller: string | number): Refused {
    const now = this.#clock();
    const known = this.#callers.get(caller);
    const refused = known ?? { count: 0, sinceMs: now, held: 0 };
    if (now - refused.sinceMs > MEMORY_MS) Object.assign(refused, { count: 0, sinceMs: now });
    this.#callers.set(caller, refused);
    return refused;
  }

  /** Counts a refusal; returns a promise that resolves when its response may be sent, undefined for at once. `whenGone` cancels the delay. */
  hold(caller: string | number, whenGone: (end: () => void) => void): Promise<void> | undefined {
    const refused = this.#of(caller);
    refused.count += 1;
    if (refused.count <= AT_ONCE || refused.held >= HELD_MOST) return undefined;
    refused.held += 1;
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const end = (): void => {
        if (timer === undefined) return;
        clearTimeout(timer);
        timer = undefined;
        refused.held -= 1;
        resolve();
      };
      timer = setTimeout(end, PAUSE_MS);
      whenGone(end);
    });
  }
}
