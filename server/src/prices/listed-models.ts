/** A price list in memory: the rules of each provider, in the order in which they are tried, and what a model's name finds there. */
import { firstFitting, type ListedRule } from "./listed-rules.ts";

/** Whoever makes a model comes before those who resell it; resellers with subscriptions of their own are left out. */
export const PROVIDERS_IN_ORDER = [
  "openai",
  "anthropic",
  "google",
  "deepseek",
  "mistral",
  "x-ai",
  "moonshotai",
  "zai",
  "zhipuai",
  "minimax",
  "cohere",
  "voyageai",
  "perplexity",
  "arcee",
  "aws",
  "azure",
  "groq",
  "cerebras",
  "together",
  "fireworks",
  "cloudflare",
  "novita",
  "openrouter",
] as const;

/** What a list says of one provider. */
export interface ListedProvider {
  /** Providers whose models it has too, at their prices. */
  besides: readonly string[];
  /** The first that fits a name counts. */
  rules: readonly ListedRule[];
}

/** A list as a value: another list is another object, by which what was found in it is remembered. */
export interface PriceList {
  /** By the ids of PROVIDERS_IN_ORDER. */
  providers: ReadonlyMap<string, ListedProvider>;
}

/** A rule, and the provider that has it: perhaps not the one that was asked, but one whose models that has too. */
export interface FoundRule {
  provider: string;
  rule: ListedRule;
}

function findNamed(list: PriceList, providerId: string, name: string): FoundRule | undefined {
  const provider = list.providers.get(providerId);
  const rule = provider && firstFitting(provider.rules, name);
  if (rule !== undefined) return { provider: providerId, rule };
  for (const other of provider?.besides ?? []) {
    const found = findNamed(list, other, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

const DAY_IN_NAME = /-(20\d\d)(\d\d)(\d\d)(?=[-:]|$)/g;

function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** A snapshot's day as the list may have it: `-20250929` as `-2025-09-29`. */
const withHyphens = (name: string): string =>
  name.replace(DAY_IN_NAME, (plain, year: string, month: string, day: string) =>
    isDay(`${year}-${month}-${day}`) ? `-${year}-${month}-${day}` : plain,
  );

/** The rule by which a provider prices a model of that name; undefined where the list does not have it there. */
export function findRule(list: PriceList, providerId: string, model: string): FoundRule | undefined {
  const name = model.toLowerCase().trim();
  const found = findNamed(list, providerId, name);
  const hyphened = withHyphens(name);
  return found !== undefined || hyphened === name ? found : findNamed(list, providerId, hyphened);
}
