/** Responses in the background: begun, polled, followed, cancelled and charged once, with OpenAI's own library, whichever format the upstream speaks. */
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BackgroundResponses } from "../../server/src/relay/call/ports.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import {
  TEST_KEY,
  type TestRelay,
  newChannel,
  newToken,
  newUser,
  newWorld,
  startTestRelay,
  until,
} from "../support/relay/harness.ts";
import { memoryBackground } from "../support/relay/memory-stores.ts";

const OTHER_KEY = "b".repeat(48);
const [OPENAI, ANTHROPIC] = [1, 14];
const ASK = { model: "gpt-4o", input: "hi", background: true } as const;
const TEXT = "One two three four five six seven eight.";
let upstream: FakeUpstream;
let relay: TestRelay;
let store: BackgroundResponses;
let client: OpenAI;

const clientAt = ({ url }: TestRelay): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: `sk-${TEST_KEY}`, maxRetries: 0 });
const speak = (type: number): void => void (relay.world.channels = [newChannel({ type, baseUrl: upstream.url })]);

beforeEach(async () => {
  upstream = await startFakeUpstream({ validates: false });
  const tokens = new Map([
    [TEST_KEY, newToken()],
    [OTHER_KEY, newToken({ id: 2, userId: 2 })],
  ]);
  store = memoryBackground();
  const world = newWorld({ users: [newUser(), newUser({ id: 2, username: "bob" })], tokens });
  relay = await startTestRelay({ world, backgroundResponses: store });
  client = clientAt(relay);
  speak(OPENAI);
});
afterEach(async () => {
  await relay.close();
  await upstream.close();
});

/** A frame of the upstream's that is held back until it is let go. */
function gate(mark: string) {
  const reached = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const beforeFrame = async (frame: string): Promise<void> => {
    if (!frame.includes(mark)) return;
    reached.resolve();
    await open.promise;
  };
  return { beforeFrame, reached: reached.promise, open: open.resolve };
}

/** Polls as a program does. */
async function ended(id: string, ask = client) {
  for (;;) {
    const response = await ask.responses.retrieve(id);
    if (response.status !== "queued" && response.status !== "in_progress") return response;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const charges = () => relay.billing.settlements.map(({ charge }) => charge);
const raw = (path: string, method = "GET", key = TEST_KEY) =>
  fetch(`${relay.url}/v1/responses/${path}`, { method, headers: { authorization: `Bearer sk-${key}` } });
const errorOf = async (response: Response) => {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return { status: response.status, ...error };
};

describe.each([
  ["Responses", OPENAI, "response.output_text.done"],
  ["Messages", ANTHROPIC, "content_block_stop"],
])("an upstream of %s", (_format, type, mark) => {
  beforeEach(() => speak(type));

  test("is asked while the client is away, and the answer is there to be polled, charged once", async () => {
    const held = gate(mark);
    upstream.next({ text: TEXT, beforeFrame: held.beforeFrame });
    const begun = await client.responses.create(ASK);
    expect(begun).toMatchObject({ status: "queued", background: true, store: true, output: [], object: "response" });
    expect(begun.id).toMatch(/^resp_bg_/);
    expect(relay.billing.holds.size).toBe(1);
    await held.reached;
    const now = () => client.responses.retrieve(begun.id);
    await expect.poll(now).toMatchObject({ id: begun.id, status: "in_progress", output: [] });
    expect(charges()).toEqual([]);
    held.open();
    const whole = await ended(begun.id);
    expect(whole).toMatchObject({ id: begun.id, status: "completed", background: true, output_text: TEXT });
    expect(whole.usage?.output_tokens).toBeGreaterThan(0);
    expect([charges().length, relay.billing.holds.size]).toEqual([1, 0]);
    expect(upstream.requests[0]?.json).not.toHaveProperty("background");
    await ended(begun.id);
    expect(charges()).toHaveLength(1);
  });

  test("is left by a cancellation, which charges what was delivered and can be repeated", async () => {
    const held = gate(mark);
    upstream.next({ text: TEXT, beforeFrame: held.beforeFrame });
    const events = await client.responses.create({ ...ASK, stream: true });
    let id = "";
    let text = "";
    for await (const event of events) {
      if (event.type === "response.created") id = event.response.id;
      if (event.type === "response.output_text.delta") text += event.delta;
      if (text === TEXT) break;
    }
    const cancelled = await client.responses.cancel(id);
    expect(cancelled).toMatchObject({ id, status: "cancelled" });
    expect(JSON.stringify(cancelled.output)).toContain(TEXT);
    await until(() => upstream.requests[0]?.wasAborted === true);
    expect([charges().length, (charges()[0] ?? 0) > 0, relay.billing.holds.size]).toEqual([1, true, 0]);
    expect(await client.responses.cancel(id)).toEqual(cancelled);
    expect(charges()).toHaveLength(1);
    held.open();
  });

  test("is followed as it answers, by a client that leaves and comes back", async () => {
    const held = gate(mark);
    upstream.next({ text: TEXT, beforeFrame: held.beforeFrame });
    const events = await client.responses.create({ ...ASK, stream: true });
    const [types, numbers]: [string[], number[]] = [[], []];
    let id = "";
    let text = "";
    for await (const event of events) {
      types.push(event.type);
      numbers.push(event.sequence_number);
      if (event.type === "response.created") id = event.response.id;
      if (event.type === "response.output_text.delta") text += event.delta;
      if (text.includes("three")) break;
    }
    expect(types.slice(0, 3)).toEqual(["response.created", "response.queued", "response.in_progress"]);
    const again = await client.responses.retrieve(id, { stream: true, starting_after: numbers.at(-1) ?? 0 });
    held.open();
    let last: unknown;
    for await (const event of again) {
      numbers.push(event.sequence_number);
      if (event.type === "response.output_text.delta") text += event.delta;
      last = event;
    }
    expect(text).toBe(TEXT);
    expect(numbers).toEqual(numbers.map((_number, index) => index));
    expect(last).toMatchObject({ type: "response.completed", response: { id, status: "completed" } });
    expect(await client.responses.retrieve(id)).toMatchObject({ status: "completed", output_text: TEXT });
    expect(charges()).toHaveLength(1);
    // It can be read again from any event on, and by the library's own accumulator.
    const replayed = await client.responses.stream({ response_id: id }).finalResponse();
    expect(replayed.output_text).toBe(TEXT);
    expect(charges()).toHaveLength(1);
  });
});

test("an error of the upstream's is what the response failed with, and costs nothing", async () => {
  upstream.next({ status: 400, error: { message: "The prompt is bad.", code: "invalid_prompt" } });
  const { id } = await client.responses.create(ASK);
  expect(await ended(id)).toMatchObject({ status: "failed", error: { code: "invalid_prompt" } });
  expect([charges(), relay.billing.holds.size]).toEqual([[], 0]);
});

test("a stream that fails says so in its last event", async () => {
  upstream.next({ status: 400, error: { message: "The prompt is bad.", code: "invalid_prompt" } });
  const types: string[] = [];
  for await (const event of await client.responses.create({ ...ASK, stream: true })) types.push(event.type);
  expect(types).toEqual(["response.created", "response.queued", "response.failed"]);
});

test("what is refused before quota is held is refused as any call, and nothing is kept", async () => {
  relay.billing.balance = 0;
  const refused = await relay.post("/v1/responses", ASK);
  expect(await errorOf(refused)).toMatchObject({ status: 403, code: "insufficient_user_quota" });
  relay.billing.balance = 10 ** 9;
  const unstored = await relay.post("/v1/responses", { ...ASK, store: false });
  expect(await errorOf(unstored)).toMatchObject({ status: 400, code: "background_not_stored" });
  const unknown = await relay.post("/v1/responses", { ...ASK, model: "none" });
  expect((await errorOf(unknown)).status).toBe(404);
  expect(upstream.count).toBe(0);
});

test("is nobody else's to read, cancel, delete or go on from", async () => {
  const { id } = await client.responses.create(ASK);
  await ended(id);
  for (const [path, method] of [
    [id, "GET"],
    [`${id}?stream=true`, "GET"],
    [`${id}/input_items`, "GET"],
    [`${id}/cancel`, "POST"],
    [id, "DELETE"],
  ] as const)
    expect(await errorOf(await raw(path, method, OTHER_KEY))).toMatchObject({
      status: 404,
      code: "response_not_found",
    });
  const more = { model: "gpt-4o", input: "and?", previous_response_id: id };
  const goneOn = await relay.post("/v1/responses", more, { authorization: `Bearer sk-${OTHER_KEY}` });
  expect(await errorOf(goneOn)).toMatchObject({ status: 400, code: "previous_response_not_found" });
});

test("a conversation goes on from it by the id that its upstream knows", async () => {
  const { id } = await client.responses.create(ASK);
  await ended(id);
  await client.responses.create({ model: "gpt-4o", input: "and?", previous_response_id: id });
  expect(upstream.requests[1]?.json?.["previous_response_id"]).toBe("resp_turnpike0001");
  speak(ANTHROPIC);
  const kept = await client.responses.create(ASK);
  await ended(kept.id);
  const goneOn = await relay.post("/v1/responses", { model: "gpt-4o", input: "and?", previous_response_id: kept.id });
  expect(await errorOf(goneOn)).toMatchObject({ status: 400, code: "previous_response_not_found" });
});

test("is deleted once it has ended, and streamed only if it was made so", async () => {
  const held = gate("Hello");
  upstream.next({ text: "Hello.", beforeFrame: held.beforeFrame });
  const { id } = await client.responses.create(ASK);
  expect(await errorOf(await raw(id, "DELETE"))).toMatchObject({ status: 409, code: "response_under_way" });
  held.open();
  await ended(id);
  expect(await errorOf(await raw(`${id}?stream=true`))).toMatchObject({ status: 400 });
  await client.responses.delete(id);
  expect((await raw(id)).status).toBe(404);
});

const ENDS: readonly (readonly [what: string, change: () => void, code: string])[] = [
  ["a ban", () => void relay.world.users.splice(0, 1, newUser({ status: 2 })), "user_banned"],
  [
    "a token that is switched off",
    () => void relay.world.tokens.set(TEST_KEY, newToken({ status: 2 })),
    "key_disabled",
  ],
];
test.each(ENDS)("%s ends it, and what was delivered is charged", async (_what, change, code) => {
  const held = gate("eight");
  upstream.next({ text: TEXT, beforeFrame: held.beforeFrame });
  const { id } = await client.responses.create(ASK);
  await held.reached;
  change();
  await until(() => charges().length === 1);
  await until(() => relay.billing.holds.size === 0);
  const { status, response } = (await store.find(id)) ?? {};
  expect([status, JSON.parse(response ?? "{}")]).toMatchObject(["failed", { error: { code } }]);
  held.open();
});

test("a server that stops lets it end, and one whose time is over says so", async () => {
  const held = gate("eight");
  upstream.next({ text: TEXT, beforeFrame: held.beforeFrame });
  const { id } = await client.responses.create(ASK);
  await held.reached;
  // Without a grace.
  await relay.close();
  const found = await store.find(id);
  expect(found).toMatchObject({ status: "failed" });
  // OpenAI's codes of a failed response have none for it: its words say why.
  const error = { code: "server_error", message: expect.stringContaining("stop") as string };
  expect(JSON.parse(found?.response ?? "{}")).toMatchObject({ error });
  expect([charges().length, relay.billing.holds.size]).toEqual([1, 0]);
  held.open();
});

test("one whose process is gone has failed, and one of another process is cancelled by that", async () => {
  const response = JSON.stringify({ id: "resp_bg_lost", object: "response", status: "in_progress", output: [] });
  const row = {
    userId: 1,
    model: "gpt-4o",
    isStreamed: false,
    status: "in_progress",
    response,
    upstreamId: "",
  } as const;
  await store.begin({ ...row, id: "resp_bg_lost" });
  expect(await client.responses.retrieve("resp_bg_lost")).toMatchObject({
    status: "failed",
    error: { code: "server_error" },
  });
  const shared = memoryBackground("another");
  const elsewhere = await startTestRelay({ world: relay.world, backgroundResponses: shared });
  const making = await startTestRelay({ world: relay.world, backgroundResponses: shared });
  const held = gate("eight");
  upstream.next({ text: TEXT, beforeFrame: held.beforeFrame });
  const { id } = await clientAt(making).responses.create(ASK);
  await held.reached;
  expect(await clientAt(elsewhere).responses.retrieve(id)).toMatchObject({ status: "in_progress" });
  expect(await clientAt(elsewhere).responses.cancel(id)).toMatchObject({ status: "cancelled" });
  expect(making.billing.settlements).toHaveLength(1);
  held.open();
  await elsewhere.close();
  await making.close();
});

test("a key of its caller's makes one of two, and both read the same id", async () => {
  const headers = { "idempotency-key": "k1" };
  const asked = async (): Promise<{ id: string }> =>
    (await (await relay.post("/v1/responses", ASK, headers)).json()) as { id: string };
  const first = await asked();
  const second = await asked();
  expect(second.id).toBe(first.id);
  await ended(first.id);
  expect([upstream.count, charges().length]).toEqual([1, 1]);
});

test("a user has a number of them at a time", async () => {
  const held = gate("eight");
  upstream.plan({ text: TEXT, beforeFrame: held.beforeFrame });
  const begun = await Promise.all(Array.from({ length: 32 }, () => client.responses.create(ASK)));
  expect(await errorOf(await relay.post("/v1/responses", ASK))).toMatchObject({
    status: 429,
    code: "too_many_background_responses",
  });
  held.open();
  for (const { id } of begun) await ended(id);
  expect(charges()).toHaveLength(32);
  expect((await relay.post("/v1/responses", ASK)).status).toBe(200);
  expect(relay.takenBytes()).toBeGreaterThanOrEqual(0);
});
