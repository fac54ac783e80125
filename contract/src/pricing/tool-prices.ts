/** Prices per call of providers' own tools: schema and defaults of the option ToolPrices, and the price of one tool for one model. */
import { z } from "zod";
import { because } from "../options/reasons.ts";
import { type ByModel, decimalOfOption, entryFor, isOneOf, mapByModel, textOfMaps } from "./model-patterns.ts";
import { CHARGED_TOOLS, type ChargedTool } from "./usage.ts";

/** How much a search reads (`search_context_size` of a request), or the quality of an image. */
export const CONTEXT_SIZES = ["low", "medium", "high"] as const;
export type ContextSize = (typeof CONTEXT_SIZES)[number];

/** USD per 1,000 calls as decimal text: one price for every size, or one for each. */
export type ToolPrice = string | Readonly<Record<ContextSize, string>>;
export type ToolPrices = Readonly<Record<ChargedTool, ByModel<ToolPrice>>>;

const OPENAI = "https://developers.openai.com/api/docs/pricing";
const OPENAI_PICTURES = "https://developers.openai.com/api/docs/guides/image-generation#calculating-costs";
const ANTHROPIC = "https://platform.claude.com/docs/en/about-claude/pricing";
const GEMINI = "https://ai.google.dev/gemini-api/docs/pricing";
const XAI = "https://docs.x.ai/developers/pricing";

interface DefaultPrice {
  /** The names it applies to: the model's, followed by what the price depends on (see CallVariant). */
  models: readonly string[];
  price: ToolPrice;
  /** The vendor's public page with these prices, as read in November 2026. */
  page: string;
}

const sized = (low: string, medium: string, high: string): ToolPrice => ({ low, medium, high });
const picture = (models: readonly string[], price: ToolPrice): DefaultPrice => ({
  models,
  price,
  page: OPENAI_PICTURES,
});

/** The vendors' public prices. docs/billing.md lists what their pages do not answer. */
export const DEFAULT_PRICES: Readonly<Record<ChargedTool, readonly DefaultPrice[]>> = {
  web_search: [
    { models: ["*"], price: "10", page: OPENAI },
    // The preview tool of models that do not reason: its results are not charged as tokens, so each call costs more.
    { models: ["gpt-4o* preview", "gpt-4.1* preview", "gpt-4o*-search-preview*"], price: "25", page: OPENAI },
    { models: ["claude*"], price: "10", page: ANTHROPIC },
    { models: ["gemini*"], price: "14", page: GEMINI },
    // Charged once per prompt, not per search (BY_PROMPT).
    { models: ["gemini-2*"], price: "35", page: GEMINI },
    { models: ["grok*"], price: "5", page: XAI },
  ],
  file_search: [{ models: ["*"], price: "2.5", page: OPENAI }],
  image_generation: [
    // The highest price of the table, for models and sizes that are not in it.
    picture(["*"], sized("16", "63", "250")),
    picture(["gpt-image-2 1024x1024"], sized("6", "53", "211")),
    picture(["gpt-image-2 1024x1536", "gpt-image-2 1536x1024"], sized("5", "41", "165")),
    picture(["gpt-image-1.5"], sized("13", "50", "200")),
    picture(["gpt-image-1.5 1024x1024"], sized("9", "34", "133")),
    picture(["gpt-image-1"], sized("16", "63", "250")),
    picture(["gpt-image-1 1024x1024"], sized("11", "42", "167")),
    picture(["gpt-image-1-mini"], sized("6", "15", "52")),
    picture(["gpt-image-1-mini 1024x1024"], sized("5", "11", "36")),
  ],
  code_interpreter: [
    // A session of 20 minutes, priced by its container's memory; 1 GB where none is named.
    { models: ["*"], price: "30", page: OPENAI },
    { models: ["* 4g"], price: "120", page: OPENAI },
    { models: ["* 16g"], price: "480", page: OPENAI },
    { models: ["* 64g"], price: "1920", page: OPENAI },
    // 0.05 USD an hour beyond 1,550 hours a month, at least 5 minutes; a single call's share cannot be known.
    { models: ["claude*"], price: "0", page: ANTHROPIC },
  ],
  google_maps: [
    { models: ["*"], price: "14", page: GEMINI },
    { models: ["gemini-2*"], price: "25", page: GEMINI },
  ],
};

const defaultsOf = (tool: ChargedTool): ByModel<ToolPrice> =>
  Object.fromEntries(DEFAULT_PRICES[tool].flatMap(({ models, price }) => models.map((model) => [model, price])));

const priceText = (price: ToolPrice): string =>
  typeof price === "string" ? price : `{ ${CONTEXT_SIZES.map((size) => `"${size}": ${price[size]}`).join(", ")} }`;

/** The text of the option ToolPrices: USD per 1,000 calls, by tool and model. */
export const toolPricesText = (prices: ToolPrices): string =>
  textOfMaps(CHARGED_TOOLS, (tool) => prices[tool], priceText);

/** The vendors' prices under one model's own name; undefined where they have none. */
export const defaultToolPrice = (tool: ChargedTool, model: string): ToolPrice | undefined =>
  DEFAULT_PRICES[tool].find(({ models }) => models.includes(model))?.price;

/** The vendors' own prices, independent of the site's. */
export const VENDOR_TOOL_PRICES = Object.freeze(
  Object.fromEntries(CHARGED_TOOLS.map((tool) => [tool, defaultsOf(tool)])),
) as ToolPrices;

export const DEFAULT_TOOL_PRICES = textOfMaps(CHARGED_TOOLS, defaultsOf, priceText);

const price: z.ZodType<ToolPrice> = z.union(
  [decimalOfOption, z.strictObject({ low: decimalOfOption, medium: decimalOfOption, high: decimalOfOption })],
  { error: because("tool_price") },
);
const pricesByModel = mapByModel(price);
const pricesOrDefault = (tool: ChargedTool) => pricesByModel.prefault(defaultsOf(tool));

/**
 * USD per 1,000 calls, by tool and model. In a model's name `*` stands for any characters; of several that match, the longest one
 * applies. Tables that name only the searches keep their meaning.
 */
export const toolPricesSchema = z.strictObject(
  {
    web_search: pricesByModel,
    file_search: pricesByModel,
    image_generation: pricesOrDefault("image_generation"),
    code_interpreter: pricesOrDefault("code_interpreter"),
    google_maps: pricesOrDefault("google_maps"),
  } satisfies Record<ChargedTool, unknown>,
  { error: because("map") },
);

/** Models that charge their searches once per prompt, however many there were ("grounded prompts" on Gemini's pricing page). */
const BY_PROMPT = ["gemini-2*"];

/** How many of a model's calls the vendor charges. */
export const chargedCalls = (tool: ChargedTool, model: string, calls: number): number =>
  tool === "web_search" && isOneOf(BY_PROMPT, model) ? Math.min(calls, 1) : calls;

/** What the price of a call depends on besides the model. */
export interface CallVariant {
  /**
   * Follows the model's name after a blank: the size of an image (whose model is its own), the memory of a container ("4g"),
   * or "preview" for a search.
   */
  name?: string | undefined;
  /** `search_context_size` of the request, or an image's quality; anything but low, medium or high counts as medium. */
  size?: string | undefined;
}

/** The size that a call is priced by. */
export const sizeOf = ({ size }: CallVariant): ContextSize => CONTEXT_SIZES.find((each) => each === size) ?? "medium";

/** USD per 1,000 calls of a tool by a model, as decimal text. */
export function toolPrice(
  options: { readonly ToolPrices: ToolPrices },
  tool: ChargedTool,
  model: string,
  variant: CallVariant = {},
): string {
  const { name = "" } = variant;
  const found = entryFor(options.ToolPrices[tool], name === "" ? [model] : [model, `${model} ${name}`]) ?? "0";
  if (typeof found === "string") return found;
  return found[sizeOf(variant)];
}
