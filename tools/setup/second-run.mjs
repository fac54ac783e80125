/**
 * A few files that failed beside other workers run once more, alone: on a machine that is busy a page, a kill or a deadline may be a moment
 * late, and a test that looks too early fails. What passes then is named with its tests, so that it is looked at as a fault; what fails again
 * has failed.
 */
import { existsSync, readFileSync } from "node:fs";

/** Environment variable with the path of the file into which closing-reporter.mjs writes what a run came to. */
export const OUTCOME = "TURNPIKE_TEST_OUTCOME";
/** Nothing waits for a time there, so a failure is none of the machine's. */
const TIMELESS = new Set(["pure"]);
/** More than these is no matter of a moment. */
const MAX_FILES = 6;

/**
 * @typedef {{passed: number, failed: number, failures: {file: string, project: string, tests: string[], passed: number}[], others: number, levels?: {level: string, seconds: number, passed: number}[]}} Outcome
 * of a run: `failures` are the files of which tests failed, `others` the number of failures that no test had, `levels` what each project took.
 */

/** The files that run again, as paths from the root; none where anything failed that a busy machine does not explain. @param {Outcome | undefined} outcome */
export function filesToRepeat(outcome) {
  if (outcome === undefined || outcome.others > 0 || outcome.failures.length > MAX_FILES) return [];
  if (outcome.failures.some(({ project }) => TIMELESS.has(project))) return [];
  return outcome.failures.map(({ file }) => file);
}

/**
 * The lines that close both runs, the count last: the repeated files count as they ended alone. A run that left nothing has failed.
 * @param {Outcome} first
 * @param {Outcome | undefined} second
 */
export function closingLines(first, second) {
  if (second === undefined) return ["the second run did not end", `${first.passed} passed, ${first.failed} failed`];
  const failedAgain = new Set(second.failures.map(({ file }) => file));
  const late = first.failures.filter(({ file }) => !failedAgain.has(file));
  const repeated = first.failures.reduce((sum, { passed }) => sum + passed, 0);
  return [
    ...late.flatMap(({ file, tests }) =>
      tests.map((name) => `failed beside others and passed alone: ${file}: ${name}`),
    ),
    `${first.passed - repeated + second.passed} passed, ${second.failed} failed`,
  ];
}

/** What a run wrote, or undefined where it ended before. @returns {Outcome | undefined} */
export const readOutcome = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined);
