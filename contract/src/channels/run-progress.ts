/** Progress of a background run over many channels: the fields that test runs and balance runs share. */
import { z } from "zod";

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
  /** The run was stopped by an administrator; the remaining channels were not asked. */
  stopped: z.boolean().default(false),
  /** The first channels that failed. */
  failures: z.array(z.object({ id: z.number(), name: z.string() })).default([]),
  started_time: z.number(),
  finished_time: z.number(),
});
export type RunProgress = z.output<typeof runProgress>;
