/** Rate limits of a user's calls: counted by window, waited for where a place is soon free, and shown to clients in their own format. */
import type { OptionValues } from "../../../../contract/src/options/options.ts";
import type { Cache, Place } from "../../cache/cache.ts";
import type { Call, CallEnd } from "../call/call.ts";
import { RelayError } from "../call/relay-error.ts";
import { mostWaitMs, waitForPlace } from "./waiting.ts";

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

/** What is left of a limit. */
interface Left {
  limit: number;
  remaining: number;
  /** Milliseconds until all of it is there again. */
  resetMs: number;
}

/** As OpenAI writes durations: `1s`, `6m0s` (platform.openai.com/docs/guides/rate-limits, headers). */
function durationText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  const tail = `${seconds % 60}s`;
  if (hours > 0) return `${hours}h${minutes}m${tail}`;
  return minutes > 0 ? `${minutes}m${tail}` : tail;
}

/** Our own limit in the words of the client's vendor; Gemini has none but those of its refusal (docs.claude.com/en/api/rate-limits). */
function limitHeaders(dialect: string, { limit, remaining, resetMs }: Left, nowMs: number): [string, string][] {
  if (dialect === "gemini") return [];
  if (dialect !== "anthropic-messages")
    return [
      ["x-ratelimit-limit-requests", String(limit)],
      ["x-ratelimit-remaining-requests", String(remaining)],
      ["x-ratelimit-reset-requests", durationText(resetMs)],
    ];
  const reset = new Date(nowMs + Math.ceil(resetMs / 1000) * 1000).toISOString().replace(/\.\d+/, "");
  return [
    ["anthropic-ratelimit-requests-limit", String(limit)],
    ["anthropic-ratelimit-requests-remaining", String(remaining)],
    ["anthropic-ratelimit-requests-reset", reset],
  ];
}

/** Has every answer of the call say what is left of the tightest limit. */
function show({ response, dialect }: Call, all: readonly Left[]): void {
  const [tightest] = all.toSorted((a, b) => a.remaining - b.remaining || b.resetMs - a.resetMs);
  if (tightest === undefined || response.headersSent) return;
  for (const [name, value] of limitHeaders(dialect.name, tightest, Date.now())) response.setHeader(name, value);
}

function refuse({ retryMs }: Pick<Place, "retryMs">, limit: number, windowSeconds: number): never {
  const message = `Too many requests: at most ${limit} in ${windowSeconds / 60} minutes. Try again later.`;
  throw new RelayError("rate_limit_exceeded", { message, retryAfterSeconds: Math.max(1, Math.ceil(retryMs / 1000)) });
}

interface Counted {
  key: string;
  limit: number;
  windowSeconds: number;
}

const leftOf = ({ limit }: Counted, { remaining, resetMs }: Place): Left => ({ limit, remaining, resetMs });

/** Takes a place, also one that is free a moment later. Rejects with RelayError 429. */
async function take(call: Call, userId: number, counted: Counted, untilMs: number): Promise<Place> {
  const { key, limit, windowSeconds } = counted;
  for (;;) {
    const place = await call.context.cache.take(key, windowSeconds, limit);
    if (place.isTaken) return place;
    const isSoon = place.retryMs <= untilMs - performance.now();
    if (isSoon && (await waitForPlace(call, userId, place.retryMs))) continue;
    show(call, [leftOf(counted, place)]);
    refuse(place, limit, windowSeconds);
  }
}

/**
 * Takes a slot among the successes before the call is made, so that calls side by side cannot pass together; a call that fails gives
 * it back. Refused calls count for nothing.
 */
async function check(call: Call, userId: number, { total, success, windowSeconds }: Limits): Promise<void> {
  const { cache } = call.context;
  const untilMs = performance.now() + mostWaitMs(call);
  const successes = { key: keyOf("success", userId), limit: success, windowSeconds };
  const slot = await take(call, userId, successes, untilMs);
  call.atEnd(new SuccessSlot(cache, successes.key, windowSeconds, slot));
  if (total === 0) return show(call, [leftOf(successes, slot)]);
  const calls = { key: keyOf("total", userId), limit: total, windowSeconds };
  const all = await take(call, userId, calls, untilMs);
  show(call, [leftOf(successes, slot), leftOf(calls, all)]);
}

/** Refuses a call that will not be let in, before its body is read; counts nothing. Throws RelayError 429. */
export async function refuseBeyondLimits(call: Call, userId: number, groupName: string): Promise<void> {
  const { context } = call;
  const { options } = context.snapshot;
  if (!options.ModelRequestRateLimitEnabled || options.ModelRequestRateLimitDurationMinutes === 0) return;
  const { total, success, windowSeconds } = limitsFor(options, groupName);
  for (const [kind, limit] of [
    ["success", success],
    ["total", total],
  ] as const) {
    if (limit === 0) continue;
    const retryMs = await context.cache.peek(keyOf(kind, userId), windowSeconds, limit);
    // While a body arrives a place may be free again.
    if (retryMs <= mostWaitMs(call)) continue;
    show(call, [{ limit, remaining: 0, resetMs: windowSeconds * 1000 }]);
    refuse({ retryMs }, limit, windowSeconds);
  }
}

/** Counts the call and refuses it over the limit; undefined (nothing to wait for) where limits are off. */
export function limitRate(call: Call, userId: number, groupName: string): Promise<void> | undefined {
  const { options } = call.context.snapshot;
  if (!options.ModelRequestRateLimitEnabled || options.ModelRequestRateLimitDurationMinutes === 0) return undefined;
  return check(call, userId, limitsFor(options, groupName));
}
