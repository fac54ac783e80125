/** The model request limits: all calls and successful calls of one user in one sliding window. */
import type { OptionValues } from "../../../../contract/src/options/options.ts";
import type { Cache, Place } from "../../cache/cache.ts";
import type { Call, CallEnd } from "../call/call.ts";
import { RelayError } from "../call/relay-error.ts";

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

/** A slot among the successful calls, kept unless the call fails: then others may have it. */
class SuccessSlot implements CallEnd {
  readonly #cache: Cache;
  readonly #key: string;
  readonly #windowSeconds: number;
  readonly #slot: Place;

  constructor(cache: Cache, key: string, windowSeconds: number, slot: Place) {
    this.#cache = cache;
    this.#key = key;
    this.#windowSeconds = windowSeconds;
    this.#slot = slot;
  }

  ended(isSuccess: boolean): void {
    if (!isSuccess) void this.#cache.releaseSlot(this.#key, this.#windowSeconds, this.#slot);
  }
}

const keyOf = (kind: "total" | "success", userId: number): string => `calls:${kind}:${userId}`;

function refuse({ retryMs }: Pick<Place, "retryMs">, limit: number, windowSeconds: number): never {
  const message = `Too many requests: at most ${limit} in ${windowSeconds / 60} minutes. Try again later.`;
  throw new RelayError("rate_limit_exceeded", { message, retryAfterSeconds: Math.max(1, Math.ceil(retryMs / 1000)) });
}

/**
 * Takes a slot among the successes before the call is made, so that calls side by side cannot pass together; a call that fails gives
 * it back. Refused calls count for nothing.
 */
async function check(call: Call, userId: number, { total, success, windowSeconds }: Limits): Promise<void> {
  const { cache } = call.context;
  const key = keyOf("success", userId);
  const slot = await cache.take(key, windowSeconds, success);
  if (!slot.isTaken) refuse(slot, success, windowSeconds);
  call.atEnd(new SuccessSlot(cache, key, windowSeconds, slot));
  if (total === 0) return;
  const all = await cache.take(keyOf("total", userId), windowSeconds, total);
  if (!all.isTaken) refuse(all, total, windowSeconds);
}

/** Refuses a call that will not be let in, before its body is read; counts nothing. Throws RelayError 429. */
export async function refuseBeyondLimits({ context }: Call, userId: number, groupName: string): Promise<void> {
  const { options } = context.snapshot;
  if (!options.ModelRequestRateLimitEnabled || options.ModelRequestRateLimitDurationMinutes === 0) return;
  const { total, success, windowSeconds } = limitsFor(options, groupName);
  for (const [kind, limit] of [
    ["success", success],
    ["total", total],
  ] as const) {
    if (limit === 0) continue;
    const retryMs = await context.cache.peek(keyOf(kind, userId), windowSeconds, limit);
    if (retryMs > 0) refuse({ retryMs }, limit, windowSeconds);
  }
}

/** Counts the call and refuses it over the limit; undefined (nothing to wait for) where limits are off. */
export function limitRate(call: Call, userId: number, groupName: string): Promise<void> | undefined {
  const { options } = call.context.snapshot;
  if (!options.ModelRequestRateLimitEnabled || options.ModelRequestRateLimitDurationMinutes === 0) return undefined;
  return check(call, userId, limitsFor(options, groupName));
}
