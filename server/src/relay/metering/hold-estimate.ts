/** Estimates a request's usage at its terms, and how much quota covers it. */
import {
  type HoldEstimate,
  holdAmount,
  holdOutputTokens,
  quotaForTokens,
} from "../../../../contract/src/pricing/pricing.ts";
import { NO_USAGE, type ToolCalls, type Usage } from "../../../../contract/src/pricing/usage.ts";
import { countNumbers, fieldOf } from "../../dialects/json/bytes.ts";
import { listOf } from "../../dialects/json/fields.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { Routes } from "../call/target.ts";
import { type Accepted, numberField, requestField } from "../request/accepted.ts";
import type { AudioLength } from "../request/audio-length.ts";
import { offeredTools } from "../request/offered-tools.ts";
import { OPERATIONS } from "../request/operations.ts";
import { heldPromptTokens } from "./channel-prompts.ts";
import { mediaAnswer, mediaBound, unseenBound } from "./unseen-bounds.ts";
import { meterOf } from "./meters.ts";
import { type Quote, type Terms, type TokenCounts, quotaFor } from "./terms.ts";
import { requestedSurcharges } from "./surcharges.ts";
import { withToolPrices } from "./tool-calls.ts";

/** Tokens set aside for an image or a file in a request; above the vendors' figure for a high-detail picture. */
const TOKENS_PER_MEDIA = 1600;
/** Tokens the format adds to every request. */
const TOKENS_PER_REQUEST = 3;

/** Answers that are made for each one asked for: to every prompt of a completions request, and of `best_of` all but one are thrown away. */
function answersEach(accepted: Accepted): number {
  if (accepted.operation !== "completions") return 1;
  const prompts = listOf(requestField(accepted, "prompt"));
  const made = Math.max(1, numberField(accepted, "best_of") || 1, accepted.info.choices) / accepted.info.choices;
  return made * (prompts.some((prompt) => typeof prompt !== "number") ? prompts.length : 1);
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
    inputTokens: info.words.cautiousTokens + counted + (operation === "chat" ? heldPromptTokens(snapshot, routes) : 0),
    // Where bounds are held besides, an answer in one piece needs no more than one step to be let in.
    isStream: isStream || snapshot.options.SafeHoldsEnabled,
    maxTokens: info.maxTokens,
    modelCap: OPERATIONS[operation].outputTokens,
    choices: info.choices * answersEach(accepted),
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

/** Quota that covers the answer as far as its request says, with one step of what passes by in sight. */
function seenQuota(accepted: Accepted, quote: Quote): number {
  const { operation } = accepted;
  const { terms, estimate } = quote;
  if (OPERATIONS[operation].isFree === true) return 0;
  const expected = meterOf(operation).expected?.(accepted, quote);
  if (expected !== undefined) return quotaFor(terms, expected);
  const words = holdAmount(estimate, terms.price, terms.group.ratio, terms.quotaPerUnit);
  const media = mediaAnswer(accepted, quote);
  return media === undefined ? words : Math.max(words, quotaFor(terms, media));
}

/** Quota for an answer of so many tokens. */
export function quotaForAnswer({ terms, estimate }: Quote, { inputTokens, outputTokens }: TokenCounts): number {
  const { price, group, quotaPerUnit } = terms;
  return quotaForTokens(inputTokens, outputTokens, price, group.ratio, quotaPerUnit, estimate.surcharges);
}

/** So much of an answer is covered by so much quota, tools not counted. */
export interface Cover {
  readonly quota: number;
  readonly tokens: TokenCounts;
}

export interface Covers {
  /** What lets the call in, if it has to go alone: everything that is seen of it, and one step of its answer. */
  readonly least: Cover;
  /** The most that it can cost; the same where all of it passes by in sight. */
  readonly bound: Cover;
}

const hasAnswerTokens = ({ operation }: Accepted): boolean => operation === "chat" || operation === "completions";

/** What is to be held for the answer. */
export function coversFor(snapshot: Snapshot, accepted: Accepted, quote: Quote, routes: Routes): Covers {
  const { promptTokens: inputTokens, outputTokens } = quote;
  const least = { quota: seenQuota(accepted, quote), tokens: { inputTokens, outputTokens } };
  const boundOf = hasAnswerTokens(accepted) ? unseenBound : mediaBound;
  const unseen = snapshot.options.SafeHoldsEnabled ? boundOf(snapshot, accepted, quote, routes) : undefined;
  if (unseen === undefined) return { least, bound: least };
  const dearest = unseen.usages.reduce((most, usage) => Math.max(most, quotaFor(quote.terms, usage)), least.quota);
  return { least, bound: { quota: dearest, tokens: unseen.tokens } };
}

export interface ToolQuota {
  readonly least: number;
  readonly most: number;
}

const FREE_OF_TOKENS: Usage = { ...NO_USAGE, callFactor: "0" };

/** Quota for the calls of priced tools that the request offers: beside the tokens, whose hold grows with the answer. */
export function toolQuota(snapshot: Snapshot, accepted: Accepted, terms: Terms): ToolQuota {
  const offered = offeredTools(accepted);
  const quotaOf = (toolCalls: readonly ToolCalls[]): number => {
    // Models that search unasked are charged a call that no request offers.
    const called = toolCalls.length === 0 ? FREE_OF_TOKENS : { ...FREE_OF_TOKENS, toolCalls: [...toolCalls] };
    const usage = withToolPrices(accepted, terms, called);
    return usage.toolCalls.length === 0 ? 0 : quotaFor(terms, usage);
  };
  const least = quotaOf(offered.least);
  return { least, most: snapshot.options.SafeHoldsEnabled && offered.most.length > 0 ? quotaOf(offered.most) : least };
}
