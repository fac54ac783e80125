/** Sub2API as upstream, a gateway that hands out subscriptions: channel type 59 (github.com/Wei-Shaw/sub2api, backend/internal/server/routes/gateway.go). */
import { OPENAI_SHARED } from "../dialects/neutral/openai-shared.ts";
import { amountIn, type BalanceOf, bearerGet, refusedBalance, unreadableBalance } from "./balance.ts";
import { defineProvider } from "./define.ts";
import { gatewayEndpoint } from "./native-formats.ts";

/** What a subscription without any limit says is left (calculateSubscriptionRemaining of its gateway_handler.go). */
const NO_LIMIT = "-1";

/** What the key, its subscription or its wallet has left, in dollars (`/v1/usage`). */
const balance: BalanceOf = async (ask, channel) => {
  const usage = await ask(bearerGet(channel, "/v1/usage"));
  if (usage["isValid"] !== true) throw refusedBalance(usage["status"] ?? "The key is not valid");
  if (usage["remaining"] === undefined) throw refusedBalance("The key has no amount of its own");
  if (usage["unit"] !== "USD") throw unreadableBalance();
  const amount = amountIn(usage["remaining"]);
  if (amount === NO_LIMIT) throw refusedBalance("The subscription of this key has no limit");
  return { amount, currency: "USD" };
};

export const sub2api = defineProvider({
  id: 59,
  slug: "sub2api",
  name: "Sub2API",
  dialects: ["openai-chat", "openai-responses", "anthropic-messages", "gemini"],
  defaultBaseUrl: "",
  fields: [{ name: "base_url", label: "baseUrl", isRequired: true, placeholder: "https://sub2api.example.com" }],
  operations: ["chat", "embeddings", "images", "image_edits", "models"],
  forwardedHeaders: ["anthropic-version", "anthropic-beta"],
  forwardedFamily: "anthropic-",
  openAiSettings: { names: OPENAI_SHARED },
  servesAnyModel: true,
  mark: { glyph: "S", colour: "#0f766e" },
  endpoint: gatewayEndpoint,
  balance,
});
