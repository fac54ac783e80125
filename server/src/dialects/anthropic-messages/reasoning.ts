/** Sets the thinking of a Claude model in the fields that its generation takes (platform.claude.com/docs/en/build-with-claude/thinking, /effort). */
import type { ModelTraits } from "./models.ts";
import type { Effort, JsonObject, NeutralRequest, Reasoning, Warn } from "../neutral/neutral.ts";

/** The least budget the vendor takes. */
const MIN_BUDGET = 1024;
/** Tokens of thinking that an effort stands for where the model knows budgets only. */
const BUDGETS: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 20_000,
  max: 20_000,
};
/** The effort that a budget stands for where the model knows efforts only: the first that reaches it. */
const EFFORTS: readonly (readonly [budget: number, effort: Effort])[] = [
  [2048, "low"],
  [8192, "medium"],
  [24_576, "high"],
  [Number.POSITIVE_INFINITY, "xhigh"],
];

/** The fields set: `thinking`, `output_config.effort`, and the bound of tokens that leaves room for both. */
export interface Thinking {
  thinking?: JsonObject;
  effort?: string;
  maxTokens: number;
}

function effortWord(effort: Effort | undefined, traits: ModelTraits): string | undefined {
  if (effort === undefined || effort === "none" || !traits.hasEffort) return undefined;
  if (effort === "minimal") return "low";
  return effort === "xhigh" && !traits.hasHighestEfforts ? "high" : effort;
}

const effortOfBudget = (budget: number): Effort => EFFORTS.find(([bound]) => budget <= bound)?.[1] ?? "high";

/** Newer models keep their thoughts to themselves unless they are asked. */
function displayOf(isShown: boolean | undefined, traits: ModelTraits): JsonObject {
  if (isShown === undefined || !traits.hasAdaptiveThinking) return {};
  if (isShown) return traits.hasThinkingBudget ? {} : { display: "summarized" };
  return { display: "omitted" };
}

const isOff = ({ effort, budgetTokens, isAdaptive }: Reasoning): boolean =>
  budgetTokens === 0 || (effort === "none" && budgetTokens === undefined && isAdaptive !== true);

function offFor(traits: ModelTraits, maxTokens: number, warn: Warn): Thinking {
  // Older models think only where they are asked to, and the oldest know no such field.
  if (!traits.hasAdaptiveThinking) return { maxTokens };
  if (!traits.alwaysThinks) return { thinking: { type: "disabled" }, maxTokens };
  warn("reasoning", "this model cannot be kept from thinking; it thinks as little as it can");
  return { effort: "low", maxTokens };
}

function adaptive(reasoning: Reasoning, traits: ModelTraits, maxTokens: number, warn: Warn): Thinking {
  const { budgetTokens } = reasoning;
  if (budgetTokens !== undefined && reasoning.effort === undefined)
    warn("thinking.budget_tokens", "this model takes an effort instead of a budget of tokens");
  const asked = reasoning.effort ?? (budgetTokens === undefined ? undefined : effortOfBudget(budgetTokens));
  const effort = effortWord(asked, traits);
  const thinking = { type: "adaptive", ...displayOf(reasoning.isShown, traits) };
  return { thinking, ...(effort === undefined ? {} : { effort }), maxTokens };
}

/** The budget is part of max_tokens: a client's bound stays and the budget shrinks; without one there is room for both. */
function budgeted(
  reasoning: Reasoning,
  traits: ModelTraits,
  given: number | undefined,
  fallback: number,
  warn: Warn,
): Thinking {
  const asked = reasoning.budgetTokens ?? BUDGETS[reasoning.effort ?? "medium"];
  const budget = Math.max(MIN_BUDGET, Math.ceil(asked));
  const effort = effortWord(reasoning.effort, traits);
  const rest = effort === undefined ? {} : { effort };
  const display = displayOf(reasoning.isShown, traits);
  const made = (tokens: number, maxTokens: number): Thinking => ({
    thinking: { type: "enabled", budget_tokens: tokens, ...display },
    ...rest,
    maxTokens,
  });
  if (given === undefined) return made(budget, fallback + budget);
  if (budget < given) return made(budget, given);
  if (given <= MIN_BUDGET) {
    warn("reasoning", `thinking needs more than ${MIN_BUDGET} tokens, and max_tokens is ${given}`);
    return { ...rest, maxTokens: given };
  }
  return made(Math.max(MIN_BUDGET, Math.floor(given * 0.8)), given);
}

/** The open turn: the model's last message, if the user's message after it holds tool results only. */
function openTurnLacksProof(request: NeutralRequest): boolean {
  const results = request.messages.at(-1);
  if (results?.role !== "user" || !results.parts.some(({ kind }) => kind === "tool_result")) return false;
  const turn = request.messages.findLast(({ role }) => role === "assistant");
  const [first] = turn?.parts ?? [];
  return first?.kind !== "reasoning" || first.signature?.dialect !== "anthropic-messages";
}

const isForced = ({ toolChoice, tools }: NeutralRequest): boolean =>
  tools.length > 0 && (toolChoice?.kind === "required" || toolChoice?.kind === "tool");

/** `fallback` bounds the answer where the client gave no bound. */
export function thinkingFor(request: NeutralRequest, traits: ModelTraits, fallback: number, warn: Warn): Thinking {
  const { reasoning, maxTokens: given } = request;
  const maxTokens = given ?? fallback;
  if (reasoning === undefined) return { maxTokens };
  if (isOff(reasoning)) return offFor(traits, maxTokens, warn);
  if (!traits.hasThinking) {
    warn("reasoning", "this model does not think before it answers");
    return { maxTokens };
  }
  if (isForced(request) && !traits.alwaysThinks) {
    warn("reasoning", "this model cannot think before a call it is forced to make");
    return { maxTokens };
  }
  const isEffortOnly = reasoning.budgetTokens === undefined;
  if (traits.hasAdaptiveThinking && (isEffortOnly || !traits.hasThinkingBudget))
    return adaptive(reasoning, traits, maxTokens, warn);
  if (openTurnLacksProof(request)) {
    warn("reasoning", "this model cannot go on thinking in a turn whose thinking was not sent back");
    return { maxTokens };
  }
  return budgeted(reasoning, traits, given, fallback, warn);
}
