/** The model request limits of reference 8.6: all calls and successful calls of one user in one sliding window. */
import type { OptionValues } from "../../../contract/src/options.ts";
import type { Place } from "../cache/cache.ts";
import type { Exchange } from "./exchange.ts";
import { Refusal } from "./refusal.ts";

interface Limits {
  /** 0: no bound. */
  total: number;
  success: number;
  windowSeconds: number;
}

/** What the call's group says, else the options. */
function limitsFor(options: OptionValues, groupName: string): Limits {
  const own = options.ModelRequestRateLimitGroup[groupName];
  return {
    total: own?.[0] ?? options.ModelRequestRateLimitCount,
    success: own?.[1] ?? options.ModelRequestRateLimitSuccessCount,
    windowSeconds: options.ModelRequestRateLimitDurationMinutes * 60,
  };
}

/** A place among the successful calls, kept unless the call fails. */
export interface SuccessPlace {
  key: string;
  windowSeconds: number;
  place: Place;
}

const keyOf = (kind: "total" | "success", userId: number): string => `calls:${kind}:${userId}`;

function refuse({ retryMs }: Place, limit: number, windowSeconds: number): never {
  const message = `Too many requests: at most ${limit} in ${windowSeconds / 60} minutes. Try again later.`;
  throw new Refusal("rate_limit_exceeded", { message, retryAfterSeconds: Math.max(1, Math.ceil(retryMs / 1000)) });
}

/**
 * Takes a place among the successes before the call is made, so that calls side by side cannot pass together; a call that fails gives
 * it back. Refused calls count for nothing.
 */
async function check(exchange: Exchange, userId: number, { total, success, windowSeconds }: Limits): Promise<void> {
  const { cache } = exchange.context;
  const key = keyOf("success", userId);
  const place = await cache.take(key, windowSeconds, success);
  if (!place.isTaken) refuse(place, success, windowSeconds);
  exchange.successPlace = { key, windowSeconds, place };
  if (total === 0) return;
  const all = await cache.take(keyOf("total", userId), windowSeconds, total);
  if (!all.isTaken) refuse(all, total, windowSeconds);
}

/** Counts the call and refuses it over the limit; undefined (nothing to wait for) where limits are off. */
export function limitRate(exchange: Exchange, userId: number): Promise<void> | undefined {
  const { options } = exchange.context.snapshot;
  if (!options.ModelRequestRateLimitEnabled || options.ModelRequestRateLimitDurationMinutes === 0) return undefined;
  return check(exchange, userId, limitsFor(options, exchange.groupName));
}

/** A call that failed is no success: others may have its place. */
export function giveSuccessBack(exchange: Exchange): void {
  const { successPlace: taken } = exchange;
  exchange.successPlace = undefined;
  if (taken !== undefined) void exchange.context.cache.giveBack(taken.key, taken.windowSeconds, taken.place);
}
