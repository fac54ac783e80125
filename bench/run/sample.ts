/** One measured number and where it came from; the whole result of a run is a list of them. */
import { median } from "./statistics.ts";

export type Unit = "µs" | "ms" | "calls/s" | "kB" | "MB" | "calls" | "chunks";

/** `what` names the measurement, for example "CPU per call, 64 connections"; rounds count from 1. */
export interface Sample {
  readonly part: PartName | "translate";
  readonly what: string;
  readonly subject: string;
  readonly round: number;
  readonly value: number;
  readonly unit: Unit;
}

/** The parts of a full run; `translate` is a run of its own. */
export type PartName = "relay" | "streams" | "latency" | "fsync" | "memory";

/** Everything a run gathers: numbers, and calls that failed, which no benchmark may hide. */
export interface Findings {
  readonly samples: Sample[];
  readonly failures: string[];
  /** What the ledgers of the measured Turnpikes said afterwards. */
  readonly books: string[];
}

/** The values of one measurement of one subject, in the order of the rounds. */
export function valuesOf(samples: readonly Sample[], what: string, subject: string): number[] {
  return samples.filter((sample) => sample.what === what && sample.subject === subject).map((sample) => sample.value);
}

/** Median over the rounds, or undefined when it was not measured in this run. */
export function medianOf(samples: readonly Sample[], what: string, subject: string): number | undefined {
  const values = valuesOf(samples, what, subject);
  return values.length === 0 ? undefined : median(values);
}

/** Median of the round-by-round quotient of two subjects, so that both sides of each quotient saw the same machine. */
export function medianRatio(
  samples: readonly Sample[],
  what: string,
  subject: string,
  against: string,
): number | undefined {
  const above = valuesOf(samples, what, subject);
  const below = valuesOf(samples, what, against);
  return medianOfPairs(above, below, (left, right) => left / right);
}

/** Median of the round-by-round difference of two subjects. */
export function medianDifference(
  samples: readonly Sample[],
  what: string,
  subject: string,
  against: string,
): number | undefined {
  const above = valuesOf(samples, what, subject);
  const below = valuesOf(samples, what, against);
  return medianOfPairs(above, below, (left, right) => left - right);
}

function medianOfPairs(left: number[], right: number[], combine: (a: number, b: number) => number): number | undefined {
  const pairs = left.flatMap((value, index) => {
    const other = right[index];
    return other === undefined ? [] : [combine(value, other)];
  });
  return pairs.length === 0 ? undefined : median(pairs);
}
