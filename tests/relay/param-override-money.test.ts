/** Money of a channel's parameter override: what is held and charged follows the body that is sent. */
import { beforeEach, describe, expect, test } from "vitest";
import type { FakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { type TestRelay } from "../support/relay/harness.ts";
import { CHAT, chat, messages, operations, otherOf, overrideScene } from "../support/relay/overrides.ts";

const scene = overrideScene();
const { channels } = scene;
let upstream: FakeUpstream;
let relay: TestRelay;
beforeEach(() => ({ upstream, relay } = scene.started()));

describe("what is held and charged follows the body that is sent", () => {
  /** Covers the call as the client sent it, and no more. */
  const SMALL = 200;

  test.each([
    ["a plain field", { max_tokens: 50_000 }],
    ["an operation", operations({ mode: "set", path: "max_tokens", value: 50_000 })],
    ["more answers", { n: 100 }],
    ["more answers by an operation", operations({ mode: "set", path: "n", value: 100 })],
    ["longer input", operations({ mode: "append", path: "messages.0.content", value: "word ".repeat(2_000) })],
    ["a tool that has a price", operations({ mode: "set", path: "web_search_options", value: {} })],
  ])("%s: a balance that covers the client's request alone is not enough", async (_name, paramOverride) => {
    channels({});
    relay.billing.balance = SMALL;
    expect((await relay.post(CHAT, chat)).status).toBe(200);
    channels(paramOverride);
    relay.billing.balance = SMALL;
    const refused = await relay.post(CHAT, chat);
    expect([refused.status, upstream.count, relay.billing.held]).toEqual([403, 1, 0]);
    expect(JSON.stringify(await refused.json())).toContain("insufficient_user_quota");
    relay.billing.balance = 10_000_000;
    expect((await relay.post(CHAT, chat)).status).toBe(200);
    expect(relay.billing.held).toBe(0);
  });

  test.each([
    ["/v1/responses", { model: "gpt-4o", input: "hi", max_output_tokens: 60 }, "max_output_tokens"],
    ["/v1/messages", { model: "claude-sonnet-4-6", messages, max_tokens: 60 }, "max_tokens"],
    [
      "/v1beta/models/gemini-2.5-flash:generateContent",
      { contents: [{ role: "user", parts: [{ text: "hi" }] }], generationConfig: { maxOutputTokens: 60 } },
      "generationConfig.maxOutputTokens",
    ],
    [
      "/v1beta/models/gemini-2.5-flash:generateContent",
      { contents: [{ role: "user", parts: [{ text: "hi" }] }], generationConfig: { maxOutputTokens: 60 } },
      "generationConfig.candidateCount",
    ],
  ])("of %s with %j a rule that raises %s is held for", async (path, body, bound) => {
    const raised = bound.endsWith("candidateCount") ? 100 : 50_000;
    channels({});
    relay.billing.balance = SMALL;
    expect((await relay.post(path, body)).status).toBe(200);
    channels(operations({ mode: "set", path: bound, value: raised }));
    relay.billing.balance = SMALL;
    expect([(await relay.post(path, body)).status, upstream.count, relay.billing.held]).toEqual([403, 1, 0]);
    relay.billing.balance = 10_000_000;
    expect((await relay.post(path, body)).status).toBe(200);
    expect(relay.billing.held).toBe(0);
  });

  test("the hold grows while the call is under way, and all of it is given back", async () => {
    channels({ max_tokens: 50_000 });
    let held = 0;
    upstream.plan(() => {
      held = relay.billing.held;
      return {};
    });
    await relay.post(CHAT, chat);
    // The model itself writes no more.
    expect(held).toBeGreaterThanOrEqual(16_384);
    expect(relay.billing.held).toBe(0);
  });

  test("a smaller bound holds no less than what was held to let the call in", async () => {
    channels({ max_tokens: 1 });
    let held = 0;
    upstream.plan(() => {
      held = relay.billing.held;
      return {};
    });
    await relay.post(CHAT, chat);
    expect(held).toBeGreaterThanOrEqual(60);
  });

  test.each([
    ["a plain field", { n: 3 }],
    ["an operation", operations({ mode: "set", path: "n", value: 3 })],
  ])("pictures that %s asked for are charged", async (_name, paramOverride) => {
    channels(paramOverride);
    const answer = await relay.post("/v1/images/generations", { model: "dall-e-3", prompt: "a cat" });
    expect(answer.status).toBe(200);
    expect(((await answer.json()) as { data: unknown[] }).data).toHaveLength(3);
    expect(relay.billing.settlements[0]?.charge).toBe(60_000);
  });

  test("more pictures than any call may ask for are refused, whoever asks", async () => {
    channels({ n: 11 });
    expect((await relay.post("/v1/images/generations", { model: "dall-e-3", prompt: "a cat" })).status).toBe(400);
    expect(upstream.count).toBe(0);
  });

  test("a model in the body changes what is asked for, not what is paid: the price is that of the client's model", async () => {
    channels(operations({ mode: "set", path: "model", value: "other-model" }));
    upstream.plan({ usage: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 } });
    await relay.post(CHAT, chat);
    expect(upstream.requests[0]?.json?.["model"]).toBe("other-model");
    expect(relay.billing.settlements[0]).toMatchObject({ model: "gpt-4o", charge: 150 });
    expect(otherOf(relay.billing.rows[0])).toMatchObject({ is_model_mapped: true, upstream_model_name: "other-model" });
  });

  test("an answer without a count is estimated by what was sent", async () => {
    channels(operations({ mode: "append", path: "messages.0.content", value: " word".repeat(500) }));
    upstream.plan({ usage: null });
    await relay.post(CHAT, chat);
    expect(relay.billing.settlements[0]?.promptTokens).toBeGreaterThan(400);
  });
});
