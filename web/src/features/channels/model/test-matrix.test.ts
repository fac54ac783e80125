/** Tests of the matrix of tests: the models it begins with, and that equal failures stand there once. */
import { expect, it } from "vitest";
import { failuresTogether, firstRows, rowsLeft } from "./test-matrix.ts";

it("begins with the test model and few others, and keeps of the chosen ones those that are left, up to the bound", () => {
  expect(firstRows({ models: ["a", "b", "c", "d"], test_model: "c" })).toEqual(["c", "a", "b"]);
  expect(firstRows({ models: [], test_model: " " })).toEqual([]);
  expect(rowsLeft(["a", "gone", "b"], ["b", "a"])).toEqual(["a", "b"]);
  const many = Array.from({ length: 30 }, (_, index) => `m${index}`);
  expect(rowsLeft(many, many)).toHaveLength(20);
});

it("says equal failures once, with all the tests that failed so", () => {
  const failed = [
    { text: "no", model: "a", kind: "plain" as const },
    { text: "other", model: "a", kind: "tools" as const },
    { text: "no", model: "b", kind: "plain" as const },
  ];
  expect(failuresTogether(failed).map(({ text, cells }) => [text, cells.length])).toEqual([
    ["no", 2],
    ["other", 1],
  ]);
});
