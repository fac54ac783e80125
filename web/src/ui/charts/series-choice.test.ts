/** Tests of a legend: one click isolates a series and the next shows all again; hiding series never hides the last one. */
import { expect, test } from "vitest";
import { isolated, NONE_HIDDEN, toggled } from "./series-choice.ts";

const ALL = ["a", "b", "c"];

test("a series is isolated, and clicked again all are there", () => {
  const alone = isolated(ALL, NONE_HIDDEN, "b");
  expect([...alone]).toEqual(["a", "c"]);
  expect([...isolated(ALL, alone, "a")]).toEqual(["b", "c"]);
  expect(isolated(ALL, alone, "b")).toBe(NONE_HIDDEN);
});

test("a series is left out and taken in again", () => {
  const without = toggled(ALL, NONE_HIDDEN, "b");
  expect([...without]).toEqual(["b"]);
  expect([...toggled(ALL, without, "b")]).toEqual([]);
});

test("leaving out the last one brings all back", () => {
  expect(toggled(ALL, new Set(["a", "b"]), "c")).toBe(NONE_HIDDEN);
});
