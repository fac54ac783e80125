/** Which channels are resting after repeated failures or at their upstream's own wish; in memory of each process, never stored. */

export interface ChannelHealthRules {
  /** Failures in a row after which a channel rests. */
  failures: number;
  /** First rest in milliseconds; each further one is twice as long, up to `maxRestMs`, which also bounds an upstream's wish. */
  restMs: number;
  maxRestMs: number;
  /** How long one probe keeps the others away: an answer that streams for an hour must not. */
  probeMs: number;
}

/** Ours: no vendor or specification gives these. */
const HEALTH_RULES: ChannelHealthRules = Object.freeze({
  failures: 5,
  restMs: 15_000,
  maxRestMs: 300_000,
  probeMs: 30_000,
});

export type RestReason = "resting after failures" | "resting as its upstream asked" | "being probed by another call";

interface Record {
  failures: number;
  rests: number;
  /** Clock in milliseconds until which it rests; 0 while it works. */
  restsUntilMs: number;
  /** Clock in milliseconds until which a probe after the rest has the channel for itself; 0 without one. */
  probeUntilMs: number;
  /** True where the rest is the upstream's Retry-After. */
  isAsked: boolean;
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
  restReason(channelId: number, nowMs: number): RestReason | undefined {
    const record = this.#records.get(channelId);
    if (record === undefined || record.restsUntilMs === 0) return undefined;
    if (nowMs < record.restsUntilMs) return record.isAsked ? "resting as its upstream asked" : "resting after failures";
    return nowMs < record.probeUntilMs ? "being probed by another call" : undefined;
  }

  /** Told when a call is sent: after a rest that call is the probe, and the others go elsewhere until it succeeded. */
  started(channelId: number, nowMs: number): void {
    const record = this.#records.get(channelId);
    if (record === undefined || record.restsUntilMs === 0 || nowMs < record.restsUntilMs) return;
    if (nowMs >= record.probeUntilMs) record.probeUntilMs = nowMs + this.#rules.probeMs;
  }

  succeeded(channelId: number): void {
    if (this.#records.size > 0) this.#records.delete(channelId);
  }

  /**
   * Counts a fault of the channel (not of the client). `askedRestMs` is the upstream's Retry-After, 0 for none: it is kept at once.
   * The probe's failure rests the channel again at once; calls that were under way when a rest began tell nothing new.
   */
  failed(channelId: number, nowMs: number, askedRestMs = 0): void {
    const record = this.#records.get(channelId) ?? newRecord();
    this.#records.set(channelId, record);
    if (askedRestMs > 0) return this.#restAsAsked(record, nowMs, askedRestMs);
    if (nowMs < record.restsUntilMs) return;
    const wasProbe = record.probeUntilMs > 0;
    record.failures += 1;
    if (record.failures < this.#rules.failures && !wasProbe) return;
    const restMs = Math.min(this.#rules.restMs * 2 ** record.rests, this.#rules.maxRestMs);
    record.rests = Math.min(record.rests + 1, 16);
    Object.assign(record, { restsUntilMs: nowMs + restMs, probeUntilMs: 0, isAsked: false });
  }

  #restAsAsked(record: Record, nowMs: number, askedMs: number): void {
    const untilMs = nowMs + Math.min(askedMs, this.#rules.maxRestMs);
    if (untilMs <= record.restsUntilMs) return;
    Object.assign(record, { restsUntilMs: untilMs, probeUntilMs: 0, isAsked: true });
  }

  /** A call that ended without telling anything of the channel (the client left): another may probe. */
  ended(channelId: number): void {
    const record = this.#records.get(channelId);
    if (record !== undefined) record.probeUntilMs = 0;
  }
}

const newRecord = (): Record => ({ failures: 0, rests: 0, restsUntilMs: 0, probeUntilMs: 0, isAsked: false });
