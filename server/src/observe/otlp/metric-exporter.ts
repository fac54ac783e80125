/** Sends the metrics to a collector in intervals, by OTLP over HTTP: a collector that is away costs nothing, and loses no count, since the next reading has all of them. */
import { endsWithin } from "../../util/deadline.ts";
import type { MetricExportConfig } from "../../util/telemetry-variables.ts";
import { type Attributes, resourceOf } from "./attributes.ts";
import { Collector, type Outcome } from "./collector.ts";
import { type Families, type MetricPoint, PointReader, metricsBody } from "./metric-points.ts";

/** Points of one request, about a megabyte. */
const BATCH_POINTS = 2_000;
/** Points of one reading, more than one process can have of its bounded series; what several have beyond stays out, and the log says so. */
export const MAX_POINTS = 50_000;

interface ExportEvents {
  /** The metrics of everything that is counted here. May reject. */
  read(): Promise<Families>;
  /** Called once when metrics do not arrive whole any more, and once when they do again (`reason` is empty then). */
  onChange(reason: string): void;
}

function batchesOf(points: readonly MetricPoint[]): MetricPoint[][] {
  const kept = points.slice(0, MAX_POINTS);
  const count = Math.ceil(kept.length / BATCH_POINTS);
  return Array.from({ length: count }, (_, index) => kept.slice(index * BATCH_POINTS, (index + 1) * BATCH_POINTS));
}

export class MetricExporter {
  readonly #config: MetricExportConfig;
  readonly #events: ExportEvents;
  readonly #resource: Attributes;
  readonly #collector: Collector;
  readonly #points = new PointReader(Date.now());
  readonly #end = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #sending: Promise<void> | undefined;
  #reason = "";

  /** `own` says which process the metrics are of. */
  constructor(config: MetricExportConfig, own: Attributes, events: ExportEvents) {
    this.#config = config;
    this.#events = events;
    this.#resource = resourceOf(config, own);
    this.#collector = new Collector(config.url, config.headers);
    this.#timer = setInterval(() => this.#begin(), config.everyMs).unref();
  }

  /** Sends unless the interval before is still being sent. */
  #begin(): void {
    this.#sending ??= this.#send(AbortSignal.timeout(this.#config.timeoutMs)).finally(
      () => (this.#sending = undefined),
    );
  }

  /** Reads and sends everything once. Never rejects. */
  async #send(timeout: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([this.#end.signal, timeout]);
    const reason = await this.#sendAll(signal).catch((error: unknown) => String(error));
    if (reason !== this.#reason && (reason === "" || this.#reason === "")) this.#events.onChange(reason);
    this.#reason = reason;
  }

  /** Why not everything arrived; empty where it did. What a failed request had the next interval has too, so it is not sent again. */
  async #sendAll(signal: AbortSignal): Promise<string> {
    const points = this.#points.read(await this.#events.read(), Date.now());
    let rejected = 0;
    for (const batch of batchesOf(points)) {
      const outcome: Outcome = await this.#collector.post(metricsBody(this.#resource, batch), signal);
      if (outcome.reason !== "") return outcome.reason;
      rejected += outcome.rejected;
    }
    if (rejected > 0) return `${rejected} of ${points.length} points were refused`;
    return points.length > MAX_POINTS ? `${points.length} points are more than ${MAX_POINTS}` : "";
  }

  /** Sends the last counts for at most `limitMs`, then gives up. Never rejects. */
  async close(limitMs: number): Promise<void> {
    clearInterval(this.#timer);
    const last = async (): Promise<void> => {
      await this.#sending;
      if (!this.#end.signal.aborted) await this.#send(AbortSignal.timeout(limitMs));
    };
    const sent = last();
    await endsWithin(sent, limitMs);
    this.#end.abort();
    await endsWithin(sent, limitMs);
    this.#collector.close();
  }
}
