/** Edge cases of Converse: deviations of each maker's models, and conversations that the vendor would refuse unchanged. */
import { describe, expect, test } from "vitest";
import type { JsonObject, NeutralMessage, NeutralPart, NeutralRequest } from "../../dialects/neutral/neutral.ts";
import { normaliseUsage } from "../../dialects/openai-chat/usage.ts";
import { aws } from "./aws.ts";
import { createDecoder, decodeAnswer } from "./format-answer.ts";
import { encodeRequest } from "./format-request.ts";
import { isClaude } from "./models.ts";

const NOVA = "amazon.nova-2-lite-v1:0";
const LLAMA = "us.meta.llama4-scout-17b-instruct-v1:0";
const said = (text: string): NeutralPart => ({ kind: "text", text });
const user = (...parts: NeutralPart[]): NeutralMessage => ({ role: "user", parts });
const assistant = (...parts: NeutralPart[]): NeutralMessage => ({ role: "assistant", parts });
const CALLED: NeutralPart = { kind: "tool_call", id: "a.1", name: "look", arguments: "{}" };
const result = (...parts: Extract<NeutralPart, { kind: "tool_result" }>["parts"]): NeutralPart => ({
  kind: "tool_result",
  id: "a.1",
  parts,
  isError: true,
});

/** The request as it is sent, and the fields that the client is warned of. */
function sent(changes: Partial<NeutralRequest>, model = NOVA): JsonObject {
  const request: NeutralRequest = {
    model,
    isStream: false,
    system: [],
    messages: [user(said("hi"))],
    tools: [],
    unknownFields: [],
    ...changes,
  };
  const warned: string[] = [];
  const body = encodeRequest(request, (field) => void warned.push(field));
  return { ...body, warned };
}

test.each([
  ["claude-sonnet-4-5", true],
  ["us.anthropic.claude-opus-4-7", true],
  ["arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-opus-4-7", true],
  ["arn:aws:bedrock:us-east-1:1:application-inference-profile/a1b2c3", true],
  ["arn:aws:bedrock:us-east-1:1:inference-profile/us.amazon.nova-pro-v1:0", false],
  ["arn:aws:bedrock:us-east-1::foundation-model/meta.llama3-70b-instruct-v1:0", false],
  ["moonshot.kimi-k2-thinking", false],
  ["deepseek.v3-v1:0", false],
])("%s is asked in Anthropic's format: %s", (name, expected) => {
  expect(isClaude(name)).toBe(expected);
});

describe("thinking", () => {
  test.each([
    [NOVA, { effort: "low" }, { reasoningConfig: { type: "enabled", maxReasoningEffort: "low" } }],
    [NOVA, { budgetTokens: 0 }, { reasoningConfig: { type: "disabled" } }],
    [NOVA, { isAdaptive: true }, { reasoningConfig: { type: "enabled", maxReasoningEffort: "medium" } }],
    ["openai.gpt-oss-120b-1:0", { effort: "xhigh" }, { reasoning_effort: "high" }],
    ["openai.gpt-oss-120b-1:0", { effort: "none" }, undefined],
    ["global.openai.gpt-5.6-luna", { budgetTokens: 20_000 }, { reasoning: { effort: "high" } }],
    ["moonshot.kimi-k2-thinking", { budgetTokens: 2048 }, { reasoning_effort: "low" }],
  ] as const)("of %s for %j is %j", (model, reasoning, expected) => {
    expect(sent({ reasoning }, model)).toMatchObject({ warned: [] });
    expect(sent({ reasoning }, model)["additionalModelRequestFields"]).toEqual(expected);
  });

  test("of a model without support for it is a warning", () => {
    expect(sent({ reasoning: { effort: "low" } }, LLAMA)).toMatchObject({ warned: ["reasoning"] });
  });

  test("with Nova's highest effort goes without sampling, and gives way to a bound of the answer", () => {
    const reasoning = { effort: "high" } as const;
    const free = sent({ reasoning, temperature: 0.5, topK: 3 });
    expect(free).toMatchObject({ warned: ["temperature"] });
    expect([free["inferenceConfig"], free["additionalModelRequestFields"]]).toEqual([
      undefined,
      { reasoningConfig: { type: "enabled", maxReasoningEffort: "high" } },
    ]);
    expect(sent({ reasoning, maxTokens: 50, temperature: 2, topK: 3 })).toMatchObject({
      inferenceConfig: { maxTokens: 50, temperature: 1 },
      additionalModelRequestFields: { reasoningConfig: { maxReasoningEffort: "medium" }, inferenceConfig: { topK: 3 } },
      warned: ["reasoning", "temperature"],
    });
  });
});

test("the form of an answer is a schema as text, or an instruction", () => {
  const schema = { type: "object", properties: { a: { type: "number" } } };
  const held = sent({ responseFormat: { kind: "json_schema", name: "n", schema } }, "qwen.qwen3-32b-v1:0");
  expect(held["outputConfig"]).toEqual({
    textFormat: { type: "json_schema", structure: { jsonSchema: { name: "n", schema: JSON.stringify(schema) } } },
  });
  const asked = sent({ responseFormat: { kind: "json" }, system: [{ kind: "text", text: "Be brief." }] });
  expect(asked["system"]).toEqual([{ text: expect.stringMatching(/^Be brief\.\n\n.*JSON object/) }]);
  expect(asked).toMatchObject({ warned: ["response_format"] });
});

test("cache breakpoints become cache points for Nova, whose cache a request can set", () => {
  const cache = { ttlSeconds: 300 };
  const system = [{ kind: "text", text: "rules", cache }] as const;
  const messages = [user({ kind: "text", text: "a book", cache }, said("?"))];
  const mark = { cachePoint: { type: "default" } };
  expect(sent({ system, messages })).toMatchObject({
    system: [{ text: "rules" }, mark],
    messages: [{ content: [{ text: "a book" }, mark, { text: "?" }] }],
  });
  expect(sent({ system, messages })["warned"]).toEqual([]);
  const other = sent({ system, messages }, LLAMA);
  expect(JSON.stringify(other)).not.toContain("cachePoint");
  expect(other["warned"]).toEqual(["cache_control"]);
});

test("calls in a conversation have their tools, also where none are offered any more", () => {
  const messages = [
    user(said("hi")),
    assistant({ kind: "reasoning", text: "hm" }, CALLED),
    user(result(said("x") as never)),
  ];
  const look = { toolSpec: { name: "look", inputSchema: { json: { type: "object", properties: {} } } } };
  expect(sent({ messages })).toMatchObject({ toolConfig: { tools: [look] }, warned: ["reasoning"] });
  const tool = { kind: "function", name: "new", description: " ", parameters: {} } as const;
  const withheld = sent({ messages, tools: [tool], toolChoice: { kind: "none" } });
  expect(withheld["toolConfig"]).toEqual({
    tools: [{ toolSpec: { name: "new", inputSchema: { json: { type: "object", properties: {} } } } }, look],
  });
  expect(withheld).toMatchObject({ warned: ["reasoning", "tool_choice"] });
  expect(sent({ tools: [tool], toolChoice: { kind: "none" } })["toolConfig"]).toBeUndefined();
  const chosen = sent({ tools: [tool], toolChoice: { kind: "tool", name: "new" } });
  expect(chosen).toMatchObject({ toolConfig: { toolChoice: { tool: { name: "new" } } } });
});

test("Nova's tools have their definitions in place and no other keyword around them", () => {
  const parameters = {
    $schema: "x",
    type: "object",
    properties: { tree: { $ref: "#/$defs/tree" }, plain: { type: "string" } },
    required: ["tree"],
    additionalProperties: false,
    $defs: { tree: { type: "object", properties: { left: { $ref: "#/$defs/tree" } } } },
  };
  const schemaOf = (given: JsonObject, model?: string) => {
    const { tools } = sent({ tools: [{ kind: "function", name: "grow", parameters: given }] }, model)["toolConfig"] as {
      tools: { toolSpec: { inputSchema: { json: unknown } } }[];
    };
    return tools[0]?.toolSpec.inputSchema.json;
  };
  expect(schemaOf(parameters)).toEqual({
    type: "object",
    properties: { tree: { type: "object", properties: { left: {} } }, plain: { type: "string" } },
    required: ["tree"],
  });
  expect(schemaOf(parameters, LLAMA)).toEqual(parameters);
  const names = Array.from({ length: 20 }, (_, index) => `d${index}`);
  const doubling = names.map((name, index) => {
    const next = { $ref: `#/$defs/d${index + 1}` };
    return [name, { anyOf: [next, next] }] as const;
  });
  const bomb = { type: "object", properties: { a: { $ref: "#/$defs/d0" } }, $defs: Object.fromEntries(doubling) };
  expect(() => schemaOf(bomb)).toThrow("too large");
});

test("results and text share a turn with Nova, and are separate with Llama", () => {
  const image = { kind: "image", source: { kind: "base64", mimeType: "image/png", data: "AAAA" } } as const;
  const messages = [
    user(said("hi")),
    assistant(said("I will look."), CALLED),
    user(result({ kind: "text", text: "broken" }, image), said("and now?")),
  ];
  const picture = { image: { format: "png", source: { bytes: "AAAA" } } };
  const use = { toolUse: { toolUseId: "a_1", name: "look", input: {} } };
  expect(sent({ messages })["messages"]).toEqual([
    { role: "user", content: [{ text: "hi" }] },
    { role: "assistant", content: [{ text: "I will look." }, use] },
    {
      role: "user",
      content: [
        { toolResult: { toolUseId: "a_1", content: [{ text: "broken" }, picture], status: "error" } },
        { text: "and now?" },
      ],
    },
  ]);
  expect((sent({ messages }, LLAMA)["messages"] as unknown[]).slice(1)).toEqual([
    { role: "assistant", content: [use] },
    { role: "user", content: [{ toolResult: { toolUseId: "a_1", content: [{ text: "broken" }] } }] },
    { role: "assistant", content: [{ text: "..." }] },
    { role: "user", content: [picture, { text: "and now?" }] },
  ]);
});

test("a conversation begins with the user, has no blank text, and its documents have names of their own", () => {
  const file = (name: string, mimeType = "application/pdf"): NeutralPart => ({
    kind: "file",
    name,
    source: { kind: "base64", mimeType, data: "AAAA" },
  });
  const messages = [assistant(said("hello")), user(said(" ")), user(file("Q3: report.pdf"), file("Q3_ report.pdf"))];
  const named = (name: string) => ({ document: { name, format: "pdf", source: { bytes: "AAAA" } } });
  expect(sent({ messages })["messages"]).toEqual([
    { role: "user", content: [{ text: "..." }] },
    { role: "assistant", content: [{ text: "hello" }] },
    { role: "user", content: [named("Q3- report-pdf"), named("Q3- report-pdf (2)"), { text: "..." }] },
  ]);
  const tape: NeutralPart = { kind: "audio", source: { kind: "base64", mimeType: "audio/mpeg", data: "AAAA" } };
  expect(sent({ messages: [user(tape)] })).toMatchObject({ messages: [{ content: [{ audio: { format: "mp3" } }] }] });
  expect(() => sent({ messages: [user(file("a", "application/zip"))] })).toThrow("application/zip");
});

test("ids that are too long stay those of one call and its result", () => {
  const id = "x".repeat(80);
  const call = { ...CALLED, id } as NeutralPart;
  const { messages } = sent({
    messages: [user(said("hi")), assistant(call), user({ kind: "tool_result", id, parts: [] })],
  }) as unknown as { messages: { content: Record<string, { toolUseId: string }>[] }[] };
  const ids = [messages[1]?.content[0]?.["toolUse"]?.toolUseId, messages[2]?.content[0]?.["toolResult"]?.toolUseId];
  expect(ids[0]).toMatch(/^\w{64}$/);
  expect(ids[1]).toBe(ids[0]);
});

test("a call without arguments is one with none, and an exception ends a stream", () => {
  const decoder = createDecoder();
  const events = [
    ["contentBlockStart", { contentBlockIndex: 2, start: { toolUse: { toolUseId: "t", name: "look" } } }],
    ["contentBlockStop", { contentBlockIndex: 2 }],
    ["messageStop", { stopReason: "guardrail_intervened" }],
    ["throttlingException", { message: "slow", __type: "throttlingException" }],
  ].flatMap(([name, fields]) => decoder.push(String(name), JSON.stringify(fields)));
  expect(
    events.map((event) => [event.kind, "text" in event ? event.text : "reason" in event ? event.reason : ""]),
  ).toEqual([
    ["tool_call", ""],
    ["tool_arguments", "{}"],
    ["finish", "content_filter"],
    ["error", '{"message":"slow","__type":"throttlingException"}'],
  ]);
});

test("what the cache held is counted once, also where a stream of OpenAI's models has it in the input", () => {
  const usage = { inputTokens: 4995, outputTokens: 19, cacheReadInputTokens: 0, cacheWriteInputTokens: 4993 };
  const counted = (model: string, change: object = {}) => {
    const channel = { baseUrl: "", key: "", other: "", openaiOrganization: "" };
    const decoder = aws.format?.(channel, model).createDecoder();
    const events = decoder?.push("metadata", JSON.stringify({ usage: { ...usage, ...change } })) ?? [];
    const raw = events.flatMap((event) => (event.kind === "usage" ? [event.raw] : []))[0];
    return normaliseUsage(raw)?.usage;
  };
  expect(counted("global.openai.gpt-5.6-luna")).toMatchObject({ inputTokens: 4995, cacheWriteTokens: 4993 });
  expect(counted("global.openai.gpt-5.6-luna", { inputTokens: 2 })).toMatchObject({ inputTokens: 4995 });
  expect(counted(NOVA)).toMatchObject({ inputTokens: 9988, cacheWriteTokens: 4993 });
});

test("a body without a message is no answer, and counts that are none are the upstream's fault", () => {
  expect(decodeAnswer({ message: "no" })).toBeUndefined();
  const answer = decodeAnswer({ output: { message: { content: [] } }, usage: { inputTokens: "x", outputTokens: 2 } });
  expect(answer?.rawUsage).toMatchObject({ prompt_tokens: "x", completion_tokens: 2 });
});

// Recorded from Nova 2 with its code interpreter, reduced.
test("a call that Bedrock has run itself is none of the client's, whole and streamed", () => {
  const own = { toolUseId: "t1", name: "nova_code_interpreter", type: "server_tool_use" };
  const call = { toolUseId: "t2", name: "final_result" };
  const content = [
    { toolUse: { ...own, input: { snippet: "6 * 7" } } },
    { toolResult: { toolUseId: "t1", type: "nova_code_interpreter_result", status: "success", content: [] } },
    { toolUse: { ...call, input: { result: 42 } } },
  ];
  const whole = decodeAnswer({ output: { message: { role: "assistant", content } }, stopReason: "tool_use" });
  expect(whole?.choices[0]?.parts).toMatchObject([
    { kind: "tool_call", name: "final_result", arguments: '{"result":42}' },
  ]);
  const decoder = createDecoder();
  const events = [
    ["contentBlockStart", { contentBlockIndex: 0, start: { toolUse: own } }],
    ["contentBlockDelta", { contentBlockIndex: 0, delta: { toolUse: { input: '{"snippet":"6 * 7"}' } } }],
    ["contentBlockStop", { contentBlockIndex: 0 }],
    ["contentBlockStart", { contentBlockIndex: 1, start: { toolUse: call } }],
    ["contentBlockDelta", { contentBlockIndex: 1, delta: { toolUse: { input: '{"result":42}' } } }],
    ["contentBlockStop", { contentBlockIndex: 1 }],
  ].flatMap(([name, fields]) => decoder.push(String(name), JSON.stringify(fields)));
  expect(events).toMatchObject([
    { kind: "tool_call", index: 0, name: "final_result" },
    { kind: "tool_arguments", index: 0, text: '{"result":42}' },
  ]);
});
