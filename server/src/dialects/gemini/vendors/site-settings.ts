/** The site's settings for Gemini (options gemini.*), added to requests. */
import { pick } from "../fields.ts";
import { thinkingOf } from "../models.ts";
import { listOf, objectOf } from "../../json/fields.ts";
import { namedSettings, plainName } from "../../neutral/model-names.ts";
import type { JsonObject } from "../../neutral/neutral.ts";
import type { FormatQuirk, SiteSettings } from "../../format-quirk.ts";

type Options = SiteSettings["options"];

interface ThinkingAdaption {
  /** The name without its suffix. */
  model: string;
  /** Put over generationConfig.thinkingConfig; undefined where the model does not think. */
  thinkingConfig: JsonObject | undefined;
  /** For the receipt. */
  effort?: string;
}

const MAX_ADAPTED = 24_576;

/**
 * What a name like `gemini-2.5-flash-thinking-1024` or `gemini-3-pro-preview-high` asks for, within what the model takes: its least and most budget, or
 * a level; undefined where the adapter is off or the name has no suffix. `maxTokens` bounds the answer.
 */
function adaptionOf(model: string, options: Options, maxTokens?: number): ThinkingAdaption | undefined {
  const named = namedSettings("gemini", model, options);
  if (named === undefined) return undefined;
  const { model: base, effort, thinks, budgetTokens: exact } = named;
  if (effort !== undefined) return { model: base, thinkingConfig: thinkingOf(base, { effort }), effort };
  const share = Number(options["gemini.thinking_adapter_budget_tokens_percentage"]);
  const ofAnswer = maxTokens === undefined ? MAX_ADAPTED : Math.min(MAX_ADAPTED, Math.floor(maxTokens * share));
  const budgetTokens = thinks === false ? 0 : (exact ?? ofAnswer);
  const thinkingConfig = thinkingOf(base, { budgetTokens, ...(thinks === false ? {} : { isShown: true }) });
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
function safetySettingsOf(thresholds: Readonly<Record<string, string>>): JsonObject[] {
  return CATEGORIES.flatMap((category) => {
    const threshold = thresholds[category] ?? thresholds["default"];
    return threshold === undefined || threshold === "" ? [] : [{ category, threshold }];
  });
}

/** How much the client wants to be thought, in both spellings: gives way to the name, as the vendor takes only one. */
const MEASURES: ReadonlySet<string> = new Set(["thinkingLevel", "thinking_level", "thinkingBudget", "thinking_budget"]);

/** generationConfig with the thinking that a suffix stands for. */
function withThinking(fields: JsonObject, thinkingConfig: JsonObject): JsonObject {
  const { thinking_config: snake, ...config } = objectOf(pick(fields, "generationConfig"));
  const given = objectOf(config["thinkingConfig"] ?? snake);
  const own = Object.entries(given).filter(([name]) => !MEASURES.has(name));
  return { ...config, thinkingConfig: { ...Object.fromEntries(own), ...thinkingConfig } };
}

/** generationConfig that lets a model answer in pictures too; undefined where it says itself how to answer. */
function withPictures(fields: JsonObject): JsonObject | undefined {
  const config = objectOf(pick(fields, "generationConfig"));
  return pick(config, "responseModalities") === undefined
    ? { ...config, responseModalities: ["TEXT", "IMAGE"] }
    : undefined;
}

/** The name without a suffix that stands for thinking, where the site takes it for one. */
export const geminiName = (model: string, options: Options): string => plainName("gemini", model, options);

/** Safety thresholds, and pictures from the models that can draw. A Gemini client says both itself. */
export function siteAdditions(fields: JsonObject, model: string, options: Options): JsonObject {
  const safetySettings = safetySettingsOf(options["gemini.safety_settings"]);
  const draws = options["gemini.supported_imagine_models"].includes(geminiName(model, options));
  const generationConfig = draws ? withPictures(fields) : undefined;
  return {
    ...(safetySettings.length === 0 ? {} : { safetySettings }),
    ...(generationConfig === undefined ? {} : { generationConfig }),
  };
}

/** The request of an embedding with the name that the path has. */
function renamed(request: unknown, name: string): unknown {
  const fields = objectOf(request);
  return fields["model"] === undefined || fields["model"] === name ? request : { ...fields, model: name };
}

export const GEMINI_QUIRKS: readonly FormatQuirk[] = [
  {
    reason: "an embedding names its model once more in the body, and the vendor refuses another one than the path's",
    appliesTo: (_model, operation) => operation === "embeddings",
    patch(body, _options, model) {
      const name = `models/${model}`;
      const requests = listOf(body["requests"]);
      const renamedRequests = requests.map((request) => renamed(request, name));
      const hasChanged = renamedRequests.some((request, index) => request !== requests[index]);
      const isOther = body["model"] !== undefined && body["model"] !== name;
      if (!hasChanged && !isOther) return {};
      return { set: { ...(hasChanged ? { requests: renamedRequests } : {}), ...(isOther ? { model: name } : {}) } };
    },
  },
  {
    reason: "a suffix of the model's name stands for thinkingConfig",
    appliesTo: (model, operation) => operation === "chat" && namedSettings("gemini", model) !== undefined,
    patch(body, options, model) {
      const bound = pick(objectOf(pick(body, "generationConfig")), "maxOutputTokens");
      const { thinkingConfig: config, effort } =
        adaptionOf(model, options, typeof bound === "number" ? bound : undefined) ?? {};
      if (config === undefined) return {};
      const remove = body["generation_config"] === undefined ? [] : ["generation_config"];
      const set = { generationConfig: withThinking(body, config) };
      return { remove, set, ...(effort === undefined ? {} : { effort }) };
    },
  },
];
