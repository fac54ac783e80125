/** Channel types of the family's programs as types here: the numbers are the same up to 23, and differ between the lines from 24 on. */
import { isHub, type System } from "./systems.ts";

/** The type here; with an address where the old program had one built in. */
export interface TypeHere {
  type: number;
  /** Written out where the channel has none. */
  baseUrl?: string;
  /** The channel has to bring one: without it the key would go to another vendor. */
  needsAddress?: true;
}

const OPENAI = 1;
const ADDRESSED: TypeHere = { type: OPENAI, needsAddress: true };
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
  8: ADDRESSED,
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
  50: ADDRESSED,
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
  59: ADDRESSED,
};

/** Types of one-hub and done-hub that have another number or address here; its numbers from 24 on that are not here have no provider. */
const HUB: Readonly<Record<number, TypeHere>> = {
  ...Object.fromEntries([2, 4, 5, 6, 7, 8, 9, 10, 12, 13].map((type) => [type, ADDRESSED])),
  16: { type: 26 },
  19: { type: 19, baseUrl: "https://ai.360.cn" },
  22: { type: 22 },
  25: { type: 24 },
  26: compatible("https://api.baichuan-ai.com"),
  27: { type: 35, baseUrl: "https://api.minimax.chat" },
  28: { type: 43 },
  29: { type: 25 },
  30: { type: 42 },
  31: compatible("https://api.groq.com/openai"),
  32: { type: 33 },
  33: { type: 31 },
  34: { type: 2 },
  35: { type: 39 },
  36: { type: 34, baseUrl: "https://api.cohere.ai" },
  38: { type: 49, baseUrl: "https://api.coze.com" },
  39: { type: 4 },
  41: { type: 36 },
  42: { type: 41 },
  43: ADDRESSED,
  45: { type: 40 },
  47: { type: 38 },
  49: ADDRESSED,
  54: ADDRESSED,
  55: ADDRESSED,
  56: { type: 48 },
};

/** Of done-hub alone. */
const DONE_HUB: Readonly<Record<number, TypeHere>> = { 61: { type: 41 }, 62: { type: 33 } };

/** The largest number that means the same in one-hub and here. */
const HUB_SHARED_MAX = 23;

function mappedOf(system: System, type: number): TypeHere | undefined {
  // Its providers are staged by their types here.
  if (system === "LiteLLM") return { type };
  if (isHub(system))
    return (
      HUB[type] ??
      (system === "done-hub" ? DONE_HUB[type] : undefined) ??
      (type <= HUB_SHARED_MAX ? { type } : undefined)
    );
  if (system === "one-api" && ONE_API_WITHOUT.has(type)) return undefined;
  return (system === "one-api" ? ONE_API : NEW_API)[type] ?? SHARED[type] ?? { type };
}

/**
 * @returns the type here; undefined where there is none
 * @param isKnown whether there is a provider of a type here
 */
export function typeHere(system: System, type: number, isKnown: (type: number) => boolean): TypeHere | undefined {
  const mapped = mappedOf(system, type);
  return mapped !== undefined && isKnown(mapped.type) ? mapped : undefined;
}
