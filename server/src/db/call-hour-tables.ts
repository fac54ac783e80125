/** The tables call_hours and token_call_hours: call statistics by hour. */
import type { FailureKind } from "../../../contract/src/call-figures.ts";

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
/** The buckets of contract/src/call-figures.ts, 00 to 47. */
type TimeBucket = `${0 | 1 | 2 | 3}${Digit}` | `4${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7}`;

/** Calls that have a row in the log, or would have one: those charged for, and failures by their kind. */
type CallCountColumns = Record<"succeeded" | `failed_${FailureKind}`, number>;

/** Failed attempts after which the call went on to another channel or key, by their kind: they are no calls of their own. */
type RetriedColumns = Record<`retried_${FailureKind}`, number>;

/** How calls went, by the hour in which they began: each process adds what it counted. Times are of calls that succeeded. */
export interface CallHourTable
  extends CallCountColumns, RetriedColumns, Record<`first_token_${TimeBucket}` | `total_${TimeBucket}`, number> {
  hour: number;
  /** 0 where none was tried. */
  channel_id: number;
  model: string;
}

/** The same for each token, with sums of times in place of their buckets. */
export interface TokenCallHourTable extends CallCountColumns {
  hour: number;
  user_id: number;
  token_id: number;
  /** Calls that had a first token, and their milliseconds until then. */
  first_token_count: number;
  first_token_ms: number;
  total_ms: number;
}
