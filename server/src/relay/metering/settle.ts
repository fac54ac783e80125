/** Step 8: usage x price -> charge, durable before the answer is complete for the client. */
import { type BrokenStreamRule, billedUsage } from "../../../../contract/src/pricing/broken-stream.ts";
import type { Settlement } from "../../billing/billing.ts";
import { chargeDetail } from "../../billing/charge-detail.ts";
import type { Answer, AnswerEnd } from "../call/answer.ts";
import type { Call } from "../call/call.ts";
import { groupServedBy, type Routes } from "../call/target.ts";
import type { Accepted } from "../request/accepted.ts";
import { OPERATIONS } from "../request/operations.ts";
import { costOf } from "./cost.ts";
import type { HeldQuota } from "./held-quota.ts";
import { meterOf } from "./meters.ts";
import { type Payer, type Quote, type Terms, quotaFor } from "./terms.ts";
import { type AnswerCharge, consumptionRow, noteFree, recordFailure } from "./record.ts";
import type { SentRequest } from "./sent-request.ts";
import { withSurcharges } from "./surcharges.ts";
import { namedModel, withOwnSearches, withToolPrices } from "./tool-calls.ts";

/** What an estimate of the input has to cover is what was sent: with the channel's own instructions. */
function quoteOfSent(quote: Quote, { target: { promptTokens = 0 } }: Answer): Quote {
  return promptTokens === 0 ? quote : { ...quote, promptTokens: Math.max(1, quote.promptTokens + promptTokens) };
}

/** What an answer is charged; nothing where nothing of it was delivered, or its operation is free. */
function chargeFor(call: Call, accepted: Accepted, quote: Quote, answer: Answer, rule: BrokenStreamRule): AnswerCharge {
  const { terms } = quote;
  const { usage: counted, faults } = meterOf(accepted.operation).used(accepted, quoteOfSent(quote, answer), answer);
  const withTools = withToolPrices(accepted, terms, counted, { counted: answer.target.upstreamModel });
  const charged = withSurcharges(accepted, terms, answer, withOwnSearches(withTools, answer.searches));
  const usage = billedUsage(charged, answer.end, rule);
  const { isDelivered } = answer;
  const isCharged = isDelivered && OPERATIONS[accepted.operation].isFree !== true;
  if (!isCharged) return { answer, usage, faults, isDelivered, isCharged, quota: 0, cost: undefined };
  const cost = costOf(call, accepted, terms, { answer, counted, charged }, quote);
  return { answer, usage, faults, isDelivered, isCharged, quota: quotaFor(terms, usage), cost };
}

/** What the ledger keeps of one charge. */
export function settlementOf(
  call: Call,
  payer: Payer,
  accepted: Accepted,
  terms: Terms,
  charge: AnswerCharge,
): Settlement {
  const { token } = payer;
  const { usage, quota, answer, cost } = charge;
  const { price, group, quotaPerUnit, priceVersion } = terms;
  const { model } = accepted;
  const priced = { usage, price, groupRatio: group.ratio, quotaPerUnit, priceVersion };
  const { userGroup } = group;
  const settlement: Settlement = {
    requestId: call.requestId,
    userId: token.userId,
    tokenId: token.id,
    channelId: answer.target.channel.id,
    model,
    groupName: group.name,
    charge: quota,
    ...(cost === undefined ? {} : { cost: cost.quota }),
    isTokenLimited: !token.isUnlimited,
    promptTokens: usage.inputTokens,
    completionTokens: usage.outputTokens,
    createdAt: call.createdAt,
    detail: chargeDetail({ ...priced, model, namedModel: namedModel(accepted), groupName: group.name, userGroup }),
  };
  if (call.context.snapshot.options.LogConsumeEnabled)
    settlement.log = consumptionRow(call, payer, accepted, terms, charge);
  return settlement;
}

/** Counts an answer that was charged for. One that broke off is a failure, however much of it came. */
export function countAnswer(
  { context: { callCounter }, trace, elapsedMs }: Call,
  settlement: Settlement,
  end: AnswerEnd,
  isStream: boolean,
): void {
  if (end === "upstream_broke") return callCounter.failed(settlement, "broken_off");
  // The time of its row in the log, which was taken before the commit.
  callCounter.succeeded(settlement, settlement.log?.useTimeMs ?? elapsedMs, isStream ? trace.firstByteMs : 0);
}

/** The parts of an admission that its settlement ends. */
interface Held {
  readonly quote: Quote;
  readonly routes: Routes;
  readonly hold: HeldQuota;
  readonly sent: SentRequest | undefined;
}

/** Posts what the answer used, with its log row, and resolves once that is durable. */
export async function settle(
  call: Call,
  payer: Payer,
  accepted: Accepted,
  { quote: held, routes, hold, sent }: Held,
  answer: Answer,
): Promise<AnswerCharge> {
  const { billing, snapshot } = call.context;
  // An upstream that was asked for more, by the rules of its channel, has made more.
  const asked = sent ?? { accepted, quote: held };
  // Held at the dearest of its groups, a call is charged by the one that served it.
  const group = groupServedBy(routes, answer.target.channel.id) ?? held.terms.group;
  const quote = { ...asked.quote, terms: { ...asked.quote.terms, group } };
  const charge = chargeFor(call, asked.accepted, quote, answer, snapshot.options.BrokenStreamBilling);
  call.charge = charge;
  call.servedGroup = group.name;
  if (!charge.isCharged) {
    await hold.release();
    // One that broke off without a word costs nothing, and is a failure all the same.
    if (answer.error !== undefined && !answer.isDelivered)
      recordFailure(call, answer.error, payer, accepted, quote.terms.group);
    else noteFree(call, payer);
    return charge;
  }
  if (charge.quota === 0) noteFree(call, payer);
  const settlement = settlementOf(call, payer, accepted, quote.terms, charge);
  // From here on the ledger ends the hold, also where it fails.
  await billing.settle(hold.take(), settlement);
  countAnswer(call, settlement, answer.end, accepted.isStream);
  return charge;
}
