/** Tests of retirement: valid days, and when each notice is due. */
import { expect, test } from "vitest";
import { dayStart, daysLeft, noticeStage, retirementOf } from "./retirement.ts";

const DAY = 86_400;
const DAYS = { "gpt-4": "2026-12-31" };

test.each([
  ["2026-12-31", Date.UTC(2026, 11, 31) / 1000],
  ["2028-02-29", Date.UTC(2028, 1, 29) / 1000],
  ["2026-02-29", Number.NaN],
  ["2026-13-01", Number.NaN],
  ["31.12.2026", Number.NaN],
  ["2026-12-31T00:00:00Z", Number.NaN],
])("%s begins at %d", (day, start) => {
  expect(dayStart(day)).toBe(start);
});

test("a model is deprecated from 60 days before its day on, and others are not", () => {
  const retires = Date.UTC(2026, 11, 31) / 1000;
  expect(retirementOf(DAYS, "gpt-4")).toEqual({ day: "2026-12-31", retires, deprecated: retires - 60 * DAY });
  expect([retirementOf(DAYS, "gpt-4o"), retirementOf(DAYS, "constructor")]).toEqual([undefined, undefined]);
});

test.each([
  [61, undefined, 61],
  [60, 60, 60],
  [31, 60, 31],
  [30, 30, 30],
  [8, 30, 8],
  [7, 7, 7],
  [0.5, 7, 1],
  [0, undefined, 0],
  [-5, undefined, 0],
])("%d days before the day the notice of %s days is due", (days, stage, left) => {
  const retirement = { day: "2026-12-31", retires: 1_000 * DAY, deprecated: 0 };
  const now = (1_000 - days) * DAY;
  expect([noticeStage(retirement, now), daysLeft(retirement, now)]).toEqual([stage, left]);
});
