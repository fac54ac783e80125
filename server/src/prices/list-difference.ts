/** Computes the difference between two price lists, rule by rule, and applies the changes that administrators accepted to the shipped list. Pure. */
import type { LIST_ALTERATIONS } from "../../../contract/src/pricing/list-lines.ts";
import type { PerTokenPrice } from "../../../contract/src/pricing/pricing.ts";
import { priceOfRule } from "./data-set.ts";
import { type ListedProvider, type ListedRule, type PriceList, PROVIDERS_IN_ORDER } from "./listed-models.ts";
import { PriceListFault, readRule } from "./read-list.ts";

/** One rule of a list set, added or taken out. */
export interface ListChange {
  provider: string;
  id: string;
  /** A new rule stands before the one of this id, since the first that fits a name counts; null: behind all others. */
  before: string | null;
  /** Null: the list has the rule no more. */
  rule: ListedRule | null;
}

function changed({ besides, rules }: ListedProvider, { id, before, rule }: ListChange): ListedProvider {
  const at = rules.findIndex((each) => each.id === id);
  if (rule === null) return { besides, rules: rules.filter((each) => each.id !== id) };
  if (at !== -1) return { besides, rules: rules.with(at, rule) };
  const place = rules.findIndex((each) => each.id === before);
  return { besides, rules: place === -1 ? [...rules, rule] : rules.toSpliced(place, 0, rule) };
}

/** The list with the changes made, in their order; those of providers that it does not have change nothing. */
export function withChanges(list: PriceList, changes: readonly ListChange[]): PriceList {
  if (changes.length === 0) return list;
  const providers = new Map(list.providers);
  for (const change of changes) {
    const provider = providers.get(change.provider);
    if (provider !== undefined) providers.set(change.provider, changed(provider, change));
  }
  return { providers };
}

const isText = (value: unknown): value is string => typeof value === "string";

/** Parses changes from a request or from an older version's row. Throws PriceListFault. */
export function readChanges(values: readonly unknown[]): ListChange[] {
  return values.map((value, index) => {
    const place = `lines[${index}]`;
    const { provider, id, before, rule } = (value ?? {}) as Partial<Record<keyof ListChange, unknown>>;
    if (!isText(provider) || !isText(id) || !(before === null || isText(before)))
      throw new PriceListFault(place, "object");
    if (rule === null) return { provider, id, before, rule };
    const read = readRule(rule, `${place}.rule`);
    if (read.id !== id) throw new PriceListFault(`${place}.rule.id`, "text");
    return { provider, id, before, rule: read };
  });
}

type Alteration = (typeof LIST_ALTERATIONS)[number];

/** One rule that is other, with its prices in both lists, and the change that makes the one list the other. */
export interface RuleDifference extends ListChange {
  change: "added" | "changed" | "removed";
  alters: Alteration[];
  was: PerTokenPrice | undefined;
  is: PerTokenPrice | undefined;
}

/** The rules of a list by provider, as one that was read has them. */
type Rules = ReadonlyMap<string, readonly ListedRule[]>;

export const rulesOf = ({ providers }: PriceList): Rules =>
  new Map([...providers].map(([id, { rules }]) => [id, rules]));

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const priceOf = (rule: ListedRule | undefined): PerTokenPrice | undefined => rule && priceOfRule(rule.id, rule);

const ALTERATIONS: readonly (readonly [Alteration, (rule: ListedRule) => unknown])[] = [
  ["price", (rule) => priceOf(rule)],
  ["names", (rule) => rule.match],
  ["context", (rule) => rule.context_window],
];

/** What differs; a list that does not say how long the context is takes nothing back. */
const alterationsOf = (was: ListedRule, is: ListedRule): Alteration[] =>
  ALTERATIONS.flatMap(([name, of]) => {
    const [old, now] = [of(was), of(is)];
    return isSame(old, now) || (name === "context" && now === undefined) ? [] : [name];
  });

/** The rule before which a new one stands: the next of its list that the other list has too. */
const nextKnown = (
  rules: readonly ListedRule[],
  index: number,
  known: ReadonlyMap<string, ListedRule>,
): string | null => rules.slice(index + 1).find(({ id }) => known.has(id))?.id ?? null;

function differencesOf(provider: string, old: readonly ListedRule[], now: readonly ListedRule[]): RuleDifference[] {
  const known = new Map(old.map((rule) => [rule.id, rule]));
  const left = new Set(now.map(({ id }) => id));
  const set = now.flatMap((rule, index): RuleDifference[] => {
    const before = known.get(rule.id);
    const line = { provider, id: rule.id, rule, was: priceOf(before), is: priceOf(rule) };
    if (before !== undefined) {
      const alters = alterationsOf(before, rule);
      return alters.length === 0 ? [] : [{ ...line, before: null, change: "changed", alters }];
    }
    // What has no price of tokens prices nothing here.
    return line.is === undefined
      ? []
      : [{ ...line, before: nextKnown(now, index, known), change: "added", alters: ["price"] }];
  });
  const gone = old.filter((rule) => !left.has(rule.id) && priceOf(rule) !== undefined);
  return [
    ...set,
    ...gone.map((rule): RuleDifference => ({
      provider,
      id: rule.id,
      rule: null,
      before: null,
      change: "removed",
      alters: ["price"],
      was: priceOf(rule),
      is: undefined,
    })),
  ];
}

/**
 * What makes `old` the list `now`, providers in their order of precedence. A provider that `now` does not have at all is left as it
 * is: a list may be of some providers only.
 */
export function listDifferences(old: Rules, now: Rules): RuleDifference[] {
  return PROVIDERS_IN_ORDER.flatMap((provider) => {
    const rules = now.get(provider);
    return rules === undefined ? [] : differencesOf(provider, old.get(provider) ?? [], rules);
  });
}
