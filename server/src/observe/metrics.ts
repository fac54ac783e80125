/** Metrics of the relay for /metrics: plain counters on the hot path, converted to prom-client only when they are read. */
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";

/** Upper bounds in seconds. */
const DURATION_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

export interface CallMetric {
  operation: string;
  /** HTTP status of the response; 499 if the client disconnected before the end. */
  status: number;
  durationSeconds: number;
  promptTokens: number;
  completionTokens: number;
  /** Quota charged; 0 for failed calls. */
  quota: number;
}

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
  readonly #calls = new Map<string, Map<number, number>>();
  readonly #failures = new Map<string, number>();
  readonly #totals = { promptTokens: 0, completionTokens: 0, quota: 0 };
  readonly #duration: Histogram;

  constructor(options: { withProcess?: boolean } = {}) {
    const registers = [this.registry];
    if (options.withProcess === true) collectDefaultMetrics({ register: this.registry });
    this.#duration = new Histogram({
      name: "turnpike_call_duration_seconds",
      help: "Time from the request to the end of the answer",
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.#callCounter(registers);
    this.#failureCounter(registers);
    const { registry } = this;
    this.#gauge(registry, "turnpike_open_calls", "Calls being served now", () => this.openCalls);
    this.#total(registry, "turnpike_prompt_tokens_total", "Tokens that went in", () => this.#totals.promptTokens);
    this.#total(
      registry,
      "turnpike_completion_tokens_total",
      "Tokens that came out",
      () => this.#totals.completionTokens,
    );
    this.#total(registry, "turnpike_charged_quota_total", "Quota charged", () => this.#totals.quota);
    this.#total(registry, "turnpike_overshoots_total", "Settlements above their hold", () => this.overshoots);
    this.#total(
      registry,
      "turnpike_refused_settlements_total",
      "Settlements that the database refused, kept aside for an operator",
      () => this.refusedSettlements,
    );
    this.#total(registry, "turnpike_overshoot_quota_total", "Quota above holds", () => this.overshootQuota);
  }

  #callCounter(registers: Registry[]): void {
    const calls = this.#calls;
    new Counter({
      name: "turnpike_calls_total",
      help: "Calls by operation and status",
      labelNames: ["operation", "status"],
      registers,
      collect() {
        this.reset();
        for (const [operation, byStatus] of calls)
          for (const [status, count] of byStatus) this.inc({ operation, status }, count);
      },
    });
  }

  #failureCounter(registers: Registry[]): void {
    const failures = this.#failures;
    new Counter({
      name: "turnpike_upstream_failures_total",
      help: "Failed attempts at upstreams by kind",
      labelNames: ["kind"],
      registers,
      collect() {
        this.reset();
        for (const [kind, count] of failures) this.inc({ kind }, count);
      },
    });
  }

  #gauge(registry: Registry, name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  }

  #total(registry: Registry, name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  called(call: CallMetric): void {
    let byStatus = this.#calls.get(call.operation);
    if (byStatus === undefined) this.#calls.set(call.operation, (byStatus = new Map()));
    byStatus.set(call.status, (byStatus.get(call.status) ?? 0) + 1);
    this.#totals.promptTokens += call.promptTokens;
    this.#totals.completionTokens += call.completionTokens;
    this.#totals.quota += call.quota;
    this.#duration.observe(call.durationSeconds);
  }

  upstreamFailed(kind: string): void {
    this.#failures.set(kind, (this.#failures.get(kind) ?? 0) + 1);
  }

  settlementRefused(): void {
    this.refusedSettlements += 1;
  }

  overshot(quota: number): void {
    this.overshoots += 1;
    this.overshootQuota += quota;
  }
}
