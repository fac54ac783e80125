/** Options of retries: statuses that are retried or end the call, statuses that disable the channel, connections that broke before an answer. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { type TestRelay, newChannel, startTestRelay, withOptions } from "../support/relay/harness.ts";

let first: FakeUpstream;
let second: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  first = await startFakeUpstream();
  second = await startFakeUpstream({ plan: { text: "from the second" } });
  relay = await startTestRelay();
  relay.world.channels.push(
    newChannel({ id: 1, name: "first", baseUrl: first.url, priority: 10 }),
    newChannel({ id: 2, name: "second", baseUrl: second.url, priority: 5 }),
  );
  withOptions(relay.world, { RetryTimes: 3 });
});

afterEach(async () => {
  await relay.close();
  await first.close();
  await second.close();
});

const chat = { model: "gpt-4o", messages: [{ role: "user", content: "hello" }] };
const usedChannels = (): unknown =>
  (JSON.parse(relay.billing.rows.at(-1)?.other ?? "{}") as { admin_info: { use_channel: number[] } }).admin_info
    .use_channel;

test.each(["destroy", "reset"] as const)(
  "a connection that ends before the answer (%s) fails over in chat if timeouts do",
  async (dropsRequest) => {
    first.plan({ dropsRequest });
    withOptions(relay.world, { RetryAfterTimeoutEnabled: true });
    const answer = await relay.post("/v1/chat/completions", chat);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("from the second")]);
    expect(usedChannels()).toEqual([1, 2]);
    expect(relay.billing.settlements).toHaveLength(1);
    // A picture may have been made though its client never got it: it is not requested twice.
    const picture = await relay.post("/v1/images/generations", { model: "gpt-4o", prompt: "a cat" });
    expect([picture.status, second.count]).toEqual([502, 1]);
  },
);

test("statuses that are not listed end the call, and a listed one disables the channel", async () => {
  withOptions(relay.world, {
    AutomaticRetryStatusCodes: [{ from: 429, to: 429 }],
    AutomaticDisableChannelEnabled: true,
    AutomaticDisableStatusCodes: [{ from: 404, to: 404 }],
  });
  first.plan({ status: 404, error: { message: "gone" } });
  const answer = await relay.post("/v1/chat/completions", chat);
  expect([answer.status, second.count]).toEqual([404, 0]);
  expect(relay.disabled).toEqual([{ id: 1, reason: "status 404: gone" }]);
});
