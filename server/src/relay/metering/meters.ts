/** Meters: an answer's usage by operation, by the upstream's own count where it has one, else from the request and the delivery. Speech, recordings and pictures first, then the table of all. */
import {
  embeddingsUsage,
  imageUsage,
  imagenUsage,
  isImageCount,
  rerankUsage,
  speechUsage,
  transcriptionUsage,
} from "../../../../contract/src/pricing/operation-usage.ts";
import { NO_USAGE, type Usage } from "../../../../contract/src/pricing/usage.ts";
import { listOf, objectOf, ownOf } from "../../dialects/json/fields.ts";
import type { ImagesInfo } from "../../dialects/neutral/images.ts";
import { type NormalisedUsage, countOf, estimatedUsage } from "../../dialects/neutral/usage-counts.ts";
import type { Operation } from "../../providers/provider.ts";
import type { Answer } from "../call/answer.ts";
import type { Places } from "../call/queues.ts";
import { RelayError } from "../call/relay-error.ts";
import { type Accepted, numberField, requestField, textField } from "../request/accepted.ts";
import { type AudioLength, audioLength } from "../request/audio-length.ts";
import { formBytes } from "../request/multipart-form.ts";
import type { Quote } from "./terms.ts";
import { readRecordingUsage, readRerankUsage, readTokenUsage } from "./reported-usage.ts";

/** Only text can be counted: what another reader might still make words of would be read aloud for nothing. Throws RelayError 400. */
function checkSpeech(accepted: Accepted): void {
  if (textField(accepted, "input") === undefined) throw new RelayError("input_not_text", { param: "input" });
}

const expectedSpeech = (accepted: Accepted, { promptTokens }: Quote): Usage =>
  speechUsage(accepted.model, textField(accepted, "input") ?? "", promptTokens);

/** Characters where the price is by them; else the upstream's tokens, which come only with stream_format sse. */
function usedSpeech(accepted: Accepted, quote: Quote, { rawUsage }: Answer): NormalisedUsage {
  const expected = expectedSpeech(accepted, quote);
  const reported = expected.isEstimated ? readTokenUsage(rawUsage) : undefined;
  if (reported === undefined) return { usage: expected, faults: [] };
  const { usage, faults } = reported;
  return { usage: { ...usage, audioOutputTokens: usage.audioOutputTokens || usage.outputTokens }, faults };
}

/** Reads the length of the recording before quota is held for it, where one of the `places` is free. */
async function measureRecording({ form, body }: Accepted, places: Places): Promise<AudioLength | undefined> {
  const file = form === undefined ? undefined : formBytes(form, body, "file");
  const mimeType = form?.parts.find(({ name }) => name === "file")?.mimeType ?? "";
  return file === undefined ? undefined : audioLength(places, file, mimeType);
}

function measured({ recording }: Quote): Usage {
  const usage = transcriptionUsage(recording?.seconds ?? 0);
  return recording?.isEstimated === true ? { ...usage, isEstimated: true } : usage;
}

const expectedRecording = (_accepted: Accepted, quote: Quote): Usage => measured(quote);

/** The upstream's tokens or seconds; what it did not count is what was measured. */
const usedRecording = (_accepted: Accepted, quote: Quote, { rawUsage }: Answer): NormalisedUsage =>
  readRecordingUsage(rawUsage) ?? { usage: measured(quote), faults: [] };

function requestedImages(accepted: Accepted): ImagesInfo {
  const { dialect, model } = accepted;
  if (dialect.imagesReader !== undefined)
    return dialect.imagesReader.read((name) => requestField(accepted, name), model);
  const [size, quality] = [textField(accepted, "size"), textField(accepted, "quality")];
  return { count: numberField(accepted, "n") ?? 1, size, quality };
}

/** The number of pictures multiplies the price, so it is bounded before quota is held. Throws RelayError 400. */
function checkImageCount(accepted: Accepted): void {
  const { count, size = "" } = requestedImages(accepted);
  const field = accepted.dialect.imagesReader?.countField ?? "n";
  if (!isImageCount(count))
    throw new RelayError("image_count_invalid", {
      param: field,
      message: `'${field}' must be a whole number from 1 to 10.`,
    });
  if (size.includes("×")) throw new RelayError("image_size_invalid", { param: "size" });
}

function fixedUsage(accepted: Accepted, n: number): Usage {
  const { size, quality } = requestedImages(accepted);
  return imageUsage({ model: accepted.model, size, quality, n });
}

/** The most tokens one picture of a GPT image model takes, by its quality (platform.openai.com/docs/guides/image-generation). */
const TOKENS_BY_QUALITY: Readonly<Record<string, number>> = { low: 408, medium: 1584, standard: 1584 };
const MAX_TOKENS = 6240;
const TOKENS_PER_PARTIAL = 100;
const MAX_PARTIALS = 3;

function expectedTokens(accepted: Accepted, { promptTokens }: Quote): Usage {
  const { count, quality } = requestedImages(accepted);
  const each = ownOf(TOKENS_BY_QUALITY, quality ?? "") ?? MAX_TOKENS;
  const asked = numberField(accepted, "partial_images") || 0;
  const partials = accepted.isStream ? Math.min(Math.max(0, asked), MAX_PARTIALS) : 0;
  const outputTokens = count * (each + partials * TOKENS_PER_PARTIAL);
  return {
    ...NO_USAGE,
    inputTokens: promptTokens,
    outputTokens,
    imageOutputTokens: outputTokens,
    isEstimated: true,
  };
}

const expectedImages = (accepted: Accepted, quote: Quote): Usage =>
  quote.terms.price.kind === "per_call"
    ? fixedUsage(accepted, requestedImages(accepted).count)
    : expectedTokens(accepted, quote);

/** No more pictures are charged than were requested, whatever came. */
function cameOf(accepted: Accepted, { pictures }: Answer): number {
  const { count } = requestedImages(accepted);
  return Math.min(pictures ?? count, count);
}

/** By tokens: those that the upstream reported, else so many a picture. */
function usedTokens(came: number, { rawUsage }: Answer): NormalisedUsage {
  const reported = readTokenUsage(rawUsage);
  if (reported === undefined) return { usage: imagenUsage(came), faults: [] };
  const { usage, faults } = reported;
  // What comes out of these models is pictures, unless they count it apart.
  const imageOutputTokens = usage.imageOutputTokens || usage.outputTokens;
  return { usage: { ...usage, imageOutputTokens }, faults };
}

/** Whichever way the price counts, the other one's count stays with it: the ledger can be priced again under a price of another kind. */
function usedImages(accepted: Accepted, { terms }: Quote, answer: Answer): NormalisedUsage {
  const came = cameOf(accepted, answer);
  const fixed = fixedUsage(accepted, came);
  const { usage, faults } = usedTokens(came, answer);
  if (terms.price.kind === "per_call") return { usage: { ...fixed, byTokens: usage }, faults: [] };
  return { usage: { ...usage, callFactor: fixed.callFactor }, faults };
}

export interface Meter {
  /** Refuses quantities that would multiply a price beyond reason. Throws RelayError 400. */
  check?(accepted: Accepted): void;
  /** Measures the recording in the request, for those whose hold needs it. */
  measure?(accepted: Accepted, places: Places): Promise<AudioLength | undefined>;
  /** What the call will use as far as the request says, for the hold; undefined where tokens are estimated from its bytes. */
  expected?(accepted: Accepted, quote: Quote): Usage | undefined;
  used(accepted: Accepted, quote: Quote, answer: Answer): NormalisedUsage;
}

/** The counts of tokens of a usage. */
export const TOKEN_FIELDS = [
  "inputTokens",
  "outputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "cacheWriteLongTokens",
  "reasoningTokens",
  "imageInputTokens",
  "audioInputTokens",
  "audioOutputTokens",
  "imageOutputTokens",
] as const satisfies readonly (keyof Usage)[];
type TokenField = (typeof TOKEN_FIELDS)[number];

/** A count of no tokens is treated as absent. */
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

/** Two rounds of one call. Each is a call of the model to its upstream, so a fixed price is charged for each. */
const bothRounds = (one: NormalisedUsage, other: NormalisedUsage): NormalisedUsage => {
  const sum = (count: TokenField): number => one.usage[count] + other.usage[count];
  const counts = Object.fromEntries(TOKEN_FIELDS.map((count) => [count, sum(count)]));
  const usage: Usage = {
    ...one.usage,
    ...counts,
    callFactor: String(Number(one.usage.callFactor) + Number(other.usage.callFactor)),
    toolCalls: [...one.usage.toolCalls, ...other.usage.toolCalls],
    isEstimated: one.usage.isEstimated || other.usage.isEstimated,
  };
  return { usage, faults: [...new Set([...one.faults, ...other.faults])] };
};

/** The same with the calls of priced tools that were seen to be made, where the upstream came to no count of them. */
function chatUsed(accepted: Accepted, quote: Quote, answer: Answer): NormalisedUsage {
  const { toolCalls = [], earlier = [] } = answer;
  const own = tokensUsed(accepted, quote, answer);
  // What the last round's input has besides is none of the earlier ones'.
  const added = ({ target }: Answer): number => target.promptTokens ?? 0;
  const quoteOf = (each: Answer): Quote => ({
    ...quote,
    promptTokens: Math.max(1, quote.promptTokens - added(answer) + added(each)),
  });
  const { usage, faults } = earlier.reduce(
    (sum, each) => bothRounds(sum, tokensUsed(accepted, quoteOf(each), each)),
    own,
  );
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
