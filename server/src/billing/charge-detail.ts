/** The JSON stored with each charge in the ledger: all usage and prices needed to compute the charge again without any other table, or under other prices. */
import {
  LONG_CACHE_RATIO,
  MAX_TOKEN_COUNT,
  type ModelPrice,
  type PerTokenPrice,
} from "../../../contract/src/pricing/pricing.ts";
import { saneFactor, saneToolCalls } from "../../../contract/src/pricing/usage-parts.ts";
import type { CallsAlike, ToolCalls, Usage } from "../../../contract/src/pricing/usage.ts";
import { parseObject } from "../util/json-read.ts";
import { detailShorthand } from "./shorthand.ts";

export interface PricedUsage {
  usage: Usage;
  price: ModelPrice;
  groupRatio: string;
  quotaPerUnit: string;
  /** Row of price_versions that the price came from. */
  priceVersion: number;
  /** The ledger row's model. */
  model: string;
  /** The ledger row's group, and that of the user: ratios may go by both. The same where only the first is known. */
  groupName?: string;
  userGroup?: string;
  /** The name by which tools and surcharges are priced. */
  namedModel: string;
}

/** Calls, size, name and model; the last ones are left out where they are "medium", "" and the model the row's tools are priced by. */
export type StoredCalls = readonly [calls: number, size?: string, name?: string, model?: string];
type StoredTool = readonly [tool: string, calls: number, usdPerThousand: string, alike?: readonly StoredCalls[]];
type StoredTier = readonly [bound: number, ratio: string, completion: string, cache: string, cacheCreation: string];

/**
 * Letters keep millions of rows short. Counts, ratios or fixed price, group, QuotaPerUnit and version are always present, the others only
 * if they have a value, including those that this price ignores and another one would use.
 */
interface StoredDetail {
  /** Counts up to the last that is not 0, in the order of countsOf. */
  n: readonly number[];
  /** Estimated. */
  e?: 1;
  /** Ratios in the order of ratiosOf. */
  r?: readonly string[];
  /** Fixed price in USD. */
  f?: string;
  /** Tokens written to an hourly cache, with their ratio to the others. */
  w?: readonly [number, string];
  /** Output tokens of images, and their ratio if it differs from the response's. */
  o?: number;
  p?: string;
  /** Factor of a fixed price. */
  c?: string;
  /** The counts that a price by tokens would use, if the fixed price uses others: as `n`, `w` and `o` together. */
  b?: readonly number[];
  t?: readonly StoredTool[];
  /** Surcharge and the factor of the tokens. */
  m?: readonly (readonly [string, string])[];
  /** The model by whose name tools and surcharges are priced, where it is not the row's. */
  a?: string;
  x?: readonly StoredTier[];
  /** The user's own group, where the call was in another one. Absent in rows of versions without ratios of pairs, too. */
  i?: string;
  g: string;
  q: string;
  v: number;
}

/** A detail as it is read: seven counts in `u`. */
export interface ChargeDetail extends Omit<StoredDetail, "n"> {
  u: readonly number[];
  /** False for rows of versions that stored only what their own price used, and no model for tools. */
  isComplete: boolean;
}

const COUNTS = 7;
const RATIOS = 7;

/** JSON has no NaN and no infinity; the price code treats them as 0 and as its maximum count. */
const finite = (count: unknown): number => {
  if (count === Number.POSITIVE_INFINITY) return MAX_TOKEN_COUNT;
  return typeof count === "number" && Number.isFinite(count) ? count : 0;
};

function withoutLastZeros(counts: number[]): number[] {
  while (counts.length > 0 && counts.at(-1) === 0) counts.pop();
  return counts;
}

const countsOf = (usage: Usage): number[] => [
  finite(usage.inputTokens),
  finite(usage.outputTokens),
  finite(usage.cacheReadTokens),
  finite(usage.cacheWriteTokens),
  finite(usage.audioInputTokens),
  finite(usage.imageInputTokens),
  finite(usage.audioOutputTokens),
];

const ratiosOf = (price: PerTokenPrice): string[] => [
  price.ratio,
  price.completionRatio,
  price.cacheRatio,
  price.cacheCreationRatio,
  price.audioRatio,
  price.imageRatio,
  price.audioCompletionRatio,
];

const tiersOf = (tiers: NonNullable<PerTokenPrice["tiers"]>): StoredTier[] =>
  tiers.map((tier) => [
    tier.aboveInputTokens,
    tier.ratio,
    tier.completionRatio,
    tier.cacheRatio,
    tier.cacheCreationRatio,
  ]);

/** Names of sizes come from callers. */
const MAX_NAME = 128;

function storedCalls({ calls, size, name, model }: CallsAlike, namedModel: string): StoredCalls {
  const rest = [size ?? "medium", (name ?? "").slice(0, MAX_NAME), model.slice(0, MAX_NAME)] as const;
  if (model !== namedModel) return [calls, ...rest];
  if (rest[1] !== "") return [calls, rest[0], rest[1]];
  return rest[0] === "medium" ? [calls] : [calls, rest[0]];
}

const storedTool = ({ tool, calls, usdPerThousand, alike }: ToolCalls, namedModel: string): StoredTool =>
  alike === undefined
    ? [tool, calls, usdPerThousand]
    : [tool, calls, usdPerThousand, alike.map((each) => storedCalls(each, namedModel))];

/** The optional letters beside the counts. */
function addRare(detail: StoredDetail, { usage, price, model, namedModel }: PricedUsage): void {
  const { surcharges, byTokens } = usage;
  const [writtenLong, drawn] = [finite(usage.cacheWriteLongTokens), finite(usage.imageOutputTokens)];
  if (writtenLong) detail.w = [writtenLong, LONG_CACHE_RATIO];
  if (drawn) detail.o = drawn;
  if (drawn && price.kind === "per_token" && price.imageOutputRatio !== undefined) detail.p = price.imageOutputRatio;
  const factor = saneFactor(usage.callFactor);
  if (factor !== "1") detail.c = factor;
  if (byTokens !== undefined)
    detail.b = withoutLastZeros([
      ...countsOf(byTokens),
      finite(byTokens.cacheWriteLongTokens),
      finite(byTokens.imageOutputTokens),
    ]);
  const toolCalls = usage.toolCalls.length === 0 ? [] : saneToolCalls(usage.toolCalls);
  if (toolCalls.length > 0) detail.t = toolCalls.map((each) => storedTool(each, namedModel));
  if (surcharges.length > 0) detail.m = surcharges.map(({ surcharge, ratio }) => [surcharge, ratio]);
  if (namedModel !== model && toolCalls.length + surcharges.length > 0) detail.a = namedModel.slice(0, MAX_NAME);
}

/** Builds Settlement.detail, from which the audit prices the charge again and a dry run prices it otherwise. */
export function chargeDetail(priced: PricedUsage): string {
  const { usage, price, groupRatio: g, quotaPerUnit: q, priceVersion: v } = priced;
  const detail: StoredDetail = { n: withoutLastZeros(countsOf(usage)), g, q, v };
  if (usage.isEstimated) detail.e = 1;
  if (price.kind === "per_call") detail.f = price.price;
  else detail.r = ratiosOf(price);
  if (price.kind === "per_token" && price.tiers !== undefined && price.tiers.length > 0)
    detail.x = tiersOf(price.tiers);
  addRare(detail, priced);
  if (priced.userGroup !== undefined && priced.userGroup !== priced.groupName) detail.i = priced.userGroup;
  return JSON.stringify(detail);
}

type Fields = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number";
const isListOf =
  (isEach: (value: unknown) => boolean, shortest = 0, longest = Number.POSITIVE_INFINITY) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.length >= shortest && value.length <= longest && value.every(isEach);
const isTuple =
  (required: number, ...parts: readonly ((value: unknown) => boolean)[]) =>
  (value: unknown): boolean =>
    Array.isArray(value) &&
    value.length >= required &&
    value.length <= parts.length &&
    value.every((each, index) => parts[index]?.(each));

const isCallsAlike = isTuple(1, isNumber, isText, isText, isText);

/** The type of each letter; `u` is `n` of older rows, with its zeros. Unknown letters of later versions are ignored. */
const LETTERS: Readonly<Record<string, (value: unknown) => boolean>> = {
  u: isListOf(isNumber, COUNTS, COUNTS),
  n: isListOf(isNumber, 0, COUNTS),
  e: (value) => value === 1,
  r: isListOf(isText, RATIOS, RATIOS),
  f: isText,
  w: isTuple(2, isNumber, isText),
  o: isNumber,
  p: isText,
  c: isText,
  b: isListOf(isNumber, 0, COUNTS + 2),
  t: isListOf(isTuple(3, isText, isNumber, isText, isListOf(isCallsAlike))),
  m: isListOf(isTuple(2, isText, isText)),
  a: isText,
  i: isText,
  x: isListOf(isTuple(5, isNumber, isText, isText, isText, isText)),
  g: isText,
  q: isText,
  v: isNumber,
};
const REQUIRED = ["g", "q", "v"] as const;

const isRight = (fields: Fields): boolean =>
  REQUIRED.every((letter) => fields[letter] !== undefined) &&
  Object.entries(fields).every(([letter, value]) => LETTERS[letter]?.(value) ?? true);

/** Reads a ledger detail, in its short form or as JSON; undefined where it is not that of a priced charge. Without a schema's cost: audits and dry runs read millions. */
export function readChargeDetail(text: string): ChargeDetail | undefined {
  const fields = parseObject(detailShorthand.read(text));
  if (fields === undefined || !isRight(fields)) return undefined;
  // The checks above guarantee these types.
  const { n, u, ...rest } = fields as unknown as Omit<ChargeDetail, "isComplete"> & { n?: readonly number[] };
  if ((n === undefined) === (u === undefined)) return undefined;
  return { ...rest, u: u ?? padded(n ?? []), isComplete: u === undefined };
}

const ZEROS: readonly number[] = Array.from({ length: COUNTS }, () => 0);
const padded = (counts: readonly number[]): number[] => [...counts, ...ZEROS.slice(counts.length)];

/** What stands before the counts, in JSON and in the short form. */
const STARTS = ['{"n":[', detailShorthand.write('{"n":[')] as const;
const [ZERO, NINE, COMMA] = [48, 57, 44] as const;

/** Whole numbers with commas between them; undefined for anything else. */
function countsIn(text: string, start: number, end: number): number[] | undefined {
  if (start === end) return [];
  const counts: number[] = [];
  let count = 0;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= ZERO && code <= NINE) count = count * 10 + (code - ZERO);
    else if (code === COMMA) {
      counts.push(count);
      count = 0;
    } else return undefined;
  }
  counts.push(count);
  return counts;
}

/** Maximum size; beyond it the cache is cleared. */
const MAX_REMEMBERED = 10_000;

/** Reads the details of many charges: those of one model and group differ in their counts alone, so the text behind them is parsed once. */
export class ChargeDetailReader {
  readonly #behind = new Map<string, ChargeDetail | undefined>();

  /** The detail as readChargeDetail gives it, but for `u`: its counts without their last zeros. */
  read(text: string): { counts: readonly number[]; detail: ChargeDetail } | undefined {
    const end = text.indexOf("]");
    const start = STARTS.find((each) => text.startsWith(each));
    const counts = start === undefined ? undefined : countsIn(text, start.length, end);
    if (counts === undefined || counts.length > COUNTS) {
      const detail = readChargeDetail(text);
      return detail && { counts: detail.u, detail };
    }
    const behind = text.slice(end);
    let detail = this.#behind.get(behind);
    if (detail === undefined) {
      detail = readChargeDetail(STARTS[0] + detailShorthand.whole(behind));
      if (this.#behind.size >= MAX_REMEMBERED) this.#behind.clear();
      this.#behind.set(behind, detail);
    }
    return detail && { counts, detail };
  }
}
