/** Tests of clock.ts. */
import { expect, test } from "vitest";
import { nowSeconds, toSeconds } from "./clock.ts";

test("milliseconds are rounded down to whole seconds", () => {
  expect([0, 999, 1_000, 1_999].map(toSeconds)).toEqual([0, 0, 1, 1]);
});

test("the seconds of a clock, and of the machine where there is none", () => {
  expect(nowSeconds(() => 1_700_000_000_999)).toBe(1_700_000_000);
  const before = Math.floor(Date.now() / 1000);
  expect(nowSeconds()).toBeGreaterThanOrEqual(before);
  expect(nowSeconds()).toBeLessThanOrEqual(before + 60);
});
