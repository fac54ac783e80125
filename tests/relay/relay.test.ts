/** The relay over real HTTP, with the fake upstream: answers, charges, official SDK. */
import OpenAI from "openai";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startFakeUpstream, type FakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { TEST_KEY, type TestRelay, newChannel, startTestRelay, until, withOptions } from "../support/relay/harness.ts";

let upstream: FakeUpstream;
let relay: TestRelay;

beforeEach(async () => {
  upstream = await startFakeUpstream({ key: "sk-upstream-secret-key" });
  relay = await startTestRelay();
  relay.world.channels.push(
    newChannel({
      baseUrl: upstream.url,
      models: new Set(["gpt-4o", "gpt-4o-mini", "text-embedding-3-small", "o3-mini"]),
    }),
  );
});

afterEach(async () => {
  await relay.close();
  await upstream.close();
});

const chat = { model: "gpt-4o", messages: [{ role: "user" as const, content: "hello" }] };
const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 };
/** (10 + 20 x 4) x 1.25 */
const CHARGE = 113;

test("a call in one piece comes back byte for byte and is charged by the upstream's usage", async () => {
  upstream.plan({ usage, text: "Zwölf Boxkämpfer 你好" });
  const answer = await relay.post("/v1/chat/completions", chat);
  const body = (await answer.json()) as { choices: { message: { content: string } }[]; usage: unknown };
  expect(answer.status).toBe(200);
  expect(body.choices[0]?.message.content).toBe("Zwölf Boxkämpfer 你好");
  expect(body.usage).toEqual(usage);
  expect(relay.billing.settlements).toHaveLength(1);
  expect(relay.billing.settlements[0]).toMatchObject({
    charge: CHARGE,
    promptTokens: 10,
    completionTokens: 20,
    model: "gpt-4o",
    channelId: 1,
    userId: 1,
    tokenId: 1,
    isTokenLimited: false,
  });
  expect(relay.billing.held).toBe(0);
});

test("the official SDK reads streams, answers, embeddings and models", async () => {
  upstream.plan({ text: "one two three four", chunks: 4, usage });
  const client = new OpenAI({ apiKey: `sk-${TEST_KEY}`, baseURL: `${relay.url}/v1`, maxRetries: 0 });
  const stream = await client.chat.completions.create({
    ...chat,
    stream: true,
    stream_options: { include_usage: true },
  });
  let text = "";
  let seen: unknown;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? "";
    seen = chunk.usage ?? seen;
  }
  expect(text).toBe("one two three four");
  expect(seen).toEqual(usage);
  const whole = await client.chat.completions.create(chat);
  expect(whole.choices[0]?.message.content).toBe("one two three four");
  const legacy = await client.completions.create({ model: "gpt-4o", prompt: "hello" });
  expect(legacy.choices[0]?.text).toBe("one two three four");
  const vectors = await client.embeddings.create({
    model: "text-embedding-3-small",
    input: ["a", "b"],
    encoding_format: "float",
  });
  expect(vectors.data).toHaveLength(2);
  const models = await client.models.list();
  expect(models.data.map(({ id }) => id)).toEqual(["gpt-4o", "gpt-4o-mini", "o3-mini", "text-embedding-3-small"]);
  expect(relay.billing.settlements.map(({ charge }) => charge).slice(0, 3)).toEqual([CHARGE, CHARGE, CHARGE]);
});

test("usage is asked of the upstream and hidden from a client that did not ask", async () => {
  upstream.plan({ usage, text: "a b c", chunks: 3 });
  const answer = await relay.post("/v1/chat/completions", { ...chat, stream: true });
  const text = await answer.text();
  expect(answer.headers.get("content-type")).toMatch(/^text\/event-stream/);
  expect(upstream.requests[0]?.json?.["stream_options"]).toEqual({ include_usage: true });
  expect(text).not.toContain("prompt_tokens");
  expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  expect(relay.billing.settlements[0]).toMatchObject({ charge: CHARGE });
});

test("closing frames wait for the commit, everything else does not", async () => {
  const commit = Promise.withResolvers<void>();
  relay.billing.beforeCommit = commit.promise;
  upstream.plan({ usage, text: "a b c", chunks: 3 });
  const answer = await relay.post("/v1/chat/completions", { ...chat, stream: true });
  let text = "";
  const read = async (): Promise<void> => {
    for await (const part of answer.body ?? []) text += Buffer.from(part).toString();
  };
  const whole = read();
  await until(() => text.includes('"content":"c"'));
  // Long enough for closing frames that would not wait.
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(text).not.toMatch(/"finish_reason":"stop"|\[DONE\]/);
  expect(relay.billing.settlements).toHaveLength(0);
  commit.resolve();
  await whole;
  expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
});

test("a receipt says how the call was priced and which channels were tried", async () => {
  upstream.plan({ usage });
  relay.world.channels[0] = newChannel({ baseUrl: upstream.url, modelMapping: { "gpt-4o": "gpt-4o-2024-11-20" } });
  await relay.post("/v1/chat/completions", chat);
  const [row] = relay.billing.rows;
  const other = JSON.parse(row?.other ?? "{}") as Record<string, unknown>;
  expect(row).toMatchObject({
    type: 2,
    quota: CHARGE,
    username: "alice",
    tokenName: "main",
    channelId: 1,
    modelName: "gpt-4o",
    groupName: "default",
    isStream: false,
  });
  expect(other).toMatchObject({
    model_ratio: 1.25,
    model_price: -1,
    group_ratio: 1,
    completion_ratio: 4,
    price_version: 7,
    is_model_mapped: true,
    upstream_model_name: "gpt-4o-2024-11-20",
    raw_usage: usage,
  });
  expect(other["admin_info"]).toMatchObject({
    use_channel: [1],
    tried: [{ id: 1, name: "first", status: 200, reason: "" }],
    skipped: [],
  });
});

test("no log row is written while LogConsumeEnabled is off, and the charge is", async () => {
  withOptions(relay.world, { LogConsumeEnabled: false });
  await relay.post("/v1/chat/completions", chat);
  expect(relay.billing.settlements).toHaveLength(1);
  expect(relay.billing.rows).toHaveLength(0);
});

test("every answer names its request and none of the vendor's own headers", async () => {
  const answer = await relay.post("/v1/chat/completions", chat);
  expect(answer.headers.get("x-request-id")).toBe("req-test-1");
  expect(answer.headers.get("x-oneapi-request-id")).toBe("req-test-1");
  expect(answer.headers.get("openai-processing-ms")).toBe("7");
  expect(answer.headers.get("set-cookie")).toBeNull();
  expect(answer.headers.get("openai-organization")).toBeNull();
  expect(upstream.requests[0]?.headers["authorization"]).toBe("Bearer sk-upstream-secret-key");
});

test("token ids of an encoded input are held as a token each", async () => {
  const ids = Array.from({ length: 60_000 }, (_, index) => index);
  const embed = () => relay.post("/v1/embeddings", { model: "text-embedding-3-small", input: ids });
  relay.billing.balance = 500;
  const refused = await embed();
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ error: { code: "insufficient_user_quota" } });
  expect(upstream.count).toBe(0);
  relay.billing.balance = 700;
  upstream.plan({ usage: { prompt_tokens: 60_000, total_tokens: 60_000 } });
  expect((await embed()).status).toBe(200);
  expect(relay.billing.balance).toBe(100);
});
