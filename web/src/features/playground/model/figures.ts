/** How quick a reply was. Pure. */
import type { Figures } from "./conversation.ts";

/** Shorter writing than this says nothing about speed. */
const LEAST_MS = 50;

/** Tokens a second from the first token to the last; undefined where it cannot be said. */
export function tokensPerSecond({ firstTokenMs, totalMs, completionTokens }: Figures): number | undefined {
  if (firstTokenMs === undefined || totalMs === undefined || !completionTokens) return undefined;
  const writingMs = totalMs - firstTokenMs;
  return writingMs < LEAST_MS ? undefined : (completionTokens * 1000) / writingMs;
}
