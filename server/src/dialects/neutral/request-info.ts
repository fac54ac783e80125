/** Counts that every dialect reads from a request in the same way, and the fields that ask a model to think; part of the hub. */
import { isAscii } from "node:buffer";
import { estimateTokens } from "../../../../contract/src/pricing/pricing.ts";
import type { JsonTop } from "../json/bytes.ts";
import type { DialectName } from "./neutral.ts";
import type { EstimatedTokens } from "./token-estimate.ts";

/** A whole number above 0, rounded up; undefined for everything else. */
export const positive = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 1 ? Math.ceil(value) : undefined;

/** Bytes above 127; counted only where there are any, which a native check finds out. */
function otherBytesOf(body: Buffer): number {
  if (isAscii(body)) return 0;
  let count = 0;
  for (const byte of body) if (byte > 127) count += 1;
  return count;
}

/** Estimated text tokens and the number of media parts of a request. */
export function estimateRequest(body: Buffer, top: JsonTop): { words: EstimatedTokens; mediaParts: number } {
  const { stringBytes, stringTokens: tokens, mediaParts } = top;
  const otherBytes = Math.min(stringBytes, otherBytesOf(body));
  const cautiousTokens = Math.max(tokens, estimateTokens(stringBytes - otherBytes, otherBytes));
  return { words: { tokens, cautiousTokens }, mediaParts };
}

/** Top-level fields by which clients ask a model to think, by format: used by decoders and by the size of holds. */
export const THINKING_FIELDS = {
  "openai-chat": ["reasoning_effort", "reasoning", "thinking", "enable_thinking", "thinking_budget"],
  "openai-responses": ["reasoning"],
  "anthropic-messages": ["thinking", "output_config"],
  gemini: ["generationConfig", "generation_config"],
} as const satisfies Record<DialectName, readonly string[]>;

/** Names that vendors read and no decoder does: OpenRouter's, those of open servers (vLLM, SGLang), and of Google's form of chat completions. */
export const VENDORS_THINKING_FIELDS = ["include_reasoning", "chat_template_kwargs", "extra_body"] as const;
