/** What processes share to be quicker or fairer, never to be right: counters for limits, and news. Redis when there is one, else memory. */

export interface WindowCount {
  /** What was counted in the current window, this time included. Over the limit the call is refused. */
  count: number;
  /** Milliseconds until the window ends and the count starts at 0 again. */
  resetMs: number;
}

export interface Cache {
  /**
   * Adds `amount` (default 1; 0 only reads) to a counter whose window starts with its first count. `limit` is what the caller
   * compares with: counts are kept exact up to it. Never throws and never waits longer than the command timeout.
   */
  increment(key: string, windowSeconds: number, limit: number, amount?: number): Promise<WindowCount>;
  /** Tells every process that subscribes to `channel`, this one included. News may be lost: nothing may depend on it alone. */
  publish(channel: string, message: string): Promise<void>;
  /** Calls `listener` with each message; gives the function that ends it. */
  subscribe(channel: string, listener: (message: string) => void): () => void;
  /** True while counters are shared with other processes. */
  readonly isShared: boolean;
  close(): Promise<void>;
}
