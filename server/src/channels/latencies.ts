/** How soon channels give their first token, model by model, as averages in which the past fades; in memory of each process. */

/** Weight of a new time among those before it, at least: a single slow answer is no slow channel. */
const NEWEST_WEIGHT = 0.2;
/** A time this old counts for a third of what it did. */
const FADING_MS = 120_000;
/** Averages in all, of 100 bytes or so each; those of the model that was measured least lately go first. */
const AVERAGES_KEPT = 100_000;

interface Average {
  ms: number;
  atMs: number;
}

/** The channels of one model. */
export class ModelLatencies {
  readonly averages = new Map<number, Average>();
  /** Rises with every time that is noted. */
  version = 0;

  /** Milliseconds; undefined for a channel that was not measured. */
  averageMs(channelId: number): number | undefined {
    return this.averages.get(channelId)?.ms;
  }
}

export class ChannelLatencies {
  readonly #kept: number;
  readonly #models = new Map<string, ModelLatencies>();
  #count = 0;

  constructor(kept = AVERAGES_KEPT) {
    this.#kept = kept;
  }

  /** Undefined where no channel of the model was measured in this operation; a whole answer takes another time than a first word. */
  of(operation: string, model: string, isStream: boolean): ModelLatencies | undefined {
    return this.#models.get(`${isStream ? "stream" : "whole"} ${operation} ${model}`);
  }

  /** Takes in one time in milliseconds; `nowMs` is of a clock that only goes forward. */
  note(
    { operation, model, isStream }: { operation: string; model: string; isStream: boolean },
    channelId: number,
    ms: number,
    nowMs: number,
  ): void {
    const key = `${isStream ? "stream" : "whole"} ${operation} ${model}`;
    const latencies = this.#models.get(key) ?? new ModelLatencies();
    // Last in the order of use.
    this.#models.delete(key);
    this.#models.set(key, latencies);
    latencies.version += 1;
    const known = latencies.averages.get(channelId);
    if (known === undefined) {
      latencies.averages.set(channelId, { ms, atMs: nowMs });
      this.#count += 1;
      return this.#forgetOldest(key);
    }
    const weight = Math.max(NEWEST_WEIGHT, 1 - Math.exp((known.atMs - nowMs) / FADING_MS));
    known.ms += (ms - known.ms) * weight;
    known.atMs = nowMs;
  }

  #forgetOldest(current: string): void {
    for (const [key, { averages }] of this.#models) {
      if (this.#count <= this.#kept || key === current) return;
      this.#models.delete(key);
      this.#count -= averages.size;
    }
  }
}
