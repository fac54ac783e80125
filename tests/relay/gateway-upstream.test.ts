/** Other gateways as upstreams (channel types 60 and 59): every client's own format and every operation goes there untouched, with the channel's key. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RunningVendor, startHttpVendor, WORDS } from "../support/providers/own-vendor.ts";
import { newChannel, startTestRelay, type TestRelay } from "../support/relay/harness.ts";
import { operationScene } from "../support/relay/operations.ts";
import { silence } from "../../server/src/relay/probe-questions.ts";

const TYPE = 60;
const SUB2API = 59;
const KEY = "sk-upstream-secret-key";

/** One chat in each format: the client's call, the gateway's answer in the same format. */
const CHATS = [
  [
    "/v1/chat/completions",
    { model: "gpt-4o", messages: [{ role: "user", content: "hi" }], x_vendor: 1 },
    {
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", content: WORDS }, finish_reason: "stop" }],
      usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
    },
  ],
  [
    "/v1/responses",
    { model: "gpt-4o", input: "hi", store: false },
    {
      object: "response",
      status: "completed",
      output: [
        { type: "message", role: "assistant", content: [{ type: "output_text", text: WORDS, annotations: [] }] },
      ],
      usage: { input_tokens: 5, output_tokens: 2, total_tokens: 7 },
    },
  ],
  [
    "/v1/messages",
    { model: "gpt-4o", max_tokens: 10, messages: [{ role: "user", content: "hi" }] },
    {
      type: "message",
      role: "assistant",
      content: [{ type: "text", text: WORDS }],
      stop_reason: "end_turn",
      usage: { input_tokens: 5, output_tokens: 2 },
    },
  ],
  [
    "/v1beta/models/gpt-4o:generateContent",
    { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
    {
      candidates: [{ content: { role: "model", parts: [{ text: WORDS }] }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 },
    },
  ],
] as const;

describe.each([TYPE, SUB2API])("a chat by type %s", (type) => {
  let gateway: RunningVendor;
  let relay: TestRelay;

  beforeAll(async () => {
    gateway = await startHttpVendor(({ path }, response) => {
      const [, , answer = {}] = CHATS.find(([served]) => path.startsWith(served)) ?? [];
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ id: "c-1", model: "gpt-4o", ...answer }));
    });
    relay = await startTestRelay();
    relay.world.channels = [newChannel({ type, key: KEY, baseUrl: `${gateway.url}/v1` })];
  });
  afterAll(async () => {
    await relay.close();
    await gateway.close();
  });
  beforeEach(() => {
    gateway.seen.length = 0;
    relay.billing.settlements = [];
  });

  test.each(CHATS)("of %s goes on in its own format and is counted", async (path, body) => {
    const answer = await relay.post(path, body);
    expect([answer.status, (await answer.text()).includes(WORDS)]).toEqual([200, true]);
    const [seen] = gateway.seen;
    expect([seen?.path, seen?.headers["authorization"], JSON.parse(String(seen?.body))]).toEqual([
      path,
      `Bearer ${KEY}`,
      body,
    ]);
    expect(seen?.headers["turnpike-hops"]).toEqual(expect.any(String));
    expect(relay.billing.settlements).toMatchObject([{ promptTokens: 5, completionTokens: 2 }]);
  });
});

describe("another operation", () => {
  const scene = operationScene();
  beforeEach(() => {
    const [channel] = scene.relay.world.channels;
    scene.relay.world.channels = [{ ...channel, type: TYPE } as typeof channel & object];
  });

  test.each([
    ["/v1/embeddings", { model: "text-embedding-3-small", input: "a" }],
    ["/v1/moderations", { model: "text-moderation-stable", input: "a" }],
    ["/v1/rerank", { model: "rerank-1", query: "a", documents: ["b"] }],
    ["/v1/images/generations", { model: "dall-e-3", prompt: "a" }],
    ["/v1/audio/speech", { model: "tts-1", input: "a", voice: "alloy" }],
  ])("at %s goes on and is charged", async (path, body) => {
    const answer = await scene.relay.post(path, body);
    await answer.arrayBuffer();
    expect([answer.status, scene.upstream.requests[0]?.path]).toEqual([200, path]);
    expect(scene.charge()).toBeGreaterThan(0);
  });

  const file = new Blob([new Uint8Array(silence(1))], { type: "audio/wav" });
  const image = new Blob([new Uint8Array([137, 80, 78, 71, 13, 10])], { type: "image/png" });
  test.each([
    ["/v1/audio/transcriptions", { model: "whisper-1", file }],
    ["/v1/audio/translations", { model: "whisper-1", file }],
    ["/v1/images/edits", { model: "gpt-image-1", image, prompt: "a" }],
    ["/v1/images/variations", { model: "dall-e-2", image }],
  ])("with a form at %s goes on and is charged", async (path, fields) => {
    const answer = await scene.postForm(path, fields);
    await answer.text();
    expect([answer.status, scene.upstream.requests[0]?.path]).toEqual([200, path]);
    expect(scene.charge()).toBeGreaterThan(0);
  });
});

describe("another operation by Sub2API", () => {
  const scene = operationScene();
  beforeEach(() => {
    const [channel] = scene.relay.world.channels;
    scene.relay.world.channels = [{ ...channel, type: SUB2API } as typeof channel & object];
  });

  test.each([
    ["/v1/embeddings", { model: "text-embedding-3-small", input: "a" }],
    ["/v1/images/generations", { model: "dall-e-3", prompt: "a" }],
  ])("at %s goes on and is charged", async (path, body) => {
    const answer = await scene.relay.post(path, body);
    await answer.arrayBuffer();
    expect([answer.status, scene.upstream.requests[0]?.path]).toEqual([200, path]);
    expect(scene.charge()).toBeGreaterThan(0);
  });

  test("at /v1/images/edits a form goes on and is charged", async () => {
    const image = new Blob([new Uint8Array([137, 80, 78, 71, 13, 10])], { type: "image/png" });
    const answer = await scene.postForm("/v1/images/edits", { model: "gpt-image-1", image, prompt: "a" });
    await answer.text();
    expect([answer.status, scene.upstream.requests[0]?.path]).toEqual([200, "/v1/images/edits"]);
    expect(scene.charge()).toBeGreaterThan(0);
  });
});

test("completions go on, and are counted", async () => {
  const gateway = await startHttpVendor((_, response) => {
    response.setHeader("content-type", "application/json");
    const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
    response.end(JSON.stringify({ id: "c-1", object: "text_completion", choices: [{ index: 0, text: WORDS }], usage }));
  });
  const relay = await startTestRelay();
  try {
    relay.world.channels = [newChannel({ type: TYPE, key: KEY, baseUrl: gateway.url })];
    const answer = await relay.post("/v1/completions", { model: "gpt-4o", prompt: "hi" });
    expect([answer.status, gateway.seen[0]?.path]).toEqual([200, "/v1/completions"]);
    expect(relay.billing.settlements).toMatchObject([{ promptTokens: 5, completionTokens: 2 }]);
  } finally {
    await relay.close();
    await gateway.close();
  }
});
