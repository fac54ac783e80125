/** What providers' own tools cost for each call: the shape and defaults of the option ToolPrices, and the price of one tool for one model. */
import { z } from "zod";
import {
  type ByModel,
  decimalOfOption,
  entryFor,
  isOneOf,
  mapByModel,
  textOfMaps,
  wantsMapsOf,
} from "./model-patterns.ts";
import { CHARGED_TOOLS, type ChargedTool } from "./usage.ts";

/** How much a search reads, as requests say in `search_context_size`; of a picture, its quality. */
export const CONTEXT_SIZES = ["low", "medium", "high"] as const;
export type ContextSize = (typeof CONTEXT_SIZES)[number];

/** USD for 1,000 calls as decimal text, the same for every size or one for each. */
type ToolPrice = string | Readonly<Record<ContextSize, string>>;
export type ToolPrices = Readonly<Record<ChargedTool, ByModel<ToolPrice>>>;

const OPENAI = "https://developers.openai.com/api/docs/pricing";
const OPENAI_PICTURES = "https://developers.openai.com/api/docs/guides/image-generation#calculating-costs";
const ANTHROPIC = "https://platform.claude.com/docs/en/about-claude/pricing";
const GEMINI = "https://ai.google.dev/gemini-api/docs/pricing";
const XAI = "https://docs.x.ai/developers/pricing";

interface DefaultPrice {
  /** Names it holds for: of the model, with what the price depends on behind it (see CallVariant). */
  models: readonly string[];
  price: ToolPrice;
  /** The vendor's public page that says so, as read in November 2026. */
  page: string;
}

const sized = (low: string, medium: string, high: string): ToolPrice => ({ low, medium, high });
const picture = (models: readonly string[], price: ToolPrice): DefaultPrice => ({
  models,
  price,
  page: OPENAI_PICTURES,
});

/** The vendors' public prices. docs/billing.md lists what their pages leave open. */
export const DEFAULT_PRICES: Readonly<Record<ChargedTool, readonly DefaultPrice[]>> = {
  web_search: [
    { models: ["*"], price: "10", page: OPENAI },
    // The preview tool of models that do not reason: what it finds is not charged as tokens, so each call is dearer.
    { models: ["gpt-4o* preview", "gpt-4.1* preview", "gpt-4o*-search-preview*"], price: "25", page: OPENAI },
    { models: ["claude*"], price: "10", page: ANTHROPIC },
    { models: ["gemini*"], price: "14", page: GEMINI },
    // By the prompt, not by the search (BY_PROMPT).
    { models: ["gemini-2*"], price: "35", page: GEMINI },
    { models: ["grok*"], price: "5", page: XAI },
  ],
  file_search: [{ models: ["*"], price: "2.5", page: OPENAI }],
  image_generation: [
    // The dearest of the table, for models and sizes that are not in it.
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
    // A session of 20 minutes, by the memory of its container; 1 GB where none is named.
    { models: ["*"], price: "30", page: OPENAI },
    { models: ["* 4g"], price: "120", page: OPENAI },
    { models: ["* 16g"], price: "480", page: OPENAI },
    { models: ["* 64g"], price: "1920", page: OPENAI },
    // 0.05 USD an hour beyond 1,550 hours a month, at least 5 minutes: what a call's share of it is, no call can tell.
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

/** The option's text: tool to model to USD for 1,000 calls. */
export const DEFAULT_TOOL_PRICES = textOfMaps(CHARGED_TOOLS, defaultsOf, priceText);

const price: z.ZodType<ToolPrice> = z.union(
  [decimalOfOption, z.strictObject({ low: decimalOfOption, medium: decimalOfOption, high: decimalOfOption })],
  { error: "Please give a number of at least 0, or one each for low, medium and high" },
);
const pricesByModel = mapByModel(price);
const pricesOrDefault = (tool: ChargedTool) => pricesByModel.prefault(defaultsOf(tool));

/**
 * Tool to model to USD for 1,000 calls. In a model's name `*` stands for any characters; of several that fit, the one with most letters
 * holds. Tables that name only the searches stay what they were.
 */
export const toolPricesSchema = z.strictObject(
  {
    web_search: pricesByModel,
    file_search: pricesByModel,
    image_generation: pricesOrDefault("image_generation"),
    code_interpreter: pricesOrDefault("code_interpreter"),
    google_maps: pricesOrDefault("google_maps"),
  } satisfies Record<ChargedTool, unknown>,
  { error: wantsMapsOf(CHARGED_TOOLS) },
);

/** Models whose searches cost once for the prompt they answer, however many there were (the pricing page of Gemini, "grounded prompts"). */
const BY_PROMPT = ["gemini-2*"];

/** Calls that the vendor charges of those that a model made. */
export const chargedCalls = (tool: ChargedTool, model: string, calls: number): number =>
  tool === "web_search" && isOneOf(BY_PROMPT, model) ? Math.min(calls, 1) : calls;

/** What the price of a call depends on beside the model. */
export interface CallVariant {
  /**
   * Stands behind the model's name with a blank between: of a picture its size (its model is the picture's own), of a container its
   * memory ("4g"), of a search "preview".
   */
  name?: string | undefined;
  /** `search_context_size` of the request or a picture's quality; anything but low, medium or high is medium. */
  size?: string | undefined;
}

/** USD for 1,000 calls of a tool by a model, as decimal text. */
export function toolPrice(
  options: { readonly ToolPrices: ToolPrices },
  tool: ChargedTool,
  model: string,
  { name = "", size }: CallVariant = {},
): string {
  const found = entryFor(options.ToolPrices[tool], name === "" ? [model] : [model, `${model} ${name}`]) ?? "0";
  if (typeof found === "string") return found;
  return found[CONTEXT_SIZES.find((each) => each === size) ?? "medium"];
}
