/** The table of whole runs: a run takes the place of the last one of its form, and nothing else of the document changes. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { withRecord } from "./test-record.mjs";

const DOCUMENT = readFileSync(new URL("../../docs/testing.md", import.meta.url), "utf8");
const run = { date: new Date("2030-01-02T03:04:05Z"), minutes: 6.54, passed: 12_345, failed: 0 };
const levels = [
  { level: "browser", seconds: 600 },
  { level: "pure", seconds: 30 },
];

test("a run takes the place of the last one of its form, with its minutes by level", () => {
  const lines = withRecord(DOCUMENT, { ...run, form: "all", levels }).split("\n");
  const before = DOCUMENT.split("\n");
  const changed = lines.filter((line, index) => line !== before[index]);
  expect(changed).toEqual(["| `all` | 2030-01-02 | 12345 | 6.5 | 0.5 |  |  |  | 10.0 |  |  |"]);
  expect(lines).toHaveLength(before.length);
  const place = lines.findIndex((line, index) => line !== before[index]);
  expect(place).toBeGreaterThan(lines.indexOf("## The last whole runs"));
});

test("failures are named, and a form that the table does not have is refused", () => {
  expect(withRecord(DOCUMENT, { ...run, form: "short", failed: 2 })).toContain("12345, **2 failed**");
  expect(() => withRecord(DOCUMENT, { ...run, form: "quick" })).toThrow("no row for quick");
});
