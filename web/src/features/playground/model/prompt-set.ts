/** A set of prompts for up to four models: its lines, what it may cost, and its table as CSV. Pure. */
import type { PricingEntry } from "../../../../../contract/src/features/pricing.ts";
import type { Failure, Figures } from "./conversation.ts";
import { tokensPerSecond } from "./stream.ts";

export const LINES_MOST = 50;
const LINE_CHARACTERS_MOST = 4000;

/** The prompts of a text, one a line; blank lines are none. */
export const linesOf = (text: string): string[] =>
  text
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** Why a set cannot run. */
export type SetProblem = "empty" | "many" | "long";

export function problemOf(lines: readonly string[]): SetProblem | undefined {
  if (lines.length === 0) return "empty";
  if (lines.length > LINES_MOST) return "many";
  return lines.some((line) => line.length > LINE_CHARACTERS_MOST) ? "long" : undefined;
}

/** A model with its prices in the group in which it is asked. */
export interface PricedModel {
  entry: PricingEntry | undefined;
  groupRatio: number;
  /** The most that it may write; undefined for the model's own limit. */
  maxTokens: number | undefined;
}

/** What an answer is taken to be long where nothing bounds it. */
export const GUESSED_TOKENS = 500;
const CHARACTERS_PER_TOKEN = 4;
const USD_PER_MILLION = 2;

/** Dollars of one call with this prompt; undefined where the model has no price. */
function usdOfCall({ entry, groupRatio, maxTokens }: PricedModel, characters: number): number | undefined {
  if (entry?.has_price !== true) return undefined;
  if (entry.quota_type === 1) return entry.model_price * groupRatio;
  const input = Math.ceil(characters / CHARACTERS_PER_TOKEN);
  const output = Math.min(maxTokens ?? GUESSED_TOKENS, GUESSED_TOKENS);
  return ((input + output * entry.completion_ratio) * entry.model_ratio * USD_PER_MILLION * groupRatio) / 1_000_000;
}

export interface Estimate {
  calls: number;
  usd: number;
  /** Models without a price are not in it. */
  isWhole: boolean;
}

/** What the set may cost: input by its length, answers of GUESSED_TOKENS. */
export function estimated(lines: readonly string[], system: string, models: readonly PricedModel[]): Estimate {
  const calls = models.flatMap((model) => lines.map((line) => usdOfCall(model, line.length + system.length)));
  return {
    calls: calls.length,
    usd: calls.reduce<number>((sum, usd) => sum + (usd ?? 0), 0),
    isWhole: calls.every((usd) => usd !== undefined),
  };
}

/** An answer of the table. */
export interface Cell {
  state: "waiting" | "running" | "done" | "failed";
  text: string;
  figures: Figures;
  failure?: Failure;
}

export const WAITING: Cell = { state: "waiting", text: "", figures: {} };

/** Programs of tables take text that begins so as a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const field = (value: string | number): string => {
  const text = typeof value === "string" && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const COLUMNS = ["prompt", "model", "answer", "error", "cost_usd", "first_token_ms", "tokens_per_second", "tokens"];

/** The table as CSV (RFC 4180), one row an answer. `cells` has for each prompt one of each model. */
export function csvOf(
  prompts: readonly string[],
  models: readonly string[],
  cells: readonly (readonly Cell[])[],
  quotaPerUnit: number,
): string {
  const rows = prompts.flatMap((prompt, line) =>
    models.map((model, column) => {
      const { text, figures, failure } = cells[line]?.[column] ?? WAITING;
      const { quota, firstTokenMs, completionTokens } = figures;
      return [
        prompt,
        model,
        text,
        failure?.message ?? "",
        quota === undefined ? "" : quota / quotaPerUnit,
        firstTokenMs === undefined ? "" : Math.round(firstTokenMs),
        tokensPerSecond(figures)?.toFixed(1) ?? "",
        completionTokens ?? "",
      ];
    }),
  );
  return [COLUMNS, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}
