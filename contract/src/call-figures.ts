/** How well calls go, as it is counted: the kinds of failure, and the table of times from which percentiles are read. Pure. */

/** What a failed call failed of, as its caller saw it; in the order in which they are shown. */
export const FAILURE_KINDS = [
  /** The upstream refused the key of its channel. */
  "key_refused",
  /** 429, of the upstream or of a limit here. */
  "rate_limited",
  /** Nothing in time: 408, 504, 524. */
  "timeout",
  /** The upstream answered with 5xx, or could not be reached. */
  "upstream",
  /** An answer that had begun broke off; what was delivered may have been charged. */
  "broken_off",
  /** No channel of the model could be tried. */
  "no_channel",
  /** The gateway itself: its database, its memory, its settings, its stop. */
  "gateway",
  /** The request itself was refused: every other 4xx. */
  "refused",
] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

const TIMEOUT_STATUSES: readonly number[] = [408, 504, 524];

/** Codes whose kind their status does not tell. */
const KIND_OF_CODE: Readonly<Record<string, FailureKind>> = {
  channel_key_refused: "key_refused",
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

/** The kind of a failure, by the status and the code that its caller was told: what a row of the log has of it too. */
export function failureKindOf(status: number, code: string): FailureKind {
  const known = Object.hasOwn(KIND_OF_CODE, code) ? KIND_OF_CODE[code] : undefined;
  if (known !== undefined) return known;
  if (status === 429) return "rate_limited";
  if (TIMEOUT_STATUSES.includes(status)) return "timeout";
  return status >= 500 ? "upstream" : "refused";
}

/** Times below this are one bucket. */
const FIRST_BOUND_MS = 50;
const BUCKETS_PER_DOUBLING = 3;
/** With those below the first bound and above the last one, which is 34 minutes. */
export const TIME_BUCKETS = 48;

/** Lower bounds of the buckets 1 and up, in milliseconds: each is 26 % above the one before. */
export const TIME_BOUNDS_MS: readonly number[] = Array.from(
  { length: TIME_BUCKETS - 1 },
  (_, index) => FIRST_BOUND_MS * 2 ** (index / BUCKETS_PER_DOUBLING),
);

/** A percentile is at most so far from the true one, as a factor, where that lies between the first bound and the last. */
export const PERCENTILE_ERROR = 2 ** (1 / (2 * BUCKETS_PER_DOUBLING)) - 1;

/** The bucket that a time is counted in. */
export function timeBucketOf(ms: number): number {
  if (ms < FIRST_BOUND_MS) return 0;
  const near = Math.floor(Math.log2(ms / FIRST_BOUND_MS) * BUCKETS_PER_DOUBLING) + 1;
  const bucket = Math.min(TIME_BUCKETS - 1, near);
  // Logarithms are inexact beside a bound; the table decides.
  if (ms < (TIME_BOUNDS_MS[bucket - 1] ?? 0)) return bucket - 1;
  return ms >= (TIME_BOUNDS_MS[bucket] ?? Number.POSITIVE_INFINITY) ? bucket + 1 : bucket;
}

/** The middle of a bucket by ratio, whole milliseconds; the bound itself at both ends of the table. */
function middleOf(bucket: number): number {
  const below = TIME_BOUNDS_MS[bucket - 1];
  const above = TIME_BOUNDS_MS[bucket];
  if (below === undefined || above === undefined) return Math.round(below ?? above ?? 0);
  return Math.round(Math.sqrt(below * above));
}

/** The time that `share` (0 to 1) of those counted do not exceed, in milliseconds; null where none is counted. */
export function percentileOf(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(total * share));
  let seen = 0;
  const bucket = counts.findIndex((count) => (seen += count) >= rank);
  return middleOf(bucket);
}
