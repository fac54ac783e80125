/** The site's settings for Claude (options claude.*): token limits by model, and name suffixes that enable thinking. */
import { traitsOf } from "../models.ts";
import { objectOf } from "../../json/fields.ts";
import type { NeutralRequest } from "../../neutral/neutral.ts";
import type { FormatQuirk, SiteSettings } from "../../format-quirk.ts";

type SiteOptions = SiteSettings["options"];

const SUFFIX = "-thinking";
/** Below this there is no room for the least budget of thinking and an answer. */
const LOWEST_MAX_TOKENS = 1280;
/** Where the operator took the bound for all models out of the option. */
const DEFAULT_MAX_TOKENS = 8192;
/** The least budget the vendor takes. */
const MIN_BUDGET = 1024;
/** None of these goes together with thinking unless it has its default. */
const SAMPLING = ["temperature", "top_p", "top_k"];
/** Tool choices that exclude thinking before the call. */
const FORCING: ReadonlySet<unknown> = new Set(["any", "tool"]);

/** Headers that belong to the connection and the body, which an option cannot know. */
const NOT_THE_SITES: ReadonlySet<string> = new Set([
  "host",
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
  "content-encoding",
  "content-type",
  "expect",
  "te",
  "trailer",
  "upgrade",
]);

const isOn = (options: SiteOptions): boolean => options["claude.thinking_adapter_enabled"];
const isAdapted = (model: string, options: SiteOptions): boolean => isOn(options) && model.endsWith(SUFFIX);

/** The name the vendor knows. */
export const claudeName = (model: string, options: SiteOptions): string =>
  isAdapted(model, options) ? model.slice(0, -SUFFIX.length) : model;

/** The operator's bound for a client that gives none: by the name it asked for, by the vendor's, or for all. */
function defaultMaxTokens(options: SiteOptions, ...names: readonly string[]): number | undefined {
  const bounds: Readonly<Record<string, number | undefined>> = options["claude.default_max_tokens"];
  const name = [...names, "default"].find((each) => bounds[each] !== undefined);
  return name === undefined ? undefined : bounds[name];
}

function budgetOf(maxTokens: number, options: SiteOptions): number {
  const share = Number(options["claude.thinking_adapter_budget_tokens_percentage"]);
  return Math.min(maxTokens - 1, Math.max(MIN_BUDGET, Math.floor(maxTokens * share)));
}

/** `thinking` for a bound of tokens: a share of it, or as the model finds right where it takes no budget. */
const thinkingFor = (model: string, maxTokens: number, options: SiteOptions): Readonly<Record<string, unknown>> =>
  traitsOf(model).hasThinkingBudget
    ? { type: "enabled", budget_tokens: budgetOf(maxTokens, options) }
    : { type: "adaptive", display: "summarized" };

/** A translated request with the operator's bound, and with thinking where its model's name asks for it and the client has no say in it. */
export function withSiteSettings(request: NeutralRequest, { options, requestedModel }: SiteSettings): NeutralRequest {
  const model = claudeName(request.model, options);
  const bound = defaultMaxTokens(options, requestedModel, request.model, model);
  const bounded = { ...request, model, ...(bound === undefined ? {} : { defaultMaxTokens: bound }) };
  if (!isAdapted(request.model, options) || request.reasoning !== undefined) return bounded;
  if (!traitsOf(model).hasThinkingBudget) return { ...bounded, reasoning: { isAdaptive: true, isShown: true } };
  const maxTokens = Math.max(LOWEST_MAX_TOKENS, request.maxTokens ?? bound ?? DEFAULT_MAX_TOKENS);
  return { ...bounded, maxTokens, reasoning: { budgetTokens: budgetOf(maxTokens, options), isShown: true } };
}

/** What claude.model_headers_settings has for the model the client asked for, several values of a header in one line. */
export function siteHeaders(site: SiteSettings | undefined): Record<string, string> {
  const byModel: Readonly<Record<string, Record<string, string[]> | undefined>> =
    site?.options["claude.model_headers_settings"] ?? {};
  const entries = Object.entries(byModel[site?.requestedModel ?? ""] ?? {});
  return Object.fromEntries(
    entries
      .map(([name, values]) => [name.toLowerCase(), values.join(",")] as const)
      .filter(([name, value]) => value !== "" && !NOT_THE_SITES.has(name)),
  );
}

export const CLAUDE_QUIRKS: readonly FormatQuirk[] = [
  {
    reason: "a suffix of -thinking on a model's name stands for thinking with a share of max_tokens",
    appliesTo: (model, operation) => (operation === "chat" || operation === "count_tokens") && model.endsWith(SUFFIX),
    patch(body, options) {
      const named = String(body["model"]);
      // A translated request has lost its suffix before.
      if (!isAdapted(named, options)) return {};
      const model = claudeName(named, options);
      const given = body["max_tokens"];
      const isForced = FORCING.has(objectOf(body["tool_choice"])["type"]);
      const canThink = traitsOf(model).hasThinking && typeof given === "number" && !isForced;
      if (body["thinking"] !== undefined || !canThink) return { set: { model } };
      const maxTokens = Math.max(LOWEST_MAX_TOKENS, given);
      const remove = SAMPLING.filter((name) => body[name] !== undefined);
      return { remove, set: { model, max_tokens: maxTokens, thinking: thinkingFor(model, maxTokens, options) } };
    },
  },
];
