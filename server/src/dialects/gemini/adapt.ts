/** What an operator's options add to a request for Gemini: thinking by the name's suffix, safety thresholds, answers in pictures. */
import { pick } from "./fields.ts";
import { objectOf } from "../json-fields.ts";
import { thinkingOf } from "./models.ts";
import type { JsonObject } from "../neutral.ts";

interface ThinkingAdapterOptions {
  /** gemini.thinking_adapter_enabled. */
  isEnabled: boolean;
  /** gemini.thinking_adapter_budget_tokens_percentage: the share of the answer's tokens that may be thought, 0 to 1. */
  share: number;
}

export interface ThinkingAdaption {
  /** The name without its suffix. */
  model: string;
  /** Put over generationConfig.thinkingConfig; undefined where the model does not think. */
  thinkingConfig: JsonObject | undefined;
}

const SUFFIX = /^(.+?)-(?:(nothinking)|thinking(?:-(\d{1,6}))?)$/;
const MOST_ADAPTED = 24_576;

/**
 * What a name like `gemini-2.5-flash-thinking-1024` asks for, within what the model takes: its least and most budget, or a level;
 * undefined where the adapter is off or the name has no suffix. `maxTokens` bounds the answer.
 */
export function thinkingBySuffix(
  model: string,
  maxTokens: number | undefined,
  { isEnabled, share }: ThinkingAdapterOptions,
): ThinkingAdaption | undefined {
  const found = isEnabled ? SUFFIX.exec(model) : null;
  const [, base, off, exact] = found ?? [];
  if (base === undefined) return undefined;
  const ofAnswer = maxTokens === undefined ? MOST_ADAPTED : Math.min(MOST_ADAPTED, Math.floor(maxTokens * share));
  const budgetTokens = off === undefined ? Number(exact ?? ofAnswer) : 0;
  const thinkingConfig = thinkingOf(base, { budgetTokens, ...(off === undefined ? { isShown: true } : {}) });
  return { model: base, thinkingConfig };
}

const CATEGORIES = [
  "HARM_CATEGORY_HARASSMENT",
  "HARM_CATEGORY_HATE_SPEECH",
  "HARM_CATEGORY_SEXUALLY_EXPLICIT",
  "HARM_CATEGORY_DANGEROUS_CONTENT",
  "HARM_CATEGORY_CIVIC_INTEGRITY",
] as const;

/** safetySettings from the option gemini.safety_settings, thresholds by category with `default` for the rest. */
export function safetySettingsOf(thresholds: Readonly<Record<string, string>>): JsonObject[] {
  return CATEGORIES.flatMap((category) => {
    const threshold = thresholds[category] ?? thresholds["default"];
    return threshold === undefined || threshold === "" ? [] : [{ category, threshold }];
  });
}

/** How much the client wants to be thought, in both spellings: gives way to the name, as the vendor takes only one. */
const MEASURES: ReadonlySet<string> = new Set(["thinkingLevel", "thinking_level", "thinkingBudget", "thinking_budget"]);

/** generationConfig with the thinking that a suffix stands for. */
export function withThinking(fields: JsonObject, thinkingConfig: JsonObject): JsonObject {
  const { thinking_config: snake, ...config } = objectOf(pick(fields, "generationConfig"));
  const given = objectOf(config["thinkingConfig"] ?? snake);
  const own = Object.entries(given).filter(([name]) => !MEASURES.has(name));
  return { ...config, thinkingConfig: { ...Object.fromEntries(own), ...thinkingConfig } };
}

/** generationConfig that lets a model answer in pictures too; undefined where it says itself how to answer. */
export function withPictures(fields: JsonObject): JsonObject | undefined {
  const config = objectOf(pick(fields, "generationConfig"));
  return pick(config, "responseModalities") === undefined
    ? { ...config, responseModalities: ["TEXT", "IMAGE"] }
    : undefined;
}
