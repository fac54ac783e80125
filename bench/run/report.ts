/** Turns the findings of a run into docs/benchmarks.md and into the lines printed at its end; pure. */
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

/** Outcome of one target: a number that was not measured is neither met nor missed. */
export function verdict(
  target: Target,
  samples: readonly Sample[],
): { value: number | undefined; word: "met" | "missed" | "not measured" } {
  const value = target.measure(samples);
  if (value === undefined || Number.isNaN(value)) return { value: undefined, word: "not measured" };
  return { value, word: value <= target.limit ? "met" : "missed" };
}

/** The table of targets in Markdown; it is also what the run prints. */
export function targetTable(samples: readonly Sample[], targets: readonly Target[] = TARGETS): string {
  const rows = targets.map((target) => {
    const { value, word } = verdict(target, samples);
    const measured = value === undefined ? "-" : `${shortNumber(value)} ${target.unit}`;
    return [target.name, `<= ${target.limit} ${target.unit}`, measured, word === "missed" ? "**missed**" : word];
  });
  return table(["target", "limit", "measured (median)", "result"], rows);
}

/** The whole document. */
export function document(findings: Findings, plan: Plan, circumstances: Circumstances): string {
  return [
    "# Benchmarks",
    "",
    INTRODUCTION,
    "",
    ...circumstanceLines(circumstances).map((line) => `- ${line}`),
    `- form: ${plan.quick ? "quick, one short round, proves nothing" : `${plan.rounds} rounds, subjects in turn`}`,
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
A missed target stays in the table. \`npm run bench -- --quick\` takes about a minute; \`-- relay\`, \`streams\`, \`latency\`,
\`fsync\` or \`memory\` run one part; only a full run writes this file. Needs nginx, wrk and gcc (Debian: \`apt-get install nginx-light wrk gcc libc6-dev\`).`;

function checks({ failures, books }: Findings): string[] {
  const failed =
    failures.length === 0 ? ["- Every call was answered completely."] : failures.map((line) => `- **${line}**`);
  return [...failed, ...books.map((line) => `- ${line}`)];
}

/** Every number by round, and the medians. */
export function rawTable(samples: readonly Sample[]): string {
  const groups = Map.groupBy(samples, ({ part, what, subject, unit }) => [part, what, subject, unit].join("\n"));
  const rounds = Math.max(0, ...samples.map(({ round }) => round));
  const rows = [...groups].map(([key, group]) => {
    const values = group.map(({ value }) => value);
    const cells = Array.from({ length: rounds }, (_, index) =>
      values[index] === undefined ? "" : shortNumber(values[index]),
    );
    return [...key.split("\n"), ...cells, shortNumber(median(values))];
  });
  const head = Array.from({ length: rounds }, (_, index) => `round ${index + 1}`);
  return table(["part", "measurement", "subject", "unit", ...head, "median"], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function shortNumber(value: number): string {
  return value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 1000 ? 1 : 0);
}
