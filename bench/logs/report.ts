/** The result of `npm run bench -- logs`: what each measurement may take at most, and all of them as one table. Pure. */
import { quantile } from "../run/statistics.ts";

/** One line of the table; all numbers are milliseconds. */
export interface Line {
  readonly engine: string;
  readonly what: string;
  readonly p50: number;
  /** What the limit is for. */
  readonly p95: number;
  /** Undefined for a line that only explains another. */
  readonly limit: number | undefined;
}

/** Limits in milliseconds. */
export const LIMITS = { list: 100, stat: 300, dashboard: 300, streamDelayAdded: 20, settlementDelayAdded: 50 } as const;

/** A line of many timings of one call. */
export function timed(engine: string, what: string, timings: readonly number[], limit: number): Line {
  return { engine, what, p50: quantile(timings, 0.5), p95: quantile(timings, 0.95), limit };
}

/** The longest delay alone and beside the work, and how much longer it was and may be. */
export function compared(
  engine: string,
  what: string,
  delays: { readonly alone: number; readonly beside: number },
  limit?: number,
): Line[] {
  const line = (suffix: string, value: number, bound?: number): Line => ({
    engine,
    what: `${what}: ${suffix}`,
    p50: value,
    p95: value,
    limit: bound,
  });
  const added = Math.max(0, delays.beside - delays.alone);
  return [line("alone", delays.alone), line("beside it", delays.beside), line("added", added, limit)];
}

export const isBroken = ({ p95, limit }: Line): boolean => limit !== undefined && !(p95 <= limit);

/** Calls of one kind as one row: how many, and the slowest of them. */
function kindRow(kind: string, lines: readonly Line[]): string[] {
  const ofKind = lines.filter(({ what }) => what.startsWith(`${kind}, `));
  const slowest = ofKind.toSorted((a, b) => b.p95 - a.p95)[0];
  return slowest === undefined ? [] : [rowOf({ ...slowest, what: `slowest of ${ofKind.length}: ${slowest.what}` })];
}

const rowOf = (line: Line): string => {
  const result = line.limit === undefined ? "" : isBroken(line) ? "**missed**" : "met";
  const limit = line.limit === undefined ? "" : `<= ${line.limit} ms`;
  return `| ${[line.what, limit, line.p50.toFixed(1), line.p95.toFixed(1), result].join(" | ")} |`;
};

const KINDS = ["list", "stat", "dashboard"] as const;

const INTRODUCTION = `Written by \`npm run bench -- logs\` (about ten minutes for each engine). One administrator and one person ask for pages of the log,
totals and dashboards one after the other, with every filter, while 100 streams of 20 chunks a second run; then a fifth of the rows is
deleted while 100 calls a second are settled. The longest delays are medians of rounds of 8 seconds; those past the gateway are what the
machine does to streams while it answers the queries.`;

/** Heading of an engine's section in the document. */
export const logHeading = (engine: string): string => `## Usage log of a month on ${engine}`;

/** The section of the document on one engine; `where` says on which machine and when. */
export function logSection(engine: string, lines: readonly Line[], rows: number, where: readonly string[]): string {
  const others = lines.filter(({ what }) => !KINDS.some((kind) => what.startsWith(`${kind}, `)));
  return [
    logHeading(engine),
    "",
    INTRODUCTION,
    "",
    `- rows of the log: ${rows}`,
    ...where.map((line) => `- ${line}`),
    "",
    "| what | limit | p50, ms | p95, ms | result |",
    "| --- | --- | --- | --- | --- |",
    ...KINDS.flatMap((kind) => kindRow(kind, lines)),
    ...others.map(rowOf),
    "",
  ].join("\n");
}

/** All lines in columns for a terminal. */
export function linesTable(lines: readonly Line[]): string {
  const cells = lines.map((line) => [
    line.engine,
    line.what,
    line.p50.toFixed(1),
    line.p95.toFixed(1),
    line.limit === undefined ? "" : `<= ${line.limit}`,
    line.limit === undefined ? "" : isBroken(line) ? "BROKEN" : "kept",
  ]);
  const rows = [["engine", "what", "p50 ms", "p95 ms", "limit", "result"], ...cells];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")).join("\n");
}
