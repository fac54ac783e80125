/** The operator's margin on charges and its shares as text, for the dashboard and the page of a channel. Pure. */
import type { MarginSums } from "../../../../contract/src/features/dashboard.ts";
import { formatDecimals } from "../../lib/format.ts";

/** The margin of charges whose cost is known; below 0 for a loss. */
export const marginOf = ({ costed_quota, cost }: MarginSums): number => costed_quota - cost;

/** An amount of quota with a minus before a loss, as the one of `amountOf` for the size of it. */
export const signed = (quota: number, amountOf: (size: number) => string): string =>
  `${quota < 0 ? "−" : ""}${amountOf(Math.abs(quota))}`;

const percentText = (share: number): string => `${share < 0 ? "−" : ""}${formatDecimals(Math.abs(share) * 100, 1)}%`;

/** Whether the cost of some of the charges is known: an unknown cost is not a cost of 0. */
export const isCostKnown = ({ costed_quota: costed, cost }: MarginSums): boolean => costed > 0 || cost > 0;

/** The margin as a share of the charges it is of: "31.2%", "−4.0%"; undefined where none of their cost is known. */
export const marginShare = (sums: MarginSums): string | undefined =>
  sums.costed_quota === 0 ? undefined : percentText(marginOf(sums) / sums.costed_quota);

/** Which share of the charges the cost is known of: "97.0%", never rounded to all or nothing; undefined where nothing was charged. */
export function knownShare({ quota, costed_quota }: MarginSums): string | undefined {
  if (quota === 0) return undefined;
  const share = costed_quota / quota;
  if (share > 0 && share < 0.001) return "<0.1%";
  return share < 1 && share > 0.999 ? ">99.9%" : percentText(share).replace(/^(0|100)\.0%$/, "$1%");
}
