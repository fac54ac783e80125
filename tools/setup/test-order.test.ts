/** Tests of the order of test files: the few stand at equal distances between the many, each keeps its own order, and none is lost. */
import { expect, test } from "vitest";
import { spread } from "./test-order.ts";

test("the few stand at equal distances between the many, in their own order, and none is lost", () => {
  expect(spread(["a", "b"], ["1", "2", "3", "4"])).toEqual(["a", "1", "2", "b", "3", "4"]);
  expect(spread(["a", "b"], ["1", "2", "3"])).toEqual(["a", "1", "2", "b", "3"]);
  expect(spread(["a", "b", "c"], ["1"])).toEqual(["a", "1", "b", "c"]);
  expect(spread([], ["1", "2"])).toEqual(["1", "2"]);
  expect(spread(["a"], [])).toEqual(["a"]);
});
