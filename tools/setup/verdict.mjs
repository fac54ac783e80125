/** Says from the stages' reports how many tests passed, which failed and which were skipped without a reason that counts. */

/**
 * One stage's result. A stage that says nothing, or ends badly without naming a failure, counts as one.
 * @param {{passed: number, skipped: string[], failures: {name: string, message: string}[]} | undefined} report as stage-report.mjs wrote it
 * @param {number} exitCode of vitest
 */
export function stageResult(report, exitCode) {
  if (report !== undefined && (report.failures.length > 0 || exitCode === 0)) return report;
  const said = report === undefined ? "wrote no report" : "named no failure";
  const unnamed = { name: "a stage", message: `ended with exit code ${exitCode} and ${said}` };
  return { passed: report?.passed ?? 0, skipped: report?.skipped ?? [], failures: [unnamed] };
}

/**
 * The whole run: skipped tests are failures when everything is required, or when nothing that is missing here explains them, and so is
 * what is missing when everything is required.
 * @param {{passed: number, skipped: string[], failures: {name: string, message: string}[]}[]} stages
 */
export function sumUp(stages, { missing, requireAll }) {
  const skipped = requireAll || missing.length === 0 ? stages.flatMap((stage) => stage.skipped) : [];
  return {
    passed: stages.reduce((total, stage) => total + stage.passed, 0),
    failures: [
      ...stages.flatMap((stage) => stage.failures),
      ...skipped.map((name) => ({ name, message: "skipped without a reason that counts" })),
      ...(requireAll ? missing : []).map((name) => ({ name, message: "required, but missing here" })),
    ],
  };
}
