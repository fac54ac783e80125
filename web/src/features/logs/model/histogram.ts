/** The log's histogram as slots of time, and the ranges that a choice of slots and a step outwards make. Pure. */
import type { LogHistogram } from "../../../../../contract/src/logs/sums.ts";
import { LOG_TYPE } from "../../../../../contract/src/constants.ts";
import { EVERY_TYPE } from "./log-row.ts";

export const BAR_MEASURES = ["calls", "errors", "quota"] as const;
export type BarMeasure = (typeof BAR_MEASURES)[number];

export interface Slot {
  /** Unix seconds, inclusive; within what was asked for. */
  start: number;
  end: number;
  calls: number;
  errors: number;
  /** In quota. */
  quota: number;
}

/** Every stretch of the range in order, those without a call among them. */
export function slotsOf({ width, origin, start, end, bars }: LogHistogram): Slot[] {
  const known = new Map(bars.map((bar) => [bar.at, bar]));
  const count = Math.max(0, Math.floor((end - origin) / width) + 1);
  return Array.from({ length: count }, (_, index) => {
    const at = origin + index * width;
    const { calls = 0, errors = 0, quota = 0 } = known.get(at) ?? {};
    return { start: Math.max(start, at), end: Math.min(end, at + width - 1), calls, errors, quota };
  });
}

/** Two slots between which all are chosen, in any order. */
export interface Chosen {
  from: number;
  to: number;
}

/** The time of the chosen slots. */
export function spanOf(slots: readonly Slot[], { from, to }: Chosen): { start: number; end: number } | undefined {
  const first = slots[Math.max(0, Math.min(from, to))];
  const last = slots[Math.min(slots.length - 1, Math.max(from, to))];
  return first === undefined || last === undefined ? undefined : { start: first.start, end: last.end };
}

/** Three times the time, with the same middle and no further than now. */
export function widened({ start, end }: { start: number; end: number }, nowS: number): { start: number; end: number } {
  const length = Math.max(60, end - start + 1);
  return { start: Math.max(1, start - length), end: Math.min(end + length, Math.max(nowS, end)) };
}

/** The height of a slot: failed calls stand on answered ones. */
export const heightOf = (slot: Slot, measure: BarMeasure): number =>
  measure === "calls" ? slot.calls + slot.errors : slot[measure];

/** Whether entries of a type are calls, which alone can be summed up. @param type as the address has it */
export const areCalls = (type: string | undefined): boolean =>
  [undefined, EVERY_TYPE, String(LOG_TYPE.consumption), String(LOG_TYPE.error)].includes(type);
