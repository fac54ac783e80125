/** Traces of this process: the sampling of calls, and the export of their spans to the collector. */
import type { TracingConfig } from "../../util/telemetry-variables.ts";
import { type Attributes, resourceOf } from "../otlp/attributes.ts";
import { OtlpExporter } from "./exporter.ts";
import type { Span } from "./span.ts";
import { type TraceContext, isWithinRatio, newSpanId, newTraceId, parseTraceparent } from "./trace-context.ts";

/** Where a call's own span stands. */
export interface CallContext extends TraceContext {
  /** The caller's span; empty where it named none. */
  parentSpanId: string;
}

export interface Tracer {
  /** A new span for a call; it continues the trace of `traceparent` where that is well-formed. */
  begin(traceparent: string | undefined): CallContext;
  /** Takes spans that have ended; never waits and never throws. */
  add(spans: readonly Span[]): void;
  /** Sends what waits for at most `limitMs`. Never rejects. */
  close(limitMs: number): Promise<void>;
}

interface TracerEvents {
  onSent(spans: number): void;
  onDropped(spans: number): void;
  onChange(reason: string): void;
}

/** `own` says which process the spans are of. */
export function createTracer(config: TracingConfig, own: Attributes, events: TracerEvents): Tracer {
  const { url, headers, sampler } = config;
  const exporter = new OtlpExporter({ url, headers, resource: resourceOf(config, own), ...events });
  return {
    begin(traceparent) {
      const parent = parseTraceparent(traceparent);
      const traceId = parent?.traceId ?? newTraceId();
      const isSampled =
        parent !== undefined && sampler.followsCaller ? parent.isSampled : isWithinRatio(traceId, sampler.ratio);
      return { traceId, spanId: newSpanId(), isSampled, parentSpanId: parent?.spanId ?? "" };
    },
    add: (spans) => exporter.add(spans),
    close: (limitMs) => exporter.close(limitMs),
  };
}
