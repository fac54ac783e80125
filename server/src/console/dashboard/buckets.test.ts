/** Tests of time buckets: days and weeks begin at local midnight of the viewer, in weeks with a clock change too. */
import { describe, expect, it } from "vitest";
import { bucketOf, bucketStarts, dayStartOf, HOUR, hoursOf, zoneClock } from "./buckets.ts";

const at = (text: string): number => Date.parse(text) / 1000;
const texts = (starts: readonly number[]): string[] =>
  starts.map((start) => new Date(start * 1000).toISOString().slice(0, 16));
const cut = (zone: string, from: string, to: string, granularity: "hour" | "day" | "week"): string[] =>
  texts(bucketStarts(hoursOf(at(from), at(to)), granularity, zoneClock(zone)));

describe("buckets", () => {
  it("begin days at midnight in Shanghai, which is 16:00 UTC", () => {
    expect(cut("Asia/Shanghai", "2026-11-18T16:00Z", "2026-11-21T10:00Z", "day")).toEqual([
      "2026-11-18T16:00",
      "2026-11-19T16:00",
      "2026-11-20T16:00",
    ]);
  });

  it("give Berlin a day of 23 hours in March and one of 25 in October", () => {
    expect(cut("Europe/Berlin", "2026-03-27T23:00Z", "2026-03-30T12:00Z", "day")).toEqual([
      "2026-03-27T23:00",
      "2026-03-28T23:00",
      "2026-03-29T22:00",
    ]);
    expect(cut("Europe/Berlin", "2026-10-23T22:00Z", "2026-10-26T12:00Z", "day")).toEqual([
      "2026-10-23T22:00",
      "2026-10-24T22:00",
      "2026-10-25T23:00",
    ]);
  });

  it("move New York's midnight from 04:00 to 05:00 UTC in November and back in March", () => {
    expect(cut("America/New_York", "2026-10-31T04:00Z", "2026-11-02T12:00Z", "day")).toEqual([
      "2026-10-31T04:00",
      "2026-11-01T04:00",
      "2026-11-02T05:00",
    ]);
    expect(cut("America/New_York", "2026-03-07T05:00Z", "2026-03-09T12:00Z", "day")).toEqual([
      "2026-03-07T05:00",
      "2026-03-08T05:00",
      "2026-03-09T04:00",
    ]);
  });

  it("begin weeks on the local Monday, across a clock change; the range's own beginning comes first", () => {
    expect(cut("Europe/Berlin", "2026-10-20T22:00Z", "2026-11-03T12:00Z", "week")).toEqual([
      "2026-10-20T22:00",
      "2026-10-25T23:00",
      "2026-11-01T23:00",
    ]);
    expect(cut("America/New_York", "2026-03-02T05:00Z", "2026-03-10T12:00Z", "week")).toEqual([
      "2026-03-02T05:00",
      "2026-03-09T04:00",
    ]);
    expect(cut("Asia/Shanghai", "2026-11-15T16:00Z", "2026-11-22T16:00Z", "week")).toEqual([
      "2026-11-15T16:00",
      "2026-11-22T16:00",
    ]);
  });

  it("keep to hours of UTC where a zone's midnight lies inside one: the day begins at the next", () => {
    expect(cut("Asia/Kolkata", "2026-11-18T18:30Z", "2026-11-20T18:29Z", "day")).toEqual([
      "2026-11-18T19:00",
      "2026-11-19T19:00",
    ]);
    expect(zoneClock("Asia/Kolkata").minuteOf(at("2026-11-18T19:00Z"))).toBe(30);
    expect(zoneClock("Asia/Kathmandu").minuteOf(at("2026-11-18T19:00Z"))).toBe(45);
    expect(zoneClock("Europe/Berlin").minuteOf(at("2026-11-18T19:00Z"))).toBe(0);
    // Lord Howe changes its clock by half an hour.
    expect(cut("Australia/Lord_Howe", "2026-04-03T13:00Z", "2026-04-06T13:00Z", "day")).toEqual([
      "2026-04-03T13:00",
      "2026-04-04T13:00",
      "2026-04-05T14:00",
    ]);
  });

  it("hold every hour of a year exactly once, in each zone", () => {
    const range = hoursOf(at("2026-01-01T00:00Z"), at("2026-12-31T23:59Z"));
    for (const zone of ["UTC", "Asia/Shanghai", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Apia"]) {
      const clock = zoneClock(zone);
      const starts = bucketStarts(range, "day", clock);
      const days = new Set<number>();
      for (let hour = range.first; hour <= range.last; hour += HOUR) {
        const start = starts[bucketOf(starts, hour)] ?? 0;
        expect(clock.dayOf(start)).toBe(clock.dayOf(hour));
        days.add(clock.dayOf(hour));
      }
      expect(starts.length).toBe(days.size);
    }
  });

  it("give one bucket an hour, none where no hour begins in the range, and the day's beginning of any moment", () => {
    expect(cut("UTC", "2026-11-18T10:20Z", "2026-11-18T12:59Z", "hour")).toEqual([
      "2026-11-18T11:00",
      "2026-11-18T12:00",
    ]);
    expect(cut("UTC", "2026-11-18T10:20Z", "2026-11-18T10:40Z", "day")).toEqual([]);
    expect(dayStartOf(at("2026-11-01T12:20Z"), zoneClock("America/New_York"))).toBe(at("2026-11-01T04:00Z"));
    expect(dayStartOf(at("2026-11-18T18:45Z"), zoneClock("Asia/Kolkata"))).toBe(at("2026-11-18T19:00Z"));
  });

  it("know no zone that is not there", () => {
    expect(() => zoneClock("Mars/Olympus")).toThrow(RangeError);
  });
});
