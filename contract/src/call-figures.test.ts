/** Call statistics: every failure has one kind, and a percentile lies within the stated error of the true one. */
import { describe, expect, test } from "vitest";
import {
  failureKindOf,
  PERCENTILE_ERROR,
  percentileOf,
  TIME_BOUNDS_MS,
  TIME_BUCKETS,
  timeBucketOf,
  timeCountsOf,
} from "./call-figures.ts";

test.each([
  [502, "channel_key_refused", "key_refused"],
  [502, "channel_access_refused", "key_refused"],
  [429, "rate_limit_exceeded", "rate_limited"],
  [504, "upstream_timeout", "timeout"],
  [524, "", "timeout"],
  [502, "upstream_broken", "broken_off"],
  [503, "no_available_channel", "no_channel"],
  [500, "internal_error", "gateway"],
  [500, "server_error", "upstream"],
  [502, "upstream_unreachable", "upstream"],
  [400, "context_length_exceeded", "refused"],
  [403, "toString", "refused"],
] as const)("a failure of %i %s is of the kind %s", (status, code, kind) => {
  expect(failureKindOf(status, code)).toBe(kind);
});

describe("times", () => {
  test("a bucket begins at its bound and ends before the next", () => {
    expect([timeBucketOf(0), timeBucketOf(49)]).toEqual([0, 0]);
    expect(timeBucketOf(10 ** 9)).toBe(TIME_BUCKETS - 1);
    for (const [index, bound] of TIME_BOUNDS_MS.entries()) {
      expect(timeBucketOf(bound)).toBe(index + 1);
      expect(timeBucketOf(bound - 1e-6)).toBe(index);
    }
  });

  test("a percentile is within its error of the one counted over all times", () => {
    const times = Array.from({ length: 5_000 }, (_, index) => Math.round(60 * 1.0018 ** ((index * 1_237) % 5_000)));
    const counts = timeCountsOf(times);
    const sorted = times.toSorted((a, b) => a - b);
    for (const share of [0.01, 0.5, 0.95, 0.99, 1]) {
      const exact = sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
      const read = percentileOf(counts, share) ?? 0;
      const distance = Math.max(read, exact) / Math.min(read, exact) - 1;
      // Half a millisecond more, for what is rounded to whole ones.
      expect(distance).toBeLessThanOrEqual(PERCENTILE_ERROR + 0.5 / exact);
    }
  });

  test("times that share a bucket are spread over it, so that its two percentiles differ", () => {
    const times = Array.from({ length: 100 }, (_, index) => 410 + index * 0.8);
    const counts = timeCountsOf(times);
    expect(counts.filter((count) => count > 0)).toEqual([100]);
    const [half = 0, most = 0] = [percentileOf(counts, 0.5), percentileOf(counts, 0.95)].map((time) => time ?? 0);
    expect([half, most]).toEqual([448, 498]);
    expect(Math.abs(most - (times[94] ?? 0))).toBeLessThan(20);
  });

  test("of nothing there is no percentile", () => {
    expect(
      percentileOf(
        Array.from({ length: TIME_BUCKETS }, () => 0),
        0.5,
      ),
    ).toBeNull();
  });
});
