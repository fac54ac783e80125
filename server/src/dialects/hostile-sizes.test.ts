/** Inputs as large as the limits allow are parsed in linear time, and never crash the process. */
import { describe, expect, test } from "vitest";
import { redact } from "./neutral/failure.ts";
import { AnswerAggregator } from "./stream/aggregate.ts";
import { readTopLevel } from "./json/bytes.ts";
import { checkRequest } from "./neutral/check.ts";
import type { DialectName, JsonObject, NeutralEvent } from "./neutral/neutral.ts";
import { DIALECTS } from "./registry.ts";
import { findObject } from "./neutral/usage-counts.ts";

const PATH = { model: "m", isStream: false };
const list = <Item>(length: number, item: (index: number) => Item): Item[] =>
  Array.from({ length }, (_, index) => item(index));

/**
 * Time of this thread on the processor, so that neither a busy machine nor another test changes it; what reads everything again for each part
 * takes tens of seconds.
 */
function expectQuick(work: () => unknown, limitMs = 5_000): void {
  const before = process.threadCpuUsage();
  work();
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(limitMs);
}

const read = (name: DialectName, fields: JsonObject): unknown =>
  checkRequest(DIALECTS[name].decodeRequest(fields, PATH));
const user = { role: "user", content: "x" };
const call = (index: number) => ({
  id: `c${index}`,
  type: "function",
  function: { name: `f${index}`, arguments: "{}" },
});
const chat = (messages: readonly unknown[], more: JsonObject = {}): JsonObject => ({ model: "m", messages, ...more });
const calling = (count: number) => ({ role: "assistant", tool_calls: list(count, call) });
const responses = (input: unknown, more: JsonObject = {}): JsonObject => ({ model: "m", input, ...more });
const responsesCall = (index: number) => ({ type: "function_call", call_id: `c${index}`, name: "f" });
const responsesResult = (index: number) => ({ type: "function_call_output", call_id: `c${index}`, output: "r" });
const INLINE = "![image](data:image/";

const MANY: readonly (readonly [what: string, format: DialectName, request: () => JsonObject])[] = [
  [
    "results of calls",
    "openai-chat",
    () =>
      chat([user, calling(20_000), ...list(20_000, (i) => ({ role: "tool", tool_call_id: `c${i}`, content: "r" }))]),
  ],
  [
    "results of functions, the last first",
    "openai-chat",
    () =>
      chat([
        user,
        calling(20_000),
        ...list(20_000, (i) => ({ role: "function", name: `f${19_999 - i}`, content: "r" })),
      ]),
  ],
  [
    "beginnings of pictures in text",
    "openai-chat",
    () => chat([user, { role: "assistant", content: `${INLINE.repeat(100_000)})` }]),
  ],
  [
    "allowed tools",
    "openai-chat",
    () =>
      chat([user], {
        tools: list(40_000, call),
        tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: list(40_000, call) } },
      }),
  ],
  [
    "tools that can be done without",
    "openai-responses",
    () =>
      responses("x", { tools: [{ type: "function", name: "f" }, ...list(100_000, () => ({ type: "tool_search" }))] }),
  ],
  [
    "allowed tools",
    "openai-responses",
    () => {
      const tools = list(40_000, (i) => ({ type: "function", name: `f${i}` }));
      return responses("x", { tools, tool_choice: { type: "allowed_tools", tools } });
    },
  ],
  [
    "calls and their results",
    "openai-responses",
    () => responses(list(80_000, (i) => [responsesCall(i), responsesResult(i)]).flat()),
  ],
  [
    "results behind all calls",
    "openai-responses",
    () => responses([...list(80_000, responsesCall), ...list(80_000, responsesResult)]),
  ],
  [
    "results of functions, the last first",
    "gemini",
    () => ({
      contents: [
        { role: "model", parts: list(60_000, (i) => ({ functionCall: { id: `c${i}`, name: "f" } })) },
        {
          role: "user",
          parts: list(60_000, (i) => ({ functionResponse: { id: `c${59_999 - i}`, name: "f", response: {} } })),
        },
      ],
    }),
  ],
  [
    "allowed functions",
    "gemini",
    () => ({
      contents: [{ parts: [{ text: "x" }] }],
      tools: [{ functionDeclarations: list(60_000, (i) => ({ name: `f${i}` })) }],
      toolConfig: {
        functionCallingConfig: { mode: "ANY", allowedFunctionNames: list(60_000, (i) => `f${59_999 - i}`) },
      },
    }),
  ],
];

describe("a request", () => {
  test.each(MANY)("with very many %s (%s) is read in time", (_what, format, request) => {
    const fields = request();
    expectQuick(() => read(format, fields));
  });

  test("with long strings without blanks is read in time", () => {
    const text = JSON.stringify({ a: list(8_000, () => "x".repeat(4_096)) });
    expectQuick(() => readTopLevel(text, 64));
    expect(readTopLevel(text, 64).mediaParts).toBe(8_000);
  });

  const texts = (type: string) => list(150_000, () => ({ type, text: "a" }));

  test.each([
    ["openai-chat", chat([{ role: "system", content: texts("text") }, user])],
    ["openai-chat", chat([user, { role: "user", content: texts("text") }])],
    ["openai-responses", responses([{ role: "system", content: texts("input_text") }, user])],
    ["openai-responses", responses([user, { role: "user", content: texts("input_text") }])],
    [
      "anthropic-messages",
      chat([{ role: "user", content: [{ type: "document", source: { type: "content", content: texts("text") } }] }]),
    ],
  ] as const)("of %s with more parts than a call takes arguments goes into every format", (format, fields) => {
    const request = DIALECTS[format].decodeRequest(fields, PATH);
    for (const dialect of Object.values(DIALECTS))
      expect(() => dialect.encodeRequest(request, () => undefined)).not.toThrow();
  });
});

describe("an upstream", () => {
  test.each(["a.", "a-", "1-", "http:/", "Bearer ", "sk-"])(
    "that repeats %j in its error is redacted in time",
    (piece) => {
      expectQuick(() => redact(piece.repeat(65_536 / piece.length)), 1_000);
    },
  );

  test("that nests its usage in itself is looked through in time, and what lies deep is not taken for it", () => {
    const nested = '{"usage":'.repeat(20_000) + "1" + "}".repeat(20_000);
    expectQuick(() => expect(findObject(`{"a":${nested}}`, '"usage"', [1])).toBeUndefined());
    const few = '{"usage":'.repeat(20) + "1" + "}".repeat(20);
    expect(findObject(`{"usage":{"total":7},"a":${few}}`, '"usage"', [1])).toEqual({ total: 7 });
  });

  test.each<[string, NeutralEvent]>([
    ["log probabilities", { kind: "logprobs", choice: 0, logprobs: { content: [{ token: "a" }] } }],
    ["sources", { kind: "citation", choice: 0, citation: { url: "u", title: "", quote: "" } }],
  ])("that streams very many %s is put together in time", (_what, event) => {
    const aggregator = new AnswerAggregator();
    aggregator.take({ kind: "text", choice: 0, text: "a" });
    expectQuick(() => list(80_000, () => aggregator.take(event)));
    const [choice] = aggregator.answer.choices;
    const [part] = choice?.parts ?? [];
    const counts = [
      (choice?.logprobs?.["content"] as unknown[] | undefined)?.length,
      part?.kind === "text" && part.citations?.length,
    ];
    expect(counts).toContain(80_000);
  });
});
