/** The price list of genai-prices as `npm run generate` writes it beside this file: the package itself would take 7 MB of every process. */
import { readFileSync } from "node:fs";
import type { MatchLogic, ModelInfo } from "@pydantic/genai-prices";

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

/** One line of the list: a provider, and whose models it has besides its own, or a model of the provider last named. */
export type ListLine = { provider: string; besides: readonly string[] } | ListedModel;

type ListedModel = Pick<ModelInfo, "match" | "prices">;

interface Provider {
  besides: readonly string[];
  models: ListedModel[];
}

function readList(): Map<string, Provider> {
  const lines = readFileSync(new URL("listed-models.jsonl", import.meta.url), "utf8")
    .trim()
    .split("\n");
  const providers = new Map<string, Provider>();
  let current: Provider = { besides: [], models: [] };
  for (const text of lines) {
    const line = JSON.parse(text) as ListLine; // tools/price-list.ts writes no others
    if ("match" in line) current.models.push(line);
    else providers.set(line.provider, (current = { besides: line.besides, models: [] }));
  }
  return providers;
}

let list: Map<string, Provider> | undefined;

/** Words fit in any case, patterns as they are written. */
function fits(clause: MatchLogic, name: string): boolean {
  if ("or" in clause) return clause.or.some((part) => fits(part, name));
  if ("and" in clause) return clause.and.every((part) => fits(part, name));
  if ("equals" in clause) return name === clause.equals.toLowerCase();
  if ("starts_with" in clause) return name.startsWith(clause.starts_with.toLowerCase());
  if ("ends_with" in clause) return name.endsWith(clause.ends_with.toLowerCase());
  if ("contains" in clause) return name.includes(clause.contains.toLowerCase());
  return new RegExp(clause.regex).test(name);
}

function findModel(providerId: string, name: string): ListedModel | undefined {
  const provider = (list ??= readList()).get(providerId);
  return (
    provider?.models.find(({ match }) => fits(match, name)) ??
    provider?.besides.map((other) => findModel(other, name)).find((found) => found !== undefined)
  );
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

/** The prices that a provider has for a model of that name; undefined where the list does not have it there. */
export function listedPrices(providerId: string, model: string): ModelInfo["prices"] | undefined {
  const name = model.toLowerCase().trim();
  return (findModel(providerId, name) ?? findModel(providerId, withHyphens(name)))?.prices;
}
