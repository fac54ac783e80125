/** The compact JSON of a charge in the ledger: everything needed to compute it once more, years later, without any table. */
import { z } from "zod";
import { MAX_TOKEN_COUNT, type ModelPrice } from "../../../contract/src/pricing.ts";
import type { Usage } from "../../../contract/src/usage.ts";

export interface PricedUsage {
  usage: Usage;
  price: ModelPrice;
  groupRatio: string;
  quotaPerUnit: string;
  /** Row of price_versions that the price came from. */
  priceVersion: number;
}

/** Letters keep millions of rows short: usage, estimated, ratios or fixed price, group, QuotaPerUnit, version. */
const detailSchema = z.object({
  u: z.array(z.number()).length(7),
  e: z.literal(1).optional(),
  r: z.array(z.string()).length(7).optional(),
  f: z.string().optional(),
  g: z.string(),
  q: z.string(),
  v: z.number(),
});

export type ChargeDetail = z.infer<typeof detailSchema>;

/** JSON has no NaN and no infinity; the price code takes them for 0 and for its largest count. */
const finite = (count: unknown): number => {
  if (count === Number.POSITIVE_INFINITY) return MAX_TOKEN_COUNT;
  return typeof count === "number" && Number.isFinite(count) ? count : 0;
};

/** The counts in the order of `u`. */
const countsOf = (usage: Usage): number[] =>
  [
    usage.inputTokens,
    usage.outputTokens,
    usage.cacheReadTokens,
    usage.cacheWriteTokens,
    usage.audioInputTokens,
    usage.imageInputTokens,
    usage.audioOutputTokens,
  ].map(finite);

/** What Settlement.detail has to be for the audit to price the charge again. */
export function chargeDetail({ usage, price, groupRatio, quotaPerUnit, priceVersion }: PricedUsage): string {
  const terms =
    price.kind === "per_call"
      ? { f: price.price }
      : {
          r: [
            price.ratio,
            price.completionRatio,
            price.cacheRatio,
            price.cacheCreationRatio,
            price.audioRatio,
            price.imageRatio,
            price.audioCompletionRatio,
          ],
        };
  const estimated = usage.isEstimated ? { e: 1 } : {};
  return JSON.stringify({
    u: countsOf(usage),
    ...estimated,
    ...terms,
    g: groupRatio,
    q: quotaPerUnit,
    v: priceVersion,
  });
}

/** Reads a ledger detail; undefined where it is not that of a priced charge. */
export function readChargeDetail(text: string): ChargeDetail | undefined {
  try {
    const parsed = detailSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
