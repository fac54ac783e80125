/** Step 8: usage x price -> charge, durable before the answer is complete for the client. */
import { chargeQuota } from "../../../contract/src/pricing.ts";
import type { Usage } from "../../../contract/src/usage.ts";
import type { Hold, Settlement } from "../billing/billing.ts";
import { chargeDetail } from "../billing/charge-detail.ts";
import { estimateTextTokens } from "../dialects/openai-chat-stream.ts";
import { estimatedUsage, normaliseUsage } from "../dialects/openai-chat-usage.ts";
import { type Answer, type Exchange, known } from "./exchange.ts";
import { consumptionRow } from "./record.ts";

/**
 * What is paid for, by the printed rule: the upstream's own usage where it sent one; else what was delivered, estimated from its bytes
 * and flagged. Words that came and were counted as none are estimated too, so that no delivered token is free.
 */
function usageFor(answer: Answer, promptEstimate: number): { usage: Usage; faults: readonly string[] } {
  const delivered = estimateTextTokens(answer.asciiBytes, answer.otherBytes);
  const reported = normaliseUsage(answer.rawUsage);
  if (reported === undefined) return { usage: estimatedUsage(Math.max(1, promptEstimate), delivered), faults: [] };
  const { usage, faults } = reported;
  if (usage.outputTokens > 0 || delivered === 0) return reported;
  return { usage: { ...usage, outputTokens: delivered, isEstimated: true }, faults: [...faults, "completion_tokens"] };
}

function settlementOf(exchange: Exchange, usage: Usage, charge: number, faults: readonly string[]): Settlement {
  const token = known(exchange.token, "token");
  const target = known(exchange.target, "target");
  const { groupRatio, quotaPerUnit, context } = exchange;
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
      priceVersion: context.snapshot.priceVersion,
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
  const { usage, faults } = usageFor(answer, exchange.promptEstimate);
  exchange.usage = usage;
  if (!answer.isDelivered) {
    await release(exchange);
    return usage;
  }
  const { price, groupRatio, quotaPerUnit, context } = exchange;
  const charge = chargeQuota(usage, known(price, "price"), groupRatio, quotaPerUnit);
  exchange.charge = charge;
  exchange.hold = undefined;
  await context.billing.settle(hold, settlementOf(exchange, usage, charge, faults));
  return usage;
}
