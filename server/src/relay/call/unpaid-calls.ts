/** Unpaid calls: refused here, or free for a user without quota. Each user has an allowance of them, counted by each process. */

/** A body counts as one call more for so many bytes: it was read and looked through. */
const BYTES_PER_CALL = 65_536;
const callsOf = (bodyBytes: number): number => 1 + Math.floor(bodyBytes / BYTES_PER_CALL);
/** Factor of the allowance for users with quota. */
const WITH_QUOTA_FACTOR = 10;
/** Users that are remembered; of more the one least lately seen is forgotten. */
const USERS_KEPT = 10_000;
const MINUTE_MS = 60_000;
/** A user who has got quota is let in again after so long. */
const POOR_MS = 2_000;

interface Unpaid {
  atMs: number;
  /** Calls of either kind, less what time has taken back. */
  all: number;
  /** Those that were refused, less what time has taken back ten times as fast. */
  refused: number;
  /** Until when a user found without quota is taken to have none. */
  poorUntilMs: number;
}

export class UnpaidCalls {
  readonly #users = new Map<number, Unpaid>();
  readonly #clock: () => number;

  /** `clock` gives milliseconds that only grow. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Users that are remembered now. */
  get size(): number {
    return this.#users.size;
  }

  #drained(unpaid: Unpaid, perMinute: number): Unpaid {
    const now = this.#clock();
    const back = ((now - unpaid.atMs) / MINUTE_MS) * perMinute;
    unpaid.atMs = now;
    unpaid.all = Math.max(0, unpaid.all - back);
    unpaid.refused = Math.max(0, unpaid.refused - back * WITH_QUOTA_FACTOR);
    return unpaid;
  }

  #add(userId: number, perMinute: number, all: number, refused: number): void {
    if (perMinute === 0) return;
    const known = this.#users.get(userId) ?? { atMs: this.#clock(), all: 0, refused: 0, poorUntilMs: 0 };
    const unpaid = this.#drained(known, perMinute);
    unpaid.all += all;
    unpaid.refused += refused;
    this.#users.delete(userId); // Last in the order of use.
    this.#users.set(userId, unpaid);
    if (this.#users.size > USERS_KEPT) this.#users.delete(this.#users.keys().next().value ?? userId);
  }

  /** A call that was refused before any upstream was asked, with the bytes of its body; `perMinute` 0 counts nothing. */
  refused(userId: number, perMinute: number, bodyBytes: number): void {
    const calls = callsOf(bodyBytes);
    this.#add(userId, perMinute, calls, calls);
  }

  /** A call that was made and cost nothing. */
  free(userId: number, perMinute: number, bodyBytes: number): void {
    this.#add(userId, perMinute, callsOf(bodyBytes), 0);
  }

  /** True where it was asked just now, and the user had no quota. */
  isKnownPoor(userId: number): boolean {
    return (this.#users.get(userId)?.poorUntilMs ?? 0) > this.#clock();
  }

  /** Remembers for a moment that the user has no quota, so that not every call asks. */
  notePoor(userId: number): void {
    const unpaid = this.#users.get(userId);
    if (unpaid !== undefined) unpaid.poorUntilMs = this.#clock() + POOR_MS;
  }

  /** Milliseconds until a user without quota is let in again, 0 for now; `hasQuota`: until one with quota is. */
  waitMs(userId: number, perMinute: number, hasQuota = false): number {
    const unpaid = perMinute === 0 ? undefined : this.#users.get(userId);
    if (unpaid === undefined) return 0;
    const { all, refused } = this.#drained(unpaid, perMinute);
    const [level, allowed] = hasQuota ? [refused, perMinute * WITH_QUOTA_FACTOR] : [all, perMinute];
    return (Math.max(0, level - allowed) / allowed) * MINUTE_MS;
  }
}
