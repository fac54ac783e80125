/** One measured number and where it came from; the whole result of a run is a list of them. */

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
export type PartName = "memory" | "start" | "relay" | "latency" | "streams" | "fsync" | "accounts" | "workers";

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

/** What two subjects are compared by: the same measurement of both, each round with itself, so that both sides saw the same machine. */
type Compared = (samples: readonly Sample[], what: string, subject: string, against: string) => number[];

/** Round-by-round quotients of two subjects. */
export const ratios: Compared = (samples, what, subject, against) =>
  paired(valuesOf(samples, what, subject), valuesOf(samples, what, against), (left, right) => left / right);

/** Round-by-round differences of two subjects. */
export const differences: Compared = (samples, what, subject, against) =>
  paired(valuesOf(samples, what, subject), valuesOf(samples, what, against), (left, right) => left - right);

/** Combines the numbers of the same rounds; a round that only one list has is left out. */
export function paired(
  left: readonly number[],
  right: readonly number[],
  combine: (a: number, b: number) => number,
): number[] {
  return left.flatMap((value, index) => {
    const other = right[index];
    return other === undefined ? [] : [combine(value, other)];
  });
}
