/** What an answer used, by operation: the upstream's own words where it has some, else what is known of the request and the delivery. */
import { NO_USAGE, type Usage } from "../../../../contract/src/pricing/usage.ts";
import { embeddingsUsage, rerankUsage } from "../../../../contract/src/pricing/operation-usage.ts";
import { listOf, objectOf } from "../../dialects/json/fields.ts";
import { type NormalisedUsage, countOf, estimatedUsage } from "../../dialects/neutral/usage-counts.ts";
import type { Operation } from "../../providers/provider.ts";
import {
  checkSpeech,
  expectedRecording,
  expectedSpeech,
  measureRecording,
  usedRecording,
  usedSpeech,
} from "./audio-meter.ts";
import type { Answer } from "../call/answer.ts";
import type { Accepted } from "../request/accepted.ts";
import type { AudioLength } from "../request/audio-length.ts";
import { checkImageCount, expectedImages, usedImages } from "./image-meter.ts";
import type { Quote } from "./quote.ts";
import { readRerankUsage } from "./reported-usage.ts";
import { requestField } from "../request/request-field.ts";

export interface Meter {
  /** Refuses quantities that would multiply a price beyond reason. Throws RelayError 400. */
  check?(accepted: Accepted): void;
  /** Measures the recording in the request, for those whose hold needs it. */
  measure?(accepted: Accepted): Promise<AudioLength | undefined>;
  /** What the call will use as far as the request tells, for the hold; undefined where tokens are estimated from its bytes. */
  expected?(accepted: Accepted, quote: Quote): Usage | undefined;
  used(accepted: Accepted, quote: Quote, answer: Answer): NormalisedUsage;
}

/** No request is of no tokens: such a count is as good as none. */
function withInput({ promptTokens }: Quote, reported: NormalisedUsage): NormalisedUsage {
  if (reported.usage.inputTokens > 0) return reported;
  const usage = { ...reported.usage, inputTokens: Math.max(1, promptTokens), isEstimated: true };
  return { usage, faults: reported.faults.length > 0 ? reported.faults : ["prompt_tokens"] };
}

/**
 * The printed rule for tokens: the upstream's own usage where it sent one; else what was delivered, estimated from its bytes and
 * flagged. What the vendor turned away uncounted costs nothing. Words that came and were counted as none are estimated too, so that no
 * delivered token is free.
 */
function tokensUsed(_accepted: Accepted, quote: Quote, answer: Answer): NormalisedUsage {
  const delivered = answer.wordTokens;
  const { dialect, provider } = answer.target;
  const counts = provider.manifest.hasPlaceholderUsage !== true;
  const reported = counts ? dialect.normaliseUsage(answer.rawUsage) : undefined;
  if (reported === undefined) return { usage: estimatedUsage(Math.max(1, quote.promptTokens), delivered), faults: [] };
  if (reported.isTurnedAway === true && delivered === 0) return reported;
  const { usage, faults } = withInput(quote, reported);
  // Counts that came before the end (Anthropic's message_start) speak of less than was delivered.
  const isFinal = answer.end === "complete" || answer.hasFinish === true;
  if (delivered === 0 || (usage.outputTokens > 0 && (isFinal || usage.outputTokens >= delivered)))
    return { usage, faults };
  if (usage.outputTokens > 0) return { usage: { ...usage, outputTokens: delivered, isEstimated: true }, faults };
  return { usage: { ...usage, outputTokens: delivered, isEstimated: true }, faults: [...faults, "completion_tokens"] };
}

/** The same with the calls of priced tools that were seen to be made, where the upstream came to no count of them. */
function chatUsed(accepted: Accepted, quote: Quote, answer: Answer): NormalisedUsage {
  const { usage, faults } = tokensUsed(accepted, quote, answer);
  const { toolCalls = [] } = answer;
  return { usage: usage.toolCalls.length > 0 || toolCalls.length === 0 ? usage : { ...usage, toolCalls }, faults };
}

/** Embeddings: what went in; vendors that spell only the total mean the same. */
function embeddingsUsed(_accepted: Accepted, quote: Quote, answer: Answer): NormalisedUsage {
  const reported = answer.target.dialect.normaliseUsage(answer.rawUsage);
  if (reported !== undefined) return withInput(quote, reported);
  const faults: string[] = [];
  const reportedTokens = countOf(objectOf(answer.rawUsage), "total_tokens", faults);
  return { usage: embeddingsUsage({ reportedTokens, estimatedTokens: Math.max(1, quote.promptTokens) }), faults };
}

/** Documents that one search unit covers, and the tokens above which a document counts as several (docs.cohere.com/docs/rerank-overview). */
const DOCUMENTS_PER_UNIT = 100;
const TOKENS_PER_DOCUMENT = 500;

/** At a fixed price every search unit costs it once more. */
function expectedRerank(accepted: Accepted, quote: Quote): Usage | undefined {
  if (quote.terms.price.kind !== "per_call") return undefined;
  const named = listOf(requestField(accepted, "documents")).length;
  const documents = Math.max(named, quote.promptTokens / TOKENS_PER_DOCUMENT);
  const searchUnits = Math.ceil(documents / DOCUMENTS_PER_UNIT);
  return rerankUsage({ estimatedTokens: quote.promptTokens, searchUnits });
}

function rerankUsed(_accepted: Accepted, quote: Quote, answer: Answer): NormalisedUsage {
  const { tokens, searchUnits, faults } = readRerankUsage(answer.rawUsage);
  const estimatedTokens = Math.max(1, quote.promptTokens);
  return { usage: rerankUsage({ reportedTokens: tokens, estimatedTokens, searchUnits }), faults };
}

/** One step of a realtime answer, spoken. Every answer is metered by the session itself. */
function expectedAnswer(_accepted: Accepted, { estimate }: Quote): Usage {
  const step = estimate.preConsumedQuota;
  return { ...estimatedUsage(step, step), audioInputTokens: step, audioOutputTokens: step };
}

/** A task is charged when its upstream takes it, for what it asks for. */
function taskUsage({ callFactor = "1" }: Accepted, { terms, promptTokens }: Quote): Usage {
  // At a price by tokens there is nothing to count but the prompt.
  return terms.price.kind === "per_call"
    ? { ...NO_USAGE, callFactor }
    : { ...estimatedUsage(Math.max(1, promptTokens), 0), callFactor };
}

const TASK: Meter = {
  expected: taskUsage,
  used: (accepted, quote) => ({ usage: taskUsage(accepted, quote), faults: [] }),
};
const TOKENS: Meter = { used: chatUsed };
const IMAGES: Meter = { check: checkImageCount, expected: expectedImages, used: usedImages };
const RECORDING: Meter = { measure: measureRecording, expected: expectedRecording, used: usedRecording };

/** Operations that are not metered by the tokens of an answer. */
const METERS: Readonly<Partial<Record<Operation, Meter>>> = {
  embeddings: { used: embeddingsUsed },
  realtime: { expected: expectedAnswer, used: tokensUsed },
  rerank: { expected: expectedRerank, used: rerankUsed },
  images: IMAGES,
  image_edits: IMAGES,
  image_variations: IMAGES,
  speech: { check: checkSpeech, expected: expectedSpeech, used: usedSpeech },
  drawings: TASK,
  songs: TASK,
  videos: TASK,
  transcriptions: RECORDING,
  translations: RECORDING,
};

export const meterOf = (operation: Operation): Meter => METERS[operation] ?? TOKENS;
