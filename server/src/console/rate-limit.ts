/** Limits of the console for each client address: a sliding log of accepted calls, in this process or handed in by the cache. */

export interface LimitDecision {
  isAllowed: boolean;
  /** Whole seconds until a slot is free; 0 when allowed. */
  retryAfterSeconds: number;
}

export interface RateLimiter {
  /** Takes one of `count` slots of `key` in the last `windowSeconds`; a refused call takes none. */
  take(key: string, count: number, windowSeconds: number): Promise<LimitDecision> | LimitDecision;
}

/** Spec reference section 3: one shared bucket for all critical endpoints. */
export const CRITICAL_LIMIT = { count: 20, durationSeconds: 1200 } as const;

/** Keys kept at most; the one unused for longest goes first, so that a flood of addresses cannot fill the memory. */
const MAXIMUM_KEYS = 50_000;

/** The limiter of one process. `clock` gives Unix milliseconds. */
export function createMemoryRateLimiter(clock: () => number): RateLimiter {
  const takenTimes = new Map<string, number[]>();
  return {
    take(key, count, windowSeconds) {
      const now = clock();
      const recent = (takenTimes.get(key) ?? []).filter((time) => time > now - windowSeconds * 1000);
      const oldest = recent[0] ?? now;
      const isAllowed = recent.length < count;
      if (isAllowed) recent.push(now);
      takenTimes.delete(key); // Re-inserted last: a Map keeps the order of insertion.
      takenTimes.set(key, recent);
      dropOldest(takenTimes);
      const waitMs = oldest + windowSeconds * 1000 - now;
      return { isAllowed, retryAfterSeconds: isAllowed ? 0 : Math.max(1, Math.ceil(waitMs / 1000)) };
    },
  };
}

function dropOldest(takenTimes: Map<string, number[]>): void {
  if (takenTimes.size <= MAXIMUM_KEYS) return;
  const [first] = takenTimes.keys();
  if (first !== undefined) takenTimes.delete(first);
}
