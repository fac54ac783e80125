/** What a call costs: prices, the charge with its receipt, the size of a hold; one implementation for server, editor preview and dry run. */
import { type Fraction, fractionOf, multiply, parseRatio, roundHalfAway, toDecimalText } from "./money.ts";
import type { Usage } from "./usage.ts";

/** Ratios are decimal text: ratio 1 is one quota a token, 2 USD per 1M tokens at the default QuotaPerUnit (spec 9). */
export interface PerTokenPrice {
  kind: "per_token";
  ratio: string;
  completionRatio: string;
  cacheRatio: string;
  cacheCreationRatio: string;
  imageRatio: string;
  audioRatio: string;
  audioCompletionRatio: string;
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

/** Prompt ratio of a model nobody priced, where self-use mode or the user's setting lets it pass (reference 6, step 2). */
const UNPRICED_RATIO = "37.5";
export const UNPRICED_PRICE: PerTokenPrice = Object.freeze({
  kind: "per_token",
  ratio: UNPRICED_RATIO,
  ...DEFAULT_RATIOS,
});

/** A count above this is a fault of whoever reported it. */
export const MAX_TOKEN_COUNT = 1_000_000_000;
/** No single call costs more quota than this (2 million USD at the default): ratios may multiply into nonsense, balances may not. */
export const MAX_CHARGE = 1_000_000_000_000;

/** Kinds of tokens that have a price of their own; each token of a call is counted in exactly one. */
export const PARTS = ["input", "cacheRead", "cacheWrite", "audioInput", "imageInput", "output", "audioOutput"] as const;
export type Part = (typeof PARTS)[number];

export type UsageFault =
  /** A count was negative, no number, fractional or absurdly large, and was brought to the nearest sane one. */
  | "count_out_of_range"
  /** Parts were larger than their whole, and were cut. */
  | "parts_exceed_whole"
  /** The charge was larger than MAX_CHARGE. */
  | "charge_capped";

interface PartCounts {
  counts: readonly number[];
  faults: readonly UsageFault[];
}

function saneCount(value: unknown): number {
  if (typeof value !== "number" || !(value > 0)) return 0;
  return value >= MAX_TOKEN_COUNT ? MAX_TOKEN_COUNT : Math.ceil(value);
}

const COUNT_FIELDS = [
  "inputTokens",
  "outputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "audioInputTokens",
  "imageInputTokens",
  "audioOutputTokens",
] as const satisfies readonly (keyof Usage)[];

/**
 * Splits wholes into parts that do not overlap, in the order of PARTS. A part that does not fit into what its whole has left is
 * cut, cached tokens last: a token that was both cached and an image is priced as cached.
 */
function splitParts(usage: Usage): PartCounts {
  const [input, output, cacheRead, cacheWrite, audioInput, imageInput, audioOutput] = COUNT_FIELDS.map((name) =>
    saneCount(usage[name]),
  );
  let isCut = false;
  const takeFrom = (left: number, wanted: number): number => {
    if (wanted > left) isCut = true;
    return Math.min(left, wanted);
  };
  let left = input ?? 0;
  const parts = [cacheRead, cacheWrite, audioInput, imageInput].map((wanted = 0) => {
    const taken = takeFrom(left, wanted);
    left -= taken;
    return taken;
  });
  const audioOut = takeFrom(output ?? 0, audioOutput ?? 0);
  const isOutOfRange = COUNT_FIELDS.some((name) => usage[name] !== saneCount(usage[name]));
  const faults: UsageFault[] = [];
  if (isOutOfRange) faults.push("count_out_of_range");
  if (isCut) faults.push("parts_exceed_whole");
  return { counts: [left, ...parts, (output ?? 0) - audioOut, audioOut], faults };
}

/** Quota for one token of each part, as whole numbers over one common denominator; or the quota of a call. */
interface CompiledPrice {
  weights: readonly bigint[];
  denominator: bigint;
  /** The same as numbers where they are small enough that sums of products stay exact; undefined otherwise. */
  fast: { weights: readonly number[]; denominator: number } | undefined;
  perCall: number | undefined;
}

/** Ratio of each part, in the order of PARTS, to the prompt's, as texts that are multiplied; the formula of reference 7 with parts inside wholes. */
export function partRatios(price: PerTokenPrice): readonly (readonly string[])[] {
  return [
    [],
    [price.cacheRatio],
    [price.cacheCreationRatio],
    [price.audioRatio],
    [price.imageRatio],
    [price.completionRatio],
    [price.audioRatio, price.audioCompletionRatio],
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
    const exact = productOf([price.price, quotaPerUnit, groupRatio]);
    return { weights: [], denominator: 1n, fast: undefined, perCall: roundCharge(exact.numerator, exact.denominator) };
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
function roundCharge(numerator: bigint, denominator: bigint): number {
  if (numerator === 0n) return 0;
  const rounded = roundHalfAway({ numerator, denominator });
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

function chargeExact(counts: readonly number[], price: CompiledPrice): number {
  let sum = 0n;
  counts.forEach((count, index) => {
    if (count > 0) sum += BigInt(count) * (price.weights[index] ?? 0n);
  });
  return roundCharge(sum, price.denominator);
}

function chargeParts(counts: readonly number[], price: CompiledPrice): number {
  if (price.perCall !== undefined) return price.perCall;
  const fast = price.fast === undefined ? undefined : chargeFast(counts, price.fast.weights, price.fast.denominator);
  return fast ?? chargeExact(counts, price);
}

/**
 * The charge of one call in quota: a safe integer between 0 and MAX_CHARGE, whatever the upstream reported. A fixed price does
 * not depend on the usage. Throws a RangeError for ratio texts that are no decimals of at least 0.
 */
export function chargeQuota(usage: Usage, price: ModelPrice, groupRatio: string, quotaPerUnit: string): number {
  return chargeParts(splitParts(usage).counts, compiled(price, groupRatio, quotaPerUnit));
}

/** One line of a receipt: so many tokens of one part, the ratio a token has in all, and what they come to before rounding. */
export interface ReceiptStep {
  part: Part | "call";
  count: number;
  /** Product of every ratio that applies, the group's included; for a fixed price the USD of the call. Exact decimal text. */
  ratio: string;
  /** Exact decimal text. */
  quota: string;
}

export interface Charge {
  quota: number;
  steps: readonly ReceiptStep[];
  /** The formula with the numbers filled in: "(10 + 4 × 0.5 + 3 × 4) × 1.25 × 1 = 30". */
  formula: string;
  /** What was wrong with the reported usage. */
  faults: readonly UsageFault[];
}

function perCallCharge(
  price: PerCallPrice,
  groupRatio: string,
  quotaPerUnit: string,
  faults: readonly UsageFault[],
): Charge {
  const exact = productOf([price.price, quotaPerUnit, groupRatio]);
  const quota = roundCharge(exact.numerator, exact.denominator);
  const step: ReceiptStep = { part: "call", count: 1, ratio: price.price, quota: toDecimalText(exact) };
  return { quota, steps: [step], formula: `$${price.price} × ${quotaPerUnit} × ${groupRatio} = ${quota}`, faults };
}

function stepsOf(counts: readonly number[], price: PerTokenPrice, groupRatio: string): ReceiptStep[] {
  const ratios = partRatios(price);
  return PARTS.flatMap((part, index): ReceiptStep[] => {
    const count = counts[index] ?? 0;
    if (count === 0) return [];
    const ratio = productOf([price.ratio, groupRatio, ...(ratios[index] ?? [])]);
    return [
      { part, count, ratio: toDecimalText(ratio, 120), quota: toDecimalText(multiply(fractionOf(count), ratio), 120) },
    ];
  });
}

function formulaOf(counts: readonly number[], price: PerTokenPrice, groupRatio: string, quota: number): string {
  const ratios = partRatios(price);
  const terms = counts.flatMap((count, index) => (count === 0 ? [] : [[count, ...(ratios[index] ?? [])].join(" × ")]));
  return `(${terms.join(" + ") || "0"}) × ${price.ratio} × ${groupRatio} = ${quota}`;
}

/** The charge with its receipt; the same number as chargeQuota, at the cost of texts. Throws as chargeQuota does. */
export function explainCharge(usage: Usage, price: ModelPrice, groupRatio: string, quotaPerUnit: string): Charge {
  const { counts, faults } = splitParts(usage);
  if (price.kind === "per_call") return perCallCharge(price, groupRatio, quotaPerUnit, faults);
  const quota = chargeParts(counts, compiled(price, groupRatio, quotaPerUnit));
  const formula = formulaOf(counts, price, groupRatio, quota);
  const allFaults = quota === MAX_CHARGE ? [...faults, "charge_capped" as const] : faults;
  return { quota, steps: stepsOf(counts, price, groupRatio), formula, faults: allFaults };
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
}

/** Output tokens set aside for an answer that is not streamed and has no smaller bound. */
const MAX_HELD_OUTPUT = 8192;
const ASCII_BYTES_PER_TOKEN = 3;
const OTHER_BYTES_PER_TOKEN = 2;

/** Tokens of a text from its bytes, on the high side so that a hold covers the call: a third of ASCII, half of the rest. */
export const estimateTokens = (asciiBytes: number, otherBytes: number): number =>
  Math.ceil(asciiBytes / ASCII_BYTES_PER_TOKEN + otherBytes / OTHER_BYTES_PER_TOKEN);

/** Output tokens of one hold step: PreConsumedQuota for streams, else the smallest bound known; for each answer asked for. */
export function holdOutputTokens(estimate: HoldEstimate): number {
  const bounds = [estimate.maxTokens, estimate.modelCap, MAX_HELD_OUTPUT].filter(
    (bound) => bound !== undefined && bound > 0,
  );
  const smallest = Math.min(...bounds.map(Number));
  const step = estimate.isStream ? Math.min(smallest, estimate.preConsumedQuota) : smallest;
  return saneCount(saneCount(step) * Math.max(1, saneCount(estimate.choices ?? 1)));
}

const usageOf = (inputTokens: number, outputTokens: number): Usage => ({
  inputTokens,
  outputTokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  imageInputTokens: 0,
  audioInputTokens: 0,
  audioOutputTokens: 0,
  isEstimated: true,
});

/** Quota to set aside before a call is sent (design 5 "Size of a hold"): input plus one output step, or the fixed price. */
export function holdAmount(
  estimate: HoldEstimate,
  price: ModelPrice,
  groupRatio: string,
  quotaPerUnit: string,
): number {
  return chargeQuota(
    usageOf(saneCount(estimate.inputTokens), holdOutputTokens(estimate)),
    price,
    groupRatio,
    quotaPerUnit,
  );
}

/**
 * Quota that so many tokens come to. A running stream is extended to `quotaForTokens(input, output so far + one step, ...)` less
 * what it holds, so that roundings of steps never add up. A fixed price is held whole from the start.
 */
export function quotaForTokens(
  input: number,
  output: number,
  price: ModelPrice,
  groupRatio: string,
  quotaPerUnit: string,
): number {
  return chargeQuota(usageOf(saneCount(input), saneCount(output)), price, groupRatio, quotaPerUnit);
}
