/** The overview as the charts take it: coloured series of models, and slots with their labels. */
import type { OwnOverview } from "../../../../../contract/src/features/dashboard.ts";
import { formatClock, formatDate } from "../../../lib/format.ts";
import { modelColors, OTHER_COLOR } from "../../../lib/model-colors.ts";
import { visible } from "../../../lib/names.ts";
import type { ChartSeries, ChartSlot } from "../../../ui/charts/chart-props.ts";
import type { Measure } from "./view.ts";

export interface ModelSeries extends ChartSeries {
  requests: number;
  total: number;
}

const SERIES = { spend: "quota", requests: "requests", tokens: "tokens" } as const;

/** Id of the sum of all models that are not named; no model can have it. */
const OTHER_ID = "";

/** @param otherName text for the sum of `count` other models */
export function seriesOf(overview: OwnOverview, measure: Measure, otherName: (count: number) => string): ModelSeries[] {
  const colors = modelColors(overview.models.filter(({ model }) => model !== OTHER_ID).map(({ model }) => model));
  return overview.models.map((usage) => {
    const values = usage.series[SERIES[measure]];
    return {
      id: usage.model,
      name: usage.model === OTHER_ID ? otherName(usage.model_count) : visible(usage.model),
      color: usage.model === OTHER_ID ? OTHER_COLOR : (colors.get(usage.model) ?? OTHER_COLOR),
      isCode: true,
      values,
      requests: usage.requests,
      total: values.reduce((sum, value) => sum + value, 0),
    };
  });
}

/** The greatest first, the sum of the others always last. */
export const rankedBy = (series: readonly ModelSeries[], value: (each: ModelSeries) => number): ModelSeries[] =>
  series.toSorted((a, b) => Number(a.id === OTHER_ID) - Number(b.id === OTHER_ID) || value(b) - value(a));

/**
 * Length of each model's bar of calls, from 0 to 1, by its id. The sum of the others is no model and has none: it would be the longest and make
 * those of the models short.
 */
export function barShares(series: readonly Pick<ModelSeries, "id" | "requests">[]): ReadonlyMap<string, number> {
  const models = series.filter(({ id }) => id !== OTHER_ID);
  const most = Math.max(1, ...models.map(({ requests }) => requests));
  return new Map(models.map(({ id, requests }) => [id, requests / most]));
}

/** Whatever has buckets over time. */
export type Slotted = Pick<OwnOverview, "buckets" | "granularity" | "start" | "end">;

/** More hours than this have the date below the axis instead of the clock. */
const CLOCK_HOURS_MAX = 48;

export const areDatesShown = (overview: Slotted): boolean =>
  overview.granularity === "hour" && overview.buckets.length > CLOCK_HOURS_MAX;

const minuteOf = (atS: number): string => formatClock(atS).slice(0, 5);

function hourSlot(start: number, hasDate: boolean): Omit<ChartSlot, "id"> {
  const isMidnight = new Date(start * 1000).getHours() === 0;
  const label = hasDate ? (isMidnight ? formatDate(start) : "") : minuteOf(start);
  return { label, title: `${formatDate(start)}, ${minuteOf(start)} – ${minuteOf(start + 3600)}` };
}

export function slotsOf(overview: Slotted): ChartSlot[] {
  const { buckets, granularity, end } = overview;
  const hasDate = areDatesShown(overview);
  return buckets.map((start, index) => {
    const last = (buckets[index + 1] ?? end + 1) - 1;
    if (granularity === "hour") return { id: String(start), ...hourSlot(start, hasDate) };
    const date = formatDate(start);
    const lastDate = formatDate(last);
    return {
      id: String(start),
      label: date,
      title: granularity === "week" && lastDate !== date ? `${date} – ${lastDate}` : date,
    };
  });
}

/** The sum of all models in each bucket. */
export const totalsByBucket = (overview: OwnOverview, of: "quota" | "requests" | "tokens"): number[] =>
  overview.buckets.map((_, index) => overview.models.reduce((sum, { series }) => sum + (series[of][index] ?? 0), 0));
