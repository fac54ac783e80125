/** What a price list says of a model besides its price: vendor, context length, input and output modalities. */
import { z } from "zod";

export const MODALITIES = ["text", "image", "audio", "video"] as const;
export type Modality = (typeof MODALITIES)[number];

/** Those whose own models a price list has, by their ids there; providers that resell others' models are none. */
export const VENDORS = {
  openai: "OpenAI",
  anthropic: "Anthropic",
  google: "Google",
  deepseek: "DeepSeek",
  mistral: "Mistral",
  "x-ai": "xAI",
  moonshotai: "Moonshot",
  zai: "Zhipu",
  zhipuai: "Zhipu",
  minimax: "MiniMax",
  cohere: "Cohere",
  voyageai: "Voyage AI",
  perplexity: "Perplexity",
  arcee: "Arcee AI",
} as const satisfies Readonly<Record<string, string>>;

/** Everything is absent where the list does not know it. */
export const listedFacts = z.object({
  vendor: z.string().optional(),
  /** Tokens. */
  context_length: z.number().optional(),
  /** Named where the list prices more than text apart. */
  input_modalities: z.array(z.enum(MODALITIES)).optional(),
  output_modalities: z.array(z.enum(MODALITIES)).optional(),
});
export type ListedFacts = z.output<typeof listedFacts>;
