/** Tests of large sets: they contain what plain sets do, in any order of insertion. */
import { expect, test } from "vitest";
import { NumberSet, NumberSums, TextSet } from "./large-sets.ts";

const SIZE = 20_000;
const shuffled = Array.from({ length: SIZE }, (_, index) => (index * 7_919) % SIZE);

test.each([
  ["in their order", shuffled.toSorted((one, other) => one - other)],
  ["in any order", shuffled],
])("numbers %s", (_, numbers) => {
  const set = new NumberSet();
  for (const number of numbers) set.add(3 * number);
  expect(set.size).toBe(SIZE);
  for (let number = 0; number < 3 * SIZE; number += 1)
    if (set.has(number) !== (number % 3 === 0)) expect.fail(`${number}`);
  expect([set.has(-3), set.has(3 * SIZE)]).toEqual([false, false]);
  const sums = new NumberSums(set);
  for (const number of [3, 6, 3, 7, 7]) sums.add(number, 2 ** 40);
  expect([3, 6, 7, 9].map((number) => sums.get(number))).toEqual([2 ** 41, 2 ** 40, 2 ** 41, 0]);
});

test("texts", () => {
  const set = new TextSet(["", "first"]);
  for (let index = 0; index < SIZE; index += 1) set.add(`text ${index}`);
  for (let index = 0; index < SIZE; index += 1) set.add(`text ${index}`);
  for (let index = 0; index < SIZE; index += 1)
    if (!set.has(`text ${index}`) || set.has(`text ${index} `)) expect.fail(`${index}`);
  expect([set.has(""), set.has("first"), set.has("First")]).toEqual([true, true, false]);
});
