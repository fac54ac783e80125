/** Step 3: may this token use this model in this group now, and is there quota for it; ends with a hold. */
import {
  type HoldEstimate,
  type ModelPrice,
  estimateTokens,
  holdAmount,
  holdOutputTokens,
  UNPRICED_PRICE,
} from "../../../contract/src/pricing.ts";
import { HoldRefused } from "../billing/billing.ts";
import type { Hold } from "../billing/billing.ts";
import { estimateTextTokens } from "../dialects/openai-chat-stream.ts";
import { countNumbers, fieldOf } from "../dialects/json-bytes.ts";
import { textsOf } from "../dialects/openai-chat.ts";
import { validate } from "./accept.ts";
import { checkAddress } from "./authenticate.ts";
import { type Exchange, known } from "./exchange.ts";
import { limitRate } from "./rate-limit.ts";
import { Refusal } from "./refusal.ts";
import { matcherFor } from "./sensitive-words.ts";

/** Tokens set aside for an image or a file in a request; above the vendors' figure for a high-detail picture. */
const TOKENS_PER_MEDIA = 1600;
/** Tokens the format adds to every request. */
const TOKENS_PER_REQUEST = 3;

/** Group of the token, else of the user; what it may not use is refused. */
export function groupFor(exchange: Pick<Exchange, "context" | "token" | "user">): { name: string; ratio: string } {
  const token = known(exchange.token, "token");
  const user = known(exchange.user, "user");
  const { snapshot } = exchange.context;
  if (token.groupName === "") return { name: user.groupName, ratio: snapshot.groupRatio(user.groupName) ?? "1" };
  if (token.groupName !== user.groupName && !snapshot.usableGroups(user.groupName).has(token.groupName)) {
    throw new Refusal("group_not_allowed");
  }
  const ratio = snapshot.groupRatio(token.groupName);
  if (ratio === undefined) throw new Refusal("group_unknown");
  return { name: token.groupName, ratio };
}

function checkModel(exchange: Exchange): void {
  const { context, model, groupName } = exchange;
  if (exchange.pinnedChannelId !== 0) return;
  const limits = known(exchange.token, "token").modelLimits;
  if (limits !== undefined && !limits.has(model)) {
    throw new Refusal("model_not_allowed", { message: `This API key may not use the model ${model}.`, param: "model" });
  }
  exchange.tiers = context.snapshot.tiersFor(groupName, model);
  if (exchange.tiers.length === 0) {
    const message = `No channel is available for the model ${model} in the group ${groupName}.`;
    throw new Refusal("no_available_channel", { message, param: "model" });
  }
}

/** Escapes could hide letters of a word, so a body with any is decoded before it is searched. */
const HIDING_ESCAPE = /\\(?:u|\/)/;

function checkWords(exchange: Exchange): void {
  const { options } = exchange.context.snapshot;
  const words = options.SensitiveWords;
  if (words.length === 0 || !options.CheckSensitiveEnabled || !options.CheckSensitiveOnPromptEnabled) return;
  const matches = matcherFor(words);
  const raw = exchange.body.toString("utf8");
  const mayHide = HIDING_ESCAPE.test(raw) || words.some((word) => /["\\\n\r\t]/.test(word));
  if (!mayHide && !matches(raw.toLowerCase())) return;
  if (textsOf(exchange.body).some((text) => matches(text.toLowerCase()))) throw new Refusal("sensitive_words_detected");
}

function priceFor(exchange: Exchange): ModelPrice {
  const { snapshot } = exchange.context;
  const price = snapshot.priceOf(exchange.model);
  if (price !== undefined) return price;
  if (snapshot.options.SelfUseModeEnabled || known(exchange.user, "user").acceptsUnpricedModels) {
    exchange.isUnpriced = true;
    return UNPRICED_PRICE;
  }
  const message = `No price is set for the model ${exchange.model}. An administrator can set one, or you accept unpriced models in your settings.`;
  throw new Refusal("model_price_error", { message, param: "model" });
}

/** Operations whose input may come as token ids, and the field that holds it. */
const ENCODED_INPUT: Readonly<Record<string, string>> = { embeddings: "input", completions: "prompt" };

/** Token ids in the request: each number is a token. */
function encodedTokens({ operation, body, chat }: Exchange): number {
  const name = ENCODED_INPUT[operation];
  const field = name === undefined || chat === undefined ? undefined : fieldOf(chat.top, name);
  return field === undefined ? 0 : countNumbers(body, field);
}

function estimateFor(exchange: Exchange): HoldEstimate {
  const chat = known(exchange.chat, "chat");
  const counted = chat.mediaParts * TOKENS_PER_MEDIA + TOKENS_PER_REQUEST + encodedTokens(exchange);
  exchange.promptEstimate = estimateTextTokens(chat.asciiBytes, chat.otherBytes) + counted;
  return {
    inputTokens: estimateTokens(chat.asciiBytes, chat.otherBytes) + counted,
    isStream: exchange.isStream,
    maxTokens: chat.maxTokens,
    // An embedding answers in vectors, which no vendor counts.
    modelCap: exchange.operation === "embeddings" ? 1 : undefined,
    choices: chat.choices,
    preConsumedQuota: Math.max(1, exchange.context.snapshot.options.PreConsumedQuota),
  };
}

const REFUSED_HOLDS = {
  user_quota: "insufficient_user_quota",
  token_quota: "pre_consume_token_quota_failed",
  unavailable: "books_unavailable",
} as const;

async function holdQuota(exchange: Exchange, amount: number): Promise<Hold> {
  const { billing } = exchange.context;
  const token = known(exchange.token, "token");
  try {
    const held = billing.hold({
      requestId: exchange.requestId,
      userId: token.userId,
      tokenId: token.id,
      isTokenLimited: !token.isUnlimited,
      amount,
    });
    return held instanceof Promise ? await held : held;
  } catch (error) {
    if (error instanceof HoldRefused) throw new Refusal(REFUSED_HOLDS[error.reason]);
    throw error;
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
  const limited = limitRate(exchange, user.id);
  if (limited !== undefined) await limited;
  checkWords(exchange);
  exchange.price = priceFor(exchange);
  exchange.quotaPerUnit = String(exchange.context.snapshot.options.QuotaPerUnit);
  const estimate = estimateFor(exchange);
  exchange.heldOutputTokens = holdOutputTokens(estimate);
  exchange.heldQuota = holdAmount(estimate, exchange.price, exchange.groupRatio, exchange.quotaPerUnit);
  exchange.hold = await holdQuota(exchange, exchange.heldQuota);
}
