/** Tests of key choice: the distribution of calls over a channel's keys, and the cool-down of a refused one. */
import { expect, test } from "vitest";
import { KeyChoice } from "./key-choice.ts";

const CHANNEL = 7;
const pool = (count: number, isRoundRobin = false) => ({
  isRoundRobin,
  members: Array.from({ length: count }, (_, index) => ({ ofKey: { id: index + 1 } })),
});
const take = (choice: KeyChoice, keys: ReturnType<typeof pool>, nowMs = 0, tried = new Set<number>()) =>
  choice.take(CHANNEL, keys, tried, nowMs)?.ofKey.id;

test("by chance every key has the same part, also while one cools down", () => {
  const choice = new KeyChoice();
  const keys = pool(5);
  const draw = (): number[] => {
    const counts = [0, 0, 0, 0, 0];
    // Every chance once, so that no luck is in the counts.
    for (let step = 0; step < 1000; step += 1) {
      const id = choice.take(CHANNEL, keys, new Set(), 0, () => step / 1000)?.ofKey.id ?? 0;
      counts[id - 1] = (counts[id - 1] ?? 0) + 1;
    }
    return counts;
  };
  expect(draw()).toEqual([200, 200, 200, 200, 200]);
  choice.failed(2, 0);
  expect(draw()).toEqual([250, 0, 250, 250, 250]);
});

test("round robin takes each key after the other and skips those that cool down, for each channel by itself", () => {
  const choice = new KeyChoice();
  const keys = pool(3, true);
  const turns = (count: number) => Array.from({ length: count }, () => take(choice, keys));
  expect(turns(7)).toEqual([1, 2, 3, 1, 2, 3, 1]);
  choice.failed(3, 0);
  expect(turns(4)).toEqual([2, 1, 2, 1]);
  expect(choice.take(8, keys, new Set(), 0)?.ofKey.id).toBe(1);
  // A key fewer is no reason to begin anew, and the place may lie behind the end.
  expect(take(choice, pool(1, true))).toBe(1);
});

test("a key cools for 15 s, twice as long each time up to 5 minutes, until a call with it was answered", () => {
  const choice = new KeyChoice();
  const lengths = Array.from({ length: 6 }, (_, index) => {
    const nowMs = index * 1_000_000;
    choice.failed(1, nowMs);
    return choice.coolsUntilMs(1, nowMs) - nowMs;
  });
  expect(lengths).toEqual([15_000, 30_000, 60_000, 120_000, 240_000, 300_000]);
  choice.succeeded(1, 5_000_000);
  choice.failed(1, 9_000_000);
  expect(choice.coolsUntilMs(1, 9_000_000)).toBe(9_015_000);
});

test("a call begun before a key began to cool neither ends that nor makes it longer", () => {
  const choice = new KeyChoice();
  choice.failed(1, 100, 40_000);
  choice.succeeded(1, 99);
  expect(choice.coolsUntilMs(1, 101)).toBe(40_100);
  choice.failed(1, 50_000, 0, 99);
  expect(choice.coolsUntilMs(1, 50_000)).toBe(0);
  choice.succeeded(1, 101);
  choice.failed(1, 60_000);
  expect(choice.coolsUntilMs(1, 60_000)).toBe(75_000);
});

test("an upstream's own wish is kept at once, up to 5 minutes, and named as such", () => {
  const choice = new KeyChoice();
  choice.failed(1, 0, 40_000);
  expect([choice.coolsUntilMs(1, 39_999), choice.coolsUntilMs(1, 40_000)]).toEqual([40_000, 0]);
  expect(choice.openReason(pool(1), 10)).toBe("resting_as_asked");
  choice.failed(1, 10, 86_400_000);
  expect(choice.cooling(20)).toEqual([{ keyId: 1, untilMs: 300_010, isRequested: true }]);
  expect(choice.cooling(300_010)).toEqual([]);
});

test("where all cool down the one whose time is over first is taken, each once in a call, and the channel counts as cooling down", () => {
  const choice = new KeyChoice();
  const keys = pool(3);
  expect(choice.openReason(keys, 0)).toBeUndefined();
  choice.failed(1, 0, 30_000);
  choice.failed(2, 0);
  expect(choice.openReason(keys, 1)).toBeUndefined();
  choice.failed(3, 0, 20_000);
  expect(choice.openReason(keys, 1)).toBe("resting_as_asked");
  const tried = new Set<number>();
  const order = [1, 2, 3, 4].map(() => {
    const id = take(choice, keys, 1, tried);
    if (id !== undefined) tried.add(id);
    return id;
  });
  expect(order).toEqual([2, 3, 1, undefined]);
  expect([choice.hasReady(keys, tried, 1), choice.hasReady(keys, new Set(), 15_000)]).toEqual([false, true]);
});
