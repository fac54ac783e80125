/** How well calls went, in words of a cell: the share that succeeded, and how bad that is. Pure. */
import type { CallFigures } from "../../../../contract/src/call-figures.ts";

/** Refusals are the caller's own fault: they say nothing of the channel. */
const faultsOf = ({ failed, failures }: CallFigures): number => failed - (failures.refused ?? 0);

/** Share of calls that succeeded, of those that were the channel's to answer, 0 to 1; null where there were none. */
export function successShare(figures: CallFigures): number | null {
  const faults = faultsOf(figures);
  const calls = figures.succeeded + faults;
  return calls === 0 ? null : figures.succeeded / calls;
}

export type Tone = "green" | "amber" | "red" | "idle";

const GOOD_SHARE = 0.99;
const FAIR_SHARE = 0.9;

export function toneOf(share: number | null): Tone {
  if (share === null) return "idle";
  if (share >= GOOD_SHARE) return "green";
  return share >= FAIR_SHARE ? "amber" : "red";
}

/** "99.7 %" without its sign: one decimal, and never 100 while something failed. */
export function shareText(share: number): string {
  const tenths = Math.floor(share * 1000);
  return (tenths / 10).toFixed(tenths % 10 === 0 ? 0 : 1);
}

/** "45 s", "4 min": whole seconds until a breaker closes, at least 1. */
export const secondsLeft = (untilMs: number, nowMs: number): number => Math.max(1, Math.ceil((untilMs - nowMs) / 1000));
