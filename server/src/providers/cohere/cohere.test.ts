/** Cohere by its documentation: addresses, requests, citations of its answers, and failures. */
import { describe, expect, test } from "vitest";
import { documentedProvider } from "../../../../tests/support/providers/documented.ts";
import { type NeutralRequest, TranslationFault } from "../../dialects/neutral/neutral.ts";
import { AnswerAggregator } from "../../dialects/stream/aggregate.ts";
import { UNSIGNED } from "../../dialects/openai-chat/signature.ts";
import { cohere } from "./cohere.ts";
import { usageOf } from "./format-answer.ts";

const { failed, format, headers, manifest, modelNames, models, url } = documentedProvider(cohere);
const formatOf = (other: string) => format({ baseUrl: "", key: "", other, openaiOrganization: "" }, "m");
const own = formatOf("");

function encoded(changes: Partial<NeutralRequest>) {
  const warnings: string[] = [];
  const fields = own.encodeRequest(
    {
      model: "command-a-plus-05-2026",
      isStream: false,
      system: [],
      messages: [{ role: "user", parts: [{ kind: "text", text: "hi" }] }],
      tools: [],
      unknownFields: [],
      ...changes,
    },
    (field) => void warnings.push(field),
  );
  return { fields, warnings };
}

const tool = (name: string) => ({ kind: "function", name, parameters: { type: "object" } }) as const;

test("the channel's mode of safety goes with requests that may have one", () => {
  const request: NeutralRequest = {
    model: "command-a-03-2025",
    isStream: false,
    system: [],
    messages: [{ role: "user", parts: [{ kind: "text", text: "hi" }] }],
    tools: [],
    unknownFields: [],
  };
  const modeOf = (other: string, tools: NeutralRequest["tools"] = []) =>
    formatOf(other).encodeRequest({ ...request, tools }, () => undefined)["safety_mode"];
  expect([modeOf("STRICT"), modeOf(" OFF "), modeOf(""), modeOf("anything else")]).toEqual([
    "STRICT",
    "OFF",
    undefined,
    undefined,
  ]);
  expect(modeOf("STRICT", [tool("look")])).toBeUndefined();
});

test("calls go to version 2, the list of models to version 1", () => {
  expect(url("")).toBe("https://api.cohere.com/v2/chat");
  expect(url("/v2/embed", { operation: "embeddings" })).toBe("https://api.cohere.com/v2/embed");
  expect(url("", { operation: "models" })).toBe("https://api.cohere.com/v1/models?page_size=1000");
  expect(headers()).toBe("authorization Bearer key-of-the-test");
});

test("the list of models is read", () => {
  expect(modelNames({ models: [{ name: "command-a-03-2025", endpoints: ["chat"] }, {}] })).toEqual([
    "command-a-03-2025",
  ]);
});

describe("a request", () => {
  test("has its settings under the vendor's names and within its bounds", () => {
    const { fields, warnings } = encoded({ maxTokens: 9, temperature: 1.5, topP: 1, topK: 900, seed: 7, stop: ["x"] });
    expect(fields).toMatchObject({ max_tokens: 9, temperature: 1, p: 0.99, k: 500, seed: 7, stop_sequences: ["x"] });
    expect(warnings).toEqual(["temperature", "top_p", "top_k"]);
  });

  test("that asks for what the vendor lacks gets a warning", () => {
    expect(encoded({ user: "u", hasLogprobs: true, verbosity: "low" }).warnings).toEqual([
      "logprobs",
      "user",
      "verbosity",
    ]);
    const refused = (changes: Partial<NeutralRequest>): string => {
      try {
        encoded(changes);
      } catch (fault) {
        if (fault instanceof TranslationFault) return fault.param;
      }
      return "";
    };
    expect(refused({ choices: 2 })).toBe("n");
    expect(refused({ stop: ["a", "b", "c", "d", "e", "f"] })).toBe("stop");
    expect(refused({ responseFormat: { kind: "json" }, tools: [tool("f")] })).toBe("response_format");
    expect(refused({ tools: [{ kind: "web_search" }] })).toBe("tools");
    const audio = { kind: "audio", source: { kind: "base64", mimeType: "audio/wav", data: "" } } as const;
    expect(refused({ messages: [{ role: "user", parts: [audio] }] })).toBe("messages");
  });

  test("forces one tool by offering it alone", () => {
    const { fields } = encoded({ tools: [tool("f"), tool("g")], toolChoice: { kind: "tool", name: "g" } });
    expect(fields).toMatchObject({ tool_choice: "REQUIRED", tools: [{ function: { name: "g" } }] });
    expect((fields["tools"] as unknown[]).length).toBe(1);
    expect(encoded({ tools: [tool("f")], toolChoice: { kind: "none" } }).fields["tool_choice"]).toBe("NONE");
  });

  test.each([
    [{ effort: "none" }, { type: "disabled" }],
    [{ budgetTokens: 0 }, { type: "disabled" }],
    [{ budgetTokens: 700 }, { type: "enabled", token_budget: 700 }],
    [{ effort: "low" }, { type: "enabled", token_budget: 2048 }],
    [{ effort: "high" }, { type: "enabled" }],
  ] as const)("thinks as %j says", (reasoning, thinking) => {
    expect(encoded({ reasoning }).fields["thinking"]).toEqual(thinking);
    const plain = encoded({ reasoning, model: "command-r7b-12-2024" });
    expect(plain.fields["thinking"]).toBeUndefined();
    expect(plain.warnings).toEqual(thinking.type === "enabled" ? ["reasoning"] : []);
  });

  test("gives back thinking as its models have it, a plan where they do not think", () => {
    const messages = [
      { role: "user", parts: [{ kind: "text", text: "hi" }] },
      {
        role: "assistant",
        parts: [
          { kind: "reasoning", text: "hm", signature: UNSIGNED },
          { kind: "tool_call", id: "c", name: "f", arguments: "{}" },
        ],
      },
      { role: "user", parts: [{ kind: "tool_result", id: "c", parts: [{ kind: "text", text: "ok" }] }] },
    ] as const;
    const turn = (model: string) => (encoded({ model, messages }).fields["messages"] as unknown[])[1];
    expect(turn("command-a-plus-05-2026")).toMatchObject({ content: [{ type: "thinking", thinking: "hm" }] });
    expect(turn("command-a-03-2025")).toMatchObject({ tool_plan: "hm" });
    expect(turn("command-a-03-2025")).not.toHaveProperty("content");
  });

  test("has results that are JSON as documents, so that their fields can be cited", () => {
    const result = (text: string) => {
      const parts = [{ kind: "tool_result", id: "c", parts: [{ kind: "text", text }] }] as const;
      return (encoded({ messages: [{ role: "user", parts }] }).fields["messages"] as { content: unknown }[])[0]
        ?.content;
    };
    expect(result('[{"url":"https://a.example"}]')).toEqual([
      { type: "document", document: { data: '{"url":"https://a.example"}' } },
    ]);
    expect(result("[1]")).toBe("[1]");
    expect(result("{broken")).toBe("{broken");
  });
});

/** Recorded from Cohere's chat, version 2, and reduced: `null` means no arguments. */
describe("arguments of calls", () => {
  const called = (text: string) => ({ id: "c", type: "function", function: { name: "f", arguments: text } });

  test.each(["null", "", "{}"])("%j of a whole answer are none", (text) => {
    const message = { role: "assistant", tool_calls: [called(text)] };
    const answer = own.decodeAnswer({ id: "a", finish_reason: "TOOL_CALL", message });
    expect(answer?.choices[0]?.parts).toMatchObject([{ kind: "tool_call", name: "f", arguments: "{}" }]);
  });

  const streamed = (...pieces: readonly string[]) => {
    const decoder = own.createDecoder();
    const events = [
      { type: "tool-call-start", index: 0, delta: { message: { tool_calls: called("") } } },
      ...pieces.map((text) => ({
        type: "tool-call-delta",
        index: 0,
        delta: { message: { tool_calls: { function: { arguments: text } } } },
      })),
    ].flatMap((event) => [...decoder.push(event.type, JSON.stringify(event))]);
    return events.flatMap((event) => (event.kind === "tool_arguments" ? [event.text] : [])).join("");
  };

  test("`null` of a stream is none, and a piece of an object where one has begun", () => {
    expect(streamed("null")).toBe("");
    expect(streamed('{"a":', "null", "}")).toBe('{"a":null}');
  });
});

const SOURCE = { type: "document", id: "d", document: { url: "https://a.example", title: "A", snippet: "told" } };
const CITATION = {
  start: 2,
  end: 4,
  text: "be",
  sources: [SOURCE, { type: "tool", id: "t", tool_output: { x: "1" } }],
};
const NEUTRAL = { url: "https://a.example", title: "A", quote: "told", start: 3, end: 5 };

test("sources with an address are cited at their place, in one piece and in a stream", () => {
  const answer = own.decodeAnswer({
    id: "i",
    finish_reason: "COMPLETE",
    message: { role: "assistant", content: [{ type: "text", text: "🐧 be" }], citations: [CITATION] },
  });
  expect(answer?.choices[0]?.parts).toEqual([{ kind: "text", text: "🐧 be", citations: [NEUTRAL] }]);
  const decoder = own.createDecoder();
  const aggregate = new AnswerAggregator();
  const events = [
    { type: "message-start", id: "i" },
    { type: "content-delta", index: 0, delta: { message: { content: { text: "🐧 " } } } },
    { type: "content-delta", index: 0, delta: { message: { content: { text: "be" } } } },
    { type: "citation-start", index: 0, delta: { message: { citations: CITATION } } },
    { type: "citation-start", index: 1, delta: { message: { citations: { ...CITATION, type: "PLAN" } } } },
    { type: "message-end", delta: { finish_reason: "MAX_TOKENS" } },
  ];
  for (const event of events) for (const each of decoder.push("", JSON.stringify(event))) aggregate.take(each);
  expect(aggregate.answer.choices).toEqual([
    { finish: "length", parts: [{ kind: "text", text: "🐧 be", citations: [NEUTRAL] }] },
  ]);
});

test.each([
  ["401-token.json", "auth", true],
  ["402-payment.json", "quota", true],
  ["429-trial.json", "quota", true],
  ["429-rate.json", "rate", true],
  ["400-temperature.json", "invalid", false],
  ["498-denied.json", "content", false],
  ["499-cancelled.json", "timeout", true],
  ["500-server.json", "overloaded", true],
  ["503-busy.json", "overloaded", true],
  ["504-slow.json", "timeout", true],
  ["200-error.json", "overloaded", true],
  ["200-timeout.json", "timeout", true],
] as const)("%s is a failure of kind %s", (name, kind, isRetryable) => {
  expect(failed(name)).toMatchObject({ kind, isRetryable });
});

test("its manifest is type 34 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 34, slug: "cohere" });
  expect(new Set(models).size).toBe(models.length);
});

// Recorded from Cohere, reduced: more tokens came from a cache than are billed at all.
test("what a cache held is no part of what is billed", () => {
  const usage = {
    billed_units: { input_tokens: 39, output_tokens: 27 },
    tokens: { input_tokens: 1683 },
    cached_tokens: 992,
  };
  expect(usageOf(usage)).toEqual({ prompt_tokens: 39, completion_tokens: 27 });
  expect(usageOf({ tokens: { input_tokens: 1683, output_tokens: 62 }, cached_tokens: 992 })).toEqual({
    prompt_tokens: 1683,
    completion_tokens: 62,
    prompt_tokens_details: { cached_tokens: 992 },
  });
});
