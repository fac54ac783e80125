/** Keys that came from another gateway and have `-` in them: looked up whole, with a channel behind them, and never by their beginning. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { newChannel, newToken, newUser, startTestRelay, type TestRelay } from "../support/relay/harness.ts";

let upstream: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  upstream = await startFakeUpstream();
  relay = await startTestRelay();
  relay.world.channels.push(newChannel({ baseUrl: upstream.url }));
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const chat = { model: "gpt-4o", messages: [{ role: "user", content: "hello" }] };

interface Envelope {
  error: { code: string | null };
}

test("an imported key with - in it is looked up whole, with a channel behind it, and never as its beginning", async () => {
  const key = "legacy-key_of-an-older-gateway";
  relay.world.tokens.set(key, newToken({ id: 2 }));
  relay.world.tokens.set("other", newToken({ id: 3, status: 2 }));
  const as = (sent: string) => ({ authorization: `Bearer sk-${sent}` });
  expect((await relay.post("/v1/chat/completions", chat, as(key))).status).toBe(200);
  expect(relay.billing.settlements[0]?.tokenId).toBe(2);
  relay.world.users[0] = newUser({ role: 10 });
  relay.world.channels.push(newChannel({ id: 3, baseUrl: upstream.url, models: new Set() }));
  expect((await relay.post("/v1/chat/completions", chat, as(`${key}-3`))).status).toBe(200);
  expect(relay.billing.settlements[1]).toMatchObject({ tokenId: 2, channelId: 3 });
  const answers = ["legacy", "legacy-key_of", `x-${key}`, "-", "other-x-y"].map(async (sent) => {
    const answer = await relay.post("/v1/chat/completions", chat, as(sent));
    return ((await answer.json()) as Envelope).error.code;
  });
  expect(await Promise.all(answers)).toEqual([
    "key_invalid",
    "key_invalid",
    "key_invalid",
    "key_invalid",
    "key_disabled",
  ]);
});
