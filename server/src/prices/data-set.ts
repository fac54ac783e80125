/** Reads the kept-up price list of genai-prices: USD for 1M tokens become ratios, exactly. Nothing is fetched. */
import { calcPrice } from "@pydantic/genai-prices";
import type { ModelInfo, ModelPrice as ListedPrice, TieredPrices } from "@pydantic/genai-prices";
import { ratioFromUsdPerMillion, ratioOfPrices } from "../../../contract/src/price-display.ts";
import { DEFAULT_RATIOS, type PerTokenPrice } from "../../../contract/src/pricing.ts";
import { AUDIO_RATIOS_BY_NAME } from "./default-tables.ts";

/** Whoever makes a model comes before those who resell it; resellers with subscriptions of their own are left out. */
const PROVIDERS_IN_ORDER = [
  "openai",
  "anthropic",
  "google",
  "deepseek",
  "mistral",
  "x-ai",
  "moonshotai",
  "zai",
  "zhipuai",
  "minimax",
  "cohere",
  "voyageai",
  "perplexity",
  "arcee",
  "aws",
  "azure",
  "groq",
  "cerebras",
  "together",
  "fireworks",
  "cloudflare",
  "novita",
  "openrouter",
] as const;

/** The base tier: what the first token costs. Undefined where the list has no such price. */
function baseUsd(value: number | TieredPrices | undefined): string | undefined {
  if (value === undefined) return undefined;
  return String(typeof value === "number" ? value : value.base);
}

/**
 * One price of a model that changes with date or hour: the newest that has no hours, or the dearest hour of the day where there
 * are hours, so that the same tables always give the same charge and the operator never loses.
 */
function timelessPrice(prices: ModelInfo["prices"]): ListedPrice {
  if (!Array.isArray(prices)) return prices;
  const hourly = prices.filter((entry) => entry.constraint?.type === "time_of_date");
  const candidates = hourly.length > 0 ? hourly : prices.slice(-1);
  const inputOf = (price: ListedPrice): number => Number(baseUsd(price["input_mtok"]) ?? 0);
  return candidates.map((entry) => entry.prices).reduce((most, own) => (inputOf(own) > inputOf(most) ? own : most), {});
}

function audioRatioOf(model: string, listed: string | undefined, input: string): string {
  if (listed !== undefined) return ratioOfPrices(listed, input);
  return AUDIO_RATIOS_BY_NAME.find(({ parts }) => parts.every((part) => model.includes(part)))?.ratio ?? "1";
}

const relativeTo = (base: string, usd: string | undefined, otherwise: string): string =>
  usd === undefined ? otherwise : ratioOfPrices(usd, base);

/** Undefined where the listed price has no prompt price, or only the answer costs: ratios cannot say that. */
function toRatios(model: string, listed: ListedPrice): PerTokenPrice | undefined {
  const input = baseUsd(listed["input_mtok"]);
  const output = baseUsd(listed["output_mtok"]);
  if (input === undefined || (Number(input) === 0 && Number(output ?? 0) > 0)) return undefined;
  const audioInput = baseUsd(listed["input_audio_mtok"]);
  const audioRatio = audioRatioOf(model, audioInput, input);
  return {
    kind: "per_token",
    ratio: ratioFromUsdPerMillion(input),
    completionRatio: relativeTo(input, output, "1"),
    cacheRatio: relativeTo(input, baseUsd(listed["cache_read_mtok"]), "1"),
    cacheCreationRatio: relativeTo(input, baseUsd(listed["cache_write_mtok"]), "1"),
    imageRatio: relativeTo(input, baseUsd(listed["input_image_mtok"]), "1"),
    audioRatio,
    audioCompletionRatio: relativeTo(
      audioInput ?? "0",
      baseUsd(listed["output_audio_mtok"]),
      DEFAULT_RATIOS.audioCompletionRatio,
    ),
  };
}

function listedBy(providerId: string, model: string): PerTokenPrice | undefined {
  const found = calcPrice({}, model, { providerId });
  return found === null ? undefined : toRatios(model, timelessPrice(found.model.prices));
}

/** Price of a model as its maker lists it, or else a reseller; undefined where nobody does. Costs up to a millisecond: memoise. */
export function listedPrice(model: string): PerTokenPrice | undefined {
  for (const providerId of PROVIDERS_IN_ORDER) {
    const price = listedBy(providerId, model);
    if (price !== undefined) return price;
  }
  return undefined;
}
