/** Finds settings by words of their label, name, help and place, and by synonyms; without filler such as "disable". Pure. */

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
  /** Other names, each of one or more words; lower case. */
  synonyms: readonly string[];
  /** All else that is said of it, in every language; lower case. */
  texts: string;
  /** Can be turned on and off. */
  isSwitch: boolean;
}

/** Filler words for acts on a setting; the others name the setting. */
const FILLERS: ReadonlySet<string> = new Set(
  "a an the of to for in on off my our is be do how can i it set change edit turn switch enable disable allow forbid hide show setting settings option configure".split(
    " ",
  ),
);
/** The same in Chinese, where no blank stands between words. */
const FILLERS_BEFORE = /^(?:如何|怎么|怎样|请|我要|设置|修改|更改|打开|开启|启用|关闭|禁用|禁止|允许|配置)+(?=.)/u;

const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/** The words that name a setting; all of them where there are only fillers. */
function meantWords(text: string): string[] {
  const words = wordsOf(text).map((word) => word.replace(FILLERS_BEFORE, ""));
  const meant = words.filter((word) => !FILLERS.has(word));
  return meant.length > 0 ? meant : words;
}

/** Ranks, the best first. Words that only texts have are the last of those with all words. */
const RANK = { synonym: 0, labelStart: 1, names: 2, synonyms: 3, texts: 4, some: 5 } as const;

/** How many of the words its names or synonyms have. */
const countNamed = ({ names, synonyms }: Setting, words: readonly string[]): number =>
  words.filter((word) => names.includes(word) || synonyms.some((each) => each.includes(word))).length;

/** Undefined where less than half of the words fit. */
function rank(setting: Setting, words: readonly string[]): number | undefined {
  const { label, names, synonyms, texts } = setting;
  const text = words.join(" ");
  if (synonyms.includes(text)) return RANK.synonym;
  if (label.toLowerCase().startsWith(text)) return RANK.labelStart;
  if (words.every((word) => names.includes(word))) return RANK.names;
  const named = countNamed(setting, words);
  if (named === words.length) return RANK.synonyms;
  const isIn = (word: string): boolean =>
    names.includes(word) || texts.includes(word) || synonyms.some((each) => each.includes(word));
  if (words.every(isIn)) return RANK.texts;
  return named > 0 && named * 2 >= words.length ? RANK.some + 1 - named / words.length : undefined;
}

/**
 * The settings that the text means, the best first, at most so many; none for an empty text. Those that have every word come before those
 * that have only some, which come only where no other does.
 */
export function findSettings(settings: readonly Setting[], text: string, most: number): Setting[] {
  const words = meantWords(text);
  if (words.length === 0) return [];
  const ranked = settings.flatMap((setting) => {
    const found = rank(setting, words);
    return found === undefined ? [] : [{ setting, found }];
  });
  const whole = ranked.filter(({ found }) => found < RANK.some);
  return (whole.length > 0 ? whole : ranked)
    .toSorted((one, other) => one.found - other.found)
    .slice(0, most)
    .map(({ setting }) => setting);
}
