/** The table of docs/clients.md that says what each coding agent held when it last ran through the relay: written by tools/agents/main.ts, one row an agent. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

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

const FIRST_COLUMN = "ran as";

const rowOf = ({ name, package: version, held }: AgentRun, date: string): string =>
  `| ${[name, `\`${version}\``, date, ...held].join(" | ")} |`;

/** The document with the agent's run in place of its last one, or after the others. Throws where the document has no such table. */
export function withRun(document: string, run: AgentRun, date: string): string {
  const lines = document.split("\n");
  const head = lines.findIndex((line) => line.startsWith(`| ${FIRST_COLUMN} `));
  if (head === -1) throw new Error(`docs/clients.md has no table whose first column is "${FIRST_COLUMN}"`);
  const end = lines.findIndex((line, index) => index > head && !line.startsWith("|"));
  const rows = lines.slice(head + 2, end).filter((line) => line.split("|")[1]?.trim() !== run.name);
  return [...lines.slice(0, head + 2), ...rows, rowOf(run, date), ...lines.slice(end)].join("\n");
}

/** Writes it into the document, formatted. */
export function writeRun(run: AgentRun): void {
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(DOCUMENT, withRun(readFileSync(DOCUMENT, "utf8"), run, today));
  execFileSync(process.execPath, [join("node_modules", "oxfmt", "bin", "oxfmt"), DOCUMENT], { cwd: ROOT });
}
