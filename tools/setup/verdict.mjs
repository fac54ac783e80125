/** Reads what vitest's JSON reporter wrote and says how many tests passed, failed and were skipped. */

/**
 * One stage's result. A file that could not be loaded counts as one failure, and so does an exit code that no failed test explains
 * (an error outside any test).
 * @param {{testResults: {name: string, status: string, assertionResults: {status: string, fullName: string}[]}[]} | undefined} report
 * @param {number} exitCode of vitest
 */
export function countStage(report, exitCode) {
  const files = report?.testResults ?? [];
  const tests = files.flatMap((file) => file.assertionResults);
  const passed = tests.filter((test) => test.status === "passed").length;
  const broken = files.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  );
  const failed = tests.filter((test) => test.status === "failed").length + broken.length;
  const skipped = tests
    .filter((test) => test.status !== "passed" && test.status !== "failed")
    .map((test) => test.fullName);
  return { passed, failed: failed === 0 && exitCode !== 0 ? 1 : failed, skipped };
}

/**
 * The whole run: skipped tests are failures when everything is required, or when nothing that is missing here explains them.
 * @param {{passed: number, failed: number, skipped: string[]}[]} stages
 */
export function sumUp(stages, { missing, requireAll }) {
  const sum = (pick) => stages.reduce((total, stage) => total + pick(stage), 0);
  const skipped = stages.flatMap((stage) => stage.skipped);
  const unexplained = requireAll || missing.length === 0 ? skipped : [];
  return {
    passed: sum((stage) => stage.passed),
    failed: sum((stage) => stage.failed) + unexplained.length,
    unexplained,
  };
}
