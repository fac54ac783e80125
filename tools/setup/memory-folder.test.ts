/** The folder in memory that a run of the tests writes to: where there is room, and without what killed runs have left. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeMemoryFolder } from "./memory-folder.mjs";

/** Above every id that Linux gives. */
const NOBODY = 4_194_305;

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-place-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("the folder is this process's own; those of runs that live stay, those of killed ones go, and others are not touched", () => {
  const shared = place();
  const [living, killed, other] = [process.ppid, NOBODY, "x"].map((name) => join(shared, `turnpike-tests-${name}`));
  for (const folder of [living, killed, join(shared, "turnpike-else")]) mkdirSync(String(folder));
  const made = makeMemoryFolder(shared, 1);
  expect(made).toBe(join(shared, `turnpike-tests-${process.pid}`));
  expect([made, living, killed, other].map((folder) => existsSync(String(folder)))).toEqual([true, true, false, false]);
  expect(existsSync(join(shared, "turnpike-else"))).toBe(true);
});

test("where there is less room than a run needs, or no such place, there is none", () => {
  const shared = place();
  expect(makeMemoryFolder(shared, Number.MAX_SAFE_INTEGER)).toBeUndefined();
  expect(makeMemoryFolder(join(shared, "nowhere"), 1)).toBeUndefined();
});
