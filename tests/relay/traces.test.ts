/** Traces of calls at a collector: one span of the call and one of each attempt, no content, and errors in any case. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTracer } from "../../server/src/observe/tracing/tracer.ts";
import type { Tracer } from "../../server/src/observe/tracing/tracer.ts";
import { readConfig } from "../../server/src/config.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { type TestRelay, newChannel, startTestRelay, withOptions } from "../support/relay/harness.ts";
import { type ReceivedSpan, type TraceCollector, startTraceCollector } from "../support/systems/trace-collector.ts";

const PARENT = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
const SAMPLED = `00-${PARENT.traceId}-${PARENT.spanId}-01`;
const UNSAMPLED = `00-${PARENT.traceId}-${PARENT.spanId}-00`;
const [SERVER, CLIENT] = [2, 3];
/** Longer than a busy machine takes; a collector that answers is not waited for so long. */
const PATIENCE_MS = 60_000;

const SECRET_WORDS = "the combination of the safe";
const chat = { model: "gpt-4o", messages: [{ role: "user", content: SECRET_WORDS }] };

let first: FakeUpstream;
let second: FakeUpstream;
let collector: TraceCollector;
let relay: TestRelay;
let tracer: Tracer;
let dropped: number;
let logged: { fields: object; text: string }[];

/** A relay with two channels, whose calls are sampled as these variables say. */
async function start(variables: Record<string, string> = {}, url = collector.url): Promise<void> {
  const { tracing } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...variables });
  if (tracing === undefined) throw new Error("no traces are configured");
  dropped = 0;
  logged = [];
  const events = {
    onSent: () => undefined,
    onDropped: (spans: number) => (dropped += spans),
    onChange: () => undefined,
  };
  tracer = createTracer(tracing, { "service.version": "1.2.3" }, events);
  const logger = {
    warn: () => undefined,
    error: (fields: object, text: string) => void logged.push({ fields, text }),
  };
  relay = await startTestRelay({ tracer, logger });
  relay.world.channels.push(
    newChannel({ id: 1, name: "first", baseUrl: first.url, priority: 10 }),
    newChannel({ id: 2, name: "second", baseUrl: second.url, priority: 5 }),
  );
  withOptions(relay.world, { RetryTimes: 3 });
}

beforeEach(async () => {
  first = await startFakeUpstream();
  second = await startFakeUpstream({ plan: { text: "from the second" } });
  collector = await startTraceCollector();
});
afterEach(async () => {
  await relay.close();
  await tracer.close(1);
  for (const part of [first, second, collector]) await part.close();
});

/** The answer's text, read to its end. */
async function call(body: object = chat, headers: Record<string, string> = {}): Promise<string> {
  return (await relay.post("/v1/chat/completions", body, headers)).text();
}

/** Everything that was sent until now: the spans of calls, and those of attempts. */
async function collected(): Promise<{ calls: ReceivedSpan[]; attempts: ReceivedSpan[] }> {
  await tracer.close(PATIENCE_MS);
  const ofKind = (wanted: number) => collector.spans.filter(({ kind }) => kind === wanted);
  return { calls: ofKind(SERVER), attempts: ofKind(CLIENT) };
}

describe("a streamed call that went to a second channel", () => {
  test("is one span with a retry, and one of each attempt below it, continuing the caller's trace", async () => {
    await start();
    first.plan({ status: 503, error: { message: SECRET_WORDS } });
    expect(await call({ ...chat, stream: true }, { traceparent: SAMPLED })).toContain("[DONE]");
    const { calls, attempts } = await collected();
    expect([calls.length, attempts.length]).toEqual([1, 2]);
    const [server] = calls;
    expect(server).toMatchObject({
      traceId: PARENT.traceId,
      parentSpanId: PARENT.spanId,
      isError: false,
      name: "POST /v1/chat/completions",
      attributes: {
        "http.request.method": "POST",
        "http.route": "/v1/chat/completions",
        "http.response.status_code": 200,
        "turnpike.operation": "chat",
        "turnpike.dialect": "openai-chat",
        "turnpike.model": "gpt-4o",
        "turnpike.group": "default",
        "turnpike.channel.id": 2,
        "turnpike.attempts": 2,
        "turnpike.charge": relay.billing.settlements[0]?.charge,
      },
      events: [{ name: "retry", attributes: { "error.type": "overloaded", "turnpike.channel.id": 1 } }],
      resource: { "service.name": "turnpike", "service.version": "1.2.3" },
    });
    expect(server?.attributes["turnpike.charge"]).toBeGreaterThan(0);
    expect(server?.attributes["turnpike.request_id"]).toMatch(/^req-test-/);
  });

  test("has attempts in order, within the call, with the usage at the one that answered", async () => {
    await start();
    first.plan({ status: 503, error: { message: "busy" } });
    await call({ ...chat, stream: true });
    const { calls, attempts } = await collected();
    const [server] = calls;
    const [failed, answered] = attempts;
    if (server === undefined || failed === undefined || answered === undefined) throw new Error("a span is missing");
    expect([failed.parentSpanId, answered.parentSpanId]).toEqual([server.spanId, server.spanId]);
    expect([failed.traceId, answered.traceId]).toEqual([server.traceId, server.traceId]);
    const times = [server.startMs, failed.startMs, failed.endMs, answered.startMs, answered.endMs, server.endMs];
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(failed).toMatchObject({
      name: "chat gpt-4o",
      isError: true,
      events: [],
      attributes: { "error.type": "overloaded", "http.response.status_code": 503, "turnpike.channel.id": 1 },
    });
    expect(failed.attributes).not.toHaveProperty("gen_ai.usage.input_tokens");
    expect(answered).toMatchObject({
      isError: false,
      events: [{ name: "first_byte" }],
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.request.stream": true,
        "gen_ai.usage.input_tokens": relay.billing.settlements[0]?.promptTokens,
        "gen_ai.usage.output_tokens": relay.billing.settlements[0]?.completionTokens,
        "server.address": "127.0.0.1",
        "server.port": second.port,
        "turnpike.channel.id": 2,
      },
    });
    expect(answered.attributes["gen_ai.response.time_to_first_chunk"]).toBeGreaterThan(0);
  });
});

test("no words, keys, names or addresses of persons are in what is sent", async () => {
  await start();
  first.plan({ status: 400, error: { message: `${SECRET_WORDS} sk-upstream-secret-key` } });
  await call({ ...chat, user: "end-user-7" }, { baggage: "account=42", "x-forwarded-for": "203.0.113.7" });
  await relay.post(`/v1beta/models/gpt-4o:generateContent?key=sk-of-the-query`, {
    contents: [{ parts: [{ text: SECRET_WORDS }] }],
  });
  await collected();
  const sent = collector.requests.map(({ body, headers }) => `${body}${JSON.stringify(headers)}`).join("");
  expect(collector.spans.length).toBeGreaterThan(3);
  for (const secret of [SECRET_WORDS, "secret-key", "of-the-query", "end-user-7", "account=42", "203.0.113.7", "first"])
    expect(sent).not.toContain(secret);
});

describe("of the calls that are not sampled", () => {
  test.each([
    ["by a share of 0", { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0" }, {}],
    ["by their caller", {}, { traceparent: UNSAMPLED }],
  ])("%s, those that fail are sent all the same", async (_how, variables, headers) => {
    await start(variables);
    await call(chat, headers);
    for (const upstream of [first, second]) upstream.plan({ status: 500, error: { message: "oops" } });
    await call(chat, headers);
    const { calls, attempts } = await collected();
    expect(calls.map(({ isError, attributes }) => [isError, attributes["error.type"]])).toEqual([[true, "overloaded"]]);
    expect(attempts).toHaveLength(2);
  });

  test("an answer that broke off is one that failed; a request that is wrong in itself is none", async () => {
    await start({ OTEL_TRACES_SAMPLER: "always_off" });
    first.plan({ status: 400, error: { message: "bad" } });
    await call();
    await call({ model: "no-such-model", messages: [] });
    first.plan({ text: "word ".repeat(200), chunks: 50, cutAtByte: 4_000 });
    await call({ ...chat, stream: true });
    const { calls, attempts } = await collected();
    expect(calls.map(({ attributes }) => attributes["error.type"])).toEqual(["broken_off"]);
    expect(attempts.map(({ isError }) => isError)).toEqual([true]);
  });
});

describe("the upstream", () => {
  const sentTrace = () => first.requests.at(-1)?.headers["traceparent"];

  test("gets no traceparent, be it the client's, and never its baggage", async () => {
    await start();
    await call(chat, { traceparent: SAMPLED, tracestate: "vendor=1", baggage: "account=42" });
    expect(sentTrace()).toBeUndefined();
    for (const header of ["tracestate", "baggage"]) expect(first.requests.at(-1)?.headers).not.toHaveProperty(header);
  });

  test("continues the trace below its attempt where the channel says so", async () => {
    await start();
    relay.world.channels = [newChannel({ baseUrl: first.url, setting: { sendsTraceContext: true } })];
    await call(chat, { traceparent: SAMPLED, baggage: "account=42" });
    const { attempts } = await collected();
    expect(sentTrace()).toBe(`00-${PARENT.traceId}-${attempts[0]?.spanId}-01`);
    expect(first.requests.at(-1)?.headers).not.toHaveProperty("baggage");
  });

  test("reads there that a call is not sampled", async () => {
    await start({ OTEL_TRACES_SAMPLER: "always_off" });
    relay.world.channels = [newChannel({ baseUrl: first.url, setting: { sendsTraceContext: true } })];
    await call();
    expect(sentTrace()).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  });
});

test("a line of the log names the span of its call", async () => {
  await start();
  relay.billing.settle = () => Promise.reject(new Error("a fault of the ledger"));
  await call(chat, { traceparent: SAMPLED });
  const { calls } = await collected();
  expect(logged[0]?.fields).toMatchObject({ trace_id: PARENT.traceId, span_id: calls[0]?.spanId });
});

test("a collector that is away costs calls nothing, and what it would have got is bounded and counted", async () => {
  await start({}, "http://127.0.0.1:9");
  const count = 60;
  const answers = await Promise.all(Array.from({ length: count }, () => call()));
  expect(answers.filter((text) => text.includes("choices"))).toHaveLength(count);
  await tracer.close(PATIENCE_MS);
  expect(dropped).toBe(count * 2);
});

describe("the standard variables", () => {
  const tracingWith = (variables: Record<string, string>) => readConfig(variables).tracing;

  test("give an address with the path of traces, or the whole address, and none without", () => {
    expect(tracingWith({})).toBeUndefined();
    expect(tracingWith({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" })?.url).toBe(
      "http://collector:4318/v1/traces",
    );
    const both = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://a:1",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://b/traces?x=1",
    };
    expect(tracingWith(both)?.url).toBe("https://b/traces?x=1");
    expect(tracingWith({ ...both, OTEL_SDK_DISABLED: "true" })).toBeUndefined();
  });

  test("are read as they are written", () => {
    expect(
      tracingWith({
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://a:1",
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20YTpi, x-team = 7",
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test,cloud.region=eu%2Dwest",
        OTEL_SERVICE_NAME: "gateway",
        OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
        OTEL_TRACES_SAMPLER_ARG: "0.25",
      }),
    ).toEqual({
      url: "http://a:1/v1/traces",
      headers: { authorization: "Basic YTpi", "x-team": "7" },
      attributes: { "deployment.environment.name": "test", "cloud.region": "eu-west" },
      serviceName: "gateway",
      sampler: { followsCaller: true, ratio: 0.25 },
    });
  });

  test.each([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:password@collector:4318"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "authorization"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=%zz"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a b=c"],
    ["OTEL_RESOURCE_ATTRIBUTES", "=value"],
    ["OTEL_TRACES_SAMPLER", "xray"],
    ["OTEL_TRACES_SAMPLER_ARG", "1.5"],
    ["OTEL_TRACES_SAMPLER_ARG", "ten"],
  ])("%s=%s stops the start with a line that names the variable", (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} must be`));
  });
});
