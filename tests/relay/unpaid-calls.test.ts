/** Limits of unpaid calls: users with too many refused calls, or free ones without quota, must wait; paying users and others need not. */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ModelPrice } from "../../contract/src/pricing/pricing.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import {
  TEST_KEY,
  type TestRelay,
  newChannel,
  newToken,
  newUser,
  startTestRelay,
  withOptions,
} from "../support/relay/harness.ts";

const PER_MINUTE = 10;
const NEIGHBOUR_KEY = "b".repeat(48);
const FREE: ModelPrice = { kind: "per_call", price: "0" };

let upstream: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  upstream = await startFakeUpstream();
  relay = await startTestRelay();
  relay.world.channels.push(newChannel({ baseUrl: upstream.url, models: new Set(["gpt-4o", "free-model"]) }));
  relay.world.users.push(newUser({ id: 2, username: "neighbour" }));
  relay.world.tokens.set(NEIGHBOUR_KEY, newToken({ id: 2, userId: 2 }));
  relay.world.prices.set("free-model", FREE);
  withOptions(relay.world, { UnpaidCallsPerMinute: PER_MINUTE });
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const ask = async (model: string, key = TEST_KEY): Promise<number> => {
  const body = { model, messages: [{ role: "user", content: "hello" }] };
  const answer = await relay.post("/v1/chat/completions", body, { authorization: `Bearer sk-${key}` });
  await answer.arrayBuffer();
  return answer.status;
};

async function statuses(count: number, model: string, key = TEST_KEY): Promise<number[]> {
  const seen: number[] = [];
  for (let made = 0; made < count; made += 1) seen.push(await ask(model, key));
  return seen;
}

test("a user without quota is refused for the quota as often as the allowance permits, then for the allowance", async () => {
  relay.billing.balance = 0;
  const seen = await statuses(PER_MINUTE + 3, "gpt-4o");
  expect(seen.slice(0, PER_MINUTE)).toEqual(Array(PER_MINUTE).fill(403));
  expect(seen.at(-1)).toBe(429);
  const refused = await relay.post("/v1/chat/completions", { model: "gpt-4o", messages: [] });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(JSON.stringify(await refused.json())).toContain("too_many_unpaid_calls");
  // Each user has an allowance of their own.
  expect(await ask("gpt-4o", NEIGHBOUR_KEY)).toBe(403);
});

test("such refusals write no row, and no byte of their body is awaited", async () => {
  relay.billing.balance = 0;
  await statuses(PER_MINUTE + 2, "no-such-model");
  const rows = relay.billing.rows.length;
  const slow = new ReadableStream<Uint8Array>({ start: (body) => body.enqueue(new TextEncoder().encode("{")) });
  const answer = await fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer sk-${TEST_KEY}`, "content-type": "application/json" },
    body: slow,
    duplex: "half",
  } as RequestInit);
  expect(answer.status).toBe(429);
  expect(relay.billing.rows).toHaveLength(rows);
});

test("with quota ten times as many are refused as they would be, and a call that is paid is made", async () => {
  const seen = await statuses(3 * PER_MINUTE, "no-such-model");
  expect(new Set(seen)).toEqual(new Set([404]));
  expect(await ask("gpt-4o")).toBe(200);
  expect(new Set((await statuses(8 * PER_MINUTE, "no-such-model")).slice(-2))).toEqual(new Set([429]));
});

test("free calls count for users without quota alone", async () => {
  expect(new Set(await statuses(3 * PER_MINUTE, "free-model"))).toEqual(new Set([200]));
  relay.billing.balance = 0;
  const seen = await statuses(3, "free-model");
  expect(seen.at(-1)).toBe(429);
  expect(new Set(await statuses(PER_MINUTE, "free-model", NEIGHBOUR_KEY))).toEqual(new Set([200]));
});

test("without a limit nothing is counted", async () => {
  relay.billing.balance = 0;
  withOptions(relay.world, { UnpaidCallsPerMinute: 0 });
  expect(new Set(await statuses(3 * PER_MINUTE, "gpt-4o"))).toEqual(new Set([403]));
});
