/** Tests of the date when a balance runs out: at the pace since the last payment, and only where it falls. */
import { expect, it } from "vitest";
import { emptyInDays } from "./page.ts";

const DAY = 86_400;
const points = (...balances: number[]) => balances.map((balance, index) => ({ day: index * DAY, balance }));

it("a balance that falls by 10 a day from 90 to 60 is empty in 6 days", () => {
  expect(emptyInDays(points(90, 80, 70, 60))).toBe(6);
});

it("a payment begins the pace anew", () => {
  expect(emptyInDays(points(30, 10, 100, 98, 96))).toBe(48);
});

it("says nothing of one day, of a balance that rises, and of one that stays", () => {
  expect(emptyInDays([])).toBeNull();
  expect(emptyInDays(points(90))).toBeNull();
  expect(emptyInDays(points(90, 95))).toBeNull();
  expect(emptyInDays(points(90, 90))).toBeNull();
});

it("days without a balance count", () => {
  const gap = [
    { day: 0, balance: 100 },
    { day: 5 * DAY, balance: 50 },
  ];
  expect(emptyInDays(gap)).toBe(5);
});

it("one that is used up is empty now", () => {
  expect(emptyInDays(points(5, -1))).toBe(0);
});
