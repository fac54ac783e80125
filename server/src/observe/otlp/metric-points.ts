/** The metrics of prom-client as points of OTLP: counters as cumulative sums with the time they began at, gauges, and histograms with their bounds (opentelemetry-proto's metrics.proto). */
import type { Registry } from "prom-client";
import { type Attributes, attributesOf, nanoseconds } from "./attributes.ts";

/** What prom-client gives of one process, or of several added up. */
export type Families = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

interface Sample {
  labels: Readonly<Record<string, string | number | undefined>>;
  value: number;
  /** Which part of a histogram it is. */
  metricName?: string;
}

/** One point, which is sent with its metric. */
export interface MetricPoint {
  metric: { name: string; description: string; unit: string; kind: "sum" | "gauge" | "histogram" };
  point: object;
}

const CUMULATIVE = 2;
/** Units by the last word of a name, `_total` left out; tokens, quota and calls have none. */
const UNITS: Readonly<Record<string, string>> = { seconds: "s", bytes: "By" };
const unitOf = (name: string): string =>
  UNITS[
    name
      .replace(/_total$/, "")
      .split("_")
      .at(-1) ?? ""
  ] ?? "";

/** A label without text is one that the series does not have. */
const withoutEmpty = ({ le: _bound, ...labels }: Sample["labels"]): Attributes =>
  Object.fromEntries(
    Object.entries(labels).flatMap(([name, text]) =>
      text === undefined || text === "" ? [] : [[name, String(text)] as const],
    ),
  );

interface Histogram {
  labels: Sample["labels"];
  /** Upper bound and how many were at most that, as they come. */
  buckets: [bound: number, count: number][];
  sum: number;
  count: number;
}

/** The histograms of one family, whose parts come one by one. */
function histogramsIn(name: string, samples: readonly Sample[]): Histogram[] {
  const found = new Map<string, Histogram>();
  for (const { labels, value, metricName } of samples) {
    const { le, ...own } = labels;
    const key = JSON.stringify(own);
    const histogram = found.getOrInsertComputed(key, () => ({ labels: own, buckets: [], sum: 0, count: 0 }));
    if (metricName === `${name}_sum`) histogram.sum = value;
    else if (metricName === `${name}_count`) histogram.count = value;
    else histogram.buckets.push([le === "+Inf" ? Number.POSITIVE_INFINITY : Number(le), value]);
  }
  return [...found.values()];
}

/** Prometheus counts what is at most a bound, OTLP what is between two. */
function histogramPoint({ buckets, sum, count }: Histogram): object {
  const sorted = buckets.toSorted(([left], [right]) => left - right);
  const counts = sorted.map(([, atMost], index) => atMost - (sorted[index - 1]?.[1] ?? 0));
  return {
    count: String(count),
    sum,
    bucketCounts: counts.map(String),
    explicitBounds: sorted.map(([bound]) => bound).filter(Number.isFinite),
  };
}

/** When a series began, and where it stood when it was read last. */
interface Begun {
  startMs: number;
  value: number;
}

/** Reads families as points, and remembers of each series since when it counts. */
export class PointReader {
  #readMs: number;
  #begun = new Map<string, Begun>();

  /** `startMs` is when all counting began, in Unix milliseconds. */
  constructor(startMs: number) {
    this.#readMs = startMs;
  }

  /** The points of one reading. The time never goes back, whatever the clock does. */
  read(families: Families, nowMs: number): MetricPoint[] {
    const [lastMs, timeMs] = [this.#readMs, Math.max(nowMs, this.#readMs + 1)];
    const begun = new Map<string, Begun>();
    const since = (key: string, value: number): number => {
      const before = this.#begun.get(key);
      // A series that is new, or that fell because one without calls had made room, counts from the reading before.
      const startMs = before === undefined || value < before.value ? lastMs : before.startMs;
      begun.set(key, { startMs, value });
      return startMs;
    };
    const points = families.flatMap((family) => pointsOf(family, timeMs, since));
    this.#begun = begun;
    this.#readMs = timeMs;
    return points;
  }
}

type Since = (key: string, value: number) => number;
type Kind = MetricPoint["metric"]["kind"];
/** Kinds of prom-client that are sent; there are no summaries here. */
const KINDS: Readonly<Record<string, Kind>> = { counter: "sum", gauge: "gauge", histogram: "histogram" };

function pointsOf({ name, help, type, values }: Families[number], timeMs: number, since: Since): MetricPoint[] {
  const kind = KINDS[String(type)];
  if (kind === undefined) return [];
  const metric = { name, description: help, unit: unitOf(name), kind };
  const point = (labels: Sample["labels"], value: number, fields: object): MetricPoint => {
    const start = kind === "gauge" ? undefined : since(`${name}${JSON.stringify(labels)}`, value);
    return {
      metric,
      point: {
        attributes: attributesOf(withoutEmpty(labels)),
        ...(start === undefined ? {} : { startTimeUnixNano: nanoseconds(start) }),
        timeUnixNano: nanoseconds(timeMs),
        ...fields,
      },
    };
  };
  if (kind === "histogram")
    return histogramsIn(name, values as Sample[]).map((each) => point(each.labels, each.count, histogramPoint(each)));
  return values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ labels, value }) => point(labels as Sample["labels"], value, { asDouble: value }));
}

const DATA_OF: Readonly<Record<Kind, object>> = {
  sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true },
  gauge: {},
  histogram: { aggregationTemporality: CUMULATIVE },
};

/** The body of one request to a collector. `resource` says which program the points are of. */
export function metricsBody(resource: Attributes, points: readonly MetricPoint[]): string {
  const metrics = [...Map.groupBy(points, ({ metric }) => metric.name).values()].map((ofOne) => {
    const { kind, ...named } = ofOne[0]?.metric ?? { kind: "gauge" as const };
    return { ...named, [kind]: { dataPoints: ofOne.map(({ point }) => point), ...DATA_OF[kind] } };
  });
  const scopeMetrics = [{ scope: { name: "turnpike" }, metrics }];
  return JSON.stringify({ resourceMetrics: [{ resource: { attributes: attributesOf(resource) }, scopeMetrics }] });
}
