/** Counts text inside JSON strings without decoding it, for passthrough; part of the hub. */
import type { TokenEstimate } from "../neutral/token-estimate.ts";
import { skipBlanks } from "../neutral/usage-counts.ts";

const QUOTE = 34;
const BACKSLASH = 92;

/**
 * Counts the string value that begins at `at` or behind blanks there, if one does; gives the position behind it. The text is bytes as
 * Latin-1.
 */
export function countString(estimate: TokenEstimate, text: string, at: number): number {
  const open = skipBlanks(text, at);
  if (text.charCodeAt(open) !== QUOTE) return open;
  let close = open + 1;
  for (let code = text.charCodeAt(close); close < text.length && code !== QUOTE; code = text.charCodeAt(close))
    close += code === BACKSLASH ? 2 : 1;
  estimate.addJson(text, open + 1, Math.min(close, text.length));
  return close + 1;
}
