/** The cache interface: counters for limits and messages between processes. It makes them faster or fairer and is never the source of truth; Redis if configured, else memory. */
import type { Place } from "./sliding-window.ts";

export interface WindowCount {
  /** The count of the current window, including this call. Above the limit the call is refused. */
  count: number;
  /** Milliseconds until the window ends and the count starts at 0 again. */
  resetMs: number;
}

export type { Place };

/** A lease: one of the places that may be taken at the same time. */
export interface Lease {
  key: string;
  id: string;
  /** `unknown`: no shared cache is available, and each process uses its own count. */
  state: "held" | "refused" | "unknown";
}

export interface Cache {
  /**
   * Adds `amount` (default 1; 0 only reads) to a counter whose window starts with its first count. `limit` is what the caller
   * compares with: counts are kept exact up to it. Never throws and never waits longer than the command timeout.
   */
  increment(key: string, windowSeconds: number, limit: number, amount?: number): Promise<WindowCount>;
  /**
   * Takes one of the `limit` places of the last `windowSeconds`, at any moment. Without a shared cache each
   * process has its part of the limit. Never throws and never waits longer than the command timeout.
   */
  take(key: string, windowSeconds: number, limit: number): Promise<Place>;
  /** Milliseconds until `take` would succeed; 0 if it would now. Takes no place, so that a peek never causes a refusal. Never throws. */
  peek(key: string, windowSeconds: number, limit: number): Promise<number>;
  /** Releases a place that was taken. */
  releaseSlot(key: string, windowSeconds: number, place: Place): Promise<void>;
  /**
   * Takes one of `limit` places shared by all processes, until it is released or, at most a minute later, its process has
   * died. A granted place must be released. Never throws and never waits longer than the command timeout.
   */
  lease(key: string, limit: number): Promise<Lease>;
  release(lease: Lease): Promise<void>;
  /** Shares a short text with other processes under a key, for so many seconds; does nothing without a shared cache. Never throws. */
  share(key: string, text: string, seconds: number): Promise<void>;
  /** The shared text; undefined if there is none. Never throws and never waits longer than the command timeout. */
  shared(key: string): Promise<string | undefined>;
  /** Publishes to every process that subscribes to `channel`, this one included. Messages may be lost: nothing may depend on them alone. */
  publish(channel: string, message: string): Promise<void>;
  /** Calls `listener` with each message; returns the function that unsubscribes. */
  subscribe(channel: string, listener: (message: string) => void): () => void;
  /** True while counters are shared with other processes. */
  readonly isShared: boolean;
  close(): Promise<void>;
}

/**
 * `limit` divided among so many processes: together they never allow more than the limit, as long as it is at least one for each.
 * 0 (no limit) stays 0.
 */
export const shareOf = (limit: number, processes: number): number =>
  limit === 0 ? 0 : Math.max(1, Math.floor(limit / Math.max(1, processes)));
