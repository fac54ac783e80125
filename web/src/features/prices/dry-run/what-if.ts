/** Rules of an operator (these models by a factor, that group at a ratio) as a draft for the server. Pure. */
import type { PriceRow } from "../../../../../contract/src/features/prices.ts";
import { isRatioText, parseRatio, toDecimalText } from "../../../../../contract/src/money.ts";
import type { PriceDraft } from "../../../../../contract/src/pricing/dry-run.ts";
import type { PriceChangeDraft } from "../../../../../contract/src/pricing/price-changes.ts";
import { isOneOf } from "../../../../../contract/src/pricing/model-patterns.ts";
import type { OwnPrice } from "../../../../../contract/src/pricing/own-prices.ts";
import type { PriceFields } from "../../../../../contract/src/pricing/price-fields.ts";
import { productOf } from "../../../../../contract/src/pricing/pricing.ts";

export const RULE_KINDS = ["factor", "fixed", "group"] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

export interface Rule {
  id: number;
  kind: RuleKind;
  /** A pattern of models, in which `*` stands for any characters; of a group rule, the group's name. */
  target: string;
  /** Decimal text: a factor, USD a call, or a ratio. */
  value: string;
}

/** The prices that rules change. */
export interface Prices {
  rows: readonly PriceRow[];
  /** Decimal texts by group. */
  groupRatios: Readonly<Record<string, string>>;
}

export type RuleProblem = "target_missing" | "nothing_matches" | "value_invalid";

/** As the server takes own prices: plain digits. */
const MAX_DIGITS = 20;
const VALUE = /^\d{1,9}(?:\.\d{1,12})?$/;

const plain = (text: string): string => toDecimalText(parseRatio(text), MAX_DIGITS);
const times = (text: string, factor: string): string => toDecimalText(productOf([text, factor]), MAX_DIGITS);

/** The priced models that a pattern names. */
export const matching = (rows: readonly PriceRow[], pattern: string): readonly PriceRow[] =>
  pattern.trim() === "" ? [] : rows.filter(({ model, price }) => price !== null && isOneOf([pattern.trim()], model));

const isKnownTarget = ({ kind, target }: Rule, { rows, groupRatios }: Prices): boolean =>
  kind === "group" ? Object.hasOwn(groupRatios, target) : matching(rows, target).length > 0;

/** The error of a rule; undefined where there is none. */
export function problemOf(rule: Rule, prices: Prices): RuleProblem | undefined {
  if (rule.target.trim() === "") return "target_missing";
  if (!isKnownTarget(rule, prices)) return "nothing_matches";
  return VALUE.test(rule.value.trim()) && isRatioText(rule.value.trim()) ? undefined : "value_invalid";
}

function scaled(price: PriceFields, factor: string): PriceFields {
  if (price.kind === "per_call") return { ...price, price: times(price.price, factor) };
  const tiers = price.tiers?.map((tier) => ({ ...tier, ratio: times(tier.ratio, factor) }));
  return { ...price, ratio: times(price.ratio, factor), ...(tiers === undefined ? {} : { tiers }) };
}

/** Own entries that give exactly this price, whatever the price list says beneath them. */
function entriesOf(price: PriceFields, { tools }: OwnPrice): OwnPrice {
  if (price.kind === "per_call") return { ratios: { ModelPrice: plain(price.price) }, tools };
  const ratios = {
    ModelRatio: plain(price.ratio),
    CompletionRatio: plain(price.completion_ratio),
    CacheRatio: plain(price.cache_ratio),
    CacheCreationRatio: plain(price.cache_creation_ratio),
    ImageRatio: plain(price.image_ratio),
    AudioRatio: plain(price.audio_ratio),
    AudioCompletionRatio: plain(price.audio_completion_ratio),
  };
  if (price.tiers === undefined) return { ratios, tools };
  const tiers = price.tiers.map((tier) => ({
    above: String(tier.above_input_tokens),
    ratio: plain(tier.ratio),
    completion: plain(tier.completion_ratio),
    cache: plain(tier.cache_ratio),
    cache_creation: plain(tier.cache_creation_ratio),
  }));
  return { ratios, tiers, tools };
}

function changedPrices(rules: readonly Rule[], rows: readonly PriceRow[]): ReadonlyMap<string, PriceFields> {
  const changed = new Map<string, PriceFields>();
  for (const { kind, target, value } of rules)
    for (const row of kind === "group" ? [] : matching(rows, target)) {
      const price = changed.get(row.model) ?? row.price;
      if (price !== null)
        changed.set(row.model, kind === "fixed" ? { kind: "per_call", price: value } : scaled(price, value));
    }
  return changed;
}

const groupText = (ratios: Readonly<Record<string, string>>): string =>
  `{${Object.entries(ratios)
    .map(([group, ratio]) => `${JSON.stringify(group)}: ${ratio}`)
    .join(", ")}}`;

/** The rules in their order, as a draft; each has to be without a problem. */
export function draftOf(rules: readonly Rule[], { rows, groupRatios }: Prices): PriceDraft {
  const trimmed = rules.map((rule) => ({ ...rule, target: rule.target.trim(), value: rule.value.trim() }));
  const groups = trimmed.filter(({ kind }) => kind === "group").map(({ target, value }) => [target, value] as const);
  const changed = changedPrices(trimmed, rows);
  const changes = rows.flatMap(({ model, own }) => {
    const price = changed.get(model);
    return price === undefined ? [] : [{ model, to: entriesOf(price, own) }];
  });
  return {
    ...(changes.length === 0 ? {} : { changes }),
    ...(groups.length === 0
      ? {}
      : { options: { GroupRatio: groupText({ ...groupRatios, ...Object.fromEntries(groups) }) } }),
  };
}

/** The same to be applied, with the own entries that the rules were made from. */
export function appliedOf(rules: readonly Rule[], prices: Prices): PriceChangeDraft {
  const own = new Map(prices.rows.map((row) => [row.model, row.own]));
  const changes = (draftOf(rules, prices).changes ?? []).flatMap(({ model, to }) => {
    const from = own.get(model);
    return from === undefined ? [] : [{ model, from, to }];
  });
  const groups = rules.filter(({ kind }) => kind === "group");
  return {
    changes,
    group_ratios: Object.fromEntries(groups.map(({ target, value }) => [target.trim(), value.trim()])),
  };
}

/** Ratios by group of the option GroupRatio, as decimal texts. */
export function groupRatiosOf(text: string): Readonly<Record<string, string>> {
  const parsed = JSON.parse(text) as Record<string, number>;
  return Object.fromEntries(Object.entries(parsed).map(([group, ratio]) => [group, plain(String(ratio))]));
}
