/** What pictures, films and recordings may cost in requests that are no chats: their vendors count them by what they show. */
import { estimatedUsage } from "../../dialects/neutral/usage-counts.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { Routes } from "../call/routes.ts";
import type { Accepted } from "../request/accepted.ts";
import { mediaParts } from "../request/media-parts.ts";
import { meterOf } from "./meters.ts";
import { SOUND_BYTES_PER_TOKEN, modelLimits } from "./model-limits.ts";
import type { Quote } from "./quote.ts";
import type { UnseenBound } from "./unseen-bounds.ts";

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
