/** Results of channel tests: the result stored with a channel, why a test failed, and the progress of a run over many channels. */
import { z } from "zod";

// The progress of a background run over many channels: tests and balances have the same, and each adds what it counts besides.

/** How many failed channels a run names. */
export const FAILURES_NAMED = 5;

/** At most one run of a kind is under way at a time, whichever process has it. */
export const runProgress = z.object({
  running: z.boolean(),
  done: z.number(),
  total: z.number(),
  failed: z.number(),
  /** Channels that the run disabled. */
  disabled: z.number(),
  /** The run was stopped; the other channels were not tested. */
  stopped: z.boolean().default(false),
  /** The first channels that failed. */
  failures: z.array(z.object({ id: z.number(), name: z.string() })).default([]),
  started_time: z.number(),
  finished_time: z.number(),
});
export type RunProgress = z.output<typeof runProgress>;

/** Result of a channel's last test; `none` where none has been stored yet. */
export const TEST_RESULT = { none: 0, passed: 1, failed: 2 } as const;

/** What a test is to show: any answer, one in pieces, a call of a tool, and an answer about a picture. The last three are for conversations. */
export const TEST_KINDS = ["plain", "stream", "tools", "pictures"] as const;
export type TestKind = (typeof TEST_KINDS)[number];

/** Why a test failed; `testFailure` adds the values that the translated sentence needs. */
export const TEST_FAILURE_CODES = [
  /** The upstream answered with the error `status`; `message` is its own text. */
  "upstream_status",
  "unreadable_answer",
  "address_refused",
  /** `reason` is the error code of the operating system, such as ECONNREFUSED, where there is one. */
  "connect",
  "connect_timeout",
  /** No answer came within `seconds`. */
  "timeout",
  "idle_timeout",
  "reset",
  /** No single short call tries such a model: videos, sessions. */
  "no_test_for_model",
  /** Only conversations are tested for streaming, tools and pictures. */
  "not_for_model",
  /** The answer came in one piece where a stream was asked for. */
  "not_streamed",
  /** The model answered without calling the tool that it was asked to call. */
  "no_tool_call",
  /** The channel's type does not serve `operation`. */
  "operation_not_served",
  /** `message` says why the channel cannot be called. */
  "not_possible",
  /** The gateway itself failed; its log has the details. */
  "internal",
] as const;

export const testFailure = z.object({
  code: z.enum(TEST_FAILURE_CODES),
  values: z.record(z.string(), z.union([z.string(), z.number()])),
});
export type TestFailure = z.output<typeof testFailure>;

/** What the test of a form showed. */
export const draftTestFacts = z.object({
  /** Seconds. */
  time: z.number(),
  /** What the answer cost at the upstream, in quota units; absent where there was none or its price is unknown. */
  cost: z.number().optional(),
  failure: testFailure.optional(),
});

/** A run over all channels or over selected ones; the filter `test_result` finds all that failed. */
export const testProgress = runProgress.extend({ enabled: z.number() });
export type TestProgress = z.output<typeof testProgress>;
