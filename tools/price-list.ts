/** Writes what genai-prices lists for the server, without the words and the program around it: a line for each provider and model. */
import { findProvider } from "@pydantic/genai-prices";
import { type ListLine, PROVIDERS_IN_ORDER } from "../server/src/prices/listed-models.ts";

function linesOf(providerId: string): ListLine[] {
  const provider = findProvider({ providerId });
  if (provider === undefined) throw new Error(`genai-prices lists no provider '${providerId}' any more`);
  const models = provider.models.map(({ match, prices }) => ({ match, prices }));
  return [{ provider: providerId, besides: provider.fallback_model_providers ?? [] }, ...models];
}

/** The text of server/src/prices/listed-models.jsonl. Throws where a provider that the server asks for is gone. */
export const priceList = (): string =>
  PROVIDERS_IN_ORDER.flatMap(linesOf)
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
