/** How well calls went, in the words and tones of a cell: the share that succeeded, how bad that is, and when a breaker closes. Pure. */
import { permilleOf } from "../../../contract/src/call-figures.ts";

export type Tone = "green" | "amber" | "red" | "idle";

const GOOD_SHARE = 0.99;
const FAIR_SHARE = 0.9;

/** @param share 0 to 1; null where there was no call */
export function toneOf(share: number | null): Tone {
  if (share === null) return "idle";
  if (share >= GOOD_SHARE) return "green";
  return share >= FAIR_SHARE ? "amber" : "red";
}

/** "99.7 %" without its sign: one decimal, and never 100 while something failed. */
export function shareText(share: number): string {
  const tenths = permilleOf(share);
  return (tenths / 10).toFixed(tenths % 10 === 0 ? 0 : 1);
}

/** "45 s", "4 min": whole seconds until a breaker closes, at least 1. */
export const secondsLeft = (untilMs: number, nowMs: number): number => Math.max(1, Math.ceil((untilMs - nowMs) / 1000));
