/**
 * Models of Vertex AI by publisher: each family has a format and an address of its own (docs.cloud.google.com/vertex-ai/generative-ai/docs/models,
 * .../partner-models/claude, .../maas/call-open-model-apis).
 */
import { GEMINI_MODELS } from "../../dialects/gemini/models.ts";
import { ownOf } from "../../dialects/json/fields.ts";

const CLAUDE: readonly string[] = [
  "claude-opus-4-8",
  "claude-opus-4-7",
  "claude-opus-4-6",
  "claude-sonnet-4-6",
  "claude-opus-4-5-20251101",
  "claude-sonnet-4-5-20250929",
  "claude-haiku-4-5-20251001",
  "claude-opus-4-1-20250805",
  "claude-opus-4-20250514",
  "claude-sonnet-4-20250514",
];
const OPEN: readonly string[] = ["meta/llama-3.3-70b-instruct-maas", "meta/llama-4-maverick-17b-128e-instruct-maas"];
const VECTORS: readonly string[] = ["text-embedding-005", "text-multilingual-embedding-002"];

const VIDEOS: readonly string[] = [
  "veo-3.1-generate-001",
  "veo-3.1-fast-generate-001",
  "veo-3.1-lite-generate-001",
  "veo-3.0-generate-001",
  "veo-3.0-fast-generate-001",
];

/** Of the developers' API, whose older names and latest ones are none here. */
const isServed = (name: string): boolean => !/-1\.5-|-latest$|^text-embedding-004$/.test(name);

export const models: readonly string[] = [...GEMINI_MODELS.filter(isServed), ...CLAUDE, ...OPEN, ...VECTORS, ...VIDEOS];

/** `claude`; `open` for models called in OpenAI's format, which have their maker in their name; all others are Google's. */
export type Family = "google" | "claude" | "open";

export function familyOf(model: string): Family {
  if (model.startsWith("claude")) return "claude";
  return model.includes("/") || model.includes("llama") ? "open" : "google";
}

/** Names that do not say their date, or say it otherwise. */
const NAMED: Readonly<Record<string, string>> = {
  "claude-3-5-sonnet-20241022": "claude-3-5-sonnet-v2@20241022",
  "claude-opus-4-5": "claude-opus-4-5@20251101",
  "claude-sonnet-4-5": "claude-sonnet-4-5@20250929",
  "claude-haiku-4-5": "claude-haiku-4-5@20251001",
};

/** Claude's name here: dates stand behind an at sign. A name that has one already goes as it is. */
export const claudeId = (model: string): string => ownOf(NAMED, model) ?? model.replace(/-(\d{8})$/, "@$1");
