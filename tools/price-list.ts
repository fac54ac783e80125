/** Generates the server's price list from genai-prices, without its descriptions and code: a line for each provider and model. */
import { readFileSync } from "node:fs";
import { findProvider } from "@pydantic/genai-prices";
import { PROVIDERS_IN_ORDER } from "../server/src/prices/listed-models.ts";
import type { ListLine } from "../server/src/prices/shipped-list.ts";

/** Days on which the versions of the package were published; it does not say so itself. */
const PUBLISHED: Readonly<Record<string, string>> = { "0.1.8": "2026-09-23" };

function headLine(): ListLine {
  const manifest = new URL("../node_modules/@pydantic/genai-prices/package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  const date = PUBLISHED[version];
  if (date === undefined)
    throw new Error(`tools/price-list.ts does not say when genai-prices ${version} was published`);
  return { version, date };
}

function linesOf(providerId: string): ListLine[] {
  const provider = findProvider({ providerId });
  if (provider === undefined) throw new Error(`genai-prices lists no provider '${providerId}' any more`);
  const models = provider.models.map(({ id, match, prices, context_window }) => ({
    id,
    match,
    prices,
    ...(context_window === undefined ? {} : { context_window }),
  }));
  return [{ provider: providerId, besides: provider.fallback_model_providers ?? [] }, ...models];
}

/** The text of server/src/prices/listed-models.jsonl. Throws where a provider that the server asks for is gone. */
export const priceList = (): string =>
  [headLine(), ...PROVIDERS_IN_ORDER.flatMap(linesOf)].map((line) => `${JSON.stringify(line)}\n`).join("");
