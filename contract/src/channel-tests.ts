/** What tests of channels say: the verdict kept with a channel, why one failed, and how far a run over many is. */
import { z } from "zod";

/** What the last test of a channel said; `none` where there was none since verdicts are kept. */
export const TEST_RESULT = { none: 0, passed: 1, failed: 2 } as const;

/** Why a test failed, with the values that its sentence in any language needs: see `testFailure`. */
export const TEST_FAILURE_CODES = [
  /** The upstream refused with `status`; `message` is its own text. */
  "upstream_status",
  "unreadable_answer",
  "address_refused",
  /** `reason` is what the system said, as ECONNREFUSED, where it said anything. */
  "connect",
  "connect_timeout",
  /** Nothing came within `seconds`. */
  "timeout",
  "idle_timeout",
  "reset",
  /** `message` says what about the channel makes a call impossible. */
  "not_possible",
  /** A fault of this server; its log has it. */
  "internal",
] as const;

export const testFailure = z.object({
  code: z.enum(TEST_FAILURE_CODES),
  values: z.record(z.string(), z.union([z.string(), z.number()])),
});
export type TestFailure = z.output<typeof testFailure>;

/** Failed channels that a run tells by name; the others are found by the filter `test_result`. */
export const FAILURES_NAMED = 5;

/** Run over all channels, or over chosen ones: at most one at a time. */
export const testProgress = z.object({
  running: z.boolean(),
  done: z.number(),
  total: z.number(),
  failed: z.number(),
  disabled: z.number(),
  enabled: z.number(),
  /** Somebody stopped it: what was not done by then was not tested. */
  stopped: z.boolean().default(false),
  /** The first ones that failed. */
  failures: z.array(z.object({ id: z.number(), name: z.string() })).default([]),
  started_time: z.number(),
  finished_time: z.number(),
});
export type TestProgress = z.output<typeof testProgress>;
