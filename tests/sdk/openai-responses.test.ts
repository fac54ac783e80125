/** The official OpenAI library's Responses client through the relay, against each vendor's format; and other clients against a Responses upstream. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type {
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseInputItem,
} from "openai/resources/responses/responses";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TEST_KEY } from "../support/relay/harness.ts";
import type { DialectName } from "../../server/src/dialects/neutral/neutral.ts";
import { openSdkScene, type SdkScene } from "./scene.ts";

/** Model names whose vendors' rules the fake upstream knows. */
const UPSTREAMS = [
  { name: "openai-responses", type: 1, model: "gpt-5.4" },
  { name: "openai-chat", type: 1, model: "gpt-4o" },
  { name: "anthropic-messages", type: 14, model: "claude-sonnet-4-5" },
  { name: "gemini", type: 24, model: "gemini-2.5-flash" },
] as const satisfies readonly { name: DialectName; type: number; model: string }[];

interface Scene extends SdkScene {
  client: OpenAI;
}

async function openScene({ name, type, model }: (typeof UPSTREAMS)[number]): Promise<Scene> {
  const scene = await openSdkScene(name, type, [model]);
  const client = new OpenAI({ apiKey: `sk-${TEST_KEY}`, baseURL: `${scene.relay.url}/v1`, maxRetries: 0 });
  return { ...scene, client };
}

async function closeScene({ upstream, relay }: Scene): Promise<void> {
  await relay.close();
  await upstream.close();
}

const WEATHER = {
  type: "function" as const,
  name: "get_weather",
  description: "Weather of a city.",
  strict: true,
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
};
const PATCH = { type: "custom" as const, name: "apply_patch", description: "Edits files." };
const PIXEL = "data:image/png;base64,iVBORw0KGgo=";

/** A whole answer, asked for in one piece or put together by the library from a stream. */
async function answerOf(client: OpenAI, body: ResponseCreateParamsNonStreaming, isStream: boolean): Promise<Response> {
  return isStream ? client.responses.stream({ ...body, stream: true }).finalResponse() : client.responses.create(body);
}

function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("the answer lacks what was asked for");
  return value;
}

/** What a client sends back of an answer: the items as they came. */
const asInput = (response: Response): ResponseInputItem[] => response.output as ResponseInputItem[];

describe.each(UPSTREAMS)("a Responses client with $name", (target) => {
  const { model } = target;
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene(target);
  });
  afterEach(() => closeScene(scene));

  test.each([false, true])("text, usage and settings (stream: %s)", async (isStream) => {
    scene.upstream.plan({ text: 'Zwölf "Boxkämpfer" 你好', chunks: 5 });
    const response = await answerOf(
      scene.client,
      { model, instructions: "Be brief.", input: "hi", max_output_tokens: 200 },
      isStream,
    );
    expect(response.output_text).toBe('Zwölf "Boxkämpfer" 你好');
    expect(response).toMatchObject({ status: "completed", object: "response", model, instructions: "Be brief." });
    expect(response.usage?.total_tokens).toBe(
      (response.usage?.input_tokens ?? 0) + (response.usage?.output_tokens ?? 0),
    );
    expect(scene.relay.billing.settlements).toMatchObject([
      { promptTokens: response.usage?.input_tokens, completionTokens: response.usage?.output_tokens },
    ]);
  });

  test.each([false, true])(
    "tools, freeform tools, pictures and thinking over two turns (stream: %s)",
    async (isStream) => {
      scene.upstream.next(
        {
          reasoning: "A city is asked for.",
          text: "I look.",
          toolCalls: [
            { name: "get_weather", arguments: '{"city":"Riga"}' },
            { name: "apply_patch", arguments: '{"input":"*** Begin Patch"}' },
          ],
        },
        { text: "It rains." },
      );
      const asked: ResponseInputItem[] = [
        {
          role: "user",
          content: [
            { type: "input_text", text: "What weather is this?" },
            { type: "input_image", image_url: PIXEL, detail: "auto" },
          ],
        },
      ];
      const reasons = target.name !== "openai-chat";
      const body: ResponseCreateParamsNonStreaming = {
        model,
        input: asked,
        tools: [WEATHER, PATCH],
        store: false,
        ...(reasons
          ? { reasoning: { effort: "medium", summary: "auto" }, include: ["reasoning.encrypted_content"] }
          : {}),
      };
      const first = await answerOf(scene.client, body, isStream);
      const kinds = first.output.map(({ type }) => type).filter((type) => type !== "reasoning");
      expect(kinds).toEqual(["message", "function_call", "custom_tool_call"]);
      const calls = first.output.filter((item) => item.type === "function_call" || item.type === "custom_tool_call");
      expect(calls).toMatchObject([
        { name: "get_weather", arguments: expect.stringContaining("Riga") },
        { name: "apply_patch", input: "*** Begin Patch" },
      ]);
      const thought = first.output.find((item) => item.type === "reasoning");
      expect(thought?.summary[0]?.text).toBe("A city is asked for.");
      const outputs = calls.map((call) => ({
        type: call.type === "function_call" ? ("function_call_output" as const) : ("custom_tool_call_output" as const),
        call_id: call.call_id,
        output: "rain",
      }));
      const second = await answerOf(
        scene.client,
        { ...body, input: [...asked, ...asInput(first), ...outputs] },
        isStream,
      );
      expect(second.output_text).toBe("It rains.");
    },
  );

  test("an answer cut by its bound is incomplete", async () => {
    scene.upstream.plan({ text: "Once upon", finishReason: "length" });
    for (const isStream of [false, true]) {
      const response = await answerOf(scene.client, { model, input: "hi", max_output_tokens: 16 }, isStream);
      expect(response).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
    }
  });

  test("a refused request is an error of the library's kind", async () => {
    scene.upstream.plan({ status: 400, error: { message: "Too long.", code: "context_length_exceeded" } });
    await expect(scene.client.responses.create({ model, input: "hi" })).rejects.toMatchObject({ status: 400 });
    await expect(scene.client.responses.create({ model, input: "hi", stream: true })).rejects.toBeInstanceOf(
      OpenAI.BadRequestError,
    );
  });

  test("a stream that breaks off is an error, never a whole answer", async () => {
    scene.upstream.plan({ text: "word ".repeat(200), chunks: 200, cutAtByte: 9000 });
    const stream = scene.client.responses.stream({ model, input: "hi" });
    await expect(stream.finalResponse()).rejects.toThrow(/broke|ended|terminated|connection|stream/i);
  });
});

describe("what lives in the vendor's own store", () => {
  test("is refused with a clear message if the upstream has none, and passed on if it has", async () => {
    const own = await openScene(UPSTREAMS[0]);
    const other = await openScene(UPSTREAMS[2]);
    const stored = { previous_response_id: "resp_1", input: "and then?" };
    await own.client.responses.create({ model: UPSTREAMS[0].model, ...stored });
    expect(own.upstream.requests[0]?.json).toMatchObject(stored);
    await expect(other.client.responses.create({ model: UPSTREAMS[2].model, ...stored })).rejects.toMatchObject({
      status: 400,
      param: "previous_response_id",
      message: expect.stringContaining("works only on channels that speak the Responses API"),
    });
    expect(other.upstream.count).toBe(0);
    await closeScene(own);
    await closeScene(other);
  });
});

describe("a conversation that changes its vendor", () => {
  test.each([UPSTREAMS[1], UPSTREAMS[2], UPSTREAMS[3]])("from $name to OpenAI and back", async (target) => {
    const before = await openScene(target);
    const after = await openScene(UPSTREAMS[0]);
    const asked: ResponseInputItem = { role: "user", content: "hi" };
    const settings = { reasoning: { summary: "auto" as const }, include: ["reasoning.encrypted_content" as const] };
    const plan = { reasoning: "Let me see.", text: "Well." };
    before.upstream.plan(plan);
    after.upstream.plan(plan);
    const first = await before.client.responses.create({ model: target.model, input: [asked] });
    // Gemini signs its last text too, which is an item of reasoning after it.
    expect(first.output.map(({ type }) => type).slice(0, 2)).toEqual(["reasoning", "message"]);
    const input = [asked, ...asInput(first), asked];
    const second = await after.client.responses.create({ model: UPSTREAMS[0].model, input, ...settings });
    const sent = after.upstream.requests[0]?.json?.["input"] as { type?: string }[];
    expect(sent.map(({ type }) => type ?? "")).toEqual(["", "message", ""]);
    const back = [...input, ...asInput(second), asked];
    const third = await before.client.responses.create({ model: target.model, input: back });
    expect(third.output_text).toBe("Well.");
    await closeScene(before);
    await closeScene(after);
  });
});

describe("other clients with a Responses upstream", () => {
  const { model } = UPSTREAMS[0];
  let scene: Scene;
  beforeEach(async () => {
    scene = await openScene(UPSTREAMS[0]);
  });
  afterEach(() => closeScene(scene));

  test("a chat client: tools and thinking over two turns, structured output", async () => {
    scene.upstream.next(
      { reasoning: "A city.", text: "I look.", toolCalls: [{ name: "get_weather", arguments: '{"city":"Riga"}' }] },
      { text: '{"rain":true}' },
    );
    const { strict: _strict, type: _type, ...definition } = WEATHER;
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "Weather?" },
          { type: "image_url", image_url: { url: PIXEL } },
        ],
      },
    ];
    const body = {
      model,
      messages,
      tools: [{ type: "function" as const, function: definition }],
      reasoning_effort: "low" as const,
    };
    const first = await scene.client.chat.completions.create(body);
    const choice = present(first.choices[0]);
    expect(choice).toMatchObject({ finish_reason: "tool_calls", message: { content: "I look." } });
    const call = present(choice.message.tool_calls?.[0]);
    const schema = {
      type: "object",
      properties: { rain: { type: "boolean" } },
      required: ["rain"],
      additionalProperties: false,
    };
    const second = await scene.client.chat.completions.create({
      ...body,
      messages: [...messages, choice.message, { role: "tool", tool_call_id: call.id, content: "rain" }],
      response_format: { type: "json_schema", json_schema: { name: "rain", schema, strict: true } },
    });
    expect(second.choices[0]?.message.content).toBe('{"rain":true}');
    const input = scene.upstream.requests[1]?.json?.["input"] as { type: string }[];
    expect(input.map(({ type }) => type)).toEqual([
      "message",
      "reasoning",
      "message",
      "function_call",
      "function_call_output",
    ]);
  });

  test("an Anthropic client: tools and thinking over two turns", async () => {
    scene.upstream.next(
      { reasoning: "A city.", text: "I look.", toolCalls: [{ name: "get_weather", arguments: '{"city":"Riga"}' }] },
      { text: "It rains." },
    );
    const client = new Anthropic({ apiKey: `sk-${TEST_KEY}`, baseURL: scene.relay.url, maxRetries: 0 });
    const body = {
      model,
      max_tokens: 4000,
      thinking: { type: "enabled" as const, budget_tokens: 2000 },
      tools: [{ name: WEATHER.name, input_schema: { ...WEATHER.parameters, type: "object" as const } }],
    };
    const asked = { role: "user" as const, content: "Weather?" };
    const first = await client.messages.stream({ ...body, messages: [asked] }).finalMessage();
    expect(first.content.map(({ type }) => type)).toEqual(["thinking", "text", "tool_use"]);
    expect(first.stop_reason).toBe("tool_use");
    const call = present(first.content.find(({ type }) => type === "tool_use")) as { id: string };
    const result = { type: "tool_result" as const, tool_use_id: call.id, content: "rain" };
    const second = await client.messages.create({
      ...body,
      messages: [asked, { role: "assistant", content: first.content }, { role: "user", content: [result] }],
    });
    expect(second.content).toMatchObject([{ type: "text", text: "It rains." }]);
    const input = scene.upstream.requests[1]?.json?.["input"] as { type: string }[];
    expect(input.map(({ type }) => type)).toContain("reasoning");
  });

  test("a chat client's stream", async () => {
    scene.upstream.plan({ text: "one two three", chunks: 3, reasoning: "hm" });
    const stream = await scene.client.chat.completions.create({
      model,
      messages: [{ role: "user", content: "hi" }],
      stream: true,
    });
    let text = "";
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
    expect(text).toBe("one two three");
  });
});
