/** Months of a time zone: which one a moment falls in, and when one begins. */

const partsOf = (timeZone: string, momentMs: number): ReadonlyMap<string, number> =>
  new Map(
    new Intl.DateTimeFormat("en-u-ca-gregory-nu-latn", {
      timeZone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
    })
      .formatToParts(momentMs)
      .map(({ type, value }) => [type, Number(value)]),
  );

/** The month of a moment (Unix milliseconds) as `YYYY-MM`. Throws a RangeError for an unknown zone. */
export function monthIn(timeZone: string, momentMs: number): string {
  const parts = partsOf(timeZone, momentMs);
  return `${parts.get("year")}-${String(parts.get("month")).padStart(2, "0")}`;
}

/** The month so many months later, or earlier where `months` is below 0. */
export function monthAfter(month: string, months: number): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7);
}

/** What a clock of the zone shows, as if it were UTC, in Unix milliseconds. */
function shownAt(timeZone: string, momentMs: number): number {
  const parts = partsOf(timeZone, momentMs);
  const of = (name: string): number => parts.get(name) ?? 0;
  return Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
}

/** When a month (`YYYY-MM`) begins in a time zone, in Unix seconds: midnight of its first day. */
export function monthStart(timeZone: string, month: string): number {
  const wanted = Date.parse(`${month}-01T00:00:00Z`);
  const guess = wanted - (shownAt(timeZone, wanted) - wanted);
  // The guess may lie beyond a change of the clocks: its own offset is the one that holds.
  return (guess - (shownAt(timeZone, guess) - wanted)) / 1000;
}
