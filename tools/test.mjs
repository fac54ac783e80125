/** `npm test [-- <path>]`: sets everything up, says which engines are here, and runs vitest, whose last line is the count. */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { makeMemoryFolder } from "./setup/memory-folder.mjs";
import { prepare } from "./setup/prepare.mjs";
import { nodeBinary, ROOT, runtimeEnvironment, runToEnd } from "./setup/runtime.mjs";
import { closingLines, filesToRepeat, OUTCOME, readOutcome } from "./setup/second-run.mjs";

/** Environment variable with the names of what is missing here, between commas; closing-reporter.mjs reads it. */
const MISSING = "TURNPIKE_TEST_MISSING";

/** What is here of the engines and the browser; an absent one has no version. */
function detect() {
  const found = execFileSync(nodeBinary(), ["tools/setup/capabilities.ts"], {
    cwd: ROOT,
    encoding: "utf8",
    env: runtimeEnvironment(),
  });
  return JSON.parse(found);
}

function printCapabilities(capabilities) {
  for (const { name, version, reason, skipped } of capabilities) {
    process.stdout.write(
      version === undefined ? `skipped: no ${name} here, so not ${skipped} (${reason})\n` : `${name}: ${version}\n`,
    );
  }
}

/** Runs vitest once. Resolves to its exit code and what its reporter left. */
async function runOnce(args, environment, outcomePath) {
  rmSync(outcomePath, { force: true });
  const vitest = [join("node_modules", "vitest", "vitest.mjs"), "run", "--reporter=./tools/setup/closing-reporter.mjs"];
  const code = await runToEnd(nodeBinary(), [...vitest, ...args], { env: { ...environment, [OUTCOME]: outcomePath } });
  return { code, outcome: readOutcome(outcomePath) };
}

/** Runs all that was asked for, and a few files of the browser once more where only these failed. Resolves to the exit code. */
async function runAll(environment, folder) {
  const outcomePath = join(folder, "turnpike-test-outcome.json");
  const first = await runOnce(process.argv.slice(2), environment, outcomePath);
  const files = first.code === 1 ? filesToRepeat(first.outcome) : [];
  if (files.length === 0) return first.code;
  process.stdout.write(`once more, alone: ${files.join(", ")}\n`);
  const second = await runOnce([...files, "--maxWorkers=1"], environment, outcomePath);
  process.stdout.write(`${closingLines(first.outcome, second.outcome).join("\n")}\n`);
  return second.code;
}

async function runVitest(capabilities, missing) {
  const folder = makeMemoryFolder();
  const present = capabilities.filter(({ version }) => version !== undefined);
  const environment = runtimeEnvironment({
    ...Object.assign({}, ...present.map((capability) => capability.environment)),
    [MISSING]: missing.join(","),
    ...(folder === undefined ? {} : { TMPDIR: folder }),
    PATH: [join(ROOT, "node_modules", ".bin"), process.env.PATH].join(delimiter),
  });
  try {
    return await runAll(environment, folder ?? tmpdir());
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

prepare({ web: true, withDevelopment: true });
const capabilities = detect();
printCapabilities(capabilities);
const missing = capabilities.filter(({ version }) => version === undefined).map(({ name }) => name);
if (process.env.REQUIRE_ALL === "1" && missing.length > 0) {
  process.stdout.write(`REQUIRE_ALL=1, but missing here: ${missing.join(", ")}\n0 passed, ${missing.length} failed\n`);
  process.exitCode = 1;
} else process.exitCode = await runVitest(capabilities, missing);
