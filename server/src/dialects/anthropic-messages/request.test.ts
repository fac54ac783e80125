/** Anthropic's requests: documented ones decoded, random ones there and back, and refusals with the name of the field. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { refusedParam } from "../../../../tests/support/dialects/refused-param.ts";
import { anthropicMessagesDialect as dialect } from "./anthropic-messages.ts";
import { readTopLevel } from "../json/bytes.ts";
import type { JsonObject, NeutralMessage, NeutralPart, NeutralRequest, ToolCallPart } from "../neutral/neutral.ts";

const fixture = (name: string): JsonObject =>
  JSON.parse(readFileSync(new URL(`./fixtures/${name}`, import.meta.url), "utf8")) as JsonObject;
const path = { model: "", isStream: false };
const decode = (fields: JsonObject): NeutralRequest => dialect.decodeRequest(fields, path);

function encode(request: NeutralRequest): { fields: JsonObject; warned: string[] } {
  const warned: string[] = [];
  const fields = dialect.encodeRequest(request, (field) => void warned.push(field));
  return { fields, warned };
}

const own = (value: string) => ({ dialect: "anthropic-messages" as const, value });
const question = [{ role: "user", content: "hi" }];
const plain = { model: "claude-opus-4-6", max_tokens: 100, messages: question };

/** Of the instructions: a line for its vendor's accounts. */
const ATTRIBUTION = "system: x-anthropic-billing-header";

test("what Claude Code sends is read whole", () => {
  const request = decode(fixture("claude-code-request.json"));
  expect(request).toMatchObject({
    model: "claude-sonnet-4-5-20250929",
    isStream: true,
    maxTokens: 32_000,
    user: expect.stringContaining("_session_") as unknown,
    reasoning: { budgetTokens: 31_999, isShown: true },
    unknownFields: ["context_management", ATTRIBUTION, "tools[].eager_input_streaming"],
  });
  expect(request.system.map(({ cache }) => cache?.ttlSeconds)).toEqual([300, 3600]);
  expect(request.tools.map((tool) => tool.kind === "function" && [tool.name, tool.cache?.ttlSeconds])).toEqual([
    ["Read", undefined],
    ["Bash", undefined],
    ["Edit", 300],
  ]);
  const [, turn, results, next] = request.messages;
  expect(turn?.parts.map(({ kind }) => kind)).toEqual(["reasoning", "text", "tool_call", "tool_call"]);
  expect(turn?.parts[0]).toEqual({
    kind: "reasoning",
    text: "I should look at the test first.",
    signature: own("EqQBCgIYAhIM1gbcDa9GJwZA2b3h"),
  });
  expect(results?.parts[1]).toEqual({
    kind: "tool_result",
    id: "toolu_02Bash",
    isError: true,
    parts: [
      { kind: "text", text: "1 failed" },
      { kind: "image", source: { kind: "base64", mimeType: "image/png", data: "iVBORw0KGgo=" } },
    ],
  });
  expect(next?.parts[0]).toMatchObject({ isRedacted: true, signature: own("EmwKAhgBEgy3va3pzix") });
});

test("what Claude Code sends comes back as it was, but for what has no neutral form", () => {
  const { context_management: _edits, tools, ...rest } = fixture("claude-code-request.json");
  const { fields, warned } = encode(decode({ ...rest, tools }));
  expect(warned).toEqual([]);
  const bare = (tools as JsonObject[]).map(({ eager_input_streaming: _eager, ...tool }) => tool);
  expect(fields).toEqual({ ...rest, tools: bare, system: (rest["system"] as JsonObject[]).slice(1) });
});

test("media, text documents, search, instructions inside the conversation and settings", () => {
  const request = decode(fixture("media-request.json"));
  expect(request.messages[0]?.parts).toEqual([
    { kind: "image", source: { kind: "url", url: "https://pictures.example/a.png" } },
    {
      kind: "image",
      source: { kind: "base64", mimeType: "image/png", data: "iVBORw0KGgo=" },
      cache: { ttlSeconds: 300 },
    },
    {
      kind: "file",
      source: { kind: "base64", mimeType: "application/pdf", data: "JVBERi0=" },
      name: "report.pdf",
    },
    { kind: "file", source: { kind: "url", url: "https://papers.example/b.pdf", mimeType: "application/pdf" } },
    { kind: "text", text: "Facts\nTrustworthy.\nGrass is green." },
    { kind: "text", text: "Sky\nhttps://facts.example\nThe sky is blue." },
    { kind: "text", text: "What do they say?" },
  ]);
  expect(request.messages[1]).toEqual({ role: "system", parts: [{ kind: "text", text: "Answer in German." }] });
  expect(request.messages[2]?.parts).toEqual([
    { kind: "text", text: "Himmel.", citations: [{ url: "https://a.example", title: "A", quote: "blue" }] },
  ]);
  expect(request).toMatchObject({
    temperature: 0.5,
    topP: 0.9,
    topK: 5,
    stop: ["END"],
    serviceTier: "default",
    toolChoice: { kind: "tool", name: "note" },
    hasParallelToolCalls: false,
    reasoning: { isAdaptive: true, isShown: false, effort: "xhigh" },
    responseFormat: { kind: "json_schema", isStrict: true },
    unknownFields: ["messages[0].content[2].citations", "messages[2].content[0]", "messages[2].content[1]"],
  });
  expect(request.tools[1]).toEqual({
    kind: "web_search",
    maxUses: 5,
    allowedDomains: ["docs.example"],
    location: { city: "Bern", country: "CH" },
  });
});

test("what Claude Code sends today is read whole", () => {
  const request = decode(fixture("claude-code-current-request.json"));
  expect(request.reasoning).toEqual({ isAdaptive: true, isShown: true, effort: "high" });
  expect(request.messages.map(({ role, parts }) => [role, parts.map(({ kind }) => kind)])).toEqual([
    ["user", ["text", "text"]],
    ["assistant", ["reasoning", "tool_call"]],
    ["user", ["tool_result"]],
    ["assistant", ["text", "tool_call", "tool_call"]],
    ["user", ["tool_result", "tool_result"]],
    ["system", ["text"]],
  ]);
  expect(request.messages[2]?.parts[0]).toMatchObject({
    kind: "tool_result",
    parts: [{ text: "Loaded tool: mcp__issues__list" }],
  });
  expect(request.tools.map((tool) => (tool.kind === "function" ? tool.name : tool.kind))).toEqual([
    "Bash",
    "ToolSearch",
    "mcp__issues__list",
  ]);
  expect(request.unknownFields.toSorted()).toEqual(
    [
      "context_management",
      "diagnostics",
      ATTRIBUTION,
      "tools[].defer_loading",
      "tools[].eager_input_streaming",
      "tools[3]",
    ].toSorted(),
  );
});

test("a forced search drops all other tools; thinking without a budget is unlimited", () => {
  const search = { type: "web_search_20260318", name: "web_search", max_uses: 8 };
  const other = { name: "f", input_schema: { type: "object" } };
  const forced = { ...plain, tools: [other, search], tool_choice: { type: "tool", name: "web_search" } };
  expect(decode(forced)).toMatchObject({
    tools: [{ kind: "web_search", maxUses: 8 }],
    toolChoice: { kind: "required" },
  });
  expect(decode({ ...plain, thinking: { type: "enabled" } }).reasoning).toEqual({ isAdaptive: true, isShown: true });
  expect(decode({ ...plain, thinking: { type: "adaptive", budget_tokens: 0 } }).reasoning).toEqual({
    isAdaptive: true,
    isShown: true,
  });
});

test("what only this vendor does is left out where the answer can do without it, and refused where it cannot", () => {
  const advisor = { type: "advisor_20260301", name: "advisor", model: "claude-opus-4-8" };
  const own = { name: "f", input_schema: { type: "object" } };
  expect(decode({ ...plain, tools: [own, advisor] })).toMatchObject({
    tools: [{ name: "f" }],
    unknownFields: ["tools[1]"],
  });
  expect(refusedParam(() => decode({ ...plain, tools: [advisor] }))).toBe("tools[0].type");
  expect(refusedParam(() => decode({ ...plain, tools: [own, advisor], tool_choice: { type: "any" } }))).toBe(
    "tools[1].type",
  );
});

const call = { type: "tool_use", id: "t1", name: "f", input: {} };
const given = (content: unknown): JsonObject => ({ ...plain, messages: [{ role: "user", content }] });

test.each<readonly [param: string, fields: JsonObject]>([
  ["model", { ...plain, model: 5 }],
  ["messages", { ...plain, messages: "hi" }],
  ["messages[0]", { ...plain, messages: ["hi"] }],
  ["messages[0].role", { ...plain, messages: [{ role: "tool", content: "" }] }],
  ["messages[0].content", given(7)],
  ["messages[0].content[1].type", given([{ type: "text", text: "a" }, { type: "hologram" }])],
  ["messages[0].content[0].type", given([{}])],
  ["messages[0].content[0].text", given([{ type: "text" }])],
  ["messages[0].content[0].source.type", given([{ type: "image", source: { type: "file", file_id: "f" } }])],
  [
    "messages[0].content[0].source.data",
    given([{ type: "image", source: { type: "base64", media_type: "image/png" } }]),
  ],
  ["messages[0].content[0].cache_control.ttl", given([{ type: "text", text: "a", cache_control: { ttl: "2h" } }])],
  ["messages[0].content[0].tool_use_id", given([{ type: "tool_result", tool_use_id: "t1", content: "" }])],
  ["messages[0].content[0].tool_use_id", given([{ type: "tool_result", content: "" }])],
  ["messages[0].content[0].id", { ...plain, messages: [{ role: "assistant", content: [{ ...call, id: "" }] }] }],
  [
    "messages[0].content[0].input",
    { ...plain, messages: [{ role: "assistant", content: [{ ...call, input: "{}" }] }] },
  ],
  ["system[0].type", { ...plain, system: [{ type: "image" }] }],
  ["max_tokens", { ...plain, max_tokens: "5" }],
  ["stream", { ...plain, stream: "yes" }],
  ["tools[0].name", { ...plain, tools: [{ input_schema: {} }] }],
  ["tools[0].input_schema", { ...plain, tools: [{ name: "f" }] }],
  ["tools[0].type", { ...plain, tools: [{ type: "bash_20250124", name: "bash" }] }],
  ["tool_choice.type", { ...plain, tool_choice: { type: "some" } }],
  ["tool_choice.name", { ...plain, tool_choice: { type: "tool" } }],
  ["thinking.type", { ...plain, thinking: { type: "hard" } }],
  ["thinking.budget_tokens", { ...plain, thinking: { type: "enabled", budget_tokens: "many" } }],
  ["tools[0].type", { ...plain, tools: [{ type: "web_fetch_20260318", name: "web_fetch" }] }],
  ["output_config.effort", { ...plain, output_config: { effort: "huge" } }],
  ["output_config.format.type", { ...plain, output_config: { format: { type: "xml" } } }],
  ["output_format.schema", { ...plain, output_format: { type: "json_schema" } }],
  ["stop_sequences[0]", { ...plain, stop_sequences: [1] }],
  ["metadata", { ...plain, metadata: "me" }],
])("what is malformed names its field: %s", (param, fields) => {
  expect(refusedParam(() => decode(fields))).toBe(param);
});

test("anything that is no request is a fault, never a crash", () => {
  const fields = fc.dictionary(fc.constantFrom(...Object.keys(fixture("media-request.json"))), fc.jsonValue());
  fc.assert(
    fc.property(fields, (body) => {
      expect(typeof refusedParam(() => decode(body as JsonObject))).toBe("string");
    }),
  );
});

const text = fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" }).filter((words) => words.trim() !== "");
const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,10}$/);
const base64 = fc.uint8Array({ minLength: 1, maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString("base64"));
const cache = fc
  .option(fc.constantFrom({ ttlSeconds: 300 }, { ttlSeconds: 3600 }))
  .map((mark) => (mark === null ? {} : { cache: mark }));
const jsonObject = fc.dictionary(name, fc.oneof(fc.string(), fc.integer(), fc.boolean()), { maxKeys: 3 });
const textPart = fc.tuple(text, cache).map(([words, mark]) => ({ kind: "text" as const, text: words, ...mark }));
const imagePart = fc.tuple(base64, cache).map(([data, mark]) => ({
  kind: "image" as const,
  source: { kind: "base64" as const, mimeType: "image/png", data },
  ...mark,
}));
const filePart = fc.tuple(base64, name).map(([data, title]) => ({
  kind: "file" as const,
  source: { kind: "base64" as const, mimeType: "application/pdf", data },
  name: title,
}));
const thought: fc.Arbitrary<NeutralPart> = fc.oneof(
  fc.tuple(text, base64).map(([words, value]) => ({ kind: "reasoning" as const, text: words, signature: own(value) })),
  base64.map((value) => ({ kind: "reasoning" as const, text: "", signature: own(value), isRedacted: true })),
);

/** A round: a question, thinking and calls, their results with more text, and an answer. */
const round = fc
  .record({
    question: fc.array(fc.oneof(textPart, imagePart, filePart), { minLength: 1, maxLength: 3 }),
    thoughts: fc.array(thought, { maxLength: 2 }),
    calls: fc.array(fc.record({ name, input: jsonObject }), { maxLength: 3 }),
    result: fc.array(fc.oneof(textPart, imagePart), { maxLength: 2 }),
    isError: fc.boolean(),
    answer: text,
  })
  .map(({ question: asked, thoughts, calls, result, isError, answer }): NeutralMessage[] => {
    const uses = calls.map((use, index): ToolCallPart => ({
      kind: "tool_call",
      id: `toolu_${index}`,
      name: use.name,
      arguments: JSON.stringify(use.input),
    }));
    const results = uses.map(({ id }): NeutralPart => ({ kind: "tool_result", id, parts: result, isError }));
    const middle: NeutralMessage[] =
      uses.length === 0
        ? []
        : [
            { role: "assistant", parts: [...thoughts, ...uses] },
            { role: "user", parts: results },
          ];
    const last = `${answer.trim()}.`;
    return [{ role: "user", parts: asked }, ...middle, { role: "assistant", parts: [{ kind: "text", text: last }] }];
  });

const requests = fc
  .record({
    rounds: fc.array(round, { minLength: 1, maxLength: 3 }),
    system: fc.array(textPart, { maxLength: 2 }),
    tools: fc.array(
      fc.record({ name, parameters: jsonObject, isStrict: fc.option(fc.constant(true), { nil: undefined }) }),
      { maxLength: 2 },
    ),
    toolChoice: fc.constantFrom({ kind: "auto" as const }, { kind: "none" as const }, undefined),
    hasParallelToolCalls: fc.constantFrom(false, undefined),
    maxTokens: fc.integer({ min: 3000, max: 9000 }),
    temperature: fc.option(
      fc.integer({ min: 0, max: 10 }).map((tenths) => tenths / 10),
      { nil: undefined },
    ),
    topK: fc.option(fc.nat({ max: 50 }), { nil: undefined }),
    stop: fc.option(fc.array(text, { minLength: 1, maxLength: 2 }), { nil: undefined }),
    user: fc.option(name, { nil: undefined }),
    serviceTier: fc.constantFrom("auto", "default", undefined),
    isStream: fc.boolean(),
  })
  .map(({ rounds, tools, toolChoice, hasParallelToolCalls, ...rest }): NeutralRequest => {
    const written = tools.map(({ parameters, isStrict, ...tool }) => ({
      kind: "function" as const,
      ...tool,
      parameters: { type: "object", properties: parameters },
      ...(isStrict === undefined ? {} : { isStrict }),
    }));
    const isSingle = hasParallelToolCalls === false && toolChoice?.kind === "auto";
    const choice =
      tools.length === 0 || toolChoice === undefined
        ? {}
        : { toolChoice, ...(isSingle ? { hasParallelToolCalls: false } : {}) };
    const defined = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)) as typeof rest;
    const request = {
      ...defined,
      ...choice,
      model: "claude-opus-4-6",
      tools: written,
      messages: rounds.flat(),
      unknownFields: [],
    };
    return request as unknown as NeutralRequest;
  });

test("what the dialect can say comes back as it was said", () => {
  fc.assert(
    fc.property(requests, (request) => {
      const { fields, warned } = encode(request);
      expect(warned).toEqual([]);
      expect(decode(JSON.parse(JSON.stringify(fields)) as JsonObject)).toEqual(request);
    }),
    { numRuns: 300 },
  );
});

test("counting tokens takes the same request without max_tokens", () => {
  const { max_tokens: _bound, ...counted } = plain;
  expect(decode(counted).maxTokens).toBeUndefined();
});

test("what the relay needs is read from the bytes", () => {
  const body = Buffer.from(JSON.stringify({ ...plain, stream: true, system: "é" }));
  const info = dialect.readRequest(body, readTopLevel(body.toString("latin1"), 64), path);
  expect(info).toMatchObject({
    model: "claude-opus-4-6",
    isStream: true,
    asksUsage: true,
    maxTokens: 100,
    choices: 1,
  });
});

test("thinking of other vendors stays behind where the client's own bytes go to Anthropic", () => {
  const strip = (fields: JsonObject) => dialect.withoutForeignProofs?.(fields);
  const foreign = { type: "thinking", thinking: "hm", signature: "turnpike:gemini:c2ln" };
  const mine = { type: "thinking", thinking: "hm", signature: "EqQB" };
  const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "ok" }] };
  const turn = (...content: JsonObject[]) => [...question, { role: "assistant", content }, result];
  expect(strip({ messages: turn(mine, call), thinking: { type: "enabled", budget_tokens: 1024 } })).toEqual({});
  expect(strip({ messages: turn(foreign, mine, call) })).toEqual({ messages: turn(mine, call) });
  expect(strip({ messages: turn(foreign, call), thinking: { type: "enabled", budget_tokens: 1024 } })).toEqual({
    messages: turn(call),
    thinking: { type: "disabled" },
  });
  const unsigned = { type: "redacted_thinking", data: "turnpike:openai-responses:rs_1" };
  expect(strip({ messages: [...question, { role: "assistant", content: [unsigned] }] })).toEqual({
    messages: question,
  });
});

test("the signature of a call comes back to the call it belongs to", () => {
  const signature = { dialect: "gemini" as const, value: "c2ln" };
  const parts: NeutralPart[] = [{ kind: "tool_call", id: "t1", name: "f", arguments: "{}", signature }];
  const answer = { id: "x", choices: [{ parts, finish: "tool_calls" as const }], rawUsage: undefined };
  const info = { model: "m", requestId: "r", createdAt: 0, asksUsage: true, isArray: false };
  const usage = { ...dialect.normaliseUsage({ input_tokens: 1, output_tokens: 1 })?.usage };
  const { content } = dialect.encodeAnswer(answer, usage as never, info);
  const back = decode({ ...plain, messages: [...question, { role: "assistant", content }] });
  expect(back.messages[1]?.parts).toEqual(parts);
});

test("what Claude Code writes into its instructions for its vendor's accounts reaches no other model, and is named", () => {
  const line = "x-anthropic-billing-header: cc_version=2.1.119.47e; cc_entrypoint=cli; cch=a7754;";
  const agent = { type: "text", text: "You are an agent." };
  for (const system of [[{ type: "text", text: line }, agent], `${line}\nYou are an agent.`]) {
    const decoded = decode({ ...plain, system });
    expect(decoded.system).toMatchObject([{ text: "You are an agent." }]);
    expect(decoded.unknownFields).toEqual([ATTRIBUTION]);
  }
  expect(decode({ ...plain, system: [agent] }).unknownFields).toEqual([]);
});
