/** The tables of docs/clients.md on coding agents: the results of each one's last run through the relay, and after faults. Written by tools/agents/main.ts, one row an agent. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Outcome, outcomeText } from "./compare.ts";
import { FAULTS } from "./faults.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const DOCUMENT = join(ROOT, "docs", "clients.md");

/** Upstreams by their format: the type of a channel. */
export const UPSTREAMS = [
  ["chat and Responses", 1],
  ["messages", 14],
  ["gemini", 24],
  ["chat alone", 43],
] as const;

export interface AgentRun {
  name: string;
  /** Name and version, as npm has them. */
  package: string;
  /** Of each upstream, how many of the checks held. */
  held: readonly string[];
}

/** First columns of the two tables. */
const [RUNS, FAULT_RUNS] = ["ran as", "asked by"];

const rowOf = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** The document with this row in place of the last one of its first cell, or after the others of its table. Throws where the document has no table with that first column. */
function withRow(document: string, firstColumn: string, cells: readonly string[]): string {
  const lines = document.split("\n");
  const head = lines.findIndex((line) => line.startsWith(`| ${firstColumn} `));
  if (head === -1) throw new Error(`docs/clients.md has no table whose first column is "${firstColumn}"`);
  const end = lines.findIndex((line, index) => index > head && !line.startsWith("|"));
  const rows = lines.slice(head + 2, end).filter((line) => line.split("|")[1]?.trim() !== cells[0]);
  return [...lines.slice(0, head + 2), ...rows, rowOf(cells), ...lines.slice(end)].join("\n");
}

/** The document with the agent's run in place of its last one, or after the others. Throws where the document has no such table. */
export const withRun = (document: string, { name, package: version, held }: AgentRun, date: string): string =>
  withRow(document, RUNS, [name, `\`${version}\``, date, ...held]);

/** One fault: what the agent does at its vendor, and with which upstreams it does something else. */
function faultCell(direct: Outcome, here: readonly Outcome[]): string {
  const there = outcomeText(direct);
  const others = UPSTREAMS.map(([format], index) => [format, outcomeText(here[index] ?? direct)] as const)
    .filter(([, text]) => text !== there)
    .map(([format, text]) => `; ${format}: ${text}`);
  return there + others.join("");
}

/**
 * The document with the row of what an agent does after each fault. Throws where the document has no such table.
 * @param outcomes of each upstream of UPSTREAMS, those after each fault of FAULTS
 */
export const withFaults = (
  document: string,
  name: string,
  direct: readonly Outcome[],
  outcomes: readonly (readonly Outcome[])[],
): string =>
  withRow(document, FAULT_RUNS, [
    name,
    ...direct.map((there, index) =>
      faultCell(
        there,
        outcomes.flatMap((each) => each[index] ?? []),
      ),
    ),
  ]);

/** The head of that table, which the document has. */
export const FAULT_HEAD: readonly string[] = [FAULT_RUNS, ...FAULTS.map(({ name }) => name)];

function write(change: (document: string) => string): void {
  writeFileSync(DOCUMENT, change(readFileSync(DOCUMENT, "utf8")));
  execFileSync(process.execPath, [join("node_modules", "oxfmt", "bin", "oxfmt"), DOCUMENT], { cwd: ROOT });
}

/** Writes a run into the document, formatted. */
export function writeRun(run: AgentRun): void {
  const today = new Date().toISOString().slice(0, 10);
  write((document) => withRun(document, run, today));
}

/** Writes what an agent does after faults into the document, formatted; for the parameters see withFaults. */
export const writeFaults = (...of: [string, readonly Outcome[], readonly (readonly Outcome[])[]]): void =>
  write((document) => withFaults(document, ...of));
