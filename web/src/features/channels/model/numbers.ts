/** Priority, weight and limits as typed, in the list's cells and in the form. Pure. */
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
