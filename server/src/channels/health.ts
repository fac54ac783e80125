/**
 * The circuit breaker of each channel: open after repeated failures or by its upstream's Retry-After, then half-open for one call; and the
 * formats that a channel does not serve. In memory of each process, never stored.
 */

export interface ChannelHealthRules {
  /** Failures in a row after which it opens. */
  failures: number;
  /** How long it is open first, in milliseconds; each further time is twice as long, up to `maxOpenMs`, which also bounds an upstream's wish. */
  openMs: number;
  maxOpenMs: number;
  /** How long the one call of a half-open breaker keeps the others away: an answer that streams for an hour must not. */
  halfOpenMs: number;
}

/** Ours: no vendor or specification gives these. */
const HEALTH_RULES: ChannelHealthRules = Object.freeze({
  failures: 5,
  openMs: 15_000,
  maxOpenMs: 300_000,
  halfOpenMs: 30_000,
});

/** A call that failed; times by the clock that `started` was asked with. */
export interface FailedCall {
  nowMs: number;
  /** When it was sent. */
  startedMs?: number;
  /** The upstream's Retry-After in milliseconds; 0 for none. */
  requestedOpenMs?: number;
  /** What `started` gave for it. */
  halfOpenProbe?: number;
}

export type OpenReason = "resting" | "resting_as_asked" | "probed";

interface Record {
  failures: number;
  timesOpened: number;
  /** Clock in milliseconds until which it is open; 0 while it is closed. */
  openUntilMs: number;
  /** Clock in milliseconds of the failure that opened it last: calls begun before say nothing of what came after. */
  openedMs: number;
  /** Clock in milliseconds until which one call has the half-open channel for itself; 0 without one. */
  halfOpenUntilMs: number;
  /** True where that is the upstream's Retry-After. */
  isRequested: boolean;
}

export class ChannelHealth {
  readonly #rules: ChannelHealthRules;
  readonly #records = new Map<number, Record>();

  constructor(rules: Partial<ChannelHealthRules> = {}) {
    this.#rules = { ...HEALTH_RULES, ...rules };
  }

  /** False while every channel is well, which spares the hot path its questions. */
  get hasRecords(): boolean {
    return this.#records.size > 0;
  }

  /** Why calls should go elsewhere now; undefined where they need not. Asking changes nothing. */
  openReason(channelId: number, nowMs: number): OpenReason | undefined {
    const record = this.#records.get(channelId);
    if (record === undefined || record.openUntilMs === 0) return undefined;
    if (nowMs < record.openUntilMs) return record.isRequested ? "resting_as_asked" : "resting";
    return nowMs < record.halfOpenUntilMs ? "probed" : undefined;
  }

  /** Milliseconds for which it is open still; 0 where it is closed or half-open. */
  openMs(channelId: number, nowMs: number): number {
    return Math.max(0, (this.#records.get(channelId)?.openUntilMs ?? 0) - nowMs);
  }

  /** The channels whose breaker is open now. */
  open(nowMs: number): { channelId: number; untilMs: number; isRequested: boolean }[] {
    return [...this.#records]
      .filter(([, { openUntilMs }]) => openUntilMs > nowMs)
      .map(([channelId, { openUntilMs: untilMs, isRequested }]) => ({ channelId, untilMs, isRequested }));
  }

  /**
   * Call when a call is sent: the first one after the open time is alone, and the others go elsewhere until it succeeded. Gives
   * the half-open probe of that call, which `failed` and `ended` take; 0 to every other.
   */
  started(channelId: number, nowMs: number): number {
    const record = this.#records.get(channelId);
    if (record === undefined || record.openUntilMs === 0 || nowMs < record.openUntilMs) return 0;
    if (nowMs < record.halfOpenUntilMs) return 0;
    record.halfOpenUntilMs = nowMs + this.#rules.halfOpenMs;
    return record.halfOpenUntilMs;
  }

  /**
   * A call that began at `startedMs` was answered: it closes a breaker that opened before it began. One that was under way when the
   * breaker opened, a long stream say, changes nothing.
   */
  succeeded(channelId: number, startedMs: number): void {
    const record = this.#records.get(channelId);
    if (record === undefined || (record.openUntilMs > 0 && startedMs < record.openedMs)) return;
    this.#records.delete(channelId);
  }

  /**
   * Counts a fault of the channel (not of the client). `requestedOpenMs` is the upstream's Retry-After, 0 for none: it is kept at once.
   * A half-open breaker's one call that fails opens it again at once; calls that were under way when it opened say nothing new.
   */
  failed(channelId: number, { nowMs, startedMs = nowMs, requestedOpenMs = 0, halfOpenProbe = 0 }: FailedCall): void {
    const record = this.#records.get(channelId) ?? newRecord();
    this.#records.set(channelId, record);
    if (requestedOpenMs > 0) return this.#openAsRequested(record, nowMs, requestedOpenMs);
    if (nowMs < record.openUntilMs || (record.openUntilMs > 0 && startedMs < record.openedMs)) return;
    const wasHalfOpen = halfOpenProbe > 0 && record.halfOpenUntilMs === halfOpenProbe;
    record.failures += 1;
    if (record.failures < this.#rules.failures && !wasHalfOpen) return;
    const openMs = Math.min(this.#rules.openMs * 2 ** record.timesOpened, this.#rules.maxOpenMs);
    record.timesOpened = Math.min(record.timesOpened + 1, 16);
    Object.assign(record, { openUntilMs: nowMs + openMs, openedMs: nowMs, halfOpenUntilMs: 0, isRequested: false });
  }

  #openAsRequested(record: Record, nowMs: number, requestedMs: number): void {
    const untilMs = nowMs + Math.min(requestedMs, this.#rules.maxOpenMs);
    // Also a wish that ends before the present cooldown is newer than the calls under way.
    record.openedMs = nowMs;
    if (untilMs <= record.openUntilMs) return;
    Object.assign(record, { openUntilMs: untilMs, halfOpenUntilMs: 0, isRequested: true });
  }

  /** A call that ended and says nothing of the channel (the client left): where it had the half-open channel, another may. */
  ended(channelId: number, halfOpenProbe: number): void {
    if (halfOpenProbe === 0) return;
    const record = this.#records.get(channelId);
    if (record?.halfOpenUntilMs === halfOpenProbe) record.halfOpenUntilMs = 0;
  }
}

const newRecord = (): Record => ({
  failures: 0,
  timesOpened: 0,
  openUntilMs: 0,
  openedMs: 0,
  halfOpenUntilMs: 0,
  isRequested: false,
});

/** Ours: a server that was updated to serve the format is tried again after this. */
const MEMORY_MS = 3_600_000;

/** Which wire formats a channel was seen not to serve: forgotten after an hour and when the channel is edited. */
export class MissingFormats {
  /** By the channel as it is in the snapshot: an edited one is another object. */
  readonly #channels = new WeakMap<object, Map<string, number>>();
  /** False until something was seen, which spares the hot path its questions. */
  hasRecords = false;

  /** `format` is a name, or a name and a model where only that model lacks it. `nowMs` counts from any fixed moment. */
  note(channel: object, format: string, nowMs: number): void {
    this.hasRecords = true;
    let formats = this.#channels.get(channel);
    if (formats === undefined) this.#channels.set(channel, (formats = new Map()));
    formats.set(format, nowMs + MEMORY_MS);
  }

  isMissing(channel: object, format: string, nowMs: number): boolean {
    return nowMs < (this.#channels.get(channel)?.get(format) ?? 0);
  }
}
