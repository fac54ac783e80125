/**
 * Requests that no vendor would accept, in every client's format: each is refused in that format, by its field's name there, before any upstream is
 * asked.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import type { DialectName } from "../../server/src/dialects/neutral/neutral.ts";
import { type TestRelay, newChannel, newWorld, startTestRelay } from "../support/relay/harness.ts";

/** Channels of types that speak one format each. */
const UPSTREAMS = [
  { name: "openai-chat", type: 8, model: "plain-model" },
  { name: "anthropic-messages", type: 14, model: "claude-sonnet-4-6" },
  { name: "gemini", type: 24, model: "gemini-2.5-flash" },
] as const;

let upstream: FakeUpstream;
let relay: TestRelay;

beforeAll(async () => {
  upstream = await startFakeUpstream();
  const world = newWorld();
  for (const { type, model } of UPSTREAMS) {
    const baseUrl = type === 8 ? `${upstream.url}/v1/chat/completions` : upstream.url;
    world.channels.push(newChannel({ id: type, type, baseUrl, models: new Set([model]) }));
    world.prices.set(model, { kind: "per_call", price: "0.001" });
  }
  relay = await startTestRelay({ world });
});
beforeEach(() => upstream.reset());
afterAll(async () => {
  await relay.close();
  await upstream.close();
});

interface Client {
  name: DialectName;
  path(model: string): string;
  /** A request that is taken. */
  good(model: string): Record<string, unknown>;
  /** What is put over it, and the start of the name that the error has to say. */
  bad: readonly (readonly [what: string, change: Record<string, unknown>, place: string])[];
}

const user = (content: unknown): unknown => ({ role: "user", content });
const CALL = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };
const TOOL_USE = { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "f", input: {} }] };
const toolResult = (id: string): unknown => ({ type: "tool_result", tool_use_id: id, content: "1" });
const FUNCTION_CALL = { type: "function_call", call_id: "c1", name: "f", arguments: "{}" };
const SAYS = { role: "user", parts: [{ text: "hi" }] };
const CALLS = { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] };
const picture = (url: string): unknown => user([{ type: "image_url", image_url: { url } }]);
const inputPicture = (url: string): unknown => user([{ type: "input_image", image_url: url }]);
const image = (source: object): unknown => user([{ type: "image", source }]);

const CLIENTS: readonly Client[] = [
  {
    name: "openai-chat",
    path: () => "/v1/chat/completions",
    good: (model) => ({ model, messages: [user("hi")] }),
    bad: [
      ["no messages", { messages: [] }, "messages"],
      ["messages of another type", { messages: "hi" }, "messages"],
      ["a message that is null", { messages: [null] }, "messages[0]"],
      ["an unknown role", { messages: [{ role: "king", content: "hi" }] }, "messages[0].role"],
      ["content that is null", { messages: [user(null)] }, "messages[0].content"],
      ["an unknown part", { messages: [user([{ type: "video" }])] }, "messages[0].content[0].type"],
      ["a number as text", { temperature: "0.5" }, "temperature"],
      ["a bound as text", { max_tokens: "10" }, "max_tokens"],
      ["a bound below 1", { max_tokens: 0 }, "max_tokens"],
      ["n below 1", { n: 0 }, "n"],
      ["a stream flag as text", { stream: "true" }, "stream"],
      [
        "a result without a call",
        { messages: [user("hi"), { role: "tool", tool_call_id: "x", content: "1" }] },
        "messages[1].tool_call_id",
      ],
      [
        "a call without a result",
        { messages: [user("hi"), { role: "assistant", content: null, tool_calls: [CALL] }, user("so?")] },
        "messages[2]",
      ],
      ["tools of another type", { tools: {} }, "tools"],
      ["a choice without tools", { tool_choice: "required" }, "tool_choice"],
      [
        "a data URL cut short",
        { messages: [picture("data:image/png;base64")] },
        "messages[0].content[0].image_url.url",
      ],
      ["a data URL without data", { messages: [picture("data:image/png;base64,")] }, "messages"],
      ["data that are no base64", { messages: [picture("data:image/png;base64,@@@")] }, "messages"],
      [
        "an address of another kind",
        { messages: [picture("file:///etc/passwd")] },
        "messages[0].content[0].image_url.url",
      ],
      ["an unknown format", { response_format: { type: "xml" } }, "response_format.type"],
    ],
  },
  {
    name: "openai-responses",
    path: () => "/v1/responses",
    good: (model) => ({ model, input: "hi" }),
    bad: [
      ["input that is null", { input: null }, "input"],
      ["no input", { input: [] }, "input"],
      ["an item that is null", { input: [null] }, "input[0]"],
      ["an unknown role", { input: [{ role: "king", content: "hi" }] }, "input[0].role"],
      ["content that is null", { input: [user(null)] }, "input[0].content"],
      ["an unknown item", { input: [{ type: "zzz" }] }, "input[0].type"],
      ["a bound as text", { max_output_tokens: "10" }, "max_output_tokens"],
      ["a bound below 1", { max_output_tokens: -1 }, "max_output_tokens"],
      ["half a token", { max_output_tokens: 1.5 }, "max_output_tokens"],
      [
        "a result without a call",
        { input: [user("hi"), { type: "function_call_output", call_id: "x", output: "1" }] },
        "input[1].call_id",
      ],
      ["a call without a result", { input: [user("hi"), FUNCTION_CALL, user("so?")] }, "input"],
      ["a choice that is no tool", { tool_choice: { type: "function", name: "g" } }, "tool_choice.name"],
      ["an address of another kind", { input: [inputPicture("ftp://a.example/a.png")] }, "input"],
      ["data that are no base64", { input: [inputPicture("data:image/png;base64,@@@")] }, "input"],
      ["a former answer", { previous_response_id: "resp_1" }, "previous_response_id"],
    ],
  },
  {
    name: "anthropic-messages",
    path: () => "/v1/messages",
    good: (model) => ({ model, max_tokens: 10, messages: [user("hi")] }),
    bad: [
      ["no messages", { messages: [] }, "messages"],
      ["a message that is null", { messages: [null] }, "messages[0]"],
      ["an unknown role", { messages: [{ role: "king", content: "hi" }] }, "messages[0].role"],
      ["content that is null", { messages: [user(null)] }, "messages[0].content"],
      ["an unknown block", { messages: [user([{ type: "zzz" }])] }, "messages[0].content[0].type"],
      ["a bound as text", { max_tokens: "10" }, "max_tokens"],
      ["a bound below 1", { max_tokens: -5 }, "max_tokens"],
      ["half a token", { max_tokens: 1.5 }, "max_tokens"],
      ["a result without a call", { messages: [user([toolResult("x")])] }, "messages[0].content[0].tool_use_id"],
      ["a call without a result", { messages: [user("hi"), TOOL_USE, user("so?")] }, "messages"],
      [
        "two results of a call",
        { messages: [user("hi"), TOOL_USE, user([toolResult("t1"), toolResult("t1")])] },
        "messages",
      ],
      ["a choice that is no tool", { tool_choice: { type: "tool", name: "g" } }, "tool_choice"],
      [
        "servers that only Anthropic reaches",
        { mcp_servers: [{ type: "url", url: "https://m.example", name: "m" }] },
        "mcp_servers",
      ],
      ["a thread that Anthropic keeps", { thread: { type: "continue", previous_message_id: "msg_1" } }, "thread"],
      ["an address of another kind", { messages: [image({ type: "url", url: "ftp://a.example/a.png" })] }, "messages"],
      [
        "data that are no base64",
        { messages: [image({ type: "base64", media_type: "image/png", data: "@@@" })] },
        "messages",
      ],
      [
        "an image without a type",
        { messages: [image({ type: "base64", data: "aGk=" })] },
        "messages[0].content[0].source.media_type",
      ],
    ],
  },
  {
    name: "gemini",
    path: (model) => `/v1beta/models/${model}:generateContent`,
    good: () => ({ contents: [SAYS] }),
    bad: [
      ["no contents", { contents: [] }, "contents"],
      ["contents of another type", { contents: "hi" }, "contents"],
      ["a content that is null", { contents: [null] }, "contents[0]"],
      ["an unknown role", { contents: [{ role: "king", parts: [{ text: "hi" }] }] }, "contents[0].role"],
      ["text that is a number", { contents: [{ parts: [{ text: 5 }] }] }, "contents[0].parts[0].text"],
      ["a bound below 1", { generationConfig: { maxOutputTokens: -1 } }, "generationConfig.maxOutputTokens"],
      ["no candidates", { generationConfig: { candidateCount: 0 } }, "generationConfig.candidateCount"],
      ["a config of another type", { generationConfig: "x" }, "generationConfig"],
      [
        "a result without a call",
        { contents: [SAYS, { role: "user", parts: [{ functionResponse: { name: "f", response: {} } }] }] },
        "contents[1].parts[0].functionResponse",
      ],
      ["a call without a result", { contents: [SAYS, CALLS, SAYS] }, "contents"],
      [
        "a choice that is no tool",
        { toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["g"] } } },
        "toolConfig",
      ],
      [
        "an address of another kind",
        { contents: [{ parts: [{ fileData: { mimeType: "image/png", fileUri: "gs://b/a.png" } }] }] },
        "contents",
      ],
      [
        "data that are no base64",
        { contents: [{ parts: [{ inlineData: { mimeType: "image/png", data: "@@@" } }] }] },
        "contents",
      ],
    ],
  },
];

const PAIRS = CLIENTS.flatMap((client) =>
  UPSTREAMS.filter(({ name }) => name !== client.name).map(
    (target) => [client.name, target.name, client, target] as const,
  ),
);

describe.each(PAIRS)("%s to %s", (_client, _target, { name, path, good, bad }, { model }) => {
  test("a request without a fault is answered", async () => {
    expect((await relay.post(path(model), good(model))).status).toBe(200);
  });

  test.each(bad)("%s", async (_what, change, place) => {
    const answer = await relay.post(path(model), { ...good(model), ...change });
    const { error } = (await answer.json()) as {
      error: { message: string; param?: string; type?: string; status?: string };
    };
    expect(answer.status).toBe(400);
    expect(error.message).toContain(place);
    if (name.startsWith("openai")) expect(error).toMatchObject({ param: place, type: "invalid_request_error" });
    else if (name === "gemini") expect(error.status).toBe("INVALID_ARGUMENT");
    else expect(error.type).toBe("invalid_request_error");
    expect([upstream.count, relay.billing.held]).toEqual([0, 0]);
  });
});
