/** `npm test`: sets everything up, says what is missing here, runs the stages one after the other and ends with the count. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepare } from "./setup/prepare.mjs";
import { nodeBinary, ROOT, runtimeEnvironment, runToEnd } from "./setup/runtime.mjs";
import { REPORT_FILE } from "./setup/stage-report.mjs";
import { stageResult, sumUp } from "./setup/verdict.mjs";

/** The projects of vitest.config.ts in the order they run; the folders say whether a stage has anything to run. */
const STAGES = [
  { name: "unit", folders: ["contract/src"] },
  { name: "engines", folders: ["tests/engines"] },
  { name: "relay", folders: ["server/src/relay"] },
  { name: "whole", folders: ["tests/e2e", "tests/faults", "tests/scale"] },
];

function detect() {
  const found = execFileSync(nodeBinary(), ["tools/setup/capabilities.ts"], {
    cwd: ROOT,
    encoding: "utf8",
    env: runtimeEnvironment(),
  });
  return JSON.parse(found);
}

function printCapabilities(capabilities) {
  for (const { name, version, skipped } of capabilities) {
    process.stdout.write(
      version === undefined ? `skipped: no ${name} here, so not ${skipped}\n` : `${name}: ${version}\n`,
    );
  }
}

async function runStage(args, environment, reportFile) {
  const vitest = join("node_modules", "vitest", "vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=./tools/setup/stage-report.mjs"];
  const env = { ...environment, [REPORT_FILE]: reportFile };
  const exitCode = await runToEnd(nodeBinary(), [vitest, "run", ...reporters, ...args], { env });
  const report = existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, "utf8")) : undefined;
  rmSync(reportFile, { force: true });
  return stageResult(report, exitCode);
}

async function runStages(environment, folder) {
  const filters = process.argv.slice(2);
  const reportFile = join(folder, "report.json");
  if (filters.length > 0) return [await runStage(filters, environment, reportFile)];
  const results = [];
  for (const { name, folders } of STAGES.filter((stage) =>
    stage.folders.some((path) => existsSync(join(ROOT, path))),
  )) {
    const startedMs = performance.now();
    results.push(await runStage(["--project", name], environment, reportFile));
    process.stdout.write(
      `stage ${name}: ${((performance.now() - startedMs) / 1000).toFixed(0)} s (${folders.join(", ")})\n`,
    );
  }
  return results;
}

prepare({ web: true });
const requireAll = process.env.REQUIRE_ALL === "1";
const capabilities = detect();
printCapabilities(capabilities);
const missing = capabilities.filter(({ version }) => version === undefined).map(({ name }) => name);
const present = capabilities.filter(({ version }) => version !== undefined);
const folder = mkdtempSync(join(tmpdir(), "turnpike-report-"));
const path = `${join(ROOT, "node_modules", ".bin")}${process.platform === "win32" ? ";" : ":"}${process.env.PATH}`;
const environment = runtimeEnvironment({
  ...Object.assign({}, ...present.map((capability) => capability.environment)),
  PATH: path,
});
const results = await runStages(environment, folder);
rmSync(folder, { recursive: true, force: true });

const { passed, failures } = sumUp(results, { missing, requireAll });
for (const { name, message } of failures) process.stdout.write(`\nfailed: ${name}\n${message}\n`);
process.stdout.write(`${passed} passed, ${failures.length} failed\n`);
process.exitCode = failures.length === 0 && passed > 0 ? 0 : 1;
