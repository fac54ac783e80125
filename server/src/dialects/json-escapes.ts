/** Escapes inside JSON strings, for those who count a text without decoding it; part of the hub. */

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
export function countEscape(count: ByteCount, text: string, position: number): number {
  if (text.charCodeAt(position + 1) !== LOWER_U) {
    count.asciiBytes += 1;
    return 1;
  }
  const code = Number.parseInt(text.slice(position + 2, position + 6), 16);
  if (!(code >= 0x80)) count.asciiBytes += 1;
  else count.otherBytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3;
  return 5;
}
