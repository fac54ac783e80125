/** OpenRouter: channel type 20 (openrouter.ai/docs/api_reference/overview). */
import { claudeQuirks } from "../dialects/anthropic-messages/vendors/site-settings.ts";
import { nameQuirks } from "../dialects/name-quirks.ts";
import { isObject, objectOf, parseObject, textOf } from "../dialects/json/fields.ts";
import { type ErrorText, readFailure, errorTextOf } from "../dialects/neutral/failure.ts";
import type { JsonObject } from "../dialects/neutral/neutral.ts";
import { mappedEffort, isCompletions } from "../dialects/openai-chat/compatible.ts";
import { effortInReasoning, servedResponses } from "../dialects/openai-responses/vendors/compatible.ts";
import { type BalanceOf, BalanceFault, amountIn, bearerGet, less, objectIn } from "./balance.ts";
import { defineProvider } from "./define.ts";
import type { ProviderCall, ProviderChannel, ProviderRequest, Quirk, UpstreamFailure } from "./provider.ts";

/** OpenRouter's addresses, and the headers by which an app gives its name (openrouter.ai/docs/app-attribution): the client's own, never the site's. */
function endpoint(channel: ProviderChannel, { operation, path, headers }: ProviderCall): ProviderRequest {
  const base = channel.baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");
  const url = base + (operation === "models" ? "/v1/models" : path);
  return { url, headers: ["authorization", `Bearer ${channel.key}`, ...Object.entries(headers).flat()] };
}

/** Where OpenRouter differs from OpenAI's chat completions (openrouter.ai/docs/guides/best-practices/reasoning-tokens) and Responses. */
const quirks: readonly Quirk[] = [
  ...claudeQuirks("openrouter"),
  ...nameQuirks("openrouter"),
  {
    reason: "the vendor's longest effort is called xhigh",
    appliesTo: isCompletions,
    patch: (body) => mappedEffort(body, { max: "xhigh" }),
  },
  // It refuses what is stored (openrouter.ai/docs/api/reference/responses/error-handling).
  servedResponses({ vendor: "OpenRouter", fetchesPictures: true, takesFiles: true }),
  effortInReasoning({ max: "xhigh" }),
];

// Failures of OpenRouter and of the providers it asked; what was flagged is in the metadata (openrouter.ai/docs/api_reference/errors-and-debugging).

const metadataOf = (parsed: unknown): JsonObject =>
  isObject(parsed) ? objectOf(objectOf(parsed["error"])["metadata"]) : {};

/** "Provider returned error" says nothing: the message of the vendor behind it is beside it. */
function errorTextIn(parsed: unknown): ErrorText {
  const found = errorTextOf(parsed);
  const { raw, provider_name: name } = metadataOf(parsed);
  return textOf(raw) === "" ? found : { ...found, message: `${textOf(name) || found.message}: ${textOf(raw)}` };
}

function failure(status: number, body: string): UpstreamFailure {
  const read = readFailure(status, body, errorTextIn);
  const isFlagged = Array.isArray(metadataOf(parseObject(body))["reasons"]);
  return isFlagged ? { ...read, kind: "content", isRetryable: false } : read;
}

/** OpenRouter's credits, which management keys may read; other keys may read what is left of their own limit (openrouter.ai/docs/api/api-reference). */
const balance: BalanceOf = async (ask, channel) => {
  try {
    const { total_credits: bought, total_usage: used } = objectIn(
      (await ask(bearerGet(channel, "/v1/credits")))["data"],
    );
    return { amount: less(amountIn(bought), amountIn(used)), currency: "USD" };
  } catch (refusal) {
    if (!(refusal instanceof BalanceFault) || refusal.status !== 403) throw refusal;
    const { limit_remaining: left } = objectIn((await ask(bearerGet(channel, "/v1/key")))["data"]);
    // A key without a limit knows nothing of the account.
    if (left === null || left === undefined) throw refusal;
    return { amount: amountIn(left), currency: "USD" };
  }
};

export const openrouter = defineProvider({
  id: 20,
  slug: "openrouter",
  name: "OpenRouter",
  defaultBaseUrl: "https://openrouter.ai/api",
  keyHint: "sk-or-v1-...",
  models: ["openrouter/auto"],
  natives: {
    // openrouter.ai/docs/api/api-reference/anthropic-messages/create-a-message
    "anthropic-messages": { root: "/v1" },
    // openrouter.ai/docs/api/reference/responses/error-handling
    "openai-responses": { root: "/v1" },
  },
  notice: "nativeFormats",
  operations: ["chat", "completions", "embeddings", "models"],
  forwardedHeaders: ["http-referer", "x-title", "x-openrouter-title", "x-openrouter-categories"],
  // openrouter.ai/docs/guides/best-practices/prompt-caching: on text parts, with a ttl for Anthropic's models.
  cacheMarks: "any",
  // openrouter.ai/docs/guides/features/plugins/web-search
  webSearch: "options",
  // openrouter.ai/docs/guides/best-practices/reasoning-tokens
  thinkingBudget: "reasoning",
  // "Requests are priced using the model that was ultimately used" (openrouter.ai/docs/guides/routing/model-fallbacks, .../features/plugins).
  otherModels: {
    fields: ["models", "fallbacks", "route"],
    plugins: ["web", "file-parser", "response-healing", "context-compression", "moderation"],
  },
  // openrouter.ai/docs/api/api-reference/responses/create-responses
  openAiSettings: { names: ["prompt_cache_key", "safety_identifier"] },
  mark: { glyph: "R", colour: "#5f6b80" },
  endpoint,
  quirks,
  failure,
  balance,
});
