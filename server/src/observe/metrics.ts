/** Metrics of the relay for /metrics: plain counters on the hot path, converted to prom-client only when they are read (docs/metrics.md). */
import { type Aggregator, Counter, Gauge, Registry, collectDefaultMetrics } from "prom-client";
import { WITHOUT_LOOP_DELAY, watchLoopDelay } from "./loop-delay.ts";
import { BoundedSeries, Distribution, type Labels, SeriesHistogram } from "./series.ts";

export type { Labels };

/** Upper bounds in seconds. */
const DURATION_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const FIRST_TOKEN_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const OVERHEAD_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** Series with labels of their own, of each process; docs/metrics.md names these. */
export const SERIES_LIMITS = { calls: 2_000, times: 300, channels: 1_000 } as const;
/** Label of what is beyond those, and of models that no channel lists. */
export const OTHER = "other";

const CALL_LABELS = ["model", "channel", "provider", "operation", "status", "status_class", "group"];
const TIME_LABELS = ["model", "channel", "provider", "operation"];
const CHANNEL_LABELS = ["channel", "provider"];

/** Where a call went; the texts are empty and the id 0 where it did not come so far. */
export interface ChannelLabels {
  channelId: number;
  /** Slug of the provider. */
  provider: string;
}

export interface CallMetric extends ChannelLabels {
  /** As a channel lists it, else `OTHER`. */
  model: string;
  operation: string;
  group: string;
  /** HTTP status of the response; 499 if the client disconnected before the end. */
  status: number;
  /** By the clock of `performance.now`. */
  nowMs: number;
  durationSeconds: number;
  /** 0 where nothing was streamed. */
  firstTokenSeconds: number;
  /** Time spent outside upstreams and the client's sending; undefined where no upstream was asked. */
  overheadSeconds: number | undefined;
  promptTokens: number;
  completionTokens: number;
  /** Quota charged; 0 for failed calls. */
  quota: number;
  /** What it cost at the upstream, in the same unit; undefined where that is unknown, or nothing was charged. */
  upstreamCost?: number | undefined;
}

const newCount = () => ({ calls: 0, promptTokens: 0, completionTokens: 0, quota: 0, costed: 0, cost: 0 });
type CallCount = ReturnType<typeof newCount>;

const newTimes = () => ({
  duration: new Distribution(DURATION_BUCKETS),
  firstToken: new Distribution(FIRST_TOKEN_BUCKETS),
});

const idText = (channelId: number): string => (channelId === 0 ? "" : String(channelId));

function callLabels({ model, channelId, provider, operation, status, group }: CallMetric): Labels {
  const status_class = `${Math.floor(status / 100)}xx`;
  return { model, channel: idText(channelId), provider, operation, status: String(status), status_class, group };
}

const foldCall = ({ operation = "", status_class = "" }: Labels): Labels => ({
  model: OTHER,
  channel: OTHER,
  provider: OTHER,
  operation,
  status: OTHER,
  status_class,
  group: OTHER,
});
const foldTimes = ({ operation = "" }: Labels): Labels => ({
  model: OTHER,
  channel: OTHER,
  provider: OTHER,
  operation,
});
const foldChannel = (labels: Labels): Labels => ({ ...labels, channel: OTHER, provider: OTHER });

/** A gauge that is read from the part that knows it, when /metrics is. */
export interface WatchedGauge {
  name: string;
  help: string;
  /** None where absent. */
  labelNames?: readonly string[];
  /** How the values of several processes become one; their sum where absent. */
  aggregator?: Aggregator;
  read(): GaugeValues | Promise<GaugeValues>;
}

type GaugeValues = Iterable<[labels: Labels, value: number]>;

/** Counters of one process. */
export class Metrics {
  readonly registry = new Registry();
  /** Calls in progress. */
  openCalls = 0;
  /** Settlements larger than their hold. */
  overshoots = 0;
  /** Quota units above holds, summed. */
  overshootQuota = 0;
  /** Settlements that every database refuses. */
  refusedSettlements = 0;
  /** Spans of traces that the collector took. */
  spansSent = 0;
  /** Spans that no collector has: the queue was full, or it refused them. */
  spansDropped = 0;
  readonly #calls = new BoundedSeries(SERIES_LIMITS.calls, newCount, foldCall);
  readonly #times = new BoundedSeries(SERIES_LIMITS.times, newTimes, foldTimes);
  readonly #overhead = new Map<string, Distribution>();
  readonly #failures = new BoundedSeries(SERIES_LIMITS.channels, () => ({ count: 0 }), foldChannel);
  readonly #retries = new BoundedSeries(SERIES_LIMITS.channels, () => ({ count: 0 }), foldChannel);

  constructor(options: { withProcess?: boolean } = {}) {
    if (options.withProcess === true) {
      collectDefaultMetrics({ register: this.registry, ...WITHOUT_LOOP_DELAY });
      watchLoopDelay(this.registry);
    }
    this.#callCounters();
    this.#timeHistograms();
    const eventLabels = (label: string) => [label, ...CHANNEL_LABELS];
    this.#counter("turnpike_upstream_failures_total", "Failed attempts at upstreams by kind", eventLabels("kind"), () =>
      counted(this.#failures),
    );
    this.#counter("turnpike_retries_total", "Failed attempts after which the call went on", eventLabels("reason"), () =>
      counted(this.#retries),
    );
    this.#total("turnpike_overshoots_total", "Settlements above their hold", () => this.overshoots);
    this.#total("turnpike_overshoot_quota_total", "Quota above holds", () => this.overshootQuota);
    this.#total(
      "turnpike_refused_settlements_total",
      "Settlements that the database refused, kept aside for an operator",
      () => this.refusedSettlements,
    );
    this.#total("turnpike_spans_sent_total", "Spans of traces that the collector took", () => this.spansSent);
    this.#total("turnpike_spans_dropped_total", "Spans of traces that were lost", () => this.spansDropped);
    this.watch({
      name: "turnpike_open_calls",
      help: "Calls being served now",
      read: () => [[{}, this.openCalls]],
    });
  }

  #callCounters(): void {
    const of = (name: string, help: string, read: (count: CallCount) => number) =>
      this.#counter(name, help, CALL_LABELS, () => readSeries(this.#calls, read));
    of("turnpike_calls_total", "Calls that ended", ({ calls }) => calls);
    of("turnpike_prompt_tokens_total", "Tokens that went in", ({ promptTokens }) => promptTokens);
    of("turnpike_completion_tokens_total", "Tokens that came out", ({ completionTokens }) => completionTokens);
    of("turnpike_charged_quota_total", "Quota charged", ({ quota }) => quota);
    of("turnpike_costed_quota_total", "Quota charged for calls whose upstream cost is known", ({ costed }) => costed);
    of("turnpike_upstream_cost_quota_total", "What these calls cost at the upstream", ({ cost }) => cost);
  }

  #timeHistograms(): void {
    const registers = [this.registry];
    const of = (name: string, help: string, read: "duration" | "firstToken") =>
      new SeriesHistogram({
        name,
        help,
        registers,
        labelNames: TIME_LABELS,
        read: () => [...this.#times].map(({ labels, value }) => ({ labels, value: value[read] })),
      });
    of("turnpike_call_duration_seconds", "Time from the request to the end of the answer", "duration");
    of("turnpike_first_token_seconds", "Time from the request to the begin of a streamed answer", "firstToken");
    new SeriesHistogram({
      name: "turnpike_overhead_seconds",
      help: "Time of a call outside upstreams and the sending of its body",
      labelNames: ["operation"],
      registers,
      read: () => [...this.#overhead].map(([operation, value]) => ({ labels: { operation }, value })),
    });
  }

  #counter(
    name: string,
    help: string,
    labelNames: readonly string[],
    read: () => Iterable<[labels: Labels, value: number]>,
  ): void {
    new Counter({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [labels, value] of read()) this.inc(labels, value);
      },
    });
  }

  #total(name: string, help: string, read: () => number): void {
    this.#counter(name, help, [], () => [[{}, read()]]);
  }

  /** Shows what another part knows. Throws where the name is taken. */
  watch({ name, help, labelNames = [], aggregator = "sum", read }: WatchedGauge): void {
    new Gauge({
      name,
      help,
      labelNames,
      aggregator,
      registers: [this.registry],
      async collect() {
        const values = await read();
        this.reset();
        for (const [labels, value] of values) this.set(labels, value);
      },
    });
  }

  called(call: CallMetric): void {
    const { model, channelId, provider, operation, status, group, nowMs } = call;
    const place = `${model}\n${channelId}\n${provider}\n${operation}`;
    const key = `${place}\n${status}\n${group}`;
    const count = this.#calls.find(key, nowMs) ?? this.#calls.add(key, callLabels(call), nowMs);
    count.calls += 1;
    count.promptTokens += call.promptTokens;
    count.completionTokens += call.completionTokens;
    count.quota += call.quota;
    if (call.upstreamCost !== undefined) {
      count.costed += call.quota;
      count.cost += call.upstreamCost;
    }
    const times = this.#times.find(place, nowMs) ?? this.#times.add(place, timeLabels(call), nowMs);
    times.duration.observe(call.durationSeconds);
    if (call.firstTokenSeconds > 0) times.firstToken.observe(call.firstTokenSeconds);
    if (call.overheadSeconds !== undefined) this.#overheadOf(operation).observe(call.overheadSeconds);
  }

  #overheadOf(operation: string): Distribution {
    let known = this.#overhead.get(operation);
    if (known === undefined) this.#overhead.set(operation, (known = new Distribution(OVERHEAD_BUCKETS)));
    return known;
  }

  upstreamFailed(kind: string, { channelId, provider }: ChannelLabels): void {
    const labels = { kind, channel: idText(channelId), provider };
    countEvent(this.#failures, labels);
  }

  /** A failed attempt at this channel, after which another channel or key was asked. */
  retried(reason: string, { channelId, provider }: ChannelLabels): void {
    countEvent(this.#retries, { reason, channel: idText(channelId), provider });
  }

  settlementRefused(): void {
    this.refusedSettlements += 1;
  }

  overshot(quota: number): void {
    this.overshoots += 1;
    this.overshootQuota += quota;
  }
}

const timeLabels = ({ model, channelId, provider, operation }: CallMetric): Labels => ({
  model,
  channel: idText(channelId),
  provider,
  operation,
});

function countEvent(series: BoundedSeries<{ count: number }>, labels: Labels): void {
  const key = Object.values(labels).join("\n");
  const nowMs = performance.now();
  const event = series.find(key, nowMs) ?? series.add(key, labels, nowMs);
  event.count += 1;
}

const readSeries = <Value>(
  series: BoundedSeries<Value>,
  read: (value: Value) => number,
): [labels: Labels, value: number][] => [...series].map(({ labels, value }) => [labels, read(value)]);

const counted = (series: BoundedSeries<{ count: number }>) => readSeries(series, ({ count }) => count);
