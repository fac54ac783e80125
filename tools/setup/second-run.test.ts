/** Tests of the second run of failed files: it repeats a few of them only, and its count hides no failure. */
import { expect, test } from "vitest";
import { closingLines, filesToRepeat } from "./second-run.mjs";

const failure = (file: string, project = "browser") => ({ file, project, tests: ["a", "b"], passed: 5 });
const outcome = (failures: ReturnType<typeof failure>[], others = 0) => ({
  passed: 100,
  failed: failures.length * 2 + others,
  failures,
  others,
});

test("files of levels with servers and pages are repeated, few of them", () => {
  expect(filesToRepeat(outcome([failure("x"), failure("y", "faults")]))).toEqual(["x", "y"]);
  expect(filesToRepeat(outcome([]))).toEqual([]);
  expect(filesToRepeat(outcome(["1", "2", "3", "4", "5", "6", "7"].map((file) => failure(file))))).toEqual([]);
});

test("nothing is repeated where a pure test failed, a file did not load, or the run did not end", () => {
  expect(filesToRepeat(outcome([failure("x"), failure("y", "pure")]))).toEqual([]);
  expect(filesToRepeat(outcome([failure("x")], 1))).toEqual([]);
  expect(filesToRepeat(undefined)).toEqual([]);
});

test("what passes alone counts as passed and is named", () => {
  expect(closingLines(outcome([failure("x")]), { passed: 7, failed: 0, failures: [], others: 0 })).toEqual([
    "failed beside others and passed alone: x: a",
    "failed beside others and passed alone: x: b",
    "102 passed, 0 failed",
  ]);
});

test("what fails again has failed, and so has a second run that did not end", () => {
  const again = { passed: 6, failed: 1, failures: [{ ...failure("x"), tests: ["b"] }], others: 0 };
  expect(closingLines(outcome([failure("x")]), again)).toEqual(["101 passed, 1 failed"]);
  expect(closingLines(outcome([failure("x")]), undefined)).toEqual([
    "the second run did not end",
    "100 passed, 2 failed",
  ]);
});
