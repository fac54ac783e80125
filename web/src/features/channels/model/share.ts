/** The share of its tier's calls that a channel's weight stands for. Apart from numbers.ts, which the list loads: only the form needs it. Pure. */

/** The relay adds it to every weight, so that weight 0 still gets calls. */
const WEIGHT_BASE = 10;

/** 0 to 1, among the other channels of a tier and the sum of their weights. Exact where all of them offer the same models; "about" is the word to show. */
export function tierShare(weight: number, rivals: { others: number; weight: number }): number {
  const own = Math.max(0, weight) + WEIGHT_BASE;
  return own / (own + rivals.weight + rivals.others * WEIGHT_BASE);
}
