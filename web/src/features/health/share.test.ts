/** Tests of success rates, their labels and the slots of a strip: refusals count against no channel, few calls are grey, and a rate with one failure is never shown as 100 %. */
import { expect, test } from "vitest";
import { type CallFigures, FAILURE_KINDS, successShare } from "../../../../contract/src/call-figures.ts";
import { leftText, secondsLeft, shareText, toneOf } from "../../lib/call-share.ts";
import { logHref, slotsOf, timesOf } from "./slots.ts";

const TIMES = { count: 0, average_ms: null, p50_ms: null, p95_ms: null };

function figures(succeeded: number, failures: Partial<CallFigures["failures"]> = {}): CallFigures {
  const all = Object.fromEntries(FAILURE_KINDS.map((kind) => [kind, failures[kind] ?? 0])) as CallFigures["failures"];
  const failed = Object.values(all).reduce((sum, count) => sum + count, 0);
  return { succeeded, failed, failures: all, first_token: TIMES, total: TIMES };
}

test.each([
  [figures(0), null],
  [figures(0, { refused: 9 }), null],
  [figures(10, { refused: 90 }), 1],
  [figures(999, { upstream: 1 }), 0.999],
  [figures(95, { rate_limited: 5 }), 0.95],
])("%j", (each, share) => {
  expect(successShare(each)).toBe(share);
});

test.each([
  [1, 10, "good"],
  [0.99, 10, "good"],
  [0.95, 10, "fair"],
  [0.1, 10, "bad"],
  [0.1, 9, "few"],
  [1, 9, "few"],
] as const)("a share of %d of %d calls is %s", (share, calls, tone) => {
  expect(toneOf(share, calls)).toBe(tone);
});

test("shares have one decimal, but for all and none, and are cut, not rounded up", () => {
  const shares = [1, 0.99996, 0.995, 0.98, 0.5, 0.0009, 0];
  expect(shares.map(shareText)).toEqual(["100", "99.9", "99.5", "98.0", "50.0", "0", "0"]);
});

test("a breaker that is about to close has a second left", () => {
  expect([secondsLeft(1_000, 5_000), secondsLeft(61_001, 1_000)]).toEqual([1, 61]);
  expect([1, 99, 100, 245, 3_600].map(leftText)).toEqual(["1 s", "99 s", "1:40", "4:05", "60:00"]);
});

test("every stretch of time is a slot, those without calls too, and its times stand at the same place", () => {
  const grid = { start: 3600, cell_seconds: 3600, cell_count: 3 };
  const cells = [{ at: 7200, succeeded: 15, failed: 10, refused: 5, p50_ms: 200, p95_ms: 900 }];
  expect(slotsOf(grid, cells)).toEqual([
    { start: 3600, end: 7199, tone: "none", faults: 0, calls: 0, failed: 0 },
    { start: 7200, end: 10_799, tone: "bad", faults: 0.25, calls: 20, failed: 5 },
    { start: 10_800, end: 14_399, tone: "none", faults: 0, calls: 0, failed: 0 },
  ]);
  expect(timesOf(grid, cells).map(({ p95_ms }) => p95_ms)).toEqual([null, 900, null]);
});

test("a slot leads to its channel, model and time in the log; a name that stands for many is left out", () => {
  const span = { start: 10, end: 20 };
  expect(logHref(7, undefined, span)).toBe("/log?channel=7&start_timestamp=10&end_timestamp=20");
  expect(logHref(7, "a/b", span)).toBe("/log?channel=7&model_name=a%2Fb&start_timestamp=10&end_timestamp=20");
  expect(logHref(7, "gpt%", span)).toBe("/log?channel=7&start_timestamp=10&end_timestamp=20");
});
