/** Renders the results of a run as docs/benchmarks.md and as the lines printed at its end; pure. */
import type { Plan } from "./plan.ts";
import type { Findings, Sample } from "./sample.ts";
import { median } from "./statistics.ts";
import { TARGETS } from "./targets.ts";
import type { Target } from "./targets.ts";

/** Where and when the run was made. */
export interface Circumstances {
  readonly date: string;
  readonly machine: string;
  readonly versions: ReadonlyMap<string, string>;
}

/** Outcome of one target by the median of its rounds: a number that was not measured is neither met nor missed. */
export function verdict(
  target: Target,
  samples: readonly Sample[],
): { values: readonly number[]; word: "met" | "missed" | "not measured" | "shown" } {
  const values = target.values(samples).filter((value) => !Number.isNaN(value));
  if (values.length === 0) return { values, word: "not measured" };
  if (target.limit === undefined) return { values, word: "shown" };
  return { values, word: median(values) <= target.limit ? "met" : "missed" };
}

/** The table of targets in Markdown; it is also what the run prints. */
export function targetTable(samples: readonly Sample[], targets: readonly Target[] = TARGETS): string {
  const rows = targets.map((target) => {
    const { values, word } = verdict(target, samples);
    const limit = target.limit === undefined ? "" : `<= ${target.limit} ${target.unit}`;
    const measured = values.length === 0 ? "-" : `${shortNumber(median(values))} ${target.unit}`;
    return [target.name, limit, measured, span(values), word === "missed" ? "**missed**" : word];
  });
  return table(["target", "limit", "measured (median)", "lowest to highest round", "result"], rows);
}

/** The whole document. */
export function document(findings: Findings, plan: Plan, circumstances: Circumstances): string {
  return [
    "# Benchmarks",
    "",
    INTRODUCTION,
    "",
    ...circumstanceLines(circumstances).map((line) => `- ${line}`),
    `- form: ${plan.rounds} rounds of ${plan.seconds} s, subjects in turn; ${plan.warmSeconds} s of load before the first and ${plan.rewarmSeconds} s before each`,
    "",
    "## Targets",
    "",
    targetTable(findings.samples),
    "",
    "## Checks of the run itself",
    "",
    ...checks(findings),
    "",
    "## Raw numbers",
    "",
    rawTable(findings.samples),
    "",
  ].join("\n");
}

/** Versions, machine and date, a line each. */
export const circumstanceLines = ({ versions, machine, date }: Circumstances): string[] => [
  ...[...versions].map(([name, version]) => `${name}: ${version}`),
  `machine: ${machine}`,
  `date: ${date}`,
];

const INTRODUCTION = `Written by \`npm run bench\`, which starts everything itself on one machine: a provider that answers prepared bytes, nginx
(\`proxy_pass\`, one worker, kept-alive connections, access log), Portkey's gateway from npm (without streaming only: its
streams fail on a fresh install), and Turnpike with authentication, routing, holds, settlement and log on its embedded database.
CPU is user and system time of the gateway's processes alone, all threads included. "direct" is the provider without a
gateway. Ratios and differences are taken within a round; the median of the rounds is compared with the limit.
A missed target stays in the table. "accounts" posts calls straight to the ledger on SQLite, on a log of 1,000,000 rows; "workers" is the whole gateway on
PostgreSQL, whose own CPU is not counted. bench/README.md says how to run it whole or part by part and what it needs.`;

function checks({ failures, books }: Findings): string[] {
  const failed =
    failures.length === 0 ? ["- Every call was answered completely."] : failures.map((line) => `- **${line}**`);
  return [...failed, ...books.map((line) => `- ${line}`)];
}

/** Every number by round, with the lowest, the median and the highest. */
export function rawTable(samples: readonly Sample[]): string {
  const groups = Map.groupBy(samples, ({ part, what, subject, unit }) => [part, what, subject, unit].join("\n"));
  const rounds = Math.max(0, ...samples.map(({ round }) => round));
  const rows = [...groups].map(([key, group]) => {
    const values = group.map(({ value }) => value);
    const cells = Array.from({ length: rounds }, (_, index) =>
      values[index] === undefined ? "" : shortNumber(values[index]),
    );
    const summary = [Math.min(...values), median(values), Math.max(...values)].map(shortNumber);
    return [...key.split("\n"), ...cells, ...summary];
  });
  const head = Array.from({ length: rounds }, (_, index) => `round ${index + 1}`);
  return table(["part", "measurement", "subject", "unit", ...head, "min", "median", "max"], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** The lowest and the highest number; empty where there is none. */
const span = (values: readonly number[]): string =>
  values.length === 0 ? "" : `${shortNumber(Math.min(...values))} to ${shortNumber(Math.max(...values))}`;

function shortNumber(value: number): string {
  return value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 1000 ? 1 : 0);
}
