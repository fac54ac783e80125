/** Words inside JSON strings, counted by those who pass a text on without decoding it; part of the hub. */
import { skipBlanks } from "./usage-counts.ts";

const QUOTE = 34;
const BACKSLASH = 92;
const LOWER_U = 117;

/** UTF-8 bytes of a text so far: those below 128 and the rest. */
interface ByteCount {
  asciiBytes: number;
  otherBytes: number;
}

/**
 * Counts the escape that begins with the backslash at `position` as what it stands for, a surrogate as half of its four bytes: words are
 * as many whichever way an upstream writes them. Gives how far the escape's last character is from its first.
 */
function countEscape(count: ByteCount, text: string, position: number): number {
  if (text.charCodeAt(position + 1) !== LOWER_U) {
    count.asciiBytes += 1;
    return 1;
  }
  const code = Number.parseInt(text.slice(position + 2, position + 6), 16);
  if (!(code >= 0x80)) count.asciiBytes += 1;
  else count.otherBytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3;
  return 5;
}

/**
 * Counts the string value that begins at `at` or behind blanks there, if one does; gives the position behind it. The text is bytes as
 * Latin-1.
 */
export function countString(count: ByteCount, text: string, at: number): number {
  let [ascii, other] = [0, 0];
  let position = skipBlanks(text, at);
  if (text.charCodeAt(position) !== QUOTE) return position;
  for (position += 1; position < text.length; position += 1) {
    const code = text.charCodeAt(position);
    if (code === QUOTE) break;
    if (code === BACKSLASH) position += countEscape(count, text, position);
    else if (code < 128) ascii += 1;
    else other += 1;
  }
  count.asciiBytes += ascii;
  count.otherBytes += other;
  return position + 1;
}
