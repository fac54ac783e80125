/** Months begin at midnight of their zone, also beside a change of the clocks. */
import { expect, test } from "vitest";
import { monthAfter, monthIn, monthStart } from "./months.ts";

test.each([
  ["UTC", "2026-10", "2026-10-01T00:00:00Z"],
  ["Asia/Shanghai", "2026-10", "2026-09-30T16:00:00Z"],
  ["Asia/Kolkata", "2026-01", "2025-12-31T18:30:00Z"],
  ["America/New_York", "2026-11", "2026-11-01T04:00:00Z"],
  ["America/New_York", "2026-12", "2026-12-01T05:00:00Z"],
  ["Europe/Berlin", "2026-04", "2026-03-31T22:00:00Z"],
  ["+13:45", "2026-03", "2026-02-28T10:15:00Z"],
])("in %s %s begins at %s", (zone, month, begin) => {
  const startMs = monthStart(zone, month) * 1000;
  expect(new Date(startMs).toISOString()).toBe(begin.replace("Z", ".000Z"));
  expect([monthIn(zone, startMs), monthIn(zone, startMs - 1)]).toEqual([month, monthAfter(month, -1)]);
});

test("a year ends with December", () => {
  expect([monthAfter("2026-12", 1), monthAfter("2026-01", -1), monthAfter("2026-03", 0)]).toEqual([
    "2027-01",
    "2025-12",
    "2026-03",
  ]);
});
