/** Random Gemini requests: there and back, and garbage. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { geminiDialect } from "./gemini.ts";
import {
  type JsonObject,
  type NeutralMessage,
  type NeutralPart,
  type NeutralRequest,
  TranslationFault,
} from "../neutral/neutral.ts";

const plain = { model: "gemini-2.5-flash", isStream: false, unknownFields: [] };
const decode = (fields: JsonObject): NeutralRequest => geminiDialect.decodeRequest(fields, plain);

const text = fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" });
const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,10}$/);
const base64 = fc.uint8Array({ minLength: 1, maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString("base64"));
const signature = base64.map((value) => ({ dialect: "gemini" as const, value }));
const jsonObject = fc.dictionary(name, fc.oneof(fc.string(), fc.integer(), fc.boolean()), { maxKeys: 3 });
const textPart = text.map((value): NeutralPart => ({ kind: "text", text: value }));
const mediaPart = fc
  .record({ kind: fc.constantFrom("image", "audio"), data: base64 })
  .map(({ kind, data }): NeutralPart => {
    const mimeType = `${kind}/x-${kind}`;
    return { kind: kind as "image" | "audio", source: { kind: "base64", mimeType, data } };
  });
const filePart = base64.map((data): NeutralPart => ({
  kind: "file",
  source: { kind: "base64", mimeType: "application/pdf", data },
}));
const callPart = fc
  .record({ name, args: jsonObject, signature: fc.option(signature, { nil: undefined }) })
  .map((call): NeutralPart => {
    const signed = call.signature === undefined ? {} : { signature: call.signature };
    return { kind: "tool_call", id: "", name: call.name, arguments: JSON.stringify(call.args), ...signed };
  });

/** A question, or a round of calls and their results. */
const turn = fc.oneof(
  fc
    .record({
      question: fc.array(fc.oneof(textPart, mediaPart, filePart), { minLength: 1, maxLength: 3 }),
      answer: textPart,
      thought: fc.option(text, { nil: undefined }),
    })
    .map(({ question, answer, thought }): NeutralMessage[] => [
      { role: "user", parts: question },
      {
        role: "assistant",
        parts: [...(thought === undefined ? [] : [{ kind: "reasoning" as const, text: thought }]), answer],
      },
    ]),
  fc
    .record({
      question: textPart,
      calls: fc.array(callPart, { minLength: 1, maxLength: 3 }),
      result: fc.string(),
      isError: fc.boolean(),
      last: textPart,
    })
    .map(({ question, calls, result, isError, last }): NeutralMessage[] => [
      { role: "user", parts: [question] },
      { role: "assistant", parts: calls },
      {
        role: "user",
        parts: calls.map((call): NeutralPart => {
          const toolName = call.kind === "tool_call" ? call.name : "";
          return {
            kind: "tool_result",
            id: "",
            name: toolName,
            parts: [{ kind: "text", text: result }],
            ...(isError ? { isError } : {}),
          };
        }),
      },
      { role: "assistant", parts: [last] },
    ]),
);

/** Ids are given in order, so that each is the only one of its kind. */
function numbered(messages: readonly NeutralMessage[]): NeutralMessage[] {
  let [calls, results] = [0, 0];
  const number = (part: NeutralPart): NeutralPart => {
    if (part.kind === "tool_call") return { ...part, id: `id_${(calls += 1)}` };
    return part.kind === "tool_result" ? { ...part, id: `id_${(results += 1)}` } : part;
  };
  return messages.map((message) => ({ ...message, parts: message.parts.map(number) }));
}

const optional = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const schema = fc
  .dictionary(name, fc.constant({ type: "string" }), { minKeys: 1, maxKeys: 2 })
  .map((properties) => ({ type: "object", properties }));

const request = fc
  .record({
    system: fc.array(
      text.map((value) => ({ kind: "text" as const, text: value })),
      { maxLength: 2 },
    ),
    turns: fc.array(turn, { minLength: 1, maxLength: 3 }),
    tools: fc.uniqueArray(
      fc.record({ kind: fc.constant("function" as const), name, description: text, parameters: schema }),
      { maxLength: 3, selector: (tool) => tool.name },
    ),
    options: fc.record(
      {
        maxTokens: fc.integer({ min: 1, max: 9999 }),
        temperature: fc.double({ min: 0, max: 2, noNaN: true }),
        topP: fc.double({ min: 0, max: 1, noNaN: true }),
        topK: fc.integer({ min: 1, max: 100 }),
        seed: fc.integer(),
        presencePenalty: fc.integer({ min: -2, max: 2 }),
        frequencyPenalty: fc.integer({ min: -2, max: 2 }),
        stop: fc.array(text, { minLength: 1, maxLength: 3 }),
        choices: fc.integer({ min: 1, max: 8 }),
        hasLogprobs: fc.boolean(),
        topLogprobs: fc.integer({ min: 0, max: 20 }),
        reasoning: fc.record({ budgetTokens: fc.integer({ min: 1, max: 24_576 }), isShown: fc.boolean() }),
        responseFormat: schema.map((one) => ({ kind: "json_schema" as const, name: "response", schema: one })),
        serviceTier: fc.constantFrom("flex", "priority"),
        isKept: fc.constant(false as const),
      },
      { requiredKeys: [] },
    ),
    choice: optional(fc.constantFrom("auto" as const, "none" as const, "required" as const)),
  })
  .map(({ system, turns, tools, options, choice }): NeutralRequest => {
    const toolChoice = choice === undefined || tools.length === 0 ? {} : { toolChoice: { kind: choice } };
    return { ...plain, system, messages: numbered(turns.flat()), tools, ...toolChoice, ...options };
  });

test("any request that Gemini can express comes back as it was", () => {
  fc.assert(
    fc.property(request, (given) => {
      const warnings: string[] = [];
      const fields = geminiDialect.encodeRequest(given, (field) => void warnings.push(field));
      expect(warnings).toEqual([]);
      expect(decode(JSON.parse(JSON.stringify(fields)) as JsonObject)).toEqual(given);
    }),
    { numRuns: 200 },
  );
});

test("garbage is a fault with a path or an answer, never anything else", () => {
  const known = fc.constantFrom(
    "contents",
    "tools",
    "toolConfig",
    "generationConfig",
    "systemInstruction",
    "parts",
    "text",
    "functionCall",
    "functionResponse",
    "inlineData",
    "role",
    "name",
    "args",
  );
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(known, tie("tree"), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(known, tree, { maxKeys: 5 }), (fields) => {
      try {
        decode(fields as JsonObject);
      } catch (error) {
        expect(error).toBeInstanceOf(TranslationFault);
      }
    }),
    { numRuns: 500 },
  );
});
