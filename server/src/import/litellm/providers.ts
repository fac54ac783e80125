/** Providers of LiteLLM's deployments as channel types here, and what of a deployment's parameters makes a channel's address and key. */
import { type JsonFields, textOf } from "../../util/json-read.ts";

interface ProviderHere {
  type: number;
  /** Of vendors that speak OpenAI's format, without `/v1`. */
  baseUrl?: string;
  /** Without an address of its own the key would go elsewhere. */
  needsAddress?: true;
}

const OPENAI = 1;
const CUSTOM = 8;
const compatible = (baseUrl: string): ProviderHere => ({ type: OPENAI, baseUrl });
const ADDRESSED: ProviderHere = { type: OPENAI, needsAddress: true };

const PROVIDERS: Readonly<Record<string, ProviderHere>> = {
  openai: { type: OPENAI },
  "text-completion-openai": { type: OPENAI },
  azure: { type: 3 },
  anthropic: { type: 14 },
  bedrock: { type: 33 },
  bedrock_converse: { type: 33 },
  vertex_ai: { type: 41 },
  gemini: { type: 24 },
  mistral: { type: 42 },
  cohere: { type: 34 },
  cohere_chat: { type: 34 },
  deepseek: { type: 43 },
  moonshot: { type: 25 },
  xai: { type: 48 },
  openrouter: { type: 20 },
  perplexity: { type: 27 },
  ollama: { type: 4 },
  ollama_chat: { type: 4 },
  dashscope: { type: 17 },
  volcengine: { type: 45 },
  minimax: { type: 35 },
  jina_ai: { type: 38 },
  groq: compatible("https://api.groq.com/openai"),
  together_ai: compatible("https://api.together.xyz"),
  fireworks_ai: compatible("https://api.fireworks.ai/inference"),
  cerebras: compatible("https://api.cerebras.ai"),
  sambanova: compatible("https://api.sambanova.ai"),
  nvidia_nim: compatible("https://integrate.api.nvidia.com"),
  hosted_vllm: ADDRESSED,
  vllm: ADDRESSED,
  lm_studio: ADDRESSED,
  llamafile: ADDRESSED,
  openai_like: ADDRESSED,
  custom_openai: ADDRESSED,
  litellm_proxy: ADDRESSED,
  xinference: ADDRESSED,
  docker_model_runner: ADDRESSED,
};

/** Names without a provider in front, as LiteLLM knows them by heart. */
const BY_NAME: readonly (readonly [form: RegExp, provider: string])[] = [
  [/^(?:gpt-|chatgpt-|o[134](?:-|$)|text-embedding-|dall-e|whisper|tts-)/, "openai"],
  [/^claude-/, "anthropic"],
  [/^command/, "cohere"],
];

/** Words between the provider and the model that say how it is asked. */
const ROUTES = /^(?:converse|converse_like|invoke|responses|chat)\//;

/** The model that a deployment calls. */
export interface Upstream {
  /** As it is written there; "" where it cannot be said. */
  provider: string;
  model: string;
}

export function upstreamOf(fields: JsonFields): Upstream {
  const model = textOf(fields["model"]);
  const [first = "", ...rest] = model.split("/");
  const isPrefixed = rest.length > 0 && Object.hasOwn(PROVIDERS, first);
  const named = textOf(fields["custom_llm_provider"]);
  const provider = named || (isPrefixed ? first : (BY_NAME.find(([form]) => form.test(model))?.[1] ?? ""));
  const name = isPrefixed && (named === "" || named === first) ? rest.join("/") : model;
  return { provider, model: name.replace(ROUTES, "") };
}

export interface Place {
  /** Below 0 for what has no provider here. */
  type: number;
  base_url: string;
}

/** LiteLLM adds the operation to the address of OpenAI's format; here `/v1` and the operation are added. */
function openaiPlace(address: string): Place {
  const base = address.replace(/\/+$/, "").replace(/\/chat\/completions$/, "");
  if (base === "" || base.endsWith("/v1")) return { type: OPENAI, base_url: base.replace(/\/v1$/, "") };
  return { type: CUSTOM, base_url: `${base}/chat/completions` };
}

export function placeOf({ provider }: Upstream, fields: JsonFields): Place {
  const address = textOf(fields["api_base"]) || textOf(fields["base_url"]);
  const here = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined;
  if (here === undefined || (here.needsAddress === true && address === "")) return { type: -1, base_url: address };
  if (here.type === OPENAI)
    return address === "" ? { type: OPENAI, base_url: here.baseUrl ?? "" } : openaiPlace(address);
  return { type: here.type, base_url: address.replace(/\/+$/, "").replace(/\/v1$/, "") };
}

const AWS = 33;
const VERTEX = 41;

/** The key in the form of a channel here. */
export function keyOf(type: number, fields: JsonFields): string {
  const of = (name: string): string => textOf(fields[name]).trim();
  if (type === AWS && of("aws_access_key_id") !== "")
    return [of("aws_access_key_id"), of("aws_secret_access_key"), of("aws_region_name")].join("|");
  if (type === VERTEX) {
    const credentials = fields["vertex_credentials"];
    return typeof credentials === "object" && credentials !== null
      ? JSON.stringify(credentials)
      : of("vertex_credentials");
  }
  return of("api_key");
}

/** `other` of the channel: a version for Azure, a region for Vertex. */
export const otherOf = (type: number, fields: JsonFields): string =>
  type === VERTEX ? textOf(fields["vertex_location"]) : textOf(fields["api_version"]);

/** Parameters that are read; any other is listed by its name. */
export const READ_PARAMETERS: ReadonlySet<string> = new Set([
  "model",
  "custom_llm_provider",
  "api_base",
  "base_url",
  "api_key",
  "api_version",
  "organization",
  "weight",
  "order",
  "aws_access_key_id",
  "aws_secret_access_key",
  "aws_region_name",
  "vertex_credentials",
  "vertex_location",
  "litellm_credential_name",
]);
