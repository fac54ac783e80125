/**
 * `npm run test:long [-- suites | soak | log | hostile | import | agents | flaky ...]`: the long forms of the tests, all but import, agents and flaky or those named. Each one's date and result go
 * into docs/long-tests.md; exits 1 where one fails.
 */
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const REPORT = join(ROOT, "docs", "long-tests.md");

interface Part {
  name: string;
  holds: string;
  args: readonly string[];
  /** The lines of its output that are its result. */
  result: RegExp;
  /** It takes hours and runs only where it is named. */
  isOnRequest?: boolean;
}

const VITEST = join("node_modules", "vitest", "vitest.mjs");

const PARTS: readonly Part[] = [
  {
    name: "suites",
    holds:
      "every suite, on MySQL/MariaDB too; 20 kills, 512 aborts, databases and Redis lost or frozen under load, killed workers, clearings cut off, full journals, disks with EIO, every page for everybody in every look, every hostile value in every field, properties ten times as often",
    args: [VITEST, "run", "--reporter=./tools/setup/closing-reporter.mjs"],
    result: /^\d+ passed, \d+ failed$/gm,
  },
  {
    name: "soak",
    holds: "5,000 streams that their clients leave: descriptors, memory and ledger are as before",
    args: ["tools/soak.ts"],
    result: /^descriptors .*$/gm,
  },
  {
    name: "log",
    holds: "log and dashboard over 5 million rows, within the limits of docs/benchmarks.md",
    args: ["bench/main.ts", "logs", "--strict"],
    result: /^\d+ rows: .*$/gm,
  },
  {
    name: "hostile",
    holds:
      "one user without quota who tries everything for ten minutes beside twenty ordinary people: memory and disk grow by less than 64 MiB, p95 of the others by half at most",
    args: ["tools/hostile-user.ts"],
    result: /^memory .*$/gm,
  },
  {
    name: "import",
    holds:
      "a million users, three million tokens and ten million rows of the log of another gateway come over, in less than 500 MB",
    args: ["tools/import-size.ts"],
    result: /^import \w+: .*$/gm,
    isOnRequest: true,
  },
  {
    name: "agents",
    holds:
      "Codex over HTTP and over its socket, Claude Code, Gemini CLI, OpenCode and two providers of the AI SDK, installed from npm (1.1 GB), each with upstreams of four formats: two calls of a tool, a resumed conversation, an interrupted run, a refusal, and each of five faults of the upstream, after which each fares no worse than at its own vendor",
    args: ["tools/agents/main.ts"],
    result: /^agents: .*$/gm,
    isOnRequest: true,
  },
  {
    name: "flaky",
    holds: "the tests in a browser ten times in ten orders, only where it is named: each passes every time",
    args: ["tools/flaky.ts"],
    result: /^\d+ runs, .*$/gm,
    isOnRequest: true,
  },
];

/** Runs it with its output shown; gives how it ended and what it wrote. */
function run({ args }: Part): Promise<{ code: number; output: string }> {
  const env = { ...process.env, TEST_FORM: "long", NO_COLOR: "1" };
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ["ignore", "pipe", "inherit"] });
  const pieces: string[] = [];
  child.stdout.on("data", (piece: Buffer) => {
    pieces.push(piece.toString());
    process.stdout.write(piece);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? 1, output: pieces.join("") }));
  });
}

const HEAD = `# The long tests

\`npm test\` holds everything in a short form. What takes too long for that runs by \`npm run test:long\`, all of it or the parts named
behind it (\`npm run test:long -- soak\`), and leaves its date and result here. A part that never ran has none.

| part | holds | last run | result |
| --- | --- | --- | --- |
`;

const cellsOf = (line: string): string[] => line.split("|").map((cell) => cell.trim());

/** What the report says of a part's last run. */
function lastRun(report: string, name: string): string {
  const cells = report
    .split("\n")
    .map(cellsOf)
    .find(([, part]) => part === `\`${name}\``);
  return cells === undefined ? "never | " : cells.slice(3, 5).join(" | ");
}

/** The report with the part's new run in place of its last one. */
export function withRun(report: string, name: string, told: string): string {
  const rows = PARTS.map((part) => {
    const last = part.name === name ? told : lastRun(report, part.name);
    return `| \`${part.name}\` | ${part.holds} | ${last} |\n`;
  });
  return HEAD + rows.join("");
}

async function runAndTell(part: Part): Promise<boolean> {
  const startedMs = performance.now();
  const { code, output } = await run(part);
  const minutes = Math.round((performance.now() - startedMs) / 60_000);
  const said = output.match(part.result)?.at(-1) ?? "no result";
  const told = `${new Date().toISOString().slice(0, 10)}, ${minutes} min | ${code === 0 ? "" : "**failed**: "}${said}`;
  writeFileSync(REPORT, withRun(readFileSync(REPORT, "utf8"), part.name, told));
  execFileSync(process.execPath, [join("node_modules", "oxfmt", "bin", "oxfmt"), REPORT], { cwd: ROOT });
  return code === 0;
}

async function main(names: readonly string[]): Promise<number> {
  const unknown = names.find((name) => !PARTS.some((part) => part.name === name));
  if (unknown !== undefined) {
    console.error(
      `There is no part ${unknown}. npm run test:long [-- ${PARTS.map(({ name }) => name).join(" | ")} ...]`,
    );
    return 2;
  }
  let isFine = true;
  const isWanted = ({ name, isOnRequest = false }: Part) => (names.length === 0 ? !isOnRequest : names.includes(name));
  for (const part of PARTS.filter(isWanted)) isFine = (await runAndTell(part)) && isFine;
  return isFine ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
