/** What an answer cost at its upstream, beside what it is charged: the same formula over the upstream's price. Part of step 8. */
import { chargeQuota } from "../../../../contract/src/pricing/pricing.ts";
import { VENDOR_SURCHARGE_RATIOS, surchargeRatio } from "../../../../contract/src/pricing/surcharge-ratios.ts";
import { VENDOR_TOOL_PRICES } from "../../../../contract/src/pricing/tool-prices.ts";
import type { CostOrigin, UpstreamPrice } from "../../../../contract/src/pricing/upstream-cost.ts";
import type { Usage } from "../../../../contract/src/pricing/usage.ts";
import type { Answer } from "../call/answer.ts";
import type { Call } from "../call/call.ts";
import type { Accepted } from "../request/accepted.ts";
import { meterOf } from "./meters.ts";
import type { Quote, Terms } from "./terms.ts";
import { withToolPrices } from "./tool-calls.ts";

export interface AnswerCost {
  /** In the same unit as charges. */
  quota: number;
  origin: CostOrigin;
  /** Of the price list's price; "1" for a typed one. */
  factor: string;
}

/** What an answer used as it is charged for, before a lenient rule takes something off: the upstream bills what it made. */
export interface Used {
  answer: Answer;
  /** As the upstream or the gateway counted it, tools without their prices. */
  counted: Usage;
  /** With the tools and surcharges of the charge. */
  charged: Usage;
}

/** As the upstream's price counts it. A model with another name there is counted by that name where names decide (pictures, speech). */
function countedFor(accepted: Accepted, quote: Quote | undefined, { answer, counted }: Used, { price }: UpstreamPrice) {
  const { upstreamModel } = answer.target;
  const isRenamed = quote !== undefined && accepted.model !== upstreamModel && accepted.operation !== "chat";
  const there = { ...accepted, model: upstreamModel };
  const usage = isRenamed ? meterOf(accepted.operation).used(there, quote, answer).usage : counted;
  return price.kind === "per_token" ? (usage.byTokens ?? usage) : usage;
}

/** Tools and surcharges as the vendor bills them, whatever the site charges for them. */
function usageOfVendor(accepted: Accepted, usage: Usage, { answer, charged }: Used): Usage {
  const { upstreamModel } = answer.target;
  const withTools = withToolPrices(accepted, { toolPrices: VENDOR_TOOL_PRICES }, usage, { priced: upstreamModel });
  if (charged.surcharges.length === 0) return withTools;
  const ratios = { PremiumRatios: VENDOR_SURCHARGE_RATIOS };
  const surcharges = charged.surcharges.map(({ surcharge }) => ({
    surcharge,
    ratio: surchargeRatio(ratios, surcharge, upstreamModel),
  }));
  return { ...withTools, surcharges };
}

/**
 * What the answer cost; undefined where its upstream's price is unknown. Never throws: a call does not fail for what it cost.
 * `quote` is absent for answers that are counted in one way only (realtime).
 */
export function costOf(
  { context, logFields }: Call,
  accepted: Accepted,
  { quotaPerUnit }: Pick<Terms, "quotaPerUnit">,
  used: Used,
  quote?: Quote,
): AnswerCost | undefined {
  const { channel, upstreamModel } = used.answer.target;
  try {
    const asked = context.snapshot.upstreamPriceOf(channel, upstreamModel);
    if (asked === undefined) return undefined;
    const { price, factor, origin } = asked;
    const usage = usageOfVendor(accepted, countedFor(accepted, quote, used, asked), used);
    return { quota: chargeQuota(usage, price, factor, quotaPerUnit), origin, factor };
  } catch (error) {
    context.logger.error({ ...logFields, channelId: channel.id, err: error }, "what a call cost could not be computed");
    return undefined;
  }
}
