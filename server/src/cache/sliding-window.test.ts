/** Tests of the sliding window: never more than its limit in any window, free places again in time, in memory as in Redis. */
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { createMemoryCache } from "./memory.ts";
import { shareOf } from "./cache.ts";
import { SlidingWindow } from "./sliding-window.ts";

const WINDOW_MS = 60_000;

test("a window never has more than its limit, and a refusal names when there is room again", () => {
  const steps = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 5 }), (gaps, limit) => {
      const window = new SlidingWindow(WINDOW_MS);
      const taken: number[] = [];
      let nowMs = 1_000_000;
      for (const gap of gaps) {
        nowMs += gap;
        const place = window.take(limit, nowMs);
        if (place.isTaken) taken.push(nowMs);
        else {
          expect(place.retryMs).toBeGreaterThan(0);
          expect(place.retryMs).toBeLessThanOrEqual(WINDOW_MS + 1_000);
          nowMs += place.retryMs;
          expect(window.take(limit, nowMs).isTaken).toBe(true);
          taken.push(nowMs);
        }
        const recent = taken.filter((at) => at > nowMs - WINDOW_MS);
        expect(recent.length).toBeLessThanOrEqual(limit);
      }
    }),
  );
});

test("refused calls count for nothing, a place given back is free again", () => {
  const window = new SlidingWindow(WINDOW_MS);
  const first = window.take(1, 0);
  for (let at = 0; at < 59_000; at += 100) expect(window.take(1, at).isTaken).toBe(false);
  expect(window.take(1, 61_000).isTaken).toBe(true);
  window.releaseSlot(first.slot);
  expect(window.take(1, 61_000).isTaken).toBe(false);
  window.releaseSlot(61);
  expect(window.take(1, 61_000).isTaken).toBe(true);
});

test("after the clock is set back by more than the window no caller is refused until it has caught up", () => {
  const window = new SlidingWindow(WINDOW_MS);
  const taken = (nowMs: number): boolean => window.take(2, nowMs).isTaken;
  expect([taken(10_000_000), taken(10_000_000), taken(10_000_000)]).toEqual([true, true, false]);
  expect([taken(1_000_000), taken(1_000_000), taken(1_000_000)]).toEqual([true, true, false]);
  expect(taken(1_062_000)).toBe(true);
});

test("without anything shared each process has its part of the limit, at least one call", async () => {
  expect([shareOf(10, 3), shareOf(10, 1), shareOf(2, 5), shareOf(0, 5)]).toEqual([3, 10, 1, 0]);
  const processes = Array.from({ length: 3 }, () => createMemoryCache({ processCount: () => 3 }));
  const places = await Promise.all(
    Array.from({ length: 60 }, (_, index) => processes[index % 3]?.take("calls", 60, 10)),
  );
  expect(places.filter((place) => place?.isTaken)).toHaveLength(9);
});

test("keys and lengths of window are apart from each other", async () => {
  const cache = createMemoryCache();
  const take = async (key: string, seconds: number) => (await cache.take(key, seconds, 1)).isTaken;
  expect([await take("a", 60), await take("a", 60), await take("b", 60), await take("a", 120)]).toEqual([
    true,
    false,
    true,
    true,
  ]);
});

test("windows that are over are let go of, and one in use never is", async () => {
  let nowMs = 1_000_000;
  const cache = createMemoryCache({ clock: () => nowMs });
  for (let user = 0; user < 100; user += 1) await cache.take(`user-${user}`, 60, 1);
  nowMs += 30_000;
  expect((await cache.take("user-7", 60, 1)).isTaken).toBe(false);
  nowMs += 40_000;
  const looks = vi.spyOn(SlidingWindow.prototype, "isOver");
  await cache.take("another", 60, 1);
  await cache.take("yet another", 60, 1);
  // A hundred that went at once, then one that stays.
  expect(looks.mock.results.map(({ value }) => value)).toEqual([...Array.from({ length: 100 }, () => true), false]);
  looks.mockRestore();
});

test("a clock that is set forward frees no window, and one that is set back shuts none", async () => {
  const cache = createMemoryCache();
  const taken = async (): Promise<boolean> => (await cache.take("calls", 3_600, 2)).isTaken;
  expect([await taken(), await taken(), await taken()]).toEqual([true, true, false]);
  const now = Date.now();
  const clock = vi.spyOn(Date, "now").mockReturnValue(now + 7_200_000);
  expect([await taken(), (await cache.increment("logins", 3_600, 5)).count]).toEqual([false, 1]);
  clock.mockReturnValue(now - 7_200_000);
  expect([await taken(), (await cache.increment("logins", 3_600, 5)).count]).toEqual([false, 2]);
  clock.mockReturnValue(now + 7_200_000);
  expect((await cache.increment("logins", 3_600, 5)).count).toBe(3);
});
