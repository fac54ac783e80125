/** Positions of the tried channels' bars, in percent of the call's time. Pure. */
import { LOG_TYPE } from "../../../../../contract/src/constants.ts";
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
  10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_200_000,
  1_800_000, 3_600_000,
] as const;
const MAX_TICKS = 7;
/** "200 ms" and "20 min" are twice as wide as "2 s". */
const MAX_WIDE_TICKS = 4;
const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

const maxTicks = (step: number): number => (step < SECOND_MS || step >= MINUTE_MS ? MAX_WIDE_TICKS : MAX_TICKS);

/** The smallest of the even steps that needs no more lines than their labels have room for. */
export const tickStep = (totalMs: number): number =>
  STEPS_MS.find((step) => totalMs / step <= maxTicks(step)) ??
  Math.ceil(totalMs / MAX_WIDE_TICKS / MINUTE_MS) * MINUTE_MS;

/** Percent of the axis: a bar that ends before the first has room for words after it, one that begins behind the second before it. */
const RIGHT_UNTIL = 48;
const LEFT_FROM = 56;

function placeOfWords(left: number, width: number): Bar["wordsAt"] {
  if (left + width <= RIGHT_UNTIL) return "right";
  return left >= LEFT_FROM ? "left" : "below";
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
