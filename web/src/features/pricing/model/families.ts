/** Names of the model families, as their makers write them; the same in every language. */
import type { LookName } from "../../../ui/display/provider-mark.tsx";

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

/** The family's name; undefined for models of no known family. */
export const familyName = (family: string): string | undefined => FAMILY_NAMES[family as LookName];
