/** The guard compares round by round, fails above its limits alone, and keeps one row a release. */
import { expect, test } from "vitest";
import { sectionOf, withSection } from "../run/sections.ts";
import {
  GUARDS,
  guardTable,
  historySection,
  lastRecorded,
  RELEASES_HEADING,
  releasesSection,
  verdictOf,
} from "./report.ts";
import type { Measured, Release } from "./report.ts";

const BEFORE: Measured = {
  callMicroseconds: [100, 200, 300],
  chunkMicroseconds: [10, 10, 10],
  idleMegabytes: [120, 120, 120],
  startMilliseconds: [1000, 1000, 1000],
};

const grown = (share: number, megabytes: number): Measured => ({
  callMicroseconds: BEFORE.callMicroseconds.map((value) => value * share),
  chunkMicroseconds: BEFORE.chunkMicroseconds.map((value) => value * share),
  idleMegabytes: BEFORE.idleMegabytes.map((value) => value + megabytes),
  startMilliseconds: BEFORE.startMilliseconds.map((value) => value * share),
});

const passed = (after: Measured): boolean[] => GUARDS.map((guard) => verdictOf(guard, BEFORE, after).passed);

test("growth within the limits passes, and what has become cheaper", () => {
  expect(passed(grown(1.04, 5))).toEqual([true, true, true, true]);
  expect(passed(grown(0.5, -40))).toEqual([true, true, true, true]);
});

test("each guard fails above its own limit", () => {
  expect(passed(grown(1.06, 6))).toEqual([false, false, false, true]);
  expect(passed(grown(1.11, 0))).toEqual([false, false, true, false]);
});

test("one bad round of three does not decide", () => {
  const after = { ...grown(1, 0), callMicroseconds: [100, 900, 300] };
  expect(passed(after)).toEqual([true, true, true, true]);
});

test("the table names both builds and marks what failed", () => {
  const table = guardTable(
    GUARDS.map((guard) => verdictOf(guard, BEFORE, grown(1.06, 0))),
    { before: "aaaaaaaa", after: "this checkout" },
  );
  expect(table).toContain("| guard | aaaaaaaa | this checkout |");
  expect(table).toContain("| 200.0 µs | 212.0 µs | +6.0 % | +6.0 to +6.0 | +5.0 % | **failed** |");
});

const release = (name: string, commit: string): Release => ({
  name,
  commit,
  date: "2026-11-28",
  callAgainstNginx: 9.5,
  chunkAgainstNginx: 2.5,
  idleMegabytes: 121,
  startMilliseconds: 900,
});

test("releases are listed in their order, and one that is measured again keeps one row", () => {
  const first = withSection("# Benchmarks\n", RELEASES_HEADING, releasesSection("", release("0.2.0", "aaaaaaaa")));
  const second = withSection(first, RELEASES_HEADING, releasesSection(first, release("0.3.0", "bbbbbbbb")));
  const again = withSection(second, RELEASES_HEADING, releasesSection(second, release("0.3.0", "cccccccc")));
  expect(sectionOf(again, RELEASES_HEADING).match(/^\| 0\.\S+ \| \S+/gm)).toEqual([
    "| 0.2.0 | aaaaaaaa",
    "| 0.3.0 | cccccccc",
  ]);
  expect(lastRecorded(again)).toBe("cccccccc");
  expect(lastRecorded("# Benchmarks\n")).toBeUndefined();
});

test("each step is compared round by round with nginx and with the step before it", () => {
  const step = (commit: string, ...callMicroseconds: number[]) => ({
    commit,
    date: "2026-11-29",
    what: `change of ${commit}`,
    callMicroseconds,
  });
  const section = historySection([step("aaaaaaaa", 100, 200, 900), step("bbbbbbbb", 110, 220, 800)], [10, 20, 30], []);
  expect(section).toContain("| 2026-11-29 | aaaaaaaa | change of aaaaaaaa | 200.0 µs | 10.00 x |  |");
  expect(section).toContain("| 2026-11-29 | bbbbbbbb | change of bbbbbbbb | 220.0 µs | 11.00 x | +10.0 % |");
});
