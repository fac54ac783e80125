/** The report of the long tests: a run takes the place of its part's last one, and the others keep theirs. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { withRun } from "./test-long.ts";

const REPORT = readFileSync(new URL("../docs/long-tests.md", import.meta.url), "utf8");

/** Rows by part, blanks that only align columns left out. */
const rows = (report: string): string[] =>
  report
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.replaceAll(/ +/g, " "));

test("a run replaces the last one of its part and does not change the others", () => {
  const [suites, , log, hostile, imported, agents, flaky] = rows(REPORT);
  const once = withRun(REPORT, "soak", "2030-01-02, 3 min | descriptors 40 -> 40");
  expect(rows(once)).toEqual([
    suites,
    expect.stringMatching(/^\| `soak` .* 2030-01-02, 3 min \| descriptors/),
    log,
    hostile,
    imported,
    agents,
    flaky,
  ]);
  const again = withRun(once, "soak", "2030-01-03, 4 min | **failed**: no result");
  expect(again).not.toContain("2030-01-02");
  expect(rows(again)).toEqual([
    suites,
    expect.stringContaining("2030-01-03, 4 min | **failed**"),
    log,
    hostile,
    imported,
    agents,
    flaky,
  ]);
});

test("a part that never ran is reported so", () => {
  expect(rows(withRun("", "soak", "2030-01-02 | fine"))[0]).toMatch(/^\| `suites` .* never \|/);
});
