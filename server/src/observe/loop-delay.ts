/** How late the event loop comes to its timers: measured ten times a second, for the process's vital figures and for /metrics (docs/metrics.md). */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { type Aggregator, Gauge, type Registry } from "prom-client";

/** Each look wakes the process: at the usual 10 ms an idle server spent a hundredth of a core on looking. */
const RESOLUTION_MS = 100;
const NANOSECONDS_PER_MS = 1_000_000;
/** 25 days, the longest time of a timer: prom-client has no other way to leave its own monitor out. */
const NEVER_MS = 2_147_483_647;

/** Milliseconds beyond the time at which the loop was due; all 0 where there was no look yet. */
export interface LoopDelays {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly stddev: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

const NO_DELAYS: LoopDelays = Object.freeze({ min: 0, max: 0, mean: 0, stddev: 0, p50: 0, p90: 0, p99: 0 });

/** Measures from its making to `stop`. */
export class LoopDelayMonitor {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.#histogram.enable();
  }

  /** The delays since the last call of it. */
  take(): LoopDelays {
    const { count, min, max, mean, stddev } = this.#histogram;
    if (count === 0) return NO_DELAYS;
    const late = (nanoseconds: number): number => Math.max(0, nanoseconds / NANOSECONDS_PER_MS - RESOLUTION_MS);
    const [p50 = 0, p90 = 0, p99 = 0] = [50, 90, 99].map((share) => late(this.#histogram.percentile(share)));
    this.#histogram.reset();
    return { min: late(min), max: late(max), mean: late(mean), stddev: stddev / NANOSECONDS_PER_MS, p50, p90, p99 };
  }

  stop(): void {
    this.#histogram.disable();
  }
}

/** The names that prom-client gives such metrics, and how those of several processes become one. */
const GAUGES: Readonly<Record<keyof LoopDelays, Aggregator>> = {
  min: "min",
  max: "max",
  mean: "average",
  stddev: "average",
  p50: "average",
  p90: "average",
  p99: "average",
};

/** Settings with which `collectDefaultMetrics` measures no delays itself. */
export const WITHOUT_LOOP_DELAY = { eventLoopMonitoringPrecision: NEVER_MS } as const;

/** Puts gauges of the delays since the last scrape in the place of prom-client's own, whose values have the interval of their looks in them. */
export function watchLoopDelay(registry: Registry): void {
  const monitor = new LoopDelayMonitor();
  let delays = NO_DELAYS;
  // What is registered first is collected first.
  const [first] = Object.keys(GAUGES);
  for (const [figure, aggregator] of Object.entries(GAUGES) as [keyof LoopDelays, Aggregator][]) {
    const name = `nodejs_eventloop_lag_${figure}_seconds`;
    registry.removeSingleMetric(name);
    const gauge = new Gauge({
      name,
      help: `How late the event loop came to its timers since the last scrape: ${figure}`,
      registers: [registry],
      aggregator,
      collect: () => {
        if (figure === first) delays = monitor.take();
        gauge.set(delays[figure] / 1000);
      },
    });
  }
}
