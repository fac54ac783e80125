/** Values of a configuration file and texts of options, each made of the other; pure. */
import type { DocumentPrice } from "../../../../contract/src/configuration/document.ts";
import { optionPart } from "../../../../contract/src/configuration/document.ts";
import { type OptionName, optionDefinition } from "../../../../contract/src/options/options.ts";
import { OWN_RATIO_OPTIONS, type OwnPrice } from "../../../../contract/src/pricing/own-prices.ts";
import { plainDecimal } from "../../../../contract/src/options/decimals.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { isObject } from "../../util/json-read.ts";

/** JSON with the members of every object in one order: equal texts mean the same. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
  const sorted = members.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(",")}}`;
}

/** Options whose JSON has decimals at its leaves, which are read digit by digit. */
const hasDecimals = (name: OptionName): boolean =>
  optionPart(name) === "tables" || name === "GroupRatio" || name === "GroupGroupRatio";

/** The text of a decimal: digits as they are written, without an exponent. */
function decimalText(value: string | number): string {
  const read = plainDecimal(String(value));
  if ("decimal" in read) return read.decimal;
  throw new AppError("option_invalid", { message: `${value} is not a number that can be stored` });
}

/** JSON in which a text that is a number stands as the number with all its digits. */
function decimalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(decimalJson).join(",")}]`;
  if (isObject(value))
    return `{${Object.entries(value)
      .map(([name, inner]) => `${JSON.stringify(name)}:${decimalJson(inner)}`)
      .join(",")}}`;
  if (typeof value !== "string" && typeof value !== "number") return JSON.stringify(value);
  const read = plainDecimal(String(value));
  return "decimal" in read ? read.decimal : JSON.stringify(value);
}

/** The text that is stored for a value of the file, as the console would send it. */
export function optionText(name: OptionName, value: unknown): string {
  const { kind } = optionDefinition(name);
  if (kind === "lines" && Array.isArray(value)) return value.join("\n");
  if (kind === "commaList" && Array.isArray(value)) return value.join(",");
  if (kind !== "json") return String(value);
  return hasDecimals(name) ? decimalJson(value) : JSON.stringify(value, undefined, 2);
}

/** A decimal as a number where that keeps all of its digits. */
const shortDecimal = (decimal: string): string | number =>
  String(Number(decimal)) === decimal ? Number(decimal) : decimal;

/** Decimals at the leaves as numbers where that keeps their digits. */
function withNumbers(value: unknown): unknown {
  if (typeof value === "string") return shortDecimal(value);
  if (Array.isArray(value)) return value.map(withNumbers);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withNumbers(inner)]));
}

/** The value in the file for a stored text. */
export function documentValue(name: OptionName, text: string): unknown {
  const { kind, read } = optionDefinition(name);
  const { value } = read(text);
  if (kind === "decimal") return shortDecimal(String(value));
  if (kind === "json") return hasDecimals(name) ? withNumbers(value) : JSON.parse(text);
  return value;
}

/** A text of an option in comparable form: decimals, blanks and the order of members do not count. */
export function meaningOf(name: OptionName, text: string): string {
  try {
    return canonical(optionDefinition(name).read(text).value);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return `unreadable ${text}`;
  }
}

/** Own entries of a model, of the file's. */
export function ownPriceOfDocument({ tiers, ...ratios }: DocumentPrice): OwnPrice {
  const given = OWN_RATIO_OPTIONS.flatMap((name) => {
    const value = ratios[name];
    return value === undefined ? [] : [[name, decimalText(value)] as const];
  });
  const lines = tiers?.map(({ above, ratio, completion, cache, cache_creation }) => ({
    above: String(above),
    ratio: decimalText(ratio),
    completion: decimalText(completion),
    cache: decimalText(cache),
    cache_creation: decimalText(cache_creation),
  }));
  return { ratios: Object.fromEntries(given), ...(lines === undefined ? {} : { tiers: lines }), tools: {} };
}

/** The file's entries of a model, of own ones; prices of tools stand in their table. */
export function documentPriceOf({ ratios, tiers }: OwnPrice): DocumentPrice {
  const given = OWN_RATIO_OPTIONS.flatMap((name) => {
    const value = ratios[name];
    return value === undefined ? [] : [[name, shortDecimal(decimalText(value))] as const];
  });
  const lines = tiers?.map((tier) => ({
    above: Number(tier.above),
    ratio: shortDecimal(decimalText(tier.ratio)),
    completion: shortDecimal(decimalText(tier.completion)),
    cache: shortDecimal(decimalText(tier.cache)),
    cache_creation: shortDecimal(decimalText(tier.cache_creation)),
  }));
  return { ...Object.fromEntries(given), ...(lines === undefined ? {} : { tiers: lines }) };
}
