/** What a request lets expect at its terms, and how much quota covers that. */
import {
  type HoldEstimate,
  holdAmount,
  holdOutputTokens,
  quotaForTokens,
} from "../../../../contract/src/pricing/pricing.ts";
import { NO_USAGE } from "../../../../contract/src/pricing/usage.ts";
import { countNumbers, fieldOf } from "../../dialects/json/bytes.ts";
import { listOf } from "../../dialects/json/fields.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { Routes } from "../call/routes.ts";
import type { Accepted } from "../request/accepted.ts";
import type { AudioLength } from "../request/audio-length.ts";
import { offeredTools } from "../request/offered-tools.ts";
import { OPERATIONS } from "../request/operations.ts";
import { requestField } from "../request/request-field.ts";
import { mediaAnswer } from "./media-output-hold.ts";
import { meterOf } from "./meters.ts";
import type { Quote } from "./quote.ts";
import { requestedSurcharges } from "./surcharges.ts";
import { type Terms, quotaFor } from "./terms.ts";
import { withToolPrices } from "./tool-calls.ts";

/** Tokens set aside for an image or a file in a request; above the vendors' figure for a high-detail picture. */
const TOKENS_PER_MEDIA = 1600;
/** Tokens the format adds to every request. */
const TOKENS_PER_REQUEST = 3;

/** Prompts of a completions request, each of which is answered: a list of numbers is one, encoded. */
function promptsOf(accepted: Accepted): number {
  if (accepted.operation !== "completions") return 1;
  const prompts = listOf(requestField(accepted, "prompt"));
  return prompts.some((prompt) => typeof prompt !== "number") ? prompts.length : 1;
}

/** Token ids in the request: each number is a token. */
function encodedTokens({ operation, body, info }: Accepted): number {
  const name = OPERATIONS[operation].encodedInput;
  const field = name === undefined ? undefined : fieldOf(info.top, name);
  return field === undefined ? 0 : countNumbers(body, field);
}

/** What a request lets expect at these terms. */
export function quoteFor(
  snapshot: Snapshot,
  accepted: Accepted,
  terms: Terms,
  routes: Routes,
  recording: AudioLength | undefined,
): Quote {
  const { info, operation, isStream } = accepted;
  const counted = info.mediaParts * TOKENS_PER_MEDIA + TOKENS_PER_REQUEST + encodedTokens(accepted);
  const estimate: HoldEstimate = {
    inputTokens: info.words.cautiousTokens + counted,
    isStream,
    maxTokens: info.maxTokens,
    modelCap: OPERATIONS[operation].outputTokens,
    choices: info.choices * promptsOf(accepted),
    surcharges: requestedSurcharges(snapshot, accepted, terms, routes),
    preConsumedQuota: Math.max(1, snapshot.options.PreConsumedQuota),
  };
  return {
    terms,
    estimate,
    promptTokens: info.words.tokens + counted,
    outputTokens: holdOutputTokens(estimate),
    recording,
  };
}

/** Quota that covers the answer as far as its request tells. */
export function answerQuota(accepted: Accepted, quote: Quote): number {
  const { operation } = accepted;
  const { terms, estimate } = quote;
  if (OPERATIONS[operation].isFree === true) return 0;
  const expected = meterOf(operation).expected?.(accepted, quote);
  if (expected !== undefined) return quotaFor(terms, expected);
  const words = holdAmount(estimate, terms.price, terms.group.ratio, terms.quotaPerUnit);
  const media = mediaAnswer(accepted, quote);
  return media === undefined ? words : Math.max(words, quotaFor(terms, media));
}

/** The same for an answer that has come so far and may go on to so many tokens. */
export function quotaForAnswer({ terms, estimate, promptTokens }: Quote, outputTokens: number): number {
  const { price, group, quotaPerUnit } = terms;
  return quotaForTokens(promptTokens, outputTokens, price, group.ratio, quotaPerUnit, estimate.surcharges);
}

/** Quota for one call of each priced tool that the request offers: beside the tokens, whose hold grows with the answer. */
export function toolQuota(accepted: Accepted, terms: Terms): number {
  const usage = withToolPrices(accepted, terms, { ...NO_USAGE, callFactor: "0", toolCalls: offeredTools(accepted) });
  if (usage.toolCalls.length === 0) return 0;
  return quotaFor(terms, usage);
}
