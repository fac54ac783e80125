/** Which channels are resting after repeated failures; in memory of each process, never stored. */

export interface ChannelHealthRules {
  /** Failures in a row after which a channel rests. */
  failures: number;
  /** First rest in milliseconds; each further one is twice as long, up to `maxRestMs`. */
  restMs: number;
  maxRestMs: number;
}

/** Ours: no vendor or specification gives these. */
const HEALTH_RULES: ChannelHealthRules = Object.freeze({ failures: 5, restMs: 15_000, maxRestMs: 300_000 });

interface Record {
  failures: number;
  rests: number;
  /** Clock in milliseconds until which it rests; 0 while it works. */
  restsUntilMs: number;
  /** One probe at a time after a rest. */
  isProbing: boolean;
}

export class ChannelHealth {
  readonly #rules: ChannelHealthRules;
  readonly #records = new Map<number, Record>();

  constructor(rules: ChannelHealthRules = HEALTH_RULES) {
    this.#rules = rules;
  }

  /** False while every channel is well, which spares the hot path its questions. */
  get hasRecords(): boolean {
    return this.#records.size > 0;
  }

  /** True while calls should go elsewhere: resting, or being probed by another call after a rest. Asking changes nothing. */
  isResting(channelId: number, nowMs: number): boolean {
    const record = this.#records.get(channelId);
    if (record === undefined || record.restsUntilMs === 0) return false;
    return record.isProbing || nowMs < record.restsUntilMs;
  }

  /** Told when a call is sent: after a rest that call is the probe. */
  started(channelId: number, nowMs: number): void {
    const record = this.#records.get(channelId);
    if (record !== undefined && record.restsUntilMs !== 0 && nowMs >= record.restsUntilMs) record.isProbing = true;
  }

  succeeded(channelId: number): void {
    if (this.#records.size > 0) this.#records.delete(channelId);
  }

  /** Counts a fault of the channel (not of the client); the probe's failure rests it again at once. */
  failed(channelId: number, nowMs: number): void {
    const record = this.#records.get(channelId) ?? { failures: 0, rests: 0, restsUntilMs: 0, isProbing: false };
    this.#records.set(channelId, record);
    record.failures += 1;
    if (record.failures < this.#rules.failures && !record.isProbing) return;
    record.isProbing = false;
    record.restsUntilMs = nowMs + Math.min(this.#rules.restMs * 2 ** record.rests, this.#rules.maxRestMs);
    record.rests = Math.min(record.rests + 1, 16);
  }

  /** A call that ended without telling anything of the channel (the client left): another may probe. */
  ended(channelId: number): void {
    const record = this.#records.get(channelId);
    if (record !== undefined) record.isProbing = false;
  }
}
