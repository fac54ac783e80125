/** Tests of deadlines. */
import { expect, test } from "vitest";
import { endsWithin, startDeadline, withTimeout } from "./deadline.ts";

const never = new Promise<never>(() => undefined);
const fault = new Error("no");

test("what ends in time gives what it gives, and throws what it throws", async () => {
  const late = () => 0;
  expect(await withTimeout(Promise.resolve(1), 1_000, late)).toBe(1);
  await expect(withTimeout(Promise.reject(fault), 1_000, late)).rejects.toBe(fault);
  expect(await endsWithin(Promise.resolve(), 1_000)).toBe(true);
  await expect(endsWithin(Promise.reject(fault), 1_000)).rejects.toBe(fault);
});

test("what is late gives what the caller says instead, or throws it", async () => {
  expect(await withTimeout(never, 1, () => "late")).toBe("late");
  const refuse = () => {
    throw fault;
  };
  await expect(withTimeout(never, 1, refuse)).rejects.toBe(fault);
  expect(await endsWithin(never, 1)).toBe(false);
});

test("a deadline ends a call that does not listen, by its time or from outside", async () => {
  const short = startDeadline(1);
  await expect(short.race(never)).rejects.toThrow("given up");
  expect([short.signal.aborted, short.isOver()]).toEqual([true, true]);
  const stop = new AbortController();
  const long = startDeadline(60_000, stop.signal);
  expect(await long.race(Promise.resolve(1))).toBe(1);
  stop.abort();
  await expect(long.race(never)).rejects.toThrow("given up");
  expect([long.signal.aborted, long.isOver()]).toEqual([true, false]);
});
