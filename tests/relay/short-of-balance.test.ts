/** Refusals for lack of quota: the amounts in the site's currency, who may see them, and the way to the wallet. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import {
  newChannel,
  newToken,
  startTestRelay,
  TEST_KEY,
  type TestRelay,
  withOptions,
} from "../support/relay/harness.ts";
import { LedgerFault } from "../../server/src/billing/billing.ts";

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

const chat = { model: "gpt-4o", messages: [{ role: "user", content: "hello" }], max_tokens: 100 };

interface Refusal {
  message: string;
  type: string;
  code: string;
  quota_needed: number;
  quota_left?: number;
}

async function refusal(body: object = chat): Promise<Refusal> {
  const answer = await relay.post("/v1/chat/completions", body);
  expect(answer.status).toBe(403);
  expect(upstream.count).toBe(0);
  return ((await answer.json()) as { error: Refusal }).error;
}

test("says what is needed and what is left, in the currency shown, with the link of a site whose address is known", async () => {
  relay.world.tokens.set(TEST_KEY, newToken({ isUnlimited: true }));
  relay.billing.balance = 5;
  const error = await refusal();
  expect(error).toMatchObject({ type: "insufficient_quota", code: "insufficient_user_quota", quota_left: 5 });
  expect(error.quota_needed).toBeGreaterThan(5);
  expect(error.message).toMatch(/: it needs \$0\.00\d+, \$0\.00001\d* is left\. \(request id/);
  expect(error.message).not.toContain("topup");

  withOptions(relay.world, {
    ServerAddress: "https://gate.example/",
    USDExchangeRate: "7.3",
    "general_setting.quota_display_type": "CNY",
  });
  const yuan = (await refusal()).message;
  expect(yuan).toMatch(/needs ¥0\.0\d+, ¥0\.000073 is left\. Top up at https:\/\/gate\.example\/topup \(request id/);
});

test("a key with a quota of its own is told the account's balance only where the billing API tells it", async () => {
  relay.world.tokens.set(TEST_KEY, newToken({ isUnlimited: false }));
  relay.billing.balance = 7;
  const secret = await refusal();
  expect(secret.quota_left).toBeUndefined();
  expect(secret.quota_needed).toBeGreaterThan(7);
  expect(secret.message).not.toContain("left");
  withOptions(relay.world, { DisplayTokenStatEnabled: false });
  expect((await refusal()).quota_left).toBe(7);
});

test("a key whose own quota is too low is told that quota, not the account's", async () => {
  relay.world.tokens.set(TEST_KEY, newToken({ isUnlimited: false }));
  relay.billing.hold = () => {
    throw new LedgerFault("token_quota");
  };
  const error = await refusal();
  expect(error).toMatchObject({ code: "pre_consume_token_quota_failed", quota_left: 1_000_000 });
  expect(error.message).toContain("$2.00 is left. Its owner can raise it.");
});

test("a balance that cannot be read is left out, and the refusal stands", async () => {
  relay.world.tokens.set(TEST_KEY, newToken({ isUnlimited: true }));
  relay.billing.balance = 0;
  relay.billing.available = () => Promise.reject(new Error("the database is away"));
  const error = await refusal();
  expect(error.code).toBe("insufficient_user_quota");
  expect(error.message).toMatch(/it needs \$0\.\d+\. \(request id/);
});

test("Anthropic's clients find the code beside the amounts", async () => {
  relay.world.tokens.set(TEST_KEY, newToken({ isUnlimited: true }));
  relay.billing.balance = 0;
  const answer = await relay.post("/v1/messages", chat);
  const { error } = (await answer.json()) as { error: { details: object } };
  expect([answer.status, error.details]).toMatchObject([
    403,
    { error_code: "insufficient_user_quota", quota_needed: expect.any(Number), quota_left: 0 },
  ]);
});
