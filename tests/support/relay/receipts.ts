/** The charge of a call computed from its log row alone, in fixed point, without pricing.ts or money.ts; for the charge tests. */
import type { PricingEntry } from "../../../contract/src/features/pricing.ts";
import { CHARGED_TOOLS } from "../../../contract/src/pricing/usage.ts";

type Fields = Record<string, unknown>;

const PLACES = 60;
const ONE = 10n ** BigInt(PLACES);

/** A number of a receipt, with or without an exponent, as a whole number of 10^-60. Throws where digits would be lost. */
function fixed(value: unknown): bigint {
  const [mantissa = "0", exponent = "0"] = String(value ?? 0)
    .toLowerCase()
    .split("e");
  const [whole = "0", decimals = ""] = mantissa.split(".");
  const shift = PLACES - decimals.length + Number(exponent);
  if (shift < 0) throw new Error(`digits of ${String(value)} are lost`);
  return BigInt(whole + decimals) * 10n ** BigInt(shift);
}

function times(...factors: bigint[]): bigint {
  return factors.reduce((product, factor) => {
    const wide = product * factor;
    if (wide % ONE !== 0n) throw new Error("digits are lost");
    return wide / ONE;
  }, ONE);
}

function rounded(exact: bigint): number {
  if (exact === 0n) return 0;
  const nearest = (exact + ONE / 2n) / ONE;
  return nearest === 0n ? 1 : Number(nearest);
}

interface Counts {
  words: number;
  cached: number;
  written: number;
  writtenLong: number;
  heard: number;
  seen: number;
  answered: number;
  spoken: number;
  drawn: number;
}

/** Tokens of a receipt's usage, each counted once. */
function countsOf(receipt: Fields): Counts {
  const usage = (receipt["usage"] ?? {}) as Record<string, number>;
  const of = (name: string): number => usage[name] ?? 0;
  const [cached, written, writtenLong] = [of("cacheReadTokens"), of("cacheWriteTokens"), of("cacheWriteLongTokens")];
  const [heard, seen] = [of("audioInputTokens"), of("imageInputTokens")];
  const [spoken, drawn] = [of("audioOutputTokens"), of("imageOutputTokens")];
  const words = of("inputTokens") - cached - written - writtenLong - heard - seen;
  const answered = of("outputTokens") - spoken - drawn;
  if (words < 0 || answered < 0) throw new Error("the parts of a receipt are larger than their whole");
  return { words, cached, written, writtenLong, heard, seen, answered, spoken, drawn };
}

/** Ratios as receipts and the price list name them; those a receipt does not name were of no tokens. */
function weighted(counts: Counts, ratios: Fields): bigint {
  const of = (name: string): bigint => fixed(ratios[name] ?? 1);
  const drawnRatio = ratios["image_output_ratio"] ?? ratios["completion_ratio"] ?? 1;
  const part = (count: number, ...factors: bigint[]): bigint => times(fixed(count), ...factors);
  return (
    part(counts.words) +
    part(counts.cached, of("cache_ratio")) +
    part(counts.written, of("cache_creation_ratio")) +
    part(counts.writtenLong, of("cache_creation_ratio"), fixed("1.6")) +
    part(counts.heard, of("audio_ratio")) +
    part(counts.seen, of("image_ratio")) +
    part(counts.answered, of("completion_ratio")) +
    part(counts.spoken, of("audio_ratio"), of("audio_completion_ratio")) +
    part(counts.drawn, fixed(drawnRatio))
  );
}

interface ListedTool {
  count: number;
  price: number | string;
}

/** Quota of every tool call before the group's ratio. */
function toolSum(receipt: Fields): bigint {
  const unit = fixed(receipt["quota_per_unit"]);
  const single = CHARGED_TOOLS.map((tool) => ({
    count: receipt[`${tool}_call_count`] ?? 0,
    price: receipt[`${tool}_price`] ?? 0,
  }));
  const listed = (receipt["tool_calls"] ?? single) as readonly ListedTool[];
  return listed.reduce((sum, { count, price }) => sum + times(fixed(count), fixed(price), fixed("0.001"), unit), 0n);
}

/** What a receipt's surcharges multiply its tokens by. */
const surchargesOf = (receipt: Fields): bigint =>
  times(...((receipt["premiums"] ?? []) as readonly Fields[]).map(({ ratio }) => fixed(ratio)));

/** Quota by the prices that the receipt itself names. */
export function chargeOfReceipt(other: string): number {
  const receipt = JSON.parse(other) as Fields;
  const isFixed = Number(receipt["model_price"]) >= 0;
  const own = isFixed
    ? times(fixed(receipt["model_price"]), fixed(receipt["call_factor"] ?? "1"), fixed(receipt["quota_per_unit"]))
    : times(weighted(countsOf(receipt), receipt), fixed(receipt["model_ratio"]), surchargesOf(receipt));
  return rounded(times(own + toolSum(receipt), fixed(receipt["group_ratio"])));
}

/** The ratios of the entry for a context of this length. */
function ratiosFor({ tiers = [], ...entry }: PricingEntry, inputTokens: number): Fields {
  const reached = tiers.filter((tier) => inputTokens > tier.above_input_tokens);
  const highest = reached.toSorted((a, b) => b.above_input_tokens - a.above_input_tokens)[0];
  return { ...entry, ...highest };
}

/** Quota by the usage of the receipt and the prices of the price list: 2 × ratio USD for 1M prompt tokens, 500,000 quota a dollar. */
export function chargeByPriceList(other: string, entry: PricingEntry, groupRatio: number | undefined): number {
  const receipt = JSON.parse(other) as Fields;
  const counts = countsOf(receipt);
  const group = fixed(groupRatio);
  const tools = times(toolSum(receipt), group);
  if (entry.quota_type === 1) {
    const dollars = times(fixed(entry.model_price), fixed(receipt["call_factor"] ?? "1"), group);
    return rounded(times(dollars, fixed(receipt["quota_per_unit"])) + tools);
  }
  const input = Number((receipt["usage"] as Fields)["inputTokens"] ?? 0);
  const ratios = ratiosFor(entry, input);
  const perMillion = times(fixed("2"), fixed(ratios["model_ratio"]), group);
  const dollars = times(weighted(counts, ratios), perMillion, fixed("0.000001"), surchargesOf(receipt));
  return rounded(times(dollars, fixed("500000")) + tools);
}
