/** Days and times as they are typed: "2026-11-21 15:32" in every language. Pure. */

/** Whether a field takes days, or days with a time. */
export type Precision = "day" | "minute";

/** The value of a text that is no day or time; no reader of such values takes it for one. */
export const UNREADABLE = "?";

const two = (part: number): string => String(part).padStart(2, "0");

/** Year, month, day, hour and minute; the last two are 0 where a day stands alone. */
type Parts = readonly [number, number, number, number, number];

/** Slashes, dots, the signs of Chinese dates, a "T" and a time with seconds are read too: people paste what they have. */
const TYPED = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]+(\d{1,2}):(\d{2})(?::\d{2})?)?$/;

function partsOf(text: string): Parts | undefined {
  const plain = text
    .replace(/[年月]/g, "-")
    .replace(/日/g, " ")
    .replace(/：/g, ":")
    .replace(/\s+/g, " ")
    .trim();
  const found = TYPED.exec(plain)
    ?.slice(1)
    .map((part) => Number(part ?? 0));
  if (found === undefined) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = found;
  const date = new Date(year, month - 1, day);
  const isDay = year >= 1000 && date.getMonth() === month - 1 && date.getDate() === day;
  return isDay && hour < 24 && minute < 60 ? [year, month, day, hour, minute] : undefined;
}

const dayText = ([year, month, day]: Parts): string => `${year}-${two(month)}-${two(day)}`;
const clockText = ([, , , hour, minute]: Parts): string => `${two(hour)}:${two(minute)}`;

/** The value that a text stands for, as the browser's own fields write it: "2026-11-21", or "2026-11-21T15:32"; "" for a blank one. */
export function momentValue(text: string, precision: Precision): string {
  if (text.trim() === "") return "";
  const parts = partsOf(text);
  if (parts === undefined) return UNREADABLE;
  return precision === "day" ? dayText(parts) : `${dayText(parts)}T${clockText(parts)}`;
}

/** The text of such a value; "" for none. */
export const momentText = (value: string): string => (value === UNREADABLE ? "" : value.replace("T", " "));

/** The value with another day and the same time, midnight where there was none. */
export const onDay = (value: string, day: string, precision: Precision): string =>
  precision === "day" ? day : `${day}T${value.split("T")[1] ?? "00:00"}`;

/** Where the parts of a text begin and end. */
const PLACES = [
  [0, 4],
  [5, 7],
  [8, 10],
  [11, 13],
  [14, 16],
] as const;

export interface Stepped {
  text: string;
  /** The part that was stepped, to be selected. */
  start: number;
  end: number;
}

/**
 * The text with the part at `caret` stepped up or down, the others following as a clock and a calendar do; a month further is the same day of it, or
 * its last one. Undefined where the text is no day or time.
 */
export function stepped(text: string, caret: number, by: 1 | -1, precision: Precision): Stepped | undefined {
  const parts = partsOf(text);
  if (parts === undefined) return undefined;
  const places = precision === "day" ? PLACES.slice(0, 3) : PLACES;
  const isWhole = momentText(momentValue(text, precision)) === text;
  // In a text of another form places are not known: the day is what people step most.
  const index = isWhole
    ? Math.max(
        0,
        places.findLastIndex(([start]) => start <= caret),
      )
    : 2;
  const [year, month, day, hour, minute] = parts.map((part, place) => (place === index ? part + by : part));
  const lastDay = new Date(year ?? 0, month ?? 0, 0).getDate();
  const kept = index < 2 ? Math.min(day ?? 1, lastDay) : day;
  const date = new Date(year ?? 0, (month ?? 1) - 1, kept, hour, minute);
  const next = [date.getFullYear(), date.getMonth() + 1, date.getDate(), date.getHours(), date.getMinutes()] as const;
  const [start, end] = places[index] ?? PLACES[2];
  return { text: precision === "day" ? dayText(next) : `${dayText(next)} ${clockText(next)}`, start, end };
}
