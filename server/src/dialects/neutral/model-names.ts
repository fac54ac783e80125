/**
 * Suffixes of model names that stand for settings (`o3-high`, `claude-opus-4-6-max`, `gemini-2.5-flash-thinking-1024`, `grok-4-search`), by vendor and
 * model: the one table that every format and channel type reads. Part of the hub.
 */
import type { OptionValues } from "../../../../contract/src/options/options.ts";
import type { Effort } from "./neutral.ts";

/** The vendor of the request: a reseller writes the same model differently. */
export type NamingVendor = "openai" | "anthropic" | "gemini" | "xai" | "openrouter" | "deepseek" | "moonshot";

/** What a name says beside the model. */
export interface NamedSettings {
  /** The name without its suffix, which the vendor knows. */
  readonly model: string;
  readonly effort?: Effort;
  /** Whether the model is to think, where the name says so without an effort. */
  readonly thinks?: boolean;
  /** Tokens that may be thought. */
  readonly budgetTokens?: number;
  /** The web is to be searched. */
  readonly searches?: boolean;
}

type SwitchOption = "claude.thinking_adapter_enabled" | "gemini.thinking_adapter_enabled";

interface NameRow {
  readonly vendor: NamingVendor;
  /** Names without the suffix. */
  readonly models: RegExp;
  /** The whole name, with the groups `model`, and `effort`, `still`, `thinking`, `budget` or `search`. */
  readonly name: RegExp;
  /** Without this option the name is any name. */
  readonly switchedBy?: SwitchOption;
}

const efforts = (words: string): RegExp => new RegExp(`^(?<model>.+)-(?<effort>${words})$`);
const THINKING = /^(?<model>.+)-(?<thinking>thinking)$/;
/** `-thinking`, `-nothinking` and `-thinking-<tokens>`. */
const THINKING_BUDGET = /^(?<model>.+?)-(?:(?<still>nothinking)|(?<thinking>thinking)(?:-(?<budget>\d{1,6}))?)$/;
const SEARCH = /^(?<model>.+)-(?<search>search)$/;

/** Claude models with efforts (platform.claude.com/docs/en/build-with-claude/effort). */
const CLAUDE_WITH_EFFORT = /claude-(?:opus-4[-.]5|[a-z]+-4[-.][6-9]|[a-z]+-(?:[5-9]|\d\d)(?:[-.@]|$))/;

/**
 * The first row of the vendor that fits decides; a new model is a row, or a word in one. No vendor's own name of a model ends as the rows of that model
 * say: `gpt-5.1-codex-max` and `moonshotai/kimi-k2-thinking` are names, so that OpenAI's rows lack `max`, and OpenRouter's `-thinking` is of Claude alone.
 */
const NAMES: readonly NameRow[] = [
  // platform.openai.com/docs/guides/reasoning; xAI's model with efforts behind servers of OpenAI's kind: docs.x.ai/docs/guides/reasoning
  {
    vendor: "openai",
    models: /^(?:o\d|gpt-(?:[5-9]|\d\d)|grok-3-mini)/,
    name: efforts("none|minimal|low|medium|high|xhigh"),
  },
  // platform.claude.com/docs/en/build-with-claude/extended-thinking
  { vendor: "anthropic", models: /./, name: THINKING, switchedBy: "claude.thinking_adapter_enabled" },
  { vendor: "anthropic", models: CLAUDE_WITH_EFFORT, name: efforts("low|medium|high|xhigh|max") },
  // ai.google.dev/gemini-api/docs/thinking: budgets, and from the third generation on levels
  { vendor: "gemini", models: /./, name: THINKING_BUDGET, switchedBy: "gemini.thinking_adapter_enabled" },
  {
    vendor: "gemini",
    models: /^gemini-(?:[3-9]|\d\d)/,
    name: efforts("minimal|low|medium|high"),
    switchedBy: "gemini.thinking_adapter_enabled",
  },
  // docs.x.ai/developers/model-capabilities/text/reasoning
  {
    vendor: "xai",
    models: /^grok-(?:3-mini|4\.[3-9]|4\.20-multi-agent|[5-9])/,
    name: efforts("none|minimal|low|medium|high|xhigh"),
  },
  { vendor: "xai", models: /^grok-/, name: SEARCH },
  // openrouter.ai/docs/guides/best-practices/reasoning-tokens
  { vendor: "openrouter", models: /^anthropic\/claude-/, name: THINKING },
  { vendor: "openrouter", models: /^anthropic\/claude-/, name: efforts("low|medium|high|xhigh|max") },
  { vendor: "openrouter", models: /^openai\/gpt-(?:[5-9]|\d\d)/, name: efforts("none|minimal|low|medium|high|xhigh") },
  { vendor: "openrouter", models: /^x-ai\/grok-3-mini/, name: efforts("low|high") },
  // api-docs.deepseek.com/guides/thinking_mode
  { vendor: "deepseek", models: /^deepseek-v[4-9]/, name: efforts("none|low|medium|high|max") },
  // platform.kimi.ai/docs/guide/use-thinking-effort
  { vendor: "moonshot", models: /^kimi-k[3-9]/, name: efforts("low|medium|high|max") },
];

/** What the groups of a name say. */
function settingsIn(groups: Readonly<Record<string, string | undefined>>): NamedSettings {
  const { model = "", effort, still, thinking, budget, search } = groups;
  return {
    model,
    ...(effort === undefined ? {} : { effort: effort as Effort }),
    ...(still === undefined ? {} : { thinks: false }),
    ...(thinking === undefined ? {} : { thinks: true }),
    ...(budget === undefined ? {} : { budgetTokens: Number(budget) }),
    ...(search === undefined ? {} : { searches: true }),
  };
}

/**
 * What a model's name asks of a vendor beside the model; undefined where it is a name and no more, or where the site has the suffixes of its family off
 * (`options`; without them they count as on).
 */
export function namedSettings(vendor: NamingVendor, model: string, options?: OptionValues): NamedSettings | undefined {
  for (const row of NAMES) {
    if (row.vendor !== vendor || (row.switchedBy !== undefined && options?.[row.switchedBy] === false)) continue;
    const groups = row.name.exec(model)?.groups;
    if (groups !== undefined && row.models.test(groups["model"] ?? "")) return settingsIn(groups);
  }
  return undefined;
}

/** The name that the vendor knows. */
export const plainName = (vendor: NamingVendor, model: string, options?: OptionValues): string =>
  namedSettings(vendor, model, options)?.model ?? model;

/** Sampling parameters that models refuse whatever their value, by vendor and model: they are left out of requests. */
const REFUSED: readonly (readonly [vendor: NamingVendor, models: RegExp, fields: readonly string[]])[] = [
  // docs.x.ai/developers/model-capabilities/text/reasoning: models that reason
  ["xai", /^grok-(?!.*non-reasoning)/, ["presence_penalty", "frequency_penalty"]],
  // platform.kimi.ai/docs/guide/kimi-k3-quickstart: sampling is fixed
  ["moonshot", /^kimi-/, ["temperature", "top_p", "presence_penalty", "frequency_penalty"]],
];

/** Fields that the model refuses; none where no row of the vendor fits. What OpenAI's take depends on their effort: openai-models.ts. */
export const refusedFields = (vendor: NamingVendor, model: string): readonly string[] =>
  REFUSED.find(([asked, models]) => asked === vendor && models.test(model))?.[2] ?? [];
