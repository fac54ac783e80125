/** Usage objects found by scanning: only the vendor's own counts, never one that a client or a model planted beside it. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DIALECTS } from "../registry.ts";
import { findObject } from "./usage-counts.ts";

/** What a client may have put into a schema, metadata or the arguments of a call: a usage far too small. */
const PLANTED = {
  usage: { input_tokens: 1, output_tokens: 1, prompt_tokens: 1, completion_tokens: 1 },
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
};
const OPENAI_USAGE = { prompt_tokens: 900, completion_tokens: 100 };
const RESPONSES_USAGE = { input_tokens: 900, output_tokens: 100 };
const GEMINI_USAGE = { promptTokenCount: 900, candidatesTokenCount: 100 };

const call = { function: { name: "f", arguments: PLANTED } };
const tools = [{ type: "function", name: "f", parameters: { type: "object", properties: PLANTED } }];
const parts = [{ functionCall: { name: "f", args: PLANTED } }];

const WHOLE = {
  "openai-chat": [{ usage: OPENAI_USAGE }, { choices: [{ message: { tool_calls: [call] } }], metadata: PLANTED }],
  "openai-responses": [{ usage: RESPONSES_USAGE }, { output: [], tools, metadata: PLANTED }],
  "anthropic-messages": [{ usage: RESPONSES_USAGE }, { content: [{ type: "tool_use", input: PLANTED }] }],
  gemini: [{ usageMetadata: GEMINI_USAGE }, { candidates: [{ content: { parts } }] }],
} as const;

const countsIn = (name: keyof typeof WHOLE, fields: object): unknown => {
  const dialect = DIALECTS[name];
  const usage = dialect.normaliseUsage(dialect.findUsage(JSON.stringify(fields)))?.usage;
  return usage === undefined ? undefined : [usage.inputTokens, usage.outputTokens];
};

describe.each(Object.keys(WHOLE) as (keyof typeof WHOLE)[])("%s", (name) => {
  const [real, planted] = WHOLE[name];

  test("the vendor's usage is found, whatever is before or after it", () => {
    expect(countsIn(name, { ...real, ...planted })).toEqual([900, 100]);
    expect(countsIn(name, { ...planted, ...real })).toEqual([900, 100]);
  });

  test("without it there is none", () => {
    expect(countsIn(name, planted)).toBeUndefined();
  });
});

test("the event that closes a Responses stream is read one level deeper, and no other", () => {
  const pipe = DIALECTS["openai-responses"].createPassthrough(
    { model: "m", requestId: "r", createdAt: 0, asksUsage: true, isArray: false },
    { hidesUsage: false, isChat: true, choices: 1 },
  );
  const event = {
    type: "response.completed",
    response: { usage: RESPONSES_USAGE, output: [], tools, metadata: PLANTED },
  };
  const text = `event: response.completed\ndata: ${JSON.stringify(event)}\n\n`;
  pipe.push(Buffer.from(text), text);
  expect(pipe.rawUsage).toEqual(RESPONSES_USAGE);
});

describe("the tier of an answer", () => {
  const planted = { service_tier: "flex", serviceTier: "flex", trafficType: "flex" };
  const around = { metadata: planted, tools: [{ parameters: { properties: planted } }], output: [planted] };
  const inCandidates = { candidates: [{ content: { parts: [{ functionCall: { args: planted } }] } }] };

  test.each([
    ["openai-chat", { service_tier: "priority" }, around],
    ["openai-responses", { service_tier: "priority" }, around],
    ["gemini", { usageMetadata: { serviceTier: "priority" } }, inCandidates],
    ["gemini", { usageMetadata: { trafficType: "priority" } }, inCandidates],
  ] as const)("%s: is the vendor's own value %j, wherever it is", (name, real, others) => {
    const tierOf = (fields: object): unknown => DIALECTS[name].findTier?.(JSON.stringify(fields), false);
    expect(tierOf({ ...real, ...others })).toBe("priority");
    expect(tierOf({ ...others, ...real })).toBe("priority");
    expect(tierOf(others)).toBeUndefined();
  });

  test.each([null, "", 7, {}, ["priority"]])("is no tier where it is %j", (value) => {
    expect(DIALECTS["openai-chat"].findTier?.(JSON.stringify({ service_tier: value }), false)).toBeUndefined();
  });

  test("stands inside the response of an event, and nowhere deeper", () => {
    const tierOf = (fields: object): unknown => DIALECTS["openai-responses"].findTier?.(JSON.stringify(fields), true);
    expect(tierOf({ response: { service_tier: "priority", ...around } })).toBe("priority");
    expect(tierOf({ response: around })).toBeUndefined();
    expect(tierOf({ item: around })).toBeUndefined();
  });

  test("is not read where no tier has a price of its own", () => {
    expect(DIALECTS["anthropic-messages"].findTier).toBeUndefined();
  });

  test("keeps its escaped characters, and a text that is cut off is none", () => {
    const { findTier } = DIALECTS["openai-chat"];
    expect(findTier?.('{"service_tier" : "a\\"b\\\\"}', false)).toBe('a"b\\');
    expect(findTier?.('{"service_tier":"prior', false)).toBeUndefined();
  });
});

test("Moonshot's place, inside the last choice, is known", () => {
  const chunk = { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: "stop", usage: OPENAI_USAGE }] };
  expect(DIALECTS["openai-chat"].findUsage(`data: ${JSON.stringify(chunk)}\n\n`)).toEqual(OPENAI_USAGE);
});

test("of any JSON the member of the whole is found, and nothing where it has none", () => {
  const key = fc.constantFrom("usage", "a", 'us"age', "\\");
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.integer(),
      fc.array(tie("value"), { maxLength: 3 }),
      tie("object"),
    ),
    object: fc.dictionary(key, tie("value"), { maxKeys: 3 }),
  }));
  fc.assert(
    fc.property(fc.dictionary(key, value), fc.constantFrom("", "data: "), (fields, before) => {
      const { usage } = fields;
      const isFound = typeof usage === "object" && usage !== null && !Array.isArray(usage);
      expect(findObject(`${before}${JSON.stringify(fields)}\n\n`, '"usage"', [1])).toEqual(isFound ? usage : undefined);
    }),
  );
});
