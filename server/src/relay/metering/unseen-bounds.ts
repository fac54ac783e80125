/** Bounds of usage that is not seen here: input that its vendor stores or fetches, media counted by its content, output in one piece or as thoughts. */
import type { ModelPrice } from "../../../../contract/src/pricing/pricing.ts";
import type { Usage } from "../../../../contract/src/pricing/usage.ts";
import { fieldOf } from "../../dialects/json/bytes.ts";
import { isObject, listOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { THINKING_FIELDS, VENDORS_THINKING_FIELDS } from "../../dialects/neutral/request-info.ts";
import { estimatedUsage } from "../../dialects/neutral/usage-counts.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { Routes } from "../call/target.ts";
import { type Accepted, requestField } from "../request/accepted.ts";
import { OPERATIONS } from "../request/operations.ts";
import { mediaParts, type UnseenParts, unseenParts } from "../request/unseen-parts.ts";
import { meterOf } from "./meters.ts";
import { ASKED_THOUGHT, type ModelLimits, modelLimits, SOUND_BYTES_PER_TOKEN } from "./model-limits.ts";
import type { Quote, TokenCounts } from "./terms.ts";

// Whether a request asks its model to think, and for how many tokens, by every field that a decoder or a vendor reads.

/** Clients of one format send those of another too, which are passed on unchanged. */
const FIELDS: ReadonlySet<string> = new Set([...Object.values(THINKING_FIELDS).flat(), ...VENDORS_THINKING_FIELDS]);

/** Google's are one of many settings. */
const thinkingConfig = (config: JsonObject): unknown => config["thinkingConfig"] ?? config["thinking_config"];

const SAYS_NO: ReadonlySet<unknown> = new Set([undefined, null, false, "", "none", 0]);

const asks = (value: unknown): boolean =>
  !SAYS_NO.has(value) && !(isObject(value) && (value["type"] === "disabled" || value["thinkingBudget"] === 0));

function asksBy(name: string, value: unknown): boolean {
  if (name === "generationConfig" || name === "generation_config") return asks(thinkingConfig(objectOf(value)));
  if (name === "chat_template_kwargs") return Object.values(objectOf(value)).some(asks);
  return asks(value);
}

/** Whether the request itself has to do with thinking. */
const asksToThink = (accepted: Accepted): boolean =>
  accepted.info.top.fields.some(({ name }) => FIELDS.has(name) && asksBy(name, requestField(accepted, name)));

const saysNothing = ({ info, form }: Accepted): boolean =>
  form === undefined && !info.top.fields.some(({ name }) => FIELDS.has(name));

interface WantedThinking {
  readonly asks: boolean;
  /** Tokens that the request allows for thinking alone; 0 where it names none. */
  readonly budget: number;
  /** A word says how much to think, which vendors take before any budget. */
  readonly hasEffort: boolean;
}

const NO_THINKING: WantedThinking = { asks: false, budget: 0, hasEffort: false };

/** What the request says of thinking. */
function wantedThinking(accepted: Accepted): WantedThinking {
  if (saysNothing(accepted)) return NO_THINKING;
  const field = (name: string): JsonObject => objectOf(requestField(accepted, name));
  const [thinking, reasoning, output] = ["thinking", "reasoning", "output_config"].map(field) as [
    JsonObject,
    JsonObject,
    JsonObject,
  ];
  const google = objectOf(
    thinkingConfig(objectOf(requestField(accepted, "generationConfig") ?? field("generation_config"))),
  );
  const budgets = [
    thinking["budget_tokens"],
    reasoning["max_tokens"],
    requestField(accepted, "thinking_budget"),
    google["thinkingBudget"] ?? google["thinking_budget"],
  ].map((value) => Number(value) || 0);
  const efforts = [
    requestField(accepted, "reasoning_effort"),
    reasoning["effort"],
    output["effort"],
    google["thinkingLevel"],
  ];
  return { asks: asksToThink(accepted), budget: Math.max(...budgets), hasEffort: efforts.some(asks) };
}

/** One picture of Gemini's models that draw, at the usual size (ai.google.dev/gemini-api/docs/image-generation). */
const TOKENS_PER_PICTURE = 1_290;

const NO_KINDS: readonly string[] = [];

/** Kinds of output that the request names, in small letters; OpenAI's and Google's formats have a list of them. */
function askedKinds(accepted: Accepted): readonly string[] {
  const { name } = accepted.dialect;
  if (name === "openai-chat") {
    const modalities = requestField(accepted, "modalities");
    return modalities === undefined ? NO_KINDS : listOf(modalities).map(textOf);
  }
  if (name !== "gemini") return NO_KINDS;
  const config = objectOf(requestField(accepted, "generationConfig") ?? requestField(accepted, "generation_config"));
  const kinds = listOf(config["responseModalities"] ?? config["response_modalities"]);
  return kinds.map((kind) => textOf(kind).toLowerCase());
}

/** A model whose pictures have a ratio of their own draws them by itself, unless the request names only other kinds. */
const drawsPictures = (kinds: readonly string[], price: ModelPrice): boolean =>
  kinds.includes("image") || (kinds.length === 0 && price.kind === "per_token" && price.imageOutputRatio !== undefined);

/** What an answer's tokens are, beside words. */
export type MediaKind = "sound" | "picture" | "none";

function mediaKind(accepted: Accepted, price: ModelPrice): MediaKind {
  if (accepted.operation !== "chat") return "none";
  const kinds = askedKinds(accepted);
  if (kinds.includes("audio")) return "sound";
  return drawsPictures(kinds, price) ? "picture" : "none";
}

/** The usage of one such answer as far as request and price say; undefined where it is of words, or of another operation. */
export function mediaAnswer(accepted: Accepted, quote: Quote): Usage | undefined {
  const kind = mediaKind(accepted, quote.terms.price);
  const { promptTokens, outputTokens } = quote;
  if (kind === "none") return undefined;
  if (kind === "sound") return { ...estimatedUsage(promptTokens, outputTokens), audioOutputTokens: outputTokens };
  const imageOutputTokens = TOKENS_PER_PICTURE * accepted.info.choices;
  return { ...estimatedUsage(promptTokens, imageOutputTokens + outputTokens), imageOutputTokens };
}

/** Names of models that think as far as they are let. */
const HYBRID_QWEN = /^(?:[^/]*\/)*qwen(?!.*thinking)/i;
const MARK_OF_AN_HOUR = Buffer.from('"1h"');

/** Whether some of the output passes by uncounted: what comes in one piece, thoughts, sound, guesses of the client that were wrong. */
function growsUnseen(accepted: Accepted, kind: MediaKind, { thinksInSight, showsThoughts }: ModelLimits): boolean {
  if (!accepted.isStream || kind === "sound" || fieldOf(accepted.info.top, "prediction") !== undefined) return true;
  if (!thinksInSight) return true;
  // OpenRouter's fields can hide what such models would show.
  if (showsThoughts)
    return ["reasoning", "include_reasoning"].some((name) => fieldOf(accepted.info.top, name) !== undefined);
  return asksToThink(accepted);
}

/** Tokens of thinking beside the client's bound: the model's own, or what the client allows by a budget of Alibaba's. */
function thoughtBesides(
  accepted: Accepted,
  { asks, budget, hasEffort }: WantedThinking,
  { longestThought, askedThought }: ModelLimits,
): number {
  const thinks = requestField(accepted, "enable_thinking");
  const longest = Math.max(longestThought, thinks === true ? ASKED_THOUGHT : asks ? askedThought : 0);
  if (!HYBRID_QWEN.test(accepted.model)) return longest;
  if (thinks === false && !asks) return 0;
  return budget > 0 && !hasEffort ? Math.min(budget, longest) : longest;
}

/** The least of what the client, the model and the operator say; a budget for thinking may be above the client's bound. */
function longestOutput(snapshot: Snapshot, accepted: Accepted, limits: ModelLimits): number {
  const { info, operation } = accepted;
  const { longestAnswer, contextWindow } = limits;
  const thinking = wantedThinking(accepted);
  const besides = thoughtBesides(accepted, thinking, limits);
  const { maxTokens = Infinity } = info;
  const wanted = besides > 0 ? maxTokens + besides : Math.max(maxTokens, thinking.budget);
  const limit = snapshot.options.HeldOutputLimit || Infinity;
  return Math.min(wanted, longestAnswer, OPERATIONS[operation].outputTokens ?? contextWindow, contextWindow, limit);
}

function inputTokens(
  accepted: Accepted,
  { isUnbounded, maySound, pictures }: UnseenParts,
  seen: number,
  { contextWindow, tokensPerPicture }: ModelLimits,
): number {
  const ofSound = maySound ? Math.ceil(accepted.body.length / SOUND_BYTES_PER_TOKEN) : 0;
  const all = isUnbounded ? contextWindow : seen + pictures * tokensPerPicture + ofSound;
  return Math.max(seen, Math.min(all, contextWindow));
}

/** The dearest things that so many tokens may be. */
function usagesOf(accepted: Accepted, quote: Quote, parts: UnseenParts, tokens: TokenCounts, kind: MediaKind): Usage[] {
  const plain = { ...estimatedUsage(tokens.inputTokens, tokens.outputTokens) };
  plain.surcharges = quote.estimate.surcharges ?? plain.surcharges;
  if (kind === "none" && !parts.isCached && !parts.maySound && parts.pictures === 0) return [plain];
  const isLong = parts.isCached && accepted.body.includes(MARK_OF_AN_HOUR);
  const inputs: Partial<Usage>[] = [
    {},
    ...(parts.isCached ? [{ [isLong ? "cacheWriteLongTokens" : "cacheWriteTokens"]: tokens.inputTokens }] : []),
    ...(parts.maySound ? [{ audioInputTokens: tokens.inputTokens }] : []),
    ...(parts.pictures > 0 ? [{ imageInputTokens: tokens.inputTokens }] : []),
  ];
  const plainInputs = inputs.map((input) => ({ ...plain, ...input }));
  if (kind === "none") return plainInputs;
  const { outputTokens } = tokens;
  const output = kind === "sound" ? { audioOutputTokens: outputTokens } : { imageOutputTokens: outputTokens };
  return [...plainInputs, ...plainInputs.map((usage) => ({ ...usage, ...output }))];
}

export interface UnseenBound {
  /** Up to which tokens the answer is covered by it. */
  readonly tokens: TokenCounts;
  readonly usages: readonly Usage[];
}

/** The bound of a chat or completion; undefined where everything of it passes by in sight, and of calls at a fixed price. */
export function unseenBound(
  snapshot: Snapshot,
  accepted: Accepted,
  quote: Quote,
  routes: Routes,
): UnseenBound | undefined {
  if (quote.terms.price.kind === "per_call") return undefined;
  const limits = modelLimits(snapshot, accepted.model, routes);
  const parts = limits.readsUnasked ? { ...unseenParts(accepted), isUnbounded: true } : unseenParts(accepted);
  const kind = mediaKind(accepted, quote.terms.price);
  const grows = growsUnseen(accepted, kind, limits);
  const seesInput = !parts.isUnbounded && !parts.maySound && parts.pictures === 0 && !parts.isCached;
  if (!grows && seesInput) return undefined;
  const { choices = 1, inputTokens: seen } = quote.estimate;
  const { outputTokens: step } = quote;
  const tokens = {
    inputTokens: seesInput ? seen : inputTokens(accepted, parts, seen, limits),
    outputTokens: grows ? Math.max(step, longestOutput(snapshot, accepted, limits) * choices) : step,
  };
  return { tokens, usages: usagesOf(accepted, quote, parts, tokens, kind) };
}

/**
 * One picture to edit of the finest kind, which some models read always so (platform.openai.com/docs/guides/image-generation, "Input fidelity":
 * 6,240 tokens beside the usual ones).
 */
const TOKENS_PER_EDITED = 7_100;

/** Undefined where there are none, and of calls at a fixed price. */
export function mediaBound(
  snapshot: Snapshot,
  accepted: Accepted,
  quote: Quote,
  routes: Routes,
): UnseenBound | undefined {
  if (quote.terms.price.kind === "per_call") return undefined;
  const { pictures, films, hasSound } = mediaParts(accepted);
  if (pictures === 0 && films === 0 && !hasSound) return undefined;
  const { contextWindow, tokensPerPicture } = modelLimits(snapshot, accepted.model, routes);
  const { operation } = accepted;
  const each = operation === "embeddings" || operation === "rerank" ? tokensPerPicture : TOKENS_PER_EDITED;
  const ofSound = hasSound ? Math.ceil(accepted.body.length / SOUND_BYTES_PER_TOKEN) : 0;
  const media = pictures * each + films * contextWindow + ofSound;
  const expected =
    meterOf(operation).expected?.(accepted, quote) ?? estimatedUsage(quote.estimate.inputTokens, quote.outputTokens);
  const plain = { ...expected, inputTokens: expected.inputTokens + media, surcharges: quote.estimate.surcharges ?? [] };
  return {
    tokens: { inputTokens: plain.inputTokens, outputTokens: quote.outputTokens },
    usages: [
      plain,
      ...(pictures > 0 ? [{ ...plain, imageInputTokens: media }] : []),
      ...(hasSound ? [{ ...plain, audioInputTokens: media }] : []),
    ],
  };
}
