/** The table of the log benchmark: a number above its limit, or a missing one, is a failure. */
import { expect, test } from "vitest";
import { compared, isBroken, linesTable, logSection, timed } from "./report.ts";

const TIMINGS = Array.from({ length: 20 }, (_, index) => index + 1);

test("the limit of a timed call is for its 95th percentile", () => {
  expect(timed("sqlite", "list", TIMINGS, 19)).toMatchObject({ p50: 10, p95: 19 });
  expect(isBroken(timed("sqlite", "list", TIMINGS, 19))).toBe(false);
  expect(isBroken(timed("sqlite", "list", TIMINGS, 18.9))).toBe(true);
});

test("what is compared is broken by what it adds, and never by a number that is none", () => {
  const added = (alone: number, beside: number) => compared("sqlite", "delay", { alone, beside }, 20).map(isBroken);
  expect(added(100, 120)).toEqual([false, false, false]);
  expect(added(100, 121)).toEqual([false, false, true]);
  expect(added(100, 5)).toEqual([false, false, false]);
  expect(added(100, Number.NaN)).toEqual([false, false, true]);
});

test("the table has one line for each measurement, and says which are broken", () => {
  const lines = [timed("sqlite", "list", TIMINGS, 5), ...compared("postgres", "delay", { alone: 1, beside: 2 }, 20)];
  const [head, list, alone] = linesTable(lines).split("\n");
  expect(head).toMatch(/^engine +what +p50 ms +p95 ms +limit +result/);
  expect(list).toMatch(/^sqlite +list +10\.0 +19\.0 +<= 5 +BROKEN/);
  expect(alone).toMatch(/^postgres +delay: alone +1\.0 +1\.0 +$/);
});

test("the section has the slowest of each kind, what was compared, and what is missed", () => {
  const lines = [
    timed("sqlite", "list, a", TIMINGS, 5),
    timed("sqlite", "list, b", [1, 2], 5),
    ...compared("sqlite", "delay", { alone: 1, beside: 2 }, 20),
  ];
  const text = logSection("sqlite", lines, 5000, ["here"]);
  expect(text).toContain("- rows of the log: 5000\n- here\n");
  expect(text).toContain("| slowest of 2: list, a | <= 5 ms | 10.0 | 19.0 | **missed** |\n");
  expect(text).toContain("| delay: added | <= 20 ms | 1.0 | 1.0 | met |\n");
});
