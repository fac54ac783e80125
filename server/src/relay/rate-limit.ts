/** The model request limits of reference 8.6: all calls and successful calls of one user in one window. */
import type { OptionValues } from "../../../contract/src/options.ts";
import type { Cache } from "../cache/cache.ts";
import type { Exchange } from "./exchange.ts";
import { Refusal } from "./refusal.ts";

interface Limits {
  /** 0: no bound. */
  total: number;
  success: number;
  windowSeconds: number;
}

function limitsFor(options: OptionValues, groupName: string): Limits {
  const own = options.ModelRequestRateLimitGroup[groupName];
  return {
    total: own?.[0] ?? options.ModelRequestRateLimitCount,
    success: own?.[1] ?? options.ModelRequestRateLimitSuccessCount,
    windowSeconds: options.ModelRequestRateLimitDurationMinutes * 60,
  };
}

const keyOf = (kind: "total" | "success", userId: number): string => `calls:${kind}:${userId}`;

function refuse(resetMs: number, limit: number, windowSeconds: number): never {
  const message = `Too many requests: at most ${limit} in ${windowSeconds / 60} minutes. Try again later.`;
  throw new Refusal("rate_limit_exceeded", { message, retryAfterSeconds: Math.max(1, Math.ceil(resetMs / 1000)) });
}

async function check(cache: Cache, userId: number, limits: Limits): Promise<void> {
  const { windowSeconds } = limits;
  const done = await cache.increment(keyOf("success", userId), windowSeconds, limits.success, 0);
  if (done.count >= limits.success) refuse(done.resetMs, limits.success, windowSeconds);
  if (limits.total === 0) return;
  const all = await cache.increment(keyOf("total", userId), windowSeconds, limits.total);
  if (all.count > limits.total) refuse(all.resetMs, limits.total, windowSeconds);
}

/** Counts the call and refuses it over the limit; undefined (nothing to wait for) where limits are off. */
export function limitRate(exchange: Exchange, userId: number): Promise<void> | undefined {
  const { options } = exchange.context.snapshot;
  if (!options.ModelRequestRateLimitEnabled || options.ModelRequestRateLimitDurationMinutes === 0) return undefined;
  exchange.countsSuccess = true;
  return check(exchange.context.cache, userId, limitsFor(options, exchange.groupName));
}

/** Counts a call that ended with a status below 400. */
export function countSuccess(exchange: Exchange): void {
  const { context, user } = exchange;
  if (!exchange.countsSuccess || user === undefined) return;
  const limits = limitsFor(context.snapshot.options, exchange.groupName);
  void context.cache.increment(keyOf("success", user.id), limits.windowSeconds, limits.success);
}
