/** Prices of other sites as the panel takes them: addresses as typed, which offers are chosen, and the changes they make. Pure. */
import type { PriceChange } from "../../../../../contract/src/features/prices.ts";
import type { PriceSite, SiteLine } from "../../../../../contract/src/pricing/site-prices.ts";

/** The index of the chosen offer by model; at most one of each. */
export type Chosen = ReadonlyMap<string, number>;

/** One address a line. */
export const sitesOf = (text: string): PriceSite[] =>
  text
    .split(/\s+/)
    .filter((address) => address !== "")
    .map((base_url) => ({ base_url }));

/** With another offer of the model, or none. */
export function choose(chosen: Chosen, model: string, index: number | undefined): Chosen {
  const next = new Map(chosen);
  if (index === undefined) next.delete(model);
  else next.set(model, index);
  return next;
}

/** The changes of own prices that the chosen offers make, each from what was read. */
export const changesOf = (lines: readonly SiteLine[], chosen: Chosen): PriceChange[] =>
  lines.flatMap(({ model, own, offers }) => {
    const offer = offers[chosen.get(model) ?? -1];
    return offer === undefined ? [] : [{ model, from: own, to: offer.to }];
  });
