/** The site's settings for Claude (options claude.*): token limits by model, and what suffixes of names stand for. */
import { traitsOf } from "../models.ts";
import { objectOf, textOf } from "../../json/fields.ts";
import { namedSettings, plainName } from "../../neutral/model-names.ts";
import type { JsonObject, NeutralRequest } from "../../neutral/neutral.ts";
import type { FormatQuirk, SiteSettings } from "../../format-quirk.ts";

type SiteOptions = SiteSettings["options"];

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

/** The name the vendor knows. */
export const claudeName = (model: string, options: SiteOptions): string => plainName("anthropic", model, options);

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
  const named = namedSettings("anthropic", request.model, options);
  const model = named?.model ?? request.model;
  const bound = defaultMaxTokens(options, requestedModel, request.model, model);
  const bounded = { ...request, model, ...(bound === undefined ? {} : { defaultMaxTokens: bound }) };
  if (named === undefined || request.reasoning !== undefined) return bounded;
  if (named.effort !== undefined) return { ...bounded, reasoning: { effort: named.effort, isShown: true } };
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

type Patch = ReturnType<FormatQuirk["patch"]>;

/** Thinking with a share of max_tokens, or as the model finds right. */
function thinkingPatch(body: JsonObject, model: string, options: SiteOptions): Patch {
  const given = body["max_tokens"];
  const isForced = FORCING.has(objectOf(body["tool_choice"])["type"]);
  const canThink = traitsOf(model).hasThinking && typeof given === "number" && !isForced;
  if (body["thinking"] !== undefined || !canThink) return { set: { model } };
  const maxTokens = Math.max(LOWEST_MAX_TOKENS, given);
  const remove = SAMPLING.filter((name) => body[name] !== undefined);
  return { remove, set: { model, max_tokens: maxTokens, thinking: thinkingFor(model, maxTokens, options) } };
}

/**
 * `output_config.effort`, with adaptive thinking where the model has that and nothing forbids it; an effort or a thinking of the client's own stays
 * (platform.claude.com/docs/en/build-with-claude/effort).
 */
function effortPatch(body: JsonObject, model: string, named: string): Patch {
  const config = objectOf(body["output_config"]);
  const effort = textOf(config["effort"]) || named;
  const isForced = FORCING.has(objectOf(body["tool_choice"])["type"]);
  const thinks = body["thinking"] === undefined && !isForced && traitsOf(model).hasAdaptiveThinking;
  return {
    remove: thinks ? SAMPLING.filter((name) => body[name] !== undefined) : [],
    set: {
      model,
      output_config: { ...config, effort },
      ...(thinks
        ? { thinking: { type: "adaptive", ...(traitsOf(model).hasThinkingBudget ? {} : { display: "summarized" }) } }
        : {}),
    },
    effort,
  };
}

/** What suffixes of Claude's names stand for, in Messages; `vendor` is Anthropic, or who has its models under names of its own. */
export const claudeQuirks = (vendor: "anthropic" | "openrouter"): readonly FormatQuirk[] => [
  {
    reason: "a suffix on a model's name stands for thinking with a share of max_tokens, or for an effort",
    appliesTo: (model, operation, dialect) =>
      dialect === "anthropic-messages" &&
      (operation === "chat" || operation === "count_tokens") &&
      namedSettings(vendor, model) !== undefined,
    patch(body, options) {
      // A translated request has lost its suffix before.
      const named = namedSettings(vendor, textOf(body["model"]), options);
      if (named === undefined || (vendor === "openrouter" && !named.model.includes("claude"))) return {};
      const { model, effort } = named;
      return effort === undefined ? thinkingPatch(body, model, options) : effortPatch(body, model, effort);
    },
  },
];

export const CLAUDE_QUIRKS = claudeQuirks("anthropic");
