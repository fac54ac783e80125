/** Tests of typed days and times: one form in all languages, pasted forms are read, half a text is no time, and arrow keys step the part at the caret. */
import { expect, test } from "vitest";
import { momentText, momentValue, onDay, stepped, UNREADABLE } from "./moment-text.ts";

test.each([
  ["2026-11-21 15:32", "2026-11-21T15:32"],
  ["2026-11-21T15:32", "2026-11-21T15:32"],
  ["2026-11-21 15:32:59", "2026-11-21T15:32"],
  ["2026/1/5 9:05", "2026-01-05T09:05"],
  ["2026年11月21日 15：32", "2026-11-21T15:32"],
  ["2026-11-21", "2026-11-21T00:00"],
  ["  ", ""],
])("%j is read as %j, without a twelve-hour clock", (text, value) => {
  expect(momentValue(text, "minute")).toBe(value);
});

test.each([
  "2",
  "2026",
  "2026-11",
  "2026-11-21 1",
  "2026-11-21 15:3",
  "2026-11-21 24:00",
  "2026-02-30",
  "12:00 AM",
  "?",
])("%j is no time, and nothing takes it for one", (text) => {
  expect(momentValue(text, "minute")).toBe(UNREADABLE);
  expect(Number.isNaN(new Date(UNREADABLE).getTime())).toBe(true);
});

test("a value is shown as it is typed, and a day of the calendar keeps the time", () => {
  expect(momentText("2026-11-21T15:32")).toBe("2026-11-21 15:32");
  expect(momentText("")).toBe("");
  expect(momentValue("2026-11-21 15:32", "day")).toBe("2026-11-21");
  expect(onDay("2026-11-21T15:32", "2026-12-01", "minute")).toBe("2026-12-01T15:32");
  expect(onDay("", "2026-12-01", "minute")).toBe("2026-12-01T00:00");
  expect(onDay("2026-11-21", "2026-12-01", "day")).toBe("2026-12-01");
});

test.each([
  ["2026-11-30 23:59", 16, 1, "2026-12-01 00:00"],
  ["2026-11-30 23:59", 12, 1, "2026-12-01 00:59"],
  ["2026-11-30 23:59", 9, 1, "2026-12-01 23:59"],
  ["2026-01-31 08:00", 5, 1, "2026-02-28 08:00"],
  ["2026-03-01 00:00", 8, -1, "2026-02-28 00:00"],
  ["2026-03-01 00:00", 0, -1, "2025-03-01 00:00"],
  ["2026/3/1", 0, 1, "2026-03-02 00:00"],
] as const)("%s with the caret at %i, by %i, is %s", (text, caret, by, next) => {
  expect(stepped(text, caret, by, "minute")?.text).toBe(next);
});

test("the part that was stepped is selected, and half a text is not stepped", () => {
  expect(stepped("2026-11-21 15:32", 12, 1, "minute")).toEqual({ text: "2026-11-21 16:32", start: 11, end: 13 });
  expect(stepped("2026-11-21", 10, 1, "day")).toEqual({ text: "2026-11-22", start: 8, end: 10 });
  expect(stepped("2026-11", 3, 1, "minute")).toBeUndefined();
});
