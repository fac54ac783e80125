/** Holds the count of `npm test` to the truth: nothing that went wrong may be counted as a pass, or not at all. */
import { expect, test } from "vitest";
import { countStage, sumUp } from "./verdict.mjs";

const passing = { status: "passed", fullName: "a" };
const failing = { status: "failed", fullName: "b" };
const skipped = { status: "skipped", fullName: "c" };
const report = (status: string, ...assertionResults: { status: string; fullName: string }[]) => ({
  testResults: [{ name: "x.test.ts", status, assertionResults }],
});

test("passed, failed and skipped tests are told apart", () => {
  expect(countStage(report("failed", passing, failing, skipped), 1)).toEqual({ passed: 1, failed: 1, skipped: ["c"] });
});

test("a file that does not load is a failure", () => {
  expect(countStage(report("failed"), 1).failed).toBe(1);
});

test("an error outside any test is a failure, and so is a run without a report", () => {
  expect(countStage(report("passed", passing), 1).failed).toBe(1);
  expect(countStage(undefined, 1).failed).toBe(1);
});

test("a skip is a failure when everything is required, or when nothing that is missing explains it", () => {
  const stages = [countStage(report("passed", passing, skipped), 0)];
  expect(sumUp(stages, { missing: ["redis"], requireAll: false }).failed).toBe(0);
  expect(sumUp(stages, { missing: [], requireAll: false }).failed).toBe(1);
  expect(sumUp(stages, { missing: ["redis"], requireAll: true })).toEqual({ passed: 1, failed: 1, unexplained: ["c"] });
});
