/** Holds the count of `npm test` to the truth: nothing that went wrong may be counted as a pass, or not at all, and each failure is named. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nodeBinary, ROOT } from "./runtime.mjs";
import { REPORT_FILE } from "./stage-report.mjs";
import { stageResult, sumUp } from "./verdict.mjs";

const FILES = {
  "good.test.js": `test("a", () => {}); test("c", ({ skip }) => skip());`,
  "bad.test.js": `describe("in a group", () => test("b", () => expect(1).toBe(2)));`,
  "unloaded.test.js": `import "./nowhere.js";`,
  "unprepared.test.js": `beforeAll(() => { throw new Error("no database"); }); test("d", () => {});`,
  "late.test.js": `test("e", () => void setTimeout(() => { throw new Error("too late"); }, 0)); test("f", () => new Promise((done) => setTimeout(done, 50)));`,
};

/** A whole vitest is started, which takes seconds on a machine that is busy. */
const STAGE_LIMIT_MS = 90_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-verdict-"));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs vitest over some of the files above, as tools/test.mjs does for a stage. */
async function stage(...files: string[]) {
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  const reportFile = join(folder, "report.json");
  const args = ["run", "--globals", "--root", folder, `--reporter=${join(ROOT, "tools/setup/stage-report.mjs")}`];
  const run = promisify(execFile)(nodeBinary(), [vitest, ...args, ...files], {
    env: { ...process.env, [REPORT_FILE]: reportFile },
  });
  const exitCode = await run.then(
    () => 0,
    (error: { code: number }) => error.code,
  );
  return stageResult(JSON.parse(readFileSync(reportFile, "utf8")), exitCode);
}

test("a good stage has its passes and skips, and no failure", { timeout: STAGE_LIMIT_MS }, async () => {
  expect(await stage("good.test.js")).toEqual({ passed: 1, skipped: ["c"], failures: [] });
});

test(
  "a failed test, a file that does not load, one that cannot be prepared and an error outside any test are named with their reason",
  { timeout: STAGE_LIMIT_MS },
  async () => {
    const { passed, failures } = await stage(...Object.keys(FILES));
    expect(passed).toBe(3);
    const told = Object.fromEntries(failures.map(({ name, message }) => [name, message]));
    expect(Object.keys(told).toSorted()).toEqual([
      "an error outside any test",
      "bad.test.js: in a group > b",
      "unloaded.test.js",
      "unprepared.test.js",
    ]);
    expect(told["bad.test.js: in a group > b"]).toContain("expected 1 to be 2");
    expect(told["unloaded.test.js"]).toContain("nowhere.js");
    expect(told["unprepared.test.js"]).toContain("no database");
    expect(told["an error outside any test"]).toContain("too late");
  },
);

test("a stage that says nothing, or ends badly without a failure, is one failure", () => {
  expect(stageResult({ passed: 1, skipped: [], failures: [] }, 1).failures).toHaveLength(1);
  expect(stageResult(undefined, 1).failures).toHaveLength(1);
  expect(stageResult(undefined, 0).failures).toHaveLength(1);
});

test("a skip is a failure when everything is required, or when nothing that is missing explains it", () => {
  const stages = [{ passed: 1, skipped: ["c"], failures: [] }];
  expect(sumUp(stages, { missing: ["redis"], requireAll: false })).toEqual({ passed: 1, failures: [] });
  expect(sumUp(stages, { missing: [], requireAll: false }).failures.map(({ name }) => name)).toEqual(["c"]);
  expect(sumUp(stages, { missing: ["redis"], requireAll: true }).failures.map(({ name }) => name)).toEqual([
    "c",
    "redis",
  ]);
});
