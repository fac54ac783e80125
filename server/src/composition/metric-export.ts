/** Opens the sending of metrics to a collector, where one is configured for them: of a single process, or of all workers by their primary. */
import type { Config } from "../config.ts";
import type { Families } from "../observe/otlp/metric-points.ts";
import { PROGRAM } from "./program.ts";

interface Sender {
  /** Says which process the metrics are of; with workers it is the primary. */
  processId: string;
  read(): Promise<Families>;
  /** Takes a line for the operator; `isFailing` where the collector stopped taking metrics. */
  say(line: string, isFailing: boolean): void;
}

/** Ends the sending of metrics with the last counts. */
interface MetricExport {
  close(limitMs: number): Promise<void>;
}

/** For the last counts; less than what the end of the parts is given. */
export const LAST_METRICS_MS = 800;

/** Undefined where the configuration sends none. */
export async function openMetricExport(
  { metricExport }: Config,
  { processId, read, say }: Sender,
): Promise<MetricExport | undefined> {
  if (metricExport === undefined) return undefined;
  // Loaded only if it is used: most installations have no collector.
  const { MetricExporter } = await import("../observe/otlp/metric-exporter.ts");
  const own = { "service.version": PROGRAM.version, "service.instance.id": processId };
  return new MetricExporter(metricExport, own, {
    read,
    onChange: (reason) =>
      reason === ""
        ? say("the collector takes all metrics again", false)
        : say(`the collector does not take all metrics (${reason}); the next sending has what this one lacks`, true),
  });
}
