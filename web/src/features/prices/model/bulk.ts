/** Changes of many prices at once: which models a pattern names, and what setting or multiplying makes of each. Pure. */
import type { PriceChange, PriceRow } from "../../../../../contract/src/features/prices.ts";
import { isOneOf } from "../../../../../contract/src/pricing/model-patterns.ts";
import {
  hasOwnPrice,
  isSameOwnPrice,
  NO_OWN_PRICE,
  type OwnPrice,
  ownEntriesOf,
  priceUnderOwn,
} from "../../../../../contract/src/pricing/own-prices.ts";
import type { ModelPrice } from "../../../../../contract/src/pricing/pricing.ts";
import { basePriceOf, priceOf } from "./rows.ts";
import { amountOf, isZero, MAX_AMOUNT, ratioOfUsd, scaled } from "./units.ts";

/** The act on each model. */
export type BulkAct =
  | { kind: "multiply"; factor: string }
  /** Prices in USD per 1M tokens; an empty output keeps the ratio that the model has. */
  | { kind: "tokens"; input: string; output: string }
  /** USD a call. */
  | { kind: "call"; call: string };

export type BulkError = "number" | "zero" | "large" | "missing";
/** Errors by field of the act. */
export type BulkErrors = Readonly<Record<string, BulkError>>;

/** One model's change with what calls cost before and after. */
export interface BulkLine {
  change: PriceChange;
  before: ModelPrice | undefined;
  after: ModelPrice | undefined;
}

export interface BulkPlan {
  lines: readonly BulkLine[];
  /** Models without a price to multiply. */
  unpriced: readonly string[];
  /** Models that it would leave as they are. */
  unchanged: number;
}

/** Rows named by a pattern in which `*` stands for any characters; an empty pattern names none. */
export const rowsOfPattern = (rows: readonly PriceRow[], pattern: string): readonly PriceRow[] => {
  const patterns = pattern.split(/[\s,]+/).filter((each) => each !== "");
  return patterns.length === 0 ? [] : rows.filter(({ model }) => isOneOf(patterns, model));
};

function errorOf(text: string, mayBeFree: boolean): BulkError | undefined {
  if (text.trim() === "") return "missing";
  const amount = amountOf(text);
  if (amount === undefined) return "number";
  if (isZero(amount) && !mayBeFree) return "zero";
  return Number(amount) > MAX_AMOUNT ? "large" : undefined;
}

/** Errors of the act's fields. */
export function bulkErrors(act: BulkAct): BulkErrors {
  const found: [string, BulkError | undefined][] =
    act.kind === "multiply"
      ? [["factor", errorOf(act.factor, false)]]
      : act.kind === "call"
        ? [["call", errorOf(act.call, false)]]
        : [
            ["input", errorOf(act.input, false)],
            ["output", act.output.trim() === "" ? undefined : errorOf(act.output, true)],
          ];
  return Object.fromEntries(found.filter((each): each is [string, BulkError] => each[1] !== undefined));
}

/** All prices of a model times the factor; the tiers too, which would otherwise go with the list's input price. */
function multiplied(own: OwnPrice, price: ModelPrice, factor: string): OwnPrice {
  if (isZero(price.kind === "per_call" ? price.price : price.ratio)) return own;
  if (price.kind === "per_call") return { ...own, ratios: { ...own.ratios, ModelPrice: scaled(price.price, factor) } };
  const tiers = price.tiers?.map((tier) => ({
    above: String(tier.aboveInputTokens),
    ratio: scaled(tier.ratio, factor),
    completion: tier.completionRatio,
    cache: tier.cacheRatio,
    cache_creation: tier.cacheCreationRatio,
  }));
  return {
    ...own,
    ratios: { ...own.ratios, ModelRatio: scaled(price.ratio, factor) },
    ...(tiers === undefined ? {} : { tiers }),
  };
}

/** The own entries that the act makes of a model's; undefined where there is nothing to multiply. The act's texts are right. */
function ownAfter(row: PriceRow, act: BulkAct, quotaPerUnit: string): OwnPrice | undefined {
  const { own } = row;
  const price = priceOf(row.price);
  if (act.kind === "multiply") return price && multiplied(own, price, amountOf(act.factor) ?? "1");
  if (act.kind === "call") return { ...own, ratios: { ...own.ratios, ModelPrice: amountOf(act.call) ?? "0" } };
  const { ModelPrice: _fixed, ...ratios } = own.ratios;
  const ModelRatio = ratioOfUsd(amountOf(act.input) ?? "0", undefined, quotaPerUnit);
  const output = amountOf(act.output);
  const completion = output === undefined ? {} : { CompletionRatio: ratioOfUsd(output, ModelRatio, quotaPerUnit) };
  return { ...own, ratios: { ...ratios, ModelRatio, ...completion } };
}

/** The changes that an act makes of these rows. @param act whose fields have no errors */
export function bulkPlan(rows: readonly PriceRow[], act: BulkAct, quotaPerUnit: string): BulkPlan {
  const lines: BulkLine[] = [];
  const unpriced: string[] = [];
  for (const row of rows) {
    const to = ownAfter(row, act, quotaPerUnit);
    if (to === undefined) unpriced.push(row.model);
    else if (!isSameOwnPrice(to, row.own)) lines.push(lineOf(row, to));
  }
  return { lines, unpriced, unchanged: rows.length - lines.length - unpriced.length };
}

const lineOf = (row: PriceRow, to: OwnPrice): BulkLine => ({
  change: { model: row.model, from: row.own, to },
  before: priceOf(row.price),
  after: priceUnderOwn(basePriceOf(row), ownEntriesOf(to)),
});

/** The changes that take own entries away. */
export const backToList = (rows: readonly PriceRow[]): PriceChange[] =>
  rows.filter(({ own }) => hasOwnPrice(own)).map(({ model, own }) => ({ model, from: own, to: NO_OWN_PRICE }));
