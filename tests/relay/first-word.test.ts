/** Before the first token of a stream: its opening is delayed, so that one that dies there fails over, and every failure has its row. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { type TestRelay, newChannel, startTestRelay, until, withOptions } from "../support/relay/harness.ts";

let first: FakeUpstream;
let second: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  [first, second] = await Promise.all([startFakeUpstream(), startFakeUpstream()]);
  second.plan({ text: "second", chunks: 1 });
  relay = await startTestRelay();
  withOptions(relay.world, { RetryTimes: 3 });
  relay.world.channels.push(newChannel({ id: 1, priority: 10, baseUrl: first.url, type: 14 }));
  relay.world.channels.push(newChannel({ id: 2, name: "second", baseUrl: second.url }));
});

afterEach(async () => {
  await relay.close();
  await Promise.all([first.close(), second.close()]);
});

const messages = [{ role: "user", content: "hello" }];
const forAnthropic = { model: "gpt-4o", max_tokens: 50, messages, stream: true };
const forOpenAi = { model: "gpt-4o", messages, stream: true };
const row = () => {
  const last = relay.billing.rows.at(-1);
  return { type: last?.type, other: JSON.parse(last?.other ?? "{}") as Record<string, unknown> };
};

const PREAMBLE = [
  'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude","content":[],"usage":{"input_tokens":3,"output_tokens":1}}}',
  'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
  'event: ping\ndata: {"type":"ping"}',
].join("\n\n");
const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
const preamble = (more = "") => `${HEAD}${PREAMBLE}\n\n${more}`;

test.each([
  ["closes", "destroy", "/v1/messages", forAnthropic],
  ["is reset", "reset", "/v1/messages", forAnthropic],
  ["closes", "destroy", "/v1/chat/completions", forOpenAi],
  ["is reset", "reset", "/v1/chat/completions", forOpenAi],
] as const)(
  "a stream that %s after its opening events goes to the next channel: %s, %s",
  async (_how, cutBy, path, body) => {
    first.plan({ rawHttp: preamble(), cutBy });
    const text = await (await relay.post(path, body)).text();
    expect(text).toContain("second");
    expect(text).not.toContain("msg_1");
    expect(text).not.toContain("error");
    expect(row()).toMatchObject({ type: 2, other: { admin_info: { use_channel: [1, 2] } } });
    expect(relay.billing.settlements).toHaveLength(1);
  },
);

test("pings pass through while the opening waits, and the answer of the next channel follows them", async () => {
  withOptions(relay.world, {
    "general_setting.ping_interval_enabled": true,
    "general_setting.ping_interval_seconds": 1,
  });
  const dies = Promise.withResolvers<void>();
  const beforeFrame = async (frame: string): Promise<void> => {
    if (frame !== "the end") return;
    await dies.promise;
    throw new Error("the upstream dies");
  };
  first.plan({ rawBody: [`${PREAMBLE}\n\n`, "the end"], contentType: "text/event-stream", beforeFrame });
  const answer = await relay.post("/v1/messages", forAnthropic);
  const reader = answer.body?.getReader();
  const opening = await reader?.read();
  expect(Buffer.from(opening?.value ?? []).toString()).toBe(": PING\n\n");
  dies.resolve();
  let text = "";
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
    text += Buffer.from(part.value).toString();
  expect(text).toContain("second");
  expect(text).not.toContain("msg_1");
});

test("a stream that dies without text on every channel is refused with its status, and has a row", async () => {
  relay.world.channels.pop();
  first.plan({ rawHttp: preamble(), cutBy: "reset" });
  const answer = await relay.post("/v1/messages", forAnthropic);
  expect(answer.status).toBe(502);
  await until(() => relay.billing.rows.length === 1);
  expect(row()).toMatchObject({ type: 5, other: { status_code: 502, error_code: "upstream_broken" } });
  expect(relay.billing.held).toBe(0);
});

test("an opening longer than 64 KiB is sent, and a stream that dies after it without text costs nothing and has a row", async () => {
  const long = `event: ping\ndata: {"type":"ping","padding":"${"x".repeat(70_000)}"}\n\n`;
  first.plan({ rawHttp: preamble(long), cutBy: "destroy" });
  const answer = await relay.post("/v1/messages", forAnthropic);
  expect(answer.status).toBe(200);
  const text = await answer.text();
  expect(text).toContain("msg_1");
  expect(text).toContain("event: error");
  await until(() => relay.billing.rows.length === 1);
  expect(row()).toMatchObject({ type: 5, other: { error_code: "upstream_broken" } });
  expect(relay.billing.settlements).toHaveLength(0);
  expect(relay.billing.held).toBe(0);
});

test("a complete answer without text is complete for its client too", async () => {
  const rest = [
    'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}',
    'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}',
    'event: message_stop\ndata: {"type":"message_stop"}',
  ].join("\n\n");
  first.plan({ rawHttp: preamble(`${rest}\n\n`) });
  const text = await (await relay.post("/v1/messages", forAnthropic)).text();
  expect(text).toMatch(/message_start[\s\S]*content_block_stop[\s\S]*message_stop/);
  expect(second.count).toBe(0);
});
