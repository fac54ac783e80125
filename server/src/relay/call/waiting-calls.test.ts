/** Tests of the places of waiting calls: bounded for one user and in all, and each is free again. */
import { expect, test } from "vitest";
import { WaitingCalls } from "./waiting-calls.ts";

test("one user's calls wait up to a number, and leave room for others", () => {
  const calls = new WaitingCalls();
  expect(Array.from({ length: 33 }, () => calls.enter(1)).filter(Boolean)).toHaveLength(32);
  expect(calls.enter(2)).toBe(true);
  calls.leave(1);
  expect([calls.enter(1), calls.enter(1), calls.count]).toEqual([true, false, 33]);
});

test("all together wait up to a number", () => {
  const calls = new WaitingCalls();
  const entered = Array.from({ length: 2_000 }, (_, user) => calls.enter(user)).filter(Boolean);
  expect([entered.length, calls.enter(5_000)]).toEqual([1_024, false]);
  for (let user = 0; user < 1_024; user += 1) calls.leave(user);
  expect([calls.count, calls.enter(5_000)]).toEqual([0, true]);
});
