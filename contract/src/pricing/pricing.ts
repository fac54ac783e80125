/** What a call costs: prices, the charge, the size of a hold; one implementation for the server and the pages that show prices. */
import { add, type Fraction, fractionOf, multiply, parseRatio, roundHalfAway } from "../money.ts";
import { partCounts, saneCount, saneFactor, saneToolCalls } from "./usage-parts.ts";
import { NO_USAGE, type Usage, type UsedSurcharge } from "./usage.ts";

export { MAX_TOKEN_COUNT, PARTS, type Part } from "./usage-parts.ts";

/** Ratios that a long context changes. */
export interface TierRatios {
  ratio: string;
  completionRatio: string;
  cacheRatio: string;
  cacheCreationRatio: string;
}

/** A call whose input is longer than the bound is priced wholly by these ratios instead of the model's plain ones. */
export interface PriceTier extends TierRatios {
  aboveInputTokens: number;
}

/** Ratios are decimal text: ratio 1 is one quota a token, 2 USD per 1M tokens at the default QuotaPerUnit. */
export interface PerTokenPrice extends TierRatios {
  kind: "per_token";
  imageRatio: string;
  audioRatio: string;
  audioCompletionRatio: string;
  /** Tokens of pictures that came out, to the prompt's; absent where they cost what words do. */
  imageOutputRatio?: string;
  /** Ascending by bound; absent where the model has one price for every length. */
  tiers?: readonly PriceTier[];
}

/** A fixed price in USD for each call, decimal text. */
export interface PerCallPrice {
  kind: "per_call";
  price: string;
}

export type ModelPrice = PerTokenPrice | PerCallPrice;

/** Ratios of a model that has only a prompt ratio. */
export const DEFAULT_RATIOS = Object.freeze({
  completionRatio: "1",
  cacheRatio: "1",
  cacheCreationRatio: "1.25",
  imageRatio: "1",
  audioRatio: "20",
  audioCompletionRatio: "2",
});

/** Prompt ratio of a model nobody priced, where self-use mode or the user's setting lets it pass. */
const UNPRICED_RATIO = "37.5";
export const UNPRICED_PRICE: PerTokenPrice = Object.freeze({
  kind: "per_token",
  ratio: UNPRICED_RATIO,
  ...DEFAULT_RATIOS,
});

/** No single call costs more quota than this (2 million USD at the default): ratios may multiply into nonsense, balances may not. */
export const MAX_CHARGE = 1_000_000_000_000;

/** Quota for one token of each part, as whole numbers over one common denominator; or the quota of a call. */
interface CompiledPrice {
  weights: readonly bigint[];
  denominator: bigint;
  /** The same as numbers where they are small enough that sums of products stay exact; undefined otherwise. */
  fast: { weights: readonly number[]; denominator: number } | undefined;
  perCall: number | undefined;
}

/** What an hour in the cache costs beside five minutes: Anthropic takes 2 × and 1.25 × of the prompt's price. */
export const LONG_CACHE_RATIO = "1.6";

/** Ratio of each part, in the order of PARTS, to the prompt's, as texts that are multiplied; docs/billing.md has the formula. */
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
/** Product of decimal texts, exact. Throws a RangeError for a text that is no ratio. */
export const productOf = (texts: readonly string[]): Fraction => texts.map(parseRatio).reduce(multiply, ONE);

/** Every ratio has a power of ten below it, so the largest denominator is a multiple of all others. */
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

/** More group ratios than any site has; beyond it the table starts afresh. */
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

/** Rounds once, half away from zero; anything above 0 costs at least 1, nothing costs more than MAX_CHARGE. */
function roundCharge(exact: Fraction): number {
  if (exact.numerator === 0n) return 0;
  const rounded = roundHalfAway(exact);
  if (rounded > BigInt(MAX_CHARGE)) return MAX_CHARGE;
  return rounded < 1n ? 1 : Number(rounded);
}

/** The same in numbers; undefined where a sum leaves the exact range. Remainders of safe integers are exact, quotients are not. */
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

/** The tier a call falls into: of those whose bound its input is above, the highest. */
export function tierOf(price: ModelPrice, usage: Usage): PriceTier | undefined {
  if (price.kind === "per_call" || price.tiers === undefined) return undefined;
  const inputTokens = saneCount(usage.inputTokens);
  const reached = price.tiers.filter(({ aboveInputTokens }) => inputTokens > aboveInputTokens);
  return reached.reduce<PriceTier | undefined>(
    (highest, tier) => (highest === undefined || tier.aboveInputTokens > highest.aboveInputTokens ? tier : highest),
    undefined,
  );
}

/** The same object for the same tier, so that charges find what they compiled. */
const tierPrices = new WeakMap<ModelPrice, Map<PriceTier, PerTokenPrice>>();

/** The price with the tier's ratios in place of the model's plain ones where the call falls into a tier. */
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

/** Quota of tool calls before rounding: USD for 1,000 calls / 1000 × calls × group × QuotaPerUnit. */
export const toolQuota = (usdPerThousand: string, calls: number, groupRatio: string, quotaPerUnit: string): Fraction =>
  multiply(fractionOf(calls), productOf([usdPerThousand, "0.001", groupRatio, quotaPerUnit]));

/** Quota of a fixed price before rounding: USD × factor × QuotaPerUnit × group. */
export const fixedQuota = (price: string, factor: string, groupRatio: string, quotaPerUnit: string): Fraction =>
  productOf([price, saneFactor(factor), quotaPerUnit, groupRatio]);

/** What all surcharges of an answer multiply its tokens by, exact. */
export const surchargeFactor = ({ surcharges }: Pick<Usage, "surcharges">): Fraction =>
  productOf(surcharges.map(({ ratio }) => ratio));

/** Calls with tools, surcharges or a factor: tokens or fixed price and every tool in one exact sum, rounded once. */
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

/** What is known of a call before it is sent. */
export interface HoldEstimate {
  /** Tokens that go in, see estimateTokens. */
  inputTokens: number;
  isStream: boolean;
  /** max_tokens or max_completion_tokens of the request. */
  maxTokens?: number | undefined;
  /** The most the model can answer, where the price data knows. */
  modelCap?: number | undefined;
  /** Answers asked for (`n`); 1 where absent. */
  choices?: number | undefined;
  /** Option PreConsumedQuota: output tokens that a stream sets aside at a time. */
  preConsumedQuota: number;
  /** What a fixed price is multiplied by (images), see operation-usage.ts; "1" where absent. */
  callFactor?: string | undefined;
  /** Surcharges that the request asks for; none where absent. */
  surcharges?: readonly UsedSurcharge[] | undefined;
}

/** Output tokens set aside for an answer that is not streamed and has no smaller bound. */
const MAX_HELD_OUTPUT = 8192;
const ASCII_BYTES_PER_TOKEN = 3;
const OTHER_BYTES_PER_TOKEN = 2;

/** Tokens of a text from its bytes, on the high side so that a hold covers the call: a third of ASCII, half of the rest. */
export const estimateTokens = (asciiBytes: number, otherBytes: number): number =>
  Math.ceil(asciiBytes / ASCII_BYTES_PER_TOKEN + otherBytes / OTHER_BYTES_PER_TOKEN);

/** What is not known, or no bound, bounds nothing. */
const boundOf = (tokens: number | undefined): number => (tokens !== undefined && tokens > 0 ? tokens : MAX_HELD_OUTPUT);

/** Output tokens of one hold step: PreConsumedQuota for streams, else the smallest bound known; for each answer asked for. */
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

/** Quota to set aside before a call is sent (design 5 "Size of a hold"): input plus one output step, or the fixed price with its factor. */
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
 * Quota that so many tokens come to, with the surcharges that were asked for. A running stream is extended to
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
