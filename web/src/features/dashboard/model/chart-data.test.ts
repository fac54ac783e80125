/** Tests of the bars of models: each as long as its share of the longest, and none for the sum of the others, which comes last. */
import { expect, test } from "vitest";
import { barShares, type ModelSeries, rankedBy } from "./chart-data.ts";

const series = (id: string, requests: number): ModelSeries => ({
  id,
  name: id,
  color: 0,
  isCode: true,
  values: [],
  requests,
  total: requests,
});
const OTHERS = series("", 694);

test("the sum of the others is last and has no bar, however many calls it has; the others are measured by the greatest model", () => {
  const ranked = rankedBy([OTHERS, series("small", 10), series("large", 40)], ({ requests }) => requests);
  expect(ranked.map(({ id }) => id)).toEqual(["large", "small", ""]);
  expect([...barShares(ranked)]).toEqual([
    ["large", 1],
    ["small", 0.25],
  ]);
  expect([...barShares([series("idle", 0), OTHERS])]).toEqual([["idle", 0]]);
});
