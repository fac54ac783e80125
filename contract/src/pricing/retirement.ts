/** Model retirement: the day that the operator set, since when the model is deprecated, and when its users are notified. */

/** Days before its retirement from which the people who use a model are notified, once each. */
export const RETIREMENT_NOTICE_DAYS = [60, 30, 7] as const;
export type RetirementStage = (typeof RETIREMENT_NOTICE_DAYS)[number];

/** Models that may have a day. */
export const MOST_RETIREMENTS = 500;

const DAY_SECONDS = 86_400;

/** By model, the day of its retirement as `2026-12-31`. */
export type RetirementDays = Readonly<Record<string, string>>;

/** The beginning of a day in UTC, in Unix seconds; NaN for a text that is none, `2026-02-30` too. */
export function dayStart(text: string): number {
  const [, year = 0, month = 0, day = 0] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number);
  const daysOfMonth = (Date.UTC(year, month, 1) - Date.UTC(year, month - 1, 1)) / (DAY_SECONDS * 1000);
  const isDay = month >= 1 && month <= 12 && day >= 1 && day <= daysOfMonth;
  return isDay ? Date.UTC(year, month - 1, day) / 1000 : Number.NaN;
}

/** When a model retires, and since when it counts as deprecated: in Unix seconds. */
export interface Retirement {
  day: string;
  retires: number;
  deprecated: number;
}

/** Undefined for a model without a day. A model is deprecated from the first notice on. */
export function retirementOf(days: RetirementDays, model: string): Retirement | undefined {
  const day = Object.hasOwn(days, model) ? days[model] : undefined;
  if (day === undefined) return undefined;
  const retires = dayStart(day);
  return { day, retires, deprecated: retires - RETIREMENT_NOTICE_DAYS[0] * DAY_SECONDS };
}

/** Which notice is due at `now`, Unix seconds; undefined before the first and once the day has come. */
export function noticeStage({ retires }: Retirement, now: number): RetirementStage | undefined {
  if (now >= retires) return undefined;
  return RETIREMENT_NOTICE_DAYS.findLast((days) => retires - now <= days * DAY_SECONDS);
}

/** Whole days until a model retires, at least 1 before that. */
export const daysLeft = ({ retires }: Retirement, now: number): number =>
  Math.max(0, Math.ceil((retires - now) / DAY_SECONDS));
