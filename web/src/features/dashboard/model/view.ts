/** Parses the dashboard's address: range, buckets, measure and whose usage. Pure. */
import {
  GRANULARITIES,
  type Granularity,
  OVERVIEW_SPAN_SECONDS,
} from "../../../../../contract/src/features/dashboard.ts";
import { startOfLastDays } from "../../../ui/time-range/range.ts";

export const PRESETS = ["day", "week", "fortnight", "month", "quarter"] as const;
export type Preset = (typeof PRESETS)[number];
export const DEFAULT_PRESET: Preset = "month";
/** Local days of a preset, today included; `day` is the last 24 hours. */
const PRESET_DAYS: Readonly<Record<Preset, number>> = { day: 1, week: 7, fortnight: 14, month: 30, quarter: 90 };

export const MEASURES = ["spend", "requests", "tokens"] as const;
export type Measure = (typeof MEASURES)[number];
/** What else the chart may show: how calls went. */
export const CALL_MEASURES = ["errors", "first_token", "total_time"] as const;
export type CallMeasure = (typeof CALL_MEASURES)[number];

/** A custom range is two local dates, both included. */
export type Range = { kind: "preset"; preset: Preset } | { kind: "dates"; from: string; to: string };

export interface View {
  range: Range;
  granularity: Granularity;
  /** Of the lists, and of the chart unless it shows how calls went. */
  measure: Measure;
  callMeasure: CallMeasure | undefined;
  /** The viewer's own usage; that of all users is for administrators. */
  isOwn: boolean;
  /** One user's, for administrators. */
  username: string | undefined;
  isTable: boolean;
}

export type ViewSearch = Partial<
  Record<"range" | "from" | "to" | "by" | "show" | "scope" | "username" | "as", string | undefined>
>;

const DAY_S = 86_400;
/** Hours are the default's granularity for so many days at most; beyond, bars of an hour are too thin to begin with. */
const HOUR_DAYS_MAX = 3;
const WEEK_DAYS_MIN = 21;

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;

/** Local midnight of a date, shifted by days, in Unix seconds; undefined for text that is no date. */
export function midnightS(date: string, days = 0): number | undefined {
  const [, year, month, day] = DATE.exec(date) ?? [];
  if (year === undefined) return undefined;
  const at = new Date(Number(year), Number(month) - 1, Number(day) + days);
  const isReal = days !== 0 || at.getDate() === Number(day);
  return isReal ? at.getTime() / 1000 : undefined;
}

/** The local date of a moment, as the address and date fields write it. */
export function dateOf(atS: number): string {
  const at = new Date(atS * 1000);
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

function parseRange(search: ViewSearch): Range {
  const { from = "", to = "" } = search;
  const start = midnightS(from);
  const end = midnightS(to);
  if (start !== undefined && end !== undefined && start <= end && end + DAY_S - start <= OVERVIEW_SPAN_SECONDS)
    return { kind: "dates", from, to };
  return { kind: "preset", preset: PRESETS.find((preset) => preset === search.range) ?? DEFAULT_PRESET };
}

/** Length of a range in days, about. */
export function daysOf(range: Range): number {
  if (range.kind === "preset") return PRESET_DAYS[range.preset];
  return Math.round(((midnightS(range.to) ?? 0) - (midnightS(range.from) ?? 0)) / DAY_S) + 1;
}

/** The operator's granularity where it suits the range, else days. */
function usualGranularity(preferred: string, days: number): Granularity {
  if (days <= 1) return "hour";
  if (preferred === "hour" && days <= HOUR_DAYS_MAX) return "hour";
  return preferred === "week" && days >= WEEK_DAYS_MIN ? "week" : "day";
}

/** @param preferred the site's data_export_default_time */
export function parseView(search: ViewSearch, preferred: string, isAdmin: boolean): View {
  const range = parseRange(search);
  const callMeasure = CALL_MEASURES.find((each) => each === search.show);
  return {
    range,
    callMeasure,
    granularity: GRANULARITIES.find((each) => each === search.by) ?? usualGranularity(preferred, daysOf(range)),
    measure: MEASURES.find((each) => each === search.show) ?? (callMeasure ? "requests" : "spend"),
    isOwn: !isAdmin || search.scope === "me",
    username: isAdmin && search.scope !== "me" ? search.username || undefined : undefined,
    isTable: search.as === "table",
  };
}

/** What the range means now, in Unix seconds, inclusive: whole local days, or the 24 hours up to the running one. */
export function boundsOf(range: Range, nowMs: number): { start: number; end: number } {
  const nowS = Math.floor(nowMs / 1000);
  if (range.kind === "dates")
    return { start: midnightS(range.from) ?? nowS, end: (midnightS(range.to, 1) ?? nowS) - 1 };
  return { start: startOfLastDays(PRESET_DAYS[range.preset], nowMs), end: nowS };
}

export type DatesFault = "missing" | "reversed" | "long" | undefined;

/** Why two dates are no range. */
export function datesFault(from: string, to: string): DatesFault {
  const start = midnightS(from);
  const end = midnightS(to);
  if (start === undefined || end === undefined) return "missing";
  if (start > end) return "reversed";
  return end + DAY_S - start > OVERVIEW_SPAN_SECONDS ? "long" : undefined;
}
