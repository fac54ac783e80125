/** Tests of unsynced batches: answers wait for the sync up to their limit, and its error is reported. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { UnsyncedBatches } from "./unsynced-batches.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const turn = (): Promise<void> => vi.advanceTimersByTimeAsync(0).then(() => undefined);

test("an answer waits for the disk, and for a stalled one as long as it may", async () => {
  const batches = new UnsyncedBatches(25, () => undefined);
  const [quick, slow] = [vi.fn(), vi.fn()];
  await batches.add(Promise.resolve(), quick);
  const stalled = Promise.withResolvers<void>();
  const nextMay = vi.fn();
  void batches.add(stalled.promise, slow).then(nextMay);
  await turn();
  expect([quick.mock.calls.length, slow.mock.calls.length, batches.count]).toEqual([1, 0, 1]);
  expect(nextMay).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(24);
  expect(nextMay, "the next batch is written while the disk stalls").toHaveBeenCalled();
  expect(slow).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(slow).toHaveBeenCalled();
  expect(batches.oldestMs(performance.now())).toBe(25);
  stalled.resolve();
  await turn();
  expect([batches.count, batches.oldestMs(performance.now())]).toEqual([0, 0]);
});

test("a disk that refuses is reported, and the answer comes when its time is over", async () => {
  const failures: unknown[] = [];
  const batches = new UnsyncedBatches(25, (error) => failures.push(error));
  const answer = vi.fn();
  const broken = new Error("EIO");
  await batches.add(Promise.reject(broken), answer);
  await turn();
  expect([failures, answer.mock.calls.length, batches.count]).toEqual([[broken], 0, 0]);
  await vi.advanceTimersByTimeAsync(25);
  expect(answer).toHaveBeenCalledOnce();
});
