/** Tests of delayed refusals: only callers with many refusals wait, their number is bounded, and none outlives its caller. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { HeldRefusals } from "./held-refusals.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const neverDisconnects = (): void => undefined;
const open = () => new HeldRefusals(() => Date.now());

const times = (count: number, refusals: HeldRefusals, caller: string | number = "a") =>
  Array.from({ length: count }, () => refusals.hold(caller, neverDisconnects));

test("the first twenty refusals are sent at once, further ones after a second, those of other callers at once", async () => {
  const refusals = open();
  expect(times(20, refusals)).toEqual(Array(20).fill(undefined));
  let isSent = false;
  void refusals.hold("a", neverDisconnects)?.then(() => (isSent = true));
  await vi.advanceTimersByTimeAsync(999);
  expect(isSent).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isSent).toBe(true);
  expect(refusals.hold("b", neverDisconnects)).toBeUndefined();
});

test("of one caller 32 are kept waiting, and room is made as they end", async () => {
  const refusals = open();
  times(20, refusals);
  expect(times(32, refusals)).not.toContain(undefined);
  expect(refusals.hold("a", neverDisconnects)).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(refusals.hold("a", neverDisconnects)).toBeDefined();
});

test("a refusal is not held after its caller disconnected", async () => {
  const refusals = open();
  times(20, refusals);
  let leave = neverDisconnects;
  const held = refusals.hold("a", (end) => (leave = end));
  leave();
  leave();
  await held;
  expect(vi.getTimerCount()).toBe(0);
});

test("a minute later every refusal is forgotten, and never more than a thousand callers are stored", async () => {
  const refusals = open();
  times(21, refusals);
  await vi.advanceTimersByTimeAsync(60_001);
  expect(refusals.hold("a", neverDisconnects)).toBeUndefined();
  for (let caller = 0; caller < 2_000; caller += 1) refusals.hold(caller, neverDisconnects);
  expect(refusals.size).toBe(1_000);
});
