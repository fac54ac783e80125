/** Splits a range of whole hours into buckets of an hour, a day or a week in a time zone. Pure. */
import type { Granularity } from "../../../../contract/src/features/dashboard.ts";

export const HOUR = 3600;
export const DAY = 24 * HOUR;
/** Days are 23 to 25 hours long; this many after a day's beginning it is never over. */
const SURE_HOURS = 22;
const MONDAY = 1;

/** First seconds of the first and the last hour of a range; `last < first` where no hour begins in it. */
export interface HourRange {
  first: number;
  last: number;
}

/** The hours that begin from `start` to `end` (Unix seconds, inclusive). An hour belongs to where it begins. */
export const hoursOf = (start: number, end: number): HourRange => ({
  first: Math.ceil(start / HOUR) * HOUR,
  last: Math.floor(end / HOUR) * HOUR,
});

/** First second of the day in UTC that a moment is in. */
export const utcDayOf = (second: number): number => Math.floor(second / DAY) * DAY;

/** The local date (days since 1970-01-01) and the minute of the hour at a moment. */
export interface ZoneClock {
  dayOf(second: number): number;
  minuteOf(second: number): number;
}

/** Throws RangeError for a name that is no time zone. */
export function zoneClock(timeZone: string): ZoneClock {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    year: "numeric",
    month: "numeric",
    day: "numeric",
    minute: "numeric",
  });
  const partsOf = (second: number): Record<string, number> =>
    Object.fromEntries(format.formatToParts(second * 1000).map(({ type, value }) => [type, Number(value)]));
  return {
    dayOf: (second) => {
      const { year = 0, month = 1, day = 1 } = partsOf(second);
      return Date.UTC(year, month - 1, day) / 86_400_000;
    },
    minuteOf: (second) => partsOf(second)["minute"] ?? 0,
  };
}

function hourStarts({ first, last }: HourRange): number[] {
  return Array.from({ length: Math.max(0, (last - first) / HOUR + 1) }, (_, index) => first + index * HOUR);
}

/** The first hour of the next local day. */
function nextDay(clock: ZoneClock, hour: number): number {
  const day = clock.dayOf(hour);
  const sure = hour + SURE_HOURS * HOUR;
  let next = clock.dayOf(sure) === day ? sure : hour;
  while (clock.dayOf(next) === day) next += HOUR;
  return next;
}

function dayStarts({ first, last }: HourRange, clock: ZoneClock): number[] {
  const starts: number[] = [];
  for (let hour = first; hour <= last; hour = nextDay(clock, hour)) starts.push(hour);
  return starts;
}

/** 1970-01-01 was a Thursday. */
const weekdayOf = (day: number): number => (((day + 4) % 7) + 7) % 7;

/** First seconds of the buckets: the range's own beginning, then each hour, local day or local Monday. */
export function bucketStarts(range: HourRange, granularity: Granularity, clock: ZoneClock): number[] {
  if (granularity === "hour") return hourStarts(range);
  const days = dayStarts(range, clock);
  if (granularity === "day") return days;
  return days.filter((start, index) => index === 0 || weekdayOf(clock.dayOf(start)) === MONDAY);
}

/** The first hour of the local day that `second` is in. */
export function dayStartOf(second: number, clock: ZoneClock): number {
  const day = clock.dayOf(second);
  let hour = Math.floor(second / HOUR) * HOUR;
  while (clock.dayOf(hour - HOUR) === day) hour -= HOUR;
  return clock.dayOf(hour) === day ? hour : hour + HOUR;
}

/** Index of the bucket an hour is in. `starts` rise, and the first is not after `hour`. */
export function bucketOf(starts: readonly number[], hour: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= hour) low = middle;
    else high = middle - 1;
  }
  return low;
}
