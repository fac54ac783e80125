/** Series of a metric by labels, bounded in number: counted on the hot path under one text as key, given labels only where they are read. */
import { Histogram, type Registry } from "prom-client";

export type Labels = Readonly<Record<string, string>>;

interface Series<Value> {
  readonly labels: Labels;
  readonly value: Value;
  /** Clock in milliseconds. */
  usedMs: number;
}

/** A series that counted nothing for this long makes room for a new one: Prometheus has read it long ago. */
const IDLE_MS = 3_600_000;
/** Looking for idle series reads all of them, so it is done no more often. */
const SWEEP_EVERY_MS = 60_000;

/** At most `limit` series with labels of their own; what is beyond is counted under the labels that `fold` gives, of which there are few. */
export class BoundedSeries<Value> {
  readonly #series = new Map<string, Series<Value>>();
  readonly #folded = new Map<string, Series<Value>>();
  readonly #limit: number;
  readonly #create: () => Value;
  readonly #fold: (labels: Labels) => Labels;
  #sweptMs = Number.NEGATIVE_INFINITY;

  constructor(limit: number, create: () => Value, fold: (labels: Labels) => Labels) {
    this.#limit = limit;
    this.#create = create;
    this.#fold = fold;
  }

  /** Undefined where `key` has no series yet; `add` gives it one. `nowMs` by any clock that only goes forward. */
  find(key: string, nowMs: number): Value | undefined {
    const series = this.#series.get(key);
    if (series === undefined) return undefined;
    series.usedMs = nowMs;
    return series.value;
  }

  /** A series for a key that has none, or the folded one where there is no room. */
  add(key: string, labels: Labels, nowMs: number): Value {
    if (this.#series.size >= this.#limit) this.#sweep(nowMs);
    const hasRoom = this.#series.size < this.#limit;
    const own = hasRoom ? labels : this.#fold(labels);
    const place = hasRoom ? key : Object.values(own).join("\n");
    const into = hasRoom ? this.#series : this.#folded;
    const series = into.getOrInsertComputed(place, () => ({ labels: own, value: this.#create(), usedMs: nowMs }));
    return series.value;
  }

  #sweep(nowMs: number): void {
    if (nowMs - this.#sweptMs < SWEEP_EVERY_MS) return;
    this.#sweptMs = nowMs;
    // Its history is not added to the folded series: Prometheus would take that for calls of this moment.
    for (const [key, { usedMs }] of this.#series) if (nowMs - usedMs >= IDLE_MS) this.#series.delete(key);
  }

  *[Symbol.iterator](): Generator<Series<Value>> {
    yield* this.#series.values();
    yield* this.#folded.values();
  }
}

/** Observations of one series: how many fell below each bound, and their sum. */
export class Distribution {
  readonly #bounds: readonly number[];
  /** By the first bound that is not below the value; the last is what is above all of them. */
  readonly #counts: Float64Array;
  sum = 0;
  count = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let index = 0;
    for (const bound of this.#bounds) {
      if (value <= bound) break;
      index += 1;
    }
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.sum += value;
    this.count += 1;
  }

  /** How many were at most each bound, the last being infinity. */
  *cumulative(): Generator<[bound: number, count: number]> {
    let total = 0;
    for (const [index, count] of this.#counts.entries()) {
      total += count;
      yield [this.#bounds[index] ?? Number.POSITIVE_INFINITY, total];
    }
  }
}

/** What a histogram is made of. */
interface HistogramOptions {
  name: string;
  help: string;
  labelNames: readonly string[];
  registers: Registry[];
  /** The series to show when it is read; one without observations is left out. */
  read(): Iterable<{ labels: Labels; value: Distribution }>;
}

const valuesOf = (name: string, labels: Labels, value: Distribution) => [
  ...[...value.cumulative()].map(([bound, count]) => ({
    metricName: `${name}_bucket`,
    labels: { le: Number.isFinite(bound) ? bound : "+Inf" },
    sharedLabels: labels,
    value: count,
  })),
  { metricName: `${name}_sum`, labels: {}, sharedLabels: labels, value: value.sum },
  { metricName: `${name}_count`, labels: {}, sharedLabels: labels, value: value.count },
];

/** A histogram whose observations are kept outside prom-client, which would build a key from the labels for each of them. */
export class SeriesHistogram extends Histogram {
  readonly #options: HistogramOptions;

  constructor(options: HistogramOptions) {
    const { name, help, labelNames, registers } = options;
    super({ name, help, labelNames, registers });
    this.#options = options;
  }

  /** What prom-client asks for, as text and, through its `get`, for the sum of several processes. */
  async getForPromString() {
    const { name, help, read } = this.#options;
    const shown = [...read()].filter(({ value }) => value.count > 0);
    const values = shown.flatMap(({ labels, value }) => valuesOf(name, labels, value));
    return { name, help, type: "histogram", aggregator: "sum", values };
  }
}
