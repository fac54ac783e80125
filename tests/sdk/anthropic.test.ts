/** The official Anthropic library, and older and other clients of its format, through the relay; what the library matrix does not cover. */
import Anthropic from "@anthropic-ai/sdk";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DialectName } from "../../server/src/dialects/neutral/neutral.ts";
import { TEST_KEY, type TestRelay, newChannel, newWorld, startTestRelay } from "../support/relay/harness.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { speaking } from "./speaking.ts";

const OWN = { name: "anthropic-messages", type: 14, model: "claude-sonnet-4-6" } as const;
const UPSTREAMS = [
  OWN,
  { name: "openai-chat", type: 1, model: "gpt-4o" },
  { name: "openai-responses", type: 1, model: "gpt-5.4" },
  { name: "gemini", type: 24, model: "gemini-2.5-flash" },
] as const satisfies readonly { name: DialectName; type: number; model: string }[];
type Target = (typeof UPSTREAMS)[number];

interface Scene {
  upstream: FakeUpstream;
  relay: TestRelay;
  client: Anthropic;
}

async function openScene({ name, type, model }: Target): Promise<Scene> {
  const upstream = await startFakeUpstream({ key: "upstream-secret" });
  const world = newWorld({
    channels: [newChannel({ type, key: "upstream-secret", baseUrl: upstream.url, models: new Set([model]) })],
  });
  const price = world.prices.get("gpt-4o");
  if (price !== undefined) world.prices.set(model, price);
  const relay = await startTestRelay({ world, providers: await speaking(name) });
  const client = new Anthropic({ apiKey: `sk-${TEST_KEY}`, baseURL: relay.url, maxRetries: 0 });
  return { upstream, relay, client };
}

async function closeScene({ upstream, relay }: Scene): Promise<void> {
  await relay.close();
  await upstream.close();
}

type Body = Anthropic.MessageCreateParamsNonStreaming;

/** A whole answer, asked for in one piece or put together by the library from a stream. */
const answerOf = (client: Anthropic, body: Body, isStream: boolean): Promise<Anthropic.Message> =>
  isStream ? client.messages.stream(body).finalMessage() : client.messages.create(body).then((message) => message);

const hello = { max_tokens: 500, messages: [{ role: "user" as const, content: "hi" }] };

describe("the vendor's own upstream", () => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene(OWN);
  });
  afterEach(() => closeScene(scene));

  test("today's library: its version and its form of the key are passed on, and the bytes unchanged", async () => {
    const body = { model: OWN.model, ...hello };
    const message = await scene.client.messages.create(body, {
      headers: { "anthropic-beta": "context-1m-2025-08-07" },
    });
    expect(message.content).toMatchObject([{ type: "text" }]);
    const [seen] = scene.upstream.requests;
    expect(seen?.headers).toMatchObject({
      authorization: "Bearer upstream-secret",
      "anthropic-version": "2026-10-21",
      "anthropic-beta": "context-1m-2025-08-07",
    });
    expect(seen?.headers["x-api-key"]).toBeUndefined();
    expect(seen?.json).toEqual(body);
  });

  test("older clients: x-api-key both ways, also without a version", async () => {
    for (const version of [{ "anthropic-version": "2023-06-01" }, {}]) {
      const response = await fetch(`${scene.relay.url}/v1/messages?beta=true`, {
        method: "POST",
        headers: { "x-api-key": `sk-${TEST_KEY}`, "content-type": "application/json", ...version },
        body: JSON.stringify({ model: OWN.model, temperature: 0.2, ...hello }),
      });
      expect(response.status).toBe(200);
    }
    for (const seen of scene.upstream.requests) {
      expect(seen.path).toBe("/v1/messages?beta=true");
      expect(seen.headers).toMatchObject({ "x-api-key": "upstream-secret", "anthropic-version": "2023-06-01" });
    }
  });

  test("what the caches held is charged, whole and streamed", async () => {
    const usage = {
      input_tokens: 20,
      cache_creation_input_tokens: 100,
      cache_read_input_tokens: 300,
      cache_creation: { ephemeral_5m_input_tokens: 40, ephemeral_1h_input_tokens: 60 },
      output_tokens: 7,
    };
    scene.upstream.plan({ usage });
    for (const isStream of [false, true]) {
      const message = await answerOf(scene.client, { model: OWN.model, ...hello }, isStream);
      expect(message.usage).toMatchObject({ input_tokens: 20, cache_read_input_tokens: 300, output_tokens: 7 });
    }
    expect(scene.relay.billing.settlements).toMatchObject([
      { promptTokens: 420, completionTokens: 7 },
      { promptTokens: 420, completionTokens: 7 },
    ]);
  });

  test("tokens are counted by the upstream", async () => {
    const count = await scene.client.messages.countTokens({ model: OWN.model, messages: hello.messages });
    expect(count.input_tokens).toBeGreaterThan(0);
    expect(scene.upstream.requests[0]?.path).toBe("/v1/messages/count_tokens");
  });

  test("the vendor's refusals become the library's error classes, with the vendor's message", async () => {
    const wrong = { model: OWN.model, ...hello, temperature: 0.5 };
    await expect(scene.client.messages.create(wrong)).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    scene.upstream.plan({ status: 529, error: { message: "Overloaded" } });
    await expect(scene.client.messages.create({ model: OWN.model, ...hello })).rejects.toMatchObject({
      status: 529,
      type: "overloaded_error",
    });
  });
});

const CLAUDE_CODE = readFileSync(
  new URL("../../server/src/dialects/anthropic-messages/fixtures/claude-code-request.json", import.meta.url),
  "utf8",
);

describe.each(UPSTREAMS)("a client of the Messages API with $name", (target) => {
  const { model } = target;
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene(target);
  });
  afterEach(() => closeScene(scene));

  test("what Claude Code sends is taken, and streamed as it expects", async () => {
    scene.upstream.plan({ text: "Done.", toolCalls: [{ name: "Bash", arguments: '{"command":"npm test"}' }] });
    const body = JSON.parse(CLAUDE_CODE) as Anthropic.MessageCreateParamsStreaming;
    // The proofs in the file are made up, and the vendor's own upstream would refuse them.
    const messages = body.messages.map((message) => ({
      ...message,
      content: Array.isArray(message.content)
        ? message.content.filter(({ type }) => type !== "thinking" && type !== "redacted_thinking")
        : message.content,
    })) as Anthropic.MessageParam[];
    const thinking = { type: "disabled" as const };
    const stream = scene.client.messages.stream(
      { ...body, model, messages, thinking, max_tokens: 8000 },
      {
        query: { beta: "true" },
        headers: { "anthropic-beta": "claude-code-20250219,interleaved-thinking-2025-05-14" },
      },
    );
    const message = await stream.finalMessage();
    expect(message).toMatchObject({ stop_reason: "tool_use", role: "assistant", model });
    // Gemini signs calls: here in an empty block in front of them.
    expect(message.content.filter(({ type }) => type !== "thinking")).toMatchObject([
      { type: "text", text: "Done." },
      { type: "tool_use", name: "Bash", input: { command: "npm test" } },
    ]);
  });

  test("an answer cut by its bound ends with max_tokens", async () => {
    scene.upstream.plan({ text: "Once upon", finishReason: target.name === "gemini" ? "MAX_TOKENS" : "length" });
    for (const isStream of [false, true])
      expect((await answerOf(scene.client, { model, ...hello }, isStream)).stop_reason).toBe("max_tokens");
  });

  test("usage is in the vendor's fields and is what is charged", async () => {
    for (const isStream of [false, true]) {
      const { usage } = await answerOf(scene.client, { model, ...hello }, isStream);
      const settled = scene.relay.billing.settlements.at(-1);
      expect(settled).toMatchObject({ promptTokens: usage.input_tokens, completionTokens: usage.output_tokens });
      expect(usage.input_tokens).toBeGreaterThan(0);
    }
  });

  test("a document and a picture by its address are given to the model, or refused by name", async () => {
    const content: Anthropic.ContentBlockParam[] = [
      { type: "document", source: { type: "text", media_type: "text/plain", data: "Grass is green." }, title: "Facts" },
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0xLjQK" } },
      { type: "text", text: "What do they say?" },
    ];
    await scene.client.messages.create({ model, max_tokens: 100, messages: [{ role: "user", content }] });
    expect(scene.upstream.requests[0]?.body.toString("utf8")).toContain("Grass is green.");
    expect(scene.upstream.requests[0]?.body.toString("utf8")).toContain("JVBERi0xLjQK");
    const file = { type: "image", source: { type: "file", file_id: "file_1" } } as const;
    const refused = scene.client.messages.create({
      model,
      max_tokens: 9,
      messages: [{ role: "user", content: [file] }],
    });
    await expect(refused).rejects.toMatchObject({ status: 400, type: "invalid_request_error" });
  });

  test("a stream that breaks off is an error, never a whole answer", async () => {
    scene.upstream.plan({ text: "word ".repeat(200), chunks: 200, cutAtByte: 9000 });
    const stream = scene.client.messages.stream({ model, ...hello });
    await expect(stream.finalMessage()).rejects.toThrow(Anthropic.AnthropicError);
  });

  test("tokens can be counted before", async () => {
    const count = await scene.client.messages.countTokens({ model, messages: hello.messages, system: "Be brief." });
    expect(count.input_tokens).toBeGreaterThan(0);
  });
});

describe("a conversation that changes its vendor", () => {
  test.each(UPSTREAMS.slice(1))("from $name to Anthropic and back", async (target) => {
    const before = await openScene(target);
    const after = await openScene(OWN);
    const tools = [{ name: "look", input_schema: { type: "object" as const, properties: {} } }];
    const plan = { reasoning: "Let me see.", toolCalls: [{ name: "look", arguments: "{}" }] };
    before.upstream.next(plan, { text: "Well." });
    after.upstream.plan({ reasoning: "Oh.", text: "Green." });
    const thinking = { type: "enabled" as const, budget_tokens: 1024 };
    const body = { max_tokens: 3000, tools, ...(target.name === "openai-chat" ? {} : { thinking }) };
    const asked: Anthropic.MessageParam = { role: "user", content: "Look." };
    const first = await before.client.messages
      .stream({ ...body, model: target.model, messages: [asked] })
      .finalMessage();
    const call = first.content.find((block) => block.type === "tool_use");
    const result: Anthropic.MessageParam = {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: call?.id ?? "", content: "grass" }],
    };
    const history = [asked, { role: "assistant" as const, content: first.content }, result];
    const second = await after.client.messages.create({ ...body, thinking, model: OWN.model, messages: history });
    expect(second.content.at(-1)).toMatchObject({ text: "Green." });
    const back = [...history, { role: "assistant" as const, content: second.content }, asked];
    const third = await before.client.messages.create({ ...body, model: target.model, messages: back });
    expect(third.content.at(-1)).toMatchObject({ text: "Well." });
    await closeScene(before);
    await closeScene(after);
  });
});
