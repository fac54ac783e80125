/** Answers of sound and pictures, whose tokens cost a multiple of words': what of them is held beforehand. */
import type { ModelPrice } from "../../../contract/src/pricing.ts";
import type { Usage } from "../../../contract/src/usage.ts";
import { listOf, objectOf, textOf } from "../dialects/json-fields.ts";
import { estimatedUsage } from "../dialects/usage-counts.ts";
import type { Exchange } from "./exchange.ts";
import { requestField } from "./request-field.ts";

/** One picture of Gemini's models that draw, at the usual size (ai.google.dev/gemini-api/docs/image-generation). */
const TOKENS_PER_PICTURE = 1_290;

/** Kinds of output that the request names, in small letters; OpenAI's and Google's formats have a list of them. */
function askedKinds(exchange: Exchange): readonly string[] {
  const { name } = exchange.dialect;
  if (name === "openai-chat") return listOf(requestField(exchange, "modalities")).map(textOf);
  if (name !== "gemini") return [];
  const config = objectOf(requestField(exchange, "generationConfig") ?? requestField(exchange, "generation_config"));
  const kinds = listOf(config["responseModalities"] ?? config["response_modalities"]);
  return kinds.map((kind) => textOf(kind).toLowerCase());
}

/** A model whose pictures have a ratio of their own draws them unasked, unless only other kinds are asked for. */
const drawsPictures = (kinds: readonly string[], price: ModelPrice): boolean =>
  kinds.includes("image") || (kinds.length === 0 && price.kind === "per_token" && price.imageOutputRatio !== undefined);

/** The usage of one such answer as far as request and price tell; undefined where it is of words, or of another operation. */
export function dearAnswer(exchange: Exchange, price: ModelPrice): Usage | undefined {
  if (exchange.operation !== "chat") return undefined;
  const kinds = askedKinds(exchange);
  const { promptEstimate, heldOutputTokens } = exchange;
  if (kinds.includes("audio"))
    return { ...estimatedUsage(promptEstimate, heldOutputTokens), audioOutputTokens: heldOutputTokens };
  if (!drawsPictures(kinds, price)) return undefined;
  const imageOutputTokens = TOKENS_PER_PICTURE * (exchange.facts?.choices ?? 1);
  return { ...estimatedUsage(promptEstimate, imageOutputTokens + heldOutputTokens), imageOutputTokens };
}
