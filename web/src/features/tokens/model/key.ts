/** Token keys as people read and search them. Pure. */

const PREFIX = "sk-";
const FIRST = 4;
const LAST = 4;
/** A key without its prefix is this long at least; names are shorter. */
const BARE_KEY_LENGTH = 40;

/** Whether there is anything to show and copy: of a token that came from another gateway there may be nothing but a hash before its first call. */
export const isKeyKnown = ({ key }: { key: string }): boolean => key !== "";

/** The whole key as clients send it. */
export const fullKey = (key: string): string => `${PREFIX}${key}`;

/** The key as a list shows it: sk-Vx71…0aD4. */
export const shortKey = (key: string): string => `${PREFIX}${key.slice(0, FIRST)}…${key.slice(-LAST)}`;

/** The same length as the key, its middle hidden. */
export const maskedKey = (key: string): string =>
  `${PREFIX}${key.slice(0, FIRST)}${"•".repeat(Math.max(0, key.length - FIRST - LAST))}${key.slice(-LAST)}`;

/** The search text for the address: of a key its end alone, since addresses are stored, shared and logged. */
export const searchedText = (text: string): string => {
  const bare = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text;
  return isKeySearch(text) && bare.length > LAST ? `${PREFIX}${bare.slice(-LAST)}` : text;
};

/** Whether a search text means a key (its beginning, its end or the whole) and not a name. */
export const isKeySearch = (text: string): boolean =>
  text.startsWith(PREFIX) || (text.length >= BARE_KEY_LENGTH && /^[A-Za-z0-9]+$/.test(text));
