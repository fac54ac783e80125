/** The comparison of prices with other sites as new-api's `POST /api/ratio_sync/fetch` answers it: model by model, field by field. Pure. */
import type { PriceFields } from "../pricing/price-fields.ts";
import type { SiteLine, SitePrice, SitePriceField, SitesComparison } from "../pricing/site-prices.ts";

/** A price in the fields that sites publish; an unpriced model has none. */
export function fieldsOfPrice(price: PriceFields | null): SitePrice {
  if (price === null) return {};
  if (price.kind === "per_call") return { model_price: price.price };
  return {
    model_ratio: price.ratio,
    completion_ratio: price.completion_ratio,
    cache_ratio: price.cache_ratio,
    create_cache_ratio: price.cache_creation_ratio,
  };
}

/** Ratios that other programs computed as floating point numbers are the same within so much. */
const NEARLY = 1e-9;

/** Whether two decimal texts are the same number; an absent one is the same as none. */
export const isSameNumber = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  Math.abs(Number(one) - Number(other)) <= NEARLY * Math.max(1, Math.abs(Number(one)));

/** One field of a model: what holds here, and what each site says, `same` where it is that. Every value was checked when it was read. */
function difference(field: SitePriceField, here: SitePrice, { offers, same }: SiteLine) {
  const current = here[field];
  const said = offers.flatMap(({ price, sites }) => {
    const value = price[field];
    if (value === undefined) return [];
    return sites.map((site) => [site, isSameNumber(current, value) ? "same" : Number(value)] as const);
  });
  const names = [...said.map(([site]) => site), ...same];
  return {
    current: current === undefined ? null : Number(current),
    upstreams: Object.fromEntries([...said, ...same.map((site) => [site, "same"] as const)]),
    confidence: Object.fromEntries(names.map((site) => [site, true])),
  };
}

function differencesOf(line: SiteLine) {
  const here = fieldsOfPrice(line.price);
  const fields = [...new Set(line.offers.flatMap(({ price }) => Object.keys(price) as SitePriceField[]))];
  const differing = fields.filter((field) =>
    line.offers.some(({ price }) => price[field] !== undefined && !isSameNumber(here[field], price[field])),
  );
  return Object.fromEntries(differing.map((field) => [field, difference(field, here, line)]));
}

/** The answer of `POST /api/ratio_sync/fetch`. Facts: docs.newapi.pro/en/api/fei-model-rate-sync. */
export const ratioSyncAnswer = ({ sites, lines }: SitesComparison) => ({
  differences: Object.fromEntries(lines.map((line) => [line.model, differencesOf(line)])),
  test_results: sites.map(({ name, failure }) =>
    failure === "" ? { name, status: "success" } : { name, status: "error", error: failure },
  ),
});
