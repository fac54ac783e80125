/** A channel's upstream costs in the form: fields over the JSON text that is stored, digit by digit. Pure. */
import { mappedModel } from "../../../../../contract/src/channels/model-mapping.ts";
import { findJsonError } from "../../../../../contract/src/options/json-places.ts";

export const TOKEN_PRICES = ["input", "output", "cache_read", "cache_write"] as const;
export type TokenPrice = (typeof TOKEN_PRICES)[number];
export type CostName = TokenPrice | "request";

/** One model's prices as typed: USD for 1M tokens, or for one request. */
export interface ModelCostForm {
  model: string;
  isByRequest: boolean;
  /** Absent prices follow the price list's proportions. */
  prices: Readonly<Partial<Record<CostName, string>>>;
}

export interface CostsForm {
  /** Of the price list's price; "" for 1. */
  factor: string;
  models: readonly ModelCostForm[];
}

const NONE: CostsForm = { factor: "", models: [] };

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Keeps the digits that were typed; a browser that does not tell them gives the number's own. */
type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;
const keepDigits: Reviver = (_key, value, context) =>
  typeof value === "number" ? (context?.source ?? String(value)) : value;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const FACTOR_AND_MODELS: readonly string[] = ["factor", "models"];
const PRICE_NAMES: readonly string[] = [...TOKEN_PRICES, "request"];

function modelOf([model, value]: readonly [string, unknown]): ModelCostForm | undefined {
  if (!isFields(value) || Object.keys(value).some((name) => !PRICE_NAMES.includes(name))) return undefined;
  const isByRequest = "request" in value;
  const prices = Object.fromEntries(Object.entries(value).map(([name, price]) => [name, textOf(price)]));
  return isByRequest && Object.keys(prices).length > 1 ? undefined : { model, isByRequest, prices };
}

/** Reads the stored text; undefined where fields cannot show all that it says, so that the text itself has to be edited. */
export function parseCosts(text: string): CostsForm | undefined {
  if (text.trim() === "") return NONE;
  if (findJsonError(text) !== undefined) return undefined;
  const value: unknown = JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown);
  if (!isFields(value) || Object.keys(value).some((name) => !FACTOR_AND_MODELS.includes(name))) return undefined;
  const { factor = "", models = {} } = value;
  if (!isFields(models) || typeof factor !== "string") return undefined;
  const forms = Object.entries(models).map(modelOf);
  const known = forms.filter((form) => form !== undefined);
  return known.length === forms.length ? { factor, models: known } : undefined;
}

const PLAIN_DECIMAL = /^(?:0|[1-9]\d{0,11})(?:\.\d{1,20})?$/;

/** A number where it is one, with the digits as typed; anything else in quotes, which cannot be taken for a price. */
const priceText = (typed: string): string => (PLAIN_DECIMAL.test(typed) ? typed : JSON.stringify(typed));

const isNeeded = (name: CostName): boolean => name !== "cache_read" && name !== "cache_write";

function modelText({ model, isByRequest, prices }: ModelCostForm): string {
  const names: readonly CostName[] = isByRequest ? ["request"] : TOKEN_PRICES;
  const shown = names.filter((name) => isNeeded(name) || (prices[name] ?? "") !== "");
  const fields = shown.map((name) => `"${name}": ${priceText(prices[name] ?? "")}`);
  return `    ${JSON.stringify(model)}: { ${fields.join(", ")} }`;
}

/** The text to store; "" where nothing differs from the price list. */
export function costsText({ factor, models }: CostsForm): string {
  const parts = [
    ...(factor === "" ? [] : [`  "factor": ${priceText(factor)}`]),
    ...(models.length === 0 ? [] : [`  "models": {\n${models.map(modelText).join(",\n")}\n  }`]),
  ];
  return parts.length === 0 ? "" : `{\n${parts.join(",\n")}\n}`;
}

/** Whether the typed text is refused in this field; an empty one only where the price is needed. */
export const isWrongPrice = (name: CostName, typed = ""): boolean =>
  typed === "" ? isNeeded(name) : !PLAIN_DECIMAL.test(typed) || Number(typed) > 1_000_000;

const isWrongFactor = (typed: string): boolean =>
  typed !== "" && (!PLAIN_DECIMAL.test(typed) || Number(typed) > 1_000_000);

const isFreeInput = ({ isByRequest, prices }: ModelCostForm): boolean =>
  !isByRequest && Number(prices.input) === 0 && TOKEN_PRICES.some((name) => Number(prices[name] ?? 0) > 0);

/** The error of the text: a key of its sentence and the model it is about; undefined where it may be sent. */
export function costsError(text: string): { key: string; model: string } | undefined {
  if (text.trim() !== "" && findJsonError(text) !== undefined) return { key: "errors.json.costs", model: "" };
  const form = parseCosts(text);
  if (form === undefined) return undefined; // The server says what is wrong, and where.
  if (isWrongFactor(form.factor)) return { key: "errors.costFactor", model: "" };
  for (const cost of form.models) {
    const names: readonly CostName[] = cost.isByRequest ? ["request"] : TOKEN_PRICES;
    if (names.some((name) => isWrongPrice(name, cost.prices[name])))
      return { key: "errors.costPrice", model: cost.model };
    if (isFreeInput(cost)) return { key: "errors.costInput", model: cost.model };
  }
  return undefined;
}

/** Names that the upstream knows the channel's models by, without those that have a price already. */
export function upstreamModels(models: readonly string[], mappingText: string, known: readonly string[]): string[] {
  const parsed: unknown =
    mappingText.trim() === "" || findJsonError(mappingText) !== undefined ? {} : JSON.parse(mappingText);
  const mapping = isFields(parsed)
    ? Object.fromEntries(
        Object.entries(parsed).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
      )
    : {};
  const names = models.map((model) => mappedModel(mapping, model) ?? model);
  return [...new Set(names)].filter((name) => !known.includes(name));
}
