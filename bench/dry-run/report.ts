/** The result of `npm run bench -- dry-run` as a section of docs/benchmarks.md. Pure. */
import { median, quantile } from "../run/statistics.ts";

export const DRY_RUN_HEADING = "## Dry run of prices";

/** Limits: seconds of a run, and milliseconds that it may add to the slowest of 100 calls. */
const LIMITS = { runSeconds: 10, addedMs: 5 } as const;

/** What the rounds found; one number a round. */
export interface Found {
  rows: number;
  runSeconds: readonly number[];
  /** Of calls through the relay without a dry run, and beside one; milliseconds to the last byte. */
  alone: { p50: readonly number[]; p99: readonly number[] };
  beside: { p50: readonly number[]; p99: readonly number[] };
}

const spread = (numbers: readonly number[]): string =>
  `${quantile(numbers, 0).toFixed(2)} to ${quantile(numbers, 1).toFixed(2)}`;

const row = (what: string, limit: number | undefined, unit: string, numbers: readonly number[]): string => {
  const value = median(numbers);
  const [bound, result] =
    limit === undefined ? ["", "shown"] : [`<= ${limit} ${unit}`, value <= limit ? "met" : "**missed**"];
  return `| ${[what, bound, `${value.toFixed(2)} ${unit}`, spread(numbers), result].join(" | ")} |`;
};

/** The section; `where` says on which machine and when. */
export function dryRunSection({ rows, runSeconds, alone, beside }: Found, where: readonly string[]): string {
  const added = beside.p99.map((value, round) => value - (alone.p99[round] ?? 0));
  return [
    DRY_RUN_HEADING,
    "",
    "Written by `npm run bench -- dry-run` (three minutes): a month of calls on SQLite, priced again under another group ratio, again and again while",
    "100 calls a second go through the relay, in turn with the same calls alone.",
    "",
    `- charges in the ledger: ${rows}`,
    ...where.map((line) => `- ${line}`),
    "",
    "| what | limit | median | lowest to highest round | result |",
    "| --- | --- | --- | --- | --- |",
    row("dry run of the whole month", LIMITS.runSeconds, "s", runSeconds),
    row("a relayed call alone, p50", undefined, "ms", alone.p50),
    row("the same beside dry runs, p50", undefined, "ms", beside.p50),
    row("a relayed call alone, p99", undefined, "ms", alone.p99),
    row("the same beside dry runs, p99", undefined, "ms", beside.p99),
    row("added to the p99", LIMITS.addedMs, "ms", added),
    "",
  ].join("\n");
}
