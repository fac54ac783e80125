/** The compact JSON of a charge in the ledger: everything needed to compute it once more, years later, without any table. */
import { z } from "zod";
import {
  LONG_CACHE_RATIO,
  MAX_TOKEN_COUNT,
  type ModelPrice,
  type PerTokenPrice,
} from "../../../contract/src/pricing/pricing.ts";
import { saneFactor, saneToolCalls } from "../../../contract/src/pricing/usage-parts.ts";
import type { Usage } from "../../../contract/src/pricing/usage.ts";

export interface PricedUsage {
  usage: Usage;
  price: ModelPrice;
  groupRatio: string;
  quotaPerUnit: string;
  /** Row of price_versions that the price came from. */
  priceVersion: number;
}

/**
 * Letters keep millions of rows short: usage, estimated, ratios or fixed price, group, QuotaPerUnit, version. Letters that came later
 * stand only where there is something to say: writes to an hourly cache with their ratio to the others, tokens of pictures that came
 * out and the ratio they have where it is not the answer's, the factor of a fixed price, calls of tools, surcharges of the tokens, tiers
 * of the context.
 */
const detailSchema = z.object({
  u: z.array(z.number()).length(7),
  e: z.literal(1).optional(),
  r: z.array(z.string()).length(7).optional(),
  f: z.string().optional(),
  w: z.tuple([z.number(), z.string()]).optional(),
  o: z.number().optional(),
  p: z.string().optional(),
  c: z.string().optional(),
  /** Tool, calls, USD for 1,000. */
  t: z.array(z.tuple([z.string(), z.number(), z.string()])).optional(),
  /** Surcharge and what the tokens are multiplied by. */
  m: z.array(z.tuple([z.string(), z.string()])).optional(),
  /** Bound, prompt, completion, cache and cache-writing ratio. */
  x: z.array(z.tuple([z.number(), z.string(), z.string(), z.string(), z.string()])).optional(),
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

type Terms = Partial<ChargeDetail>;

const fixedTerms = (price: string, callFactor: string): Terms => {
  const factor = saneFactor(callFactor);
  return factor === "1" ? { f: price } : { f: price, c: factor };
};

function tokenTerms(price: PerTokenPrice, usage: Usage): Terms {
  const terms: Terms = {
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
  const [writtenLong, drawn] = [usage.cacheWriteLongTokens, usage.imageOutputTokens].map(finite);
  if (writtenLong) terms.w = [writtenLong, LONG_CACHE_RATIO];
  if (drawn) terms.o = drawn;
  if (drawn && price.imageOutputRatio !== undefined) terms.p = price.imageOutputRatio;
  if (usage.surcharges.length > 0) terms.m = usage.surcharges.map(({ surcharge, ratio }) => [surcharge, ratio]);
  if (price.tiers !== undefined && price.tiers.length > 0)
    terms.x = price.tiers.map((tier) => [
      tier.aboveInputTokens,
      tier.ratio,
      tier.completionRatio,
      tier.cacheRatio,
      tier.cacheCreationRatio,
    ]);
  return terms;
}

function toolTerms(usage: Usage): Terms {
  const toolCalls = saneToolCalls(usage.toolCalls);
  if (toolCalls.length === 0) return {};
  return { t: toolCalls.map(({ tool, calls, usdPerThousand }) => [tool, calls, usdPerThousand]) };
}

/** What Settlement.detail has to be for the audit to price the charge again. */
export function chargeDetail({ usage, price, groupRatio, quotaPerUnit, priceVersion }: PricedUsage): string {
  const detail: ChargeDetail = {
    u: countsOf(usage),
    ...(usage.isEstimated ? { e: 1 } : {}),
    ...(price.kind === "per_call" ? fixedTerms(price.price, usage.callFactor) : tokenTerms(price, usage)),
    ...toolTerms(usage),
    g: groupRatio,
    q: quotaPerUnit,
    v: priceVersion,
  };
  return JSON.stringify(detail);
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
