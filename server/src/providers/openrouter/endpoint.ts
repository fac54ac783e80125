/** OpenRouter's addresses, and the headers by which an app tells its name (openrouter.ai/docs/app-attribution): the client's own, never the site's. */
import type { ProviderCall, ProviderChannel, ProviderRequest } from "../provider.ts";

export function endpoint(channel: ProviderChannel, { operation, path, headers }: ProviderCall): ProviderRequest {
  const base = channel.baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");
  const url = base + (operation === "models" ? "/v1/models" : path);
  return { url, headers: ["authorization", `Bearer ${channel.key}`, ...Object.entries(headers).flat()] };
}
