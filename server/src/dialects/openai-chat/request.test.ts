/** Chat requests: documented examples decoded, malformed ones refused by name. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type JsonObject, type NeutralRequest, TranslationFault } from "../neutral/neutral.ts";
import { encodeRequest } from "./request-encode.ts";
import { decodeRequest } from "./request-decode.ts";

const PATH = { model: "", isStream: false };
const decode = (fields: JsonObject): NeutralRequest => decodeRequest(fields, PATH);
const fixture = (name: string): JsonObject =>
  JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), "utf8")) as JsonObject;
const asking = (fields: JsonObject): JsonObject => ({
  model: "m",
  messages: [{ role: "user", content: "hi" }],
  ...fields,
});
const talking = (...messages: JsonObject[]): JsonObject => ({ model: "m", messages });

const CALL = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };

test("documented requests decode", () => {
  expect(decode(fixture("request-tools"))).toEqual({
    model: "gpt-4.1",
    isStream: false,
    system: [],
    messages: [{ role: "user", parts: [{ kind: "text", text: "What is the weather like in Boston today?" }] }],
    tools: [
      {
        kind: "function",
        name: "get_current_weather",
        description: "Get the current weather in a given location",
        parameters: expect.objectContaining({ required: ["location"] }),
      },
    ],
    toolChoice: { kind: "auto" },
    unknownFields: [],
  });
  expect(decode(fixture("request-image"))).toMatchObject({
    maxTokens: 300,
    messages: [
      {
        parts: [
          { kind: "text" },
          { kind: "image", source: { kind: "url", url: "https://example.com/boardwalk.jpg" }, detail: "high" },
          { kind: "image", source: { kind: "base64", mimeType: "image/png", data: "iVBORw0KGgo=" } },
        ],
      },
    ],
  });
});

test("tool results and the user text after them are one turn", () => {
  const request = decode(fixture("request-conversation"));
  expect(request).toMatchObject({
    system: [{ kind: "text", text: "Answer in one sentence." }],
    reasoning: { effort: "low" },
    maxTokens: 400,
    stop: ["END"],
    unknownFields: ["store"],
  });
  expect(request.messages.map(({ role, parts }) => [role, ...parts.map(({ kind }) => kind)])).toEqual([
    ["user", "text"],
    ["assistant", "tool_call", "tool_call"],
    ["user", "tool_result", "tool_result", "text"],
  ]);
  expect(request.messages[2]?.parts[1]).toEqual({
    kind: "tool_result",
    id: "call_2",
    name: "get_weather",
    parts: [{ kind: "text", text: "9 degrees" }],
  });
});

test("the retired functions pair by their name", () => {
  const { messages, hasParallelToolCalls, tools, toolChoice } = decode({
    model: "m",
    functions: [{ name: "f" }],
    function_call: { name: "f" },
    messages: [
      { role: "assistant", content: null, function_call: { name: "f", arguments: "" } },
      { role: "function", name: "f", content: "done" },
    ],
  });
  expect(messages[0]?.parts).toEqual([{ kind: "tool_call", id: "call_0_f", name: "f", arguments: "{}" }]);
  expect(messages[1]?.parts).toMatchObject([{ kind: "tool_result", id: "call_0_f", parts: [{ text: "done" }] }]);
  expect({ hasParallelToolCalls, toolChoice }).toEqual({
    hasParallelToolCalls: false,
    toolChoice: { kind: "tool", name: "f" },
  });
  expect(tools).toMatchObject([{ parameters: { type: "object", properties: {} } }]);
});

test("thinking of earlier turns comes back with its signatures", () => {
  const thoughts = (message: JsonObject) =>
    decode(talking({ role: "assistant", content: "x", ...message })).messages[0]?.parts.slice(0, -1);
  const signature = { dialect: "anthropic-messages", value: "s" };
  expect(thoughts({ reasoning_content: "a" })).toEqual([{ kind: "reasoning", text: "a" }]);
  expect(
    thoughts({
      reasoning_content: "ab",
      reasoning_details: [
        { type: "reasoning.text", text: "a" },
        { type: "reasoning.text", text: "b", signature: "turnpike:anthropic-messages:s" },
        { type: "reasoning.encrypted", data: "turnpike:anthropic-messages:s" },
      ],
    }),
  ).toEqual([
    { kind: "reasoning", text: "ab", signature },
    { kind: "reasoning", text: "", signature, isRedacted: true },
  ]);
  expect(thoughts({ reasoning: "a", reasoning_details: [{ type: "reasoning.text", signature: "own" }] })).toEqual([
    { kind: "reasoning", text: "a", signature: { dialect: "openai-chat", value: "own" } },
  ]);
  const google = { extra_content: { google: { thought_signature: "turnpike:gemini:g" } } };
  const called = decode(
    talking(
      { role: "assistant", tool_calls: [{ ...CALL, ...google }] },
      { role: "tool", tool_call_id: "c1", content: "" },
    ),
  );
  expect(called.messages[0]?.parts[0]).toMatchObject({ signature: { dialect: "gemini", value: "g" } });
});

test("thinking is requested in every vendor's fields", () => {
  const reasoning = (fields: JsonObject) => decode(asking(fields)).reasoning;
  expect(reasoning({ reasoning_effort: "high" })).toEqual({ effort: "high" });
  expect(reasoning({ thinking: { type: "enabled", budget_tokens: 2000 } })).toEqual({
    budgetTokens: 2000,
    isShown: true,
  });
  expect(reasoning({ thinking: { type: "disabled" } })).toEqual({ budgetTokens: 0 });
  expect(reasoning({ thinking: { type: "adaptive" } })).toEqual({ isAdaptive: true, isShown: true });
  expect(reasoning({ enable_thinking: true, thinking_budget: 50 })).toEqual({ budgetTokens: 50, isShown: true });
  expect(reasoning({ enable_thinking: false })).toEqual({ budgetTokens: 0 });
  expect(reasoning({ reasoning: { effort: "low", exclude: true } })).toEqual({ effort: "low", isShown: false });
  expect(reasoning({})).toBeUndefined();
});

test("parts keep their cache breakpoints; files, audio and pictures in answers are read", () => {
  const request = decode({
    model: "m",
    messages: [
      { role: "system", content: [{ type: "text", text: "s", cache_control: { type: "ephemeral", ttl: "1h" } }] },
      { role: "user", content: "u", cache_control: { type: "ephemeral" } },
      { role: "assistant", content: "see ![image](data:image/png;base64,AAAA) there" },
      {
        role: "user",
        content: [
          { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
          { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" } },
          { type: "file", file: { file_data: "AAAA" } },
        ],
      },
    ],
  });
  expect(request.system).toEqual([{ kind: "text", text: "s", cache: { ttlSeconds: 3600 } }]);
  const source = { kind: "base64", mimeType: "application/pdf", data: "AAAA" };
  expect(request.messages.map(({ parts }) => parts)).toEqual([
    [{ kind: "text", text: "u", cache: { ttlSeconds: 300 } }],
    [
      { kind: "text", text: "see " },
      { kind: "image", source: { kind: "base64", mimeType: "image/png", data: "AAAA" } },
      { kind: "text", text: " there" },
    ],
    [
      { kind: "audio", source: { kind: "base64", mimeType: "audio/mpeg", data: "AAAA" } },
      { kind: "file", name: "a.pdf", source },
      { kind: "file", source },
    ],
  ]);
});

test("a choice among some of the tools drops the others; web search is a tool", () => {
  const tools = ["f", "g"].map((name) => ({ type: "function", function: { name } }));
  const allowed = { mode: "required", tools: [{ type: "function", function: { name: "g" } }] };
  const request = decode(asking({ tools, tool_choice: { type: "allowed_tools", allowed_tools: allowed } }));
  expect(request).toMatchObject({ tools: [{ name: "g" }], toolChoice: { kind: "required" } });
  const search = {
    search_context_size: "low",
    user_location: { type: "approximate", approximate: { city: "Paris", country: "FR" } },
  };
  const searching = decode(asking({ web_search_options: search }));
  expect(searching.tools).toEqual([
    { kind: "web_search", contextSize: "low", location: { city: "Paris", country: "FR" } },
  ]);
  expect(encodeRequest(searching, () => undefined)["web_search_options"]).toEqual(search);
});

const REFUSED: readonly (readonly [param: string, fields: JsonObject])[] = [
  ["model", { messages: [{ role: "user", content: "hi" }] }],
  ["messages", { model: "m" }],
  ["messages", { model: "m", messages: [] }],
  ["messages", { model: "m", messages: "hi" }],
  ["messages[0]", { model: "m", messages: ["hi"] }],
  ["messages[0].role", talking({ role: "robot", content: "x" })],
  ["messages[0].role", talking({ role: "constructor", content: "x" })],
  ["messages[0].content", talking({ role: "user", content: null })],
  ["messages[0].content", talking({ role: "user", content: { type: "text" } })],
  ["messages[0].content[0].type", talking({ role: "user", content: [{}] })],
  ["messages[0].content[0].type", talking({ role: "user", content: [{ type: "video_url", video_url: {} }] })],
  [
    "messages[0].content[0].type",
    talking({ role: "system", content: [{ type: "image_url", image_url: "https://a.b" }] }),
  ],
  ["messages[0].content[0].text", talking({ role: "user", content: [{ type: "text" }] })],
  [
    "messages[0].content[0].image_url.url",
    talking({ role: "user", content: [{ type: "image_url", image_url: { url: "ftp://a" } }] }),
  ],
  [
    "messages[0].content[0].image_url.url",
    talking({ role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png,x" } }] }),
  ],
  [
    "messages[0].content[0].input_audio.format",
    talking({ role: "user", content: [{ type: "input_audio", input_audio: { data: "a" } }] }),
  ],
  [
    "messages[0].content[0].file.file_id",
    talking({ role: "user", content: [{ type: "file", file: { file_id: "file-1" } }] }),
  ],
  ["messages[0].audio", talking({ role: "assistant", audio: { id: "a" } })],
  ["messages[0].tool_calls[0].id", talking({ role: "assistant", tool_calls: [{ ...CALL, id: undefined }] })],
  ["messages[0].tool_calls[0].type", talking({ role: "assistant", tool_calls: [{ ...CALL, type: "custom" }] })],
  ["messages[0].tool_calls[0].function.name", talking({ role: "assistant", tool_calls: [{ id: "a", function: {} }] })],
  [
    "messages[0].tool_calls[0].function.arguments",
    talking({ role: "assistant", tool_calls: [{ id: "a", function: { name: "f", arguments: {} } }] }),
  ],
  ["messages[0].tool_calls[1].id", talking({ role: "assistant", tool_calls: [CALL, CALL] })],
  ["messages[0].tool_call_id", talking({ role: "tool", tool_call_id: "c1", content: "x" })],
  [
    "messages[2].tool_call_id",
    talking(
      { role: "assistant", tool_calls: [CALL] },
      { role: "tool", tool_call_id: "c1", content: "" },
      { role: "tool", tool_call_id: "c1", content: "" },
    ),
  ],
  ["messages[1]", talking({ role: "assistant", tool_calls: [CALL] }, { role: "user", content: "x" })],
  ["messages", talking({ role: "assistant", tool_calls: [CALL] })],
  ["messages[0].name", talking({ role: "function", name: "f", content: "x" })],
  ["stream", asking({ stream: "yes" })],
  ["n", asking({ n: 0 })],
  ["max_tokens", asking({ max_tokens: 1.5 })],
  ["temperature", asking({ temperature: "hot" })],
  ["stop[1]", asking({ stop: ["a", 1] })],
  ["tools", asking({ tools: {} })],
  ["tools[0].type", asking({ tools: [{ type: "custom", custom: { name: "x" } }] })],
  ["tools[0].function.name", asking({ tools: [{ type: "function", function: {} }] })],
  ["tool_choice", asking({ tool_choice: "required" })],
  ["tool_choice.function.name", asking({ tool_choice: { type: "function", function: { name: "f" } } })],
  ["response_format.type", asking({ response_format: { type: "xml" } })],
  ["response_format.json_schema.name", asking({ response_format: { type: "json_schema", json_schema: {} } })],
  ["reasoning_effort", asking({ reasoning_effort: "huge" })],
  ["modalities[1]", asking({ modalities: ["text", "audio"] })],
  ["metadata", asking({ metadata: "x" })],
];

test.each(REFUSED)("%s is named where it is wrong", (param, fields) => {
  expect(() => decode(fields)).toThrow(TranslationFault);
  expect(() => decode(fields)).toThrow(expect.objectContaining({ param }) as Error);
});

test("garbage is refused, never a crash", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom("model", "messages", "tools", "tool_choice", "stop", "reasoning"), fc.jsonValue()),
      (fields) => {
        try {
          decode(fields as JsonObject);
        } catch (error) {
          expect(error).toBeInstanceOf(TranslationFault);
        }
      },
    ),
  );
});
