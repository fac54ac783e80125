/** A collector of traces and metrics as an HTTP server of its own: takes OTLP as JSON, and can refuse, hang and come back. */
import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as it came, its attributes as an object. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: number;
  startMs: number;
  endMs: number;
  isError: boolean;
  attributes: Readonly<Record<string, unknown>>;
  events: readonly { name: string; timeMs: number; attributes: Readonly<Record<string, unknown>> }[];
  /** Of the process that sent it. */
  resource: Readonly<Record<string, unknown>>;
}

/** A point of a metric as it came, its attributes as an object. */
interface ReceivedPoint {
  metric: string;
  unit: string;
  kind: "sum" | "gauge" | "histogram";
  attributes: Readonly<Record<string, unknown>>;
  /** Unix milliseconds; 0 where the point has no start. */
  startMs: number;
  timeMs: number;
  /** Of sums and gauges. */
  value: number | undefined;
  /** Of histograms. */
  histogram: { count: number; sum: number; bucketCounts: number[]; explicitBounds: number[] } | undefined;
  isCumulative: boolean;
  isMonotonic: boolean;
  /** Of the process that sent it. */
  resource: Readonly<Record<string, unknown>>;
}

interface SentPoint {
  attributes: KeyValue[];
  startTimeUnixNano?: string;
  timeUnixNano: string;
  asDouble?: number;
  count?: string;
  sum?: number;
  bucketCounts?: string[];
  explicitBounds?: number[];
}

interface SentData {
  dataPoints: SentPoint[];
  aggregationTemporality?: number;
  isMonotonic?: boolean;
}

interface SentMetrics {
  resourceMetrics: {
    resource: { attributes: KeyValue[] };
    scopeMetrics: {
      metrics: { name: string; unit: string; sum?: SentData; gauge?: SentData; histogram?: SentData }[];
    }[];
  }[];
}

interface KeyValue {
  key: string;
  value: Readonly<Record<string, unknown>>;
}

interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: KeyValue[];
  events: { name: string; timeUnixNano: string; attributes: KeyValue[] }[];
  status: { code?: number };
}

interface SentBody {
  resourceSpans: { resource: { attributes: KeyValue[] }; scopeSpans: { spans: SentSpan[] }[] }[];
}

export interface CollectedRequest {
  path: string;
  headers: Readonly<Record<string, unknown>>;
  body: string;
}

export interface TraceCollector {
  url: string;
  /** Everything that was taken. */
  spans: ReceivedSpan[];
  points: ReceivedPoint[];
  requests: CollectedRequest[];
  /** How the next requests are answered: a status, or never. 200 at first. */
  answer: number | "never";
  /** Body of the next answers. */
  answerBody: string;
  close(): Promise<void>;
}

const ERROR = 2;
const CUMULATIVE = 2;
const toMs = (nanoseconds: string): number => Number(BigInt(nanoseconds) / 1_000n) / 1_000;

const objectOf = (attributes: readonly KeyValue[]): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value["intValue"] === undefined ? Object.values(value)[0] : Number(value["intValue"]),
    ]),
  );

function spansIn(body: string): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body) as SentBody;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ parentSpanId = "", startTimeUnixNano, endTimeUnixNano, status, events, ...span }) => ({
        ...span,
        parentSpanId,
        startMs: toMs(startTimeUnixNano),
        endMs: toMs(endTimeUnixNano),
        isError: status.code === ERROR,
        attributes: objectOf(span.attributes),
        events: events.map(({ name, timeUnixNano, attributes }) => ({
          name,
          timeMs: toMs(timeUnixNano),
          attributes: objectOf(attributes),
        })),
        resource: objectOf(resource.attributes),
      })),
    ),
  );
}

const histogramOf = ({ count, sum = 0, bucketCounts = [], explicitBounds = [] }: SentPoint) =>
  count === undefined
    ? undefined
    : { count: Number(count), sum, bucketCounts: bucketCounts.map(Number), explicitBounds };

function pointsIn(body: string): ReceivedPoint[] {
  const { resourceMetrics } = JSON.parse(body) as SentMetrics;
  return resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) =>
      metrics.flatMap(({ name, unit, ...data }) =>
        (["sum", "gauge", "histogram"] as const).flatMap((kind) =>
          (data[kind]?.dataPoints ?? []).map((point) => ({
            metric: name,
            unit,
            kind,
            attributes: objectOf(point.attributes),
            startMs: toMs(point.startTimeUnixNano ?? "0"),
            timeMs: toMs(point.timeUnixNano),
            value: point.asDouble,
            histogram: histogramOf(point),
            isCumulative: data[kind]?.aggregationTemporality === CUMULATIVE,
            isMonotonic: data[kind]?.isMonotonic === true,
            resource: objectOf(resource.attributes),
          })),
        ),
      ),
    ),
  );
}

/** Starts a collector on a free port. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const open = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    open.add(response);
    response.on("close", () => open.delete(response));
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts).toString("utf8");
      collector.requests.push({ path: request.url ?? "", headers: request.headers, body });
      if (collector.answer === "never") return;
      if (collector.answer === 200 && request.url === "/v1/metrics") collector.points.push(...pointsIn(body));
      else if (collector.answer === 200) collector.spans.push(...spansIn(body));
      response.writeHead(collector.answer, { "content-type": "application/json" }).end(collector.answerBody);
    });
  });
  const collector: TraceCollector = {
    url: "",
    spans: [],
    points: [],
    requests: [],
    answer: 200,
    answerBody: "{}",
    async close() {
      for (const response of open) response.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return collector;
}
