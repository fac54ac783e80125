/** Channel types of one-api and new-api as types here: the numbers are the same up to 23, and differ between the two from 24 on. */
import type { System } from "./systems.ts";

/** What a type becomes; with an address where the old program had one of its own by heart. */
export interface TypeHere {
  type: number;
  /** Written out where the channel has none. */
  baseUrl?: string;
}

const OPENAI = 1;
const compatible = (baseUrl: string): TypeHere => ({ type: OPENAI, baseUrl });

/** Of both: resellers, and vendors whose address there is not the one that stands for none here. */
const SHARED: Readonly<Record<number, TypeHere>> = {
  6: compatible("https://api.openaimax.com"),
  7: compatible("https://api.ohmygpt.com"),
  9: compatible("https://api.caipacity.com"),
  10: compatible("https://api.aiproxy.io"),
  12: compatible("https://api.api2gpt.com"),
  13: compatible("https://api.aigc2d.com"),
  22: { type: 22, baseUrl: "https://fastgpt.run/api/openapi" },
};

/** Types of one-api that have another number or address here. */
const ONE_API: Readonly<Record<number, TypeHere>> = {
  2: compatible("https://oa.api2d.net"),
  4: compatible("https://api.closeai-proxy.xyz"),
  5: compatible("https://api.openai-sb.com"),
  // There paths are added to the address; type 8 here wants the whole one.
  8: { type: OPENAI },
  16: { type: 26 },
  19: { type: 19, baseUrl: "https://ai.360.cn" },
  26: compatible("https://api.baichuan-ai.com"),
  27: { type: 35, baseUrl: "https://api.minimax.chat" },
  28: { type: 42 },
  29: compatible("https://api.groq.com/openai"),
  30: { type: 4 },
  32: compatible("https://api.stepfun.com"),
  34: { type: 49, baseUrl: "https://api.coze.com" },
  35: { type: 34, baseUrl: "https://api.cohere.ai" },
  36: { type: 43 },
  37: { type: 39 },
  39: compatible("https://api.together.xyz"),
  40: { type: 45 },
  41: compatible("https://api.novita.ai/v3/openai"),
  42: { type: 41 },
  44: { type: 40 },
  45: { type: 48 },
  47: { type: 46 },
  48: compatible("https://spark-api-open.xf-yun.com"),
  49: { type: 17 },
  50: { type: OPENAI },
  51: compatible("https://generativelanguage.googleapis.com/v1beta/openai"),
};

/** Types of one-api whose number means another vendor here, and for which there is none. */
const ONE_API_WITHOUT: ReadonlySet<number> = new Set([38, 43, 46]);

const NEW_API: Readonly<Record<number, TypeHere>> = {
  2: { type: 2, baseUrl: "https://oa.api2d.net" },
  5: { type: 5, baseUrl: "https://api.openai-sb.com" },
  34: { type: 34, baseUrl: "https://api.cohere.ai" },
  35: { type: 35, baseUrl: "https://api.minimax.chat" },
  55: { type: 55, baseUrl: "https://api.openai.com" },
  53: compatible("https://llm.submodel.ai"),
  59: { type: OPENAI },
};

/**
 * @returns the type here; undefined where there is none
 * @param isKnown whether there is a provider of a type here
 */
export function typeHere(system: System, type: number, isKnown: (type: number) => boolean): TypeHere | undefined {
  if (system === "one-api" && ONE_API_WITHOUT.has(type)) return undefined;
  const mapped = (system === "one-api" ? ONE_API : NEW_API)[type] ?? SHARED[type] ?? { type };
  return isKnown(mapped.type) ? mapped : undefined;
}
