/** Tests of which models get a series of their own: every one with a large share of spend, calls or tokens. */
import { expect, test } from "vitest";
import { type HourSum, listedOf, modelSeries, totalOf } from "./shape.ts";

const row = (model: string, quota: number, requests: number, tokens = requests): HourSum => ({
  hour: 0,
  model,
  quota,
  requests,
  prompt_tokens: tokens,
  completion_tokens: 0,
  costed_quota: 0,
  cost: 0,
});

test("models are named by their shares of all measures together, and stand by what they cost", () => {
  const rows = [
    row("dear", 900, 5),
    row("middling", 60, 20),
    row("small", 30, 15),
    row("cheap", 10, 160),
    row("long", 0, 0, 900),
  ];
  const models = modelSeries(rows, [0], 3);
  expect(models.map(({ model }) => model)).toEqual(["dear", "cheap", "long", ""]);
  expect(models.at(-1)).toMatchObject({ model_count: 2, quota: 90, requests: 35 });
  expect(totalOf(models)).toEqual(totalOf(rows));
});

test("a model with its part of spend, calls and tokens is named before one that has a little more of the calls alone", () => {
  const rows = [row("great", 880, 850), row("even", 70, 70), row("often", 0, 80, 10), row("rest", 50, 0, 0)];
  expect(modelSeries(rows, [0], 2).map(({ model }) => model)).toEqual(["great", "even", ""]);
});

test("as many as are named have no rest; nothing gives nothing", () => {
  expect(modelSeries([row("b", 1, 1), row("a", 2, 1)], [0], 2).map(({ model }) => model)).toEqual(["a", "b"]);
  expect(modelSeries([], [0], 2)).toEqual([]);
});

test("a single other is named, two are summed up", () => {
  const payers = Array.from({ length: 10 }, (_, id) => ({ id, ...row("", 10 - id, 1) }));
  expect(listedOf(payers.slice(0, 9), 8)).toHaveLength(9);
  expect(listedOf(payers, 8)).toHaveLength(8);
  expect(listedOf(payers.slice(0, 3), 8)).toHaveLength(3);
});
