/** What calls brought their operator over a range: charges less what the upstreams asked for, in all and by channel and model. Pure. */
import {
  type Margin,
  type MarginRow,
  type MarginSums,
  NAMED_FIGURES,
} from "../../../../contract/src/features/dashboard.ts";
import { bucketOf } from "./buckets.ts";
import { costsOf, type HourSum } from "./shape.ts";
import type { IdSums } from "./store.ts";

const marginIn = ({ costed_quota, cost }: MarginSums): number => costed_quota - cost;

type Named = Pick<MarginRow, "id" | "name"> & MarginSums;

/** The greatest by what they were charged, one by one, and the sum of the others; together they are the totals. */
function ranked(rows: readonly Named[]): MarginRow[] {
  const sorted = rows.toSorted((a, b) => b.quota - a.quota || a.id - b.id || (a.name < b.name ? -1 : 1));
  const listed = sorted
    .slice(0, NAMED_FIGURES)
    .map(({ id, name, quota, costed_quota, cost }) => ({ id, name, count: 1, quota, costed_quota, cost }));
  const rest = sorted.slice(NAMED_FIGURES);
  return rest.length === 0 ? listed : [...listed, { id: 0, name: "", count: rest.length, ...costsOf(rest) }];
}

function modelsOf(hours: readonly HourSum[]): Named[] {
  const byModel = Map.groupBy(hours, ({ model }) => model);
  return [...byModel].map(([name, rows]) => ({ id: 0, name, ...costsOf(rows) }));
}

interface CostedUsage {
  hours: readonly HourSum[];
  channels: readonly IdSums[];
  /** Of the preceding range. */
  hoursBefore: readonly HourSum[];
}

/** The margin of a range in the buckets that `starts` begins. `nameOf` gives undefined for a channel that is gone. */
export function marginOf(
  { hours, channels, hoursBefore }: CostedUsage,
  starts: readonly number[],
  nameOf: (channelId: number) => string | undefined,
): Margin {
  const series = starts.map(() => 0);
  for (const row of hours) {
    const bucket = bucketOf(starts, row.hour);
    series[bucket] = (series[bucket] ?? 0) + marginIn(row);
  }
  return {
    totals: costsOf(hours),
    previous: costsOf(hoursBefore),
    series,
    models: ranked(modelsOf(hours)),
    channels: ranked(channels.map((row) => ({ ...row, name: nameOf(row.id) ?? "" }))),
  };
}
