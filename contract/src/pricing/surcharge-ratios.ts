/** Price factors for answers that vendors bill above or below their standard price: schema and defaults of the option PremiumRatios. */
import { z } from "zod";
import { because } from "../options/reasons.ts";
import { type ByModel, decimalOfOption, entryFor, mapByModel, textOfMaps } from "./model-patterns.ts";
import { SURCHARGES, type Surcharge } from "./usage.ts";

export type SurchargeRatios = Readonly<Record<Surcharge, ByModel<string>>>;

interface DefaultRatios {
  /** Factor of the price of every token, by model. */
  ratios: ByModel<string>;
  /** The vendor's public page with these prices, as read in November 2026. */
  page: string;
}

/** The vendors' public factors. */
export const DEFAULT_SURCHARGES: Readonly<Record<Surcharge, DefaultRatios>> = {
  // Opus 4.6, Sonnet 4.6 and later; answers of earlier models do not say where they were produced.
  inference_geo_us: {
    ratios: { "*": "1.1" },
    page: "https://platform.claude.com/docs/en/manage-claude/data-residency",
  },
  speed_fast: {
    ratios: { "*": "2", "claude-opus-4-6*": "6", "claude-opus-4-7*": "6" },
    page: "https://platform.claude.com/docs/en/build-with-claude/fast-mode",
  },
  // Each is the tier's price of every token by the plain one: 4.25 by 2.5 USD for gpt-4o, 0.25 by 0.15 for gpt-4o-mini. Google says
  // "75 to 100 % more", and its price list (gemini-api/docs/pricing) 80 % more for each model.
  service_tier_priority: {
    ratios: {
      "*": "2",
      "gpt-5.5*": "2.5",
      "gpt-5-mini*": "1.8",
      "gpt-4.1*": "1.75",
      "gpt-4.1-nano*": "2",
      "gpt-4o*": "1.7",
      "gpt-4o-2024-05-13*": "1.75",
      "gpt-4o-mini*": "1.666667",
      "o3*": "1.75",
      "o4-mini*": "1.818182",
      "gemini*": "1.8",
    },
    page: "https://openai.com/api-priority-processing/",
  },
  // 60 against 10 USD for gpt-6-astra; no other model has a public price.
  service_tier_ultrafast: {
    ratios: { "*": "6" },
    page: "https://developers.openai.com/api/docs/guides/ultrafast-mode",
  },
  // Batch rates, which are half the standard ones; Google's too (ai.google.dev/gemini-api/docs/flex-inference).
  service_tier_flex: { ratios: { "*": "0.5" }, page: "https://developers.openai.com/api/docs/guides/flex-processing" },
};

const defaultsOf = (surcharge: Surcharge): ByModel<string> => DEFAULT_SURCHARGES[surcharge].ratios;
/** The vendors' own factors, independent of the site's. */
export const VENDOR_SURCHARGE_RATIOS = Object.freeze(
  Object.fromEntries(SURCHARGES.map((surcharge) => [surcharge, defaultsOf(surcharge)])),
) as SurchargeRatios;

const ratiosOrDefault = (surcharge: Surcharge) => mapByModel(decimalOfOption).prefault(defaultsOf(surcharge));

/** The option's text: factors by surcharge and model. */
export const DEFAULT_SURCHARGE_RATIOS = textOfMaps(SURCHARGES, defaultsOf, (ratio) => ratio);

/** Factors by surcharge and model; model names work as in ToolPrices. A surcharge that is left out keeps its default. */
export const surchargeRatiosSchema = z.strictObject(
  {
    inference_geo_us: ratiosOrDefault("inference_geo_us"),
    speed_fast: ratiosOrDefault("speed_fast"),
    service_tier_priority: ratiosOrDefault("service_tier_priority"),
    service_tier_ultrafast: ratiosOrDefault("service_tier_ultrafast"),
    service_tier_flex: ratiosOrDefault("service_tier_flex"),
  } satisfies Record<Surcharge, unknown>,
  { error: because("map") },
);

/** Factor for the tokens of a model's answer, as decimal text. */
export const surchargeRatio = (
  options: { readonly PremiumRatios: SurchargeRatios },
  surcharge: Surcharge,
  model: string,
): string => entryFor(options.PremiumRatios[surcharge], [model]) ?? "1";
