/** Gemini's buffered answers, usage and errors: documented ones decoded, neutral ones encoded, random ones there and back. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { NO_USAGE, type Usage } from "../../../../contract/src/pricing/usage.ts";
import { modelEntry } from "./models.ts";
import { readSignature, writeSignature } from "./signature.ts";
import { usageMetadata } from "./usage.ts";
import { geminiDialect } from "./gemini.ts";
import {
  type DialectName,
  eventsOf,
  type JsonObject,
  type NeutralAnswer,
  type NeutralPart,
} from "../neutral/neutral.ts";

const text = (name: string): string => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), "utf8");
const fixture = (name: string): JsonObject => JSON.parse(text(name)) as JsonObject;
const info = { model: "asked-for", requestId: "req-1", createdAt: 0, asksUsage: true, isArray: false };

function decoded(fields: JsonObject): NeutralAnswer {
  const answer = geminiDialect.decodeAnswer(fields);
  if (answer === undefined) throw new Error("no answer");
  return answer;
}

test("text in several parts is one text", () => {
  const answer = decoded(fixture("text-answer.json"));
  expect(answer.id).toBe("mAitaLmkHPPlz7IPvtfUqQ4");
  expect(answer.choices).toEqual([
    { parts: [{ kind: "text", text: "AI learns patterns from data." }], finish: "stop" },
  ]);
  expect(geminiDialect.normaliseUsage(answer.rawUsage)).toEqual({
    usage: { ...NO_USAGE, inputTokens: 8, outputTokens: 31, reasoningTokens: 25, cacheReadTokens: 3 },
    faults: [],
  });
});

test("thoughts, signed calls, and an id for the call that has none", () => {
  const { choices } = decoded(fixture("thinking-answer.json"));
  const signature = { dialect: "gemini", value: "c2lnbmF0dXJlIEE=" };
  expect(choices).toEqual([
    {
      finish: "tool_calls",
      parts: [
        { kind: "reasoning", text: "The user wants the weather in two towns." },
        { kind: "tool_call", id: "fc-1", name: "get_weather", arguments: '{"city":"Paris"}', signature },
        { kind: "tool_call", id: "call_resp1_1", name: "get_weather", arguments: '{"city":"London"}' },
      ],
    },
  ]);
});

test("a refused prompt is an answer that a filter ended", () => {
  const answer = decoded(fixture("blocked-answer.json"));
  expect(answer.choices).toEqual([{ parts: [], finish: "content_filter" }]);
  expect(geminiDialect.normaliseUsage(answer.rawUsage)?.usage).toMatchObject({ inputTokens: 11, outputTokens: 0 });
  expect(geminiDialect.isErrorBody(fixture("blocked-answer.json"))).toBe(false);
});

test("sources become citations at characters, and each query is a call of the search", () => {
  const answer = decoded(fixture("grounded-answer.json"));
  const [first, second] = ["aljazeera.com", "uefa.com"].map((title, index) => {
    return { url: `https://vertexaisearch.example/redirect/${index + 1}`, title, quote: "" };
  });
  expect(answer.choices[0]?.parts).toEqual([
    {
      kind: "text",
      text: "Señor won. The final was in Berlin.",
      citations: [
        { ...first, start: 0, end: 10 },
        { ...first, start: 11, end: 35 },
        { ...second, start: 11, end: 35 },
      ],
    },
  ]);
  const calls = [{ tool: "web_search", calls: 2, usdPerThousand: "" }];
  expect(geminiDialect.normaliseUsage(answer.rawUsage)?.usage).toMatchObject({
    inputTokens: 109,
    outputTokens: 12,
    toolCalls: calls,
  });
  expect(geminiDialect.findUsage(text("grounded-answer.json"))).toEqual(answer.rawUsage);
  const written = geminiDialect.encodeAnswer(answer, NO_USAGE, info)["candidates"] as JsonObject[];
  const { groundingChunks, groundingSupports } = (written[0]?.["groundingMetadata"] ?? {}) as Record<
    string,
    JsonObject[]
  >;
  expect(groundingChunks).toEqual(
    (fixture("grounded-answer.json")["candidates"] as { groundingMetadata: JsonObject }[])[0]?.groundingMetadata[
      "groundingChunks"
    ],
  );
  expect(groundingSupports?.[1]).toEqual({
    segment: { startIndex: 12, endIndex: 36, text: "The final was in Berlin." },
    groundingChunkIndices: [0],
  });
});

test("pictures come out, with what they cost", () => {
  const answer = decoded(fixture("image-answer.json"));
  expect(answer.choices[0]?.parts.map(({ kind }) => kind)).toEqual(["text", "image"]);
  expect(geminiDialect.normaliseUsage(answer.rawUsage)?.usage).toMatchObject({
    outputTokens: 1300,
    imageOutputTokens: 1290,
  });
});

test("every reason to stop has a neutral one", () => {
  const finishes = [
    "STOP",
    "MAX_TOKENS",
    "SAFETY",
    "RECITATION",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_SAFETY",
    "CONTINUATION",
  ];
  const read = finishes.map((finishReason) => decoded({ candidates: [{ finishReason }] }).choices[0]?.finish);
  expect(read).toEqual([
    "stop",
    "length",
    "content_filter",
    "content_filter",
    "content_filter",
    "content_filter",
    "content_filter",
    "pause",
  ]);
});

// UNEXPECTED_TOOL_CALL recorded from Vertex AI, reduced; the other values are of ai.google.dev/api/generate-content#FinishReason.
test.each([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "MISSING_THOUGHT_SIGNATURE",
  "MALFORMED_RESPONSE",
  "OTHER",
  "LANGUAGE",
  "NO_IMAGE",
  "A_WORD_TO_COME",
])("%s is no refusal of a policy: an agent may ask again, and calls that were made are calls", (finishReason) => {
  expect(decoded({ candidates: [{ content: {}, finishReason, index: 0 }] }).choices[0]?.finish).toBe("stop");
  const content = { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] };
  expect(decoded({ candidates: [{ content, finishReason }] }).choices[0]?.finish).toBe("tool_calls");
});

test("what is no answer is none; an error in a success is reported", () => {
  expect(geminiDialect.decodeAnswer({ choices: [] })).toBeUndefined();
  const error = { error: { code: 429, message: "wait", status: "RESOURCE_EXHAUSTED" } };
  expect(geminiDialect.isErrorBody(error)).toBe(true);
  expect(geminiDialect.readFailure(200, JSON.stringify(error))).toMatchObject({
    status: 429,
    kind: "rate",
    message: "wait",
  });
});

test("an answer for a client, with log probabilities", () => {
  const content = [
    { token: "é", logprob: -0.5, bytes: [195, 169], top_logprobs: [{ token: "e", logprob: -2, bytes: [101] }] },
  ];
  const answer: NeutralAnswer = {
    id: "",
    choices: [{ parts: [{ kind: "text", text: "é" }], finish: "length", logprobs: { content, refusal: null } }],
    rawUsage: undefined,
  };
  const usage: Usage = {
    ...NO_USAGE,
    inputTokens: 10,
    outputTokens: 7,
    reasoningTokens: 2,
    cacheReadTokens: 4,
    audioInputTokens: 3,
  };
  const fields = geminiDialect.encodeAnswer(answer, usage, info);
  expect(fields).toEqual({
    candidates: [
      {
        content: { parts: [{ text: "é" }], role: "model" },
        finishReason: "MAX_TOKENS",
        index: 0,
        logprobsResult: {
          chosenCandidates: [{ token: "é", logProbability: -0.5 }],
          topCandidates: [{ candidates: [{ token: "e", logProbability: -2 }] }],
        },
      },
    ],
    usageMetadata: {
      promptTokenCount: 10,
      candidatesTokenCount: 5,
      totalTokenCount: 17,
      cachedContentTokenCount: 4,
      promptTokensDetails: [
        { modality: "TEXT", tokenCount: 7 },
        { modality: "AUDIO", tokenCount: 3 },
      ],
      thoughtsTokenCount: 2,
    },
    modelVersion: "asked-for",
    responseId: "req-1",
  });
  expect(decoded(fields).choices).toEqual(answer.choices);
});

test("arguments that are no JSON end the answer as the vendor says it", () => {
  const parts: NeutralPart[] = [{ kind: "tool_call", id: "1", name: "f", arguments: "{oops" }];
  const answer: NeutralAnswer = { id: "x", choices: [{ parts, finish: "tool_calls" }], rawUsage: undefined };
  const { candidates } = geminiDialect.encodeAnswer(answer, NO_USAGE, info) as { candidates: JsonObject[] };
  expect(candidates[0]).toMatchObject({
    finishReason: "MALFORMED_FUNCTION_CALL",
    finishMessage: "Malformed function call: f({oops)",
  });
  // Arguments that a limit of tokens cut short: asking again with the same limit would not mend them.
  const short: NeutralAnswer = { ...answer, choices: [{ parts, finish: "length" }] };
  const { candidates: cut } = geminiDialect.encodeAnswer(short, NO_USAGE, info) as { candidates: JsonObject[] };
  expect(cut[0]).toMatchObject({ finishReason: "MAX_TOKENS", finishMessage: "Malformed function call: f({oops)" });
});

test("usage survives the way to a client; lies are cut down and named", () => {
  const count = fc.nat({ max: 1_000_000 });
  const whole = fc.record({
    inputTokens: count,
    outputTokens: count.map((value) => value + 1),
    reasoning: fc.float({ min: 0, max: 1, noNaN: true }),
    cache: fc.float({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(whole, ({ inputTokens, outputTokens, reasoning, cache }) => {
      const usage: Usage = {
        ...NO_USAGE,
        inputTokens,
        outputTokens,
        reasoningTokens: Math.floor(outputTokens * reasoning),
        cacheReadTokens: Math.floor(inputTokens * cache),
      };
      expect(geminiDialect.normaliseUsage(usageMetadata(usage))).toEqual({ usage, faults: [] });
    }),
  );
  const lying = geminiDialect.normaliseUsage({
    promptTokenCount: -5,
    candidatesTokenCount: 1.5,
    cachedContentTokenCount: 99,
  });
  expect(lying?.faults).toEqual(["promptTokenCount", "candidatesTokenCount"]);
  expect(lying?.usage).toMatchObject({ inputTokens: 0, outputTokens: 2, cacheReadTokens: 0 });
  expect(geminiDialect.normaliseUsage({ promptTokenCount: 5, totalTokenCount: 9 })?.usage.outputTokens).toBe(4);
  expect(geminiDialect.normaliseUsage({})).toBeUndefined();
});

test("signatures of every origin travel as base64 and come back", () => {
  const origin = fc.constantFrom<DialectName>("openai-chat", "openai-responses", "anthropic-messages");
  fc.assert(
    fc.property(origin, fc.string({ minLength: 1, unit: "grapheme" }), fc.boolean(), (dialect, value, isRedacted) => {
      const written = writeSignature({ dialect, value }, isRedacted);
      expect(Buffer.from(written, "base64").toString("base64")).toBe(written);
      expect(readSignature(written)).toEqual({ signature: { dialect, value }, isRedacted });
    }),
  );
  expect(readSignature(writeSignature({ dialect: "gemini", value: "b3du" })).signature).toEqual({
    dialect: "gemini",
    value: "b3du",
  });
});

test("errors carry the status name of their status and the id of the request", () => {
  const error = { status: 429, message: "too fast", type: "", code: "", param: null };
  expect(JSON.parse(geminiDialect.errorBody(error, "req-1"))).toEqual({
    error: {
      code: 429,
      message: "too fast",
      status: "RESOURCE_EXHAUSTED",
      details: [{ "@type": "type.googleapis.com/google.rpc.RequestInfo", requestId: "req-1" }],
    },
  });
  const word = (status: number): unknown =>
    (JSON.parse(geminiDialect.errorBody({ ...error, status }, "x")) as { error: JsonObject }).error["status"];
  expect([400, 401, 403, 404, 500, 503, 504, 418].map(word)).toEqual([
    "INVALID_ARGUMENT",
    "UNAUTHENTICATED",
    "PERMISSION_DENIED",
    "NOT_FOUND",
    "INTERNAL",
    "UNAVAILABLE",
    "DEADLINE_EXCEEDED",
    "INVALID_ARGUMENT",
  ]);
});

test("an entry of the list of models names what the model can do", () => {
  const entries = ["gemini-2.5-pro", "gemini-embedding-001", "imagen-4.0-generate-001"].map(modelEntry);
  expect(entries[0]).toMatchObject({ name: "models/gemini-2.5-pro", displayName: "gemini-2.5-pro" });
  const methods = entries.map(({ supportedGenerationMethods }) => (supportedGenerationMethods as string[])[0]);
  expect(methods).toEqual(["generateContent", "embedContent", "predict"]);
});

const words = fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" });
const signature = fc.constantFrom(
  { dialect: "gemini" as const, value: "c2ln" },
  { dialect: "anthropic-messages" as const, value: "abc" },
);
/** Runs of parts as a model makes them: no two texts or thoughts in a row, for those would be one. */
const parts = fc
  .record({
    thought: fc.option(fc.record({ text: words, signature: fc.option(signature, { nil: undefined }) }), {
      nil: undefined,
    }),
    text: fc.option(words, { nil: undefined }),
    calls: fc.array(fc.record({ name: words, key: words, signature: fc.option(signature, { nil: undefined }) }), {
      maxLength: 3,
    }),
    hasImage: fc.boolean(),
  })
  .map(({ thought, text: said, calls, hasImage }): NeutralPart[] => {
    const signed = (given: typeof signature extends fc.Arbitrary<infer S> ? S | undefined : never) =>
      given === undefined ? {} : { signature: given };
    return [
      ...(thought === undefined
        ? []
        : [{ kind: "reasoning" as const, text: thought.text, ...signed(thought.signature) }]),
      ...(said === undefined ? [] : [{ kind: "text" as const, text: said }]),
      ...(hasImage
        ? [{ kind: "image" as const, source: { kind: "base64" as const, mimeType: "image/png", data: "AAAA" } }]
        : []),
      ...calls.map((call, index) => ({
        kind: "tool_call" as const,
        id: `id_${index}`,
        name: call.name,
        arguments: JSON.stringify({ [call.key]: 1 }),
        ...signed(call.signature),
      })),
    ];
  });
const answers = fc.array(parts, { minLength: 1, maxLength: 3 }).map((list): NeutralAnswer => {
  const choices = list.map((one) => ({
    parts: one,
    finish: one.some(({ kind }) => kind === "tool_call") ? ("tool_calls" as const) : ("stop" as const),
  }));
  return { id: "r1", choices, rawUsage: undefined };
});

test("any answer comes back as it was, whole and streamed", () => {
  fc.assert(
    fc.property(answers, (answer) => {
      const whole = decoded(
        JSON.parse(JSON.stringify(geminiDialect.encodeAnswer(answer, NO_USAGE, info))) as JsonObject,
      );
      expect(whole.choices).toEqual(answer.choices);
      const encoder = geminiDialect.createEncoder({ ...info, isArray: true });
      const frames = [...eventsOf(answer)].map((event) => encoder.push(event)).join("") + encoder.close(NO_USAGE);
      const pieces = JSON.parse(frames) as {
        candidates: { index: number; content: { parts: JsonObject[] }; finishReason?: string }[];
      }[];
      const candidates = answer.choices.map((_, index) => {
        const own = pieces.flatMap((piece) => piece.candidates.filter((one) => one.index === index));
        return {
          index,
          content: { parts: own.flatMap((one) => one.content.parts) },
          finishReason: own.at(-1)?.finishReason,
        };
      });
      expect(decoded({ candidates }).choices).toEqual(answer.choices);
    }),
    { numRuns: 200 },
  );
});
