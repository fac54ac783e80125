/** The order of the margin table: by which column, and what is compared. Pure. */
import type { MarginSums } from "../../../../../contract/src/features/dashboard.ts";
import { isCostKnown, marginOf } from "./figures.ts";

export const MARGIN_COLUMNS = ["charged", "cost", "margin", "share", "known"] as const;
export type MarginColumn = (typeof MARGIN_COLUMNS)[number];

export interface MarginOrder {
  by: MarginColumn;
  isDescending: boolean;
}

/** What a row has in each column; undefined where nobody knows. */
const VALUES: Readonly<Record<MarginColumn, (sums: MarginSums) => number | undefined>> = {
  charged: ({ quota }) => quota,
  cost: (sums) => (isCostKnown(sums) ? sums.cost : undefined),
  margin: (sums) => (isCostKnown(sums) ? marginOf(sums) : undefined),
  share: (sums) => (sums.costed_quota === 0 ? undefined : marginOf(sums) / sums.costed_quota),
  known: ({ quota, costed_quota: costed }) => (quota === 0 ? undefined : costed / quota),
};

/** The rows in order; those of whom nobody knows stand last, whichever way the others are turned. */
export function inOrder<Row extends MarginSums>(rows: readonly Row[], order: MarginOrder | undefined): readonly Row[] {
  if (order === undefined) return rows;
  const valueOf = VALUES[order.by];
  const sign = order.isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [left, right] = [valueOf(a), valueOf(b)];
    if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
    return sign * (left - right);
  });
}

/** The largest first, then the smallest, then as they came. */
export function nextOrder(order: MarginOrder | undefined, by: MarginColumn): MarginOrder | undefined {
  if (order?.by !== by) return { by, isDescending: true };
  return order.isDescending ? { by, isDescending: false } : undefined;
}
