/** The expiry field's text: to the minute, in local time, empty for never. Pure but for the machine's time zone. */
import { NEVER_EXPIRES } from "../../../../../contract/src/features/tokens.ts";

const ISO = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[ T,]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/;
const CHINESE = /^(\d{4})年(\d{1,2})月(\d{1,2})日(?:\s*(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/;
const ENGLISH = /^([a-z]{3,9})\.? (\d{1,2}),? (\d{4})(?:[ ,]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/i;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const pad = (value: number): string => String(value).padStart(2, "0");

/** Unix seconds of a local moment; undefined where it does not exist (February 30, 25:00). */
function momentOf([year, month, day, hour = 0, minute = 0, second = 0]: number[]): number | undefined {
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const date = new Date(year, month - 1, day, hour, minute, second);
  const isReal =
    date.getFullYear() === year &&
    date.getMonth() === month - 1 &&
    date.getDate() === day &&
    hour < 24 &&
    minute < 60 &&
    second < 60;
  return isReal ? Math.floor(date.getTime() / 1000) : undefined;
}

const numbers = (texts: readonly (string | undefined)[]): number[] =>
  texts.filter((text) => text !== undefined).map(Number);

function readEnglish(text: string): number | undefined {
  const [, name, day, year, ...time] = ENGLISH.exec(text) ?? [];
  const month = MONTHS.indexOf((name ?? "").slice(0, 3).toLowerCase()) + 1;
  return month === 0 ? undefined : momentOf(numbers([year, String(month), day, ...time]));
}

/**
 * Unix seconds of what was typed: 2026-12-20 18:00, Dec 20, 2026, 18:00 or 2026年12月20日 18:00, also without the time; -1 for nothing.
 * Undefined where it cannot be read.
 */
export function parseExpiry(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return NEVER_EXPIRES;
  const [, ...parts] = ISO.exec(trimmed) ?? CHINESE.exec(trimmed) ?? [];
  return parts.length > 0 ? momentOf(numbers(parts)) : readEnglish(trimmed);
}

/** The text of the field for Unix seconds: "Dec 20, 2026, 18:00", in Chinese "2026-12-20 18:00", empty for never. */
export function expiryText(atS: number, language: "en" | "zh"): string {
  if (atS === NEVER_EXPIRES) return "";
  const date = new Date(atS * 1000);
  const clock = `${pad(date.getHours())}:${pad(date.getMinutes())}`;
  if (language === "zh") return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${clock}`;
  const month = MONTHS[date.getMonth()] ?? "";
  return `${month.charAt(0).toUpperCase()}${month.slice(1)} ${date.getDate()}, ${date.getFullYear()}, ${clock}`;
}
