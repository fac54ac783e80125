/** Where GLM models are: here, abroad (api.z.ai/api/paas/v4) or in the coding plan (/api/coding/paas/v4) (docs.bigmodel.cn/cn/api/introduction). */
import type { ProviderCall, ProviderChannel, ProviderRequest } from "../provider.ts";

const ROOT = "/api/paas/v4";

/** A base URL that ends in a version is whole; others get the plain root. Keys go as they are, which the vendor takes beside signed tokens. */
export function endpoint(channel: ProviderChannel, { operation, path }: ProviderCall): ProviderRequest {
  const base = channel.baseUrl.replace(/\/+$/, "");
  const target = operation === "models" ? "/models" : path.replace(/^\/v1(?=\/)/, "");
  const url = base + (/\/v\d+$/.test(base) ? "" : ROOT) + target;
  return { url, headers: ["authorization", `Bearer ${channel.key}`] };
}
