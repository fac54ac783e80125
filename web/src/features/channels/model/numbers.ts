/** Priority and weight as typed, in the list's cells and in the form. Pure. */
import { PRIORITY_MIN } from "../../../../../contract/src/features/channels.ts";

const wholeOf = (text: string): number | undefined =>
  /^[-−]?\d+$/.test(text.trim()) ? Number(text.trim().replace("−", "-")) : undefined;

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
