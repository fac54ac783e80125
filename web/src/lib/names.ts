/** Makes names of people, tokens, channels and models safe to show: they may hold any character and must not reorder the text around them. */

/** Embeddings, overrides and isolates of one direction: they are never typed, and they reverse the text that follows. */
const TURNING = /[\u202A-\u202E\u2066\u2067]/g;
const ISOLATE = "\u2068";
const END_OF_ISOLATE = "\u2069";
/** Right-to-left letters, with their digits and presentation forms. */
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]|[\u{10800}-\u{10FFF}]|[\u{1E800}-\u{1EFFF}]/u;

const codeOf = (mark: string): string => `[U+${mark.charCodeAt(0).toString(16).toUpperCase()}]`;

/** Whether every isolate ends, and none ends before it began: such ones keep to themselves. */
function isBalanced(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === ISOLATE) depth += 1;
    if (character === END_OF_ISOLATE) depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** The text with its direction marks written out: "evil\u202Eexe" is "evil[U+202E]exe". */
export function visible(text: string): string {
  const shown = text.replaceAll(TURNING, codeOf);
  return isBalanced(shown) ? shown : shown.replaceAll(/[\u2068\u2069]/g, codeOf);
}

/** For the middle of a sentence: `visible`, and kept apart where it runs from right to left. Does nothing to what it gave before. */
export function apart(text: string): string {
  const shown = visible(text);
  return !RIGHT_TO_LEFT.test(shown) || (shown.startsWith(ISOLATE) && shown.endsWith(END_OF_ISOLATE))
    ? shown
    : ISOLATE + shown + END_OF_ISOLATE;
}
