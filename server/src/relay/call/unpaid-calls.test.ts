/** Tests of the allowance of unpaid calls: what counts as how many, how it refills, and for whom it is larger. */
import { expect, test } from "vitest";
import { UnpaidCalls } from "./unpaid-calls.ts";

const PER_MINUTE = 60;

function open() {
  const at = { ms: 0 };
  return { at, calls: new UnpaidCalls(() => at.ms) };
}

test("a minute's allowance may be used at once, and comes back as time passes", () => {
  const { at, calls } = open();
  for (let made = 0; made < PER_MINUTE; made += 1) calls.refused(1, PER_MINUTE, 0);
  expect(calls.waitMs(1, PER_MINUTE)).toBe(0);
  calls.refused(1, PER_MINUTE, 0);
  expect(calls.waitMs(1, PER_MINUTE)).toBe(1_000);
  at.ms = 1_000;
  expect(calls.waitMs(1, PER_MINUTE)).toBe(0);
  expect(calls.waitMs(2, PER_MINUTE)).toBe(0);
});

test("a body counts by its size: one of 4 MiB as 65 calls", () => {
  const { calls } = open();
  calls.refused(1, PER_MINUTE, 4 * 1_048_576);
  calls.free(2, PER_MINUTE, 4 * 1_048_576);
  expect([calls.waitMs(1, PER_MINUTE), calls.waitMs(2, PER_MINUTE)]).toEqual([5_000, 5_000]);
});

test("with quota ten times as many may be refused, and what is free is no matter", () => {
  const { at, calls } = open();
  for (let made = 0; made < 10 * PER_MINUTE + 10; made += 1) calls.refused(1, PER_MINUTE, 0);
  expect(calls.waitMs(1, PER_MINUTE, true)).toBe(1_000);
  at.ms = 1_000;
  expect(calls.waitMs(1, PER_MINUTE, true)).toBe(0);
  expect(calls.waitMs(1, PER_MINUTE)).toBeGreaterThan(500_000);
  for (let made = 0; made < 100 * PER_MINUTE; made += 1) calls.free(2, PER_MINUTE, 0);
  expect(calls.waitMs(2, PER_MINUTE, true)).toBe(0);
  expect(calls.waitMs(2, PER_MINUTE)).toBeGreaterThan(0);
});

test("0 counts nothing, and of more than ten thousand users the first is forgotten", () => {
  const { calls } = open();
  calls.refused(1, 0, 10 ** 9);
  expect(calls.size).toBe(0);
  expect(calls.waitMs(1, 0)).toBe(0);
  for (let user = 0; user < 10_001; user += 1) calls.refused(user, PER_MINUTE, 0);
  expect(calls.size).toBe(10_000);
});

test("that a user has no quota is remembered for two seconds", () => {
  const { at, calls } = open();
  calls.refused(1, PER_MINUTE, 0);
  expect(calls.isKnownPoor(1)).toBe(false);
  calls.notePoor(1);
  expect(calls.isKnownPoor(1)).toBe(true);
  at.ms = 2_000;
  expect(calls.isKnownPoor(1)).toBe(false);
});
