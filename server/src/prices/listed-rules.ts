/** One rule of a price list: the names that it fits, and what models of these names cost in USD. As genai-prices writes it. */

/** Which names a rule fits. Words fit in any case, patterns as they are written. */
export type NameMatch =
  | { or: readonly NameMatch[] }
  | { and: readonly NameMatch[] }
  | { equals: string }
  | { starts_with: string }
  | { ends_with: string }
  | { contains: string }
  | { regex: string };

/** USD that change with the length of the input: `price` for all tokens of a call whose input is longer than `start`. */
export interface TieredUsd {
  base: number;
  tiers: readonly { start: number; price: number }[];
}

/** USD by what is counted: `input_mtok` is for 1M tokens of input. Keys that this version does not know are kept and not read. */
export type UsdPrices = Readonly<Record<string, number | TieredUsd | undefined>>;

/** Prices from a day on, or within hours of the day. */
export interface ConditionalUsd {
  constraint?: { type?: string };
  prices: UsdPrices;
}

export interface ListedRule {
  /** Its name within the provider: by it a rule of one list is the same as that of another. */
  id: string;
  match: NameMatch;
  prices: UsdPrices | readonly ConditionalUsd[];
  /** The longest input, in tokens. */
  context_window?: number;
}

/** Names come from callers: no pattern reads more of one than this. */
const LONGEST_NAME = 256;

const patterns = new Map<string, RegExp>();
const MAX_PATTERNS = 2_000;

function patternOf(text: string): RegExp {
  const known = patterns.get(text);
  if (known !== undefined) return known;
  if (patterns.size >= MAX_PATTERNS) patterns.clear();
  const pattern = new RegExp(text);
  patterns.set(text, pattern);
  return pattern;
}

/** Whether a name, in small letters, is one that the rule is for. */
export function fits(match: NameMatch, name: string): boolean {
  if ("or" in match) return match.or.some((part) => fits(part, name));
  if ("and" in match) return match.and.every((part) => fits(part, name));
  if ("equals" in match) return name === match.equals.toLowerCase();
  if ("starts_with" in match) return name.startsWith(match.starts_with.toLowerCase());
  if ("ends_with" in match) return name.endsWith(match.ends_with.toLowerCase());
  if ("contains" in match) return name.includes(match.contains.toLowerCase());
  return name.length <= LONGEST_NAME && patternOf(match.regex).test(name);
}
