/** The time range of a list: what the address says, what a preset means now, and local days. */
import { describe, expect, test } from "vitest";
import {
  boundsOf,
  boundsOfFields,
  fieldOf,
  isOneDay,
  parseRange,
  type Preset,
  secondsOfField,
  startOfLastDays,
  untilNow,
} from "./range.ts";

const at = (year: number, month: number, day: number, hour = 0, minute = 0): number =>
  new Date(year, month - 1, day, hour, minute).getTime();
const NOW = at(2026, 11, 21, 15, 32);
const preset = (name: Preset) => boundsOf({ kind: "preset", preset: name }, NOW);

describe("the address", () => {
  test("without a range, or with an unknown one, it is the page's default", () => {
    expect(parseRange({}, "today")).toEqual({ kind: "preset", preset: "today" });
    expect(parseRange({ range: "decade" }, "today")).toEqual({ kind: "preset", preset: "today" });
    expect(parseRange({ range: "week" }, "today")).toEqual({ kind: "preset", preset: "week" });
  });

  test("two moments win over a preset; what is no moment is left out", () => {
    expect(parseRange({ range: "week", start_timestamp: "100", end_timestamp: "200" }, "today")).toEqual({
      kind: "custom",
      start: 100,
      end: 200,
    });
    expect(parseRange({ start_timestamp: "abc", end_timestamp: "200" }, "today")).toEqual({
      kind: "custom",
      start: undefined,
      end: 200,
    });
    expect(parseRange({ start_timestamp: "", end_timestamp: "-5" }, "days30")).toEqual({
      kind: "preset",
      preset: "days30",
    });
  });
});

test("presets up to the present reach exactly one hour ahead", () => {
  const now = NOW / 1000;
  expect(preset("today")).toEqual({ start: at(2026, 11, 21) / 1000, end: now + 3600 });
  expect(preset("hour")).toEqual({ start: now - 3600, end: now + 3600 });
  expect(preset("day")).toEqual({ start: now - 86_400, end: now + 3600 });
  expect(preset("yesterday")).toEqual({ start: at(2026, 11, 20) / 1000, end: at(2026, 11, 21) / 1000 - 1 });
});

test("a week and a month are whole local days, today included, as on the dashboard", () => {
  expect(preset("week").start).toBe(at(2026, 11, 15) / 1000);
  expect(preset("month").start).toBe(at(2026, 10, 23) / 1000);
});

test("the last days of dashboard and dry run are local days with today, and one day is the last 24 hours of the clock", () => {
  expect(startOfLastDays(1, NOW)).toBe(at(2026, 11, 20, 16) / 1000);
  expect(startOfLastDays(7, NOW)).toBe(preset("week").start);
  expect(startOfLastDays(30, NOW)).toBe(preset("month").start);
  expect(startOfLastDays(90, NOW)).toBe(at(2026, 8, 24) / 1000);
});

test("a clock time says enough only where the whole range is one local day", () => {
  const custom = (start: number | undefined, end: number | undefined) =>
    isOneDay({ kind: "custom", start: start && start / 1000, end: end && end / 1000 }, NOW);
  expect(isOneDay({ kind: "preset", preset: "today" }, NOW)).toBe(true);
  expect(isOneDay({ kind: "preset", preset: "yesterday" }, NOW)).toBe(true);
  expect(isOneDay({ kind: "preset", preset: "day" }, NOW)).toBe(false);
  expect(isOneDay({ kind: "preset", preset: "hour" }, at(2026, 11, 21, 0, 20))).toBe(false);
  expect(custom(at(2026, 11, 20, 9), at(2026, 11, 20, 18))).toBe(true);
  expect(custom(at(2026, 11, 20, 9), at(2026, 11, 21, 1))).toBe(false);
  expect(custom(undefined, at(2026, 11, 20))).toBe(false);
});

test("fields hold local minutes, and an end takes its minute whole", () => {
  expect(fieldOf(NOW / 1000)).toBe("2026-11-21T15:32");
  expect(fieldOf(undefined)).toBe("");
  expect(secondsOfField("2026-11-21T15:32", false)).toBe(NOW / 1000);
  expect(secondsOfField("2026-11-21T15:32", true)).toBe(NOW / 1000 + 59);
  expect(secondsOfField("", true)).toBeUndefined();
  expect(secondsOfField("tomorrow", false)).toBeUndefined();
});

test("a preset edited by hand becomes its moments until now, and a range of fixed moments stays unchanged", () => {
  const now = Math.floor(NOW / 1000);
  expect(untilNow({ kind: "preset", preset: "hour" }, NOW)).toEqual({ start: now - 3600, end: now });
  expect(untilNow({ kind: "preset", preset: "yesterday" }, NOW).end).toBe(at(2026, 11, 21) / 1000 - 1);
  expect(untilNow({ kind: "custom", start: 5, end: undefined }, NOW)).toEqual({ start: 5, end: undefined });
});

test("two fields are a range, open where one is empty; both empty and the wrong way round are none", () => {
  const minute = NOW / 1000;
  expect(boundsOfFields("2026-11-21T15:32", "2026-11-21T15:32")).toEqual({ start: minute, end: minute + 59 });
  expect(boundsOfFields("", "2026-11-21T15:32")).toEqual({ start: undefined, end: minute + 59 });
  expect(boundsOfFields("", "")).toBe("missing");
  expect(boundsOfFields("?", "2026-11-21T15:32")).toBe("unreadable");
  expect(boundsOfFields("2026-11-21T15:32", "?")).toBe("unreadable");
  expect(boundsOfFields("2026-11-21T15:33", "2026-11-21T15:32")).toBe("reversed");
});
