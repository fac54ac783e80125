/** Counts that every dialect reads from a request in the same way; part of the hub. */
import { isAscii } from "node:buffer";
import { estimateTokens } from "../../../../contract/src/pricing/pricing.ts";
import type { JsonTop } from "../json/bytes.ts";
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
