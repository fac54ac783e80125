/** Tests of success rates and their labels: refusals count against no channel, and a rate with one failure is never shown as 100 %. */
import { expect, test } from "vitest";
import { answeredShare, FAILURE_KINDS, type CallFigures } from "../../../contract/src/call-figures.ts";
import { secondsLeft, shareText, toneOf } from "./call-share.ts";

const TIMES = { count: 0, average_ms: null, p50_ms: null, p95_ms: null };

function figures(succeeded: number, failures: Partial<CallFigures["failures"]> = {}): CallFigures {
  const all = Object.fromEntries(FAILURE_KINDS.map((kind) => [kind, failures[kind] ?? 0])) as CallFigures["failures"];
  const failed = Object.values(all).reduce((sum, count) => sum + count, 0);
  return { succeeded, failed, failures: all, first_token: TIMES, total: TIMES };
}

test.each([
  [figures(0), null, "idle"],
  [figures(0, { refused: 9 }), null, "idle"],
  [figures(10, { refused: 90 }), 1, "green"],
  [figures(999, { upstream: 1 }), 0.999, "green"],
  [figures(95, { rate_limited: 5 }), 0.95, "amber"],
  [figures(1, { key_refused: 9 }), 0.1, "red"],
])("%j", (each, share, tone) => {
  expect([answeredShare(each), toneOf(answeredShare(each))]).toEqual([share, tone]);
});

test("shares are cut, not rounded up", () => {
  expect([1, 0.99996, 0.995, 0.57, 0.5, 0].map(shareText)).toEqual(["100", "99.9", "99.5", "57", "50", "0"]);
});

test("a breaker that is about to close has a second left", () => {
  expect([secondsLeft(1_000, 5_000), secondsLeft(61_001, 1_000)]).toEqual([1, 61]);
});
