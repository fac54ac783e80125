/** Interprets the text typed into the command palette: which names it matches, what to search for, and which ids it contains. Pure. */

/** The typed words, in lower case. */
const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");

/** Whether every word of the text is in the name, in any order. */
export const matches = (name: string, text: string): boolean =>
  wordsOf(text).every((word) => name.toLowerCase().includes(word));

/** Whether the text stands in a name where the name or one of its words begins. */
export const beginsWordOf = (name: string, text: string): boolean =>
  ` ${name.toLowerCase()}`.includes(` ${wordsOf(text).join(" ")}`);

/** A typed text, split into what may name an action and what is left for the object that it acts on. */
export interface Wanted {
  /** The complete typed text. */
  text: string;
  /** The words that begin no word of an action; empty where the text is all object or all action. */
  object: string;
}

/**
 * Splits the typed text: 'test anth' wants the action 'Test channel' on an object with 'anth' in its name.
 * @param actions names of the actions on such objects, in the reader's language, without an object's name.
 */
export function wantedOf(text: string, actions: readonly string[]): Wanted {
  const words = wordsOf(text);
  const actionWords = actions.flatMap(wordsOf);
  const left = words.filter((word) => !actionWords.some((known) => known.startsWith(word)));
  return { text: text.trim(), object: left.length === words.length ? "" : left.join(" ") };
}

/** The queries for the server: the whole text, because a name may hold an action's word, and the words left for the object. */
export const lookupsOf = ({ text, object }: Wanted): string[] => [text, object].filter((lookup) => lookup !== "");

/** Whether an action on an object that the server found for these words is meant: each word is in its name or was left for the object. */
export function isMeant(name: string, { text, object }: Wanted): boolean {
  const left = new Set(wordsOf(object));
  return wordsOf(text).every((word) => left.has(word) || name.toLowerCase().includes(word));
}

/** The request id that was pasted: 17 digits of time and 14 random characters; undefined if it is none. */
export const requestIdIn = (text: string): string | undefined => /^\s*(\d{17}[\w-]{14})\s*$/.exec(text)?.[1];

/** The positions of the words in a name, in order and without overlaps, for highlighting. */
export function markedParts(name: string, text: string): { text: string; isMarked: boolean }[] {
  const words = wordsOf(text).map((word) => word.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
  if (words.length === 0) return [{ text: name, isMarked: false }];
  const parts = name.split(new RegExp(`(${words.join("|")})`, "i"));
  return parts.map((part, index) => ({ text: part, isMarked: index % 2 === 1 })).filter((part) => part.text !== "");
}
