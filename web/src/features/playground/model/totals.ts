/** Totals of one model's answers in a chat, to compare them with other models. Pure. */
import type { Message } from "./conversation.ts";
import { tokensPerSecond } from "./stream.ts";

export interface Totals {
  /** Answers that came to an end. */
  answers: number;
  /** Quota; undefined while no receipt is known. */
  quota: number | undefined;
  /** The mean; undefined where none was measured, as the next. */
  firstTokenMs: number | undefined;
  tokensPerSecond: number | undefined;
  /** Tokens that were written. */
  tokens: number | undefined;
}

const known = (values: readonly (number | undefined)[]): number[] => values.filter((value) => value !== undefined);
const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const sum = (values: readonly number[]): number | undefined => (values.length === 0 ? undefined : sumOf(values));
const mean = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : sumOf(values) / values.length;

/** The totals of the answers that are shown. */
export function totalsOf(messages: readonly Message[]): Totals {
  const figures = messages
    .filter(({ role, status, model }) => role === "assistant" && status === "complete" && model !== undefined)
    .map((message) => message.figures ?? {});
  return {
    answers: figures.length,
    quota: sum(known(figures.map(({ quota }) => quota))),
    firstTokenMs: mean(known(figures.map(({ firstTokenMs }) => firstTokenMs))),
    tokensPerSecond: mean(known(figures.map(tokensPerSecond))),
    tokens: sum(known(figures.map(({ completionTokens }) => completionTokens))),
  };
}
