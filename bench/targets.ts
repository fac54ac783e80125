/** The targets of the benchmark as a table: what is compared with what, and the limit it must stay under. */
import { CALL_P50, CALL_P99 } from "./parts/latency.ts";
import { FIRST_CHUNK, LAST_CHUNK } from "./parts/fsync.ts";
import { IDLE_MEMORY, STREAM_MEMORY } from "./parts/memory.ts";
import { cpuPerCall } from "./parts/relay.ts";
import { CHUNK_DELAY, CPU_PER_CHUNK } from "./parts/streams.ts";
import { medianDifference, medianOf, medianRatio } from "./sample.ts";
import type { Sample } from "./sample.ts";

/** One line of the result; `measure` gives undefined when the run did not include it. */
export interface Target {
  readonly name: string;
  readonly limit: number;
  /** Printed after the number. */
  readonly unit: string;
  measure(samples: readonly Sample[]): number | undefined;
}

type Compare = (samples: readonly Sample[], what: string, subject: string, against: string) => number | undefined;

const times = (name: string, what: string, against: string, limit: number): Target => ({
  name,
  limit,
  unit: "x",
  measure: (samples) => medianRatio(samples, what, "turnpike", against),
});

const above = (name: string, what: string, limit: number, compare: Compare = medianDifference): Target => ({
  name,
  limit,
  unit: "ms",
  measure: (samples) => compare(samples, what, "turnpike", "direct"),
});

const below = (name: string, what: string, limit: number, unit: string): Target => ({
  name,
  limit,
  unit,
  measure: (samples) => medianOf(samples, what, "turnpike"),
});

/** Every limit is "at most". */
export const TARGETS: readonly Target[] = [
  times("CPU per call against nginx, 64 connections (aim: 5x)", cpuPerCall(64), "nginx", 8),
  times("CPU per call against nginx, 256 connections (aim: 5x)", cpuPerCall(256), "nginx", 8),
  times("CPU per call against Portkey, 64 connections", cpuPerCall(64), "portkey", 0.2),
  times("CPU per call against Portkey, 256 connections", cpuPerCall(256), "portkey", 0.2),
  times("CPU per relayed chunk against nginx", CPU_PER_CHUNK, "nginx", 3),
  above("Added to a call at 200 calls/s, p50", CALL_P50, 1),
  above("Added to a call at 200 calls/s, p99", CALL_P99, 5),
  above("Added to the first chunk with a 5 ms fsync, p99", FIRST_CHUNK, 5),
  above("Added to the last chunk with a 5 ms fsync, p99", LAST_CHUNK, 25),
  above("Added to the delay of a chunk, 500 streams x 20 chunks/s, p99", CHUNK_DELAY, 25),
  below("Memory per open stream", STREAM_MEMORY, 64, "kB"),
  below("Memory when idle", IDLE_MEMORY, 130, "MB"),
];
