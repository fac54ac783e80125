/** The results of `npm run bench -- guard` and `history`: what is compared, its limits, and the sections of docs/benchmarks.md. Pure. */
import { sectionOf } from "../run/sections.ts";
import { median, quantile } from "../run/statistics.ts";

export const RELEASES_HEADING = "## Releases";

/** What one tree measured, round by round; round n of both trees and of nginx ran one after the other. */
export interface Measured {
  readonly callMicroseconds: readonly number[];
  readonly chunkMicroseconds: readonly number[];
  readonly idleMegabytes: readonly number[];
  readonly startMilliseconds: readonly number[];
}

/** A guard: `growth` of the new values over the old ones, each round with itself, and the most that passes. */
interface Guard {
  readonly name: string;
  readonly of: keyof Measured;
  readonly unit: string;
  readonly limit: number;
  readonly growth: "percent" | "difference";
}

export const GUARDS: readonly Guard[] = [
  { name: "CPU of a call, 64 connections", of: "callMicroseconds", unit: "µs", limit: 5, growth: "percent" },
  { name: "CPU of a chunk, 100 streams", of: "chunkMicroseconds", unit: "µs", limit: 5, growth: "percent" },
  { name: "memory when idle", of: "idleMegabytes", unit: "MB", limit: 5, growth: "difference" },
  { name: "start until ready", of: "startMilliseconds", unit: "ms", limit: 10, growth: "percent" },
];

/** What came of one guard; the growth is the median of the rounds. */
export interface Verdict {
  readonly guard: Guard;
  readonly before: number;
  readonly after: number;
  readonly growth: number;
  /** The quarter of the rounds below and above: how far the machine lets the growth be known. */
  readonly quarters: readonly [low: number, high: number];
  readonly passed: boolean;
}

/** Compares round by round. Throws where a measurement has no rounds. */
export function verdictOf(guard: Guard, before: Measured, after: Measured): Verdict {
  const [old, now] = [before[guard.of], after[guard.of]];
  const grown = now.map((value, round) => {
    const base = old[round] ?? Number.NaN;
    return guard.growth === "percent" ? (value / base - 1) * 100 : value - base;
  });
  const growth = median(grown);
  const quarters = [quantile(grown, 0.25), quantile(grown, 0.75)] as const;
  return { guard, before: median(old), after: median(now), growth, quarters, passed: growth <= guard.limit };
}

const signed = (value: number): string => `${value < 0 ? "" : "+"}${value.toFixed(1)}`;
const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** The table that the run prints. */
export function guardTable(verdicts: readonly Verdict[], names: { before: string; after: string }): string {
  const head = ["guard", names.before, names.after, "growth (median)", "quarters of the rounds", "at most", "result"];
  const rows = verdicts.map(({ guard, before, after, growth, quarters, passed }) => {
    const unit = guard.growth === "percent" ? "%" : guard.unit;
    return [
      guard.name,
      `${before.toFixed(1)} ${guard.unit}`,
      `${after.toFixed(1)} ${guard.unit}`,
      `${signed(growth)} ${unit}`,
      quarters.map(signed).join(" to "),
      `${signed(guard.limit)} ${unit}`,
      passed ? "passed" : "**failed**",
    ];
  });
  return [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");
}

/** A release as its row has it: CPU against nginx in the same rounds, memory and start as they are. */
export interface Release {
  readonly name: string;
  readonly commit: string;
  readonly date: string;
  readonly callAgainstNginx: number;
  readonly chunkAgainstNginx: number;
  readonly idleMegabytes: number;
  readonly startMilliseconds: number;
}

const HEAD = ["release", "commit", "date", "CPU of a call", "CPU of a chunk", "idle", "start until ready"];

/** The section with this release's row behind those that `document` has; a row of the same name is replaced. */
export function releasesSection(document: string, release: Release): string {
  const rows = sectionOf(document, RELEASES_HEADING)
    .split("\n")
    .filter((line) => /^\| \S+ +\| [0-9a-f]{8}/.test(line))
    .filter((line) => !line.startsWith(`| ${release.name} `));
  const added = row([
    release.name,
    release.commit,
    release.date,
    `${release.callAgainstNginx.toFixed(2)} x nginx`,
    `${release.chunkAgainstNginx.toFixed(2)} x nginx`,
    `${release.idleMegabytes.toFixed(0)} MB`,
    `${release.startMilliseconds.toFixed(0)} ms`,
  ]);
  return [
    RELEASES_HEADING,
    "",
    "Written by `npm run bench -- guard --record=<release>`, which measures a release beside the one before it, in turns of seconds, and fails where a call",
    "or a chunk takes 5 % more CPU, an idle server 5 MB more, or a start 10 % longer. Rows of different days are of different machines: ratios to nginx compare.",
    "",
    row(HEAD),
    row(HEAD.map(() => "---")),
    ...rows,
    added,
    "",
  ].join("\n");
}

/** The commit of the newest row; undefined where there is none. */
export const lastRecorded = (document: string): string | undefined =>
  [...sectionOf(document, RELEASES_HEADING).matchAll(/^\| \S+ +\| ([0-9a-f]{8}) /gm)].at(-1)?.[1];

export const HISTORY_HEADING = "## What a call cost, step by step";

/** A commit that was measured beside the others, round by round. */
export interface Step {
  readonly commit: string;
  readonly date: string;
  /** What came with it. */
  readonly what: string;
  readonly callMicroseconds: readonly number[];
}

/** The section of the steps: each against nginx in the same rounds, and against the step before it. */
export function historySection(
  steps: readonly Step[],
  nginxMicroseconds: readonly number[],
  circumstances: readonly string[],
): string {
  const against = (values: readonly number[], base: readonly number[]) =>
    median(values.map((value, round) => value / (base[round] ?? Number.NaN)));
  const rows = steps.map(({ commit, date, what, callMicroseconds }, at) => {
    const earlier = steps[at - 1];
    const added =
      earlier === undefined ? "" : `${signed((against(callMicroseconds, earlier.callMicroseconds) - 1) * 100)} %`;
    const ratio = `${against(callMicroseconds, nginxMicroseconds).toFixed(2)} x`;
    return row([date, commit, what, `${median(callMicroseconds).toFixed(1)} µs`, ratio, added]);
  });
  const head = ["date", "commit", "what came with it", "CPU of a call", "against nginx", "added"];
  return [
    HISTORY_HEADING,
    "",
    "Written by `npm run bench -- history <commit>...`: the server of each commit, after half a minute of load, in turns of two seconds beside the others",
    "and nginx. Ratios are taken within a round, and their median is shown.",
    "",
    ...circumstances.map((line) => `- ${line}`),
    "",
    row(head),
    row(head.map(() => "---")),
    ...rows,
    "",
  ].join("\n");
}
