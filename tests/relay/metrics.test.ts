/** What calls over HTTP add to the metrics: labels of bounded sets alone, times, and retries with their reason. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { startFakeUpstream, type FakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { type TestRelay, newChannel, startTestRelay, until, withOptions } from "../support/relay/harness.ts";

let upstream: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  upstream = await startFakeUpstream();
  relay = await startTestRelay();
  relay.world.channels.push(newChannel({ id: 7, baseUrl: upstream.url, models: new Set(["gpt-4o"]) }));
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const chat = { model: "gpt-4o", messages: [{ role: "user", content: "hello" }] };
const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 };

interface Sample {
  labels: Record<string, unknown>;
  value: number;
}

async function samplesOf(name: string): Promise<Sample[]> {
  const families = await relay.metrics.registry.getMetricsAsJSON();
  const family = families.find((each) => name === each.name || name.startsWith(`${each.name}_`));
  const samples = (family?.values ?? []) as (Sample & { metricName?: string })[];
  return samples.filter(({ metricName = name }) => metricName === name);
}

async function post(body: object): Promise<number> {
  const answer = await relay.post("/v1/chat/completions", body);
  await answer.text();
  await until(() => relay.metrics.openCalls === 0);
  return answer.status;
}

const LABELS = {
  model: "gpt-4o",
  channel: "7",
  provider: "openai",
  operation: "chat",
  status: "200",
  status_class: "2xx",
  group: "default",
};

test("an answered call is counted by model, channel, provider, operation, status and group", async () => {
  upstream.plan({ usage });
  expect(await post(chat)).toBe(200);
  expect(await samplesOf("turnpike_calls_total")).toEqual([{ labels: LABELS, value: 1 }]);
  expect(await samplesOf("turnpike_prompt_tokens_total")).toEqual([{ labels: LABELS, value: 10 }]);
  expect(await samplesOf("turnpike_completion_tokens_total")).toEqual([{ labels: LABELS, value: 20 }]);
  expect(await samplesOf("turnpike_charged_quota_total")).toEqual([{ labels: LABELS, value: 113 }]);
});

test("names of models and groups that a client makes up get no series", async () => {
  for (const model of ["made-up-1", "made-up-2"]) await post({ ...chat, model });
  const samples = await samplesOf("turnpike_calls_total");
  expect(samples).toHaveLength(1);
  expect(samples[0]).toMatchObject({ labels: { model: "other", channel: "", provider: "" }, value: 2 });
});

test("a stream has a first token, and an answer in one piece has none", async () => {
  upstream.plan({ usage, headerDelayMs: 30 });
  await post(chat);
  expect(await samplesOf("turnpike_first_token_seconds_count")).toEqual([]);
  await post({ ...chat, stream: true });
  const labels = { model: "gpt-4o", channel: "7", provider: "openai", operation: "chat" };
  expect(await samplesOf("turnpike_first_token_seconds_count")).toMatchObject([{ labels, value: 1 }]);
  expect(await samplesOf("turnpike_call_duration_seconds_count")).toMatchObject([{ labels, value: 2 }]);
  const [first] = await samplesOf("turnpike_first_token_seconds_sum");
  expect(first?.value).toBeGreaterThanOrEqual(0.03);
});

test("the wait for an upstream is no overhead, and the wait for the ledger is", async () => {
  upstream.plan({ usage, headerDelayMs: 300 });
  relay.billing.settleDelayMs = 100;
  await post(chat);
  const [overhead] = await samplesOf("turnpike_overhead_seconds_sum");
  const [whole] = await samplesOf("turnpike_call_duration_seconds_sum");
  expect(overhead?.labels).toEqual({ operation: "chat" });
  expect(overhead?.value).toBeGreaterThanOrEqual(0.09);
  expect((whole?.value ?? 0) - (overhead?.value ?? 0)).toBeGreaterThanOrEqual(0.28);
});

test("a call that goes on to another channel is a retry of the first, by its reason", async () => {
  const second = await startFakeUpstream();
  relay.world.channels.push(newChannel({ id: 8, baseUrl: second.url, models: new Set(["gpt-4o"]), priority: -1 }));
  withOptions(relay.world, { RetryTimes: 1 });
  upstream.plan({ status: 503, error: { message: "overloaded" } });
  second.plan({ usage });
  expect(await post(chat)).toBe(200);
  const failed = { channel: "7", provider: "openai" };
  expect(await samplesOf("turnpike_retries_total")).toEqual([{ labels: { reason: "upstream", ...failed }, value: 1 }]);
  expect(await samplesOf("turnpike_upstream_failures_total")).toMatchObject([{ labels: failed, value: 1 }]);
  expect(await samplesOf("turnpike_calls_total")).toEqual([{ labels: { ...LABELS, channel: "8" }, value: 1 }]);
  await second.close();
});

test("a client that leaves is counted with status 499", async () => {
  upstream.plan({ neverAnswers: true });
  const leaving = new AbortController();
  const answer = fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer sk-${"a".repeat(48)}`, "content-type": "application/json" },
    body: JSON.stringify(chat),
    signal: leaving.signal,
  }).catch(() => undefined);
  await until(() => upstream.openCount === 1);
  leaving.abort();
  await answer;
  await until(() => relay.metrics.openCalls === 0);
  expect(await samplesOf("turnpike_calls_total")).toMatchObject([{ labels: { status: "499", status_class: "4xx" } }]);
});
