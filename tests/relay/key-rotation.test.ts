/** Channels with several keys: distribution of calls, no failed call while one key is good, and the cost of a bad one. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import type { Plan, SeenRequest } from "../fake-upstream/plan.ts";
import type { KeyedChannel, SnapshotChannel } from "../../server/src/snapshot/snapshot.ts";
import { type TestRelay, newChannel, newUser, startTestRelay, withOptions } from "../support/relay/harness.ts";

let upstream: FakeUpstream;
let second: FakeUpstream;
let relay: TestRelay;
const used = new Map<number, { used: number; failed: number }>();

const keyOf = (id: number): string => `sk-planted-key-${id}-abcdefghijklmnopqrstuvwxyz`;
const idIn = ({ headers }: SeenRequest): number =>
  Number(/planted-key-(\d+)-/.exec(String(headers["authorization"]))?.[1] ?? 0);

/** A channel with keys 1 to `count`. */
function severalKeys(count: number, isRoundRobin = false, changes: Partial<SnapshotChannel> = {}): SnapshotChannel {
  const channel = newChannel({ baseUrl: upstream.url, ...changes });
  const members: KeyedChannel[] = [];
  const whole: SnapshotChannel = { ...channel, key: keyOf(1), keys: { isRoundRobin, members, shownKeyId: 1 } };
  for (let id = 1; id <= count; id += 1)
    members.push({ ...channel, key: keyOf(id), ofKey: { id, mark: `sk-p…mark${id}`, channel: whole } });
  return whole;
}

const REFUSED: Plan = { status: 401, error: { message: "Incorrect API key provided", code: "invalid_api_key" } };
const LIMITED: Plan = { status: 429, error: { message: "Rate limit reached" } };

/** The keys in the table are answered so, the others are good. */
const answers = (plans: Readonly<Record<number, Plan>>): void => upstream.plan((seen) => plans[idIn(seen)] ?? {});

beforeEach(async () => {
  used.clear();
  upstream = await startFakeUpstream();
  second = await startFakeUpstream({ plan: { text: "from the second" } });
  relay = await startTestRelay({
    keyCounter: {
      used(id, hasFailed) {
        const known = used.get(id) ?? { used: 0, failed: 0 };
        used.set(id, { used: known.used + 1, failed: known.failed + (hasFailed ? 1 : 0) });
      },
    },
  });
  withOptions(relay.world, { RetryTimes: 0, AutomaticDisableChannelEnabled: true });
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
  await second.close();
});

const chat = { model: "gpt-4o", messages: [{ role: "user", content: "hello" }] };

/** One call: its status, with all that the client saw. */
async function call(body: object = chat): Promise<{ status: number; seen: string }> {
  const answer = await relay.post("/v1/chat/completions", body);
  return { status: answer.status, seen: `${JSON.stringify([...answer.headers])} ${await answer.text()}` };
}

async function calls(count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index += 1) statuses.push((await call()).status);
  return statuses;
}

interface Receipt {
  admin_info: {
    use_channel: number[];
    tried: { id: number; key?: string; status: number; reason: string }[];
    skipped: { id: number; code: string }[];
  };
}
const receipt = () => (JSON.parse(relay.billing.rows.at(-1)?.other ?? "{}") as Receipt).admin_info;
const keysSeen = (): number[] => upstream.requests.map(idIn);

test("round-robin: every call has the next key", async () => {
  relay.world.channels.push(severalKeys(3, true));
  expect(await calls(7)).toEqual(Array(7).fill(200));
  expect(keysSeen()).toEqual([1, 2, 3, 1, 2, 3, 1]);
  expect(receipt().tried).toEqual([expect.objectContaining({ id: 1, key: "sk-p…mark1", status: 200 })]);
});

test("at random all keys have their part", async () => {
  relay.world.channels.push(severalKeys(4));
  await calls(200);
  const counts = [1, 2, 3, 4].map((id) => keysSeen().filter((seen) => seen === id).length);
  // Each has 50 of 200 on average; fewer than 20 happens once in a hundred million runs.
  expect(counts.every((count) => count >= 20)).toBe(true);
});

test("of 10 keys 3 are bad: no call fails though nothing may be retried, and each bad one is switched off once by its id", async () => {
  relay.world.channels.push(severalKeys(10));
  answers({ 2: REFUSED, 5: { status: 403, error: { message: "Forbidden", type: "forbidden" } }, 9: REFUSED });
  // A key is not drawn in so many calls once in a hundred thousand million runs.
  expect(await calls(250)).toEqual(Array(250).fill(200));
  const disabled = relay.disabled
    .map(({ id, keyId }) => ({ id, keyId }))
    .toSorted((a, b) => (a.keyId ?? 0) - (b.keyId ?? 0));
  expect(disabled).toEqual([
    { id: 1, keyId: 2 },
    { id: 1, keyId: 5 },
    { id: 1, keyId: 9 },
  ]);
  expect([2, 5, 9].map((id) => used.get(id))).toEqual(Array(3).fill({ used: 1, failed: 1 }));
  expect([...used.values()].reduce((sum, each) => sum + each.used - each.failed, 0)).toBe(250);
  // The refused keys were no fault of the channel.
  expect(relay.health.hasRecords).toBe(false);
});

test("with 10 calls at a time and streams it is the same", async () => {
  relay.world.channels.push(severalKeys(10, true));
  answers({ 1: REFUSED, 2: LIMITED, 3: { status: 402, error: { message: "no money", type: "insufficient_quota" } } });
  const all = await Promise.all(Array.from({ length: 40 }, (_, index) => call({ ...chat, stream: index % 2 === 0 })));
  expect(all.map(({ status }) => status)).toEqual(Array(40).fill(200));
  expect(relay.disabled.some(({ keyId }) => keyId === undefined || keyId > 3)).toBe(false);
});

test("the receipt has each key masked, and no key is in it, in an answer or in its headers", async () => {
  relay.world.channels.push(severalKeys(3, true));
  answers({
    1: { status: 401, error: { message: `Incorrect API key provided: ${keyOf(1)}` } },
    2: {
      status: 429,
      error: { message: "slow" },
      headers: { "x-request-key": keyOf(2), "openai-organization": keyOf(2) },
    },
    3: { headers: { "openai-organization": `org of ${keyOf(3)}` } },
  });
  const { status, seen } = await call();
  expect(status).toBe(200);
  expect(receipt().tried.map(({ id, key, status: told }) => [id, key, told])).toEqual([
    [1, "sk-p…mark1", 401],
    [1, "sk-p…mark2", 429],
    [1, "sk-p…mark3", 200],
  ]);
  expect(receipt().use_channel).toEqual([1]);
  for (const text of [seen, JSON.stringify(relay.billing.rows), JSON.stringify(relay.disabled)])
    expect(text).not.toContain("planted-key");
});

test("a limit of one key lets it cool down alone, as long as its upstream asks", async () => {
  relay.world.channels.push(severalKeys(2, true));
  answers({ 1: { ...LIMITED, headers: { "retry-after": "60" } } });
  expect(await calls(6)).toEqual(Array(6).fill(200));
  expect(keysSeen()).toEqual([1, 2, 2, 2, 2, 2, 2]);
  expect(relay.disabled).toEqual([]);
  expect(used.get(1)).toEqual({ used: 1, failed: 1 });
});

test("where all keys are limited the next channel answers, and later calls go there first", async () => {
  withOptions(relay.world, { RetryTimes: 1 });
  relay.world.channels.push(
    severalKeys(3, true, { priority: 10 }),
    newChannel({ id: 2, name: "second", baseUrl: second.url, priority: 1 }),
  );
  answers({ 1: LIMITED, 2: LIMITED, 3: LIMITED });
  expect((await call()).seen).toContain("from the second");
  expect(receipt().tried.map(({ id }) => id)).toEqual([1, 1, 1, 2]);
  expect((await call()).seen).toContain("from the second");
  expect(receipt()).toMatchObject({ tried: [{ id: 2 }], skipped: [{ id: 1, code: "resting" }] });
});

test("a lone channel is never given up: while all its keys cool down one of them is still asked", async () => {
  relay.world.channels.push(severalKeys(2, true));
  answers({ 1: LIMITED, 2: LIMITED });
  expect(await calls(2)).toEqual([429, 429]);
  answers({});
  expect((await call()).status).toBe(200);
});

test("faults of the server and of the network are the channel's: another channel is asked, not another key", async () => {
  withOptions(relay.world, { RetryTimes: 1 });
  relay.world.channels.push(
    severalKeys(3, true, { priority: 10 }),
    newChannel({ id: 2, name: "second", baseUrl: second.url, priority: 1 }),
  );
  answers({ 1: { status: 500, error: { message: "oops" } } });
  expect((await call()).seen).toContain("from the second");
  expect(receipt().tried.map(({ id, key }) => [id, key])).toEqual([
    [1, "sk-p…mark1"],
    [2, undefined],
  ]);
  expect(relay.health.hasRecords).toBe(true);
  expect(used.get(1)).toEqual({ used: 1, failed: 1 });
});

test("a fault of the request ends the call with the first key", async () => {
  relay.world.channels.push(severalKeys(3, true));
  answers({ 1: { status: 400, error: { message: "bad" } } });
  expect((await call()).status).toBe(400);
  expect(keysSeen()).toEqual([1]);
  expect(used.get(1)).toEqual({ used: 1, failed: 0 });
});

test("a conversation keeps its key where calls stick to their prompt cache, and others have other keys", async () => {
  withOptions(relay.world, { PromptCacheAffinityEnabled: true });
  relay.world.channels.push(severalKeys(5, true));
  const turn = (begin: string, more: string[] = []) =>
    call({ model: "gpt-4o", messages: [begin, ...more].map((content) => ({ role: "user", content })) });
  for (let index = 0; index < 12; index += 1) {
    await turn(`conversation ${index}`);
    await turn(`conversation ${index}`, ["and then?"]);
  }
  const seen = keysSeen();
  const [first, second] = [0, 1].map((offset) => seen.filter((_, index) => index % 2 === offset));
  expect(second).toEqual(first);
  expect(new Set(first).size).toBeGreaterThan(1);
});

test("a stored answer is gone on from with the key it is stored with, also while that one cools down", async () => {
  withOptions(relay.world, { PromptCacheAffinityEnabled: true });
  relay.world.channels.push(severalKeys(5, true));
  const ask = async (body: object): Promise<string> => {
    const answer = await relay.post("/v1/responses", { model: "gpt-4o", ...body });
    return /"id"\s*:\s*"([\w-]+)"/.exec(await answer.text())?.[1] ?? "";
  };
  const id = await ask({ input: "of ships" });
  const [key = 0] = keysSeen();
  const talk = async (): Promise<void> => {
    for (let index = 0; index < 12; index += 1)
      await call({ model: "gpt-4o", messages: [{ role: "user", content: `conversation ${index}` }] });
  };
  const goOn = async (): Promise<number | undefined> => {
    await ask({ input: "why?", previous_response_id: id });
    return keysSeen().at(-1);
  };
  await talk();
  expect([await goOn(), new Set(keysSeen()).size > 1]).toEqual([key, true]);
  answers({ [key]: { status: 429, error: { message: "slow down" } } });
  await talk();
  expect(keysSeen().filter((each) => each === key).length).toBeGreaterThan(2);
  answers({});
  expect(await goOn()).toBe(key);
});

test("a channel without an enabled key is skipped by name", async () => {
  relay.world.channels.push(severalKeys(0), newChannel({ id: 2, name: "second", baseUrl: second.url, priority: -1 }));
  expect((await call()).seen).toContain("from the second");
  expect(receipt().skipped).toEqual([{ id: 1, name: "first", code: "no_enabled_key" }]);
});

test("a channel named in the token's key falls back to another of its keys too", async () => {
  relay.world.users = [newUser({ role: 100 })];
  relay.world.channels.push(severalKeys(2, true));
  answers({ 1: REFUSED });
  const answer = await relay.post("/v1/chat/completions", chat, { authorization: `Bearer sk-${"a".repeat(48)}-1` });
  expect(answer.status).toBe(200);
  expect(receipt().tried.map(({ key }) => key)).toEqual(["sk-p…mark1", "sk-p…mark2"]);
});
