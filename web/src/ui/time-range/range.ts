/** The time range of a list: presets that move with the clock, or two fixed moments. Pure. */
import { LOG_RANGE_AHEAD_SECONDS } from "../../../../contract/src/constants.ts";

/** `month` is 30 local days with today; `days30` reaches back 30 times 24 hours. */
export const PRESETS = ["hour", "today", "yesterday", "day", "week", "month", "days30"] as const;
export type Preset = (typeof PRESETS)[number];

export type TimeRange =
  | { kind: "preset"; preset: Preset }
  | { kind: "custom"; start: number | undefined; end: number | undefined };

/** Unix seconds, inclusive; undefined where the range is open. */
export interface Bounds {
  start: number | undefined;
  end: number | undefined;
}

const HOUR_S = 3600;
const DAY_S = 86_400;
const LENGTHS: Partial<Record<Preset, number>> = { hour: HOUR_S, day: DAY_S, days30: 30 * DAY_S };
/** Local days of the longer ones, today included: the same that the dashboard sums up under these names. */
const DAYS: Partial<Record<Preset, number>> = { today: 1, week: 7, month: 30 };

const secondsOf = (text: string | undefined): number | undefined => {
  const seconds = Math.trunc(Number(text));
  return text !== undefined && text !== "" && Number.isSafeInteger(seconds) && seconds > 0 ? seconds : undefined;
};

/** A range as the address has it. */
export interface RangeSearch {
  range?: string | undefined;
  start_timestamp?: string | undefined;
  end_timestamp?: string | undefined;
}

/** Reads the address: two moments, else a preset's name, else the one that the page opens with. */
export function parseRange(search: RangeSearch, fallback: Preset): TimeRange {
  const start = secondsOf(search.start_timestamp);
  const end = secondsOf(search.end_timestamp);
  if (start !== undefined || end !== undefined) return { kind: "custom", start, end };
  return { kind: "preset", preset: PRESETS.find((preset) => preset === search.range) ?? fallback };
}

/** Midnight of the local day `daysBack` before `nowMs`, in Unix seconds; days are not all 24 hours long. */
function midnightS(nowMs: number, daysBack: number): number {
  const date = new Date(nowMs);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - daysBack).getTime() / 1000;
}

/** Where the last days begin, in Unix seconds, as the dashboard has them: so many local days, today included, or the 24 hours with the one under way. */
export function startOfLastDays(days: number, nowMs: number): number {
  const hourS = Math.floor(nowMs / 1000 / HOUR_S) * HOUR_S;
  return days === 1 ? hourS - DAY_S + HOUR_S : midnightS(nowMs, days - 1);
}

/** The bounds of the range now. Ranges up to the present reach an hour ahead, so that clocks may differ. */
export function boundsOf(range: TimeRange, nowMs: number): Bounds {
  if (range.kind === "custom") return { start: range.start, end: range.end };
  if (range.preset === "yesterday") return { start: midnightS(nowMs, 1), end: midnightS(nowMs, 0) - 1 };
  const nowS = Math.floor(nowMs / 1000);
  const days = DAYS[range.preset];
  const start = days === undefined ? nowS - (LENGTHS[range.preset] ?? 0) : midnightS(nowMs, days - 1);
  return { start, end: nowS + LOG_RANGE_AHEAD_SECONDS };
}

/** The bounds to go on from by hand: a preset reaches ahead for clocks that differ, but a user who changes it means until now. */
export function untilNow(range: TimeRange, nowMs: number): Bounds {
  const { start, end } = boundsOf(range, nowMs);
  return { start, end: range.kind === "preset" ? Math.min(end ?? Infinity, Math.floor(nowMs / 1000)) : end };
}

/** Whether every moment of the range is on one local day: then a clock time says enough. */
export function isOneDay(range: TimeRange, nowMs: number): boolean {
  const { start, end } = boundsOf(range, nowMs);
  if (start === undefined) return false;
  const last =
    range.kind === "preset" && range.preset !== "yesterday"
      ? nowMs
      : Math.min((end ?? nowMs / 1000) * 1000, Math.max(nowMs, start * 1000));
  return new Date(start * 1000).toDateString() === new Date(last).toDateString();
}

/** Value of a field of day and time (`MomentField`) in local time: "2026-11-21T15:32"; "" for none. */
export function fieldOf(atS: number | undefined): string {
  if (atS === undefined) return "";
  const date = new Date(atS * 1000);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Unix seconds of such a value; `isEnd` takes the last second of the minute. Undefined for "" and for no time at all. */
export function secondsOfField(value: string, isEnd: boolean): number | undefined {
  const ms = value === "" ? Number.NaN : new Date(value).getTime();
  return Number.isFinite(ms) ? Math.floor(ms / 1000) + (isEnd ? 59 : 0) : undefined;
}

/** Bounds from two such values, one of which may be ""; says why they are none. What is no time is never taken for an open end. */
export function boundsOfFields(from: string, to: string): Bounds | "missing" | "reversed" | "unreadable" {
  const start = secondsOfField(from, false);
  const end = secondsOfField(to, true);
  if ((from !== "" && start === undefined) || (to !== "" && end === undefined)) return "unreadable";
  if (start === undefined && end === undefined) return "missing";
  return start !== undefined && end !== undefined && start > end ? "reversed" : { start, end };
}
