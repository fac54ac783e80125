/** Priority, weight and limits as typed, in the list's cells and in the form, and the share of calls that a weight stands for. Pure. */
import { PRIORITY_MIN } from "../../../../../contract/src/features/channels.ts";

const wholeOf = (text: string): number | undefined =>
  /^[-−]?\d+$/.test(text.trim()) ? Number(text.trim().replace("−", "-")) : undefined;

/** Between a field's text and the number that a field of numbers takes; undefined stands for an empty one. */
export const asNumber = (text: string): number | undefined => (text.trim() === "" ? undefined : Number(text));
export const asText = (number: number | undefined): string => (number === undefined ? "" : String(number));

/** A whole number of at least -999, or undefined. */
export function parsePriority(text: string): number | undefined {
  const number = wholeOf(text);
  return number !== undefined && number >= PRIORITY_MIN ? number : undefined;
}

/** A whole number, a negative one as 0, or undefined. */
export function parseWeight(text: string): number | undefined {
  const number = wholeOf(text);
  return number === undefined ? undefined : Math.max(0, number);
}

/** What is typed into a field that may stay empty: undefined where it is, or is no whole number. */
export const parseLimit = (text: string): number | undefined => wholeOf(text);

/** True for a blank field, and for a whole number of at least `minimum`. */
export const isLimit = (text: string, minimum: number): boolean =>
  text.trim() === "" || (parseLimit(text) ?? Number.NEGATIVE_INFINITY) >= minimum;

/** The relay adds it to every weight, so that weight 0 still gets calls. */
const WEIGHT_BASE = 10;

/** 0 to 1, among the other channels of a tier and the sum of their weights. Exact where all of them offer the same models; "about" is the word to show. */
export function tierShare(weight: number, rivals: { others: number; weight: number }): number {
  const own = Math.max(0, weight) + WEIGHT_BASE;
  return own / (own + rivals.weight + rivals.others * WEIGHT_BASE);
}

/** "40%", and "<1%" for what is more than nothing. @param share 0 to 1 */
export const formatPercent = (share: number): string =>
  share > 0 && share < 0.01 ? "<1%" : `${Math.round(share * 100)}%`;
