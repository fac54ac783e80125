/** Step 8: usage x price -> charge, durable before the answer is complete for the client. */
import { billedUsage } from "../../../contract/src/broken-stream.ts";
import { chargeQuota } from "../../../contract/src/pricing.ts";
import type { Usage } from "../../../contract/src/usage.ts";
import type { Hold, Settlement } from "../billing/billing.ts";
import { chargeDetail } from "../billing/charge-detail.ts";
import { type Exchange, known } from "./exchange.ts";
import { meterOf } from "./meters.ts";
import { OPERATIONS } from "./operations.ts";
import { consumptionRow } from "./record.ts";
import { withPremiums } from "./premium.ts";
import { withToolPrices } from "./tool-calls.ts";

/** What the books are told of one charge. */
export function settlementOf(exchange: Exchange, usage: Usage, charge: number, faults: readonly string[]): Settlement {
  const token = known(exchange.token, "token");
  const target = known(exchange.target, "target");
  const { groupRatio, quotaPerUnit, priceVersion, context } = exchange;
  const settlement: Settlement = {
    requestId: exchange.requestId,
    userId: token.userId,
    tokenId: token.id,
    channelId: target.channel.id,
    model: exchange.model,
    groupName: exchange.groupName,
    charge,
    isTokenLimited: !token.isUnlimited,
    promptTokens: usage.inputTokens,
    completionTokens: usage.outputTokens,
    createdAt: exchange.createdAt,
    detail: chargeDetail({
      usage,
      price: known(exchange.price, "price"),
      groupRatio,
      quotaPerUnit,
      priceVersion,
    }),
  };
  if (context.snapshot.options.LogConsumeEnabled) settlement.log = consumptionRow(exchange, usage, charge, faults);
  return settlement;
}

/** Ends the hold without a charge. */
export async function release(exchange: Exchange): Promise<void> {
  const { hold } = exchange;
  exchange.hold = undefined;
  if (hold !== undefined) await exchange.context.billing.void(hold);
}

/** Books what the answer used and resolves once that is durable; an answer of which nothing was delivered costs nothing. */
export async function settle(exchange: Exchange): Promise<Usage> {
  const answer = known(exchange.answer, "answer");
  const hold: Hold = known(exchange.hold, "hold");
  const { options } = exchange.context.snapshot;
  const { usage: used, faults } = meterOf(exchange.operation).used(exchange, answer);
  const priced = withPremiums(exchange, withToolPrices(exchange, used));
  const usage = billedUsage(priced, answer.end, options.BrokenStreamBilling);
  exchange.usage = usage;
  if (!answer.isDelivered || OPERATIONS[exchange.operation].isFree === true) {
    await release(exchange);
    return usage;
  }
  const { price, groupRatio, quotaPerUnit, context } = exchange;
  const charge = chargeQuota(usage, known(price, "price"), groupRatio, quotaPerUnit);
  const settlement = settlementOf(exchange, usage, charge, faults);
  exchange.charge = charge;
  // From here on the books end the hold, also where they fail.
  exchange.hold = undefined;
  await context.billing.settle(hold, settlement);
  return usage;
}
