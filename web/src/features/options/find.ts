/** Finds settings by words of their label, name, help and place. Pure. */

export interface Setting {
  /** Name of an option, or of a section that has none by that name. */
  id: string;
  kind: "option" | "section";
  label: string;
  /** Tab and section, as the reader's language has them. */
  place: string;
  /** Where it is opened. */
  address: string;
  /** Labels and names, in every language; lower case. */
  names: string;
  /** All else that is said of it, in every language; lower case. */
  texts: string;
}

const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/** The lower, the better: a label that begins with the text, then names that have all words, then what only texts tell. */
function rank({ label, names, texts }: Setting, words: readonly string[], text: string): number | undefined {
  if (label.toLowerCase().startsWith(text)) return 0;
  if (words.every((word) => names.includes(word))) return 1;
  return words.every((word) => names.includes(word) || texts.includes(word)) ? 2 : undefined;
}

/** The settings that have every word of the text, the best first, at most so many; none for an empty text. */
export function findSettings(settings: readonly Setting[], text: string, most: number): Setting[] {
  const words = wordsOf(text);
  if (words.length === 0) return [];
  const ranked = settings.flatMap((setting) => {
    const found = rank(setting, words, text.trim().toLowerCase());
    return found === undefined ? [] : [{ setting, found }];
  });
  return ranked
    .toSorted((one, other) => one.found - other.found)
    .slice(0, most)
    .map(({ setting }) => setting);
}
