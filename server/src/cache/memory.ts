/** The cache of one process: what there is without Redis, and what Redis falls back on. */
import { EventEmitter } from "node:events";
import type { Cache, WindowCount } from "./cache.ts";

interface Counter {
  count: number;
  /** Unix milliseconds. */
  endsAt: number;
}

/** Counters are made from what callers send (addresses, names), so there is a bound to them. */
const COUNTERS_KEPT = 100_000;

export interface MemoryCache extends Cache {
  /** Takes over a count that another store knows, so that limits go on from there when that store is lost. */
  adopt(key: string, known: WindowCount): void;
}

/** Makes an empty cache. `clock` gives Unix milliseconds. */
export function createMemoryCache(clock: () => number = Date.now, countersKept = COUNTERS_KEPT): MemoryCache {
  const counters = new Map<string, Counter>();
  const news = new EventEmitter();
  news.setMaxListeners(0);

  const keep = (key: string, counter: Counter) => {
    counters.delete(key); // Last in the order of use.
    counters.set(key, counter);
    if (counters.size > countersKept) counters.delete(counters.keys().next().value ?? key);
  };
  const increment = async (key: string, windowSeconds: number, _limit: number, amount = 1): Promise<WindowCount> => {
    const now = clock();
    const known = counters.get(key);
    const counter =
      known !== undefined && known.endsAt > now ? known : { count: 0, endsAt: now + windowSeconds * 1000 };
    counter.count += amount;
    if (amount > 0) keep(key, counter);
    return { count: counter.count, resetMs: counter.endsAt - now };
  };
  return {
    increment,
    adopt: (key, { count, resetMs }) => keep(key, { count, endsAt: clock() + resetMs }),
    publish: async (channel, message) => void news.emit(channel, message),
    subscribe: (channel, listener) => {
      news.on(channel, listener);
      return () => news.off(channel, listener);
    },
    isShared: false,
    close: async () => {
      counters.clear();
      news.removeAllListeners();
    },
  };
}
