/** Where an account's models are: OpenAI's paths behind `/ai/v1`, others behind `/ai/run` (developers.cloudflare.com/workers-ai/get-started/rest-api). */
import type { ProviderCall, ProviderChannel, ProviderRequest } from "../provider.ts";

/** The list of models comes in pages. */
const MODELS = "/ai/models/search?per_page=100";

/** `other` is the account's id; the base URL may end in the version. */
export function endpoint(channel: ProviderChannel, { operation, path }: ProviderCall): ProviderRequest {
  const base = channel.baseUrl.replace(/\/+$/, "").replace(/\/client\/v4$/, "");
  const target = operation === "models" ? MODELS : path.startsWith("/v1/") ? `/ai${path}` : path;
  const url = `${base}/client/v4/accounts/${encodeURIComponent(channel.other.trim())}${target}`;
  return { url, headers: ["authorization", `Bearer ${channel.key}`] };
}
