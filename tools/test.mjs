/**
 * `npm test [-- [--all] [--record] <path>]`: sets everything up, says which engines are here, and runs vitest, whose last line is the count.
 * `--all` runs every engine, look and pair, where the short form takes one for the others; `--record` writes a whole run into docs/testing.md.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { makeMemoryFolder } from "./setup/memory-folder.mjs";
import { prepare } from "./setup/prepare.mjs";
import { startRunEngines } from "./setup/run-engines.mjs";
import { nodeBinary, ROOT, runtimeEnvironment, runToEnd } from "./setup/runtime.mjs";
import { closingLines, filesToRepeat, OUTCOME, readOutcome } from "./setup/second-run.mjs";
import { withRecord } from "./setup/test-record.mjs";

/** Environment variable with the names of what is missing here, between commas; closing-reporter.mjs reads it. */
const MISSING = "TURNPIKE_TEST_MISSING";
/** Environment variable with the form of the tests; tests/support/soak/short-or-long.ts reads it. */
const FORM = "TEST_FORM";
/** Environment variable that is 1 where test files are named: they run whole in the short form too; tests/support/soak/short-or-long.ts reads it. */
const FILES_NAMED = "TEST_FILES_NAMED";
const RECORD = join(ROOT, "docs", "testing.md");

/** What the command line asks for: `args` are vitest's own. */
function readCommand([...words]) {
  const args = words.filter((word) => word !== "--all" && word !== "--record");
  const form = words.includes("--all") ? "all" : (process.env[FORM] ?? "short");
  return { form, isRecorded: words.includes("--record"), args };
}

/** What is here of the engines and the browser; an absent one has no version. */
function detect(engines) {
  const found = execFileSync(nodeBinary(), ["tools/setup/capabilities.ts"], {
    cwd: ROOT,
    encoding: "utf8",
    env: runtimeEnvironment(engines),
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

/** Writes what a whole run took and came to into the table of docs/testing.md. */
function record(form, minutes, outcome) {
  writeFileSync(RECORD, withRecord(readFileSync(RECORD, "utf8"), { form, date: new Date(), minutes, ...outcome }));
  execFileSync(nodeBinary(), [join("node_modules", "oxfmt", "bin", "oxfmt"), RECORD], { cwd: ROOT });
}

/** Runs all that was asked for, and a few files once more, alone, where only these failed. Resolves to the exit code. */
async function runAll({ form, args, isRecorded }, environment, folder) {
  const outcomePath = join(folder, "turnpike-test-outcome.json");
  const startedMs = performance.now();
  const first = await runOnce(args, environment, outcomePath);
  if (isRecorded && first.outcome !== undefined) record(form, (performance.now() - startedMs) / 60_000, first.outcome);
  const files = first.code === 1 ? filesToRepeat(first.outcome) : [];
  if (files.length === 0) return first.code;
  process.stdout.write(`once more, alone: ${files.join(", ")}\n`);
  const second = await runOnce([...files, "--maxWorkers=1"], environment, outcomePath);
  process.stdout.write(`${closingLines(first.outcome, second.outcome).join("\n")}\n`);
  return second.code;
}

/** Runs the tests on the engines that are here; `engines` leads to those of the run, `folder` is its memory. Resolves to the exit code. */
async function runVitest(command, engines, folder) {
  const capabilities = detect(engines);
  printCapabilities(capabilities);
  const present = capabilities.filter(({ version }) => version !== undefined);
  const missing = capabilities.filter(({ version }) => version === undefined).map(({ name }) => name);
  if (process.env.REQUIRE_ALL === "1" && missing.length > 0) {
    process.stdout.write(
      `REQUIRE_ALL=1, but missing here: ${missing.join(", ")}\n0 passed, ${missing.length} failed\n`,
    );
    return 1;
  }
  const environment = runtimeEnvironment({
    ...Object.assign({}, ...present.map((capability) => capability.environment)),
    [MISSING]: missing.join(","),
    [FORM]: command.form,
    [FILES_NAMED]: command.args.some((word) => /\.test\.tsx?$/.test(word)) ? "1" : "0",
    ...(folder === undefined ? {} : { TMPDIR: folder }),
    PATH: [join(ROOT, "node_modules", ".bin"), process.env.PATH].join(delimiter),
  });
  return runAll(command, environment, folder ?? tmpdir());
}

/** A few files are over before servers of the run's own have started. */
const isWhole = ({ args }) => args.length === 0;

/** Resolves to the exit code. */
async function main(command) {
  if (command.isRecorded && command.args.length > 0) {
    process.stdout.write(`--record is for a whole run, and this one is of ${command.args.join(" ")}\n`);
    return 2;
  }
  prepare({ web: true, server: true, withDevelopment: true });
  const folder = makeMemoryFolder();
  const engines = folder !== undefined && isWhole(command) ? await startRunEngines(folder) : undefined;
  try {
    return await runVitest(command, engines?.environment ?? {}, folder);
  } finally {
    await engines?.end();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main(readCommand(process.argv.slice(2)));
