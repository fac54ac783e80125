/** Tests of the span exporter: bounded memory, counted losses, backoff from a collector that is away, and a bounded end. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { until } from "../../../../tests/support/systems/processes.ts";
import { type TraceCollector, startTraceCollector } from "../../../../tests/support/systems/trace-collector.ts";
import { type ExporterOptions, OtlpExporter, QUEUE_SPANS } from "./exporter.ts";
import type { Span } from "./span.ts";

let collector: TraceCollector;
let counts: { sent: number; dropped: number; changes: string[] };

beforeEach(async () => {
  collector = await startTraceCollector();
  counts = { sent: 0, dropped: 0, changes: [] };
});
afterEach(() => collector.close());

const spanOf = (index: number): Span => ({
  traceId: index.toString(16).padStart(32, "0"),
  spanId: index.toString(16).padStart(16, "0"),
  parentSpanId: "",
  name: `span ${index}`,
  kind: "server",
  startMs: 1_700_000_000_000.25,
  endMs: 1_700_000_000_001.5,
  attributes: { text: "words", count: 3, share: 0.5, is: true, absent: undefined },
  events: [{ name: "event", timeMs: 1_700_000_000_001, attributes: { n: 1 } }],
  isError: index % 2 === 1,
});
const spansOf = (count: number): Span[] => Array.from({ length: count }, (_, index) => spanOf(index));

const exporterTo = (url: string, options: Partial<ExporterOptions> = {}): OtlpExporter =>
  new OtlpExporter({
    url: `${url}/v1/traces`,
    headers: { "x-key": "secret" },
    resource: { "service.name": "gateway" },
    everyMs: 1,
    firstPauseMs: 1,
    onSent: (spans) => (counts.sent += spans),
    onDropped: (spans) => (counts.dropped += spans),
    onChange: (reason) => counts.changes.push(reason),
    ...options,
  });

test("spans arrive as OTLP has them, with the operator's headers", async () => {
  const exporter = exporterTo(collector.url);
  exporter.add(spansOf(2));
  await until(() => counts.sent === 2, "both spans");
  const [request] = collector.requests;
  expect([request?.path, request?.headers["x-key"]]).toEqual(["/v1/traces", "secret"]);
  expect(collector.spans[1]).toMatchObject({
    name: "span 1",
    parentSpanId: "",
    kind: 2,
    isError: true,
    resource: { "service.name": "gateway" },
    startMs: 1_700_000_000_000.25,
    endMs: 1_700_000_000_001.5,
    attributes: { text: "words", count: 3, share: 0.5, is: true },
    events: [{ name: "event", timeMs: 1_700_000_000_001, attributes: { n: 1 } }],
  });
  expect(Object.keys(collector.spans[1]?.attributes ?? {})).not.toContain("absent");
  await exporter.close(1_000);
});

test("a queue that is full takes no more, and counts what is lost", async () => {
  collector.answer = "never";
  const exporter = exporterTo(collector.url);
  for (let round = 0; round < 10; round += 1) exporter.add(spansOf(QUEUE_SPANS / 2));
  expect([exporter.waiting, counts.dropped]).toEqual([QUEUE_SPANS, QUEUE_SPANS * 4]);
  await exporter.close(1);
  expect([exporter.waiting, counts.dropped, counts.sent]).toEqual([0, QUEUE_SPANS * 5, 0]);
});

describe("a collector that fails", () => {
  test.each([429, 502, 503, 504])(
    "with %i gets the same spans again once it is back, and is named once",
    async (status) => {
      collector.answer = status;
      const exporter = exporterTo(collector.url);
      exporter.add(spansOf(3));
      await until(() => collector.requests.length >= 3, "two more tries");
      collector.answer = 200;
      await until(() => counts.sent === 3, "the spans");
      expect(counts).toEqual({ sent: 3, dropped: 0, changes: [`status ${status}`, ""] });
      await exporter.close(1_000);
    },
  );

  test.each([400, 401, 413, 500])("with %i, which asking again does not change, loses the batch", async (status) => {
    collector.answer = status;
    const exporter = exporterTo(collector.url);
    exporter.add(spansOf(3));
    await until(() => counts.dropped === 3, "the count of what was lost");
    expect([counts.changes, exporter.waiting]).toEqual([[`status ${status}`], 0]);
    await exporter.close(1_000);
  });

  test("that is away is not asked in a hurry: the pause doubles", async () => {
    const exporter = exporterTo("http://127.0.0.1:9", { firstPauseMs: 3_600_000 });
    exporter.add(spansOf(1));
    await until(() => counts.changes.length === 1, "the first try");
    exporter.add(spansOf(QUEUE_SPANS - 1));
    // A batch that is full would go at once, had the last not failed.
    expect([exporter.waiting, counts.changes.length]).toEqual([QUEUE_SPANS, 1]);
    await exporter.close(1_000);
    expect(counts.dropped).toBe(QUEUE_SPANS);
  });

  test("that takes a batch in part has its refusals counted", async () => {
    collector.answerBody = JSON.stringify({ partialSuccess: { rejectedSpans: "2", errorMessage: "too old" } });
    const exporter = exporterTo(collector.url);
    exporter.add(spansOf(5));
    await until(() => counts.sent === 3, "what it took");
    expect(counts.dropped).toBe(2);
    await exporter.close(1_000);
  });
});

describe("the end", () => {
  test("sends what still waits, however much", async () => {
    const exporter = exporterTo(collector.url, { everyMs: 3_600_000 });
    exporter.add(spansOf(QUEUE_SPANS));
    await exporter.close(60_000);
    expect([collector.spans.length, counts.sent, counts.dropped]).toEqual([QUEUE_SPANS, QUEUE_SPANS, 0]);
  });

  test("does not wait for a collector that hangs beyond its time, and counts what is lost", async () => {
    collector.answer = "never";
    const exporter = exporterTo(collector.url);
    exporter.add(spansOf(4));
    await until(() => collector.requests.length === 1, "the request that hangs");
    const startedMs = performance.now();
    await exporter.close(200);
    // Far below the time of a request, which is 10 s.
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    expect(counts.dropped).toBe(4);
  });
});
