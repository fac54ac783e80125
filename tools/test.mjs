/** `npm test`: sets everything up, says what is missing here, runs the stages one after the other and ends with the count. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepare } from "./setup/prepare.mjs";
import { nodeBinary, ROOT, runtimeEnvironment, runToEnd } from "./setup/runtime.mjs";
import { countStage, sumUp } from "./setup/verdict.mjs";

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

async function runStage(args, environment, outputFile) {
  const vitest = join("node_modules", "vitest", "vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${outputFile}`];
  const exitCode = await runToEnd(nodeBinary(), [vitest, "run", ...reporters, ...args], { env: environment });
  const report = existsSync(outputFile) ? JSON.parse(readFileSync(outputFile, "utf8")) : undefined;
  rmSync(outputFile, { force: true });
  return countStage(report, exitCode);
}

async function runStages(environment, folder) {
  const filters = process.argv.slice(2);
  const outputFile = join(folder, "report.json");
  if (filters.length > 0) return [await runStage(filters, environment, outputFile)];
  const results = [];
  for (const { name, folders } of STAGES.filter((stage) =>
    stage.folders.some((path) => existsSync(join(ROOT, path))),
  )) {
    const startedMs = performance.now();
    results.push(await runStage(["--project", name], environment, outputFile));
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

const { passed, failed, unexplained } = sumUp(results, { missing, requireAll });
for (const name of unexplained) process.stdout.write(`skipped without a reason that counts: ${name}\n`);
if (requireAll) for (const name of missing) process.stdout.write(`required, but missing: ${name}\n`);
const failures = failed + (requireAll ? missing.length : 0);
process.stdout.write(`${passed} passed, ${failures} failed\n`);
process.exitCode = failures === 0 && passed > 0 ? 0 : 1;
