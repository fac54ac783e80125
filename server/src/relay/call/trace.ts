/** The trace of a call, for its receipt: the channels tried, and those skipped, whatever its end. */
import type { SkipReason } from "../../../../contract/src/receipt-codes.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import type { Target } from "./target.ts";

/** One channel that was tried, for the receipt. */
export interface TriedChannel {
  id: number;
  name: string;
  /** Mark of the key it was tried with, where the channel has several. */
  key?: string;
  start_ms: number;
  ms: number;
  status: number;
  /** Empty for the one that answered. */
  reason: string;
  /** By which the upstream knows the request, where it said so. */
  upstream_request_id?: string;
}

/** The key of a channel that has several, as a receipt names it. */
export const triedKey = ({ ofKey }: SnapshotChannel): Pick<TriedChannel, "key"> =>
  ofKey === undefined ? {} : { key: ofKey.mark };

/** The operator's rule by which a call belongs to others, and whether a channel was known that had answered one of them. */
export interface AffinityMatch {
  rule: string;
  hit: boolean;
}

/** One channel that was not tried, and why. */
export type SkippedChannel = { id: number; name: string } & SkipReason;

/** Fields whose values are no lists, no objects and no prose. */
const PLAIN_FIELDS = String.raw`\{(?:\s*"\w+"\s*:\s*(?:"[\w.:-]*"|-?[\d.]+|null|true|false)\s*,)*\s*`;
/** The answer's own id, also inside of an event: another stands in what an answer repeats of its request, as `metadata` does. */
const ANSWER_ID = new RegExp(
  String.raw`^(?:event:[^\n]*\n)?(?:data:)?\s*(?:${PLAIN_FIELDS}"(?:response|message)"\s*:\s*)?${PLAIN_FIELDS}"id"\s*:\s*"([\w-]{1,200})"`,
);
const OPENING_CHARACTERS = 1_024;

/** Filled while channels are tried; empty for a call that did not come so far. */
export class Trace {
  readonly tried: TriedChannel[] = [];
  readonly skipped: SkippedChannel[] = [];
  /** What was sent last; undefined before anything was. */
  target: Target | undefined = undefined;
  /** Whole milliseconds until an upstream's answer began, at least 1; 0 for none. */
  firstByteMs = 0;

  /** Undefined where no rule takes the call. */
  affinity: AffinityMatch | undefined = undefined;

  /** True while the id of the answer is wanted, which the first of its texts has. */
  wantsAnswerId = false;
  /** By which the upstream keeps the answer; empty where it was not wanted, or there is none. */
  answerId = "";

  /** Finds the id in the first text of an answer: its own is the first that stands there. */
  readAnswerId(text: string): void {
    this.wantsAnswerId = false;
    this.answerId = ANSWER_ID.exec(text.slice(0, OPENING_CHARACTERS))?.[1] ?? "";
  }

  /** Notes that a channel was not tried, and why. */
  skip({ id, name }: { id: number; name: string }, reason: SkipReason): void {
    this.skipped.push({ id, name, ...reason });
  }

  /** What was skipped and not tried after all; the last reason of each channel. */
  get finallySkipped(): readonly SkippedChannel[] {
    if (this.skipped.length === 0) return this.skipped;
    const wasTried = new Set(this.tried.map(({ id }) => id));
    return [...new Map(this.skipped.map((each) => [each.id, each])).values()].filter(({ id }) => !wasTried.has(id));
  }
}
