/** Any OpenAI-compatible address, given as a complete URL: channel type 8. */
import { type BalanceOf, openaiStyleBalance } from "./balance.ts";
import { defineProvider } from "./define.ts";
import type { ProviderCall, ProviderChannel, ProviderRequest } from "./provider.ts";

// The base URL of a custom channel is the whole request URL; `{model}` in it is the upstream's model name.

const OPERATION_PATH = /\/(?:chat\/completions|completions|embeddings)(?=\?|$)/;

/** Beside an operation's address stands the list of models; any other address is asked as it is. */
const modelsUrl = (url: string): string => url.replace(OPERATION_PATH, "/models");

/** Every operation goes to the same URL. */
function endpoint(channel: ProviderChannel, { operation, model }: ProviderCall): ProviderRequest {
  const url = channel.baseUrl.replaceAll("{model}", encodeURIComponent(model));
  return { url: operation === "models" ? modelsUrl(url) : url, headers: ["authorization", `Bearer ${channel.key}`] };
}

// A custom channel's balance: in OpenAI's form, at the root that its whole URL has before `/v1`, or at its host.

const ROOT = /^https?:\/\/[^/?#]+(?:[^{}?#]*?(?=\/v1(?:[/?#]|$)))?/;

const balance: BalanceOf = (ask, channel, nowMs) =>
  openaiStyleBalance(ask, { ...channel, baseUrl: ROOT.exec(channel.baseUrl)?.[0] ?? channel.baseUrl }, nowMs);

export const custom = defineProvider({
  id: 8,
  slug: "custom",
  name: "Custom",
  defaultBaseUrl: "",
  fields: [
    { name: "base_url", label: "fullUrl", isRequired: true, placeholder: "https://example.com/v1/chat/completions" },
  ],
  servesAnyModel: true,
  mark: { glyph: "C", colour: "#6b7280" },
  endpoint,
  balance,
});
