/** The plan of a run: which parts, how many rounds, how long each measurement; parsed from the command line. */
import type { PartName } from "./sample.ts";

/** Durations and counts of a run. The quick form looks at everything once, in some minutes, and proves nothing. */
export interface Plan {
  readonly quick: boolean;
  readonly parts: readonly PartName[];
  readonly rounds: number;
  readonly connections: readonly number[];
  /** Load on a gateway before its first round, and again before each round. */
  readonly warmSeconds: number;
  readonly rewarmSeconds: number;
  /** Of one measurement. */
  readonly seconds: number;
  readonly idleSeconds: number;
  /** Rows of the log that the accounts are measured on. */
  readonly logRows: number;
}

/** In the order in which they run. */
export const PARTS: readonly PartName[] = [
  "memory",
  "start",
  "relay",
  "latency",
  "streams",
  "fsync",
  "accounts",
  "workers",
];

const FULL = { rounds: 5, warmSeconds: 20, rewarmSeconds: 5, seconds: 6, idleSeconds: 3, logRows: 1_000_000 };
const QUICK = { rounds: 1, warmSeconds: 1, rewarmSeconds: 1, seconds: 2, idleSeconds: 3, logRows: 20_000 };

/** Reads `--quick` and part names; no part name means all parts. Throws on anything else, naming what is accepted. */
export function readPlan(args: readonly string[]): Plan {
  const quick = args.includes("--quick");
  const named = args.filter((arg) => arg !== "--quick");
  const unknown = named.find((name) => !PARTS.some((part) => part === name));
  if (unknown !== undefined) throw new Error(`'${unknown}' is not known; accepted: --quick ${PARTS.join(" ")}`);
  const parts = PARTS.filter((part) => named.length === 0 || named.includes(part));
  return { quick, parts, connections: [64, 256], ...(quick ? QUICK : FULL) };
}
