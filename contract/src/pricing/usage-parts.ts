/** Splits the usage that an upstream reported into parts that do not overlap and have plausible counts, as prices need them. */
import { isRatioText, parseRatio } from "../money.ts";
import type { ToolCalls, Usage } from "./usage.ts";

/** A higher count was reported in error. */
export const MAX_TOKEN_COUNT = 1_000_000_000;
/** No call uses a tool more often than this. */
const MAX_TOOL_CALLS = 10_000;
/** Ten of the largest images at the highest quality make 40; a larger factor is an error. */
const MAX_CALL_FACTOR = 10_000;

/** Kinds of tokens with a price of their own; each token of a call is counted in exactly one. */
export const PARTS = [
  "input",
  "cacheRead",
  "cacheWrite",
  "cacheWriteLong",
  "audioInput",
  "imageInput",
  "output",
  "audioOutput",
  "imageOutput",
] as const;
export type Part = (typeof PARTS)[number];

export type UsageFault =
  /** A count was negative, not a number, fractional or absurdly large, and was replaced by the nearest valid one. */
  | "count_out_of_range"
  /** Parts exceeded their whole and were reduced. */
  | "parts_exceed_whole"
  /** The charge exceeded MAX_CHARGE. */
  | "charge_capped";

/** The nearest whole number from 0 to `most`; 0 for anything that is not a number. */
export function saneCount(value: unknown, most = MAX_TOKEN_COUNT): number {
  if (typeof value !== "number" || !(value > 0)) return 0;
  return value >= most ? most : Math.ceil(value);
}

const smaller = (a: number, b: number): number => (a < b ? a : b);

/**
 * Counts in the order of PARTS, which add up to the wholes. A part that exceeds what is left of its whole is reduced, cached
 * tokens last: a token that is both cached and part of an image is priced as cached. Written without a loop, since every charge runs it.
 */
export function partCounts(usage: Usage): number[] {
  let left = saneCount(usage.inputTokens);
  const cacheRead = smaller(saneCount(usage.cacheReadTokens), left);
  left -= cacheRead;
  const cacheWrite = smaller(saneCount(usage.cacheWriteTokens), left);
  left -= cacheWrite;
  const cacheWriteLong = smaller(saneCount(usage.cacheWriteLongTokens), left);
  left -= cacheWriteLong;
  const audioInput = smaller(saneCount(usage.audioInputTokens), left);
  left -= audioInput;
  const imageInput = smaller(saneCount(usage.imageInputTokens), left);
  left -= imageInput;
  let output = saneCount(usage.outputTokens);
  const audioOutput = smaller(saneCount(usage.audioOutputTokens), output);
  output -= audioOutput;
  const imageOutput = smaller(saneCount(usage.imageOutputTokens), output);
  output -= imageOutput;
  return [left, cacheRead, cacheWrite, cacheWriteLong, audioInput, imageInput, output, audioOutput, imageOutput];
}

/** The factor of a fixed price, at most MAX_CALL_FACTOR; "1" where it is not a decimal of at least 0. */
export function saneFactor(factor: string): string {
  if (factor === "1") return factor;
  if (typeof factor !== "string" || !isRatioText(factor)) return "1";
  const { numerator, denominator } = parseRatio(factor);
  return numerator > BigInt(MAX_CALL_FACTOR) * denominator ? String(MAX_CALL_FACTOR) : factor;
}

/** Tool calls with plausible counts; tools that were not called are left out. */
export const saneToolCalls = (toolCalls: readonly ToolCalls[]): ToolCalls[] =>
  toolCalls
    .map((entry) => ({ ...entry, calls: saneCount(entry.calls, MAX_TOOL_CALLS) }))
    .filter(({ calls }) => calls > 0);

const INPUT_PARTS = [
  "cacheReadTokens",
  "cacheWriteTokens",
  "cacheWriteLongTokens",
  "audioInputTokens",
  "imageInputTokens",
] as const satisfies readonly (keyof Usage)[];
const OUTPUT_PARTS = ["audioOutputTokens", "imageOutputTokens"] as const satisfies readonly (keyof Usage)[];
const COUNTS = ["inputTokens", "outputTokens", ...INPUT_PARTS, ...OUTPUT_PARTS] as const;

/** Which corrections a reported usage needed. */
export function usageFaults(usage: Usage): UsageFault[] {
  const exceeds = (parts: readonly (keyof Usage)[], whole: number): boolean =>
    parts.reduce((sum, name) => sum + saneCount(usage[name]), 0) > saneCount(whole);
  const isOutOfRange =
    COUNTS.some((name) => usage[name] !== saneCount(usage[name])) ||
    usage.callFactor !== saneFactor(usage.callFactor) ||
    usage.toolCalls.some(({ calls }) => calls !== saneCount(calls, MAX_TOOL_CALLS));
  const isCut = exceeds(INPUT_PARTS, usage.inputTokens) || exceeds(OUTPUT_PARTS, usage.outputTokens);
  const faults: UsageFault[] = [];
  if (isOutOfRange) faults.push("count_out_of_range");
  if (isCut) faults.push("parts_exceed_whole");
  return faults;
}
