/** Compares an answer as it was recorded with that of a client, and its usage with the charge. */
import { isDeepStrictEqual } from "node:util";
import type { Heard, HeardUsage } from "./heard.ts";

export const KINDS = ["error", "text", "thinking", "tools", "finish", "usage", "charge", "cut"] as const;
export type Kind = (typeof KINDS)[number];

export interface Difference {
  kind: Kind;
  expected: unknown;
  actual: unknown;
  /** The library differs in the same way where it reads the recorded bytes without a relay between. */
  isLibrarys?: boolean;
}

/** What the log has of the call. */
export interface Charged {
  quota: number;
  promptTokens: number;
  completionTokens: number;
}

/** Weights of the scene's price, in quarters of a quota. */
const WEIGHTS = { input: 4, cached: 1, written: 5, writtenLong: 8, output: 16 } as const;

/** The charge of a usage by the scene's price, rounded once with halves away from zero; anything above 0 costs at least 1. */
export function chargeOf({ input, output, cached, written, writtenLong }: HeardUsage): number {
  const read = Math.min(cached, input);
  // A vendor may count a token as read and as written: a part never exceeds what is left of its whole.
  const short = Math.min(written, input - read);
  const long = Math.min(writtenLong, input - read - short);
  const quarters =
    (input - read - short - long) * WEIGHTS.input +
    read * WEIGHTS.cached +
    short * WEIGHTS.written +
    long * WEIGHTS.writtenLong +
    output * WEIGHTS.output;
  return quarters === 0 ? 0 : Math.max(1, Math.floor((quarters + 2) / 4));
}

/** A value of a difference in a line of at most 160 characters. */
export const shown = (value: unknown): string => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > 160 ? `${text.slice(0, 120)} [${text.length} characters] ${text.slice(-30)}` : text;
};

const difference = (kind: Kind, expected: unknown, actual: unknown): Difference[] =>
  isDeepStrictEqual(expected, actual) ? [] : [{ kind, expected, actual }];

const countsOf = (usage: HeardUsage | undefined): object | undefined =>
  usage === undefined ? undefined : { input: usage.input, output: usage.output, cached: usage.cached };

/** Where the vendor counted nothing, or nothing of what went in, the gateway's estimate stands. */
const isCounted = (usage: HeardUsage | undefined): usage is HeardUsage => usage !== undefined && usage.input > 0;

/** Thinking is compared without its blanks: formats have its paragraphs as parts, or as one text with empty lines. */
export const withoutBlanks = (text: string): string => text.replaceAll(/\s+/g, "");

/** Differences of the answer itself. */
export function answerDifferences(recorded: Heard, heard: Heard): Difference[] {
  return [
    ...difference("text", recorded.text, heard.text),
    ...(withoutBlanks(recorded.thinking) === withoutBlanks(heard.thinking)
      ? []
      : difference("thinking", recorded.thinking, heard.thinking)),
    ...difference("tools", recorded.calls, heard.calls),
    ...difference("finish", recorded.finish, heard.finish),
    ...(!isCounted(recorded.usage) ? [] : difference("usage", countsOf(recorded.usage), countsOf(heard.usage))),
  ];
}

/** Differences of the log's row; `undefined` is a call that left none. */
export function chargeDifferences(usage: HeardUsage | undefined, charged: Charged | undefined): Difference[] {
  if (charged === undefined) return [{ kind: "charge", expected: "a row of the log", actual: "none" }];
  if (!isCounted(usage)) return [];
  const { quota, promptTokens, completionTokens } = charged;
  const expected = { quota: chargeOf(usage), promptTokens: usage.input, completionTokens: usage.output };
  return difference("charge", expected, { quota, promptTokens, completionTokens });
}
