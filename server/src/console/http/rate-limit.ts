/** Rate limits of the console by signed-in user and by client address, counted in the cache: shared between processes if Redis is configured, else in this process. */
import type { Cache } from "../../cache/cache.ts";

interface LimitDecision {
  isAllowed: boolean;
  /** Whole seconds until the window ends; 0 when allowed. */
  retryAfterSeconds: number;
}

export interface RateLimiter {
  /** Counts `amount` calls (default 1) of `key` in its window; allowed up to `count` of them. */
  take(key: string, count: number, windowSeconds: number, amount?: number): Promise<LimitDecision>;
  /** Takes back one that was counted. */
  giveBack(key: string, count: number, windowSeconds: number): Promise<void>;
}

/** Each bucket of endpoints that make accounts or send mail: `rateLimit` in the contract. */
export const NARROW_LIMIT = { count: 20, durationSeconds: 1200 } as const;

/** Failed sign-ins of one claimed client behind an address that no proxy vouches for. */
export const FAILURE_LIMIT = { count: 50, durationSeconds: 1200 } as const;

/** Calls of all clients of such an address together, as a multiple of one share. */
export const SHARED_FACTOR = 10;

/**
 * The limit of a signed-in user, as a multiple of an address's. One page makes several calls, and a user who clicks quickly or types
 * into a search makes some every second: the plain limit would stop people at work.
 */
export const SIGNED_IN_FACTOR = 10;

export function createRateLimiter(cache: Cache): RateLimiter {
  return {
    async take(key, count, windowSeconds, amount = 1) {
      const window = await cache.increment(key, windowSeconds, count, amount);
      const isAllowed = window.count <= count;
      return { isAllowed, retryAfterSeconds: isAllowed ? 0 : Math.max(1, Math.ceil(window.resetMs / 1000)) };
    },
    async giveBack(key, count, windowSeconds) {
      const window = await cache.increment(key, windowSeconds, count, 0);
      if (window.count > 0) await cache.increment(key, windowSeconds, count, -1);
    },
  };
}
