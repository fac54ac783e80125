/** Requests of the Responses dialect: what Codex sends, what is refused by name, and that nothing is lost both ways. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readTopLevel } from "../json/bytes.ts";
import { type JsonObject, type NeutralRequest, TranslationFault } from "../neutral/neutral.ts";
import { openAiResponsesDialect as dialect } from "./openai-responses.ts";

const PATH = { model: "", isStream: false };
const decode = (fields: JsonObject): NeutralRequest => dialect.decodeRequest(fields, PATH);
const ask = (fields: JsonObject): NeutralRequest => decode({ model: "m", input: "hi", ...fields });
const fixture = (name: string): JsonObject =>
  JSON.parse(readFileSync(new URL(`./fixtures/${name}`, import.meta.url), "utf8")) as JsonObject;

/** Path and message of the refusal. */
function fault(fields: JsonObject): { param: string; message: string } {
  try {
    decode({ model: "m", input: "hi", ...fields });
  } catch (error) {
    if (error instanceof TranslationFault) return { param: error.param, message: error.message };
    throw error;
  }
  throw new Error("the request was taken");
}

test("what the relay needs is read from the bytes", () => {
  const body = Buffer.from(JSON.stringify({ model: "m", stream: true, max_output_tokens: 90, input: "é" }));
  const info = dialect.readRequest(body, readTopLevel(body.toString("latin1"), 64), PATH);
  expect(info).toMatchObject({
    model: "m",
    isStream: true,
    asksUsage: true,
    maxTokens: 90,
    choices: 1,
  });
});

test("Codex of today: tools come with the input, some of them later, and are searched for", () => {
  const request = decode(fixture("codex-lite-request.json"));
  expect(request.system).toEqual([{ kind: "text", text: "You are a coding agent. Be exact and brief." }]);
  expect(request.tools.map((tool) => (tool.kind === "function" ? tool.name : tool.kind))).toEqual([
    "functions__exec",
    "functions__wait",
    "tool_search",
    "mcp__issues__list",
  ]);
  expect(request.tools[2]).toMatchObject({ description: "Finds tools of connected servers." });
  expect(request.messages.map(({ role, parts }) => [role, parts.map(({ kind }) => kind)])).toEqual([
    ["user", ["text"]],
    ["user", ["text"]],
    ["assistant", ["reasoning", "text", "tool_call"]],
    ["user", ["tool_result"]],
    ["assistant", ["tool_call"]],
    ["user", ["tool_result"]],
    ["assistant", ["tool_call"]],
    ["user", ["tool_result"]],
  ]);
  expect(request.messages[2]?.parts[2]).toMatchObject({
    name: "tool_search",
    arguments: '{"query":"issues","limit":5}',
  });
  const found =
    '{"tools":[{"name":"mcp__issues__","description":"Tools of an issue tracker.","tools":[{"name":"list","description":"Lists issues."}]}]}';
  expect(request.messages[3]?.parts[0]).toMatchObject({ id: "call_1", parts: [{ kind: "text", text: found }] });
  expect(request.messages[6]?.parts[0]).toMatchObject({ name: "functions__exec" });
  expect(request.unknownFields.toSorted()).toEqual([
    "client_metadata",
    "input[].phase",
    "reasoning.context",
    "tools[].defer_loading",
  ]);
});

test("what the vendor does beside an agent's work is left out", () => {
  const tools = [
    { type: "function", name: "f" },
    { type: "image_generation", output_format: "png" },
    { type: "tool_search" },
    { type: "function", name: "f", description: "again" },
  ];
  const request = ask({ tools, reasoning: { effort: "ultra" } });
  expect(request.tools).toHaveLength(1);
  expect(request.unknownFields).toEqual(["tools[1]", "tools[2]"]);
  expect(request.reasoning).toEqual({ effort: "max" });
});

test("a picture of an earlier turn is the model's own", () => {
  const drawn = {
    type: "image_generation_call",
    id: "ig_1",
    status: "completed",
    result: "QUJD",
    output_format: "webp",
  };
  const { messages } = ask({ input: [{ role: "user", content: "draw" }, drawn, { ...drawn, result: null }] });
  expect(messages[1]).toEqual({
    role: "assistant",
    parts: [{ kind: "image", source: { kind: "base64", mimeType: "image/webp", data: "QUJD" } }],
  });
});

test("Codex: turns, signatures, freeform and grouped tools", () => {
  const request = decode(fixture("codex-request.json"));
  expect(request.system.map(({ text }) => text)).toEqual([
    "You are a coding agent in a terminal. Be exact and brief.",
    "<permissions>workspace-write</permissions>",
  ]);
  expect(request.messages.map(({ role, parts }) => [role, parts.map(({ kind }) => kind)])).toEqual([
    ["user", ["text"]],
    ["user", ["text", "image"]],
    ["assistant", ["reasoning", "text", "tool_call", "tool_call"]],
    ["user", ["tool_result", "tool_result"]],
    ["assistant", ["reasoning", "tool_call"]],
    ["user", ["tool_result", "text"]],
  ]);
  expect(request.messages[2]?.parts[0]).toEqual({
    kind: "reasoning",
    text: "Look at the file first.",
    signature: { dialect: "openai-responses", value: "gAAAAABfirst" },
  });
  expect(request.messages[2]?.parts[3]).toEqual({
    kind: "tool_call",
    id: "call_2",
    name: "mcp__files__list",
    arguments: "{}",
  });
  expect(request.messages[4]?.parts).toEqual([
    { kind: "reasoning", text: "", signature: { dialect: "anthropic-messages", value: "c2lnbmVk" } },
    {
      kind: "tool_call",
      id: "call_3",
      name: "apply_patch",
      arguments: '{"input":"*** Begin Patch\\n*** End Patch\\n"}',
    },
  ]);
  expect(request.tools.map((tool) => (tool.kind === "function" ? tool.name : tool.kind))).toEqual([
    "shell",
    "apply_patch",
    "mcp__files__list",
    "web_search",
  ]);
  expect(request.tools[1]).toMatchObject({ parameters: { required: ["input"] } });
  expect(JSON.stringify(request.tools[1])).toContain("start: begin hunk+ end");
  expect(request).toMatchObject({
    isStream: true,
    hasParallelToolCalls: false,
    reasoning: { effort: "medium", isShown: true },
    verbosity: "low",
    toolChoice: { kind: "auto" },
    unknownFields: ["tools[].external_web_access"],
  });
});

test("results come after the turn of their calls, before the user's own text", () => {
  const { messages } = ask({
    input: [
      { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
      { type: "function_call", call_id: "b", name: "f", arguments: "{}" },
      { role: "user", content: "wait" },
      { type: "function_call_output", call_id: "a", output: "1" },
      { role: "assistant", content: "so" },
      { type: "function_call_output", call_id: "b", output: "" },
    ],
  });
  expect(messages).toEqual([
    { role: "assistant", parts: [expect.objectContaining({ id: "a" }), expect.objectContaining({ id: "b" })] },
    {
      role: "user",
      parts: [
        { kind: "tool_result", id: "a", parts: [{ kind: "text", text: "1" }] },
        { kind: "tool_result", id: "b", parts: [] },
        { kind: "text", text: "wait" },
      ],
    },
    { role: "assistant", parts: [{ kind: "text", text: "so" }] },
  ]);
});

test("media: addresses, data URIs, bare base64, cache breakpoints", () => {
  const { messages } = ask({
    input: [
      {
        role: "user",
        content: [
          { type: "input_image", image_url: "https://a/b.png", detail: "high" },
          { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,QUJD" },
          { type: "input_file", filename: "b.pdf", file_data: "QUJD" },
          { type: "input_file", file_url: "https://a/c.pdf" },
          { type: "input_audio", input_audio: { data: "QUJD", format: "wav" } },
          { type: "input_text", text: "read", prompt_cache_breakpoint: { mode: "explicit", ttl: "12h" } },
        ],
      },
    ],
  });
  expect(messages[0]?.parts).toEqual([
    { kind: "image", source: { kind: "url", url: "https://a/b.png" }, detail: "high" },
    { kind: "file", source: { kind: "base64", mimeType: "application/pdf", data: "QUJD" }, name: "a.pdf" },
    { kind: "file", source: { kind: "base64", mimeType: "application/pdf", data: "QUJD" }, name: "b.pdf" },
    { kind: "file", source: { kind: "url", url: "https://a/c.pdf" } },
    { kind: "audio", source: { kind: "base64", mimeType: "audio/wav", data: "QUJD" } },
    { kind: "text", text: "read", cache: { ttlSeconds: 3600 } },
  ]);
});

const LIST = (item: unknown): JsonObject => ({ input: [{ role: "user", content: "hi" }, item] });
const CONTENT = (part: unknown): JsonObject => LIST({ role: "user", content: [part] });

test.each<[param: string, fields: JsonObject]>([
  ["input", { input: 5 }],
  ["input[1]", LIST("text")],
  ["input[1].role", LIST({ type: "message", content: "x" })],
  ["input[1].role", LIST({ role: "tool", content: "x" })],
  ["input[1].content", LIST({ role: "user", content: 7 })],
  ["input[1].content[0].type", CONTENT({ type: "output_image" })],
  ["input[1].content[0].type", LIST({ role: "system", content: [{ type: "input_image", image_url: "https://a" }] })],
  ["input[1].content[0].text", CONTENT({ type: "input_text" })],
  ["input[1].content[0].image_url", CONTENT({ type: "input_image" })],
  ["input[1].content[0].image_url", CONTENT({ type: "input_image", image_url: "data:image/png,x" })],
  ["input[1].content[0].file_id", CONTENT({ type: "input_image", file_id: "file_1" })],
  ["input[1].content[0].file_id", CONTENT({ type: "input_file", file_id: "file_1" })],
  ["input[1].type", LIST({ type: "item_reference", id: "msg_1" })],
  ["input[1].type", LIST({ id: "msg_1" })],
  ["input[1].type", LIST({ type: "computer_call" })],
  ["input[1].type", LIST({ type: "constructor" })],
  ["input[1].call_id", LIST({ type: "function_call", name: "f", arguments: "{}" })],
  ["input[1].name", LIST({ type: "function_call", call_id: "a", arguments: "{}" })],
  ["input[1].arguments", LIST({ type: "function_call", call_id: "a", name: "f", arguments: {} })],
  ["input[1].call_id", LIST({ type: "function_call_output", call_id: "none", output: "" })],
  ["input[1].encrypted_content", LIST({ type: "reasoning", summary: [], encrypted_content: 1 })],
  ["tools[0].type", { tools: [{ type: "code_interpreter" }] }],
  ["tools[1].type", { tools: [{ type: "web_search" }, { type: "mcp" }] }],
  ["tools[0].type", { tools: [{ type: "image_generation" }] }],
  [
    "tools[1].type",
    { tools: [{ type: "function", name: "f" }, { type: "image_generation" }], tool_choice: "required" },
  ],
  [
    "tools[1].type",
    {
      tools: [
        { type: "function", name: "f" },
        { type: "file_search", vector_store_ids: [] },
      ],
    },
  ],
  ["tools[0].type", { tools: [{ type: "shell", environment: { type: "container_auto" } }] }],
  ["tools[0].tools[0].type", { tools: [{ type: "namespace", name: "n", tools: [{ type: "mcp" }] }] }],
  ["tools[0].name", { tools: [{ type: "function" }] }],
  ["tools[0].parameters", { tools: [{ type: "function", name: "f", parameters: "x" }] }],
  ["tools[0].search_context_size", { tools: [{ type: "web_search", search_context_size: "huge" }] }],
  ["tool_choice", { tool_choice: "maybe" }],
  ["tool_choice", { tool_choice: { type: "mcp" } }],
  ["tool_choice.name", { tool_choice: { type: "function", name: "g" } }],
  ["tool_choice.tools[0].name", { tool_choice: { type: "allowed_tools", tools: [{ type: "function", name: "g" }] } }],
  ["previous_response_id", { previous_response_id: "resp_1" }],
  ["conversation", { conversation: { id: "conv_1" } }],
  ["prompt", { prompt: { id: "pmpt_1" } }],
  ["background", { background: true }],
  ["temperature", { temperature: "hot" }],
  ["stream", { stream: "yes" }],
  ["instructions", { instructions: 4 }],
  ["reasoning.effort", { reasoning: { effort: "huge" } }],
  ["text.format.type", { text: { format: { type: "xml" } } }],
  ["text.format.schema", { text: { format: { type: "json_schema", name: "n" } } }],
])("refused by name: %s", (param, fields) => {
  const found = fault(fields);
  expect(found.param).toBe(param);
  expect(found.message).toContain(param);
});

test("settings with a meaning are translated, the rest is named once", () => {
  const request = ask({
    input: [
      { role: "user", content: "x" },
      { type: "web_search_call", id: "ws_1", status: "completed" },
    ],
    tools: [
      { type: "web_search_preview", search_context_size: "low", user_location: { type: "approximate", city: "Riga" } },
    ],
    max_tool_calls: 3,
    include: ["message.output_text.logprobs", "web_search_call.action.sources"],
    top_logprobs: 4,
    text: { format: { type: "json_object" } },
    safety_identifier: "s",
    user: "u",
    service_tier: "flex",
    metadata: { a: "b" },
    store: true,
    truncation: "auto",
    background: false,
    stream_options: { include_obfuscation: false },
    surprise: 1,
  });
  expect(request).toMatchObject({
    tools: [{ kind: "web_search", contextSize: "low", maxUses: 3, location: { city: "Riga" } }],
    hasLogprobs: true,
    topLogprobs: 4,
    responseFormat: { kind: "json" },
    user: "s",
    serviceTier: "flex",
    metadata: { a: "b" },
    unknownFields: ["store", "truncation", "surprise", "include", "input[1]"],
  });
});

test("allowed_tools drops the other tools", () => {
  const tools = ["f", "g"].map((name) => ({ type: "function", name, parameters: { type: "object" } }));
  const choice = { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "g" }] };
  const request = ask({ tools, tool_choice: choice });
  expect(request.tools).toEqual([{ kind: "function", name: "g", parameters: { type: "object" } }]);
  expect(request.toolChoice).toEqual({ kind: "required" });
});

test("any body is decoded or refused by name", () => {
  const fields = fc.dictionary(
    fc.constantFrom(
      "input",
      "tools",
      "tool_choice",
      "text",
      "reasoning",
      "include",
      "instructions",
      "metadata",
      "model",
    ),
    fc.anything({
      maxDepth: 4,
      key: fc.constantFrom("type", "role", "content", "name", "format", "call_id", "text"),
      values: [
        fc.constantFrom("message", "user", "function_call", "reasoning", "function", ""),
        fc.integer(),
        fc.constant(null),
      ],
    }),
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(fields, (body) => {
      try {
        decode(body);
      } catch (error) {
        expect(error).toBeInstanceOf(TranslationFault);
      }
    }),
    { numRuns: 500 },
  );
});
