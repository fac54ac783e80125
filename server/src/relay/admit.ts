/** Step 3: may this token use this model in this group now, and is there quota for it; ends with a hold. */
import {
  type HoldEstimate,
  type ModelPrice,
  chargeQuota,
  estimateTokens,
  holdAmount,
  holdOutputTokens,
  UNPRICED_PRICE,
} from "../../../contract/src/pricing.ts";
import { NO_USAGE } from "../../../contract/src/usage.ts";
import { HoldRefused } from "../billing/billing.ts";
import type { Hold } from "../billing/billing.ts";
import { estimateTextTokens } from "../dialects/usage-counts.ts";
import { countNumbers, fieldOf } from "../dialects/json-bytes.ts";
import { listOf } from "../dialects/json-fields.ts";
import { validate } from "./accept.ts";
import { checkAddress } from "./authenticate.ts";
import { dearAnswer } from "./dear-answers.ts";
import { type Exchange, known } from "./exchange.ts";
import { formTexts } from "./form.ts";
import { meterOf } from "./meters.ts";
import { OPERATIONS } from "./operations.ts";
import { groupFor } from "./groups.ts";
import { callerId } from "./open-calls.ts";
import { askedPremiums } from "./premium.ts";
import { limitRate } from "./rate-limit.ts";
import { offeredTools } from "./offered-tools.ts";
import { Refusal } from "./refusal.ts";
import { requestField } from "./request-field.ts";
import { checkWords, refuseWords } from "./sensitive-words.ts";
import { withToolPrices } from "./tool-calls.ts";

/** Tokens set aside for an image or a file in a request; above the vendors' figure for a high-detail picture. */
const TOKENS_PER_MEDIA = 1600;
/** Tokens the format adds to every request. */
const TOKENS_PER_REQUEST = 3;

/** The token's list of models, which a channel named in the key goes before. Throws Refusal 403. */
export function checkModelLimits({ token, model, pinnedChannelId }: Exchange): void {
  const limits = known(token, "token").modelLimits;
  if (pinnedChannelId === 0 && limits !== undefined && !limits.has(model))
    throw new Refusal("model_not_allowed", { message: `This API key may not use the model ${model}.`, param: "model" });
}

function checkModel(exchange: Exchange): void {
  const { context, model, groupName } = exchange;
  if (exchange.pinnedChannelId !== 0) return;
  checkModelLimits(exchange);
  exchange.tiers = context.snapshot.tiersFor(groupName, model);
  if (exchange.tiers.length === 0) {
    const group = exchange.token?.groupName || groupName;
    const message = `No channel is available for the model ${model} in the group ${group}.`;
    throw new Refusal("no_available_channel", { message, param: "model" });
  }
}

/** Counts the call as open for its caller until the line ends; over the bound it is refused. Without one there is nothing to wait for. */
async function countOpen(exchange: Exchange, limit: number): Promise<void> {
  const { context } = exchange;
  const caller = callerId(exchange);
  if (context.tokenCalls.hasRoom(caller, limit)) exchange.openCall = await context.tokenCalls.begin(caller, limit);
  if (exchange.openCall === undefined)
    throw new Refusal("concurrency_exceeded", {
      message: `This API key may have ${limit} calls open at a time.`,
      retryAfterSeconds: 1,
    });
}

function priceFor(exchange: Exchange): ModelPrice {
  const { snapshot } = exchange.context;
  const price = snapshot.priceOf(exchange.model);
  exchange.isUnpriced = price === undefined;
  if (price !== undefined) return price;
  if (snapshot.options.SelfUseModeEnabled || known(exchange.user, "user").acceptsUnpricedModels) return UNPRICED_PRICE;
  const message = `No price is set for the model ${exchange.model}. An administrator can set one, or you accept unpriced models in your settings.`;
  throw new Refusal("model_price_error", { message, param: "model" });
}

/** Everything the call will be charged by, of one moment: what changes later is for later calls. Throws Refusal where the model has no price. */
export function fixPrices(exchange: Exchange): void {
  const { options, priceVersion, priceSince } = exchange.context.snapshot;
  exchange.price = priceFor(exchange);
  exchange.priceVersion = priceVersion;
  exchange.priceSince = priceSince;
  exchange.toolPrices = options.ToolPrices;
  exchange.premiumRatios = options.PremiumRatios;
  exchange.quotaPerUnit = String(options.QuotaPerUnit);
}

/** Prompts of a completions request, each of which is answered: a list of numbers is one, encoded. */
function promptsOf(exchange: Exchange): number {
  if (exchange.operation !== "completions") return 1;
  const prompts = listOf(requestField(exchange, "prompt"));
  return prompts.some((prompt) => typeof prompt !== "number") ? prompts.length : 1;
}

/** Token ids in the request: each number is a token. */
function encodedTokens({ operation, body, facts }: Exchange): number {
  const name = OPERATIONS[operation].encodedInput;
  const field = name === undefined || facts === undefined ? undefined : fieldOf(facts.top, name);
  return field === undefined ? 0 : countNumbers(body, field);
}

function estimateFor(exchange: Exchange): HoldEstimate {
  const facts = known(exchange.facts, "facts");
  const counted = facts.mediaParts * TOKENS_PER_MEDIA + TOKENS_PER_REQUEST + encodedTokens(exchange);
  exchange.promptEstimate = estimateTextTokens(facts.asciiBytes, facts.otherBytes) + counted;
  return {
    inputTokens: estimateTokens(facts.asciiBytes, facts.otherBytes) + counted,
    isStream: exchange.isStream,
    maxTokens: facts.maxTokens,
    modelCap: OPERATIONS[exchange.operation].outputTokens,
    choices: facts.choices * promptsOf(exchange),
    premiums: exchange.heldPremiums,
    preConsumedQuota: Math.max(1, exchange.context.snapshot.options.PreConsumedQuota),
  };
}

/** Quota that covers the call as far as its request tells. */
function quotaToHold(exchange: Exchange, price: ModelPrice): number {
  const { operation, groupRatio, quotaPerUnit } = exchange;
  exchange.heldPremiums = askedPremiums(exchange);
  const estimate = estimateFor(exchange);
  exchange.heldOutputTokens = holdOutputTokens(estimate);
  if (OPERATIONS[operation].isFree === true) return 0;
  const expected = meterOf(operation).expected?.(exchange);
  if (expected !== undefined) return chargeQuota(expected, price, groupRatio, quotaPerUnit);
  const words = holdAmount(estimate, price, groupRatio, quotaPerUnit);
  const dear = dearAnswer(exchange, price);
  return dear === undefined ? words : Math.max(words, chargeQuota(dear, price, groupRatio, quotaPerUnit));
}

/** Quota for one call of each priced tool that the request offers: beside the tokens, whose hold grows with the answer. */
function toolQuotaToHold(exchange: Exchange, price: ModelPrice): number {
  const usage = withToolPrices(exchange, { ...NO_USAGE, callFactor: "0", toolCalls: offeredTools(exchange) });
  if (usage.toolCalls.length === 0) return 0;
  return chargeQuota(usage, price, exchange.groupRatio, exchange.quotaPerUnit);
}

const REFUSED_HOLDS = {
  user_quota: "insufficient_user_quota",
  token_quota: "pre_consume_token_quota_failed",
  unavailable: "books_unavailable",
} as const;

function refuseHold(error: unknown): never {
  if (error instanceof HoldRefused) throw new Refusal(REFUSED_HOLDS[error.reason]);
  throw error;
}

/** Sets quota aside for the call, or for a part of it with an id of its own. Throws Refusal, or rejects with it. */
export function holdQuota(exchange: Exchange, amount: number, requestId = exchange.requestId): Promise<Hold> | Hold {
  const { billing } = exchange.context;
  const token = known(exchange.token, "token");
  try {
    const held = billing.hold({
      requestId,
      userId: token.userId,
      tokenId: token.id,
      isTokenLimited: !token.isUnlimited,
      amount,
    });
    return held instanceof Promise ? held.catch(refuseHold) : held;
  } catch (error) {
    return refuseHold(error);
  }
}

/** Checks in the order of reference 2.1, then holds quota. Throws Refusal. */
export async function admit(exchange: Exchange): Promise<void> {
  const user = known(exchange.user, "user");
  checkAddress(known(exchange.token, "token"), exchange.address);
  validate(exchange);
  const group = groupFor(exchange);
  exchange.groupName = group.name;
  exchange.groupRatio = group.ratio;
  checkModel(exchange);
  // Before anything is waited for: the group's ratio is of the same moment.
  fixPrices(exchange);
  const { TokenConcurrencyLimit } = exchange.context.snapshot.options;
  if (TokenConcurrencyLimit > 0) await countOpen(exchange, TokenConcurrencyLimit);
  const limited = limitRate(exchange, user.id);
  if (limited !== undefined) await limited;
  if (exchange.form === undefined) checkWords(exchange);
  else refuseWords(exchange, formTexts(exchange.form));
  const preparing = meterOf(exchange.operation).prepare?.(exchange);
  if (preparing !== undefined) await preparing;
  const price = known(exchange.price, "price");
  exchange.heldQuota = quotaToHold(exchange, price);
  const hold = holdQuota(exchange, exchange.heldQuota + toolQuotaToHold(exchange, price));
  exchange.hold = hold instanceof Promise ? await hold : hold;
}
