/** Tests of totals of a lane: each answer counts once, and unknown ones show nothing. */
import { expect, test } from "vitest";
import type { Figures, Message } from "./conversation.ts";
import { totalsOf } from "./totals.ts";

const answer = (figures: Figures, more: Partial<Message> = {}): Message => ({
  id: "a",
  role: "assistant",
  content: "x",
  createAt: 1,
  status: "complete",
  model: "gpt-4o",
  figures,
  ...more,
});

test("cost and length are sums, waits and speed are means, and what failed or still comes is no answer", () => {
  const one = { quota: 10, firstTokenMs: 200, totalMs: 1200, completionTokens: 100 };
  const other = { quota: 30, firstTokenMs: 400, totalMs: 2400, completionTokens: 100 };
  const messages = [
    answer(one),
    answer({ quota: 5 }, { role: "user" }),
    answer({ quota: 5 }, { status: "error" }),
    answer({ quota: 5 }, { status: "incomplete" }),
    answer(other),
  ];
  expect(totalsOf(messages)).toEqual({
    answers: 2,
    quota: 40,
    firstTokenMs: 300,
    tokensPerSecond: 75,
    tokens: 200,
  });
});

test("nothing is known of nothing", () => {
  expect(totalsOf([])).toEqual({
    answers: 0,
    quota: undefined,
    firstTokenMs: undefined,
    tokensPerSecond: undefined,
    tokens: undefined,
  });
});
