/** Differences that are right, each with its reason: what is named here counts as whole, and stands in docs/corpus.md. */
import type { Difference } from "./compare.ts";
import type { Outcome } from "./replay.ts";

export interface Explanation {
  name: string;
  reason: string;
  applies(difference: Difference, outcome: Outcome): boolean;
}

export const EXPLANATIONS: readonly Explanation[] = [];

/** The explanation of a difference; undefined where it is a fault. */
export const explanationOf = (difference: Difference, outcome: Outcome): Explanation | undefined =>
  EXPLANATIONS.find(({ applies }) => applies(difference, outcome));
