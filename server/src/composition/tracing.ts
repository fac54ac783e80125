/** Opens the traces of this process, where a collector is configured for them. */
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Tracer } from "../observe/tracing/tracer.ts";
import { PROGRAM } from "./program.ts";

interface TracedProcess {
  metrics: Metrics;
  logger: Logger;
  processId: string;
}

/** Undefined where the configuration names no collector. */
export async function openTracer(
  { tracing }: Config,
  { metrics, logger, processId }: TracedProcess,
): Promise<Tracer | undefined> {
  if (tracing === undefined) return undefined;
  // Loaded only if it is used: most installations have no collector.
  const { createTracer } = await import("../observe/tracing/tracer.ts");
  const own = { "service.version": PROGRAM.version, "service.instance.id": processId };
  return createTracer(tracing, own, {
    onSent: (spans) => (metrics.spansSent += spans),
    onDropped: (spans) => (metrics.spansDropped += spans),
    onChange: (reason) =>
      reason === ""
        ? logger.info("the collector of traces takes spans again")
        : logger.warn({ reason }, "the collector of traces does not take spans; calls go on without"),
  });
}
