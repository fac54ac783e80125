/** The tables call_hours and token_call_hours: call statistics by hour. */
import type { FailureKind } from "../../../contract/src/call-figures.ts";

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
/** The buckets of contract/src/call-figures.ts, 00 to 47. */
type TimeBucket = `${0 | 1 | 2 | 3}${Digit}` | `4${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7}`;

/** Calls that are logged: charged ones, and failures by their kind. */
type CallCountColumns = Record<"succeeded" | `failed_${FailureKind}`, number>;

/** Failed attempts that were retried with another channel or key, by their kind: they do not count as calls. */
type RetriedColumns = Record<`retried_${FailureKind}`, number>;

/** Call statistics by the hour in which calls began: each process adds its counts. Times are of successful calls. */
export interface CallHourTable
  extends CallCountColumns, RetriedColumns, Record<`first_token_${TimeBucket}` | `total_${TimeBucket}`, number> {
  hour: number;
  /** 0 if no channel was tried. */
  channel_id: number;
  model: string;
}

/** The same for each token, with sums of times in place of their buckets. */
export interface TokenCallHourTable extends CallCountColumns {
  hour: number;
  user_id: number;
  token_id: number;
  /** Calls with a first token, and their milliseconds until then. */
  first_token_count: number;
  first_token_ms: number;
  total_ms: number;
}
