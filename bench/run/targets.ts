/** The targets of the benchmark as a table: what is compared with what, and the limit it must stay under. */
import { ACCOUNTS_LIMITS, WRITER_CPU } from "../parts/accounts.ts";
import { CALL_P50, CALL_P99, FDATASYNC } from "../parts/latency.ts";
import { FIRST_CHUNK, LAST_CHUNK } from "../parts/fsync.ts";
import { IDLE_MEMORY, STREAM_MEMORY } from "../parts/memory.ts";
import { CPU_LONG_PROMPT, cpuPerCall } from "../parts/relay.ts";
import { FIRST_SECONDS, FIRST_TWENTY_SECONDS } from "../parts/start.ts";
import { CHUNK_DELAY, CPU_PER_CHUNK, CPU_PER_CHUNK_OF_FEW } from "../parts/streams.ts";
import { WORKERS_CPU, workersName } from "../parts/workers.ts";
import { differences, paired, ratios, valuesOf } from "./sample.ts";
import type { Sample } from "./sample.ts";

/** One line of the result; `values` has one number a round, and none where the run did not include it. */
export interface Target {
  readonly name: string;
  /** At most; undefined for a number that is only shown. */
  readonly limit: number | undefined;
  /** Printed after the number. */
  readonly unit: string;
  values(samples: readonly Sample[]): readonly number[];
}

const times = (name: string, what: string, against: string, limit: number): Target => ({
  name,
  limit,
  unit: "x",
  values: (samples) => ratios(samples, what, "turnpike", against),
});

const above = (name: string, what: string, limit: number): Target => ({
  name,
  limit,
  unit: "ms",
  values: (samples) => differences(samples, what, "turnpike", "direct"),
});

const below = (name: string, what: string, limit: number | undefined, unit: string, subject = "turnpike"): Target => ({
  name,
  limit,
  unit,
  values: (samples) => valuesOf(samples, what, subject),
});

/** A charge is on the disk before its answer ends, so the disk's own time is taken off, that of the same round. */
const ADDED_P50: Target = {
  name: "Added to a call at 200 calls/s beside one fdatasync, p50",
  limit: 0.75,
  unit: "ms",
  values: (samples) =>
    paired(
      differences(samples, CALL_P50, "turnpike", "direct"),
      valuesOf(samples, FDATASYNC, "disk"),
      (added, disk) => added - disk,
    ),
};

const TWO_WORKERS: Target = {
  name: "CPU per call on PostgreSQL, WORKERS=2 against 1",
  limit: 1.1,
  unit: "x",
  values: (samples) => ratios(samples, WORKERS_CPU, workersName(2), workersName(1)),
};

export const TARGETS: readonly Target[] = [
  times("CPU per call against nginx, 64 connections", cpuPerCall(64), "nginx", 5.5),
  times("CPU per call against nginx, 256 connections", cpuPerCall(256), "nginx", 5.5),
  times("CPU per call against Portkey, 64 connections", cpuPerCall(64), "portkey", 0.15),
  times("CPU per call against Portkey, 256 connections", cpuPerCall(256), "portkey", 0.15),
  times("CPU per call with a prompt of 100 kB against nginx", CPU_LONG_PROMPT, "nginx", 6),
  times("CPU per call in the first 4 s after a start against nginx", FIRST_SECONDS, "nginx", 9),
  times("CPU per call in the first 20 s after a start against nginx", FIRST_TWENTY_SECONDS, "nginx", 10),
  times("CPU per relayed chunk against nginx, 100 streams", CPU_PER_CHUNK_OF_FEW, "nginx", 2.6),
  times("CPU per relayed chunk against nginx, 500 streams", CPU_PER_CHUNK, "nginx", 2.3),
  ADDED_P50,
  above("Added to a call at 200 calls/s, p99", CALL_P99, 5),
  above("Added to the first chunk with a 5 ms fsync, p99", FIRST_CHUNK, 5),
  above("Added to the last chunk with a 5 ms fsync, p99", LAST_CHUNK, 25),
  above("Added to the delay of a chunk, 500 streams x 20 chunks/s, p99", CHUNK_DELAY, 25),
  below("Memory per open stream", STREAM_MEMORY, 30, "kB"),
  below("Memory when idle", IDLE_MEMORY, 130, "MB"),
  ...ACCOUNTS_LIMITS.map(([accounts, limit]) =>
    below(
      `Writer's CPU per call, ${accounts.toLocaleString("en")} active accounts`,
      WRITER_CPU,
      limit,
      "µs",
      String(accounts),
    ),
  ),
  below("CPU per call on PostgreSQL, WORKERS=1", WORKERS_CPU, 110, "µs", workersName(1)),
  TWO_WORKERS,
];
