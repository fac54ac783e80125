/** Slows down guessing on one account: after five failures in a row each further one doubles the wait, up to a minute. */

const FREE_FAILURES = 5;
const LONGEST_WAIT_MS = 60_000;
const FORGET_AFTER_MS = 15 * 60_000;
const MAXIMUM_ACCOUNTS = 20_000;

export interface LoginBackoff {
  /** Whole seconds this account has to wait now; 0 where it may try. */
  waitSeconds(account: string): number;
  failed(account: string): void;
  succeeded(account: string): void;
}

/** `clock` gives Unix milliseconds. Kept in this process: the limit by address beside it is shared where Redis is. */
export function createLoginBackoff(clock: () => number): LoginBackoff {
  const failures = new Map<string, { count: number; lastMs: number }>();
  const recent = (account: string) => {
    const entry = failures.get(account.toLowerCase());
    return entry === undefined || entry.lastMs < clock() - FORGET_AFTER_MS ? undefined : entry;
  };
  return {
    waitSeconds(account) {
      const entry = recent(account);
      if (entry === undefined || entry.count < FREE_FAILURES) return 0;
      const waitMs = Math.min(1000 * 2 ** (entry.count - FREE_FAILURES), LONGEST_WAIT_MS);
      return Math.max(0, Math.ceil((entry.lastMs + waitMs - clock()) / 1000));
    },
    failed(account) {
      const count = (recent(account)?.count ?? 0) + 1;
      failures.delete(account.toLowerCase());
      failures.set(account.toLowerCase(), { count, lastMs: clock() });
      const [oldest] = failures.keys();
      if (failures.size > MAXIMUM_ACCOUNTS && oldest !== undefined) failures.delete(oldest);
    },
    succeeded: (account) => void failures.delete(account.toLowerCase()),
  };
}
