/** Where the bars of the channels tried stand, in percent of the call's time. Pure. */
import { LOG_TYPE } from "../../../../../contract/src/features/logs.ts";
import { firstTokenMs, type LogRow } from "./log-row.ts";
import type { Attempt } from "./receipt.ts";

export interface Bar {
  attempt: Attempt;
  isFailed: boolean;
  /** Percent of the whole. */
  left: number;
  width: number;
  /** Share of the bar until the first token; 0 where nothing streamed. */
  waiting: number;
  /** Where the words of a failure fit: beside the bar on either side, or below it. */
  wordsAt: "right" | "left" | "below";
}

export interface Waterfall {
  bars: readonly Bar[];
  ticks: readonly { ms: number; left: number }[];
  totalMs: number;
}

const STEPS_MS = [
  10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000,
] as const;
const MOST_TICKS = 7;

/** The smallest of the even steps that needs no more than 7 lines. */
export const tickStep = (totalMs: number): number =>
  STEPS_MS.find((step) => totalMs / step <= MOST_TICKS) ?? Math.ceil(totalMs / MOST_TICKS);

function placeOfWords(left: number, width: number): Bar["wordsAt"] {
  if (left + width <= 52) return "right";
  return left >= 52 ? "left" : "below";
}

function barOf(attempt: Attempt, row: LogRow, totalMs: number): Bar {
  const first = firstTokenMs(row);
  const left = (attempt.start_ms / totalMs) * 100;
  const width = (attempt.ms / totalMs) * 100;
  const isFailed = attempt.reason !== "" || row.type === LOG_TYPE.error;
  const waiting =
    isFailed || first === undefined || attempt.ms === 0
      ? 0
      : Math.min(1, Math.max(0, (first - attempt.start_ms) / attempt.ms));
  return { attempt, isFailed, left, width, waiting, wordsAt: placeOfWords(left, width) };
}

/** @param attempts those of the receipt, or the call itself for those who may not know its channels */
export function waterfallOf(row: LogRow, attempts: readonly Attempt[]): Waterfall {
  const totalMs = Math.max(1, row.use_time_ms, ...attempts.map(({ start_ms, ms }) => start_ms + ms));
  const step = tickStep(totalMs);
  const ticks = Array.from({ length: Math.floor(totalMs / step) + 1 }, (_, index) => ({
    ms: index * step,
    left: ((index * step) / totalMs) * 100,
  }));
  return { bars: attempts.map((attempt) => barOf(attempt, row, totalMs)), ticks, totalMs };
}
