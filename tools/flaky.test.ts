/** The report of repeated runs: each test that failed in some of them is named once with how often, and so is a run that did not end. */
import { expect, test } from "vitest";
import { flakyLines, type Outcome } from "./flaky.ts";

const run = (tests: readonly string[], others = 0): Outcome => ({
  passed: 10,
  failed: tests.length + others,
  failures: tests.length === 0 ? [] : [{ file: "a.test.ts", project: "browser", tests: [...tests], passed: 1 }],
  others,
});

test("runs in which everything passed leave their count alone", () => {
  expect(flakyLines([run([]), run([])])).toEqual(["2 runs, 0 tests did not pass each time"]);
});

test("each test that failed is named once, with how often, and what no test had is named too", () => {
  expect(flakyLines([run(["x"]), run(["x", "y"]), run([], 1), undefined])).toEqual([
    "failed in 2 of 4: a.test.ts: x",
    "failed in 1 of 4: a.test.ts: y",
    "failed in 1 of 4: failures outside of any test",
    "failed in 1 of 4: a run that did not end",
    "4 runs, 4 tests did not pass each time",
  ]);
});
