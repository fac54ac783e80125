/** Edge cases of OpenAI's own library on chat completions: refusals, broken streams, limits, the retired functions. */
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TEST_KEY, type TestRelay, newChannel, newWorld, startTestRelay } from "../support/relay/harness.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { UPSTREAMS, WEATHER } from "./matrix.ts";

/** OpenAI's provider speaks chat itself, so its Responses are the business of another file. */
const TARGETS = UPSTREAMS.filter(({ name }) => name !== "openai-responses");

describe.each(TARGETS)("a chat client with $title", ({ name, type, model }) => {
  let upstream: FakeUpstream;
  let relay: TestRelay;
  let library: OpenAI;
  beforeEach(async () => {
    upstream = await startFakeUpstream({ key: "upstream-secret" });
    const channel = newChannel({ type, key: "upstream-secret", baseUrl: upstream.url, models: new Set([model]) });
    const world = newWorld({ channels: [channel] });
    const price = world.prices.get("gpt-4o");
    if (price !== undefined) world.prices.set(model, price);
    relay = await startTestRelay({ world });
    library = new OpenAI({ apiKey: `sk-${TEST_KEY}`, baseURL: `${relay.url}/v1`, maxRetries: 0 });
  });
  afterEach(async () => {
    await relay.close();
    await upstream.close();
  });

  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "hi" }];

  test("an answer truncated by its limit has its finish reason", async () => {
    upstream.plan({ text: "Once upon", finishReason: "length" });
    const whole = await library.chat.completions.create({ model, messages, max_tokens: 16 });
    expect(whole.choices[0]).toMatchObject({ finish_reason: "length", message: { content: "Once upon" } });
    const stream = library.chat.completions.stream({ model, messages, max_tokens: 16 });
    const reasons: (string | null | undefined)[] = [];
    stream.on("chunk", ({ choices }) => reasons.push(choices[0]?.finish_reason));
    await stream.done();
    expect(reasons).toContain("length");
  });

  test("usage comes in a stream only where it was asked for", async () => {
    upstream.plan({ text: "one two", chunks: 2 });
    for (const include_usage of [false, true]) {
      const stream = await library.chat.completions.create({
        model,
        messages,
        stream: true,
        stream_options: { include_usage },
      });
      const totals: number[] = [];
      for await (const { usage } of stream) if (usage) totals.push(usage.total_tokens);
      expect(totals).toHaveLength(include_usage ? 1 : 0);
    }
  });

  test("a refused request is an error of the library's kind", async () => {
    upstream.plan({ status: 400, error: { message: "Too long." } });
    const refused = { status: 400, message: expect.stringContaining("Too long.") };
    await expect(library.chat.completions.create({ model, messages })).rejects.toMatchObject(refused);
    await expect(library.chat.completions.create({ model, messages, stream: true })).rejects.toBeInstanceOf(
      OpenAI.BadRequestError,
    );
  });

  test("a stream that breaks off is an error, never a whole answer", async () => {
    upstream.plan({ text: "word ".repeat(200), chunks: 200, cutAtByte: 9000 });
    const stream = library.chat.completions.stream({ model, messages });
    await expect(stream.finalChatCompletion()).rejects.toThrow(/broke|ended|terminated|connection|stream/i);
  });

  if (name === "openai-chat") return;

  test("the retired functions are answered in their own format", async () => {
    upstream.plan({ text: "", toolCalls: [{ name: WEATHER.name, arguments: '{"city":"Riga"}' }] });
    const body = { model, messages, functions: [{ name: WEATHER.name, parameters: WEATHER.schema }] };
    const whole = await library.chat.completions.create(body);
    const called = { name: WEATHER.name, arguments: '{"city":"Riga"}' };
    expect(whole.choices[0]).toMatchObject({ finish_reason: "function_call", message: { function_call: called } });
    const streamed = await library.chat.completions.stream(body).finalChatCompletion();
    expect(streamed.choices[0]).toMatchObject({ finish_reason: "function_call", message: { function_call: called } });
  });

  test("a malformed conversation is named before it reaches another vendor", async () => {
    const orphan: OpenAI.ChatCompletionMessageParam[] = [{ role: "tool", tool_call_id: "c1", content: "x" }];
    await expect(library.chat.completions.create({ model, messages: orphan })).rejects.toMatchObject({
      status: 400,
      param: "messages[0].tool_call_id",
    });
    await expect(
      library.chat.completions.create({ model, messages, modalities: ["text", "audio"] }),
    ).rejects.toMatchObject({ status: 400, param: "modalities[1]" });
    expect(upstream.count).toBe(0);
  });
});

test("several answers are refused by name where the vendor gives one", async () => {
  const upstream = await startFakeUpstream({ key: "upstream-secret" });
  const model = "claude-sonnet-4-5";
  const world = newWorld({
    channels: [newChannel({ type: 14, key: "upstream-secret", baseUrl: upstream.url, models: new Set([model]) })],
  });
  const price = world.prices.get("gpt-4o");
  if (price !== undefined) world.prices.set(model, price);
  const relay = await startTestRelay({ world });
  const library = new OpenAI({ apiKey: `sk-${TEST_KEY}`, baseURL: `${relay.url}/v1`, maxRetries: 0 });
  const asked = library.chat.completions.create({ model, messages: [{ role: "user", content: "hi" }], n: 2 });
  await expect(asked).rejects.toMatchObject({ status: 400, param: "n" });
  expect(upstream.count).toBe(0);
  await relay.close();
  await upstream.close();
});
