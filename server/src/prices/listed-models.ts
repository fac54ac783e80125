/** A price list in memory: the rules of each provider in their order, and the look-up of a model's name. */

// One rule of a price list: the names that it fits, and what models of these names cost in USD. As genai-prices writes it.

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

/** Says of a name, in small letters, whether it fits. */
type Fit = (name: string) => boolean;

function fitOf(match: NameMatch): Fit {
  if ("or" in match) {
    const parts = match.or.map(fitOf);
    return (name) => parts.some((isFitting) => isFitting(name));
  }
  if ("and" in match) {
    const parts = match.and.map(fitOf);
    return (name) => parts.every((isFitting) => isFitting(name));
  }
  if ("regex" in match) return (name) => name.length <= LONGEST_NAME && patternOf(match.regex).test(name);
  const word = Object.values(match)[0]?.toLowerCase() ?? "";
  if ("equals" in match) return (name) => name === word;
  if ("starts_with" in match) return (name) => name.startsWith(word);
  if ("ends_with" in match) return (name) => name.endsWith(word);
  return (name) => name.includes(word);
}

/** Rules ready to be searched: whole names and beginnings at one look each, the rest one after the other. Numbers are places of rules. */
interface RuleIndex {
  names: ReadonlyMap<string, number>;
  beginnings: ReadonlyMap<string, number>;
  longestBeginning: number;
  others: readonly { place: number; isFitting: Fit }[];
}

/** The parts of which one must fit. */
const alternatives = (match: NameMatch): readonly NameMatch[] =>
  "or" in match ? match.or.flatMap(alternatives) : [match];

function indexOf(rules: readonly ListedRule[]): RuleIndex {
  const names = new Map<string, number>();
  const beginnings = new Map<string, number>();
  const others: { place: number; isFitting: Fit }[] = [];
  const first = (map: Map<string, number>, word: string, place: number) => {
    const text = word.toLowerCase();
    if (!map.has(text)) map.set(text, place);
  };
  for (const [place, { match }] of rules.entries())
    for (const part of alternatives(match)) {
      if ("equals" in part) first(names, part.equals, place);
      else if ("starts_with" in part) first(beginnings, part.starts_with, place);
      else others.push({ place, isFitting: fitOf(part) });
    }
  const longestBeginning = Math.max(0, ...[...beginnings.keys()].map(({ length }) => length));
  return { names, beginnings, longestBeginning, others };
}

/** Lists are never changed, so each is read once: models come by the thousand, and a list has as many rules. */
const indexes = new WeakMap<readonly ListedRule[], RuleIndex>();

/** The first rule that is for a name in small letters; undefined where none is. */
export function firstFitting(rules: readonly ListedRule[], name: string): ListedRule | undefined {
  let index = indexes.get(rules);
  if (index === undefined) indexes.set(rules, (index = indexOf(rules)));
  let best = index.names.get(name) ?? Number.POSITIVE_INFINITY;
  const longest = Math.min(name.length, index.longestBeginning);
  for (let length = 0; length <= longest; length += 1)
    best = Math.min(best, index.beginnings.get(name.slice(0, length)) ?? Number.POSITIVE_INFINITY);
  for (const { place, isFitting } of index.others) {
    if (place >= best) break;
    if (isFitting(name)) best = place;
  }
  return rules[best];
}

/** The maker of a model comes before its resellers; resellers that sell subscriptions are left out. */
export const PROVIDERS_IN_ORDER = [
  "openai",
  "anthropic",
  "google",
  "deepseek",
  "mistral",
  "x-ai",
  "moonshotai",
  "zai",
  "zhipuai",
  "minimax",
  "cohere",
  "voyageai",
  "perplexity",
  "arcee",
  "aws",
  "azure",
  "groq",
  "cerebras",
  "together",
  "fireworks",
  "cloudflare",
  "novita",
  "openrouter",
] as const;

/** What a list says of one provider. */
export interface ListedProvider {
  /** Providers whose models it has too, at their prices. */
  besides: readonly string[];
  /** The first that fits a name counts. */
  rules: readonly ListedRule[];
}

/** A list as a value: another list is another object, by which what was found in it is remembered. */
export interface PriceList {
  /** By the ids of PROVIDERS_IN_ORDER. */
  providers: ReadonlyMap<string, ListedProvider>;
}

/** A rule, and the provider that has it: perhaps not the one that was asked, but one whose models that has too. */
export interface FoundRule {
  provider: string;
  rule: ListedRule;
}

function findNamed(list: PriceList, providerId: string, name: string): FoundRule | undefined {
  const provider = list.providers.get(providerId);
  const rule = provider && firstFitting(provider.rules, name);
  if (rule !== undefined) return { provider: providerId, rule };
  for (const other of provider?.besides ?? []) {
    const found = findNamed(list, other, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

const DAY_IN_NAME = /-(20\d\d)(\d\d)(\d\d)(?=[-:]|$)/g;

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** A snapshot's day as the list may have it: `-20250929` as `-2025-09-29`. */
const withHyphens = (name: string): string =>
  name.replace(DAY_IN_NAME, (plain, year: string, month: string, day: string) =>
    isDay(`${year}-${month}-${day}`) ? `-${year}-${month}-${day}` : plain,
  );

/** The rule by which a provider prices a model of that name; undefined where the list does not have it there. */
export function findRule(list: PriceList, providerId: string, model: string): FoundRule | undefined {
  const name = model.toLowerCase().trim();
  const found = findNamed(list, providerId, name);
  const hyphened = withHyphens(name);
  return found !== undefined || hyphened === name ? found : findNamed(list, providerId, hyphened);
}
