/** A buffered answer, split into the events of a stream and aggregated again, is the same answer. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { AnswerAggregator } from "./aggregate.ts";
import { parseObject } from "../json/fields.ts";
import { type NeutralAnswer, type NeutralEvent, eventsOf } from "../neutral/neutral.ts";
import { DIALECTS } from "../registry.ts";

const ANSWERS = [
  ["openai-chat", "answer-default"],
  ["openai-chat", "answer-logprobs"],
  ["openai-chat", "answer-reasoning"],
  ["openai-chat", "answer-refusal"],
  ["openai-chat", "answer-search"],
  ["openai-chat", "answer-tools"],
  ["anthropic-messages", "text-answer"],
  ["anthropic-messages", "tool-answer"],
  ["anthropic-messages", "refusal-answer"],
  ["gemini", "image-answer"],
  ["gemini", "thinking-answer"],
  ["openai-responses", "function-call"],
  ["openai-responses", "refusal"],
  ["openai-responses", "incomplete"],
] as const;

function collected(events: Iterable<NeutralEvent>): NeutralAnswer {
  const aggregator = new AnswerAggregator();
  for (const event of events) aggregator.take(event);
  return aggregator.answer;
}

test.each(ANSWERS)("%s %s", (name, file) => {
  const text = readFileSync(new URL(`../${name}/fixtures/${file}.json`, import.meta.url), "utf8");
  const answer = DIALECTS[name].decodeAnswer(parseObject(text) ?? {});
  expect(answer).toBeDefined();
  expect(answer === undefined ? undefined : collected(eventsOf(answer))).toEqual(answer);
});

test("what comes in pieces is joined: text, thoughts, parallel calls, log probabilities, of each choice apart", () => {
  const signature = { origin: "anthropic", text: "sig" } as never;
  const pieces: NeutralEvent[] = [
    { kind: "start", id: "x" },
    { kind: "reasoning", choice: 0, text: "th" },
    { kind: "reasoning", choice: 0, text: "ink" },
    { kind: "signature", choice: 0, signature },
    { kind: "signature", choice: 0, signature, isRedacted: true },
    { kind: "text", choice: 1, text: "other" },
    { kind: "text", choice: 0, text: "wo" },
    { kind: "text", choice: 0, text: "rds" },
    { kind: "tool_call", choice: 0, index: 0, id: "a", name: "f" },
    { kind: "tool_call", choice: 0, index: 1, id: "b", name: "g" },
    { kind: "tool_arguments", choice: 0, index: 1, text: "{}" },
    { kind: "tool_arguments", choice: 0, index: 0, text: "{" },
    { kind: "tool_arguments", choice: 0, index: 0, text: "}" },
    { kind: "logprobs", choice: 0, logprobs: { content: [1], refusal: null } },
    { kind: "logprobs", choice: 0, logprobs: { content: [2], refusal: null } },
    { kind: "finish", choice: 0, reason: "tool_calls" },
    { kind: "finish", choice: 1, reason: "stop_sequence", stopSequence: "END" },
    { kind: "usage", raw: { total: 1 } },
    { kind: "end" },
  ];
  expect(collected(pieces)).toEqual({
    id: "x",
    choices: [
      {
        parts: [
          { kind: "reasoning", text: "think", signature },
          { kind: "reasoning", text: "", signature, isRedacted: true },
          { kind: "text", text: "words" },
          { kind: "tool_call", id: "a", name: "f", arguments: "{}" },
          { kind: "tool_call", id: "b", name: "g", arguments: "{}" },
        ],
        finish: "tool_calls",
        logprobs: { content: [1, 2], refusal: null },
      },
      { parts: [{ kind: "text", text: "other" }], finish: "stop_sequence", stopSequence: "END" },
    ],
    rawUsage: { total: 1 },
  });
});
