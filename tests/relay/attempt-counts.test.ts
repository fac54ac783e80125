/** Attempts counted for the health of channels, beside the one result of each call. */
import { expect, test } from "vitest";
import { startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { newChannel, startTestRelay, withOptions } from "../support/relay/harness.ts";

const chat = { model: "gpt-4o", messages: [{ role: "user", content: "hello" }] };

test("a failed attempt counts for its channel if the call was retried, and not if the client got the failure", async () => {
  const [first, second] = [await startFakeUpstream(), await startFakeUpstream()];
  const retried: [number, string, string][] = [];
  const relay = await startTestRelay({
    callCounter: {
      succeeded: () => undefined,
      failed: () => undefined,
      retried: ({ channelId, model }, kind) => void retried.push([channelId, model, kind]),
    },
  });
  relay.world.channels.push(
    newChannel({ id: 1, baseUrl: first.url, priority: 10 }),
    newChannel({ id: 2, baseUrl: second.url, priority: 5 }),
  );
  withOptions(relay.world, { RetryTimes: 3 });
  const statusOfCall = async () => (await relay.post("/v1/chat/completions", chat)).status;
  try {
    first.plan({ status: 429, error: { message: "slow down" } });
    expect(await statusOfCall()).toBe(200);
    expect(retried.splice(0)).toEqual([[1, "gpt-4o", "rate_limited"]]);
    first.plan({ status: 401, error: { message: "no key" } });
    second.plan({ status: 500 });
    expect(await statusOfCall()).toBe(500);
    expect(retried.splice(0)).toEqual([[1, "gpt-4o", "key_refused"]]);
    second.plan({});
    expect(await statusOfCall()).toBe(200);
    first.plan({});
    retried.length = 0;
    expect(await statusOfCall()).toBe(200);
    expect(retried).toEqual([]);
  } finally {
    await relay.close();
    await first.close();
    await second.close();
  }
});
