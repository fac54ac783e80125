/** What a call of a model costs before and after a change, as the difference shows it. Pure. */
import { fromPriceFields, type PriceFields } from "../../../../../contract/src/pricing/price-fields.ts";
import { usdPerCallText, usdPerMillionText } from "../../../../../contract/src/pricing/price-display.ts";
import { PARTS, type Part } from "../../../../../contract/src/pricing/pricing.ts";

/** A part of the price, the price of a call, or the prices of long contexts. */
export type PricePart = Part | "call" | "tiers";

export interface PriceChange {
  part: PricePart;
  /** USD per 1M tokens or per call as text; undefined where it has no such price. For tiers how many there are. */
  from: string | undefined;
  to: string | undefined;
}

/** Prices in USD by part; empty where the model has no price. */
function partPrices(fields: PriceFields | null, quotaPerUnit: number): ReadonlyMap<PricePart, string> {
  if (fields === null) return new Map();
  const price = fromPriceFields(fields);
  if (price.kind === "per_call") return new Map([["call", usdPerCallText(price.price, "1")]]);
  const parts = PARTS.map((part) => [part, usdPerMillionText(part, price, "1", String(quotaPerUnit))] as const);
  const { tiers } = price;
  return new Map<PricePart, string>([
    ...parts,
    ...(tiers === undefined ? [] : [["tiers", String(tiers.length)] as const]),
  ]);
}

/** The parts that follow the input's price unless their own ratio changes: shown only where they do not just follow. */
const FOLLOWING: ReadonlySet<PricePart> = new Set([
  "cacheRead",
  "cacheWrite",
  "cacheWriteLong",
  "audioInput",
  "imageInput",
  "audioOutput",
  "imageOutput",
]);

type RatioName = Exclude<keyof Extract<PriceFields, { kind: "per_token" }>, "kind" | "tiers" | "ratio">;

const RATIO_OF: Partial<Record<PricePart, RatioName>> = {
  cacheRead: "cache_ratio",
  cacheWrite: "cache_creation_ratio",
  cacheWriteLong: "cache_creation_ratio",
  audioInput: "audio_ratio",
  imageInput: "image_ratio",
  audioOutput: "audio_completion_ratio",
  imageOutput: "image_output_ratio",
};

function isOwnChange(part: PricePart, from: PriceFields | null, to: PriceFields | null): boolean {
  if (!FOLLOWING.has(part)) return true;
  const name = RATIO_OF[part];
  if (name === undefined || from?.kind !== "per_token" || to?.kind !== "per_token") return false;
  return from[name] !== to[name];
}

/** The parts whose price changes, input and output first. @param quotaPerUnit quota of one dollar */
export function priceChanges(from: PriceFields | null, to: PriceFields | null, quotaPerUnit: number): PriceChange[] {
  const [before, after] = [partPrices(from, quotaPerUnit), partPrices(to, quotaPerUnit)];
  const parts: readonly PricePart[] = [
    "call",
    "input",
    "output",
    ...PARTS.filter((part) => FOLLOWING.has(part)),
    "tiers",
  ];
  const isTiersChanged = tiersText(from) !== tiersText(to);
  return parts.flatMap((part) => {
    const change = { part, from: before.get(part), to: after.get(part) };
    const isChanged = part === "tiers" ? isTiersChanged : change.from !== change.to && isOwnChange(part, from, to);
    return isChanged ? [change] : [];
  });
}

const tiersText = (fields: PriceFields | null): string =>
  fields?.kind === "per_token" ? JSON.stringify(fields.tiers ?? []) : "[]";
