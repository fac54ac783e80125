/**
 * Which of a channel's keys a call is sent with: each with the same chance, or one after the other. A key that its upstream refused
 * cools down alone meanwhile; in memory of each process, never stored.
 */

/** Ours, as those of a channel's circuit breaker: twice as long each time, and an upstream's own wish is kept up to the longest. */
const COOL_MS = 15_000;
const LONGEST_MS = 300_000;
const TIMES_MAX = 16;
/** Of so many keys those whose time is over are forgotten. */
const RECORDS_MAX = 10_000;

/** A channel as it is called with one of its keys. */
interface Member {
  ofKey: { id: number };
}

/** The enabled keys of one channel. */
interface Pool<Each extends Member> {
  isRoundRobin: boolean;
  members: readonly Each[];
}

interface Cooling {
  /** Clock in milliseconds of the failure that said so last. */
  sinceMs: number;
  untilMs: number;
  times: number;
  isRequested: boolean;
}

const NONE_TRIED: ReadonlySet<number> = new Set();

export class KeyChoice {
  readonly #cooling = new Map<number, Cooling>();
  /** By channel: the place in its pool after the key that was taken last. */
  readonly #places = new Map<number, number>();

  /** Clock in milliseconds until which calls avoid the key; 0 for one that they may have. */
  coolsUntilMs(keyId: number, nowMs: number): number {
    const untilMs = this.#cooling.get(keyId)?.untilMs ?? 0;
    return untilMs > nowMs ? untilMs : 0;
  }

  /** The keys that cool down now. */
  cooling(nowMs: number): { keyId: number; untilMs: number; isRequested: boolean }[] {
    return [...this.#cooling]
      .filter(([, { untilMs }]) => untilMs > nowMs)
      .map(([keyId, { untilMs, isRequested }]) => ({ keyId, untilMs, isRequested }));
  }

  /** Why calls should go to other channels: every key of the pool cools down. Undefined where one does not. */
  openReason(pool: Pool<Member>, nowMs: number): "resting" | "resting_as_asked" | undefined {
    if (this.#cooling.size === 0 || this.hasReady(pool, NONE_TRIED, nowMs)) return undefined;
    const isRequested = pool.members.some(({ ofKey }) => this.#cooling.get(ofKey.id)?.isRequested);
    return isRequested ? "resting_as_asked" : "resting";
  }

  /** Whether the pool has a key that does not cool down and that this call has not tried. */
  hasReady({ members }: Pool<Member>, tried: ReadonlySet<number>, nowMs: number): boolean {
    return members.some((member) => this.#isReady(member, tried, nowMs));
  }

  #isReady({ ofKey: { id } }: Member, tried: ReadonlySet<number>, nowMs: number): boolean {
    return !tried.has(id) && this.coolsUntilMs(id, nowMs) === 0;
  }

  /**
   * The key that the next call takes. Where all cool down it is the one whose time is over first, so that a lone channel is never given
   * up; undefined where each was tried. `random` gives numbers of at least 0 and below 1.
   */
  take<Each extends Member>(
    channelId: number,
    pool: Pool<Each>,
    tried: ReadonlySet<number> = NONE_TRIED,
    nowMs: number = performance.now(),
    random: () => number = Math.random,
  ): Each | undefined {
    const ready =
      this.#cooling.size === 0 && tried.size === 0
        ? pool.members
        : pool.members.filter((member) => this.#isReady(member, tried, nowMs));
    if (ready.length === 0) return this.#soonest(pool, tried);
    return pool.isRoundRobin ? this.#next(channelId, pool, ready) : ready[Math.floor(random() * ready.length)];
  }

  /** The first ready one from the channel's place on. */
  #next<Each extends Member>(channelId: number, { members }: Pool<Each>, ready: readonly Each[]): Each | undefined {
    const from = (this.#places.get(channelId) ?? 0) % members.length;
    const isReady = ready === members ? undefined : new Set(ready);
    for (let step = 0; step < members.length; step += 1) {
      const place = (from + step) % members.length;
      const member = members[place];
      if (member === undefined || isReady?.has(member) === false) continue;
      this.#places.set(channelId, place + 1);
      return member;
    }
    return undefined;
  }

  #soonest<Each extends Member>({ members }: Pool<Each>, tried: ReadonlySet<number>): Each | undefined {
    const untilOf = ({ ofKey }: Member): number => this.#cooling.get(ofKey.id)?.untilMs ?? 0;
    return members
      .filter(({ ofKey }) => !tried.has(ofKey.id))
      .reduce<Each | undefined>((best, each) => (best && untilOf(best) <= untilOf(each) ? best : each), undefined);
  }

  /**
   * A call that began at `startedMs` showed that the key is refused, spent or limited. `requestedMs` is the upstream's Retry-After, 0 for
   * none. Calls that were under way when it began to cool say nothing new, but for such a wish.
   */
  failed(keyId: number, nowMs: number, requestedMs = 0, startedMs = nowMs): void {
    const known = this.#cooling.get(keyId);
    const times = known?.times ?? 0;
    if (known !== undefined && requestedMs === 0 && (known.untilMs > nowMs || startedMs < known.sinceMs)) return;
    const coolMs = requestedMs > 0 ? requestedMs : COOL_MS * 2 ** times;
    const untilMs = Math.max(known?.untilMs ?? 0, nowMs + Math.min(coolMs, LONGEST_MS));
    if (this.#cooling.size >= RECORDS_MAX) this.#forget(nowMs);
    const cooling = { sinceMs: nowMs, untilMs, times: Math.min(times + 1, TIMES_MAX), isRequested: requestedMs > 0 };
    this.#cooling.set(keyId, cooling);
  }

  #forget(nowMs: number): void {
    for (const [id, { untilMs }] of this.#cooling) if (untilMs <= nowMs) this.#cooling.delete(id);
  }

  /** A call with the key that began at `startedMs` was answered: the key is good again, unless it began to cool since. */
  succeeded(keyId: number, startedMs: number): void {
    const known = this.#cooling.get(keyId);
    if (known !== undefined && startedMs >= known.sinceMs) this.#cooling.delete(keyId);
  }
}
