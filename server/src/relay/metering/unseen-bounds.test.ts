/** Tests of holds for unseen usage: by format, by model, and never above the bounds that client, model and operator set. */
import { expect, test } from "vitest";
import { withOptions } from "../../../../tests/support/relay/harness.ts";
import {
  CHAT,
  GENERATE,
  WINDOW,
  chat,
  claude,
  gemini,
  heldScene,
  response,
  withParts,
  words,
} from "../../../../tests/support/relay/held.ts";

const scene = heldScene();

test.each([
  ["Chinese", "\u4e2d\u6587\u6ca1\u6709\u7a7a\u683c\uff0c".repeat(1000), 7_000],
  ["a text", "supercalifragilistic".repeat(1000), 4_000],
])("%s without a blank is held for as words, as a part and whole", async (_name, text, least) => {
  expect(await scene.heldFor(CHAT, chat("gpt-4o", { messages: [{ role: "user", content: text }] }))).toBeGreaterThan(
    least,
  );
  expect(await scene.heldFor(CHAT, chat("gpt-4o", { messages: withParts({ type: "text", text }) }))).toBeGreaterThan(
    least,
  );
  expect(await scene.heldFor(GENERATE, gemini({ text }))).toBeGreaterThan(least);
  expect(await scene.heldFor("/v1/responses", response({ input: text }))).toBeGreaterThan(least);
});

test.each([
  ["gpt-4o", {}, 16_384],
  ["gpt-4o", { n: 3 }, 3 * 16_384],
  ["gpt-4o", { max_tokens: 12_000 }, 12_000],
  ["gpt-4o", { max_tokens: 10_000_000 }, 16_384],
  ["house-model", {}, WINDOW],
])("an answer of %s in one piece with %j is held for as %d tokens", async (model, more, tokens) => {
  const quota = await scene.heldFor(CHAT, { model, messages: words, ...more });
  expect(quota).toBeGreaterThanOrEqual(tokens);
  expect(quota).toBeLessThan(tokens + 100);
});

test.each([
  ["gpt-6-sol", {}, 128_000],
  ["qwen3.7-plus", {}, 263_144],
  ["qwen3.7-plus", { thinking_budget: 2_000 }, 3_000],
  ["qwen3.7-plus", { thinking_budget: 1e9 }, 263_144],
  ["qwen3.7-plus", { enable_thinking: false }, 1_000],
  ["qwen-plus", { enable_thinking: true }, 82_920],
  ["qwen-plus", {}, 1_000],
  ["qwen-plus", { reasoning_effort: "high" }, 82_920],
  ["qwen-plus", { reasoning_effort: "high", thinking_budget: 10 }, 82_920],
  ["qwen-plus", { thinking_budget: 10 }, 1_010],
])("of %s with %j at most %d tokens come, thoughts beside the client's bound included", async (model, more, tokens) => {
  withOptions(scene.relay.world, { UnknownContextWindow: 1_000_000 });
  const bound = model.startsWith("qwen") ? { max_tokens: 1_000 } : {};
  const quota = await scene.heldFor(CHAT, { model, messages: words, ...bound, ...more });
  expect([quota >= tokens, quota < tokens + 100]).toEqual([true, true]);
});

test.each([
  ["o3", {}, true],
  ["gpt-5", {}, true],
  ["house-model", {}, true],
  ["gpt-4o", {}, false],
  ["deepseek-chat", {}, false],
  ["deepseek-chat", { include_reasoning: false }, true],
  ["claude-sonnet-4-5", {}, false],
  ["claude-sonnet-4-5", { reasoning_effort: "high" }, true],
  ["claude-sonnet-4-5", { enable_thinking: true }, true],
  ["claude-sonnet-4-5", { enable_thinking: false, thinking_budget: 0, reasoning_effort: "none" }, false],
  ["claude-sonnet-4-5", { thinking_budget: 2_000 }, true],
  ["claude-sonnet-4-5", { chat_template_kwargs: { enable_thinking: true } }, true],
  ["claude-sonnet-4-5", { chat_template_kwargs: { enable_thinking: false } }, false],
  ["claude-sonnet-4-5", { generationConfig: { thinkingConfig: { includeThoughts: true } } }, true],
])("a stream of %s with %j may think unseen: %s", async (model, more, isUnseen) => {
  const quota = await scene.heldFor(CHAT, { model, messages: words, stream: true, max_tokens: 30_000, ...more });
  if (isUnseen) expect(quota).toBeGreaterThanOrEqual(30_000);
  else expect(quota).toBeLessThan(1_000);
});

test("an unknown name has the limits of what channels put in its place", async () => {
  const channel = scene.relay.world.channels.find(({ models }) => models.has("house-model"));
  if (channel === undefined) throw new Error("no channel has the model");
  const body = { model: "house-model", messages: words };
  channel.modelMapping = { "house-model": "gpt-4o" };
  // A change of a channel makes a new list of channels, as the snapshot does.
  expect(await scene.heldFor(CHAT, body)).toBeLessThan(16_500);
  expect(await scene.heldFor(CHAT, { ...body, stream: true })).toBeLessThan(1_000);
  channel.modelMapping = { "house-model": "o3" };
  expect(await scene.heldFor(CHAT, { ...body, stream: true, max_tokens: 30_000 })).toBeGreaterThanOrEqual(30_000);
  channel.modelMapping = {};
});

test.each([
  [GENERATE.replace("gemini-2.0-flash", "claude-sonnet-4-5"), { thinkingConfig: { thinkingBudget: 30_000 } }, 30_000],
  [GENERATE.replace("gemini-2.0-flash", "claude-sonnet-4-5"), { thinking_config: { include_thoughts: true } }, 20_000],
  [GENERATE.replace("gemini-2.0-flash", "claude-sonnet-4-5"), { thinkingConfig: { thinkingBudget: 0 } }, 0],
])("a client of Google's at %s that wishes %j is held for its thoughts", async (path, wish, tokens) => {
  const config = { maxOutputTokens: 20_000, ...wish };
  const quota = await scene.heldFor(path.replace("generateContent", "streamGenerateContent?alt=sse"), {
    contents: [{ role: "user", parts: [{ text: "hello" }] }],
    generationConfig: config,
  });
  expect([quota >= tokens, quota < tokens + 1_000]).toEqual([true, true]);
});

test("a name that is known has the widest limits of what channels put in its place, where that is known too", async () => {
  const channel = scene.relay.world.channels.find(({ models }) => models.has("gpt-4o"));
  if (channel === undefined) throw new Error("no channel has the model");
  const stream = { model: "gpt-4o", messages: words, stream: true, max_tokens: 100_000 };
  const picture = { messages: withParts({ type: "image_url", image_url: { url: "https://a.example/b.png" } }) };
  channel.modelMapping = { "gpt-4o": "gpt-5.5" };
  scene.relay.world.channels.splice(scene.relay.world.channels.indexOf(channel), 1, channel);
  expect(await scene.heldFor(CHAT, stream)).toBeGreaterThanOrEqual(WINDOW);
  expect(await scene.heldFor(CHAT, { ...stream, ...picture, max_tokens: 10 })).toBeGreaterThan(10_000);
  channel.modelMapping = { "gpt-4o": "our-deployment" };
  expect(await scene.heldFor(CHAT, stream)).toBeLessThan(1_000);
  channel.modelMapping = {};
});

test("pictures are held for by their number, whatever their bytes, and the finest at what they cost", async () => {
  const picture = { type: "image_url", image_url: { url: "https://a.example/b.png" } };
  const two = withParts(picture, picture);
  const plain = await scene.heldFor(CHAT, chat("gpt-4o", { messages: two, stream: true }));
  expect([plain > 10_000, plain < 11_000]).toEqual([true, true]);
  expect(
    await scene.heldFor(CHAT, chat("gpt-4o-mini", { messages: withParts(picture), stream: true })),
  ).toBeGreaterThan(48_000);
  for (const [model, tokens] of [
    ["gpt-5.5", 10_000],
    ["gpt-6-sol", 30_000],
  ] as const)
    expect(await scene.heldFor(CHAT, chat(model, { messages: withParts(picture) }))).toBeGreaterThan(tokens);
});

test("what may be written to a cache is held at that price", async () => {
  const text = "word ".repeat(1_000);
  const plain = await scene.heldFor("/v1/messages", { ...claude([{ type: "text", text }]), stream: true });
  const cached = await scene.heldFor("/v1/messages", {
    ...claude([{ type: "text", text, cache_control: { type: "ephemeral" } }]),
    stream: true,
  });
  const long = { type: "ephemeral", ttl: "1h" };
  const hour = await scene.heldFor("/v1/messages", {
    ...claude([{ type: "text", text, cache_control: long }]),
    stream: true,
  });
  expect([cached > plain * 1.2, hour > plain * 1.9]).toEqual([true, true]);
});

test("the operator bounds what is held for output, or trusts everybody", async () => {
  withOptions(scene.relay.world, { HeldOutputLimit: 2_000 });
  expect(await scene.heldFor(CHAT, { model: "gpt-4o", messages: words })).toBeLessThan(2_100);
  withOptions(scene.relay.world, { HeldOutputLimit: 0, SafeHoldsEnabled: false });
  const whole = await scene.heldFor(CHAT, { model: "gpt-4o", messages: words });
  expect([whole > 8_192, whole < 8_300]).toEqual([true, true]);
  expect(await scene.heldFor(CHAT, { model: "o3", messages: words, stream: true })).toBeLessThan(600);
  expect(await scene.heldFor("/v1/responses", response({ previous_response_id: "resp_1" }))).toBeLessThan(100);
});

test("a call that the balance does not reach for holds all of it, and a second one has to wait", async () => {
  scene.relay.billing.balance = 3_000;
  expect(await scene.heldFor(CHAT, { model: "gpt-4o", messages: words })).toBe(3_000);
  scene.relay.billing.balance = 3_000;
  const busy = scene.relay.billing.hold({
    requestId: "other",
    userId: 1,
    tokenId: 0,
    isTokenLimited: false,
    amount: 1,
  });
  const refused = await scene.relay.post(CHAT, { model: "gpt-4o", messages: words });
  expect([refused.status, await refused.json()]).toMatchObject([
    403,
    { error: { message: expect.stringMatching(/beside the calls that are open/) } },
  ]);
  scene.relay.billing.void(busy);
});

test("a stream that was let in with all that is left goes on until that is used up", async () => {
  scene.relay.billing.balance = 6_000;
  scene.upstream.next({ text: "word ".repeat(4_000), chunks: 400 });
  const answer = await scene.relay.post(CHAT, { model: "o3", messages: words, stream: true });
  const text = await answer.text();
  expect(text).toContain("quota_reached");
  expect(text.match(/word/g)?.length).toBeGreaterThan(2_000);
  expect(scene.relay.billing.balance).toBeGreaterThanOrEqual(0);
});
