/** What a run does: which parts, how many rounds, how long each measurement; read from the command line. */
import type { PartName } from "./sample.ts";

/** Durations and counts of a run. The quick form looks at everything once, in about a minute, and proves nothing. */
export interface Plan {
  readonly quick: boolean;
  readonly parts: readonly PartName[];
  readonly rounds: number;
  readonly connections: readonly number[];
  readonly warmSeconds: number;
  readonly relaySeconds: number;
  readonly latencySeconds: number;
  readonly streamSeconds: number;
  readonly fsyncSeconds: number;
  readonly idleSeconds: number;
}

/** In the order in which they run. */
const PARTS: readonly PartName[] = ["memory", "relay", "latency", "streams", "fsync"];

const FULL = {
  rounds: 3,
  warmSeconds: 4,
  relaySeconds: 4,
  latencySeconds: 5,
  streamSeconds: 5,
  fsyncSeconds: 4,
  idleSeconds: 3,
};
const QUICK = {
  rounds: 1,
  warmSeconds: 1,
  relaySeconds: 2,
  latencySeconds: 3,
  streamSeconds: 3,
  fsyncSeconds: 3,
  idleSeconds: 3,
};

/** Reads `--quick` and part names; no part name means all parts. Throws on anything else, naming what is accepted. */
export function readPlan(args: readonly string[]): Plan {
  const quick = args.includes("--quick");
  const named = args.filter((arg) => arg !== "--quick");
  const unknown = named.find((name) => !PARTS.some((part) => part === name));
  if (unknown !== undefined) throw new Error(`'${unknown}' is not known; accepted: --quick ${PARTS.join(" ")}`);
  const parts = PARTS.filter((part) => named.length === 0 || named.includes(part));
  return { quick, parts, connections: [64, 256], ...(quick ? QUICK : FULL) };
}
