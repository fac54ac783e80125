/** The breakdown of a charge and its margin, as lines whose printed numbers add up to the printed total. Pure. */
import {
  add,
  divide,
  type Fraction,
  fractionOf,
  multiply,
  parseRatio,
  roundHalfAway,
  toExactText,
  toFixedText,
  quotaToUsd,
  toDecimalText,
} from "../../../../../contract/src/money.ts";
import { explainCharge, type ReceiptStep } from "../../../../../contract/src/pricing/charge-receipt.ts";
import {
  fixedQuota,
  type ModelPrice,
  PARTS,
  partRatios,
  type PerTokenPrice,
  surchargeFactor,
  productOf,
  toolQuota,
} from "../../../../../contract/src/pricing/pricing.ts";
import { usdPerMillionText } from "../../../../../contract/src/pricing/price-display.ts";
import {
  CHARGED_TOOLS,
  type ChargedTool,
  NO_USAGE,
  SURCHARGES,
  type ToolCalls,
  type Usage,
  type UsedSurcharge,
} from "../../../../../contract/src/pricing/usage.ts";
import type { LogRow } from "./log-row.ts";
import type { Receipt, UpstreamCost } from "./receipt.ts";

/** Every digit that one quota has of a dollar, and no more. */
const USD_DIGITS = 12;

/** As many as the receipt's other amounts have. */
const SHOWN_DIGITS = 6;

/** Dollars with at least six decimals: "0.00124" is "$0.001240". */
function usdText(quota: number, quotaPerUnit: string): string {
  const [whole = "0", decimals = ""] = toDecimalText(quotaToUsd(Math.abs(quota), quotaPerUnit), USD_DIGITS).split(".");
  return `$${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${decimals.padEnd(SHOWN_DIGITS, "0")}`;
}

/** "+" before a gain, "−" before a loss. */
const signOf = (amount: number): string => (amount < 0 ? "−" : amount > 0 ? "+" : "");

interface MarginFigures {
  cost: string;
  /** With its sign. */
  margin: string;
  /** Of the charge, with its sign: "31.2%"; "" where nothing was charged. */
  share: string;
}

/** `charge` in quota. Throws a RangeError for a QuotaPerUnit that is no number above 0. */
export function marginFigures(charge: number, { quota, margin }: UpstreamCost, quotaPerUnit: string): MarginFigures {
  const share = charge === 0 ? "" : `${margin < 0 ? "−" : ""}${Math.abs((margin / charge) * 100).toFixed(1)}%`;
  return {
    cost: usdText(quota, quotaPerUnit),
    margin: `${signOf(margin)}${usdText(margin, quotaPerUnit)}`,
    share,
  };
}

/** Decimals of every amount in the table. */
const DIGITS = 6;
const MICRO = 10n ** BigInt(DIGITS);

/** The kind of a line's price. */
type PricedBy = "million" | "call" | "thousandCalls";

export interface PriceLine {
  part: ReceiptStep["part"];
  count: number;
  /** USD for 1M tokens, for the call or for 1,000 calls. */
  price: string;
  pricedBy: PricedBy;
  /** Product of the model's ratios; "" where none is in the price. */
  ratio: string;
  /** The factor of a fixed price; undefined where that is 1. */
  factor: string | undefined;
  /** Dollars with 6 decimals. */
  cost: string;
}

/** Ratios a price by tokens has beside the model's and the answer's. */
const PART_RATIOS = [
  ["cacheRatio", ["cacheRead"]],
  ["cacheCreationRatio", ["cacheWrite", "cacheWriteLong"]],
  ["imageRatio", ["imageInput"]],
  ["audioRatio", ["audioInput", "audioOutput"]],
  ["audioCompletionRatio", ["audioOutput"]],
  ["imageOutputRatio", ["imageOutput"]],
] as const satisfies readonly (readonly [keyof PerTokenPrice, readonly ReceiptStep["part"][]])[];

export interface UsedRatio {
  name: "ratio" | "completionRatio" | (typeof PART_RATIOS)[number][0];
  ratio: string;
}

export interface PriceTable {
  lines: readonly PriceLine[];
  subtotal: string;
  groupRatio: string;
  /** The user's own group where the ratio is one for its users alone. */
  userGroup?: string | undefined;
  /** The difference between subtotal × group ratio and the charge, with its sign; undefined where the printed numbers meet. */
  remainder: string | undefined;
  /** `rounded`: to whole quota; `other`: parts this receipt does not name. */
  remainderKind: "rounded" | "other";
  charged: string;
  quota: number;
  /** Ratios for the line below the table, those the lines were priced by; undefined for a fixed price. */
  ratios: readonly UsedRatio[] | undefined;
  /** The factor of each token's price, in the prices of the lines already. */
  surcharges: readonly UsedSurcharge[];
  /** Input tokens above which the prices shown hold; undefined where the model has one price for every length. */
  tierAbove: number | undefined;
}

const textOf = (value: number | string | undefined, fallback: string): string =>
  value === undefined ? fallback : String(value);

/** The price a receipt was charged by. Ratios that had no tokens are not in it and do not matter. */
export function priceOf(receipt: Receipt): ModelPrice | undefined {
  const fixed = Number(receipt.model_price ?? -1);
  if (fixed >= 0) return { kind: "per_call", price: String(receipt.model_price) };
  if (receipt.model_ratio === undefined) return undefined;
  return {
    kind: "per_token",
    ratio: String(receipt.model_ratio),
    completionRatio: textOf(receipt.completion_ratio, "1"),
    cacheRatio: textOf(receipt.cache_ratio, "1"),
    cacheCreationRatio: textOf(receipt.cache_creation_ratio, "1"),
    imageRatio: textOf(receipt.image_ratio, "1"),
    audioRatio: textOf(receipt.audio_ratio, "1"),
    audioCompletionRatio: textOf(receipt.audio_completion_ratio, "1"),
    ...(receipt.image_output_ratio === undefined ? {} : { imageOutputRatio: String(receipt.image_output_ratio) }),
  };
}

const isTool = (name: string): name is ChargedTool => CHARGED_TOOLS.some((tool) => tool === name);

/** Calls one by one where the receipt lists them, else one entry for each tool. */
function toolCallsOf(receipt: Receipt): ToolCalls[] {
  const listed = receipt.tool_calls?.flatMap(({ tool, count, price }): ToolCalls[] =>
    isTool(tool) ? [{ tool, calls: count, usdPerThousand: String(price) }] : [],
  );
  if (listed !== undefined) return listed;
  const sent = {
    web_search: [receipt.web_search_call_count, receipt.web_search_price],
    file_search: [receipt.file_search_call_count, receipt.file_search_price],
    image_generation: [receipt.image_generation_call_count, receipt.image_generation_price],
    code_interpreter: [receipt.code_interpreter_call_count, receipt.code_interpreter_price],
    google_maps: [receipt.google_maps_call_count, receipt.google_maps_price],
  } as const satisfies Record<ChargedTool, unknown>;
  return CHARGED_TOOLS.flatMap((tool) => {
    const [calls, price] = sent[tool];
    return calls === undefined || price === undefined ? [] : [{ tool, calls, usdPerThousand: String(price) }];
  });
}

/** Counts of a receipt; of rows without them the columns of the row. */
function usageOf(row: LogRow, receipt: Receipt): Usage {
  const counted = receipt.usage ?? {
    inputTokens: row.prompt_tokens,
    outputTokens: row.completion_tokens,
    cacheReadTokens: receipt.cache_tokens ?? 0,
    cacheWriteTokens: receipt.cache_creation_tokens ?? 0,
    cacheWriteLongTokens: receipt.cache_creation_long_tokens ?? 0,
  };
  return {
    ...NO_USAGE,
    ...counted,
    callFactor: receipt.call_factor ?? "1",
    toolCalls: toolCallsOf(receipt),
    surcharges: surchargesOf(receipt),
  };
}

/** Surcharges that this program knows; a ratio of another is in no line, and shows as a part not listed. */
const surchargesOf = (receipt: Receipt): UsedSurcharge[] =>
  SURCHARGES.flatMap((surcharge) => {
    const found = receipt.premiums?.find((each) => each.premium === surcharge);
    return found === undefined ? [] : [{ surcharge, ratio: String(found.ratio) }];
  });

const micros = (value: Fraction): bigint =>
  roundHalfAway({ numerator: value.numerator * MICRO, denominator: value.denominator });
const textOfMicros = (value: bigint): string => toFixedText({ numerator: value, denominator: MICRO }, DIGITS);

/** Rounds amounts to millionths so that they sum to their rounded sum: what is missing goes where most was cut off. */
function apportion(amounts: readonly Fraction[]): { parts: bigint[]; total: bigint } {
  const total = micros(amounts.reduce(add, fractionOf(0)));
  const parts = amounts.map(({ numerator, denominator }) => (numerator * MICRO) / denominator);
  // Remainders are compared over one scale; twelve more digits tell any two prices apart.
  const cut = amounts.map(
    ({ numerator, denominator }) => (((numerator * MICRO) % denominator) * 10n ** 12n) / denominator,
  );
  const order = cut.map((_, index) => index).toSorted((a, b) => Number((cut[b] ?? 0n) - (cut[a] ?? 0n)));
  let missing = total - parts.reduce((sum, part) => sum + part, 0n);
  for (const index of order) {
    if (missing <= 0n) break;
    parts[index] = (parts[index] ?? 0n) + 1n;
    missing -= 1n;
  }
  return { parts, total };
}

/** The prices of lines. */
interface Prices {
  price: ModelPrice;
  quotaPerUnit: string;
  /** Of all tokens, exact decimal text. */
  surcharge: string;
}

/** Quota of a step before the group's ratio. */
function quotaOf({ part, count, ratio, factor }: ReceiptStep, { price, quotaPerUnit, surcharge }: Prices): Fraction {
  if (isTool(part)) return toolQuota(ratio, count, "1", quotaPerUnit);
  if (price.kind === "per_call" || part === "call") return fixedQuota(ratio, factor ?? "1", "1", quotaPerUnit);
  const ratios = [price.ratio, surcharge, ...(partRatios(price)[PARTS.indexOf(part)] ?? [])];
  return multiply(fractionOf(count), productOf(ratios));
}

function lineOf(step: ReceiptStep, { price, quotaPerUnit, surcharge }: Prices, cost: string): PriceLine {
  const { part, count, ratio, factor } = step;
  const common = { part, count, factor, cost };
  if (isTool(part)) return { ...common, price: ratio, pricedBy: "thousandCalls", ratio: "" };
  if (price.kind === "per_call" || part === "call") return { ...common, price: ratio, pricedBy: "call", ratio: "" };
  return { ...common, price: usdPerMillionText(part, price, surcharge, quotaPerUnit), pricedBy: "million", ratio };
}

function linesOf(price: ModelPrice, usage: Usage, quotaPerUnit: string): { lines: PriceLine[]; total: bigint } {
  const { steps } = explainCharge(usage, price, "1", quotaPerUnit);
  const unit = parseRatio(quotaPerUnit);
  const prices = { price, quotaPerUnit, surcharge: toExactText(surchargeFactor(usage)) };
  const { parts, total } = apportion(steps.map((step) => divide(quotaOf(step, prices), unit)));
  const lines = steps.map((step, index) => lineOf(step, prices, textOfMicros(parts[index] ?? 0n)));
  return { lines, total };
}

function ratiosOf(price: ModelPrice, lines: readonly PriceLine[]): UsedRatio[] | undefined {
  if (price.kind === "per_call") return undefined;
  const used = new Set(lines.map(({ part }) => part));
  const ofParts = PART_RATIOS.filter(
    ([name, parts]) => price[name] !== undefined && parts.some((part) => used.has(part)),
  );
  return [
    { name: "ratio", ratio: price.ratio },
    { name: "completionRatio", ratio: price.completionRatio },
    ...ofParts.map(([name]): UsedRatio => ({ name, ratio: textOf(price[name], "1") })),
  ];
}

/**
 * The lines of a charged row, recomputed by the formula that charged it. Undefined where the receipt names no price.
 * @param quotaPerUnitNow of the site now, as text, for receipts that do not name theirs
 */
export function priceTable(row: LogRow, receipt: Receipt, quotaPerUnitNow: string): PriceTable | undefined {
  const price = priceOf(receipt);
  if (price === undefined) return undefined;
  const quotaPerUnit = textOf(receipt.quota_per_unit, quotaPerUnitNow);
  try {
    const usage = usageOf(row, receipt);
    const groupRatio = textOf(receipt.group_ratio, "1");
    const { lines, total } = linesOf(price, usage, quotaPerUnit);
    const charged = micros(divide(fractionOf(row.quota), parseRatio(quotaPerUnit)));
    const remainder = charged - micros(multiply({ numerator: total, denominator: MICRO }, parseRatio(groupRatio)));
    return {
      lines,
      subtotal: textOfMicros(total),
      groupRatio,
      ...(receipt.user_group === undefined ? {} : { userGroup: receipt.user_group }),
      remainder: remainder === 0n ? undefined : textOfMicros(remainder),
      remainderKind: explainCharge(usage, price, groupRatio, quotaPerUnit).quota === row.quota ? "rounded" : "other",
      charged: textOfMicros(charged),
      quota: row.quota,
      ratios: ratiosOf(price, lines),
      surcharges: price.kind === "per_call" ? [] : usage.surcharges,
      tierAbove: receipt.tier_above,
    };
  } catch (error) {
    // Ratios another program wrote may be no decimals: then there is a total and no way to it.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
