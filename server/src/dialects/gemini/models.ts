/** Generation and thinking of Gemini models, read from their names; and the entries of the vendor's model list. */
import type { JsonObject, Reasoning } from "../neutral/neutral.ts";

/** Models that Google's API lists (ai.google.dev/gemini-api/docs/models); what a new channel starts with. */
export const GEMINI_MODELS: readonly string[] = [
  "gemini-3.1-pro-preview",
  "gemini-3-pro-preview",
  "gemini-3-flash-preview",
  "gemini-2.5-pro",
  "gemini-2.5-flash",
  "gemini-2.5-flash-lite",
  "gemini-2.5-flash-image",
  "gemini-2.0-flash",
  "gemini-2.0-flash-lite",
  "gemini-flash-latest",
  "gemini-1.5-pro",
  "gemini-1.5-flash",
  "gemini-1.5-flash-8b",
  "gemini-embedding-001",
  "text-embedding-004",
  "imagen-4.0-generate-001",
  "imagen-3.0-generate-002",
];

/** Generation as a number, 2.5 for gemini-2.5-flash; names without one are the newest. */
function generationOf(model: string): number {
  const found = /gemini-(\d{1,2}(?:\.\d{1,2})?)/.exec(model)?.[1];
  return found === undefined ? Number.POSITIVE_INFINITY : Number(found);
}

/** From the third generation on thinking has levels, and calls of tools must bring their signature back. */
export const isThirdGeneration = (model: string): boolean => generationOf(model) >= 3;

interface Budgets {
  least: number;
  most: number;
}

/** Bounds of thinkingBudget (ai.google.dev/gemini-api/docs/thinking#set-budget). */
function budgetsOf(model: string): Budgets {
  if (model.includes("-pro")) return { least: 128, most: 32_768 };
  if (model.includes("-lite")) return { least: 512, most: 24_576 };
  return { least: 1, most: 24_576 };
}

/** Budgets of Google's own OpenAI-compatible interface for each effort (ai.google.dev/gemini-api/docs/openai#thinking). */
const EFFORT_BUDGETS = {
  none: 0,
  minimal: 512,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
  max: 32_768,
} as const;
const EFFORT_LEVELS = {
  none: "MINIMAL",
  minimal: "MINIMAL",
  low: "LOW",
  medium: "MEDIUM",
  high: "HIGH",
  xhigh: "HIGH",
  max: "HIGH",
} as const;

/** The nearest level for a budget of tokens. */
function levelOf(budgetTokens: number): string {
  if (budgetTokens === 0) return "MINIMAL";
  if (budgetTokens <= 2048) return "LOW";
  return budgetTokens <= 12_288 ? "MEDIUM" : "HIGH";
}

/** The vendor's professional models cannot switch thinking off. */
const allowedLevel = (level: string, model: string): string =>
  level === "MINIMAL" && model.includes("-pro") ? "LOW" : level;

function allowedBudget(budgetTokens: number, model: string): number {
  const { least, most } = budgetsOf(model);
  if (budgetTokens === 0) return model.includes("-pro") ? least : 0;
  return Math.min(most, Math.max(least, budgetTokens));
}

/** Largest share of max tokens for thinking if only an effort was asked for: the rest is for the answer's text. */
const THINKING_SHARE = 0.8;

/** The budget of an effort, within the bound of the answer. */
function effortBudget(effort: keyof typeof EFFORT_BUDGETS, model: string, maxTokens: number | undefined): number {
  const budget = allowedBudget(EFFORT_BUDGETS[effort], model);
  if (budget === 0 || maxTokens === undefined) return budget;
  return Math.max(budgetsOf(model).least, Math.min(budget, Math.floor(maxTokens * THINKING_SHARE)));
}

/** thinkingConfig of a model for the requested reasoning; undefined if not needed or the model does not think. */
export function thinkingOf(
  model: string,
  reasoning: Reasoning | undefined,
  maxTokens?: number,
): JsonObject | undefined {
  if (reasoning === undefined || generationOf(model) < 2.5) return undefined;
  const { effort, budgetTokens, isShown, isAdaptive } = reasoning;
  // Who asks for an effort alone reads the thoughts of every other vendor, so of this one too.
  const shows = isShown ?? (effort !== undefined && effort !== "none" && effort !== "minimal" ? true : undefined);
  const shown = shows === undefined ? {} : { includeThoughts: shows };
  const config: Record<string, unknown> = { ...shown };
  if (isThirdGeneration(model)) {
    const level =
      effort === undefined ? (budgetTokens === undefined ? undefined : levelOf(budgetTokens)) : EFFORT_LEVELS[effort];
    if (level !== undefined) config["thinkingLevel"] = allowedLevel(level, model);
  } else if (budgetTokens !== undefined) config["thinkingBudget"] = allowedBudget(budgetTokens, model);
  else if (isAdaptive === true) config["thinkingBudget"] = -1;
  else if (effort !== undefined) config["thinkingBudget"] = effortBudget(effort, model, maxTokens);
  return Object.keys(config).length === 0 ? undefined : config;
}

/** One entry of GET /v1beta/models (ai.google.dev/api/models#Model). */
export function modelEntry(name: string): JsonObject {
  const isEmbedding = /embed/.test(name);
  const methods = isEmbedding
    ? ["embedContent", "batchEmbedContents"]
    : name.startsWith("imagen")
      ? ["predict"]
      : ["generateContent", "streamGenerateContent", "countTokens"];
  return {
    name: `models/${name}`,
    version: "001",
    displayName: name,
    description: "",
    supportedGenerationMethods: methods,
  };
}
