/** Parses a third-party price list: bounded, with the exact position of each error. A list with an error is not used at all. */
import type { ListProblem } from "../../../contract/src/pricing/list-lines.ts";
import type { ConditionalUsd, ListedRule, NameMatch, TieredUsd, UsdPrices } from "./listed-models.ts";

// Which patterns of a fetched list may be tried on names: only those whose work grows at most with the square of the name.

const LONGEST_PATTERN = 128;
const LARGEST_COUNT = 32;
/** More would multiply the ways in which one name can be read. */
const MOST_ALTERNATIVES = 4;

/** What a pattern is made of, one piece at a time; anything else (a group with a name, a look behind, a back reference) is none of these. */
const PIECES =
  /(?<escape>\\[dDwWsSbB]|\\[^\w])|(?<set>\[\^?(?:[^\\\]]|\\[dws]|\\[^\w])+\])|(?<count>\{\d{1,2}\})|(?<varying>[*+?]|\{\d{1,2},\d{0,2}\})|(?<open>\((?:\?[:=!]|(?!\?)))|(?<close>\))|(?<bar>\|)|(?<plain>[^\\[\]{}()*+?|])/y;

type Piece = "escape" | "set" | "count" | "varying" | "open" | "close" | "bar" | "plain";

function piecesOf(text: string): { kind: Piece; text: string }[] | undefined {
  const pieces: { kind: Piece; text: string }[] = [];
  PIECES.lastIndex = 0;
  while (PIECES.lastIndex < text.length) {
    const groups = PIECES.exec(text)?.groups;
    const found = Object.entries(groups ?? {}).find(([, part]) => part !== undefined);
    if (found === undefined) return undefined;
    pieces.push({ kind: found[0] as Piece, text: found[1] });
  }
  return pieces;
}

const isSound = (text: string): boolean => {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
};

/**
 * Whether a pattern may be tried on any name: it repeats at most one thing an open number of times, never a group, and has few
 * alternatives. `^gpt-5-\d{4}$` and `^(?!.*-tts$)` are such; `(a+)+$`, `a*a*a*` and `(a|a)(a|a)(a|a)` are not.
 */
export function isSafePattern(text: string): boolean {
  if (text === "" || text.length > LONGEST_PATTERN) return false;
  const pieces = piecesOf(text);
  if (pieces === undefined) return false;
  const many = (kind: Piece): number => pieces.filter((piece) => piece.kind === kind).length;
  const isRepeatedGroup = pieces.some(
    ({ kind }, index) => (kind === "count" || kind === "varying") && pieces[index - 1]?.kind === "close",
  );
  const isCountSmall = pieces.every(
    ({ kind, text: count }) => kind !== "count" || Number(count.slice(1, -1)) <= LARGEST_COUNT,
  );
  return many("varying") <= 1 && many("bar") <= MOST_ALTERNATIVES && isCountSmall && !isRepeatedGroup && isSound(text);
}

/** A list that cannot be read. */
export class PriceListFault extends Error {
  /** Where: `providers[2].models[7].prices.input_mtok`, or a line of the text. */
  readonly place: string;
  readonly problem: ListProblem;

  constructor(place: string, problem: ListProblem) {
    super(`${place}: ${problem}`);
    this.place = place;
    this.problem = problem;
  }
}

/** Brackets within brackets; lists of genai-prices have 12. */
const DEEPEST = 24;
const MOST_PROVIDERS = 500;
const MOST_RULES = 5_000;
const MOST_CLAUSES = 500;
const MOST_CONDITIONS = 100;
const MOST_TIERS = 20;
const MOST_KEYS = 100;
const LONGEST_TEXT = 200;
const LARGEST_USD = 1_000_000;
const LARGEST_CONTEXT = 1_000_000_000;
/** Digits that decimal arithmetic takes; also what keeps out numbers written with an exponent. */
const PLAIN_NUMBER = /^\d{1,7}(?:\.\d{1,20})?$/;

type Json = Readonly<Record<string, unknown>>;

function refuse(place: string, problem: ListProblem): never {
  throw new PriceListFault(place === "" ? "JSON" : place, problem);
}

/** Before anything is parsed: depth costs stack. */
function refuseDepth(text: string, place: string): void {
  let depth = 0;
  let isText = false;
  for (let index = 0; index < text.length; index += 1) {
    const letter = text[index];
    if (isText) {
      if (letter === "\\") index += 1;
      else if (letter === '"') isText = false;
    } else if (letter === '"') isText = true;
    else if (letter === "{" || letter === "[") {
      depth += 1;
      if (depth > DEEPEST) refuse(place, "too_deep");
    } else if (letter === "}" || letter === "]") depth -= 1;
  }
}

function parse(text: string, place: string): unknown {
  refuseDepth(text, place);
  try {
    return JSON.parse(text);
  } catch {
    return refuse(place, "json");
  }
}

const under = (place: string, key: string): string => (place === "" ? key : `${place}.${key}`);

function objectAt(value: unknown, place: string): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) refuse(place, "object");
  return value as Json;
}

function listAt(value: unknown, place: string, most: number): readonly unknown[] {
  if (!Array.isArray(value)) return refuse(place, "list");
  return value.length > most ? refuse(place, "too_many") : (value as unknown[]);
}

const textAt = (value: unknown, place: string): string =>
  typeof value === "string" && value !== "" && value.length <= LONGEST_TEXT ? value : refuse(place, "text");

const usdAt = (value: unknown, place: string): number =>
  typeof value === "number" && value <= LARGEST_USD && PLAIN_NUMBER.test(String(value))
    ? value
    : refuse(place, "price");

const countAt = (value: unknown, place: string, largest: number): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= largest
    ? value
    : refuse(place, "whole_number");

const WORD_CLAUSES = ["equals", "starts_with", "ends_with", "contains"] as const;

function matchAt(value: unknown, place: string): NameMatch {
  const clause = objectAt(value, place);
  const [name = "", ...others] = Object.keys(clause);
  const at = under(place, name);
  if (others.length > 0) return refuse(place, "match");
  if (name === "or" || name === "and") {
    const parts = listAt(clause[name], at, MOST_CLAUSES).map((part, index) => matchAt(part, `${at}[${index}]`));
    return name === "or" ? { or: parts } : { and: parts };
  }
  const word = WORD_CLAUSES.find((each) => each === name);
  if (word !== undefined) return { [word]: textAt(clause[word], at) } as unknown as NameMatch;
  if (name !== "regex") return refuse(place, "match");
  const pattern = textAt(clause["regex"], at);
  return isSafePattern(pattern) ? { regex: pattern } : refuse(at, "pattern");
}

function tieredAt(value: unknown, place: string): TieredUsd {
  const { base, tiers } = objectAt(value, place);
  return {
    base: usdAt(base, under(place, "base")),
    tiers: listAt(tiers, under(place, "tiers"), MOST_TIERS).map((tier, index) => {
      const at = `${under(place, "tiers")}[${index}]`;
      const { start, price } = objectAt(tier, at);
      return {
        start: countAt(start, under(at, "start"), LARGEST_CONTEXT),
        price: usdAt(price, under(at, "price")),
      };
    }),
  };
}

function usdPricesAt(value: unknown, place: string): UsdPrices {
  const entries = Object.entries(objectAt(value, place));
  if (entries.length > MOST_KEYS) refuse(place, "too_many");
  return Object.fromEntries(
    entries.map(([key, usd]) => {
      const at = under(place, textAt(key, place));
      return [key, typeof usd === "object" ? tieredAt(usd, at) : usdAt(usd, at)];
    }),
  );
}

/** Prices that hold only under a condition that this version does not know (a tier of service, say) are none of every call. */
const KNOWN_CONSTRAINTS: ReadonlySet<unknown> = new Set(["start_date", "time_of_date"]);

function conditionalAt(value: unknown, place: string): ConditionalUsd[] {
  const { constraint, prices } = objectAt(value, place);
  const read = usdPricesAt(prices, under(place, "prices"));
  if (constraint === undefined || constraint === null) return [{ prices: read }];
  const { type, start_date } = objectAt(constraint, under(place, "constraint"));
  // The first lists had no types.
  const kind = type ?? (start_date === undefined ? "time_of_date" : "start_date");
  return KNOWN_CONSTRAINTS.has(kind) ? [{ constraint: { type: String(kind) }, prices: read }] : [];
}

function pricesAt(value: unknown, place: string): ListedRule["prices"] {
  if (!Array.isArray(value)) return usdPricesAt(value, place);
  const conditions = listAt(value, place, MOST_CONDITIONS).flatMap((entry, index) =>
    conditionalAt(entry, `${place}[${index}]`),
  );
  return conditions.length === 0 ? refuse(place, "no_prices") : conditions;
}

/** Reads one rule; what this version does not read of it is left out. Throws PriceListFault. */
export function readRule(value: unknown, place: string): ListedRule {
  const { id, match, prices, context_window: context } = objectAt(value, place);
  return {
    id: textAt(id, under(place, "id")),
    match: matchAt(match, under(place, "match")),
    prices: pricesAt(prices, under(place, "prices")),
    ...(context === undefined || context === null
      ? {}
      : { context_window: countAt(context, under(place, "context_window"), LARGEST_CONTEXT) }),
  };
}

/** A list as it was read: rules by provider, also of providers whose prices are not used here. */
export type ReadList = ReadonlyMap<string, readonly ListedRule[]>;

function refuseTwice(rules: readonly ListedRule[], placeOf: (index: number) => string): void {
  const seen = new Set<string>();
  rules.forEach(({ id }, index) => {
    if (seen.has(id)) refuse(placeOf(index), "twice");
    seen.add(id);
  });
}

function readProviders(value: unknown, place: string): ReadList {
  const list = new Map<string, readonly ListedRule[]>();
  listAt(value, place, MOST_PROVIDERS).forEach((entry, index) => {
    const at = `${place}[${index}]`;
    const { id, models } = objectAt(entry, at);
    const provider = textAt(id, under(at, "id"));
    if (list.has(provider)) refuse(under(at, "id"), "twice");
    const ofModels = under(at, "models");
    const rules = listAt(models, ofModels, MOST_RULES).map((model, order) => readRule(model, `${ofModels}[${order}]`));
    refuseTwice(rules, (order) => `${ofModels}[${order}].id`);
    list.set(provider, rules);
  });
  return list;
}

/** One JSON text a line: providers, each before its models. */
function readLines(text: string): ReadList {
  const list = new Map<string, ListedRule[]>();
  let rules: ListedRule[] | undefined;
  text.split("\n").forEach((line, index) => {
    const place = `line ${index + 1}`;
    if (line.trim() === "") return;
    if (index > MOST_RULES * 2) refuse(place, "too_many");
    const value = objectAt(parse(line, place), place);
    if ("version" in value) return;
    if ("provider" in value) {
      const provider = textAt(value["provider"], under(place, "provider"));
      if (list.has(provider)) refuse(under(place, "provider"), "twice");
      list.set(provider, (rules = []));
    } else if (rules === undefined) refuse(place, "object");
    else {
      rules.push(readRule(value, place));
      if (rules.length > MOST_RULES) refuse(place, "too_many");
    }
  });
  for (const [provider, read] of list) refuseTwice(read, () => provider);
  return list;
}

const isJsonLines = (text: string): boolean => /^\s*\{"(?:version|provider)"/.test(text);

/**
 * Reads a list as genai-prices publishes it (an array of providers, or an object with it under `providers`), or as
 * listed-models.jsonl has it. Throws PriceListFault where anything in it is not as it should be.
 */
export function readPriceList(text: string): ReadList {
  if (isJsonLines(text)) return readLines(text);
  const value = parse(text, "");
  const isArray = Array.isArray(value);
  const list = isArray ? readProviders(value, "") : readProviders(objectAt(value, "")["providers"], "providers");
  if ([...list.values()].every((rules) => rules.length === 0)) refuse("", "nothing");
  return list;
}
