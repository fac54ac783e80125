/** Limits of the console for each signed-in user and each client address, counted by the cache: shared between processes where Redis is, else in this one. */
import type { Cache } from "../../cache/cache.ts";

interface LimitDecision {
  isAllowed: boolean;
  /** Whole seconds until the window ends; 0 when allowed. */
  retryAfterSeconds: number;
}

export interface RateLimiter {
  /** Counts one call of `key` in its window; allowed up to `count` of them. */
  take(key: string, count: number, windowSeconds: number): Promise<LimitDecision>;
}

/** Each bucket of endpoints that somebody may guess at, or that send mail: `rateLimit` in the contract. */
export const NARROW_LIMIT = { count: 20, durationSeconds: 1200 } as const;

/**
 * A signed-in user has as many times the calls of an address. One page makes several calls, and somebody who clicks quickly or types
 * into a search makes some every second: the plain limit would stop people at work.
 */
export const SIGNED_IN_FACTOR = 10;

export function createRateLimiter(cache: Cache): RateLimiter {
  return {
    async take(key, count, windowSeconds) {
      const window = await cache.increment(key, windowSeconds, count);
      const isAllowed = window.count <= count;
      return { isAllowed, retryAfterSeconds: isAllowed ? 0 : Math.max(1, Math.ceil(window.resetMs / 1000)) };
    },
  };
}
