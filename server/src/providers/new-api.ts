/** Another gateway of this API family as upstream: channel type 60 (github.com/QuantumNous/new-api, router/relay-router.go). */
import { OPENAI_SHARED } from "../dialects/neutral/openai-shared.ts";
import {
  amountIn,
  type BalanceOf,
  bearerGet,
  inUnitsOf,
  objectIn,
  openaiStyleBalance,
  refusedBalance,
} from "./balance.ts";
import { defineProvider } from "./define.ts";
import { gatewayEndpoint } from "./native-formats.ts";

/** What the billing pages of the family say for a key without a limit, in dollars. */
const NO_LIMIT_USD = 100_000_000;

/**
 * What the key may still use, in dollars: quota by `/api/usage/token/` and the gateway's own rate, else by OpenAI's billing pages, which older
 * gateways alone have. A key without a limit says nothing of its account.
 */
const balance: BalanceOf = async (ask, channel, nowMs) => {
  const usage = await ask(bearerGet(channel, "/api/usage/token/")).catch(() => undefined);
  const found = usage?.["data"];
  if (typeof found !== "object" || found === null) {
    const left = await openaiStyleBalance(ask, channel, nowMs);
    if (Number(left.amount) >= NO_LIMIT_USD / 2) throw refusedBalance(NO_LIMIT);
    return left;
  }
  const token = objectIn(found);
  if (token["unlimited_quota"] === true) throw refusedBalance(NO_LIMIT);
  const status = objectIn((await ask(bearerGet(channel, "/api/status")))["data"]);
  const amount = inUnitsOf(amountIn(token["total_available"]), amountIn(status["quota_per_unit"]));
  return { amount, currency: "USD" };
};

const NO_LIMIT = "The key has no limit of its own, and the gateway tells no balance by it";

export const newApi = defineProvider({
  id: 60,
  slug: "new-api",
  name: "New API",
  dialects: ["openai-chat", "openai-responses", "anthropic-messages", "gemini"],
  compacts: true,
  defaultBaseUrl: "",
  fields: [{ name: "base_url", label: "baseUrl", isRequired: true, placeholder: "https://gateway.example.com" }],
  operations: [
    "chat",
    "completions",
    "embeddings",
    "images",
    "image_edits",
    "image_variations",
    "speech",
    "transcriptions",
    "translations",
    "moderations",
    "rerank",
    "realtime",
    "videos",
    "models",
  ],
  forwardedHeaders: ["anthropic-version", "anthropic-beta"],
  forwardedFamily: "anthropic-",
  openAiSettings: { names: OPENAI_SHARED },
  servesAnyModel: true,
  mark: { glyph: "N", colour: "#4f5bd5" },
  endpoint: gatewayEndpoint,
  balance,
});
