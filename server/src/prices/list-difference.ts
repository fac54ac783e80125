/** What one price list has otherwise than another, rule by rule. Pure. */
import type { LIST_ALTERATIONS } from "../../../contract/src/pricing/list-lines.ts";
import type { PerTokenPrice } from "../../../contract/src/pricing/pricing.ts";
import { priceOfRule } from "./data-set.ts";
import type { ListChange } from "./list-changes.ts";
import { PROVIDERS_IN_ORDER, type PriceList } from "./listed-models.ts";
import type { ListedRule } from "./listed-rules.ts";

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
