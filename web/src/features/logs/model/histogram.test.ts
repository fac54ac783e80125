/** Tests of the histogram's slots and of the ranges made from them. */
import { expect, test } from "vitest";
import { areCalls, heightOf, slotsOf, spanOf, widened } from "./histogram.ts";

const HISTOGRAM = {
  width: 60,
  origin: 600,
  start: 610,
  end: 790,
  bars: [{ at: 660, calls: 3, errors: 1, quota: 50 }],
  errors_since: 0,
  searched_since: 0,
};

test("every stretch of the range is a slot, cut at the ends of the range", () => {
  expect(slotsOf(HISTOGRAM)).toEqual([
    { start: 610, end: 659, calls: 0, errors: 0, quota: 0 },
    { start: 660, end: 719, calls: 3, errors: 1, quota: 50 },
    { start: 720, end: 779, calls: 0, errors: 0, quota: 0 },
    { start: 780, end: 790, calls: 0, errors: 0, quota: 0 },
  ]);
});

test("a drag in either direction chooses the same time, and one beyond the edge stops there", () => {
  const slots = slotsOf(HISTOGRAM);
  expect(spanOf(slots, { from: 1, to: 2 })).toEqual({ start: 660, end: 779 });
  expect(spanOf(slots, { from: 2, to: 1 })).toEqual({ start: 660, end: 779 });
  expect(spanOf(slots, { from: -3, to: 99 })).toEqual({ start: 610, end: 790 });
  expect(spanOf([], { from: 0, to: 0 })).toBeUndefined();
});

test("a step outwards shows three times the time and nothing of the future", () => {
  expect(widened({ start: 1000, end: 1099 }, 5000)).toEqual({ start: 900, end: 1199 });
  expect(widened({ start: 1000, end: 1099 }, 1120)).toEqual({ start: 900, end: 1120 });
  expect(widened({ start: 10, end: 10 }, 5000)).toEqual({ start: 1, end: 70 });
});

test("failed calls stand on answered ones, and only calls are summed up", () => {
  const slot = { start: 0, end: 1, calls: 3, errors: 1, quota: 50 };
  expect([heightOf(slot, "calls"), heightOf(slot, "errors"), heightOf(slot, "quota")]).toEqual([4, 1, 50]);
  expect([undefined, "0", "2", "5"].every(areCalls)).toBe(true);
  expect(["1", "3", "4"].some(areCalls)).toBe(false);
});
