/** Gemini's requests, both ways: documented ones, those of its command line, and faults with their paths. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { refusedParam } from "../../../../tests/support/dialects/refused-param.ts";
import { geminiDialect } from "./gemini.ts";
import { writeSignature } from "./signature.ts";
import { type JsonObject, type NeutralMessage, type NeutralPart, type NeutralRequest } from "../neutral/neutral.ts";

const fixture = (name: string): JsonObject =>
  JSON.parse(readFileSync(new URL(`./fixtures/${name}`, import.meta.url), "utf8")) as JsonObject;
const path = { model: "gemini-2.5-flash", isStream: false };
const decode = (fields: JsonObject, model = path.model): NeutralRequest =>
  geminiDialect.decodeRequest(fields, { ...path, model });

function encode(request: NeutralRequest): { fields: JsonObject; warnings: string[] } {
  const warnings: string[] = [];
  return { fields: geminiDialect.encodeRequest(request, (field) => void warnings.push(field)), warnings };
}

const hello: NeutralMessage = { role: "user", parts: [{ kind: "text", text: "hi" }] };
const plain: NeutralRequest = {
  model: "gemini-2.5-flash",
  isStream: false,
  system: [],
  messages: [hello],
  tools: [],
  unknownFields: [],
};

test("a documented request with a call, its result and an OpenAPI schema", () => {
  const request = decode(fixture("function-request.json"));
  expect(request.toolChoice).toEqual({ kind: "tool", name: "schedule_meeting" });
  expect(request.tools).toEqual([
    {
      kind: "function",
      name: "schedule_meeting",
      description: "Schedules a meeting with attendees.",
      parameters: {
        type: "object",
        properties: {
          attendees: { type: "array", items: { type: "string" }, minItems: 1 },
          topic: { type: ["string", "null"], description: "What it is about." },
        },
        required: ["attendees"],
      },
    },
  ]);
  const signature = { dialect: "gemini", value: "c2lnbmF0dXJlIEE=" };
  expect(request.messages.slice(1)).toEqual([
    {
      role: "assistant",
      parts: [
        { kind: "tool_call", id: "call_1_0", name: "schedule_meeting", arguments: '{"attendees":["Bob"]}', signature },
      ],
    },
    {
      role: "user",
      parts: [
        {
          kind: "tool_result",
          id: "call_1_0",
          name: "schedule_meeting",
          parts: [{ kind: "text", text: '{"result":"booked"}' }],
        },
      ],
    },
  ]);
});

test("snake_case and single things in place of lists are read alike; bytes in the URL-safe alphabet too", () => {
  const request = decode(fixture("snake-request.json"));
  expect(request).toMatchObject({
    system: [{ kind: "text", text: "You are a cat." }],
    maxTokens: 800,
    stop: ["Title"],
    topP: 0.8,
    topK: 10,
    reasoning: { budgetTokens: 1024, isShown: true },
    responseFormat: {
      kind: "json_schema",
      name: "response",
      schema: { type: "object", properties: { mood: { type: "string" } } },
    },
    unknownFields: ["safety_settings"],
  });
  expect(request.messages).toEqual([
    {
      role: "user",
      parts: [
        { kind: "text", text: "Hello there" },
        { kind: "image", source: { kind: "base64", mimeType: "image/png", data: "/+8=" } },
      ],
    },
  ]);
});

test("what the command line sends: results find their calls by name, errors stay errors, the signature comes back", () => {
  const fields = fixture("cli-request.json");
  const request = decode(fields, "gemini-3-pro-preview");
  expect(request.reasoning).toEqual({ effort: "high", isShown: true });
  expect(request.messages[3]?.parts.map((part) => (part.kind === "tool_call" ? part.id : part.kind))).toEqual([
    "text",
    "call_3_1",
    "call_3_2",
  ]);
  expect(request.messages[4]?.parts).toEqual([
    { kind: "tool_result", id: "call_3_2", name: "run_shell_command", parts: [{ kind: "text", text: "clean" }] },
    {
      kind: "tool_result",
      id: "call_3_1",
      name: "list_directory",
      isError: true,
      parts: [{ kind: "text", text: "no such directory" }],
    },
  ]);
  const { fields: encoded, warnings } = encode(request);
  expect(warnings).toEqual([]);
  expect(encoded["tools"]).toEqual(fields["tools"]);
  expect(encoded["generationConfig"]).toEqual(fields["generationConfig"]);
  const calls = JSON.stringify((encoded["contents"] as JsonObject[])[3]);
  expect(calls).toContain('"thoughtSignature":"c2lnbmF0dXJlIEE="');
  expect(calls.match(/thoughtSignature/g)).toHaveLength(1);
});

test("pieces of a stream that a client sends back as contents of their own are one message", () => {
  const model = (part: JsonObject): JsonObject => ({ role: "model", parts: [part] });
  const contents = [
    { role: "user", parts: [{ text: "hi" }] },
    model({ text: "I th", thought: true }),
    model({ text: "ink.", thought: true }),
    model({
      text: "",
      thought: true,
      thoughtSignature: writeSignature({ dialect: "anthropic-messages", value: "sig" }),
    }),
    model({ text: "Hel" }),
    model({ text: "lo" }),
    model({ text: "", thoughtSignature: "b3du" }),
  ];
  expect(decode({ contents }).messages[1]).toEqual({
    role: "assistant",
    parts: [
      { kind: "reasoning", text: "I think.", signature: { dialect: "anthropic-messages", value: "sig" } },
      { kind: "text", text: "Hello" },
      { kind: "reasoning", text: "", signature: { dialect: "gemini", value: "b3du" } },
    ],
  });
});

test("each malformed or untranslatable request names its field", () => {
  const user = (part: unknown): JsonObject => ({ contents: [{ role: "user", parts: [part] }] });
  const withHello = (fields: JsonObject): JsonObject => ({ ...user({ text: "hi" }), ...fields });
  const cases: readonly (readonly [JsonObject, string])[] = [
    [{}, "contents"],
    [{ contents: "hi" }, "contents"],
    [{ contents: ["hi"] }, "contents[0]"],
    [{ contents: [{ role: "robot", parts: [{ text: "hi" }] }] }, "contents[0].role"],
    [user({ text: 7 }), "contents[0].parts[0].text"],
    [user({ inlineData: { data: "AAAA" } }), "contents[0].parts[0].inlineData.mimeType"],
    [user({ functionCall: { args: {} } }), "contents[0].parts[0].functionCall.name"],
    [user({ functionCall: { name: "f", args: "{}" } }), "contents[0].parts[0].functionCall.args"],
    [user({ functionResponse: { name: "f", response: {} } }), "contents[0].parts[0].functionResponse"],
    [withHello({ cachedContent: "cachedContents/1" }), "cachedContent"],
    [withHello({ continuationToken: "abc" }), "continuationToken"],
    [withHello({ tools: [{ codeExecution: {} }] }), "tools[0].codeExecution"],
    [withHello({ tools: [{ functionDeclarations: [{}] }] }), "tools[0].functionDeclarations[0].name"],
    [
      withHello({ toolConfig: { functionCallingConfig: { mode: "SOMETIMES" } } }),
      "toolConfig.functionCallingConfig.mode",
    ],
    [withHello({ generationConfig: { temperature: "warm" } }), "generationConfig.temperature"],
    [withHello({ generationConfig: { responseModalities: ["TEXT", "IMAGE"] } }), "generationConfig.responseModalities"],
    [withHello({ generationConfig: { responseMimeType: "text/x.enum" } }), "generationConfig.responseMimeType"],
    [
      withHello({ generationConfig: { thinkingConfig: { thinkingLevel: "DEEP" } } }),
      "generationConfig.thinkingConfig.thinkingLevel",
    ],
    [withHello({ systemInstruction: { parts: [{ inlineData: {} }] } }), "systemInstruction.parts[0].text"],
  ];
  for (const [fields, param] of cases) expect([param, refusedParam(() => decode(fields))]).toEqual([param, param]);
});

test("what has no neutral form and changes nothing is listed by its path", () => {
  const contents = [{ parts: [{ text: "hi", videoMetadata: {} }, { executableCode: { code: "1" } }] }];
  const request = decode({ contents, safetySettings: [], store: true, generationConfig: { speechConfig: {} } });
  expect(request.unknownFields).toEqual([
    "safetySettings",
    "store",
    "generationConfig.speechConfig",
    "contents[0].parts[0].videoMetadata",
    "contents[0].parts[1].executableCode",
  ]);
});

test("what the vendor does beside functions is left out, alone it is refused", () => {
  const contents = [{ role: "user", parts: [{ text: "hi" }] }];
  const own = { functionDeclarations: [{ name: "f" }] };
  const { tools, unknownFields } = decode({ contents, tools: [own, { url_context: {} }, { codeExecution: {} }] });
  expect([tools.length, unknownFields]).toEqual([1, ["tools[1].url_context", "tools[2].codeExecution"]]);
  expect(refusedParam(() => decode({ contents, tools: [{ urlContext: {} }] }))).toBe("tools[0].urlContext");
  expect(refusedParam(() => decode({ contents, tools: [own, { googleMaps: {} }] }))).toBe("tools[1].googleMaps");
});

test("allowed names drop all other tools", () => {
  const declarations = ["a", "b", "c"].map((name) => ({ name }));
  const functionCallingConfig = { mode: "ANY", allowedFunctionNames: ["a", "c"] };
  const request = decode({
    contents: [{ parts: [{ text: "hi" }] }],
    tools: [{ functionDeclarations: declarations }, { googleSearch: {} }],
    toolConfig: { functionCallingConfig },
  });
  expect(request.toolChoice).toEqual({ kind: "required" });
  expect(request.tools.map((tool) => (tool.kind === "function" ? tool.name : tool.kind))).toEqual([
    "a",
    "c",
    "web_search",
  ]);
});

test("thinking is set in the fields of each generation", () => {
  const thinking = (model: string, reasoning: NeutralRequest["reasoning"]): unknown => {
    const config = encode({ ...plain, model, ...(reasoning === undefined ? {} : { reasoning }) }).fields[
      "generationConfig"
    ] as JsonObject | undefined;
    return config?.["thinkingConfig"];
  };
  expect(thinking("gemini-3-flash-preview", { effort: "minimal" })).toEqual({ thinkingLevel: "MINIMAL" });
  expect(thinking("gemini-3-pro-preview", { effort: "none" })).toEqual({ thinkingLevel: "LOW" });
  expect(thinking("gemini-3-pro-preview", { budgetTokens: 20_000, isShown: true })).toEqual({
    thinkingLevel: "HIGH",
    includeThoughts: true,
  });
  expect(thinking("gemini-2.5-flash", { effort: "medium" })).toEqual({ thinkingBudget: 8192, includeThoughts: true });
  expect(thinking("gemini-3-pro-preview", { effort: "low" })).toEqual({ thinkingLevel: "LOW", includeThoughts: true });
  expect(thinking("gemini-3-pro-preview", { effort: "low", isShown: false })).toMatchObject({ includeThoughts: false });
  expect(thinking("gemini-2.5-flash", { effort: "none" })).toEqual({ thinkingBudget: 0 });
  expect(thinking("gemini-2.5-pro", { budgetTokens: 0 })).toEqual({ thinkingBudget: 128 });
  expect(thinking("gemini-2.5-pro", { isAdaptive: true })).toEqual({ thinkingBudget: -1 });
  expect(thinking("gemini-2.0-flash", { effort: "high" })).toBeUndefined();
  expect(encode({ ...plain, model: "gemini-2.0-flash", reasoning: { effort: "high" } }).warnings).toEqual([
    "reasoning",
  ]);
});

test("thinking of an effort reserves a fifth of max tokens for the text", () => {
  const budget = (maxTokens: number): unknown => {
    const request = { ...plain, model: "gemini-2.5-flash", maxTokens, reasoning: { effort: "high" } } as const;
    return (encode(request).fields["generationConfig"] as JsonObject)["thinkingConfig"];
  };
  expect(budget(3_000)).toMatchObject({ thinkingBudget: 2_400 });
  expect(budget(100_000)).toMatchObject({ thinkingBudget: 24_576 });
});

test("calls of another model are let through by the third generation with the vendor's own exemption", () => {
  const call: NeutralPart = {
    kind: "tool_call",
    id: "1",
    name: "f",
    arguments: "{}",
    signature: { dialect: "anthropic-messages", value: "x" },
  };
  const result: NeutralPart = { kind: "tool_result", id: "1", parts: [{ kind: "text", text: "ok" }] };
  const messages: NeutralMessage[] = [
    hello,
    { role: "assistant", parts: [call, { ...call, id: "2" }] },
    { role: "user", parts: [result] },
  ];
  const partsFor = (model: string): unknown =>
    (encode({ ...plain, model, messages }).fields["contents"] as JsonObject[])[1]?.["parts"];
  const parts = [1, 2].map((id) => ({ functionCall: { id: String(id), name: "f", args: {} } }));
  expect(partsFor("gemini-2.5-flash")).toEqual(parts);
  expect(partsFor("gemini-3-flash-preview")).toEqual([
    { ...parts[0], thoughtSignature: "skip_thought_signature_validator" },
    parts[1],
  ]);
});

test("a signature that a client could only keep before the call returns to the call", () => {
  const signature = { dialect: "gemini" as const, value: "c2ln" };
  const messages: NeutralMessage[] = [
    hello,
    {
      role: "assistant",
      parts: [
        { kind: "reasoning", text: "", signature },
        { kind: "tool_call", id: "1", name: "f", arguments: "{}" },
      ],
    },
  ];
  const { fields } = encode({ ...plain, model: "gemini-3-pro-preview", messages });
  expect((fields["contents"] as JsonObject[])[1]?.["parts"]).toEqual([
    { functionCall: { id: "1", name: "f", args: {} }, thoughtSignature: "c2ln" },
  ]);
});

test("foreign signatures are left out, their thoughts stay; redacted ones vanish", () => {
  const signature = { dialect: "anthropic-messages" as const, value: "x" };
  const parts: NeutralPart[] = [
    { kind: "reasoning", text: "hm", signature },
    { kind: "reasoning", text: "", signature, isRedacted: true },
    { kind: "text", text: "done" },
  ];
  const { fields } = encode({ ...plain, messages: [hello, { role: "assistant", parts }] });
  expect((fields["contents"] as JsonObject[])[1]?.["parts"]).toEqual([{ text: "hm", thought: true }, { text: "done" }]);
});

test("what Gemini cannot do is a fault, what changes nothing a warning", () => {
  const search = { kind: "web_search" as const, allowedDomains: ["a.example"] };
  expect(refusedParam(() => encode({ ...plain, tools: [search] }))).toBe("tools");
  const broken: NeutralPart = { kind: "tool_call", id: "1", name: "f", arguments: "{oops" };
  expect(refusedParam(() => encode({ ...plain, messages: [{ role: "assistant", parts: [broken] }] }))).toBe(
    "messages[0].content[0]",
  );
  const { warnings } = encode({
    ...plain,
    messages: [hello, { role: "system", parts: [{ kind: "text", text: "be brief" }] }],
    user: "me",
    verbosity: "low",
    hasParallelToolCalls: false,
    serviceTier: "scale",
    logitBias: { 1: 2 },
  });
  expect(warnings).toEqual([
    "user",
    "verbosity",
    "logit_bias",
    "parallel_tool_calls",
    "messages[1].role",
    "service_tier",
  ]);
});

test("a search beside functions is left out; alone it takes no choice among functions", () => {
  const search = { kind: "web_search" as const };
  const own = { kind: "function" as const, name: "f", parameters: { type: "object" } };
  const alone = encode({ ...plain, tools: [search], toolChoice: { kind: "required" } });
  expect([alone.fields["tools"], alone.fields["toolConfig"], alone.warnings]).toEqual([
    [{ googleSearch: {} }],
    undefined,
    [],
  ]);
  const beside = encode({ ...plain, tools: [search, own] });
  expect(beside.fields["tools"]).toEqual([{ functionDeclarations: [{ name: "f" }] }]);
  expect(beside.warnings).toEqual(["tools.web_search"]);
});

test("a request of instructions alone asks with them", () => {
  const { fields } = encode({ ...plain, system: [{ kind: "text", text: "say hi" }], messages: [] });
  expect(fields).toEqual({ contents: [{ role: "user", parts: [{ text: "say hi" }] }] });
});

test("a result that is sent twice answers its call once, beside another call of that tool, and says so", () => {
  const call = (id: string) => ({ functionCall: { id, name: "run", args: {} } });
  const result = (id: string, output: string) => ({ functionResponse: { id, name: "run", response: { output } } });
  const conversation = (...results: object[]) => ({
    contents: [
      { role: "user", parts: [{ text: "hi" }] },
      { role: "model", parts: [call("a"), call("b")] },
      { role: "user", parts: results },
    ],
  });
  const request = decode(conversation(result("a", "1"), result("a", "1"), result("b", "2"), result("b", "2")));
  expect(
    request.messages[2]?.parts.map((part) => (part.kind === "tool_result" ? [part.id, part.parts] : part)),
  ).toEqual([
    ["a", [{ kind: "text", text: "1" }]],
    ["b", [{ kind: "text", text: "2" }]],
  ]);
  expect(request.unknownFields).toEqual([
    "contents[2].parts[1].functionResponse",
    "contents[2].parts[3].functionResponse",
  ]);
  const other = conversation(result("a", "1"), result("b", "2"), result("b", "3"));
  expect(() => decode(other)).toThrow("contents[2].parts[2].functionResponse answers no functionCall");
});
