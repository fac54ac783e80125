/** The in-memory cache of one process: used without Redis, and as the fallback when Redis fails. */
import { EventEmitter } from "node:events";
import type { Clock } from "../util/clock.ts";
import { LruMap } from "../util/lru.ts";
import { type Cache, shareOf, type WindowCount } from "./cache.ts";
import { SlidingWindow } from "./sliding-window.ts";

interface Counter {
  count: number;
  /** By the cache's clock, in milliseconds. */
  endsAt: number;
}

/** Counters are keyed by client input (addresses, names), so their number is bounded. */
const COUNTERS_KEPT = 100_000;

export interface MemoryCache extends Cache {
  /** Imports a count of another store, so that limits continue from it when that store is lost. */
  adopt(key: string, known: WindowCount): void;
  /** The same for a place just taken in another store; returns its slot here. */
  adoptPlace(key: string, windowSeconds: number): number;
}

export interface MemoryCacheOptions {
  /** Monotonic milliseconds. */
  clock?: Clock;
  countersKept?: number;
  /** How many processes share the limits of `take`; each uses an equal part of them. */
  processCount?: () => number;
}

/** The windows of `take` by key and length. Of the least recently used, expired ones and those above the maximum are evicted. */
function createWindows(countersKept: number, clock: Clock) {
  const windows = new Map<string, SlidingWindow>();
  return (key: string, windowSeconds: number): SlidingWindow => {
    const name = `${windowSeconds} ${key}`;
    const window = windows.get(name) ?? new SlidingWindow(windowSeconds * 1000);
    windows.delete(name);
    for (const [oldName, old] of windows) {
      if (windows.size < countersKept && !old.isOver(clock())) break;
      windows.delete(oldName);
    }
    windows.set(name, window);
    return window;
  };
}

/** Milliseconds since 1970 at the start of the process, then by a monotonic clock: a change of the system clock affects no window. */
const steadyClock = (): number => performance.timeOrigin + performance.now();

/** Makes an empty cache. */
export function createMemoryCache(options: MemoryCacheOptions = {}): MemoryCache {
  const { clock = steadyClock, countersKept = COUNTERS_KEPT, processCount = () => 1 } = options;
  const windowOf = createWindows(countersKept, clock);
  const counters = new LruMap<string, Counter>(countersKept);
  const messages = new EventEmitter();
  messages.setMaxListeners(0);

  const increment = async (key: string, windowSeconds: number, _limit: number, amount = 1): Promise<WindowCount> => {
    const now = clock();
    const known = counters.get(key);
    const counter =
      known !== undefined && known.endsAt > now ? known : { count: 0, endsAt: now + windowSeconds * 1000 };
    counter.count += amount;
    if (amount > 0) counters.set(key, counter);
    return { count: counter.count, resetMs: counter.endsAt - now };
  };
  return {
    increment,
    take: async (key, windowSeconds, limit) =>
      windowOf(key, windowSeconds).take(shareOf(limit, processCount()), clock()),
    peek: async (key, windowSeconds, limit) =>
      windowOf(key, windowSeconds).peek(shareOf(limit, processCount()), clock()),
    releaseSlot: async (key, windowSeconds, { ownSlot }) => windowOf(key, windowSeconds).releaseSlot(ownSlot),
    adoptPlace: (key, windowSeconds) => windowOf(key, windowSeconds).adopt(clock()),
    lease: async (key) => ({ key, id: "", state: "unknown" }),
    release: async () => undefined,
    adopt: (key, { count, resetMs }) => counters.set(key, { count, endsAt: clock() + resetMs }),
    share: async () => undefined,
    shared: async () => undefined,
    publish: async (channel, message) => void messages.emit(channel, message),
    subscribe: (channel, listener) => {
      messages.on(channel, listener);
      return () => messages.off(channel, listener);
    },
    isShared: false,
    close: async () => {
      counters.clear();
      messages.removeAllListeners();
    },
  };
}
