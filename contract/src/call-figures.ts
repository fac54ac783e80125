/** Call statistics: the kinds of failure that are counted, the share that succeeds, and the latency histogram from which percentiles are read. */
import { z } from "zod";

/** Why a call failed, as its caller saw it, in the order in which the kinds are shown. */
export const FAILURE_KINDS = [
  /** The upstream refused the key of its channel. */
  "key_refused",
  /** 429, from the upstream or from a limit of the gateway. */
  "rate_limited",
  /** No answer in time: 408, 504, 524. */
  "timeout",
  /** The upstream answered with 5xx, or could not be reached. */
  "upstream",
  /** The answer had begun and then broke off; the part that was delivered may have been charged. */
  "broken_off",
  /** No channel for the model could be tried. */
  "no_channel",
  /** The gateway itself failed: its database, its memory, its settings, or because it was stopping. */
  "gateway",
  /** The request was refused: every other 4xx. */
  "refused",
] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

const TIMEOUT_STATUSES: readonly number[] = [408, 504, 524];

/** Codes whose kind does not follow from their status. */
const KIND_OF_CODE: Readonly<Record<string, FailureKind>> = {
  channel_key_refused: "key_refused",
  channel_access_refused: "key_refused",
  upstream_timeout: "timeout",
  upstream_broken: "broken_off",
  no_available_channel: "no_channel",
  internal_error: "gateway",
  over_capacity: "gateway",
  server_stopping: "gateway",
  books_unavailable: "gateway",
  idempotency_unavailable: "gateway",
  model_mapping_contains_cycle: "gateway",
};

/** The kind of a failure by the status and the code that the caller was sent; a log row stores the same two. */
export function failureKindOf(status: number, code: string): FailureKind {
  const known = Object.hasOwn(KIND_OF_CODE, code) ? KIND_OF_CODE[code] : undefined;
  if (known !== undefined) return known;
  if (status === 429) return "rate_limited";
  if (TIMEOUT_STATUSES.includes(status)) return "timeout";
  return status >= 500 ? "upstream" : "refused";
}

/** 0.57 times 1000 is a little less than 570. */
const ROUNDING_SLACK = 1e-9;

/** Times below this bound share one bucket. */
const FIRST_BOUND_MS = 50;
const BUCKETS_PER_DOUBLING = 3;
/** Includes the bucket below the first bound and the one above the last, which is 34 minutes. */
export const TIME_BUCKETS = 48;

/** Lower bounds of the buckets 1 and up, in milliseconds: each is 26 % above the one before. */
export const TIME_BOUNDS_MS: readonly number[] = Array.from(
  { length: TIME_BUCKETS - 1 },
  (_, index) => FIRST_BOUND_MS * 2 ** (index / BUCKETS_PER_DOUBLING),
);

/** The largest relative error of a percentile that lies between the first bound and the last: the width of a bucket. */
export const PERCENTILE_ERROR = 2 ** (1 / BUCKETS_PER_DOUBLING) - 1;

/** The bucket in which a time is counted. */
export function timeBucketOf(ms: number): number {
  if (ms < FIRST_BOUND_MS) return 0;
  const near = Math.floor(Math.log2(ms / FIRST_BOUND_MS) * BUCKETS_PER_DOUBLING) + 1;
  const bucket = Math.min(TIME_BUCKETS - 1, near);
  // A logarithm is inexact close to a bound, so the table decides.
  if (ms < (TIME_BOUNDS_MS[bucket - 1] ?? 0)) return bucket - 1;
  return ms >= (TIME_BOUNDS_MS[bucket] ?? Number.POSITIVE_INFINITY) ? bucket + 1 : bucket;
}

/** How often each bucket has a time of these, which is all that is read of times anywhere. */
export function timeCountsOf(times: readonly number[]): number[] {
  const counts = Array.from({ length: TIME_BUCKETS }, () => 0);
  for (const time of times) {
    const bucket = timeBucketOf(time);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return counts;
}

/** A time within a bucket in whole milliseconds, `part` (0 to 1) of the way through it; at both ends of the table, its only bound. */
function timeWithin(bucket: number, part: number): number {
  const below = TIME_BOUNDS_MS[bucket - 1];
  const above = TIME_BOUNDS_MS[bucket];
  if (below === undefined || above === undefined) return Math.round(below ?? above ?? 0);
  return Math.round(below * (above / below) ** part);
}

/**
 * The time in milliseconds that `share` (0 to 1) of the counted times do not exceed; null where none was counted. The times of a bucket are taken
 * to lie evenly in it, on the scale of the bounds.
 */
export function percentileOf(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(total * share));
  let seen = 0;
  const bucket = counts.findIndex((count) => (seen += count) >= rank);
  const count = counts[bucket] ?? 0;
  return timeWithin(bucket, (rank - (seen - count) - 0.5) / count);
}

/** Times in milliseconds; null where no call has one. Percentiles are within PERCENTILE_ERROR of the true ones. */
export const callTimes = z.object({
  count: z.number(),
  /** Present for the calls of one user, for which no percentiles are stored. */
  average_ms: z.number().nullable(),
  /** Present for the calls of all users. */
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
});
export type CallTimes = z.output<typeof callTimes>;

export const callFigures = z.object({
  succeeded: z.number(),
  /** The sum of `failures`. */
  failed: z.number(),
  failures: z.record(z.enum(FAILURE_KINDS), z.number()),
  /** Times to the first token of streams that succeeded. */
  first_token: callTimes,
  /** Total times of all calls that succeeded. */
  total: callTimes,
});
export type CallFigures = z.output<typeof callFigures>;

/** Fewer calls than this say little of how well something works. */
export const SMALL_SAMPLE = 10;

/** How calls ended. */
export interface Outcomes {
  succeeded: number;
  failed: number;
  /** Of those that failed. */
  refused: number;
}

/** Share of calls that succeeded, 0 to 1; null where there were none. Refused requests are the caller's own fault and count for nothing. */
export function shareOf({ succeeded, failed, refused }: Outcomes): number | null {
  const calls = succeeded + failed - refused;
  return calls === 0 ? null : succeeded / calls;
}
/** The same of figures. */
export const successShare = ({
  succeeded,
  failed,
  failures,
}: Pick<CallFigures, "succeeded" | "failed" | "failures">): number | null =>
  shareOf({ succeeded, failed, refused: failures.refused ?? 0 });
/** Share of all calls that failed, refused ones among them, 0 to 1; null where there were none. */
export function failedShare({ succeeded, failed }: Pick<CallFigures, "succeeded" | "failed">): number | null {
  return succeeded + failed === 0 ? null : failed / (succeeded + failed);
}

/** A share (0 to 1) in whole thousandths, rounded down, so that it is never 1000 while something failed. */
export const permilleOf = (share: number): number => Math.floor(share * 1000 + ROUNDING_SLACK);

/** How good a share is. */
export type ShareTone = "good" | "fair" | "bad";

const GOOD_SHARE = 0.99;
const FAIR_SHARE = 0.9;

export function shareTone(share: number): ShareTone {
  if (share >= GOOD_SHARE) return "good";
  return share >= FAIR_SHARE ? "fair" : "bad";
}

/** Below this share of at least so many calls something is degraded. */
const DEGRADED_SHARE = 0.95;
const DEGRADED_CALLS = 20;

/** Whether there are enough calls to say that something is degraded, or is not. */
export const isJudged = ({ succeeded, failed, refused }: Outcomes): boolean =>
  succeeded + failed - refused >= DEGRADED_CALLS;

/** Whether so many calls fail that an administrator has to look. */
export const isDegraded = (outcomes: Outcomes): boolean =>
  isJudged(outcomes) && (shareOf(outcomes) ?? 1) < DEGRADED_SHARE;
