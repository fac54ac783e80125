/** Parses the parameters of dashboard requests: the range in whole hours, its buckets, and the time zone of its days. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { Granularity } from "../../../../contract/src/features/dashboard.ts";
import { OVERVIEW_SPAN_SECONDS } from "../../../../contract/src/features/dashboard.ts";
import { DAY, type HourRange, hoursOf, type ZoneClock, zoneClock } from "./buckets.ts";

/** Unix seconds, inclusive. */
export interface RequestedRange {
  start: number | undefined;
  end: number | undefined;
}

export interface View extends RequestedRange {
  granularity: Granularity;
  timeZone: string | undefined;
}

const DEFAULT_SPAN = 30 * DAY;

/** The name of the zone a view is in. */
export const zoneOf = ({ timeZone = "UTC" }: View): string => timeZone;

/** The clock of a view's zone. Call it before any query is started: a query that is not awaited could reject unhandled. Throws invalid_field. */
export function clockOf(view: View): ZoneClock {
  try {
    return zoneClock(zoneOf(view));
  } catch (cause) {
    throw new AppError("invalid_field", { message: "There is no such time zone", field: "time_zone", cause });
  }
}

/** The range as it is counted: nothing is younger than now. Throws range_too_wide. */
export function hoursOfView(view: RequestedRange, now: number): HourRange {
  const end = Math.min(view.end ?? now, now);
  const start = view.start ?? end - DEFAULT_SPAN;
  if (end - start > OVERVIEW_SPAN_SECONDS) throw new AppError("range_too_wide", { field: "start_timestamp" });
  return hoursOf(start, end);
}
