/** Idempotency-Key: a repeat is neither made nor charged again, what can be retried is, and nothing else is taken for a repeat. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { TEST_KEY, type TestRelay, newChannel, newToken, startTestRelay, until } from "../support/relay/harness.ts";
import { memoryKeys } from "../support/relay/memory-stores.ts";

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

async function call(key: string | undefined, body: unknown = chat, token = TEST_KEY) {
  const answer = await relay.post("/v1/chat/completions", body, {
    authorization: `Bearer ${token}`,
    ...(key === undefined ? {} : { "idempotency-key": key }),
  });
  const text = await answer.text();
  const { headers, status } = answer;
  return { status, text, requestId: headers.get("x-request-id") ?? "", isReplay: headers.has("idempotent-replayed") };
}

const charges = (): number => relay.billing.settlements.length;

test("a repeat gets the same status, type and bytes, under the first request id, and no second charge", async () => {
  const first = await call("k1");
  const again = await call("k1");
  expect([first.status, first.isReplay, again.isReplay]).toEqual([200, false, true]);
  expect([again.status, again.text, again.requestId]).toEqual([first.status, first.text, first.requestId]);
  expect([upstream.count, charges(), relay.billing.held]).toEqual([1, 1, 0]);
});

test("the answer is stored before it is sent: an immediate repeat need not wait", async () => {
  for (let index = 0; index < 20; index += 1) {
    const [first, again] = [await call(`now-${index}`), await call(`now-${index}`)];
    expect([first.status, again.status, again.isReplay]).toEqual([200, 200, true]);
  }
});

test("another key, another token, no key: each call is made and charged", async () => {
  relay.world.tokens.set("b".repeat(48), newToken({ id: 2 }));
  await call("k1");
  await call("k2");
  await call("k1", chat, "b".repeat(48));
  await call(undefined);
  await call(undefined);
  expect([upstream.count, charges()]).toEqual([5, 5]);
});

test("the same key with another body or path is 422", async () => {
  await call("k1");
  const other = await call("k1", { ...chat, temperature: 1 });
  expect([other.status, other.text]).toEqual([422, expect.stringContaining("idempotency_key_reused")]);
  const elsewhere = await relay.post("/v1/completions", chat, { "idempotency-key": "k1" });
  expect(elsewhere.status).not.toBe(200);
  expect(charges()).toBe(1);
});

test("a form that is sent once more has another boundary and is a repeat; with another file or field it is not", async () => {
  relay.world.channels[0] = newChannel({ baseUrl: upstream.url, models: new Set(["gpt-4o"]) });
  const send = async (sound: string, more: Record<string, string> = {}) => {
    const body = new FormData();
    for (const [name, value] of Object.entries({ model: "gpt-4o", ...more })) body.set(name, value);
    body.set("file", new Blob([sound], { type: "audio/wav" }), "a.wav");
    const headers = { authorization: `Bearer ${TEST_KEY}`, "idempotency-key": "k1" };
    const answer = await fetch(`${relay.url}/v1/audio/transcriptions`, { method: "POST", headers, body });
    return [answer.status, answer.headers.get("idempotent-replayed")];
  };
  expect([await send("abc"), await send("abc")]).toEqual([
    [200, null],
    [200, "true"],
  ]);
  expect([await send("abd"), await send("abc", { language: "en" })]).toEqual([
    [422, null],
    [422, null],
  ]);
  expect(charges()).toBe(1);
});

test("while the first is under way a repeat is 409 with its request id, and of many one is made", async () => {
  const others = Promise.withResolvers<void>();
  upstream.plan({ beforeHead: others.promise });
  let over = 0;
  const all = Promise.all(Array.from({ length: 10 }, () => call("k1").finally(() => (over += 1))));
  await until(() => over === 9);
  others.resolve();
  const answers = await all;
  const made = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 409);
  expect([made.length, refused.length, upstream.count, charges()]).toEqual([1, 9, 1, 1]);
  expect(
    refused.every(({ text }) => text.includes(`still under way; it has the request id ${made[0]?.requestId}`)),
  ).toBe(true);
});

test("a finished stream is 409 with its request id", async () => {
  const first = await call("k1", { ...chat, stream: true });
  expect(first.text).toContain("[DONE]");
  await until(() => relay.metrics.openCalls === 0);
  const again = await call("k1", { ...chat, stream: true });
  expect([again.status, again.text]).toEqual([
    409,
    expect.stringContaining(`not kept; it has the request id ${first.requestId}`),
  ]);
  expect(charges()).toBe(1);
});

test("an answer above 256 KiB is not stored: a repeat is 409 and not charged", async () => {
  upstream.plan({ text: "x".repeat(300_000) });
  expect((await call("k1")).status).toBe(200);
  expect([(await call("k1")).status, charges()]).toEqual([409, 1]);
});

test.each([
  ["refused by the upstream", () => upstream.next({ status: 400, error: { message: "bad" } }), 400],
  ["failed", () => upstream.next({ status: 500 }), 500],
  ["refused by the gateway", () => void (relay.billing.isHealthy = false), 503],
])("a call that was %s frees its key at once", async (_, prepare, status) => {
  prepare();
  expect((await call("k1")).status).toBe(status);
  relay.billing.isHealthy = true;
  const again = await call("k1");
  expect([again.status, again.isReplay, charges()]).toEqual([200, false, 1]);
});

/** Reads until text has come. */
async function readSome({ body }: Response): Promise<void> {
  const reader = body?.getReader();
  for (let text = ""; !/"content":"\w/.test(text);) text += Buffer.from((await reader?.read())?.value ?? []).toString();
}

test("a client that disconnects before the answer frees its key; one that disconnects in a stream keeps it used", async () => {
  const leave = async (body: object, hasLeft: () => boolean) => {
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${TEST_KEY}`, "idempotency-key": JSON.stringify(body).length.toString() };
    const url = `${relay.url}/v1/chat/completions`;
    const sent = fetch(url, { method: "POST", headers, body: JSON.stringify(body), signal: leaving.signal });
    const read = sent.then(readSome).catch(() => undefined);
    await until(hasLeft);
    if ("stream" in body) await read;
    leaving.abort();
    await read;
    await until(() => relay.metrics.openCalls === 0);
    upstream.plan({});
    return (await relay.post("/v1/chat/completions", body, headers)).status;
  };
  upstream.plan({ neverAnswers: true });
  expect(await leave(chat, () => upstream.count === 1)).toBe(200);
  upstream.plan({ chunks: 50, chunkDelayMs: 50 });
  expect(await leave({ ...chat, stream: true }, () => upstream.count === 3)).toBe(409);
});

test("keys that are none are 400; a store that does not answer is 503 and nothing is made", async () => {
  for (const key of [" ", "x".repeat(256)]) expect((await call(key)).status).toBe(400);
  await relay.close();
  const broken = { ...memoryKeys(), claim: () => Promise.reject(new Error("away")) };
  relay = await startTestRelay({ world: relay.world, idempotency: broken, isQuiet: true });
  expect([(await call("k1")).status, upstream.count]).toEqual([503, 0]);
  expect((await call(undefined)).status).toBe(200);
});

test("an end that cannot be stored does not hold the answer back, and the key stays taken", async () => {
  await relay.close();
  const keys = memoryKeys();
  const broken = { ...keys, finish: () => Promise.reject(new Error("away")) };
  relay = await startTestRelay({ world: relay.world, idempotency: broken, isQuiet: true });
  expect([(await call("k1")).status, (await call("k1")).status, charges()]).toEqual([200, 409, 1]);
});

test("a replay needs a key that is still good and an address that is allowed", async () => {
  await call("k1");
  relay.world.tokens.set(TEST_KEY, newToken({ isAddressAllowed: () => false }));
  expect((await call("k1")).status).toBe(403);
  relay.world.tokens.set(TEST_KEY, newToken({ status: 2 }));
  expect((await call("k1")).status).toBe(401);
});
