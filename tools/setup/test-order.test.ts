/** Promises of the order of test files: projects take turns, each keeps its own order, and none is lost. */
import { expect, test } from "vitest";
import { inTurn } from "./test-order.ts";

test("lists take turns in their own order, and the longer one goes on alone", () => {
  expect(inTurn([["a1", "a2", "a3"], ["b1"], ["c1", "c2"]])).toEqual(["a1", "b1", "c1", "a2", "c2", "a3"]);
  expect(inTurn([])).toEqual([]);
  expect(inTurn([["a1"], []])).toEqual(["a1"]);
});
