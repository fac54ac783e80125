/** The vendor of a model, by the price list or else by the model's name; vendors' names are the same in every language. */
import type { PricingEntry } from "../../../../../contract/src/features/pricing.ts";
import { familyOf, type LookName } from "../../../ui/display/provider-mark.tsx";

const FAMILY_NAMES: Partial<Record<LookName, string>> = {
  openai: "OpenAI",
  anthropic: "Anthropic",
  google: "Google",
  deepseek: "DeepSeek",
  qwen: "Qwen",
  mistral: "Mistral",
  moonshot: "Moonshot",
  xai: "xAI",
  zhipu: "Zhipu",
  baidu: "Baidu",
  volcano: "Doubao",
  suno: "Suno",
};

/** Models of makers that neither the list nor the name gives. */
export const OTHER_VENDOR = "other";

/** The vendor's name; OTHER_VENDOR where it is not known. */
export const vendorOf = ({ vendor, model_name }: Pick<PricingEntry, "vendor" | "model_name">): string =>
  vendor ?? FAMILY_NAMES[familyOf(model_name)] ?? OTHER_VENDOR;

/** The mark that goes with a vendor's name. */
export const lookOf = (vendor: string): LookName =>
  (Object.keys(FAMILY_NAMES) as LookName[]).find((look) => FAMILY_NAMES[look] === vendor) ?? "other";
