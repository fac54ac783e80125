/** Tests of the count of `npm test`: no failure is counted as a pass, or not at all, and each is named. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nodeBinary, ROOT } from "./runtime.mjs";
import { OUTCOME } from "./second-run.mjs";

const FILES = {
  "good.test.js": `test("a", () => {});`,
  "skipping.test.js": `test("c", ({ skip }) => skip());`,
  "bad.test.js": `describe("in a group", () => test("b", () => expect(1).toBe(2)));`,
  "unloaded.test.js": `import "./nowhere.js";`,
  "unprepared.test.js": `beforeAll(() => { throw new Error("no database"); }); test("d", () => {});`,
  "late.test.js": `test("e", () => void setTimeout(() => { throw new Error("too late"); }, 0)); test("f", () => new Promise((done) => setTimeout(done, 50)));`,
};

/** A whole vitest is started, which takes seconds on a machine that is busy. */
const timeout = 90_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-reporter-"));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs vitest over some of the files above, as tools/test.mjs does: all it prints, its last line, its exit code. */
async function run(files: readonly string[], missing = "") {
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  const reporter = `--reporter=${join(ROOT, "tools/setup/closing-reporter.mjs")}`;
  const args = [vitest, "run", "--globals", "--root", folder, reporter, ...files];
  // What this run came to is no matter of the run that tests it.
  const env = { ...process.env, TURNPIKE_TEST_MISSING: missing, [OUTCOME]: undefined, NO_COLOR: "1" };
  const ended = await promisify(execFile)(nodeBinary(), args, { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  return { code: ended.code, last: ended.stdout.trimEnd().split("\n").at(-1), text: ended.stdout + ended.stderr };
}

test(
  "a good run ends with its count alone on the last line, and names its slowest files and the time by level",
  { timeout },
  async () => {
    const { code, last, text } = await run(["good.test.js"]);
    expect({ code, last }).toEqual({ code: 0, last: "1 passed, 0 failed" });
    expect(text).toMatch(/the slowest files:\n +\d+\.\d s {2}good\.test\.js\n/);
    expect(text).toMatch(/time by level, of all workers together:\n +\d+\.\d s {2}\S* ?\(1\)\n/);
  },
);

test(
  "a failed test, a file that does not load, one that cannot be prepared and an error outside any test count and are named with their reason",
  { timeout },
  async () => {
    const { code, last, text } = await run(Object.keys(FILES), "redis");
    expect({ code, last }).toEqual({ code: 1, last: "3 passed, 4 failed" });
    for (const named of ["bad.test.js > in a group > b", "unloaded.test.js", "unprepared.test.js"])
      expect(text).toContain(`FAIL  ${named}`);
    for (const reason of ["expected 1 to be 2", "nowhere.js", "no database", "too late"])
      expect(text).toContain(reason);
  },
);

test("a run that finds nothing to run fails", { timeout }, async () => {
  expect((await run(["nowhere"])).code).toBe(1);
});

test("a skip is a failure, named, unless something that is missing here explains it", { timeout }, async () => {
  const unexplained = await run(["good.test.js", "skipping.test.js"]);
  expect(unexplained).toMatchObject({ code: 1, last: "1 passed, 1 failed" });
  expect(unexplained.text).toContain("failed: skipping.test.js: c\nskipped");
  expect(await run(["good.test.js", "skipping.test.js"], "redis")).toMatchObject({
    code: 0,
    last: "1 passed, 0 failed",
  });
});

test("a test whose name was not asked for is no failure", { timeout }, async () => {
  const asked = await run(["good.test.js", "skipping.test.js", "-t", "^a$"]);
  expect(asked).toMatchObject({ code: 0, last: "1 passed, 0 failed" });
});
