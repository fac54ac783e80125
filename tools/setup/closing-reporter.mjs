/** The reporter of `npm test`: vitest's own with its reasons, then the ten slowest files and the time by level, and last the count alone on its line, for CI. */
import { writeFileSync } from "node:fs";
import { DefaultReporter } from "vitest/node";
import { OUTCOME } from "./second-run.mjs";

/** As tools/test.mjs names it: what is missing on this machine, between commas. */
const MISSING = "TURNPIKE_TEST_MISSING";
const SLOWEST = 10;

/** A file that failed without one of its tests: it could not be loaded, or what prepares its tests threw. */
const isBroken = (file) => file.state() === "failed" && [...file.children.allTests("failed")].length === 0;

/** Seconds of a file from the start of its worker to its last test, as vitest measured them. */
function secondsOf(file) {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } = file.diagnostic();
  return (environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration) / 1000;
}

/**
 * Of each level (a project of vitest.config.ts) what its files took, added up over the workers, and how many tests passed in it; the longest first.
 * @returns {{level: string, seconds: number, passed: number}[]}
 */
function levelsOf(files) {
  const byLevel = Map.groupBy(files, (file) => file.project.name);
  const levels = [...byLevel].map(([level, ofLevel]) => ({
    level,
    seconds: ofLevel.reduce((sum, file) => sum + secondsOf(file), 0),
    passed: ofLevel.reduce((sum, file) => sum + [...file.children.allTests("passed")].length, 0),
  }));
  return levels.toSorted((left, right) => right.seconds - left.seconds);
}

function slowestFiles(files) {
  const timed = files.map((file) => ({ seconds: secondsOf(file), name: file.relativeModuleId }));
  const slowest = timed.toSorted((left, right) => right.seconds - left.seconds).slice(0, SLOWEST);
  return slowest.map(({ seconds, name }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`);
}

/**
 * What the run came to. Nothing that went wrong counts as a pass, or not at all: a broken file and an error outside any test are
 * failures, and so is a skipped test where nothing that is missing here explains it.
 * @returns {{passed: number, failed: number, skipped: string[]}} `skipped` names the skipped tests that were counted as failed
 */
function countOf(files, unhandledErrors, isSkipAllowed) {
  const tests = files.flatMap((file) => [...file.children.allTests()]);
  const inState = (...states) => tests.filter((test) => states.includes(test.result().state));
  const unexplained = isSkipAllowed ? [] : inState("skipped", "pending").filter((test) => !isBroken(test.module));
  return {
    passed: inState("passed").length,
    failed: inState("failed").length + files.filter(isBroken).length + unhandledErrors.length + unexplained.length,
    skipped: unexplained.map((test) => `${test.module.relativeModuleId}: ${test.fullName}`),
  };
}

/** The files of which tests failed, each with the names of these and the number of those that passed. */
function failuresOf(files) {
  const failed = files.filter((file) => file.state() === "failed" && !isBroken(file));
  return failed.map((file) => ({
    file: file.relativeModuleId,
    project: file.project.name,
    tests: [...file.children.allTests("failed")].map(({ fullName }) => fullName),
    passed: [...file.children.allTests("passed")].length,
  }));
}

/** Writes the result of the run to the file that tools/test.mjs names. */
function writeOutcome({ passed, failed, failures, levels }) {
  const path = process.env[OUTCOME];
  const named = failures.reduce((sum, { tests }) => sum + tests.length, 0);
  if (path === undefined) return;
  writeFileSync(path, JSON.stringify({ passed, failed, failures, others: failed - named, levels }));
}

/** Named to vitest by its path, which asks for a default export. */
export default class ClosingReporter extends DefaultReporter {
  onTestRunEnd(files, unhandledErrors, reason) {
    super.onTestRunEnd(files, unhandledErrors, reason);
    // Also the tests whose names were not asked for (`-t`).
    const isSkipAllowed = (process.env[MISSING] ?? "") !== "" || this.ctx.config.testNamePattern !== undefined;
    const { passed, failed, skipped } = countOf(files, unhandledErrors, isSkipAllowed);
    if (failed > 0 || passed === 0) process.exitCode = 1;
    const levels = levelsOf(files);
    writeOutcome({ passed, failed, failures: failuresOf(files), levels });
    const lines = [
      "the slowest files:",
      ...slowestFiles(files),
      "time by level, of all workers together:",
      ...levels.map(({ level, seconds, passed: tests }) => `${seconds.toFixed(1).padStart(7)} s  ${level} (${tests})`),
      ...skipped.map((name) => `failed: ${name}\nskipped, and nothing that is missing here explains it`),
      `${passed} passed, ${failed} failed`,
    ];
    process.stdout.write(`${lines.join("\n")}\n`);
  }
}
