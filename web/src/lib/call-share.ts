/** Call statistics as the text of a cell: the share that succeeded with its tone, the rest of a cooldown, and stretches of time. */
import { permilleOf, type ShareTone, shareTone, SMALL_SAMPLE } from "../../../contract/src/call-figures.ts";
import { formatClock, formatDate, formatDurationMs } from "./format.ts";

/** `few`: too few calls to say. */
export type Tone = ShareTone | "few";

export const toneOf = (share: number, calls: number): Tone => (calls < SMALL_SAMPLE ? "few" : shareTone(share));

/** Tones as dots are coloured. */
export const DOT_TONES = { good: "green", fair: "amber", bad: "red", few: "idle" } as const satisfies Record<
  Tone,
  string
>;

/** "99.7 %" without its sign: one decimal, so that a column of them is even; all and none have none. Never 100 while something failed. */
export function shareText(share: number): string {
  const tenths = permilleOf(share);
  return (tenths / 10).toFixed(tenths === 0 || tenths === 1000 ? 0 : 1);
}

/** Whole seconds until a breaker closes, at least 1. */
export const secondsLeft = (untilMs: number, nowMs: number): number => Math.max(1, Math.ceil((untilMs - nowMs) / 1000));

/** From here on seconds are counted in minutes. */
const CLOCK_FROM_S = 100;

/** "45 s", then "4:05" in minutes and seconds. */
export function leftText(seconds: number): string {
  if (seconds < CLOCK_FROM_S) return formatDurationMs(seconds * 1000, 0);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

const DAY_S = 86_400;
const minuteOf = (atS: number): string => formatClock(atS).slice(0, 5);

/** "Nov 21, 14:00 – 15:00"; a day of the viewer's own time zone is its date. Both ends in Unix seconds, inclusive. */
export function spanText(startS: number, endS: number): string {
  const after = endS + 1;
  const from = minuteOf(startS);
  if (after - startS === DAY_S && from === "00:00") return formatDate(startS);
  const [day, lastDay] = [formatDate(startS), formatDate(after)];
  return `${day} ${from} – ${day === lastDay ? "" : `${lastDay} `}${minuteOf(after)}`;
}
