/** Prices, charges and the size of holds: the one implementation that the server and the pages share. */
import { add, type Fraction, fractionOf, multiply, parseRatio, roundHalfAway } from "../money.ts";
import { partCounts, saneCount, saneFactor, saneToolCalls } from "./usage-parts.ts";
import { NO_USAGE, type Usage, type UsedSurcharge } from "./usage.ts";

export { MAX_TOKEN_COUNT, PARTS, type Part } from "./usage-parts.ts";

/** Ratios that may differ for a long context. */
export interface TierRatios {
  ratio: string;
  completionRatio: string;
  cacheRatio: string;
  cacheCreationRatio: string;
}

/** A call whose input is longer than the bound is priced entirely by these ratios instead of the model's standard ones. */
export interface PriceTier extends TierRatios {
  aboveInputTokens: number;
}

/** Ratios as decimal text: a ratio of 1 is one quota per token, or 2 USD per 1M tokens at the default QuotaPerUnit. */
export interface PerTokenPrice extends TierRatios {
  kind: "per_token";
  imageRatio: string;
  audioRatio: string;
  audioCompletionRatio: string;
  /** Ratio of generated image tokens to prompt tokens; absent where they cost the same as text. */
  imageOutputRatio?: string;
  /** In ascending order of their bounds; absent where the model has one price for every length. */
  tiers?: readonly PriceTier[];
}

/** A fixed price per call in USD, as decimal text. */
export interface PerCallPrice {
  kind: "per_call";
  price: string;
}

export type ModelPrice = PerTokenPrice | PerCallPrice;

/** The other ratios of a model for which only a prompt ratio is set. */
export const DEFAULT_RATIOS = Object.freeze({
  completionRatio: "1",
  cacheRatio: "1",
  cacheCreationRatio: "1.25",
  imageRatio: "1",
  audioRatio: "20",
  audioCompletionRatio: "2",
});

/** Prompt ratio of a model without a price, where self-use mode or the user's setting allows such calls. */
const UNPRICED_RATIO = "37.5";
export const UNPRICED_PRICE: PerTokenPrice = Object.freeze({
  kind: "per_token",
  ratio: UNPRICED_RATIO,
  ...DEFAULT_RATIOS,
});

/** Upper limit of a single charge in quota (2 million USD at the default), so that absurd ratios cannot ruin a balance. */
export const MAX_CHARGE = 1_000_000_000_000;

/** Quota per token of each part, as whole numbers over one common denominator; or the quota of a call. */
interface CompiledPrice {
  weights: readonly bigint[];
  denominator: bigint;
  /** The same as numbers, where sums of products stay exact; undefined where they would not. */
  fast: { weights: readonly number[]; denominator: number } | undefined;
  perCall: number | undefined;
}

/** Price of a 1-hour cache write relative to a 5-minute one: Anthropic charges 2 × and 1.25 × the prompt price. */
export const LONG_CACHE_RATIO = "1.6";

/** Factors whose product is the ratio of each part, in the order of PARTS; docs/billing.md has the formula. */
export function partRatios(price: PerTokenPrice): readonly (readonly string[])[] {
  return [
    [],
    [price.cacheRatio],
    [price.cacheCreationRatio],
    [price.cacheCreationRatio, LONG_CACHE_RATIO],
    [price.audioRatio],
    [price.imageRatio],
    [price.completionRatio],
    [price.audioRatio, price.audioCompletionRatio],
    [price.imageOutputRatio ?? price.completionRatio],
  ];
}

const ONE = fractionOf(1n);
/** The exact product of decimal texts. Throws a RangeError for a text that is not a ratio. */
export const productOf = (texts: readonly string[]): Fraction => texts.map(parseRatio).reduce(multiply, ONE);

/** Every denominator is a power of ten, so the largest one is a multiple of all others. */
function overOneDenominator(fractions: readonly Fraction[]): { weights: bigint[]; denominator: bigint } {
  const denominator = fractions.reduce((most, { denominator: own }) => (own > most ? own : most), 1n);
  const weights = fractions.map((fraction) => fraction.numerator * (denominator / fraction.denominator));
  const divisor = weights.reduce(greatestCommonDivisor, denominator);
  return { weights: weights.map((weight) => weight / divisor), denominator: denominator / divisor };
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

/** Counts reach MAX_TOKEN_COUNT, but only sums below 2^53 may use numbers: chargeFast checks each sum, this the weights. */
const MAX_FAST_WEIGHT = 2n ** 40n;

function compile(price: ModelPrice, groupRatio: string, quotaPerUnit: string): CompiledPrice {
  if (price.kind === "per_call") {
    const perCall = roundCharge(fixedQuota(price.price, "1", groupRatio, quotaPerUnit));
    return { weights: [], denominator: 1n, fast: undefined, perCall };
  }
  const base = productOf([price.ratio, groupRatio]);
  const { weights, denominator } = overOneDenominator(
    partRatios(price).map((texts) => multiply(base, productOf(texts))),
  );
  const isSmall = denominator < MAX_FAST_WEIGHT && weights.every((weight) => weight < MAX_FAST_WEIGHT);
  const fast = isSmall ? { weights: weights.map(Number), denominator: Number(denominator) } : undefined;
  return { weights, denominator, fast, perCall: undefined };
}

/** More group ratios than any site has; above this size the table is emptied. */
const MAX_COMPILED_PER_PRICE = 256;
const compiledPrices = new WeakMap<ModelPrice, Map<string, CompiledPrice>>();

function compiled(price: ModelPrice, groupRatio: string, quotaPerUnit: string): CompiledPrice {
  let byRatio = compiledPrices.get(price);
  if (byRatio === undefined) compiledPrices.set(price, (byRatio = new Map()));
  const key = price.kind === "per_call" ? `${groupRatio} ${quotaPerUnit}` : groupRatio;
  let entry = byRatio.get(key);
  if (entry === undefined) {
    if (byRatio.size >= MAX_COMPILED_PER_PRICE) byRatio.clear();
    byRatio.set(key, (entry = compile(price, groupRatio, quotaPerUnit)));
  }
  return entry;
}

/** Rounds once, halves away from zero. Anything above 0 costs at least 1, and nothing costs more than MAX_CHARGE. */
function roundCharge(exact: Fraction): number {
  if (exact.numerator === 0n) return 0;
  const rounded = roundHalfAway(exact);
  if (rounded > BigInt(MAX_CHARGE)) return MAX_CHARGE;
  return rounded < 1n ? 1 : Number(rounded);
}

/** The same with numbers; undefined if a sum exceeds the exact range. Remainders of safe integers are exact, quotients are not. */
function chargeFast(counts: readonly number[], weights: readonly number[], denominator: number): number | undefined {
  let sum = 0;
  for (let index = 0; index < counts.length; index += 1) sum += (counts[index] ?? 0) * (weights[index] ?? 0);
  if (!(sum < Number.MAX_SAFE_INTEGER)) return undefined;
  if (sum === 0) return 0;
  const remainder = sum % denominator;
  const floor = (sum - remainder) / denominator;
  const rounded = remainder * 2 >= denominator ? floor + 1 : floor;
  return rounded < 1 ? 1 : Math.min(rounded, MAX_CHARGE);
}

function exactSum(counts: readonly number[], { weights, denominator }: CompiledPrice): Fraction {
  let numerator = 0n;
  counts.forEach((count, index) => {
    if (count > 0) numerator += BigInt(count) * (weights[index] ?? 0n);
  });
  return { numerator, denominator };
}

function chargeTokens(counts: readonly number[], price: CompiledPrice): number {
  const fast = price.fast === undefined ? undefined : chargeFast(counts, price.fast.weights, price.fast.denominator);
  return fast ?? roundCharge(exactSum(counts, price));
}

/** The tier that applies to a call: the highest one whose bound its input exceeds. */
export function tierOf(price: ModelPrice, usage: Usage): PriceTier | undefined {
  if (price.kind === "per_call" || price.tiers === undefined) return undefined;
  const inputTokens = saneCount(usage.inputTokens);
  const reached = price.tiers.filter(({ aboveInputTokens }) => inputTokens > aboveInputTokens);
  return reached.reduce<PriceTier | undefined>(
    (highest, tier) => (highest === undefined || tier.aboveInputTokens > highest.aboveInputTokens ? tier : highest),
    undefined,
  );
}

/** Returns the same object for the same tier, so that charges find the price they compiled before. */
const tierPrices = new WeakMap<ModelPrice, Map<PriceTier, PerTokenPrice>>();

/** The price with the ratios of the tier that applies to the call, if any, instead of the model's standard ones. */
export function priceFor(price: ModelPrice, usage: Usage): ModelPrice {
  const tier = tierOf(price, usage);
  if (tier === undefined || price.kind === "per_call") return price;
  let byTier = tierPrices.get(price);
  if (byTier === undefined) tierPrices.set(price, (byTier = new Map()));
  let own = byTier.get(tier);
  if (own === undefined) {
    const { tiers: _tiers, ...plain } = price;
    const { aboveInputTokens: _bound, ...ratios } = tier;
    byTier.set(tier, (own = { ...plain, ...ratios }));
  }
  return own;
}

/** Quota of tool calls before rounding: USD per 1,000 calls / 1000 × calls × group × QuotaPerUnit. */
export const toolQuota = (usdPerThousand: string, calls: number, groupRatio: string, quotaPerUnit: string): Fraction =>
  multiply(fractionOf(calls), productOf([usdPerThousand, "0.001", groupRatio, quotaPerUnit]));

/** Quota of a fixed price before rounding: USD × factor × QuotaPerUnit × group. */
export const fixedQuota = (price: string, factor: string, groupRatio: string, quotaPerUnit: string): Fraction =>
  productOf([price, saneFactor(factor), quotaPerUnit, groupRatio]);

/** The exact product of all surcharges of an answer, which multiplies the price of its tokens. */
export const surchargeFactor = ({ surcharges }: Pick<Usage, "surcharges">): Fraction =>
  productOf(surcharges.map(({ ratio }) => ratio));

/** Charges calls with tools, surcharges or a factor: tokens or fixed price plus every tool in one exact sum, rounded once. */
function chargeWithExtras(usage: Usage, price: ModelPrice, groupRatio: string, quotaPerUnit: string): number {
  const own =
    price.kind === "per_call"
      ? fixedQuota(price.price, usage.callFactor, groupRatio, quotaPerUnit)
      : multiply(exactSum(partCounts(usage), compiled(price, groupRatio, quotaPerUnit)), surchargeFactor(usage));
  const tools = saneToolCalls(usage.toolCalls).map(({ usdPerThousand, calls }) =>
    toolQuota(usdPerThousand, calls, groupRatio, quotaPerUnit),
  );
  return roundCharge(tools.reduce(add, own));
}

/**
 * The charge of one call in quota: a safe integer between 0 and MAX_CHARGE, whatever the upstream reported. Tokens and surcharges do
 * not change a fixed price, a factor does not change a price by tokens, calls of tools add to both. Throws a RangeError for ratio
 * and price texts that are no decimals of at least 0.
 */
export function chargeQuota(usage: Usage, price: ModelPrice, groupRatio: string, quotaPerUnit: string): number {
  const isFixed = price.kind === "per_call";
  const own = isFixed || price.tiers === undefined ? price : priceFor(price, usage);
  if (usage.toolCalls.length > 0 || usage.surcharges.length > 0 || (isFixed && usage.callFactor !== "1"))
    return chargeWithExtras(usage, own, groupRatio, quotaPerUnit);
  const entry = compiled(own, groupRatio, quotaPerUnit);
  return entry.perCall ?? chargeTokens(partCounts(usage), entry);
}

/** What is known about a call before it is sent. */
export interface HoldEstimate {
  /** Estimated input tokens; see estimateTokens. */
  inputTokens: number;
  isStream: boolean;
  /** max_tokens or max_completion_tokens of the request. */
  maxTokens?: number | undefined;
  /** The model's longest answer in tokens, where the price data knows it. */
  modelCap?: number | undefined;
  /** Number of answers requested (`n`); 1 where absent. */
  choices?: number | undefined;
  /** Option PreConsumedQuota: output tokens that one hold of a stream covers. */
  preConsumedQuota: number;
  /** Factor of a fixed price (images), see operation-usage.ts; "1" where absent. */
  callFactor?: string | undefined;
  /** Surcharges that the request causes; none where absent. */
  surcharges?: readonly UsedSurcharge[] | undefined;
}

/** Output tokens that are held for an unstreamed answer without a smaller bound. */
const MAX_HELD_OUTPUT = 8192;
const ASCII_BYTES_PER_TOKEN = 3;
const OTHER_BYTES_PER_TOKEN = 2;

/** Estimates tokens from a text's bytes, rather too many so that the hold covers the call: a third of ASCII, half of the rest. */
export const estimateTokens = (asciiBytes: number, otherBytes: number): number =>
  Math.ceil(asciiBytes / ASCII_BYTES_PER_TOKEN + otherBytes / OTHER_BYTES_PER_TOKEN);

/** An unknown or invalid bound does not limit anything. */
const boundOf = (tokens: number | undefined): number => (tokens !== undefined && tokens > 0 ? tokens : MAX_HELD_OUTPUT);

/** Output tokens of one hold: PreConsumedQuota for streams, otherwise the smallest known bound, times the number of answers. */
export function holdOutputTokens(estimate: HoldEstimate): number {
  const smallest = Math.min(boundOf(estimate.maxTokens), boundOf(estimate.modelCap), MAX_HELD_OUTPUT);
  const step = estimate.isStream ? Math.min(smallest, estimate.preConsumedQuota) : smallest;
  return saneCount(saneCount(step) * Math.max(1, saneCount(estimate.choices ?? 1)));
}

const usageOf = (inputTokens: number, outputTokens: number, surcharges = NO_USAGE.surcharges): Usage => ({
  ...NO_USAGE,
  inputTokens,
  outputTokens,
  surcharges,
  isEstimated: true,
});

/** Quota to hold before a call is sent: the input plus one step of output, or the fixed price with its factor. */
export function holdAmount(
  estimate: HoldEstimate,
  price: ModelPrice,
  groupRatio: string,
  quotaPerUnit: string,
): number {
  const usage = usageOf(saneCount(estimate.inputTokens), holdOutputTokens(estimate), estimate.surcharges);
  return chargeQuota({ ...usage, callFactor: estimate.callFactor ?? "1" }, price, groupRatio, quotaPerUnit);
}

/**
 * Quota for a number of tokens, with the surcharges that the request causes. The hold of a running stream is extended to
 * `quotaForTokens(input, output so far + one step, ...)` less what it holds, so that roundings of steps never add up. A fixed price is
 * held whole from the start.
 */
export function quotaForTokens(
  input: number,
  output: number,
  price: ModelPrice,
  groupRatio: string,
  quotaPerUnit: string,
  surcharges?: readonly UsedSurcharge[],
): number {
  return chargeQuota(usageOf(saneCount(input), saneCount(output), surcharges), price, groupRatio, quotaPerUnit);
}
