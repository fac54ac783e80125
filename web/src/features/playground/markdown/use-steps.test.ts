/** The steps in which a growing text is shown: they reach its end, divide no character, and keep to what a page can draw. */
import { expect, test } from "vitest";
import { endOf, nextStep } from "./use-steps.ts";

test("steps reach the end of the text and stay there", () => {
  expect(endOf("abcdef", 0, 4)).toBe(4);
  expect(endOf("abcdef", 4, 4)).toBe(6);
  expect(endOf("abcdef", 6, 4)).toBe(6);
});

test("no step ends within a character, and none stands still", () => {
  const text = "😀".repeat(10);
  const ends = [];
  for (let end = 0; end < text.length; end = endOf(text, end, 3)) ends.push(end);
  expect(ends.every((end) => end % 2 === 0)).toBe(true);
  expect(ends.length).toBe(10);
});

test("late frames halve a step and others let it grow, within limits", () => {
  expect(nextStep(400, 60)).toBe(200);
  expect(nextStep(400, 16)).toBeGreaterThan(400);
  const after = (tookMs: number) => Array.from({ length: 100 }).reduce<number>((step) => nextStep(step, tookMs), 400);
  expect([after(60), after(16)]).toEqual([100, 4_000]);
});
