/** `npm run check`: all checks except the tests; each failure prints the command that fixes it. */
import { spawnSync } from "node:child_process";
import { prepare } from "./setup/prepare.mjs";
import { nodeBinary, ROOT, runtimeEnvironment } from "./setup/runtime.mjs";

/** `args` are given to the pinned Node. */
const STEPS = [
  { name: "format", args: ["node_modules/oxfmt/bin/oxfmt", "--check", "."], fix: "npx oxfmt ." },
  {
    name: "lint",
    args: ["node_modules/oxlint/bin/oxlint", "--quiet", "."],
    fix: "npx oxlint --fix . (what stays is named with its rule)",
  },
  { name: "types", args: ["node_modules/typescript/bin/tsc", "-p", "tsconfig.json"], fix: "npx tsc -p tsconfig.json" },
  { name: "unused", args: ["node_modules/knip/bin/knip.js", "--no-progress"], fix: "remove what is named, or use it" },
  {
    name: "house",
    args: ["node_modules/vitest/vitest.mjs", "run", "--reporter=dot", "tests/architecture"],
    fix: "move the import, or add a reviewed exception with its reason to tests/architecture/rules.ts",
  },
  { name: "generated", args: ["tools/generate.ts", "--check"], fix: "npm run generate" },
  { name: "start", args: ["tools/real-start.ts"], fix: "npm start (and read what it says)" },
];

/** Functions over 40 lines are a warning; lint refuses them over 80. */
function printLongFunctions() {
  const args = ["node_modules/oxlint/bin/oxlint", "-c", ".oxlintrc.sizes.json", "--format=unix", "."];
  const { stdout } = spawnSync(nodeBinary(), args, { cwd: ROOT, encoding: "utf8", env: runtimeEnvironment() });
  const lines = stdout.split("\n").filter((line) => /^\S+:\d+/.test(line));
  if (lines.length > 0) process.stdout.write(`longer than 40 lines, think of cutting:\n${lines.join("\n")}\n`);
}

function runStep({ name, args, fix }) {
  const startedMs = performance.now();
  const result = spawnSync(nodeBinary(), args, { cwd: ROOT, encoding: "utf8", env: runtimeEnvironment() });
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const isFine = result.status === 0;
  process.stdout.write(`${isFine ? "ok    " : "FAILED"} ${name.padEnd(10)} ${seconds.padStart(5)} s\n`);
  if (!isFine) process.stdout.write(`${result.stdout}${result.stderr}\n  fix ${name} with: ${fix}\n`);
  return isFine;
}

prepare({ web: true, server: true, withDevelopment: true });
const outcomes = STEPS.map(runStep);
printLongFunctions();
process.exitCode = outcomes.every(Boolean) ? 0 : 1;
