/** Tests of the dashboard's address: omitted values have defaults, invalid ones are ignored, ranges are whole local days. */
import { describe, expect, it } from "vitest";
import { boundsOf, dateOf, datesFault, midnightS, parseView } from "./view.ts";

const NOW = new Date(2026, 10, 20, 15, 40, 12).getTime();

describe("the dashboard's address", () => {
  it("defaults to 30 days of spend by day, of all users for an administrator, of oneself for all others", () => {
    expect(parseView({}, "day", true)).toEqual({
      range: { kind: "preset", preset: "month" },
      granularity: "day",
      measure: "spend",
      isOwn: false,
      username: undefined,
      isTable: false,
    });
    expect(parseView({ username: "elena" }, "day", false)).toMatchObject({ isOwn: true, username: undefined });
    expect(parseView({ username: "elena" }, "day", true).username).toBe("elena");
    expect(parseView({ username: "elena", scope: "me" }, "day", true)).toMatchObject({
      isOwn: true,
      username: undefined,
    });
  });

  it("takes the site's granularity where it suits the range, and the asked one always", () => {
    expect(parseView({}, "hour", true).granularity).toBe("day");
    expect(parseView({ range: "day" }, "week", true).granularity).toBe("hour");
    expect(parseView({ from: "2026-11-18", to: "2026-11-20" }, "hour", true).granularity).toBe("hour");
    expect(parseView({}, "week", true).granularity).toBe("week");
    expect(parseView({ range: "week" }, "week", true).granularity).toBe("day");
    expect(parseView({ by: "hour" }, "day", true).granularity).toBe("hour");
    expect(parseView({ by: "year", show: "love", range: "ever" }, "day", true)).toMatchObject({
      granularity: "day",
      measure: "spend",
      range: { preset: "month" },
    });
  });

  it("holds dates that are a range of at most 93 days", () => {
    expect(parseView({ from: "2026-11-01", to: "2026-11-20" }, "day", true).range).toEqual({
      kind: "dates",
      from: "2026-11-01",
      to: "2026-11-20",
    });
    for (const [from, to] of [
      ["2026-11-20", "2026-11-01"],
      ["2026-02-31", "2026-03-02"],
      ["2026-01-01", "2026-11-01"],
      ["x", "y"],
    ] as const)
      expect(parseView({ from, to }, "day", true).range.kind).toBe("preset");
    expect([
      datesFault("", "2026-11-01"),
      datesFault("2026-11-02", "2026-11-01"),
      datesFault("2026-01-01", "2026-11-01"),
      datesFault("2026-11-01", "2026-11-01"),
    ]).toEqual(["missing", "reversed", "long", undefined]);
  });

  it("begins at local midnight and ends now, or with the last second of the last date", () => {
    const month = boundsOf({ kind: "preset", preset: "month" }, NOW);
    expect([dateOf(month.start), month.end]).toEqual(["2026-10-22", Math.floor(NOW / 1000)]);
    expect(month.start).toBe(midnightS("2026-10-22"));
    const day = boundsOf({ kind: "preset", preset: "day" }, NOW);
    expect((day.end - (day.end % 3600) - day.start) / 3600).toBe(23);
    const dates = boundsOf({ kind: "dates", from: "2026-11-01", to: "2026-11-02" }, NOW);
    expect(dates).toEqual({ start: midnightS("2026-11-01"), end: (midnightS("2026-11-03") ?? 0) - 1 });
  });
});
