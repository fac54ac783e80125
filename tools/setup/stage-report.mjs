/** A reporter for vitest: writes what one stage of `npm test` came to, so that the end of the run can name each failure once more. */
import { writeFileSync } from "node:fs";

/** Environment variable with the file that the report is written to. */
export const REPORT_FILE = "TURNPIKE_STAGE_REPORT";

const message = (errors) => errors.map((error) => error.stack ?? error.message ?? String(error)).join("\n");

/** Why a file failed without one of its tests: it could not be loaded, or what prepares its tests threw. */
function brokenFile(file) {
  if (file.state() !== "failed" || [...file.children.allTests("failed")].length > 0) return [];
  const errors = [...file.errors(), ...[...file.children.allSuites()].flatMap((suite) => suite.errors())];
  return [{ name: file.relativeModuleId, message: message(errors) }];
}

function failedTests(file) {
  return [...file.children.allTests("failed")].map((test) => ({
    name: `${file.relativeModuleId}: ${test.fullName}`,
    message: message(test.result().errors),
  }));
}

/**
 * What vitest found, as data.
 * @returns {{passed: number, skipped: string[], failures: {name: string, message: string}[]}} an error outside any test is a failure too
 */
function stageReport(files, unhandledErrors) {
  const tests = files.flatMap((file) => [...file.children.allTests()]);
  const state = (test) => test.result().state;
  return {
    passed: tests.filter((test) => state(test) === "passed").length,
    skipped: tests.filter((test) => !["passed", "failed"].includes(state(test))).map((test) => test.fullName),
    failures: [
      ...files.flatMap((file) => [...brokenFile(file), ...failedTests(file)]),
      ...unhandledErrors.map((error) => ({ name: "an error outside any test", message: message([error]) })),
    ],
  };
}

/** Named to vitest by its path, which asks for a default export. */
export default class StageReporter {
  onTestRunEnd(files, unhandledErrors) {
    writeFileSync(process.env[REPORT_FILE], JSON.stringify(stageReport(files, unhandledErrors)));
  }
}
