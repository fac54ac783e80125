/** Streams before the upstream answers or counts: a timeout by channel, and an estimate of the input for the client. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { type TestRelay, newChannel, startTestRelay, withOptions } from "../support/relay/harness.ts";

let silent: FakeUpstream;
let second: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  silent = await startFakeUpstream({ plan: { neverAnswers: true } });
  second = await startFakeUpstream({
    plan: { text: "second", chunks: 1, usage: { prompt_tokens: 7, completion_tokens: 1 } },
  });
  relay = await startTestRelay();
  relay.world.channels.push(
    newChannel({ id: 1, baseUrl: silent.url, priority: 10, setting: { firstByteStreamMs: 50 } }),
    newChannel({ id: 2, baseUrl: second.url }),
  );
  withOptions(relay.world, { RetryTimes: 1 });
});

afterEach(async () => {
  await relay.close();
  await Promise.all([silent.close(), second.close()]);
});

const messages = [{ role: "user", content: "hello" }];
const streamed = { model: "gpt-4o", messages, stream: true };

test("a channel's own bound ends the wait for its first byte, long before the site's", async () => {
  const answer = await relay.post("/v1/chat/completions", streamed);
  expect([answer.status, await answer.text(), second.count]).toEqual([
    504,
    expect.stringContaining("upstream_timeout"),
    0,
  ]);
  withOptions(relay.world, { RetryAfterTimeoutEnabled: true });
  expect(await (await relay.post("/v1/chat/completions", streamed)).text()).toContain("second");
});

test("a Messages stream over another format begins with the estimate of its input and ends with the upstream's count", async () => {
  relay.world.channels.shift();
  const answer = await relay.post("/v1/messages", { ...streamed, max_tokens: 9 });
  const events = [...(await answer.text()).matchAll(/^data: (.+)$/gm)].map(
    ([, data = ""]) => JSON.parse(data) as { type: string; message?: { usage: object }; usage?: object },
  );
  const opening = events.find(({ type }) => type === "message_start")?.message?.usage as { input_tokens: number };
  // Of one short message: a handful of tokens, and more than none.
  expect([opening.input_tokens > 0, opening.input_tokens < 50]).toEqual([true, true]);
  expect(events.find(({ type }) => type === "message_delta")?.usage).toMatchObject({ input_tokens: 7 });
});
