/** Changes of a price list, rule by rule: what administrators accept over the product's own list. Pure. */
import type { ListedProvider, PriceList } from "./listed-models.ts";
import type { ListedRule } from "./listed-rules.ts";
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

/** Reads changes that somebody sent or an older version stored. Throws PriceListFault. */
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
