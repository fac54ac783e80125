/**
 * OpenRouter's reasoning details come back to it unchanged through clients of other formats, as its guide asks
 * (openrouter.ai/docs/guides/best-practices/reasoning-tokens). The entries have the formats of recorded answers, reduced.
 */
import { expect, test } from "vitest";
import { NO_USAGE } from "../../../contract/src/pricing/usage.ts";
import type { DialectName, JsonObject } from "./neutral/neutral.ts";
import { DIALECTS } from "./registry.ts";
import { AnswerAggregator } from "./stream/aggregate.ts";

const INFO = { model: "m", requestId: "r1", createdAt: 1, asksUsage: true, isArray: false };
const CLIENTS = ["anthropic-messages", "openai-responses"] as const;

const encrypted = (format: string, index: number, id?: string) => ({
  type: "reasoning.encrypted",
  data: "ZW5j",
  ...(id === undefined ? {} : { id }),
  format,
  index,
});
const summary = (text: string, format: string, index: number) => ({
  type: "reasoning.summary",
  summary: text,
  id: "rs_1",
  format,
  index,
});
const thought = (text: string, format: string, more: object = { index: 0 }) => ({
  type: "reasoning.text",
  text,
  format,
  ...more,
});

const ENTRIES: readonly (readonly [what: string, entries: readonly JsonObject[]])[] = [
  ["a proof of Gemini's alone", [encrypted("google-gemini-v1", 0, "call_1")]],
  ["Gemini's text before its proof", [thought("hm", "google-gemini-v1"), encrypted("google-gemini-v1", 0, "call_1")]],
  ["a signed text", [thought("hm", "anthropic-claude-v1", { signature: "c2ln", id: "rs_1", index: 0 })]],
  ["a summary and a proof", [summary("s", "anthropic-claude-v1", 0), encrypted("anthropic-claude-v1", 1)]],
  [
    "a summary of one number with its proof",
    [summary("s", "openai-responses-v1", 0), encrypted("openai-responses-v1", 0)],
  ],
  [
    "two summaries",
    [
      summary("s", "openai-responses-v1", 0),
      summary("t", "openai-responses-v1", 1),
      encrypted("openai-responses-v1", 2, "rs_1"),
    ],
  ],
  ["a text without a proof", [thought("only", "unknown")]],
  ["a summary without a proof", [summary("only", "xai-responses-v1", 0)]],
];

/** The request of the next turn, which brings the answer back as its client stored it. */
function nextTurn(name: DialectName, answer: JsonObject): JsonObject {
  const user = { role: "user", content: "and?" };
  if (name === "anthropic-messages")
    return { model: "m", max_tokens: 9, messages: [{ role: "assistant", content: answer["content"] }, user] };
  return { model: "m", input: [...(answer["output"] as JsonObject[]), user] };
}

/** What comes back to the vendor, as text, so that the order of fields counts. */
function returned(name: (typeof CLIENTS)[number], read: ReturnType<(typeof DIALECTS)["openai-chat"]["decodeAnswer"]>) {
  if (read === undefined) throw new Error("no answer");
  const answer = JSON.parse(JSON.stringify(DIALECTS[name].encodeAnswer(read, NO_USAGE, INFO))) as JsonObject;
  const request = DIALECTS[name].decodeRequest(nextTurn(name, answer), { model: "m", isStream: false });
  const { messages } = DIALECTS["openai-chat"].encodeRequest({ ...request, model: "m" }, () => undefined);
  const [turn] = (messages as JsonObject[]).filter(({ role }) => role === "assistant");
  return JSON.stringify(turn?.["reasoning_details"]);
}

test.each(ENTRIES)("%s of a whole answer", (_what, entries) => {
  const message = { role: "assistant", content: "so", reasoning_details: entries };
  const upstream = { id: "a", choices: [{ index: 0, message, finish_reason: "stop" }] };
  for (const name of CLIENTS)
    expect(returned(name, DIALECTS["openai-chat"].decodeAnswer(upstream))).toBe(JSON.stringify(entries));
});

/** The entries in pieces, as a stream has them: text one character at a time, a signature separately. */
function piecesOf(entry: JsonObject): JsonObject[] {
  const field = entry["type"] === "reasoning.summary" ? "summary" : "text";
  const { signature, [field]: words, ...rest } = entry;
  if (typeof words !== "string") return [entry];
  const pieces = [...words].map((letter) => ({ ...rest, [field]: letter }));
  return signature === undefined ? pieces : [...pieces, { ...rest, signature }];
}

test.each(ENTRIES.flatMap(([what, entries]) => [[what, entries, false] as const, [what, entries, true] as const]))(
  "%s of a stream: %j (repeated as plain words: %s)",
  (_what, entries, isRepeated) => {
    const decoder = DIALECTS["openai-chat"].createDecoder();
    const aggregator = new AnswerAggregator();
    const deltas: JsonObject[] = entries.flatMap(piecesOf).map((piece) => {
      const words = piece["text"] ?? piece["summary"];
      return { reasoning_details: [piece], ...(isRepeated && words !== undefined ? { reasoning: words } : {}) };
    });
    const chunks = [...deltas, { content: "so" }].map((delta) => ({ id: "a", choices: [{ index: 0, delta }] }));
    const end = { id: "a", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
    for (const chunk of [...chunks, end])
      for (const event of decoder.push("", JSON.stringify(chunk))) aggregator.take(event);
    const sorted = (details: readonly JsonObject[]) =>
      details.map((each) =>
        Object.fromEntries(Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1))),
      );
    for (const name of CLIENTS)
      expect(sorted(JSON.parse(returned(name, aggregator.answer)) as JsonObject[])).toEqual(sorted(entries));
  },
);
