/**
 * `npm run test:long -- flaky`: runs the tests in a browser ten times (or as often as the argument says) in another order each time, and prints
 * each test that did not pass every time; exits 1 where there is one.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { OUTCOME, readOutcome } from "./setup/second-run.mjs";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const RUNS = 10;
const ARGS = [
  join("node_modules", "vitest", "vitest.mjs"),
  "run",
  "--project=browser",
  "--project=parts",
  "--sequence.shuffle.tests",
  "--reporter=./tools/setup/closing-reporter.mjs",
];

/** The reporter's result of a run; nothing if the run did not end. */
export type Outcome = ReturnType<typeof readOutcome>;

/** The lines that tell of these runs: each test that failed in some of them with how often, and last a count of runs and tests. */
export function flakyLines(outcomes: readonly Outcome[]): string[] {
  const failures = new Map<string, number>();
  const count = (name: string): void => void failures.set(name, (failures.get(name) ?? 0) + 1);
  for (const outcome of outcomes) {
    for (const { file, tests } of outcome?.failures ?? []) for (const name of tests) count(`${file}: ${name}`);
    if (outcome === undefined) count("a run that did not end");
    else if (outcome.others > 0) count("failures outside of any test");
  }
  return [
    ...[...failures].map(([name, times]) => `failed in ${times} of ${outcomes.length}: ${name}`),
    `${outcomes.length} runs, ${failures.size} tests did not pass each time`,
  ];
}

/** One run; its output is shown. */
function runOnce(outcomePath: string): Promise<Outcome> {
  const env = { ...process.env, TEST_FORM: "all", [OUTCOME]: outcomePath };
  rmSync(outcomePath, { force: true });
  const child = spawn(process.execPath, ARGS, { cwd: ROOT, env, stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve(readOutcome(outcomePath)));
  });
}

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-flaky-"));
  const outcomes: Outcome[] = [];
  const runs = Number(process.argv[2] ?? RUNS);
  while (outcomes.length < runs) outcomes.push(await runOnce(join(folder, "outcome.json")));
  rmSync(folder, { recursive: true, force: true });
  const lines = flakyLines(outcomes);
  console.log(lines.join("\n"));
  process.exitCode = lines.length === 1 ? 0 : 1;
}
