/** A span that has ended, and its form in OTLP as JSON (opentelemetry.io/docs/specs/otlp, opentelemetry-proto's trace.proto). */
import { type Attributes, attributesOf, nanoseconds } from "../otlp/attributes.ts";

export interface SpanEvent {
  name: string;
  /** Unix milliseconds, with a fraction. */
  timeMs: number;
  attributes: Attributes;
}

export interface Span {
  traceId: string;
  spanId: string;
  /** Empty for the first of its trace. */
  parentSpanId: string;
  name: string;
  kind: "server" | "client";
  /** Unix milliseconds, with a fraction. */
  startMs: number;
  endMs: number;
  /** An attribute that is undefined is left out. */
  attributes: Attributes;
  events: readonly SpanEvent[];
  isError: boolean;
}

const KINDS = { server: 2, client: 3 } as const;
const STATUS_ERROR = 2;

const eventOf = ({ name, timeMs, attributes }: SpanEvent): object => ({
  timeUnixNano: nanoseconds(timeMs),
  name,
  attributes: attributesOf(attributes),
});

const spanOf = ({ traceId, spanId, parentSpanId, name, kind, isError, ...span }: Span): object => ({
  traceId,
  spanId,
  ...(parentSpanId === "" ? {} : { parentSpanId }),
  name,
  kind: KINDS[kind],
  startTimeUnixNano: nanoseconds(span.startMs),
  endTimeUnixNano: nanoseconds(span.endMs),
  attributes: attributesOf(span.attributes),
  events: span.events.map(eventOf),
  status: isError ? { code: STATUS_ERROR } : {},
});

/** The body of one request to a collector. `resource` says which program the spans are of. */
export const otlpBody = (resource: Attributes, spans: readonly Span[]): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: "turnpike" }, spans: spans.map(spanOf) }],
      },
    ],
  });
