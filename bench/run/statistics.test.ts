/** The benchmark's medians and quantiles are correct. */
import { expect, test } from "vitest";
import { median, quantile } from "./statistics.ts";

test("the median of an odd list is its middle, of an even list the mean of its two middles", () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([10, 1, 2, 4])).toBe(3);
});

test("a quantile is the nearest rank, so the 99th of one hundred numbers is the second largest", () => {
  const numbers = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(quantile(numbers, 0.99)).toBe(99);
  expect(quantile(numbers, 0.5)).toBe(50);
  expect(quantile(numbers, 1)).toBe(100);
});

test("an empty list has neither", () => {
  expect(() => median([])).toThrow("at least one number");
  expect(() => quantile([], 0.5)).toThrow("at least one number");
});
