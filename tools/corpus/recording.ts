/** What one recorded answer of a vendor is, and which channel would have received it, by the address that was asked. */

/** Formats that the readers of this folder know. */
export type RecordedFormat =
  | "openai-chat"
  | "openai-responses"
  | "anthropic-messages"
  | "gemini"
  | "converse"
  | "cohere";

export interface Recording {
  /** The corpus, such as `pydantic-ai`. */
  source: string;
  vendor: string;
  format: RecordedFormat;
  /** Channel type of the vendor. */
  type: number;
  /** File and place in it. */
  name: string;
  model: string;
  status: number;
  isStream: boolean;
  contentType: string;
  body: Buffer;
}

interface Vendor {
  host: RegExp;
  name: string;
  type: number;
}

/** By the host that was asked; the first that fits. */
const VENDORS: readonly Vendor[] = [
  { host: /^api\.openai\.com$/, name: "openai", type: 1 },
  { host: /^api\.anthropic\.com$/, name: "anthropic", type: 14 },
  { host: /^generativelanguage\.googleapis\.com$/, name: "gemini", type: 24 },
  { host: /aiplatform\.googleapis\.com$/, name: "vertex", type: 41 },
  { host: /^bedrock-mantle\./, name: "bedrock-mantle", type: 1 },
  { host: /^bedrock-runtime\./, name: "bedrock", type: 33 },
  { host: /^api\.groq\.com$/, name: "groq", type: 1 },
  { host: /^api\.mistral\.ai$/, name: "mistral", type: 42 },
  { host: /\.openai\.azure\.com$|\.services\.ai\.azure\.com$/, name: "azure", type: 3 },
  { host: /^openrouter\.ai$/, name: "openrouter", type: 20 },
  { host: /^api\.cohere\.(?:com|ai)$/, name: "cohere", type: 34 },
  { host: /huggingface\.co$/, name: "huggingface", type: 1 },
  { host: /^api\.cerebras\.ai$/, name: "cerebras", type: 1 },
  { host: /^api\.z\.ai$/, name: "zai", type: 26 },
  { host: /snowflakecomputing\.com$/, name: "snowflake", type: 1 },
  { host: /^api\.together\.xyz$/, name: "together", type: 1 },
  { host: /crusoecloud\.com$/, name: "crusoe", type: 1 },
  { host: /^api\.deepseek\.com$/, name: "deepseek", type: 43 },
  { host: /^api\.x\.ai$/, name: "xai", type: 48 },
  { host: /heroku\.com$/, name: "heroku", type: 1 },
  { host: /^(?:127\.0\.0\.1|localhost|ollama\.com)$/, name: "ollama", type: 4 },
];

/** By the path that was asked, without its query. */
const FORMATS: readonly (readonly [path: RegExp, format: RecordedFormat])[] = [
  [/\/chat\/completions$/, "openai-chat"],
  [/\/responses$/, "openai-responses"],
  [/\/v1\/messages$/, "anthropic-messages"],
  [/:(?:streamG|g)enerateContent$/, "gemini"],
  [/:(?:streamR|r)awPredict$/, "anthropic-messages"],
  [/\/model\/[^/]+\/converse(?:-stream)?$/, "converse"],
  [/\/model\/[^/]*claude[^/]*\/invoke(?:-with-response-stream)?$/, "anthropic-messages"],
  [/\/v2\/chat$/, "cohere"],
];

export interface Place {
  vendor: string;
  type: number;
  format: RecordedFormat;
  /** The model that the address names; empty where the body does. */
  model: string;
}

const MODEL_IN_PATH = /\/models?\/([^/:]+(?::\d+)?)(?::\w+$|\/)/;

/** The vendor at an address, and its format; undefined for what is no chat of a vendor in the table. */
export function placeOf(address: string): Place | undefined {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return undefined;
  }
  const path = decodeURIComponent(url.pathname);
  const vendor = VENDORS.find(({ host }) => host.test(url.hostname));
  const format = FORMATS.find(([end]) => end.test(path))?.[1];
  if (vendor === undefined || format === undefined) return undefined;
  // Servers of one's own are of many kinds: those that answer chat completions are Ollama's here.
  if (vendor.name === "ollama" && format !== "openai-chat") return undefined;
  return { vendor: vendor.name, type: vendor.type, format, model: MODEL_IN_PATH.exec(path)?.[1] ?? "" };
}
